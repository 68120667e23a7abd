//! `[pure]` The login deadline, and the rule by which one sleep serves all deadlines of a
//! connection.

use std::time::Duration;
use tokio::time::Instant;

/// How long a login may still take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoginClock {
    /// It must be done by then.
    Running(Instant),
    /// It rests while the player waits in the login queue, with this much left.
    Resting(Duration),
    /// The player is in.
    Over,
}

impl LoginClock {
    /// Stops or starts the clock.
    pub(super) fn run(&mut self, running: bool, now: Instant) {
        *self = match (*self, running) {
            (Self::Running(due), false) => Self::Resting(due.saturating_duration_since(now)),
            (Self::Resting(left), true) => Self::Running(now + left),
            (same, _) => same,
        };
    }

    /// When the login is too slow.
    pub(super) fn due(self) -> Option<Instant> {
        match self {
            Self::Running(due) => Some(due),
            Self::Resting(_) | Self::Over => None,
        }
    }
}

/// When to set the one sleep anew: only for an earlier deadline than it is set for. A deadline that
/// moved back is noticed when the sleep ends, so that a busy connection never touches its timer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Alarm {
    set_for: Option<Instant>,
}

impl Alarm {
    /// The time to set the sleep to, if it must be set.
    pub(super) fn want(&mut self, due: Option<Instant>) -> Option<Instant> {
        let due = due?;
        if self.set_for.is_some_and(|set_for| set_for <= due) {
            return None;
        }
        self.set_for = Some(due);
        Some(due)
    }

    /// The sleep has ended.
    pub(super) fn rang(&mut self) {
        self.set_for = None;
    }

    /// Whether the sleep is set.
    pub(super) fn is_set(self) -> bool {
        self.set_for.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_login_clock_keeps_what_is_left_while_it_rests() {
        let start = Instant::now();
        let second = Duration::from_secs(1);
        let mut clock = LoginClock::Running(start + 60 * second);
        clock.run(false, start + 20 * second);
        assert_eq!(clock.due(), None);
        clock.run(false, start + 30 * second);
        clock.run(true, start + 500 * second);
        assert_eq!(clock.due(), Some(start + 540 * second));
        clock = LoginClock::Over;
        clock.run(true, start);
        assert_eq!(clock.due(), None);
    }

    #[test]
    fn the_alarm_is_set_for_earlier_deadlines_only() {
        let start = Instant::now();
        let second = Duration::from_secs(1);
        let mut alarm = Alarm::default();
        assert_eq!(alarm.want(None), None);
        assert_eq!(
            alarm.want(Some(start + 60 * second)),
            Some(start + 60 * second)
        );
        assert_eq!(alarm.want(Some(start + 61 * second)), None);
        assert_eq!(alarm.want(Some(start + second)), Some(start + second));
        alarm.rang();
        assert!(!alarm.is_set());
        assert_eq!(
            alarm.want(Some(start + 61 * second)),
            Some(start + 61 * second)
        );
    }
}
