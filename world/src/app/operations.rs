//! `[edge]` The operator's branch of the tree: what the figures show, and the processes that serve
//! them and the control socket.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock, Weak};

use belay_cluster::Cluster;
use belay_runtime::{
    Capacity, ChildSpec, Context, Exit, Mailbox, Node, Profiler, Supervisor, TreeNode, Watchdog,
    WatchdogOptions,
};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::watch;
use tokio::time::Instant;

use super::cluster;
use super::tree::Ports;
use crate::connection;
use crate::ops::control::{self, ControlHandler};
use crate::ops::http::{self, Health, Pages};
use crate::ops::memory::resident_bytes;
use crate::ops::metrics::{Figures, FrameKind, Label as _, ProcessKind, Refusal, Sample, Traffic};
use crate::ops::orders::{OrderHandler, Orders};

/// The running node, for those of its processes that look at the whole tree. Empty until the
/// tree has started.
#[derive(Debug, Clone, Default)]
pub(super) struct NodeView(Arc<OnceLock<Weak<Node>>>);

impl NodeView {
    /// Shows `node` from here on; only the first call counts.
    pub(super) fn show(&self, node: &Arc<Node>) {
        self.0.get_or_init(|| Arc::downgrade(node));
    }

    /// The tree as it is; `None` while the node starts or stops.
    pub(super) fn tree(&self) -> Option<TreeNode> {
        Some(self.0.get()?.upgrade()?.tree())
    }
}

/// What looks after all processes of the node.
#[derive(Debug, Clone)]
pub(super) struct Lookouts {
    /// Reads where the time goes.
    pub(super) profiler: Profiler,
    /// Names code that keeps a thread; `None` when the operator does not want it.
    pub(super) watchdog: Option<WatchdogOptions>,
}

/// The `ops` supervisor with its processes.
///
/// The profiler starts before the watchdog that asks it for profiles. Both have threads of their
/// own, so that they work while the others are blocked.
///
/// # Errors
/// What the system says about the listeners.
pub(super) fn spec(
    listeners: (std::net::TcpListener, std::os::unix::net::UnixListener),
    pages: Pages,
    handler: ControlHandler,
    lookouts: Lookouts,
) -> io::Result<ChildSpec> {
    let ops = Arc::new(TcpListener::from_std(listeners.0)?);
    let socket = Arc::new(UnixListener::from_std(listeners.1)?);
    Ok(ChildSpec::supervisor("ops", move || {
        let (ops, pages) = (Arc::clone(&ops), pages.clone());
        let (socket, handler) = (Arc::clone(&socket), Arc::clone(&handler));
        let metrics = ChildSpec::body("metrics", &no_mailbox(), move |ctx| {
            let (ops, pages) = (Arc::clone(&ops), pages.clone());
            until_stopped(ctx, async move |stopping| {
                http::serve(&ops, &pages, stopping).await
            })
        });
        let control = ChildSpec::body("control", &no_mailbox(), move |ctx| {
            let (socket, handler) = (Arc::clone(&socket), Arc::clone(&handler));
            until_stopped(ctx, async move |stopping| {
                control::serve(&socket, &handler, stopping).await;
            })
        });
        let watchdog = lookouts
            .watchdog
            .map(|options| watchdog(options, lookouts.profiler.clone()));
        Supervisor::builder("ops")
            .child(lookouts.profiler.spec())
            .children(watchdog)
            .child(metrics)
            .child(control)
    }))
}

/// Names code that keeps a thread, and has the profile logged while it does.
fn watchdog(options: WatchdogOptions, profiler: Profiler) -> ChildSpec {
    let watchdog = Watchdog::new(options).on_slow(move |slow| {
        if slow.is_over() {
            return;
        }
        let (name, pid, kind) = (slow.name(), slow.pid(), slow.kind().unwrap_or("nothing"));
        let reason = format!("{name} {pid} keeps a thread, handling {kind}");
        if let Err(error) = profiler.dump(reason) {
            tracing::debug!(reason = %error, "no profile of a slow handler");
        }
    });
    watchdog.spec()
}

/// These processes are sent nothing.
fn no_mailbox() -> Mailbox<Infallible> {
    Mailbox::new(Capacity::new(0))
}

/// Runs `serve` and tells it when the process shall stop.
async fn until_stopped<F: Future<Output = ()>>(
    ctx: Context<Infallible>,
    serve: impl FnOnce(watch::Receiver<bool>) -> F,
) -> Result<(), Exit> {
    let (stop, stopping) = watch::channel(false);
    let mut serving = std::pin::pin!(serve(stopping));
    tokio::select! {
        () = &mut serving => {}
        () = ctx.stopping() => {
            stop.send_replace(true);
            serving.await;
        }
    }
    Ok(())
}

