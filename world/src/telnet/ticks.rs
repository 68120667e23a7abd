//! `[pure]` Points in time of one connection in four bytes instead of sixteen.

use std::time::{Duration, Instant};

/// Tenths of a second since the connection opened; stops after 13 years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Tick(u32);

impl Tick {
    /// The tick of `now` for a connection opened at `opened`.
    pub(super) fn at(opened: Instant, now: Instant) -> Self {
        Self::from_duration(now.saturating_duration_since(opened))
    }

    /// Whether at least `time` has passed between `earlier` and this.
    pub(super) fn is_past(self, earlier: Self, time: Duration) -> bool {
        self.0.saturating_sub(earlier.0) >= Self::from_duration(time).0
    }

    /// The first instant at which [`Tick::is_past`] holds for this and `time`.
    pub(super) fn deadline(self, opened: Instant, time: Duration) -> Instant {
        opened + Duration::from_millis(u64::from(self.0) * 100) + time
    }

    fn from_duration(time: Duration) -> Self {
        Self(u32::try_from(time.as_millis() / 100).unwrap_or(u32::MAX))
    }
}
