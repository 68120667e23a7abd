//! `[edge]` A raft on a log in a file.

use super::net::{declare, founding, n};
use crate::command::Outcome;
use crate::ids::NodeId;
use crate::log::{self, OpenError};
use crate::log::{Change, Log, Snapshot};
use crate::raft::{Cuts, Raft, RaftConfig, RaftNews, StartError};
use crate::transport::{Class, Lane, Member, Transport, Unsent};
use crate::view::View;
use belay_runtime::{Node, Supervisor};
use bytes::Bytes;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::watch;

/// A folder that goes with the test.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new(name: &str) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("belay-raft-{name}-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(super) fn file(&self) -> PathBuf {
        self.0.join("raft.redb")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

#[derive(Clone)]
struct Alone;

impl Transport for Alone {
    fn send(&self, _: NodeId, _: Lane, _: Class, _: Bytes) -> Result<(), Unsent> {
        Err(Unsent::NoWire)
    }

    fn members(&self, _: &[Member]) {}

    fn counts(&self, _: Lane) -> crate::Carried {
        crate::Carried::default()
    }
}

#[derive(Clone, Default)]
struct Seen {
    view: Arc<View>,
    leads: bool,
    failed: Option<String>,
}

struct Life {
    raft: Raft,
    node: Node,
    seen: watch::Receiver<Seen>,
}

async fn live(folder: &Folder, seed: u64) -> Life {
    let (log, writer) = log::open(&folder.file()).unwrap();
    let node = Node::start(Supervisor::builder("log").child(writer))
        .await
        .unwrap();
    let (tell, seen) = watch::channel(Seen::default());
    let hears = move |news| {
        tell.send_modify(|seen| match news {
            RaftNews::Applied(view) => seen.view = view,
            RaftNews::Role { me_leads, .. } => seen.leads = me_leads,
            RaftNews::Failed(why) => seen.failed = Some(why),
            RaftNews::Quorum(_) | RaftNews::Members { .. } => {}
        });
    };
    let config = RaftConfig {
        me: n(1),
        rank: 0,
        seed,
        log,
        cuts: Cuts::default(),
    };
    let raft = Raft::start(config, Alone, hears).await.unwrap();
    Life { raft, node, seen }
}

#[tokio::test]
async fn a_node_begins_anew_with_what_its_file_has() {
    let folder = Folder::new("anew");
    log::create(&folder.file()).unwrap();
    let mut life = live(&folder, 1).await;
    life.raft.found().await.unwrap();
    life.seen.wait_for(|seen| seen.leads).await.unwrap();
    assert_eq!(
        life.raft.propose(founding()).await,
        Ok(Outcome::Joined(n(1)))
    );
    for index in 0..20 {
        let name = format!("zone:{index}");
        assert_eq!(life.raft.propose(declare(&name)).await, Ok(Outcome::Done));
    }
    let view = life.seen.borrow().view.clone();
    // As if it was killed: nothing of raft is asked to stop before the file is closed.
    life.node.stop(Duration::from_secs(5)).await;
    drop(life.raft);
    let mut life = live(&folder, 2).await;
    let seen = life.seen.wait_for(|seen| seen.leads).await.unwrap().clone();
    assert_eq!(seen.view.shards, view.shards);
    assert_eq!(life.raft.propose(declare("more")).await, Ok(Outcome::Done));
    assert!(matches!(
        log::open(&folder.file()),
        Err(OpenError::InUse { .. })
    ));
    life.raft.stop().await;
    life.node.stop(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn a_raft_whose_log_is_gone_says_that_it_failed() {
    let folder = Folder::new("gone");
    log::create(&folder.file()).unwrap();
    let mut life = live(&folder, 1).await;
    life.raft.found().await.unwrap();
    life.seen.wait_for(|seen| seen.leads).await.unwrap();
    life.node.stop(Duration::from_secs(5)).await;
    let refused = life.raft.propose(founding()).await;
    assert!(refused.is_err(), "{refused:?}");
    let seen = life
        .seen
        .wait_for(|seen| seen.failed.is_some())
        .await
        .unwrap();
    assert!(
        seen.failed.as_ref().unwrap().contains("closed"),
        "{:?}",
        seen.failed
    );
}

#[tokio::test]
async fn a_log_whose_content_means_nothing_is_not_started_on() {
    let (meta, data) = (Bytes::from_static(b"?"), Bytes::new());
    let changes = [
        Change::Vote(Bytes::from_static(b"?")),
        Change::Append(vec![(0, Bytes::from_static(b"?"))]),
        Change::Snapshot(Snapshot { meta, data }),
    ];
    for change in changes {
        let log = Log::memory();
        log.keep(change).await.unwrap();
        let config = RaftConfig {
            me: n(1),
            rank: 0,
            seed: 1,
            log,
            cuts: Cuts::default(),
        };
        let refused = Raft::start(config, Alone, |_| {}).await.unwrap_err();
        assert!(matches!(refused, StartError::Log(_)), "{refused}");
    }
}
