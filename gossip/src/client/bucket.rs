//! `[pure]` A leaky bucket: how much has come lately.

use std::time::{Duration, Instant};

use crate::limits::Rate;

/// A bucket that holds the burst of a [`Rate`] and leaks what that allows a second.
#[derive(Clone, Debug)]
pub(super) struct Bucket {
    rate: Rate,
    level: f64,
    at: Instant,
}

impl Bucket {
    pub(super) fn new(rate: Rate, now: Instant) -> Self {
        Self {
            rate,
            level: 0.0,
            at: now,
        }
    }

    /// Puts one in; `false` when there is no room for it.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        self.leak(now);
        let fits = self.level + 1.0 <= f64::from(self.rate.burst);
        if fits {
            self.level += 1.0;
        }
        fits
    }

    /// How long until there is room for one.
    pub(super) fn wait(&self, now: Instant) -> Duration {
        let leaked = self.leaked(now);
        let over = (self.level - leaked).max(0.0) + 1.0 - f64::from(self.rate.burst);
        Duration::try_from_secs_f64(over.max(0.0) / f64::from(self.rate.per_second))
            .unwrap_or(Duration::MAX)
    }

    pub(super) fn is_empty(&self, now: Instant) -> bool {
        self.level <= self.leaked(now)
    }

    fn leak(&mut self, now: Instant) {
        self.level = (self.level - self.leaked(now)).max(0.0);
        self.at = self.at.max(now);
    }

    fn leaked(&self, now: Instant) -> f64 {
        now.saturating_duration_since(self.at).as_secs_f64() * f64::from(self.rate.per_second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "any base does")]
    fn lets_a_burst_through_and_then_what_leaks() {
        let now = Instant::now();
        let mut bucket = Bucket::new(Rate::new(3, 2), now);
        assert!(bucket.is_empty(now));
        assert_eq!([0; 4].map(|_| bucket.take(now)), [true, true, true, false]);
        assert_eq!(bucket.wait(now), Duration::from_millis(500));
        let later = now + Duration::from_millis(500);
        assert_eq!(bucket.wait(later), Duration::ZERO);
        assert!(bucket.take(later) && !bucket.take(later));
        assert!(!bucket.take(now), "time does not go back");
        assert!(bucket.is_empty(later + Duration::from_secs(2)));
    }
}
