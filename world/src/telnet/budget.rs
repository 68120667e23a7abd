//! `[pure]` How much nonsense a client may send before the connection closes.

use super::input::CloseReason;
use super::limits::{BUDGET_WINDOW, FAULTS_MAX, NEGOTIATIONS_MAX};
use super::ticks::Tick;

/// Counts of the running window. Nothing is ever answered per fault.
#[derive(Debug, Default)]
pub(super) struct Budget {
    since: Tick,
    faults: u16,
    negotiations: u16,
}

impl Budget {
    /// Counts a fault.
    pub(super) fn fault(&mut self, now: Tick) -> Option<CloseReason> {
        self.roll(now);
        self.faults = self.faults.saturating_add(1);
        (self.faults > FAULTS_MAX).then_some(CloseReason::Faults)
    }

    /// Counts an option request.
    pub(super) fn negotiation(&mut self, now: Tick) -> Option<CloseReason> {
        self.roll(now);
        self.negotiations = self.negotiations.saturating_add(1);
        (self.negotiations > NEGOTIATIONS_MAX).then_some(CloseReason::Negotiations)
    }

    fn roll(&mut self, now: Tick) {
        if now.is_past(self.since, BUDGET_WINDOW) {
            *self = Self {
                since: now,
                ..Self::default()
            };
        }
    }
}
