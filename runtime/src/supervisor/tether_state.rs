//! `[pure]` When a tether attaches its child, and when it lets go.
//!
//! ```text
//!              attach, or its time                started
//!    ┌──────┐ ───────Make──────► ┌──────────┐ ───────────► ┌─────────┐
//!    │ idle │                    │ starting │              │ running │
//!    └──────┘ ◄──failed, gone─── └──────────┘ ◄───Again─── └─────────┘
//!        ▲                            │      exit, has credit   │ exit, storm
//!        │              cut, overdue  ▼                         ▼ cut
//!        └───────────gone─────── ┌───────────────────────────────┐
//!                                │ stopping, then wait or attach │
//!                                └───────────────────────────────┘
//! ```
//! Nothing here knows what a child is; the process that owns the machine carries out its effects
//! and tells it what came of them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::tether_event::{Effect, End, Event, Rules};
use super::tether_face::{Face, TetherState};
use super::tether_orders::{Orders, Switch};
use crate::exit::Exit;
use crate::window::Window;

/// Stands for ever where a time does not fit the clock.
const AGES: Duration = Duration::from_secs(86_400 * 365 * 30);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// No child.
    Idle { next: Option<Instant> },
    Starting {
        until: Instant,
        /// The child has said already that it is well.
        word: bool,
    },
    Running {
        since: Instant,
        /// When it will have proven itself, unless something happens before.
        proven_at: Option<Instant>,
    },
    /// The child is to go; what comes after.
    Stopping { next: Option<Instant> },
}

/// The state of one tether.
#[derive(Debug)]
pub(super) struct Machine {
    rules: Rules,
    window: Window,
    stage: Stage,
    state: TetherState,
    reason: Option<Arc<str>>,
    code: Option<&'static str>,
    /// Switched off by hand.
    off: bool,
    /// Cuts since the child was well: the exponent of the next delay, and, when it is not 0, the
    /// child has no credit, so that any failure cuts it again.
    attempts: u32,
    /// The back-off of the last cut, until the child has proven itself: it has to run so long.
    /// Else who gives word, or is proven, and fails at once, would storm for ever.
    delay: Duration,
    failures: u64,
}

impl Machine {
    /// An empty tether. One that is not `off` attaches at the first [`Event::Time`].
    pub(super) fn new(rules: Rules, off: bool, now: Instant) -> Self {
        Self {
            window: Window::new(rules.intensity),
            rules,
            stage: Stage::Idle {
                next: (!off).then_some(now),
            },
            state: TetherState::Slack,
            reason: off.then(|| Arc::from("switched off")),
            code: None,
            off,
            attempts: 0,
            delay: Duration::ZERO,
            failures: 0,
        }
    }

    /// Takes one event. `chance` is in 0..1 and is used up when the event is a failure.
    ///
    /// # Panics
    /// When an invariant is broken.
    #[must_use]
    pub(super) fn step(&mut self, event: Event, now: Instant, chance: f64) -> Option<Effect> {
        let effect = match event {
            Event::Orders(orders) => self.obey(orders, now),
            Event::Proven => {
                self.hear_word(now);
                None
            }
            Event::Started => {
                self.started(now);
                None
            }
            Event::StartFailed(end) => self.start_failed(&end, now, chance),
            Event::Exited(end) => self.exited(&end, now, chance),
            Event::Gone => match self.stage {
                Stage::Stopping { next } => self.rest(next, now),
                Stage::Idle { .. } | Stage::Starting { .. } | Stage::Running { .. } => None,
            },
            Event::Time => self.time(now, chance),
        };
        self.check();
        effect
    }

