//! `[process]` What a node knows of one zone: the gate of its own sessions, who of them stands in
//! the zone's rooms while these are elsewhere, and the zone itself where it is this node's.

use super::fan::Telling;
use super::far::Far;
use super::frame::Head;
use super::gate::{Gate, Owner};
use super::handed::Handed;
use crate::ids::{Being, RoomId, SessionId};
use crate::ring::{Receipt, SessionPort};
use crate::room::LiveRoom;
use crate::zone::Right;
use belay_cluster::{Epoch, NodeId};
use belay_runtime::Heir;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Instant;

/// One zone.
#[derive(Debug)]
pub(super) struct Desk {
    pub(super) gate: Gate<Receipt>,
    pub(super) standing: Standing,
    /// What is being told to those who stand there.
    pub(super) tellings: VecDeque<Telling>,
    pub(super) stall: Option<Stall>,
    /// The last things that came from elsewhere, by the numbers of their asks.
    pub(super) taken: BTreeSet<(Owner, u64)>,
    /// The rooms are here and open, so letters need not come by.
    pub(super) direct: bool,
}

/// The zone where it is this node's.
#[derive(Debug)]
pub(super) struct Stall {
    pub(super) epoch: Epoch,
    pub(super) right: Arc<Right>,
    pub(super) floors: Floors,
    /// It takes no letters while it is being moved.
    pub(super) still: Still,
    /// It takes no letters while the lease is about to lapse.
    pub(super) suspended: bool,
    /// Who is to be told when all is answered.
    pub(super) settlers: Vec<NodeId>,
    /// To whom letters went back. What they had sent after those goes back too, or it would come
    /// before them; until they settle.
    pub(super) unsettled: Vec<NodeId>,
    /// Whose wire came back while it held still.
    pub(super) missed: Vec<NodeId>,
    pub(super) far: BTreeMap<NodeId, Arc<Far>>,
    /// Things of which it is not known whether they have arrived.
    pub(super) handed: Handed,
}

/// The states of a zone's rooms.
pub(super) type Floors = Arc<BTreeMap<RoomId, Heir<LiveRoom>>>;

/// Whether a zone holds still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Still {
    /// It acts.
    No,
    /// Its rooms finish what they have.
    Soon,
    /// Its rooms have said their last word.
    Yes,
}

/// Where the sessions of this node stand in the rooms of a zone that is elsewhere.
#[derive(Debug, Default)]
pub(super) struct Standing {
    rooms: BTreeMap<RoomId, BTreeMap<SessionId, SessionPort>>,
    places: BTreeMap<SessionId, RoomId>,
}

impl Standing {
    pub(super) fn enter(&mut self, room: RoomId, session: SessionId, port: SessionPort) {
        if let Some(before) = self.places.insert(session, room) {
            self.take_out(before, session);
        }
        self.rooms.entry(room).or_default().insert(session, port);
    }

    /// The session stands in this room no more, if it did.
    pub(super) fn leave(&mut self, room: RoomId, session: SessionId) -> Option<SessionPort> {
        if self.places.get(&session) != Some(&room) {
            return None;
        }
        self.places.remove(&session);
        self.take_out(room, session)
    }

    fn take_out(&mut self, room: RoomId, session: SessionId) -> Option<SessionPort> {
        let here = self.rooms.get_mut(&room)?;
        let port = here.remove(&session);
        if here.is_empty() {
            self.rooms.remove(&room);
        }
        port
    }

    pub(super) fn clear(&mut self) {
        self.rooms.clear();
        self.places.clear();
    }

    pub(super) fn in_room(&self, room: RoomId) -> Option<&BTreeMap<SessionId, SessionPort>> {
        self.rooms.get(&room)
    }

    /// Where this session stands, and how it is reached.
    pub(super) fn find(&self, session: SessionId) -> Option<(RoomId, &SessionPort)> {
        let room = self.places.get(&session)?;
        Some((*room, self.rooms.get(room)?.get(&session)?))
    }

    /// Those whose sessions live.
    pub(super) fn beings(&self) -> Vec<Being> {
        let each = self.rooms.values().flatten();
        let living = each.filter(|(_, port)| !port.is_closed());
        living
            .map(|(session, _)| Being::Session(*session))
            .collect()
    }

    /// Forgets those of a room whose sessions have ended.
    pub(super) fn purge(&mut self, room: RoomId) {
        let Some(here) = self.rooms.get_mut(&room) else {
            return;
        };
        let places = &mut self.places;
        here.retain(|session, port| {
            let lives = !port.is_closed();
            if !lives {
                places.remove(session);
            }
            lives
        });
        if here.is_empty() {
            self.rooms.remove(&room);
        }
    }
}

impl Stall {
    /// A zone that acts, and reaches these other nodes.
    pub(super) fn new(
        epoch: Epoch,
        right: Arc<Right>,
        floors: Floors,
        far: BTreeMap<NodeId, Arc<Far>>,
    ) -> Self {
        Self {
            epoch,
            right,
            floors,
            still: Still::No,
            suspended: false,
            settlers: Vec::new(),
            unsettled: Vec::new(),
            missed: Vec::new(),
            far,
            handed: Handed::new(),
        }
    }

    /// How the zone reaches the sessions of another node.
    pub(super) fn far(&mut self, node: NodeId, new: impl FnOnce(Epoch) -> Far) -> Arc<Far> {
        let epoch = self.epoch;
        let far = self.far.entry(node);
        far.or_insert_with(|| Arc::new(new(epoch))).clone()
    }

    /// Whether it takes letters at all.
    pub(super) fn acts(&self) -> bool {
        self.still == Still::No && !self.suspended
    }

    /// Takes letters of this epoch.
    pub(super) fn takes(&self, head: Head) -> bool {
        self.epoch == head.epoch && self.acts()
    }

    /// Takes this letter of another node; if not, none of that node until it settles.
    pub(super) fn takes_from(&mut self, node: NodeId, head: Head, now: Instant) -> bool {
        let unsettled = self.unsettled.contains(&node);
        let takes = self.takes(head) && !unsettled && self.right.may_act(now);
        if !takes && !unsettled && self.epoch == head.epoch {
            self.unsettled.push(node);
        }
        takes
    }

    /// The node has sent nothing after what went back to it.
    pub(super) fn settle(&mut self, node: NodeId) {
        self.unsettled.retain(|one| *one != node);
    }
}
