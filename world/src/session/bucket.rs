//! `[pure]` A token bucket: so many a second, so many at once.

use std::time::Duration;
use std::time::Instant;

/// Counts in parts of a second so that slow rates are exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    tokens: f32,
    burst: f32,
    per_s: f32,
    at: Instant,
}

impl Bucket {
    /// A full bucket.
    pub fn new(per_s: u16, burst: u16, now: Instant) -> Self {
        Self {
            tokens: f32::from(burst),
            burst: f32::from(burst),
            per_s: f32::from(per_s),
            at: now,
        }
    }

    /// Takes one if there is one.
    pub fn take(&mut self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.at).as_secs_f32();
        self.tokens = (self.tokens + passed * self.per_s).min(self.burst);
        self.at = now;
        let there = self.tokens >= 1.0;
        if there {
            self.tokens -= 1.0;
        }
        there
    }

    /// When the next one will be there.
    pub fn ready_at(&self) -> Instant {
        let missing = (1.0 - self.tokens).max(0.0);
        self.at
            + Duration::from_secs_f32(missing / self.per_s.max(0.001))
            + Duration::from_millis(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::disallowed_methods, reason = "some moment to count from")]
    #[test]
    fn a_burst_is_let_through_and_then_the_rate_holds() {
        let start = Instant::now();
        let mut bucket = Bucket::new(20, 40, start);
        assert_eq!((0..50).filter(|_| bucket.take(start)).count(), 40);
        assert!(!bucket.take(start));
        let ready = bucket.ready_at();
        assert!(
            ready > start && ready <= start + Duration::from_millis(60),
            "{:?}",
            ready - start
        );
        assert!(bucket.take(ready));
        let later = start + Duration::from_secs(100);
        assert_eq!((0..50).filter(|_| bucket.take(later)).count(), 40);
    }
}