    /// When [`Event::Time`] is due.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        match self.stage {
            Stage::Idle { next } => next,
            Stage::Starting { until, .. } => Some(until),
            Stage::Running { proven_at, .. } => proven_at,
            Stage::Stopping { .. } => None,
        }
    }

    pub(super) fn face(&self) -> Face {
        let next = match (self.state, self.stage) {
            (TetherState::Cut, Stage::Idle { next } | Stage::Stopping { next }) => next,
            (TetherState::Cut, Stage::Starting { .. } | Stage::Running { .. })
            | (TetherState::Slack | TetherState::Taut, _) => None,
        };
        Face {
            state: self.state,
            reason: self.reason.clone(),
            code: self.code,
            next,
            attempts: self.attempts,
            failures: self.failures,
        }
    }

    fn obey(&mut self, orders: Orders, now: Instant) -> Option<Effect> {
        self.off = orders.leave_off(self.off);
        if orders.switch == Some(Switch::Off) {
            self.loosen("switched off");
            self.forgive();
            return self.let_go(None);
        }
        if self.off {
            return None;
        }
        if orders.stops_first || orders.switch == Some(Switch::On) {
            self.forgive();
        }
        match self.stage {
            Stage::Idle { .. } if orders.now => self.attach(now),
            Stage::Starting { .. } | Stage::Running { .. } if orders.stops_first => {
                self.loosen("attached again by hand");
                self.let_go(Some(now))
            }
            Stage::Stopping { .. } if orders.now => {
                self.stage = Stage::Stopping { next: Some(now) };
                None
            }
            Stage::Idle { .. }
            | Stage::Starting { .. }
            | Stage::Running { .. }
            | Stage::Stopping { .. } => None,
        }
    }

    fn started(&mut self, now: Instant) {
        match self.stage {
            Stage::Starting { word, .. } => {
                self.state = TetherState::Taut;
                self.reason = None;
                self.code = None;
                let after = self.rules.proven_after.map(|after| after.max(self.delay));
                let proven_at = after.map(|after| later(now, after));
                self.stage = Stage::Running {
                    since: now,
                    proven_at,
                };
                if word {
                    self.hear_word(now);
                }
            }
            // The answer crossed the order to stop.
            Stage::Idle { .. } | Stage::Running { .. } | Stage::Stopping { .. } => {}
        }
    }

    fn start_failed(&mut self, end: &End, now: Instant, chance: f64) -> Option<Effect> {
        match self.stage {
            Stage::Starting { .. } => {
                self.failures += 1;
                self.cut(end, now, chance)
            }
            Stage::Stopping { next } if end.gone => self.rest(next, now),
            Stage::Idle { .. } | Stage::Running { .. } | Stage::Stopping { .. } => None,
        }
    }

    fn exited(&mut self, end: &End, now: Instant, chance: f64) -> Option<Effect> {
        self.prove_when_due(now);
        match self.stage {
            Stage::Running { .. } if end.finished => {
                self.loosen("child has finished");
                self.forgive();
                self.after(end, None)
            }
            Stage::Running { .. } => {
                self.failures += 1;
                let storm = self.window.record(now);
                if storm || self.attempts > 0 || end.not_before.is_some() {
                    return self.cut(end, now, chance);
                }
                let effect = self.attach(now);
                if end.gone {
                    effect
                } else {
                    Some(Effect::Again)
                }
            }
            Stage::Stopping { next } if end.gone => self.rest(next, now),
            Stage::Idle { .. } | Stage::Starting { .. } | Stage::Stopping { .. } => None,
        }
    }

    fn time(&mut self, now: Instant, chance: f64) -> Option<Effect> {
        match self.stage {
            Stage::Idle { next: Some(at) } if at <= now => self.attach(now),
            Stage::Starting { until, .. } if until <= now => {
                self.failures += 1;
                let limit = self.rules.start_within;
                let end = End {
                    exit: Exit::error(format!("start took longer than {limit:?}")),
                    not_before: None,
                    gone: false,
                    finished: false,
                };
                // Who hangs at its start is not asked to stop: it would not hear it.
                self.cut(&end, now, chance).map(|_stop| Effect::Kill)
            }
            Stage::Running { .. } => {
                self.prove_when_due(now);
                None
            }
            Stage::Idle { .. } | Stage::Starting { .. } | Stage::Stopping { .. } => None,
        }
    }

    fn attach(&mut self, now: Instant) -> Option<Effect> {
        let until = later(now, self.rules.start_within);
        self.stage = Stage::Starting { until, word: false };
        Some(Effect::Make)
    }

    fn cut(&mut self, end: &End, now: Instant, chance: f64) -> Option<Effect> {
        self.delay = self.rules.backoff.delay(self.attempts, chance);
        let delay = self.delay.max(end.not_before.unwrap_or_default());
        self.attempts = self.attempts.saturating_add(1);
        // What led to this cut does not count against a child that proves itself later.
        self.window = Window::new(self.rules.intensity);
        self.state = TetherState::Cut;
        self.reason = Some(Arc::from(end.exit.to_string()));
        self.code = end.exit.code();
        self.after(end, Some(later(now, delay)))
    }

    /// Goes on to `next` once the child is out of the way.
    fn after(&mut self, end: &End, next: Option<Instant>) -> Option<Effect> {
        if end.gone {
            self.stage = Stage::Idle { next };
            None
        } else {
            self.let_go(next)
        }
    }

    fn let_go(&mut self, next: Option<Instant>) -> Option<Effect> {
        match self.stage {
            Stage::Idle { .. } => {
                self.stage = Stage::Idle { next };
                None
            }
            Stage::Stopping { .. } => {
                self.stage = Stage::Stopping { next };
                None
            }
            Stage::Starting { .. } | Stage::Running { .. } => {
                self.stage = Stage::Stopping { next };
                Some(Effect::Stop)
            }
        }
    }

    fn rest(&mut self, next: Option<Instant>, now: Instant) -> Option<Effect> {
        self.stage = Stage::Idle { next };
        next.filter(|at| *at <= now)
            .and_then(|_due| self.attach(now))
    }

    fn loosen(&mut self, reason: &'static str) {
        self.state = TetherState::Slack;
        self.reason = Some(Arc::from(reason));
        self.code = None;
    }

    /// The child says that it is well. That counts when it has run as long as the last back-off
    /// was; it need not be said again then.
    fn hear_word(&mut self, now: Instant) {
        match &mut self.stage {
            Stage::Running { since, proven_at } => {
                let at = later(*since, self.delay);
                *proven_at = Some(proven_at.map_or(at, |before| before.min(at)));
                self.prove_when_due(now);
            }
            Stage::Starting { word, .. } => *word = true,
            // A word that comes after the end proves nothing.
            Stage::Idle { .. } | Stage::Stopping { .. } => {}
        }
    }

    /// Gives the next delay its first length when the child has proven itself. The window stays:
    /// else who proves itself and fails at once would be restarted for ever without any delay.
    fn prove_when_due(&mut self, now: Instant) {
        if let Stage::Running { proven_at, .. } = &mut self.stage
            && proven_at.take_if(|at| *at <= now).is_some()
        {
            self.attempts = 0;
            self.delay = Duration::ZERO;
        }
    }

    fn forgive(&mut self) {
        self.attempts = 0;
        self.delay = Duration::ZERO;
        self.window = Window::new(self.rules.intensity);
    }

    fn check(&self) {
        match self.stage {
            Stage::Running { .. } => {
                assert!(self.state == TetherState::Taut, "a running child is taut");
                assert!(!self.off, "what is switched off does not run");
            }
            Stage::Starting { .. } => assert!(!self.off, "what is switched off does not start"),
            Stage::Idle { next } | Stage::Stopping { next } => {
                assert!(
                    self.state != TetherState::Taut,
                    "without a child nothing is taut"
                );
                assert!(
                    !self.off || next.is_none(),
                    "what is switched off has no next try"
                );
                assert!(
                    self.state != TetherState::Cut || next.is_some(),
                    "what is cut has a next try"
                );
            }
        }
    }
}

