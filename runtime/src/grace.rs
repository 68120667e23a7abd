//! `[pure]` How a child is stopped, in four bytes: each process carries it.

use std::time::Duration;

use crate::limits::KILL_GRACE;
use crate::policy::Shutdown;

/// A [`Shutdown`] in whole milliseconds; the less, the sooner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Grace(u32);

impl Grace {
    pub(crate) const BRUTAL: Self = Self(0);
    pub(crate) const INFINITY: Self = Self(u32::MAX);

    /// Part of a millisecond counts as a whole one; what is too long (49 days) is for ever.
    pub(crate) fn of(shutdown: Shutdown) -> Self {
        match shutdown {
            Shutdown::Brutal => Self::BRUTAL,
            Shutdown::Timeout(limit) => {
                let ms = limit.as_nanos().div_ceil(1_000_000).max(1);
                Self(u32::try_from(ms).unwrap_or(u32::MAX))
            }
            Shutdown::Infinity => Self::INFINITY,
        }
    }

    /// How long the child gets before it is killed; `None` is for ever.
    pub(crate) fn limit(self) -> Option<Duration> {
        (self != Self::INFINITY).then(|| Duration::from_millis(self.0.into()))
    }

    /// How long to wait for a child: its own deadline, and then for the kill to take effect.
    /// `None` is for ever.
    pub(crate) fn patience(self) -> Option<Duration> {
        self.limit().map(|limit| limit.saturating_add(KILL_GRACE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(shutdown: Shutdown, expected: Option<Duration>) {
        assert_eq!(Grace::of(shutdown).limit(), expected, "{shutdown:?}");
    }

    #[test]
    fn keeps_what_a_spec_says_to_the_millisecond() {
        let (ms, s) = (Duration::from_millis(1), Duration::from_secs(1));
        check(Shutdown::Brutal, Some(Duration::ZERO));
        check(Shutdown::Timeout(5 * s), Some(5 * s));
        check(Shutdown::Timeout(Duration::ZERO), Some(ms));
        check(
            Shutdown::Timeout(ms + Duration::from_nanos(1)),
            Some(2 * ms),
        );
        check(Shutdown::Timeout(Duration::MAX), None);
        check(Shutdown::Infinity, None);
    }
}
