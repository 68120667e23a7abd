//! `[pure]` How long a node may act, as it counts itself. Time is the node's own clock throughout.
//!
//! ```text
//! nothing ──granted──► holds ──2.5 s──► holds still ──2.8 s──► nothing
//!                        ▲  ◄──────granted─────┘
//! ```

use crate::limits::{CLOCK_OFF_PERCENT, LEASE, LEASE_EVERY, LEASE_FREEZE};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Requests whose answers are waited for; older ones would grant nothing any more.
const ASKED_MAX: usize = 16;

/// A part of this many is added to the age of the leader's majority.
const AGE_MORE: u32 = 4;

/// A node's own lease.
#[derive(Clone, Debug, Default)]
pub(crate) struct Holder {
    /// Nothing may be done at or after it; nothing if no lease is held.
    until: Option<Instant>,
    still: bool,
    stamp: u64,
    asked: VecDeque<(u64, Instant)>,
}

/// What an answer changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Renewed {
    /// Until when the node may act now.
    pub(crate) until: Instant,
    /// It had to hold still, and may go on.
    pub(crate) go_on: bool,
    /// It held no lease before.
    pub(crate) anew: bool,
}

/// What the time changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waning {
    /// The lease is about to lapse: hold still.
    Still,
    /// It has lapsed: stop.
    Lapsed,
}

impl Holder {
    /// A request is sent now; its number.
    pub(crate) fn ask(&mut self, now: Instant) -> u64 {
        self.stamp += 1;
        if self.asked.len() == ASKED_MAX {
            self.asked.pop_front();
        }
        self.asked.push_back((self.stamp, now));
        self.stamp
    }

    /// The request of this number was granted by a leader that had its majority so long before.
    /// Nothing if that grants no more than is held.
    pub(crate) fn granted(
        &mut self,
        now: Instant,
        stamp: u64,
        quorum_age: Duration,
    ) -> Option<Renewed> {
        let (_, sent) = *self.asked.iter().find(|(asked, _)| *asked == stamp)?;
        self.asked.retain(|(asked, _)| *asked > stamp);
        // More, as the leader's clock may be slow and this one fast.
        let until = (sent + LEASE).checked_sub(quorum_age + quorum_age / AGE_MORE)?;
        let enough = match self.until {
            Some(held) => until > held,
            // Nothing begins that would have to hold still at once.
            None => now < still_from(until),
        };
        if !enough {
            return None;
        }
        let anew = self.until.replace(until).is_none();
        let go_on = self.still && now < still_from(until);
        self.still &= !go_on;
        Some(Renewed { until, go_on, anew })
    }

    /// What has become of the lease by now. To be asked before anything else is done.
    pub(crate) fn wane(&mut self, now: Instant) -> Option<Waning> {
        let until = self.until?;
        if now >= until {
            self.until = None;
            return Some(Waning::Lapsed);
        }
        if now >= still_from(until) && !self.still {
            self.still = true;
            return Some(Waning::Still);
        }
        None
    }

    /// Whether shards may begin to run.
    pub(crate) fn holds(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| now < until)
    }

    /// The life is over, and with it what was granted to it. Whether a lease was held.
    pub(crate) fn give_up(&mut self) -> bool {
        self.asked.clear();
        self.until.take().is_some()
    }

    /// When [`Holder::wane`] has something to say.
    pub(crate) fn due(&self) -> Option<Instant> {
        let until = self.until?;
        Some(if self.still { until } else { still_from(until) })
    }
}

fn still_from(until: Instant) -> Instant {
    until.checked_sub(LEASE - LEASE_FREEZE).unwrap_or(until)
}

