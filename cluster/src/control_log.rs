//! `[edge]` Three nodes' control log in one process, each in a file of its own, for its figures:
//! what is committed here is on the disks of a majority. Links are calls; there are no leases, no
//! duties, and nothing to place.

use crate::command::{Candidate, Command, Outcome};
use crate::ids::{ContentHash, DirectoryMark, Incarnation, NodeId, NodeName};
use crate::log;
use crate::raft::{Cuts, Raft, RaftConfig, RaftNews};
use crate::transport::{Class, Lane, Member, Transport, Unsent};
use belay_runtime::{Node, Supervisor};
use bytes::Bytes;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::watch;

/// How long anything may take that belongs to no measurement.
const PATIENCE: Duration = Duration::from_secs(20);

/// Something did not work; the text says what.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Broken(String);

fn broken(error: impl fmt::Display) -> Broken {
    Broken(error.to_string())
}

/// Three nodes that agree on commands.
pub struct ControlLog {
    links: Links,
    writers: Vec<Node>,
}

impl fmt::Debug for ControlLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControlLog").finish_non_exhaustive()
    }
}

type Rafts = BTreeMap<NodeId, Raft>;

#[derive(Clone, Default)]
struct Links(Arc<Mutex<Rafts>>);

impl Links {
    fn lock(&self) -> MutexGuard<'_, Rafts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn raft(&self, node: NodeId) -> Result<Raft, Broken> {
        let raft = self.lock().get(&node).cloned();
        raft.ok_or_else(|| broken("no such node"))
    }
}

const FIRST: NodeId = NodeId(1);

impl ControlLog {
    /// Three voters with logs in this directory, which is empty; the first leads.
    ///
    /// # Errors
    /// A node does not start, or they do not agree in 20 seconds.
    pub async fn start(dir: &Path) -> Result<Self, Broken> {
        let (tell, mut leads) = watch::channel(false);
        let mut all = Self {
            links: Links::default(),
            writers: Vec::new(),
        };
        for number in 1..=3 {
            all.add(NodeId(number), dir, tell.clone()).await?;
        }
        let first = all.links.raft(FIRST)?;
        let begun = async {
            first.found().await.map_err(broken)?;
            leads.wait_for(|leads| *leads).await.map_err(broken)?;
            first.propose(founding()?).await.map_err(broken)?;
            let others = [2, 3].map(NodeId);
            for node in others {
                first.add_learner(node).await.map_err(broken)?;
            }
            let voters = BTreeSet::from([1, 2, 3].map(NodeId));
            first.set_voters(voters).await.map_err(broken)
        };
        tokio::time::timeout(PATIENCE, begun)
            .await
            .map_err(broken)??;
        Ok(all)
    }

    async fn add(
        &mut self,
        me: NodeId,
        dir: &Path,
        tell: watch::Sender<bool>,
    ) -> Result<(), Broken> {
        let path = dir.join(format!("{}.redb", me.0));
        log::create(&path).map_err(broken)?;
        let (log, writer) = log::open(&path).map_err(broken)?;
        let writer = Node::start(Supervisor::builder("log").child(writer)).await;
        self.writers.push(writer.map_err(broken)?);
        let config = RaftConfig {
            me,
            rank: me.0 - 1,
            seed: 1,
            log,
            cuts: Cuts::default(),
        };
        let link = Link {
            to: Arc::downgrade(&self.links.0),
            me,
        };
        let hears = move |news| {
            if let RaftNews::Role { me_leads: true, .. } = news {
                tell.send_replace(true);
            }
        };
        let raft = Raft::start(config, link, hears).await.map_err(broken)?;
        self.links.lock().insert(me, raft);
        Ok(())
    }

    /// Has a command committed and applied.
    ///
    /// # Errors
    /// It has no outcome.
    pub async fn commit(&self, command: Command) -> Result<Outcome, Broken> {
        let first = self.links.raft(FIRST)?;
        first.propose(command).await.map_err(broken)
    }

    /// How many commands each node has applied, and the commits of its file, in order.
    pub fn figures(&self) -> Vec<(u64, u64)> {
        let rafts = self.links.lock();
        let figures = rafts.values().map(Raft::figures);
        figures
            .map(|seen| (seen.applied, seen.log_writes.1))
            .collect()
    }

    /// Ends it.
    pub async fn stop(self) {
        let rafts = std::mem::take(&mut *self.links.lock());
        for raft in rafts.values() {
            raft.stop().await;
        }
        for writer in self.writers {
            writer.stop(PATIENCE).await;
        }
    }
}

fn founding() -> Result<Command, Broken> {
    Ok(Command::Found {
        cluster: "control-log".to_owned(),
        first: Candidate {
            name: NodeName::new("n1").map_err(broken)?,
            mark: DirectoryMark([1; 16]),
            incarnation: Incarnation(1),
            address: "127.0.0.1:1".to_owned(),
            content: ContentHash::default(),
        },
    })
}

#[derive(Clone)]
struct Link {
    to: Weak<Mutex<Rafts>>,
    me: NodeId,
}

impl Transport for Link {
    fn send(&self, to: NodeId, _: Lane, _: Class, body: Bytes) -> Result<(), Unsent> {
        let links = self.to.upgrade().map(Links).ok_or(Unsent::NoWire)?;
        let raft = links.raft(to).map_err(|_broken| Unsent::NoWire)?;
        raft.receive(self.me, &body);
        Ok(())
    }

    fn members(&self, _: &[Member]) {}

    fn counts(&self, _: Lane) -> crate::Carried {
        crate::Carried::default()
    }
}
