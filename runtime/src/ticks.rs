//! `[process]` The cheap clock: ticks of the processor's counter where it has a steady one.
//!
//! Only for measuring how long something took on one thread: a third of what a read of the
//! system's clock costs. What a test pauses is tokio's clock, not this one.

use std::sync::OnceLock;

use quanta::Clock;

static CLOCK: OnceLock<Clock> = OnceLock::new();

/// The time in ticks, whose length only [`nanos`] knows.
#[inline]
pub(crate) fn now() -> u64 {
    CLOCK.get_or_init(Clock::new).raw()
}

/// A number of ticks in nanoseconds, rounded down.
pub(crate) fn nanos(ticks: u64) -> u64 {
    CLOCK.get_or_init(Clock::new).delta_as_nanos(0, ticks)
}

/// Finds out the length of a tick, which takes some milliseconds at the first call, so that it is
/// not done by whoever reads the clock first.
pub(crate) fn prepare() {
    CLOCK.get_or_init(Clock::new);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_forward_and_counts_in_nanoseconds() {
        prepare();
        let begun = now();
        assert!(now() >= begun);
        // Rounded, and the counter's rate is only measured: about a second.
        let second = (1..=u64::MAX.ilog2()).map(|bits| 1_u64 << bits);
        let second = second.take_while(|ticks| nanos(*ticks) < 1_000_000_000);
        assert!(
            second.count() > 10,
            "ticks are no shorter than microseconds"
        );
    }
}