/// What the pages of the ops listener show.
pub(super) fn pages(
    figures: Figures,
    view: &NodeView,
    ports: &Ports,
    token: Option<&Path>,
) -> Pages {
    let start = Instant::now();
    let (ports, in_cluster) = (ports.clone(), ports.cluster.clone());
    let own = ports.shards.clone();
    let handler = ports.cluster.clone().map(|cluster| -> OrderHandler {
        Arc::new(move |order| cluster::answer(&cluster, &own, order))
    });
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let sampled = view.clone();
    let sample = move || {
        let stats = belay_runtime::stats();
        let status = ports.cluster.as_ref().map(Cluster::status);
        Sample {
            players: count(ports.services.players.count()),
            connections: count(ports.connections.count()),
            login_queue: count(ports.services.pool.waiting()),
            login_working: count(ports.services.pool.stats().working),
            processes: stats.processes,
            restarts: stats.restarts_total,
            crashes: stats.crashes_total,
            slow_handlers: stats.slow_handlers_total,
            busy: busy(&ports.profiler),
            mailbox_high_water: sampled
                .tree()
                .map(|tree| high_water(&tree))
                .unwrap_or_default(),
            memory_bytes: resident_bytes(),
            uptime: start.elapsed(),
            traffic: traffic(),
            network: ports.services.bridge.report().network_figures(),
            cluster: (status.as_ref())
                .map(cluster::figures)
                .into_iter()
                .chain(ports.services.rooms.figures())
                .flatten()
                .collect(),
            peers: status.as_ref().map(cluster::peers).unwrap_or_default(),
        }
    };
    let view = view.clone();
    let health = move || match view.0.get().map(Weak::strong_count) {
        None => Health::Bad("starting".to_owned()),
        Some(0) => Health::Bad("stopping".to_owned()),
        Some(_) if in_cluster.as_ref().is_some_and(|it| !it.status().leased) => {
            Health::Bad("no lease: out of reach of the leader".to_owned())
        }
        Some(_) => Health::Good,
    };
    Pages {
        figures,
        sample: Arc::new(sample),
        health: Arc::new(health),
        orders: Orders {
            handler,
            token: token.map(Path::to_owned),
        },
    }
}

/// What the connections have counted.
fn traffic() -> Traffic {
    let carried = connection::stats();
    let frames = |kind, texts: &connection::Texts| (kind, texts.count.get(), texts.bytes.get());
    Traffic {
        lines_in: carried.lines_in.get(),
        bytes_in: carried.bytes_in.get(),
        bytes_out: carried.bytes_out.get(),
        writes: carried.writes.get(),
        frames_out: vec![
            frames(FrameKind::Answer, &carried.own),
            frames(FrameKind::Notice, &carried.notices),
            frames(FrameKind::Tick, &carried.ticks),
        ],
        refusals: vec![
            (Refusal::PerAddress, carried.refused_address.get()),
            (Refusal::Connections, carried.refused_busy.get()),
            (Refusal::SlowReader, carried.cut_backlog.get()),
            (Refusal::Protocol, carried.cut_protocol.get()),
        ],
    }
}

/// How much of a thread each kind of process kept busy, in the last whole interval of the profiler;
/// before there is one, since the start.
fn busy(profiler: &Profiler) -> Vec<(ProcessKind, f64)> {
    let last = profiler.reports().pop();
    let report = last.unwrap_or_else(|| Arc::new(profiler.report()));
    let mut shares = vec![0.0; ProcessKind::ALL.len()];
    for span in &report.spans {
        if let Some(share) = shares.get_mut(kind_of(span.name).index()) {
            *share += span.share;
        }
    }
    ProcessKind::ALL.iter().copied().zip(shares).collect()
}

/// The deepest mailbox of each kind of process.
fn high_water(tree: &TreeNode) -> Vec<(ProcessKind, u64)> {
    let mut deepest = vec![0; ProcessKind::ALL.len()];
    tree.visit(&mut |process| {
        let depth = process
            .mailbox
            .map_or(0, |mailbox| u64::from(mailbox.high_water));
        if let Some(most) = deepest.get_mut(kind_of(&process.name).index()) {
            *most = depth.max(*most);
        }
    });
    ProcessKind::ALL.iter().copied().zip(deepest).collect()
}

/// The kind of a process by its name, such as `room:12`.
fn kind_of(name: &str) -> ProcessKind {
    let stem = name.split_once(':').map_or(name, |(stem, _)| stem);
    let named = |kind: &&ProcessKind| kind.label() == stem;
    ProcessKind::ALL
        .iter()
        .find(named)
        .copied()
        .unwrap_or(ProcessKind::Other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_processes_is_added_up_by_kind() {
        static OTHER: belay_runtime::Span = belay_runtime::Span::new("test of shares");
        let profiler = Profiler::new(belay_runtime::ProfilerOptions::default());
        drop(OTHER.enter());
        let shares = busy(&profiler);
        assert_eq!(shares.len(), ProcessKind::ALL.len());
        let other = shares.iter().find(|(kind, _)| *kind == ProcessKind::Other);
        assert!(other.unwrap().1 > 0.0, "{shares:?}");
    }

    #[test]
    fn processes_are_told_apart_by_the_stem_of_their_names() {
        for (name, kind) in [
            ("room:12", ProcessKind::Room),
            ("session:7", ProcessKind::Session),
            ("store", ProcessKind::Store),
            ("roommate:1", ProcessKind::Other),
            ("metrics", ProcessKind::Other),
        ] {
            assert_eq!(kind_of(name), kind, "{name}");
        }
    }
}
