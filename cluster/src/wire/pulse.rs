//! `[pure]` Whether the other end is still there and reads: a ping, its pong, a pause, the next
//! ping. One ping is on its way at a time.

use std::time::{Duration, Instant};

/// How often a node is asked, and how long it may take to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pace {
    /// Between a pong and the next ping.
    pub(crate) every: Duration,
    /// Between a ping and its pong.
    pub(crate) within: Duration,
}

/// What is to be done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beat {
    /// Nothing until [`Pulse::due`].
    Rest,
    /// Send a ping with this number.
    Ping(u64),
    /// The other end does not answer.
    Dead,
}

/// The pulse of one wire.
#[derive(Clone, Debug)]
pub(crate) struct Pulse {
    pace: Pace,
    /// The number of the last ping.
    last: u64,
    waiting: bool,
    due: Instant,
}

impl Pulse {
    pub(crate) fn new(pace: Pace, now: Instant) -> Self {
        Self {
            pace,
            last: 0,
            waiting: false,
            due: now + pace.every,
        }
    }

    /// When to look again.
    pub(crate) fn due(&self) -> Instant {
        self.due
    }

    /// Looks.
    pub(crate) fn beat(&mut self, now: Instant) -> Beat {
        if now < self.due {
            return Beat::Rest;
        }
        if self.waiting {
            return Beat::Dead;
        }
        self.last += 1;
        self.waiting = true;
        self.due = now + self.pace.within;
        Beat::Ping(self.last)
    }

    /// A pong came: how long it took. One that answers no ping of ours is left alone.
    pub(crate) fn pong(&mut self, number: u64, now: Instant) -> Option<Duration> {
        let answers = self.waiting && number == self.last;
        answers.then(|| {
            let over = self.due.saturating_duration_since(now);
            self.waiting = false;
            self.due = now + self.pace.every;
            self.pace.within.saturating_sub(over)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACE: Pace = Pace {
        every: Duration::from_millis(400),
        within: Duration::from_millis(1_000),
    };

    #[test]
    fn a_pong_is_followed_by_a_pause_and_the_next_ping() {
        #[expect(clippy::disallowed_methods, reason = "any moment will do")]
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut pulse = Pulse::new(PACE, start);
        assert_eq!((pulse.beat(at(399)), pulse.due()), (Beat::Rest, at(400)));
        assert_eq!(
            (pulse.beat(at(400)), pulse.due()),
            (Beat::Ping(1), at(1_400))
        );
        assert_eq!(pulse.beat(at(1_399)), Beat::Rest);
        assert_eq!(pulse.pong(1, at(1_399)), Some(Duration::from_millis(999)));
        assert_eq!(
            (pulse.beat(at(1_400)), pulse.due()),
            (Beat::Rest, at(1_799))
        );
        assert_eq!(pulse.beat(at(1_800)), Beat::Ping(2));
    }

    #[test]
    fn whoever_does_not_answer_in_time_or_answers_something_else_is_dead() {
        #[expect(clippy::disallowed_methods, reason = "any moment will do")]
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut pulse = Pulse::new(PACE, start);
        assert_eq!(pulse.pong(0, at(1)), None);
        assert_eq!(pulse.beat(at(400)), Beat::Ping(1));
        assert_eq!(pulse.pong(0, at(500)), None);
        assert_eq!(pulse.pong(2, at(500)), None);
        assert_eq!(pulse.beat(at(1_399)), Beat::Rest);
        assert_eq!(pulse.beat(at(1_400)), Beat::Dead);
    }
}
