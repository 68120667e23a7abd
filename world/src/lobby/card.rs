//! `[pure]` Who sits in a room, as the room knows them.

use super::protocol::PlayerEntry;
use crate::event::Text;
use crate::ids::{AccountId, SessionId};

/// Who sits in a room, as the room knows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// Who.
    pub guest: SessionId,
    /// Their name.
    pub name: Text,
    /// Their account, if they have one.
    pub account: Option<AccountId>,
    /// Matches won.
    pub wins: u32,
    /// Matches lost.
    pub losses: u32,
    /// Seconds in matches.
    pub played_s: u32,
    /// See [`PlayerEntry::STAFF`] and its like.
    pub flags: u8,
}

impl Card {
    /// Whether this flag is set.
    pub const fn is(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Whether this is staff.
    pub const fn is_staff(&self) -> bool {
        self.is(PlayerEntry::STAFF)
    }
}
