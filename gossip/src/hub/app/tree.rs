//! `[edge]` The supervision tree of a hub, top to bottom in one place.
//!
//! ```text
//! hub              one_for_one: nothing here takes the others with it
//! ├─ hub:store     writes what is to be kept, reads what the operator changed
//! ├─ hub:core      the state of the network (an heir: it outlives a crash)
//! ├─ hub:sockets   dynamic, partitioned: a process for each connection
//! ├─ hub:ops       metrics and health, if wanted
//! └─ hub:acceptor  started last, stopped first
//! ```
//! The order of start is top to bottom, of stop bottom to top: nobody new comes in, sockets say
//! goodbye while the core still hears them, and the store writes last.

use std::sync::Arc;
use std::time::Duration;

use belay_runtime::{Address, DynamicOptions, DynamicSupervisor, Intensity, Node, Supervisor};
use tokio::net::TcpListener;

use super::failure::{Failure, Status};
use super::metrics::Sources;
use crate::hub::clock::unix_ms;
use crate::hub::desk::{Desk, DeskMessage, MakeHub};
use crate::hub::directory::Directory;
use crate::hub::net::{Door, DoorOptions, Report, acceptor, ops};
use crate::hub::store::Store;

/// Crashes of the core that a hub outlives; each costs one input.
const HUB_INTENSITY: Intensity = Intensity::new(20, Duration::from_secs(60));

/// What a hub is built of.
pub(super) struct Parts {
    pub(super) store: Store,
    pub(super) hub: MakeHub,
    pub(super) directory: Directory,
    pub(super) listener: TcpListener,
    pub(super) ops: Option<TcpListener>,
    pub(super) door: DoorOptions,
}

/// A hub that is up.
pub(super) struct Running {
    pub(super) node: Node,
    pub(super) desk: Address<DeskMessage>,
}

/// Starts the tree; afterwards games can come in.
///
/// # Errors
/// What did not start.
pub(super) async fn start(parts: Parts) -> Result<Running, Failure> {
    let desk = Desk::new(parts.hub, parts.directory, unix_ms);
    let address = desk.address();
    let sockets = DynamicSupervisor::new(
        "hub:sockets",
        DynamicOptions {
            partitions: std::thread::available_parallelism().map_or(1, usize::from),
            ..DynamicOptions::default()
        },
    );
    let ways = (address.clone(), desk.notices());
    let door = Door::new(ways, sockets.clone(), parts.door);
    let sources = Sources {
        notices: desk.notices(),
        door: Arc::clone(&door),
        store: parts.store.figures(),
    };
    let told = address.clone();
    let on_directory = Arc::new(move |directory: Directory| {
        // Full: the core is busy beyond measure, and is offered it again.
        let directory = DeskMessage::Directory(Box::new(directory));
        let taken = told.try_send_owed(directory).is_ok();
        if !taken {
            tracing::warn!("the core has no room for a new directory; it is offered again");
        }
        taken
    });
    let orders = parts.store.orders();
    let mut tree = Supervisor::builder("hub")
        .intensity(HUB_INTENSITY)
        .child(parts.store.spec(on_directory))
        .child(desk.spec(Arc::new(move |order| orders.send(order))))
        .child(sockets.spec());
    if let Some(listener) = parts.ops {
        tree = tree.child(ops(listener, report(sources)));
    }
    let node = Node::start(tree.child(acceptor(parts.listener, door))).await;
    let node =
        node.map_err(|error| Failure::new(Status::Internal, format!("cannot start: {error}")))?;
    Ok(Running {
        node,
        desk: address,
    })
}

fn report(sources: Sources) -> Report {
    let trouble = sources.clone();
    Report {
        metrics: Arc::new(move || sources.render()),
        trouble: Arc::new(move || trouble.trouble()),
    }
}
