//! [edge] The operator's branch of the tree: what the control socket can do, what the figures
//! show, and the processes that serve both.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::sync::{Arc, OnceLock, Weak};

use belay_runtime::{Capacity, ChildSpec, Context, Exit, Mailbox, Node, Supervisor, TreeNode};
use futures_util::FutureExt as _;
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::watch;
use tokio::time::Instant;

use super::stop::StopRequest;
use crate::ops::control::{self, ControlAnswer, ControlHandler, ControlRequest};
use crate::ops::http::{self, Health, Pages};
use crate::ops::memory::resident_bytes;
use crate::ops::metrics::{Figures, Label as _, ProcessKind, Sample};

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
    fn tree(&self) -> Option<TreeNode> {
        Some(self.0.get()?.upgrade()?.tree())
    }
}

/// The `ops` supervisor with its two processes.
///
/// # Errors
/// What the system says about the listeners.
pub(super) fn spec(
    listeners: (std::net::TcpListener, std::os::unix::net::UnixListener),
    pages: Pages,
    handler: ControlHandler,
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
        Supervisor::builder("ops").child(metrics).child(control)
    }))
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
pub(super) fn pages(figures: Figures, view: &NodeView) -> Pages {
    let start = Instant::now();
    let sampled = view.clone();
    let sample = move || {
        let stats = belay_runtime::stats();
        Sample {
            processes: stats.processes,
            restarts: stats.restarts_total,
            crashes: stats.crashes_total,
            mailbox_high_water: sampled
                .tree()
                .map(|tree| high_water(&tree))
                .unwrap_or_default(),
            memory_bytes: resident_bytes(),
            uptime: start.elapsed(),
            ..Sample::default()
        }
    };
    let view = view.clone();
    let health = move || match view.0.get().map(Weak::strong_count) {
        None => Health::Bad("starting".to_owned()),
        Some(0) => Health::Bad("stopping".to_owned()),
        Some(_) => Health::Good,
    };
    Pages {
        figures,
        sample: Arc::new(sample),
        health: Arc::new(health),
    }
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

/// Carries out what is asked on the control socket.
pub(super) fn control_handler(request: &StopRequest, view: &NodeView) -> ControlHandler {
    let (request, view) = (request.clone(), view.clone());
    Arc::new(move |asked| std::future::ready(carry_out(&asked, &request, &view)).boxed())
}

fn carry_out(asked: &ControlRequest, request: &StopRequest, view: &NodeView) -> ControlAnswer {
    match asked {
        ControlRequest::Shutdown => {
            request.ask();
            ControlAnswer::done("the node is stopping")
        }
        ControlRequest::Status => {
            let stats = belay_runtime::stats();
            let data = serde_json::json!({
                "version": env!("CARGO_PKG_VERSION"),
                "pid": std::process::id(),
                "processes": stats.processes,
                "restarts": stats.restarts_total,
                "crashes": stats.crashes_total,
            });
            ControlAnswer::Done {
                text: "the node is up".to_owned(),
                data,
            }
        }
        ControlRequest::Tree => match view.tree() {
            None => ControlAnswer::busy("the node is starting or stopping"),
            Some(tree) => match serde_json::to_value(&tree) {
                Ok(data) => ControlAnswer::Done {
                    text: tree.to_text(),
                    data,
                },
                Err(error) => ControlAnswer::failed(format!("cannot write the tree: {error}")),
            },
        },
        ControlRequest::StaffAdd { .. }
        | ControlRequest::StaffRemove { .. }
        | ControlRequest::StaffList
        | ControlRequest::Backup { .. }
        | ControlRequest::BanAdd { .. }
        | ControlRequest::BanRemove { .. }
        | ControlRequest::BanList
        | ControlRequest::CrashRoom { .. }
        | ControlRequest::CrashSession { .. } => {
            ControlAnswer::refused("this node has no world to do that in")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
