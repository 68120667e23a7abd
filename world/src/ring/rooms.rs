//! `[process]` The one port through which rooms are addressed.

use super::being_port::Receipt;
use crate::ids::{Being, RoomId};
use crate::room::{Ask, Cast};
use belay_runtime::{Address, TrySendError};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

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
}

/// Why a room did not get a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undelivered {
    /// Its mailbox is full.
    Busy,
    /// It is closed, or no such room is known.
    Closed,
}

/// All rooms by number. A clone is the same directory.
#[derive(Clone, Debug)]
pub struct Rooms {
    slots: Arc<[RwLock<Option<Address<RoomMessage>>>]>,
}

impl Rooms {
    /// A directory for so many rooms, all closed.
    pub fn new(count: usize) -> Self {
        Self {
            slots: (0..count).map(|_| RwLock::new(None)).collect(),
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

    /// Whether the room is open.
    pub fn is_open(&self, room: RoomId) -> bool {
        self.address(room)
            .is_some_and(|address| !address.is_closed())
    }

    /// The first room that is open, for those whom no other room takes.
    pub fn first_open(&self) -> Option<RoomId> {
        let rooms = (0..self.slots.len()).filter_map(|at| u32::try_from(at).ok().map(RoomId));
        rooms.into_iter().find(|room| self.is_open(*room))
    }

    /// Sends an ask. If it cannot be delivered, the receipt is withdrawn and the reason returned.
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
        let Some(address) = self.address(room) else {
            receipt.withdraw();
            return Err(Undelivered::Closed);
        };
        let (message, why) = match address.try_send(RoomMessage::Ask(being, ask, receipt)) {
            Ok(()) => return Ok(()),
            Err(TrySendError::Full(message)) => (message, Undelivered::Busy),
            Err(TrySendError::Closed(message)) => (message, Undelivered::Closed),
        };
        if let RoomMessage::Ask(_, _, receipt) = message {
            receipt.withdraw();
        }
        Err(why)
    }

    /// Tells a room something that must not be lost while the room lives: it has slots of its own.
    ///
    /// # Errors
    ///
    /// The room is busy beyond its reserve, or closed.
    pub fn tell(&self, room: RoomId, message: RoomMessage) -> Result<(), Undelivered> {
        let address = self.address(room).ok_or(Undelivered::Closed)?;
        address.try_send_owed(message).map_err(|error| match error {
            TrySendError::Full(_) => Undelivered::Busy,
            TrySendError::Closed(_) => Undelivered::Closed,
        })
    }

    /// Tells a room something that means nothing to a closed one.
    pub fn tell_if_open(&self, room: RoomId, message: RoomMessage) {
        if self.tell(room, message) == Err(Undelivered::Busy) {
            tracing::warn!(target: "belay_world", room = room.0, "a room's reserve is full");
        }
    }

    fn address(&self, room: RoomId) -> Option<Address<RoomMessage>> {
        let slot = self.slots.get(usize::try_from(room.0).ok()?)?;
        slot.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, room: RoomId, address: Option<Address<RoomMessage>>) {
        let slot = usize::try_from(room.0)
            .ok()
            .and_then(|index| self.slots.get(index));
        if let Some(slot) = slot {
            *slot.write().unwrap_or_else(PoisonError::into_inner) = address;
        }
    }
}
