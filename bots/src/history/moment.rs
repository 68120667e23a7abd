//! `[pure]` Moments of a machine's monotonic clock, which all its processes share.

use std::time::{Duration, Instant};

/// Nanoseconds of the monotonic clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(u64);

impl Moment {
    /// Later than all others.
    pub const NEVER: Self = Self(u64::MAX);

    /// The moment of this process that another process calls the same; nothing on systems whose
    /// standard library shows an `Instant` in another way.
    #[must_use]
    pub fn of(instant: Instant) -> Option<Self> {
        Self::read(&format!("{instant:?}"))
    }

    /// A moment as the standard library shows an `Instant` on Linux:
    /// `Instant { tv_sec: 12, tv_nsec: 345 }`.
    #[must_use]
    pub fn read(shown: &str) -> Option<Self> {
        let rest = shown.strip_prefix("Instant { tv_sec: ")?;
        let (seconds, rest) = rest.split_once(", tv_nsec: ")?;
        let nanoseconds: u64 = rest.strip_suffix(" }")?.parse().ok()?;
        let seconds: u64 = seconds.parse().ok()?;
        let whole = seconds.checked_mul(1_000_000_000)?;
        whole.checked_add(nanoseconds).map(Self)
    }

    /// This many milliseconds after the clock's beginning.
    #[must_use]
    pub const fn from_ms(ms: u64) -> Self {
        Self(ms.saturating_mul(1_000_000))
    }

    /// So much later.
    #[must_use]
    pub fn after(self, by: Duration) -> Self {
        let by = u64::try_from(by.as_nanos()).unwrap_or(u64::MAX);
        Self(self.0.saturating_add(by))
    }

    /// How long after an earlier one; nothing at all if it is none.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::disallowed_methods, reason = "the clock itself is looked at")]
    #[test]
    fn moments_of_this_process_are_read_and_measured() {
        let now = Instant::now();
        let later = now + Duration::from_micros(1_500);
        let [now, later] = [now, later].map(|it| Moment::of(it).unwrap());
        assert_eq!(later.since(now), Duration::from_micros(1_500));
        assert_eq!(now.since(later), Duration::ZERO);
        assert_eq!(now.after(Duration::from_micros(1_500)), later);
    }

    #[test]
    fn what_is_no_moment_is_none() {
        let whole = "Instant { tv_sec: 12, tv_nsec: 345 }";
        assert_eq!(Moment::read(whole), Some(Moment(12_000_000_345)));
        for end in 0..whole.len() {
            assert_eq!(Moment::read(&whole[..end]), None);
        }
    }
}