fn later(now: Instant, by: Duration) -> Instant {
    now.checked_add(by)
        .or_else(|| now.checked_add(AGES))
        .unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backoff::Backoff;
    use crate::window::Intensity;
    use Effect::{Again, Kill, Make, Stop};
    use Event::{Exited, Gone, Proven, StartFailed, Started, Time};
    use proptest::prelude::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[expect(
        clippy::disallowed_methods,
        reason = "any base does, and std offers no other"
    )]
    fn base() -> Instant {
        Instant::now()
    }

    fn rules() -> Rules {
        Rules {
            intensity: Intensity::new(1, 5 * SECOND),
            backoff: Backoff {
                first: SECOND,
                factor: 2.0,
                max: 4 * SECOND,
                jitter: 0.0,
            },
            proven_after: Some(60 * SECOND),
            start_within: 10 * SECOND,
        }
    }

    fn end(gone: bool) -> End {
        End {
            exit: Exit::error("told to"),
            not_before: None,
            gone,
            finished: false,
        }
    }

    fn order(give: fn(&mut Orders)) -> Event {
        let mut orders = Orders::default();
        give(&mut orders);
        Event::Orders(orders)
    }

    /// Event at a second, then the expected effect, state, and second of the next wake.
    type Step = (u32, Event, Option<Effect>, &'static str, Option<u64>);

    fn check(off: bool, steps: &[Step]) {
        let base = base();
        let mut machine = Machine::new(rules(), off, base);
        for (number, (at, event, effect, state, wake)) in steps.iter().enumerate() {
            let found = machine.step(event.clone(), base + *at * SECOND, 0.0);
            let seen = machine.wake_at().map(|at| (at - base).as_secs());
            let found = (found, machine.face().state.word(), seen);
            assert_eq!(found, (*effect, *state, *wake), "step {number}: {event:?}");
        }
    }

    #[test]
    fn restarts_at_once_within_the_intensity_and_cuts_a_storm() {
        check(
            false,
            &[
                (0, Time, Some(Make), "slack", Some(10)),
                (0, Started, None, "taut", Some(60)),
                (1, Exited(end(false)), Some(Again), "taut", Some(11)),
                (1, Started, None, "taut", Some(61)),
                (2, Exited(end(false)), Some(Stop), "cut", None),
                (2, Gone, None, "cut", Some(3)),
                (3, Time, Some(Make), "cut", Some(13)),
                (3, Started, None, "taut", Some(63)),
                // No credit until it is proven, and twice the delay.
                (20, Exited(end(true)), None, "cut", Some(22)),
                (22, Time, Some(Make), "cut", Some(32)),
                (22, Started, None, "taut", Some(82)),
                // A word counts when it has run as long as the last delay was.
                (23, Proven, None, "taut", Some(24)),
                (24, Time, None, "taut", None),
                (24, Exited(end(true)), Some(Make), "taut", Some(34)),
                (24, StartFailed(end(true)), None, "cut", Some(25)),
            ],
        );
    }

    #[test]
    fn who_gives_word_at_once_and_storms_waits_longer_each_time() {
        check(
            false,
            &[
                (0, Time, Some(Make), "slack", Some(10)),
                // Before it has started, too.
                (0, Proven, None, "slack", Some(10)),
                (0, Started, None, "taut", None),
                (0, Exited(end(true)), Some(Make), "taut", Some(10)),
                (0, Started, None, "taut", Some(60)),
                (0, Proven, None, "taut", None),
                (0, Exited(end(true)), None, "cut", Some(1)),
                (1, Time, Some(Make), "cut", Some(11)),
                (1, Proven, None, "cut", Some(11)),
                (1, Started, None, "taut", Some(2)),
                (1, Exited(end(true)), None, "cut", Some(3)),
                (3, Time, Some(Make), "cut", Some(13)),
                (3, Started, None, "taut", Some(63)),
                (3, Proven, None, "taut", Some(5)),
                (4, Proven, None, "taut", Some(5)),
                (4, Exited(end(true)), None, "cut", Some(8)),
                (8, Time, Some(Make), "cut", Some(18)),
                (8, Started, None, "taut", Some(68)),
                (8, Proven, None, "taut", Some(12)),
                // As long as it waited: it has proven itself, also when its end is seen first.
                (12, Exited(end(true)), Some(Make), "taut", Some(22)),
                (12, Started, None, "taut", Some(72)),
                (12, Exited(end(true)), None, "cut", Some(13)),
            ],
        );
    }

    #[test]
    fn who_runs_shorter_than_its_delay_has_not_proven_itself_whatever_the_rule() {
        let (base, mut rules) = (base(), rules());
        rules.intensity = Intensity::new(0, SECOND);
        rules.proven_after = Some(Duration::ZERO);
        let mut machine = Machine::new(rules, false, base);
        let mut now = base;
        let delays = [(); 4].map(|()| {
            assert_eq!(machine.step(Time, now, 0.0), Some(Make));
            assert_eq!(machine.step(Started, now, 0.0), None);
            let failed = now + SECOND / 2;
            assert_eq!(machine.step(Exited(end(true)), failed, 0.0), None);
            now = machine.wake_at().unwrap();
            (now - failed).as_secs()
        });
        assert_eq!(delays, [1, 2, 4, 4]);
    }

    #[test]
    fn a_start_that_hangs_is_killed_and_the_next_delay_runs_meanwhile() {
        check(
            false,
            &[
                (0, Time, Some(Make), "slack", Some(10)),
                (9, Time, None, "slack", Some(10)),
                (10, Time, Some(Kill), "cut", None),
                (10, Started, None, "cut", None),
                (12, Gone, Some(Make), "cut", Some(22)),
            ],
        );
    }

    #[test]
    fn what_is_switched_off_stays_off_until_it_is_attached() {
        check(
            true,
            &[
                (0, Time, None, "slack", None),
                (1, order(Orders::attach_now), None, "slack", None),
                (1, order(Orders::reattach), None, "slack", None),
                (2, order(Orders::attach), Some(Make), "slack", Some(12)),
                (2, Started, None, "taut", Some(62)),
                (3, order(Orders::attach_now), None, "taut", Some(62)),
                (3, order(Orders::attach), None, "taut", Some(62)),
                (4, order(Orders::reattach), Some(Stop), "slack", None),
                (5, Gone, Some(Make), "slack", Some(15)),
                (6, order(Orders::cut), Some(Stop), "slack", None),
                (6, StartFailed(end(false)), None, "slack", None),
                (7, Gone, None, "slack", None),
                (9, Time, None, "slack", None),
            ],
        );
    }

    #[test]
    fn attach_now_shortens_the_wait_and_keeps_the_growth() {
        check(
            false,
            &[
                (0, Time, Some(Make), "slack", Some(10)),
                (0, StartFailed(end(true)), None, "cut", Some(1)),
                (0, order(Orders::attach_now), Some(Make), "cut", Some(10)),
                (0, StartFailed(end(true)), None, "cut", Some(2)),
                (0, order(Orders::attach), Some(Make), "cut", Some(10)),
                (0, StartFailed(end(true)), None, "cut", Some(1)),
            ],
        );
    }

    #[test]
    fn a_refusal_cuts_at_once_and_a_finished_child_leaves_it_slack() {
        let refusal = End {
            not_before: Some(30 * SECOND),
            ..end(true)
        };
        let finished = End {
            finished: true,
            ..end(false)
        };
        check(
            false,
            &[
                (0, Time, Some(Make), "slack", Some(10)),
                (0, Started, None, "taut", Some(60)),
                (1, Exited(refusal), None, "cut", Some(31)),
                (31, Time, Some(Make), "cut", Some(41)),
                (31, Started, None, "taut", Some(91)),
                (91, Time, None, "taut", None),
                (92, Exited(finished), Some(Stop), "slack", None),
                (92, Gone, None, "slack", None),
            ],
        );
    }

    #[test]
    fn a_delay_that_fits_no_clock_is_ages() {
        let (base, mut rules) = (base(), rules());
        rules.start_within = Duration::MAX;
        let mut machine = Machine::new(rules, false, base);
        assert_eq!(machine.step(Time, base, 0.0), Some(Make));
        assert_eq!(machine.wake_at(), Some(base + AGES));
    }

    /// The child as the machine has to take it.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Child {
        None,
        Starting,
        Running,
        Waiting,
        Stopping,
    }

    /// What befalls a child in this state, by a number.
    fn befalls(child: Child, number: u8) -> Option<(Event, Child)> {
        let gone = number.is_multiple_of(2);
        let after = if gone { Child::None } else { Child::Waiting };
        let finished = End {
            finished: number.is_multiple_of(5),
            ..end(gone)
        };
        match child {
            Child::None | Child::Waiting => None,
            Child::Starting if number.is_multiple_of(3) => Some((StartFailed(end(gone)), after)),
            Child::Starting => Some((Started, Child::Running)),
            Child::Running => Some((Exited(finished), after)),
            Child::Stopping => Some((Gone, Child::None)),
        }
    }

    proptest! {
        /// Orders, time and the child's doings in any order: there is never a second child, none
        /// is forgotten, none runs that was switched off, and what can be tried has a time.
        #[test]
        fn holds_one_child_at_most_and_never_loses_it(
            steps in prop::collection::vec((0u8..8, any::<u8>(), 0u64..20), 1..300),
        ) {
            let (mut now, mut child, mut off) = (base(), Child::None, false);
            let mut machine = Machine::new(rules(), false, now);
            for (what, number, seconds) in steps {
                now += Duration::from_secs(seconds);
                let event = match what {
                    0 => order(Orders::cut),
                    1 => order(Orders::attach),
                    2 => order(Orders::attach_now),
                    3 => order(Orders::reattach),
                    4 => Proven,
                    5 => Time,
                    _ => match befalls(child, number) {
                        Some((event, after)) => {
                            child = after;
                            event
                        }
                        None => Time,
                    },
                };
                off = match what {
                    0 => true,
                    1 => false,
                    _ => off,
                };
                let effect = machine.step(event, now, f64::from(number) / 256.0);
                child = match (effect, child) {
                    (None, child) => child,
                    (Some(Make), Child::None) => Child::Starting,
                    (Some(Again), Child::Waiting) => Child::Starting,
                    (
                        Some(Stop | Kill),
                        Child::Starting | Child::Running | Child::Waiting,
                    ) => Child::Stopping,
                    (Some(effect), child) => panic!("{effect:?} of a child that is {child:?}"),
                };
                let face = machine.face();
                prop_assert!(child != Child::Waiting, "it would wait for ever");
                prop_assert!(!off || matches!(child, Child::None | Child::Stopping));
                prop_assert_eq!(face.state == TetherState::Taut && child != Child::Starting,
                    child == Child::Running);
                prop_assert!(face.state != TetherState::Cut || child != Child::None
                    || machine.wake_at().is_some());
            }
        }
    }
}
