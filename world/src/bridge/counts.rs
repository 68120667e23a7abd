//! `[process]` What the bridge counts.

use std::sync::atomic::{AtomicU64, Ordering};

/// A counter that never falls.
#[derive(Debug, Default)]
pub(super) struct Count(AtomicU64);

impl Count {
    /// One more.
    pub(super) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// How many so far.
    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What was counted since the node started.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Lines of other games that channels took.
    pub(super) lines_in: Count,
    /// Lines of players here that went out.
    pub(super) lines_out: Count,
    /// Lines of players here that stayed here.
    pub(super) lines_kept: Count,
    /// Lines for channels that the content does not have.
    pub(super) unknown_channel: Count,
    /// Lines, tells and news of blocked games.
    pub(super) blocked: Count,
    /// Lines, tells and news that there was no room for.
    pub(super) dropped: Count,
    /// Tells of other games that players were shown.
    pub(super) tells_in: Count,
    /// Tells of other games that reached nobody.
    pub(super) tells_lost: Count,
    /// Tells of players here that went out.
    pub(super) tells_out: Count,
    /// Lines about who comes and goes elsewhere.
    pub(super) notices: Count,
    /// Outages that players were told of.
    pub(super) outages: Count,
}
