//! `[edge]` `belay serve`: what comes before the supervision tree, and what comes after it.
//!
//! ```text
//! log -> lock of the data directory -> listeners -> figures -> tree -> banner
//!                                     ... until a signal or a request ...
//! drain of the tree (deadline, or a second Ctrl-C) -> exit status
//! ```

use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use belay_cluster::Cluster;
use belay_cluster::member::Member;
use belay_runtime::{Node, StopReport};

use super::banner::{Addresses, banner};
use super::cluster::{self, Left};
use super::config::{Config, LogFormat};
use super::data_dir::DataDir;
use super::failure::{Failure, Status};
use super::listeners::Listeners;
use super::operations::NodeView;
use super::stop::{Drained, StopRequest, StopSignals};
use super::{logging, tree};
use crate::content::{self, Origin, World};
use crate::ops::metrics::{self, Figures};

/// Names of processes in one log record.
const NAMES_LOGGED_MAX: usize = 20;

/// The exit status after a second Ctrl-C, as shells give it for a process that SIGINT killed.
const FORCED: u8 = 130;

/// How long threads of the runtime may linger after the tree has stopped.
const RUNTIME_SHUTDOWN: Duration = Duration::from_secs(1);

/// Runs a node until it is told to stop.
///
/// # Errors
/// What keeps the node from starting, as a [`Failure`].
pub(super) fn serve(config: Config) -> anyhow::Result<ExitCode> {
    logging::start(&config.log)?;
    let content = Content::load(config.content.dir())?;
    let data_dir = DataDir::open(&config.data.dir)?;
    let listeners = Listeners::bind(&config, &data_dir)?;
    let figures = metrics::start()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::error(Status::Internal, format!("no runtime: {error}")))?;
    let code = runtime.block_on(run(Parts {
        config,
        content,
        listeners,
        figures,
        member: None,
    }));
    runtime.shutdown_timeout(RUNTIME_SHUTDOWN);
    // The next node may have the directory only when nothing of this one can write to it.
    drop(data_dir);
    code
}

/// What a node is built of.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) config: Config,
    pub(super) content: Content,
    pub(super) listeners: Listeners,
    pub(super) figures: Figures,
    /// Its place in a cluster, if it has one.
    pub(super) member: Option<Member>,
}

/// The checked world, and where it came from.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) place: String,
    pub(super) world: World,
}

impl Content {
    fn load(directory: Option<&Path>) -> anyhow::Result<Self> {
        let (origin, loaded) = content::open(directory).map_err(|faults| {
            Failure::error(
                Status::Data,
                format!("the content cannot be used:\n{faults}"),
            )
        })?;
        let place = match origin {
            Origin::Directory(path) => path.display().to_string(),
            Origin::Embedded => "the built-in world".to_owned(),
        };
        for warning in &loaded.warnings.list {
            tracing::warn!(reason = %warning, "content warning");
        }
        let world = loaded.world;
        let (zones, rooms) = (world.zones().len(), world.rooms().len());
        tracing::info!(content = place, zones, rooms, "content loaded");
        Ok(Self { place, world })
    }

    fn summary(&self) -> String {
        let (zones, rooms) = (self.world.zones().len(), self.world.rooms().len());
        format!("{}: {zones} zones, {rooms} rooms", self.place)
    }
}

async fn run(mut parts: Parts) -> anyhow::Result<ExitCode> {
    let mut addresses = parts.listeners.addresses()?;
    let (config, summary) = (parts.config.clone(), parts.content.summary());
    let mut signals = StopSignals::listen()?;
    let (request, view) = (StopRequest::default(), NodeView::default());
    // A node that joins waits until its cluster lets it in; a signal ends that.
    let member = tokio::select! {
        opened = cluster::open(&parts.config, &parts.content.world) => opened?,
        reason = signals.first(&request) => {
            tracing::info!(reason, "stopped before the cluster let this node in");
            return Ok(ExitCode::SUCCESS);
        }
    };
    addresses.cluster = member.as_ref().map(Member::address);
    let cluster = member.as_ref().map(Member::cluster);
    parts.member = member;
    let node = Arc::new(tree::start(parts, &request, &view).await?);
    view.show(&node);
    announce(&config, &summary, &addresses)?;
    let reason = tokio::select! {
        reason = signals.first(&request) => reason,
        exit = node.finished() => {
            tracing::error!(reason = %exit, "the supervision tree gave up");
            return Ok(Status::Internal.into());
        }
    };
    tracing::info!(reason, "stopping");
    let node = sole(node).await;
    let deadline = config.drain.deadline;
    let drain = async move {
        if let Some(cluster) = cluster {
            part(&cluster, deadline).await;
        }
        node.stop(deadline).await
    };
    Ok(match signals.wait(drain).await {
        Drained::Done(report) if report.not_stopped.is_empty() => {
            tracing::info!("stopped");
            ExitCode::SUCCESS
        }
        Drained::Done(StopReport { not_stopped }) => {
            let (count, names) = (not_stopped.len(), first_of(&not_stopped));
            tracing::error!(count, names, "not everything stopped before the deadline");
            Status::Internal.into()
        }
        Drained::Forced => {
            tracing::warn!("stopped at once, on the operator's word");
            ExitCode::from(FORCED)
        }
    })
}

/// Moves what lives here to other nodes, while players play on.
async fn part(cluster: &Cluster, within: Duration) {
    match cluster::leave(cluster, within).await {
        Left::Empty => tracing::info!("all shards have moved to other nodes"),
        Left::Alone => tracing::info!("no other node can take what lives here"),
        Left::Owns(count) => {
            tracing::warn!(
                count,
                "shards are left here; others take them over in some seconds"
            );
        }
        Left::Refused(error) => {
            tracing::warn!(%error, "what lives here could not be moved to other nodes");
        }
    }
}

/// The node for itself: who looks at its tree holds it for a moment only, without waiting.
async fn sole(mut shared: Arc<Node>) -> Node {
    loop {
        match Arc::try_unwrap(shared) {
            Ok(node) => return node,
            Err(still_shared) => shared = still_shared,
        }
        tokio::task::yield_now().await;
    }
}

/// The first names of a list that may be long.
fn first_of(names: &[String]) -> String {
    let mut text = names
        .iter()
        .take(NAMES_LOGGED_MAX)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > NAMES_LOGGED_MAX {
        text.push_str(", ...");
    }
    text
}

/// Tells the operator that the node is up: people on standard output, programs in the log.
fn announce(config: &Config, content: &str, addresses: &Addresses) -> anyhow::Result<()> {
    let Addresses {
        telnet,
        http,
        ops,
        cluster,
    } = addresses;
    let cluster = cluster.map(tracing::field::display);
    let data = config.data.dir.display();
    tracing::info!(%telnet, %http, %ops, cluster, %data, pid = std::process::id(), "node is up");
    if config.log.format == LogFormat::Json {
        return Ok(());
    }
    let mut out = io::stdout().lock();
    let printed = out
        .write_all(banner(config, content, addresses).as_bytes())
        .and_then(|()| out.flush());
    printed.map_err(|error| Failure::error(Status::Io, format!("cannot write: {error}")))
}
