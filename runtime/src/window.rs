//! `[pure]` How many restarts are too many: a true sliding window.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::limits::WINDOW_RESTARTS_MAX;

/// How many restarts are allowed in how long: more than `restarts` within any stretch of `period`
/// is too many.
///
/// As in OTP, `Intensity::new(3, period)` allows three restarts and gives up at the fourth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intensity {
    restarts: Option<u32>,
    period: Duration,
}

impl Intensity {
    /// Never too many. For children whose failures mean nothing to their supervisor.
    pub const UNLIMITED: Self = Self {
        restarts: None,
        period: Duration::ZERO,
    };

    /// Allows `restarts` within `period`. More than [`WINDOW_RESTARTS_MAX`] is lowered to it.
    pub const fn new(restarts: u32, period: Duration) -> Self {
        let restarts = if restarts > WINDOW_RESTARTS_MAX {
            WINDOW_RESTARTS_MAX
        } else {
            restarts
        };
        Self {
            restarts: Some(restarts),
            period,
        }
    }

    /// True when it says how many in no time at all, which nothing ever exceeds.
    pub(crate) fn has_no_period(self) -> bool {
        self.restarts.is_some() && self.period.is_zero()
    }
}

impl Default for Intensity {
    /// OTP's default: one restart in five seconds. That of Elixir's `Supervisor` is three.
    fn default() -> Self {
        Self::new(1, Duration::from_secs(5))
    }
}

/// The restarts of the last `period`.
///
/// Allocates nothing before the first restart; holds at most `restarts + 1` times.
#[derive(Debug)]
pub(crate) struct Window {
    intensity: Intensity,
    times: VecDeque<Instant>,
}

impl Window {
    pub(crate) fn new(intensity: Intensity) -> Self {
        Self {
            intensity,
            times: VecDeque::new(),
        }
    }

    /// Records a restart at `now` and says whether it is one too many.
    ///
    /// A restart exactly `period` ago does not count any more. After one too many the window
    /// starts afresh.
    pub(crate) fn record(&mut self, now: Instant) -> bool {
        let Some(restarts) = self.intensity.restarts else {
            return false;
        };
        while let Some(first) = self.times.front() {
            if now.saturating_duration_since(*first) < self.intensity.period {
                break;
            }
            self.times.pop_front();
        }
        self.times.push_back(now);
        let exceeded = self.times.len() > restarts as usize;
        if exceeded {
            self.times = VecDeque::new();
        }
        assert!(
            self.times.len() <= restarts as usize,
            "a window holds what is allowed"
        );
        exceeded
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[expect(
        clippy::disallowed_methods,
        reason = "any base does, and std offers no other"
    )]
    fn base() -> Instant {
        Instant::now()
    }

    fn check(restarts: u32, period_ms: u64, at_ms: &[u64], expected: &[bool]) {
        let base = base();
        let mut window = Window::new(Intensity::new(restarts, Duration::from_millis(period_ms)));
        let found: Vec<bool> = at_ms
            .iter()
            .map(|ms| window.record(base + Duration::from_millis(*ms)))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn gives_up_at_the_restart_after_the_last_allowed_one() {
        check(3, 5_000, &[0, 1, 2, 3], &[false, false, false, true]);
        check(0, 5_000, &[0], &[true]);
    }

    #[test]
    fn slides_instead_of_starting_over_each_period() {
        // A tumbling window would forget the first two at 5,000 and allow all of these.
        check(2, 5_000, &[4_000, 4_900, 5_100], &[false, false, true]);
        check(2, 5_000, &[0, 2_500, 5_000, 7_500, 10_000], &[false; 5]);
    }

    #[test]
    fn a_restart_exactly_one_period_ago_is_forgotten() {
        check(1, 1_000, &[0, 1_000, 1_999], &[false, false, true]);
    }

    #[test]
    fn unlimited_never_gives_up_and_holds_nothing() {
        let mut window = Window::new(Intensity::UNLIMITED);
        let now = base();
        assert!((0..10_000).all(|_| !window.record(now)));
        assert_eq!(window.times.capacity(), 0);
    }

    #[test]
    fn a_huge_intensity_is_lowered_to_the_limit() {
        let huge = Intensity::new(u32::MAX, Duration::from_secs(1));
        assert_eq!(
            huge,
            Intensity::new(WINDOW_RESTARTS_MAX, Duration::from_secs(1))
        );
    }

    proptest! {
        #[test]
        fn agrees_with_counting_all_times(
            restarts in 0u32..6,
            period_ms in 1u64..50,
            steps in prop::collection::vec(0u64..20, 1..200),
        ) {
            let base = base();
            let period = Duration::from_millis(period_ms);
            let mut window = Window::new(Intensity::new(restarts, period));
            let (mut now_ms, mut all) = (0, Vec::new());
            for step in steps {
                now_ms += step;
                all.push(now_ms);
                let recent = all.iter().filter(|at| now_ms - **at < period_ms).count();
                let expected = recent > restarts as usize;
                let found = window.record(base + Duration::from_millis(now_ms));
                prop_assert_eq!(found, expected);
                if expected {
                    all.clear();
                }
            }
        }
    }
}
