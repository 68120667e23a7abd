//! `[process]` The one port through which rooms are addressed.

use super::being_port::Receipt;
use crate::cluster::Gateway;
use crate::ids::{Being, RoomId};
use crate::ops::metrics::ClusterFigure;
use crate::room::{Ask, Cast, Reach, Undelivered};
use belay_cluster::NodeId;
use belay_runtime::{Address, TrySendError};
use std::sync::{Arc, OnceLock, PoisonError, RwLock, Weak};
use std::time::Duration;
use tokio::sync::mpsc;

/// What reaches a room.
#[derive(Debug)]
pub enum RoomMessage {
    /// A being asks; the receipt carries the answer.
    Ask(Being, Ask, Receipt),
    /// A being tells something.
    Cast(Being, Cast),
    /// The tick of a crowd.
    Tick,
    /// The next players of a crowd are to be told of the tick.
    Slice,
    /// Missing things come back.
    Reset,
    /// Crash (operator, tests).
    Crash,
    /// Keep the thread for so long (operator, tests).
    Stall(Duration),
    /// A thing that the reset created.
    Appear(crate::being::Item),
    /// Hold still from now on, and say so.
    Still(mpsc::Sender<RoomId>),
    /// Go on after holding still.
    GoOn,
    /// The players of this node are not here; the others are told, or not.
    Forget(NodeId, Farewell),
    /// Show that the room works.
    Beat,
}

/// What the others in a room read of players whose node is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Farewell {
    /// Nothing: they will be back at once.
    Silent,
    /// That they vanish.
    Told,
}

/// How a room is reached.
#[derive(Debug)]
struct Slot {
    /// The room, if it is open here.
    address: Option<Address<RoomMessage>>,
    /// Messages come by the gateway, for the zone is elsewhere, or does not act just now.
    shut: bool,
}

/// All rooms by number. A clone is the same directory.
#[derive(Clone, Debug)]
pub struct Rooms {
    slots: Arc<[RwLock<Slot>]>,
    gateway: Arc<OnceLock<Weak<Gateway>>>,
}

impl Rooms {
    /// A directory for so many rooms, all closed.
    pub fn new(count: usize) -> Self {
        let slot = |_| {
            RwLock::new(Slot {
                address: None,
                shut: false,
            })
        };
        Self {
            slots: (0..count).map(slot).collect(),
            gateway: Arc::default(),
        }
    }

    /// From now on rooms may be elsewhere; the gateway knows where. All are shut until it says
    /// otherwise. Only the first call counts.
    pub fn across(&self, gateway: &Arc<Gateway>) {
        if self.gateway.set(Arc::downgrade(gateway)).is_ok() {
            for slot in &*self.slots {
                slot.write().unwrap_or_else(PoisonError::into_inner).shut = true;
            }
        }
    }

    /// From now on this room is reached here.
    pub fn open(&self, room: RoomId, address: Address<RoomMessage>) {
        self.set(room, Some(address));
    }

    /// From now on this room is closed.
    pub fn close(&self, room: RoomId) {
        self.set(room, None);
    }

    /// The messages for these rooms come by the gateway from now on, or go to them directly. When
    /// this returns, no message is on its way past the gateway.
    pub fn set_shut(&self, rooms: impl Iterator<Item = RoomId>, shut: bool) {
        for slot in rooms.filter_map(|room| self.slot(room)) {
            slot.write().unwrap_or_else(PoisonError::into_inner).shut = shut;
        }
    }

    /// Whether the room takes newcomers, as far as this node knows.
    pub fn reach(&self, room: RoomId) -> Reach {
        let (here, shut) = self.with(room, |slot| {
            let open = |address: &Address<_>| !address.is_closed();
            (slot.address.as_ref().is_some_and(open), slot.shut)
        });
        match self.gateway().filter(|_| shut) {
            Some(gateway) => gateway.reach(room),
            None if here => Reach::Open,
            None => Reach::Closed,
        }
    }

    /// Whether the room takes newcomers at once, as far as this node knows.
    pub fn is_open(&self, room: RoomId) -> bool {
        self.reach(room) == Reach::Open
    }

    /// The first room that is open, for those whom no other room takes.
    pub fn first_open(&self) -> Option<RoomId> {
        let rooms = (0..self.slots.len()).filter_map(|at| u32::try_from(at).ok().map(RoomId));
        rooms.into_iter().find(|room| self.is_open(*room))
    }

    /// Sends an ask. If it cannot be delivered, the receipt is withdrawn and the reason returned.
    /// What goes to another node, or waits, comes back to the receipt's port when it fails.
    ///
    /// # Errors
    ///
    /// The room is busy or closed.
    pub fn ask(
        &self,
        room: RoomId,
        being: Being,
        ask: Ask,
        receipt: Receipt,
    ) -> Result<(), Undelivered> {
        let message = RoomMessage::Ask(being, ask, receipt);
        let (message, why) = match self.push(room, message, Past::Shut, Address::try_send) {
            Ok(()) => return Ok(()),
            Err(refused) => refused,
        };
        let RoomMessage::Ask(being, ask, receipt) = message else {
            return Err(why);
        };
        match self.gateway().filter(|_| why != Undelivered::Busy) {
            Some(gateway) => gateway.ask(room, being, ask, receipt),
            None => {
                receipt.withdraw();
                Err(why)
            }
        }
    }

