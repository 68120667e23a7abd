//! `[pure]` What a room has to do at a time of its own, without being told.

use crate::ids::SessionId;
use std::collections::BTreeSet;
use std::time::Instant;

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Due {
    /// The seat of this one, whose connection was lost, is not kept any longer.
    Seat(SessionId),
    /// This one, by folded name, may speak again.
    Unmute(String),
}

/// All of it, the first first. Bounded by seats and verdicts: what became void stays until its time
/// comes, at most once for each time it was set.
#[derive(Debug, Default)]
pub(super) struct Dues(BTreeSet<(Instant, Due)>);

impl Dues {
    pub(super) fn add(&mut self, at: Instant, due: Due) {
        self.0.insert((at, due));
    }

    pub(super) fn remove(&mut self, at: Instant, due: Due) {
        self.0.remove(&(at, due));
    }

    pub(super) fn next(&self) -> Option<Instant> {
        self.0.first().map(|(at, _)| *at)
    }

    /// The next thing whose time has come.
    pub(super) fn pop(&mut self, now: Instant) -> Option<Due> {
        if self.next()? > now {
            return None;
        }
        self.0.pop_first().map(|(_, due)| due)
    }
}
