//! `[pure]` How long to wait before the next try: growing, capped, and spread.

use std::time::Duration;

/// A delay that grows from try to try up to a cap, with jitter, so that many that failed together
/// do not come back together.
///
/// The delay of attempt `n` (the first is 0) is `first * factor^n`, at most `max`; of that, a
/// share between 0 and `jitter` is left away by chance. It is never longer than `max`.
///
/// ```
/// use std::time::Duration;
/// use belay_runtime::Backoff;
///
/// let backoff = Backoff {
///     first: Duration::from_millis(500),
///     factor: 2.0,
///     max: Duration::from_secs(60),
///     jitter: 0.5,
/// };
/// // Chance is an argument: 0 takes nothing away, 1 all that jitter allows.
/// assert_eq!(backoff.delay(0, 0.0), Duration::from_millis(500));
/// assert_eq!(backoff.delay(1, 1.0), Duration::from_millis(500));
/// assert_eq!(backoff.delay(99, 0.0), Duration::from_secs(60));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backoff {
    /// The longest that the first attempt is delayed.
    pub first: Duration,
    /// What the delay is multiplied with from attempt to attempt. Less than 1, or not a number,
    /// counts as 1.
    pub factor: f64,
    /// The longest delay.
    pub max: Duration,
    /// The share of a delay that chance may take away: 0 none, 1 all. Is brought into that range;
    /// not a number counts as 0.
    pub jitter: f64,
}

impl Default for Backoff {
    /// Half a second, doubled up to a minute, half of it by chance.
    fn default() -> Self {
        Self {
            first: Duration::from_millis(500),
            factor: 2.0,
            max: Duration::from_secs(60),
            jitter: 0.5,
        }
    }
}

impl Backoff {
    /// How long to wait before attempt number `attempt`; `chance` is in 0..1 and says how much of
    /// the jitter is taken away.
    pub fn delay(&self, attempt: u32, chance: f64) -> Duration {
        let factor = self.factor.max(1.0);
        let exponent = i32::try_from(attempt).unwrap_or(i32::MAX);
        let grown = self.first.as_secs_f64() * factor.powi(exponent);
        // Not finite once the power is; `min` takes the number then.
        let capped = grown.min(self.max.as_secs_f64());
        let jitter = share(self.jitter) * share(chance);
        Duration::try_from_secs_f64(capped * (1.0 - jitter))
            .unwrap_or(self.max)
            .min(self.max)
    }
}

/// Brings `value` into 0..=1.
fn share(value: f64) -> f64 {
    if value.is_nan() {
        0.0
    } else {
        value.clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(jitter: f64) -> Backoff {
        Backoff {
            first: Duration::from_millis(100),
            factor: 2.0,
            max: Duration::from_secs(1),
            jitter,
        }
    }

    #[test]
    fn grows_up_to_the_cap() {
        let delays = [0, 1, 2, 3, 4, 5].map(|attempt| plain(0.0).delay(attempt, 0.7).as_millis());
        assert_eq!(delays, [100, 200, 400, 800, 1_000, 1_000]);
    }

    #[test]
    fn chance_takes_away_no_more_than_the_jitter() {
        let delays = [0.0, 0.5, 1.0].map(|chance| plain(0.4).delay(0, chance).as_millis());
        assert_eq!(delays, [100, 80, 60]);
    }

    proptest! {
        #[test]
        fn stays_within_its_bounds_whatever_it_is_made_of(
            first in any::<Duration>(), factor in any::<f64>(), max in any::<Duration>(),
            jitter in any::<f64>(), attempt in any::<u32>(), chance in any::<f64>(),
        ) {
            let backoff = Backoff { first, factor, max, jitter };
            prop_assert!(backoff.delay(attempt, chance) <= max);
        }
    }
}
