//! `[process]` A player as others find them: their session, and what lists say of them.

use super::presence::{Person, channel_bit};
use crate::event::{PersonSeen, Text};
use crate::ids::{ChannelId, RoomId};
use crate::ring::SessionPort;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError};

/// Tells other nodes who plays on this one. It must not block.
pub trait Herald: Send + Sync + 'static {
    /// A player came, or is marked otherwise.
    fn plays(&self, person: Person);
    /// The player of this entry left.
    fn left(&self, name: &Text, entry: u64);
}

/// The herald, once there is one.
pub(super) type Heralds = Arc<OnceLock<Arc<dyn Herald>>>;

/// The number of the next entry of this process.
static NEXT_ENTRY: AtomicU64 = AtomicU64::new(1);

/// A player as others find them.
pub struct Player {
    /// The name as it is shown.
    pub name: Text,
    /// The session.
    pub session: SessionPort,
    room: AtomicU32,
    away: AtomicBool,
    linkdead: AtomicBool,
    guest: AtomicBool,
    staff: AtomicBool,
    notices: AtomicBool,
    /// A bit for each channel that they are on.
    channels: AtomicU32,
    away_message: std::sync::Mutex<Text>,
    entry: u64,
    claim: AtomicU64,
    heralds: OnceLock<Heralds>,
}

impl fmt::Debug for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Player")
            .field("person", &self.person())
            .finish_non_exhaustive()
    }
}

impl Player {
    /// A player who is nowhere yet.
    pub fn new(name: Text, session: SessionPort) -> Self {
        Self {
            name,
            session,
            room: AtomicU32::new(u32::MAX),
            away: AtomicBool::new(false),
            linkdead: AtomicBool::new(false),
            guest: AtomicBool::new(false),
            staff: AtomicBool::new(false),
            notices: AtomicBool::new(false),
            channels: AtomicU32::new(0),
            away_message: std::sync::Mutex::new(Text::from("")),
            entry: NEXT_ENTRY.fetch_add(1, Ordering::Relaxed),
            claim: AtomicU64::new(0),
            heralds: OnceLock::new(),
        }
    }

    /// As other nodes are told of them.
    pub fn person(&self) -> Person {
        Person {
            name: self.name.clone(),
            entry: self.entry,
            claim: self.claim.load(Ordering::Relaxed),
            away: self.away.load(Ordering::Relaxed),
            linkdead: self.is_linkdead(),
            guest: self.is_guest(),
            staff: self.staff.load(Ordering::Relaxed),
            channels: self.channels.load(Ordering::Relaxed),
        }
    }

    /// The number of the session's claim; to be set before they are entered in the list.
    pub fn set_claim(&self, claim: u64) {
        self.claim.store(claim, Ordering::Relaxed);
    }

    /// They are staff, or not.
    pub fn set_staff(&self, staff: bool) {
        if self.staff.swap(staff, Ordering::Relaxed) != staff {
            self.told();
        }
    }

    /// They are in the list from now on.
    pub(super) fn come(&self, heralds: &Heralds) {
        self.heralds.get_or_init(|| heralds.clone());
        self.told();
    }

    /// They are not in the list any more.
    pub(super) fn gone(&self) {
        if let Some(herald) = self.heralds.get().and_then(|heralds| heralds.get()) {
            herald.left(&self.name, self.entry);
        }
    }

    /// Other nodes are told how they are, once they are in the list.
    fn told(&self) {
        if let Some(herald) = self.heralds.get().and_then(|heralds| heralds.get()) {
            herald.plays(self.person());
        }
    }

    /// Where they are, as far as others may rely on it.
    pub fn room(&self) -> Option<RoomId> {
        let room = self.room.load(Ordering::Relaxed);
        (room != u32::MAX).then_some(RoomId(room))
    }

    /// They stand in this room.
    pub fn set_room(&self, room: Option<RoomId>) {
        self.room
            .store(room.map_or(u32::MAX, |room| room.0), Ordering::Relaxed);
    }

    /// They play without an account.
    pub fn set_guest(&self) {
        self.guest.store(true, Ordering::Relaxed);
    }

    /// Whether they play without an account.
    pub fn is_guest(&self) -> bool {
        self.guest.load(Ordering::Relaxed)
    }

    /// They want to be told who comes and goes in other games, or not.
    pub fn set_notices(&self, wanted: bool) {
        self.notices.store(wanted, Ordering::Relaxed);
    }

    /// Whether they want to be told who comes and goes in other games.
    pub fn wants_notices(&self) -> bool {
        self.notices.load(Ordering::Relaxed)
    }

    /// Whether they are on this channel.
    pub fn is_on(&self, channel: ChannelId) -> bool {
        self.channels.load(Ordering::Relaxed) & channel_bit(channel) != 0
    }

    /// They are on this channel.
    pub fn joined(&self, channel: ChannelId) {
        let bit = channel_bit(channel);
        if self.channels.fetch_or(bit, Ordering::Relaxed) & bit == 0 {
            self.told();
        }
    }

    /// They are on this channel no more.
    pub fn left(&self, channel: ChannelId) {
        let bit = channel_bit(channel);
        if self.channels.fetch_and(!bit, Ordering::Relaxed) & bit != 0 {
            self.told();
        }
    }

    /// What `who` says of them.
    pub fn set_marks(&self, away: Option<&Text>, linkdead: bool) {
        self.away.store(away.is_some(), Ordering::Relaxed);
        self.linkdead.store(linkdead, Ordering::Relaxed);
        let message = away.cloned().unwrap_or_else(|| Text::from(""));
        *self
            .away_message
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = message;
        self.told();
    }

    /// Whether their connection is lost just now.
    pub fn is_linkdead(&self) -> bool {
        self.linkdead.load(Ordering::Relaxed)
    }

    /// The message of one who is away.
    pub fn away(&self) -> Option<Text> {
        let away = self.away.load(Ordering::Relaxed);
        let message = self
            .away_message
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        away.then(|| message.clone())
    }

    /// The entry in a list.
    pub fn seen(&self) -> PersonSeen {
        PersonSeen {
            name: self.name.clone(),
            away: self.away.load(Ordering::Relaxed),
            linkdead: self.linkdead.load(Ordering::Relaxed),
        }
    }
}
