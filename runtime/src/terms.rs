//! `[process]` What a child spec says that the child's seat needs, and what it has counted of it.

use std::time::Duration;

use tokio::time::Instant;

use crate::backoff::Backoff;
use crate::chance;
use crate::exit::Exit;
use crate::policy::{MailboxPolicy, Restart};
use crate::profile::ClassId;
use crate::window::{Intensity, Window};

/// Always there, so it is small; what few children have is in [`Rare`].
pub(crate) struct Terms {
    pub(crate) restart: Restart,
    pub(crate) queue: MailboxPolicy,
    pub(crate) significant: bool,
    pub(crate) acknowledged: bool,
    /// What its time is counted as.
    pub(crate) class: ClassId,
    /// It ended by itself, or was stopped by name, and only another's doing brings it back.
    pub(crate) done: bool,
    /// It is being started by name.
    pub(crate) by_name: bool,
    pub(crate) rare: Option<Box<Rare>>,
}

#[derive(Default)]
pub(crate) struct Rare {
    pub(crate) limit: Option<Limit>,
    pub(crate) retry: Option<Retry>,
}

/// A child's own restart limit.
pub(crate) struct Limit {
    pub(crate) intensity: Intensity,
    pub(crate) window: Option<Window>,
    pub(crate) on_abandoned: Option<OnAbandoned>,
}

pub(crate) type OnAbandoned = Box<dyn Fn(&str, &Exit) + Send + Sync>;

/// A child's back-off, and how often in a row it has failed.
pub(crate) struct Retry {
    pub(crate) backoff: Backoff,
    pub(crate) attempts: u32,
}

impl Terms {
    pub(crate) fn new(class: ClassId) -> Self {
        Self {
            restart: Restart::default(),
            queue: MailboxPolicy::default(),
            significant: false,
            acknowledged: false,
            class,
            done: false,
            by_name: false,
            rare: None,
        }
    }

    pub(crate) fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// The restart limit of the spec, made when it has none.
    pub(crate) fn limit(&mut self) -> &mut Limit {
        self.rare().limit.get_or_insert_with(|| Limit {
            intensity: Intensity::default(),
            window: None,
            on_abandoned: None,
        })
    }

    pub(crate) fn own_limit(&self) -> Option<&Limit> {
        self.rare.as_ref()?.limit.as_ref()
    }

    /// Counts a failure against the child's own limit; true when it is one too many.
    pub(crate) fn over_own_limit(&mut self, now: Instant) -> bool {
        let Some(limit) = self.rare.as_mut().and_then(|rare| rare.limit.as_mut()) else {
            return false;
        };
        let intensity = limit.intensity;
        let window = limit.window.get_or_insert_with(|| Window::new(intensity));
        window.record(now.into_std())
    }

    /// How long the child waits before its next incarnation, when the last one ran for `ran`.
    pub(crate) fn delay(&mut self, ran: Duration) -> Duration {
        let Some(retry) = self.rare.as_mut().and_then(|rare| rare.retry.as_mut()) else {
            return Duration::ZERO;
        };
        if ran >= retry.backoff.max {
            retry.attempts = 0;
        }
        let delay = retry.backoff.delay(retry.attempts, chance::unit());
        retry.attempts = retry.attempts.saturating_add(1);
        delay
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile;

    #[test]
    fn the_back_off_starts_anew_after_an_incarnation_that_ran_well() {
        let mut terms = Terms::new(profile::class("x"));
        assert_eq!(terms.delay(Duration::ZERO), Duration::ZERO);
        terms.rare().retry = Some(Retry {
            backoff: Backoff {
                first: Duration::from_secs(1),
                factor: 2.0,
                max: Duration::from_secs(5),
                jitter: 0.0,
            },
            attempts: 0,
        });
        let delays = [0, 0, 4, 4, 4, 5, 0].map(|ran| terms.delay(Duration::from_secs(ran)));
        assert_eq!(delays.map(|delay| delay.as_secs()), [1, 2, 4, 5, 5, 1, 2]);
    }
}