    /// Tells a room something that must not be lost while the room lives: it has slots of its own.
    ///
    /// # Errors
    ///
    /// The room is busy beyond its reserve, or closed.
    pub fn tell(&self, room: RoomId, message: RoomMessage) -> Result<(), Undelivered> {
        match self.push(room, message, Past::Shut, Address::try_send_owed) {
            Ok(()) => Ok(()),
            Err((RoomMessage::Cast(being, cast), why)) if why != Undelivered::Busy => {
                let gateway = self.gateway().ok_or(why)?;
                gateway.cast(room, being, cast)
            }
            Err((_, why)) => Err(why),
        }
    }

    /// Tells a room something that means nothing to a closed one.
    pub fn tell_if_open(&self, room: RoomId, message: RoomMessage) {
        if self.tell(room, message) == Err(Undelivered::Busy) {
            tracing::warn!(target: "belay_world", room = room.0, "a room's reserve is full");
        }
    }

    /// Sends an ask to a room that is here, by the gateway or the zone itself.
    ///
    /// # Errors
    ///
    /// The room is busy or closed; the receipt comes back.
    pub fn ask_here(
        &self,
        room: RoomId,
        (being, ask): (Being, Ask),
        receipt: Receipt,
    ) -> Result<(), (Receipt, Undelivered)> {
        let message = RoomMessage::Ask(being, ask, receipt);
        match self.push(room, message, Past::Everything, Address::try_send) {
            Err((RoomMessage::Ask(_, _, receipt), why)) => Err((receipt, why)),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Tells something to a room that is here, by the gateway or the zone itself.
    ///
    /// # Errors
    ///
    /// The room is busy beyond its reserve, or closed.
    pub fn tell_here(&self, room: RoomId, message: RoomMessage) -> Result<(), Undelivered> {
        let sent = self.push(room, message, Past::Everything, Address::try_send_owed);
        sent.map_err(|(_, why)| why)
    }

    /// Tells a room that is here something that means nothing to a closed one.
    pub fn tell_if_here(&self, room: RoomId, message: RoomMessage) {
        if self.tell_here(room, message) == Err(Undelivered::Busy) {
            tracing::warn!(target: "belay_world", room = room.0, "a room's reserve is full");
        }
    }

    /// Whether this room is open here.
    pub fn is_here(&self, room: RoomId) -> bool {
        self.with(room, |slot| slot.address.is_some())
    }

    /// Sends while the slot is held: who shuts it knows that nobody is still on the way.
    fn push(
        &self,
        room: RoomId,
        message: RoomMessage,
        past: Past,
        send: impl FnOnce(&Address<RoomMessage>, RoomMessage) -> Sent,
    ) -> Result<(), (RoomMessage, Undelivered)> {
        let Some(slot) = self.slot(room) else {
            return Err((message, Undelivered::Closed));
        };
        let slot = slot.read().unwrap_or_else(PoisonError::into_inner);
        match &slot.address {
            Some(address) if !slot.shut || past == Past::Everything => send(address, message)
                .map_err(|error| match error {
                    TrySendError::Full(message) => (message, Undelivered::Busy),
                    TrySendError::Closed(message) => (message, Undelivered::Closed),
                }),
            Some(_) | None => Err((message, Undelivered::Closed)),
        }
    }

    /// What was counted of rooms of other nodes; nothing on a node that is alone.
    pub fn figures(&self) -> Option<Vec<(ClusterFigure, u64)>> {
        self.gateway().map(|gateway| gateway.counts().figures())
    }

    /// Where rooms of other nodes are reached; nothing on a node that is alone.
    pub fn gateway(&self) -> Option<Arc<Gateway>> {
        self.gateway.get()?.upgrade()
    }

    fn slot(&self, room: RoomId) -> Option<&RwLock<Slot>> {
        self.slots.get(usize::try_from(room.0).ok()?)
    }

    fn with<T: Default>(&self, room: RoomId, look: impl FnOnce(&Slot) -> T) -> T {
        self.slot(room).map_or_else(T::default, |slot| {
            look(&slot.read().unwrap_or_else(PoisonError::into_inner))
        })
    }

    fn set(&self, room: RoomId, address: Option<Address<RoomMessage>>) {
        if let Some(slot) = self.slot(room) {
            slot.write().unwrap_or_else(PoisonError::into_inner).address = address;
        }
    }
}

/// Which messages a slot lets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Past {
    /// Those to rooms that are not shut.
    Shut,
    /// All.
    Everything,
}

/// What becomes of a message.
type Sent = Result<(), TrySendError<RoomMessage>>;
