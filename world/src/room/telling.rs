//! `[process]` How a room tells those who stand in it what happens: its node's players one by one,
//! those of other nodes with one message for each node.

use super::ask::Cast;
use super::process::LiveRoom;
use super::state::Occupant;
use super::step::{Decision, Scene, decide_cast};
use crate::being::Parting;
use crate::cluster::Far;
use crate::event::{Event, Seen};
use crate::ids::{Being, RoomId, SessionId};
use crate::limits;
use crate::ops::metrics;
use crate::ring::{BeingPort, Farewell, SessionMessage};
use crate::view::{Batch, Notice};
use belay_cluster::NodeId;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

/// The other nodes with players in the room. To be told when the room's state is let go.
pub(super) type Nodes = Vec<Arc<Far>>;

/// One notice for all players here but the one who did it; rendered once, shared by pointer. The
/// other nodes are to be told.
pub(super) fn tell_here(state: &LiveRoom, by: Option<Being>, seen: &Seen) -> Nodes {
    let notice = Arc::new(Notice::new(Event::Seen(seen.clone())));
    let mut nodes = Nodes::new();
    for (being, occupant) in state.occupants() {
        match &occupant.port {
            BeingPort::Session(session) => {
                if Some(*being) != by
                    && session
                        .try_send(SessionMessage::Notice(notice.clone()))
                        .is_err()
                {
                    metrics::ambient_dropped(1);
                }
            }
            BeingPort::Far(far, _) => add(&mut nodes, far),
            BeingPort::Mob(_) => {}
        }
    }
    nodes
}

/// Occupants come in the order of their numbers, so those of a node follow each other.
fn add(nodes: &mut Nodes, far: &Arc<Far>) {
    if nodes.last().is_none_or(|last| last.node() != far.node()) {
        nodes.push(far.clone());
    }
}

/// Tells the other nodes of one event.
pub(super) fn tell_nodes(nodes: &Nodes, room: RoomId, by: Option<Being>, seen: &Seen) {
    for far in nodes {
        far.notice(room, (by, seen.clone()));
    }
}

/// What happened in a tick, as other nodes are told.
pub(super) struct FarTick {
    pub(super) all: Vec<(Option<Being>, Seen)>,
    pub(super) newcomers: Vec<(Option<Being>, Seen)>,
    pub(super) fresh: Vec<Being>,
}

impl FarTick {
    /// Tells the nodes with players in this room.
    pub(super) fn tell(&self, nodes: &Nodes, room: RoomId) {
        for far in nodes {
            let of_node = |being: &Being| match being {
                Being::Session(session) if session.node() == far.node().0 => Some(*session),
                Being::Session(_) | Being::Mob(_) => None,
            };
            let fresh: Vec<SessionId> = self.fresh.iter().filter_map(of_node).collect();
            far.tick(room, (&self.all, &self.newcomers), &fresh);
        }
    }
}

/// The players of a node are gone.
pub(super) fn forget(
    state: &LiveRoom,
    scene: Scene<'_>,
    (node, farewell): (NodeId, Farewell),
    out: &mut Decision<BeingPort>,
) {
    let how = match farewell {
        Farewell::Silent => Parting::Undo,
        Farewell::Told => Parting::Vanish,
    };
    for (being, occupant) in state.occupants() {
        if matches!(being, Being::Session(session) if session.node() == node.0) {
            let seq = occupant.seq;
            decide_cast(state, scene, *being, Cast::Gone { seq, how }, out);
        }
    }
}

/// The other nodes with players here.
pub(super) fn nodes(state: &LiveRoom) -> Nodes {
    let mut nodes = Nodes::new();
    for occupant in state.occupants().values() {
        if let BeingPort::Far(far, _) = &occupant.port {
            add(&mut nodes, far);
        }
    }
    nodes
}

/// What a crowd is being told, some players at a time, in the order of their numbers.
#[derive(Debug)]
pub(super) struct Telling {
    all: Option<Arc<Batch>>,
    newcomers: Option<Arc<Batch>>,
    fresh: Vec<Being>,
    told_to: Option<Being>,
}

impl Telling {
    pub(super) fn new(
        all: Vec<(Option<Being>, Seen)>,
        newcomers: Vec<(Option<Being>, Seen)>,
        fresh: Vec<Being>,
    ) -> Self {
        Self {
            all: batch(all),
            newcomers: batch(newcomers),
            fresh,
            told_to: None,
        }
    }

    /// Tells the next ones; whether more are to be told.
    pub(super) fn slice(&mut self, occupants: &BTreeMap<Being, Occupant<BeingPort>>) -> bool {
        let from = self.told_to.map_or(Bound::Unbounded, Bound::Excluded);
        let next = occupants.range((from, Bound::Unbounded)).enumerate();
        for (told, (being, occupant)) in next {
            if told >= limits::CROWD_SLICE {
                return true;
            }
            self.told_to = Some(*being);
            let came_during = self.fresh.binary_search(being).is_ok();
            let batch = match (came_during, occupant.fresh) {
                (true, _) => &self.newcomers,
                // Came after the tick: none of it was before their eyes.
                (false, true) => continue,
                (false, false) => &self.all,
            };
            if let (BeingPort::Session(session), Some(batch)) = (&occupant.port, batch)
                && session
                    .try_send(SessionMessage::Tick(batch.clone()))
                    .is_err()
            {
                metrics::ambient_dropped(1);
            }
        }
        false
    }
}

fn batch(entries: Vec<(Option<Being>, Seen)>) -> Option<Arc<Batch>> {
    if entries.is_empty() {
        return None;
    }
    let events = entries
        .into_iter()
        .map(|(by, seen)| (by, Event::Seen(seen)))
        .collect();
    Some(Arc::new(Batch::new(events)))
}
