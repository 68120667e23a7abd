//! `[pure]` What is due when. An entry that has become wrong is found so when it is due.

use std::collections::BTreeSet;
use std::time::Instant;

use super::input::SocketId;
use crate::hub::directory::GameId;

/// Something with a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Due {
    /// A beat of a socket, or its end if it never authenticated.
    Beat(SocketId),
    /// The answer to a failed authentication that was made to wait.
    Refusal(SocketId),
    /// A game has been gone for long enough that others are told.
    Gone(GameId),
}

/// All that is due, by time.
#[derive(Debug, Default)]
pub(super) struct Agenda(BTreeSet<(Instant, Due)>);

impl Agenda {
    pub(super) fn add(&mut self, at: Instant, due: Due) {
        self.0.insert((at, due));
    }

    pub(super) fn remove(&mut self, at: Instant, due: Due) {
        self.0.remove(&(at, due));
    }

    /// The next entry whose time has come, which is taken out.
    pub(super) fn pop_due(&mut self, now: Instant) -> Option<(Instant, Due)> {
        let first = self.0.first().copied().filter(|(at, _)| *at <= now)?;
        self.0.remove(&first);
        Some(first)
    }

    /// When the next entry is due.
    pub(super) fn next(&self) -> Option<Instant> {
        self.0.first().map(|(at, _)| *at)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
