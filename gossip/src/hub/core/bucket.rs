//! `[pure]` A leaky bucket in fractions of seconds, which counts how often it ran over.

use std::time::{Duration, Instant};

use super::rules::{BucketRule, Rules};

/// The bucket of one kind of frames of one socket.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Bucket {
    level: f64,
    /// When `level` was right.
    at: Option<Instant>,
    offences: u32,
    offended_at: Option<Instant>,
}

/// What a bucket says to one more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Poured {
    /// It fits.
    Fits,
    /// It does not.
    Over,
    /// It does not, and that was once too often.
    Abuse,
}

impl Bucket {
    /// Adds one. What does not fit adds nothing, so that the bucket leaks meanwhile.
    pub(super) fn pour(&mut self, rule: BucketRule, rules: &Rules, now: Instant) -> Poured {
        if self.takes(rule, now) {
            return Poured::Fits;
        }
        let quiet = self.offended_at.map(|at| now.saturating_duration_since(at));
        if quiet.is_some_and(|quiet| quiet >= rules.forgiven_after) {
            self.offences = 0;
        }
        self.offences = self.offences.saturating_add(1);
        self.offended_at = Some(now);
        if self.offences >= rules.offences_max {
            Poured::Abuse
        } else {
            Poured::Over
        }
    }

    /// Adds one if it fits.
    pub(super) fn takes(&mut self, rule: BucketRule, now: Instant) -> bool {
        self.level = self.level_at(rule, now);
        self.at = Some(now);
        let fits = self.level + 1.0 <= rule.limit;
        if fits {
            self.level += 1.0;
        }
        debug_assert!(self.level >= 0.0, "a level below the ground");
        fits
    }

    /// Whether all has leaked out.
    pub(super) fn is_empty(&self, rule: BucketRule, now: Instant) -> bool {
        self.level_at(rule, now) <= 0.0
    }

    fn level_at(&self, rule: BucketRule, now: Instant) -> f64 {
        let gap = self
            .at
            .map_or(Duration::ZERO, |at| now.saturating_duration_since(at));
        (self.level - gap.as_secs_f64() * rule.leak_per_s).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: BucketRule = BucketRule::new(10.0, 2.0);

    fn start() -> Instant {
        #[expect(clippy::disallowed_methods, reason = "any moment will do")]
        Instant::now()
    }

    #[test]
    fn a_burst_fits_and_what_leaks_is_room_again() {
        let (rules, start) = (Rules::default(), start());
        let mut bucket = Bucket::default();
        let mut at = |ms| bucket.pour(RULE, &rules, start + Duration::from_millis(ms));
        for _ in 0..10 {
            assert_eq!(at(0), Poured::Fits);
        }
        assert_eq!(at(0), Poured::Over);
        assert_eq!(at(499), Poured::Over);
        assert_eq!(at(501), Poured::Fits);
        assert_eq!(at(501), Poured::Over);
    }

    #[test]
    fn who_keeps_to_the_leak_is_never_limited() {
        let (rules, start) = (Rules::default(), start());
        let mut bucket = Bucket::default();
        for number in 0..10_000 {
            let now = start + Duration::from_millis(900 * number);
            assert_eq!(bucket.pour(RULE, &rules, now), Poured::Fits);
        }
    }

    #[test]
    fn the_tenth_offence_is_abuse_unless_it_was_quiet_for_ten_minutes() {
        let (rules, start) = (Rules::default(), start());
        let mut bucket = Bucket::default();
        let mut flood = |second: u64, count: usize| {
            let now = start + Duration::from_secs(second);
            let poured = (0..count).map(|_| bucket.pour(RULE, &rules, now));
            poured.collect::<Vec<_>>()
        };
        assert_eq!(flood(0, 19)[18], Poured::Over);
        let after = flood(599, 20);
        assert_eq!(after[10], Poured::Abuse, "not forgiven yet");
        let mut bucket = Bucket::default();
        let mut flood = |second: u64, count: usize| {
            let now = start + Duration::from_secs(second);
            let poured = (0..count).map(|_| bucket.pour(RULE, &rules, now));
            poured.collect::<Vec<_>>()
        };
        assert_eq!(flood(0, 19)[18], Poured::Over);
        let after = flood(600, 20);
        assert_eq!((after[18], after[19]), (Poured::Over, Poured::Abuse));
    }
}
