//! `[pure]` What the core knows of one socket.
//!
//! ```text
//!   Opened ──> Inactive ──authenticate──> Active ──> (gone)
//!                 │    └─one failure too many─> Refused ──later──> (gone)
//!                 └──failure, or 60 s──> (gone)
//! ```

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::time::Instant;

use super::bucket::Bucket;
use super::players::Players;
use crate::hub::directory::GameId;
use crate::protocol::ChannelName;
use crate::protocol::{Extension, Extensions, Flag, Flags};

/// An open socket.
#[derive(Debug)]
pub(super) struct Socket {
    pub(super) address: IpAddr,
    pub(super) state: State,
    /// Beats that were due since the last answer.
    pub(super) unanswered: u32,
    /// When the next beat is due; it stands in the agenda.
    pub(super) beat_due: Instant,
    pub(super) all: Bucket,
    pub(super) garbage: Bucket,
}

/// How far a socket is.
#[derive(Debug)]
pub(super) enum State {
    /// Not authenticated.
    Inactive,
    /// Failed to authenticate; its answer waits, and nothing else is heard of it.
    Refused {
        /// What it will be told.
        error: &'static str,
        /// When; it stands in the agenda.
        at: Instant,
    },
    /// Authenticated.
    Active(Box<Member>),
}

/// What the core knows of an authenticated socket.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) game: GameId,
    /// What the client says it supports.
    pub(super) asked: Flags,
    /// What of that it has.
    pub(super) granted: Flags,
    pub(super) extensions: Extensions,
    pub(super) channels: BTreeSet<ChannelName>,
    pub(super) players: Players,
    /// Until when it is answered without references.
    pub(super) debug_until: Option<Instant>,
    pub(super) send: Bucket,
    pub(super) subscribe: Bucket,
    pub(super) unsubscribe: Bucket,
    pub(super) status: Bucket,
}

impl Member {
    pub(super) fn has(&self, flag: Flag) -> bool {
        self.granted.has(flag)
    }

    pub(super) fn extends(&self, extension: Extension) -> bool {
        self.extensions.has(extension)
    }
}

impl Socket {
    pub(super) fn new(address: IpAddr, beat_due: Instant) -> Self {
        Self {
            address,
            state: State::Inactive,
            unanswered: 0,
            beat_due,
            all: Bucket::default(),
            garbage: Bucket::default(),
        }
    }

    pub(super) fn member(&self) -> Option<&Member> {
        match &self.state {
            State::Active(member) => Some(member),
            State::Inactive | State::Refused { .. } => None,
        }
    }

    pub(super) fn member_mut(&mut self) -> Option<&mut Member> {
        match &mut self.state {
            State::Active(member) => Some(member),
            State::Inactive | State::Refused { .. } => None,
        }
    }
}