const _: () = assert!(
    LEASE.as_millis() < LEASE_EVERY.as_millis() * ASKED_MAX as u128,
    "an answer that grants something finds its request"
);
const _: () = assert!(
    (100 + CLOCK_OFF_PERCENT) * AGE_MORE <= (100 - CLOCK_OFF_PERCENT) * (AGE_MORE + 1),
    "by the fastest holder no less than what the slowest leader meant"
);

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "any instant will do to count from"
    )]
    fn start() -> Instant {
        Instant::now()
    }

    #[test]
    fn a_lease_counts_from_the_sending_and_from_the_leaders_majority() {
        for (age, until) in [(0, 2_800), (100, 2_675), (1_000, 1_550)] {
            let t = start();
            let mut holder = Holder::default();
            let stamp = holder.ask(t);
            let renewed = holder.granted(t + ms(900), stamp, ms(age)).unwrap();
            assert_eq!(renewed.until, t + ms(until), "{age}");
            assert!(renewed.anew && !renewed.go_on);
            assert!(holder.holds(t + ms(until - 1)) && !holder.holds(t + ms(until)));
        }
    }

    #[test]
    fn a_node_without_an_answer_holds_still_and_then_stops() {
        let t = start();
        let mut holder = Holder::default();
        assert_eq!((holder.wane(t), holder.due()), (None, None));
        let stamp = holder.ask(t);
        holder.granted(t + ms(1), stamp, ms(0)).unwrap();
        assert_eq!(holder.wane(t + ms(2_499)), None);
        assert_eq!(holder.due(), Some(t + ms(2_500)));
        assert_eq!(holder.wane(t + ms(2_500)), Some(Waning::Still));
        assert_eq!(holder.wane(t + ms(2_600)), None, "once");
        assert_eq!(holder.due(), Some(t + ms(2_800)));
        assert_eq!(holder.wane(t + ms(2_799)), None, "still");
        assert_eq!(holder.wane(t + ms(2_800)), Some(Waning::Lapsed));
        assert_eq!((holder.wane(t + ms(9_000)), holder.due()), (None, None));
    }

    #[test]
    fn an_answer_in_time_lets_it_go_on_and_one_after_the_end_begins_anew() {
        let t = start();
        let mut holder = Holder::default();
        let first = holder.ask(t);
        holder.granted(t, first, ms(0)).unwrap();
        let second = holder.ask(t + ms(2_400));
        assert_eq!(holder.wane(t + ms(2_700)), Some(Waning::Still));
        let renewed = holder.granted(t + ms(2_800), second, ms(0)).unwrap();
        assert!(renewed.go_on && !renewed.anew);
        let third = holder.ask(t + ms(4_000));
        assert_eq!(holder.wane(t + ms(5_200)), Some(Waning::Lapsed));
        let renewed = holder.granted(t + ms(5_201), third, ms(0)).unwrap();
        assert!(renewed.anew && !renewed.go_on);
    }

    #[test]
    fn an_answer_that_comes_too_late_twice_or_unasked_grants_nothing() {
        let t = start();
        let mut holder = Holder::default();
        let first = holder.ask(t);
        assert_eq!(holder.granted(t + ms(2_500), first, ms(0)), None, "late");
        let second = holder.ask(t + ms(3_000));
        assert!(holder.granted(t + ms(3_000), second, ms(0)).is_some());
        assert_eq!(holder.granted(t + ms(3_001), second, ms(0)), None, "twice");
        assert_eq!(holder.granted(t + ms(3_001), 99, ms(0)), None, "unasked");
        let third = holder.ask(t + ms(3_100));
        assert!(holder.give_up());
        assert_eq!(
            holder.granted(t + ms(3_200), third, ms(0)),
            None,
            "another life's"
        );
        assert!(!holder.holds(t + ms(3_200)) && !holder.give_up());
    }

    #[test]
    fn an_older_answer_takes_nothing_back() {
        let t = start();
        let mut holder = Holder::default();
        let (first, second) = (holder.ask(t), holder.ask(t + ms(500)));
        holder.granted(t + ms(600), second, ms(0)).unwrap();
        assert_eq!(holder.granted(t + ms(700), first, ms(0)), None);
        assert!(holder.holds(t + ms(3_299)));
    }

    #[test]
    fn keeps_no_more_requests_than_can_still_be_granted() {
        let t = start();
        let mut holder = Holder::default();
        let first = holder.ask(t);
        for _ in 0..ASKED_MAX {
            holder.ask(t);
        }
        assert_eq!(holder.asked.len(), ASKED_MAX);
        assert_eq!(holder.granted(t, first, ms(0)), None);
    }
}
