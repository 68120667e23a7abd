//! `[pure]` Who is told when the network is out of reach: each player one line, and none again
//! before it was well for a while.
//!
//! ```text
//!            out                    3 s later
//!   well ──────────► out, untold ─────────────► out, told: one line to all on remote channels
//!    ▲                  │ back                     │ back
//!    ├──────────────────┘                          ▼
//!    └───────────────── 60 s later ◄──────── back, told: a new outage is part of the old one
//! ```
//! Who speaks or joins meanwhile and was not told is told then.

use super::limits::{OUTAGE_OVER_AFTER, OUTAGE_TOLD_AFTER, OUTAGE_TOLD_MAX};
use crate::event::Text;
use std::collections::BTreeSet;
use std::time::Instant;

/// Whether the network is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Words go out and come in.
    Well,
    /// It should be reached and is not.
    Out,
    /// This game is on no network.
    Nowhere,
}

/// What is remembered of an outage.
#[derive(Debug)]
pub struct Outage {
    reach: Reach,
    /// Since when it is well, or not.
    since: Option<Instant>,
    /// Since when it should be reached and is not.
    out_since: Option<Instant>,
    /// All who should know are still to be told of this one.
    waits: bool,
    /// They were told of one, which is not over.
    announced: bool,
    told: BTreeSet<Text>,
}

impl Default for Outage {
    fn default() -> Self {
        Self::new()
    }
}

impl Outage {
    /// A game that is on no network yet: who speaks is told, and nobody else.
    pub fn new() -> Self {
        Self {
            reach: Reach::Nowhere,
            since: None,
            out_since: None,
            waits: false,
            announced: false,
            told: BTreeSet::new(),
        }
    }

    /// Whether the network is reached.
    pub fn reach(&self) -> Reach {
        self.reach
    }

    /// The network is like this now.
    pub fn set(&mut self, reach: Reach, now: Instant) {
        let was = std::mem::replace(&mut self.reach, reach);
        self.out_since = match reach {
            Reach::Out => self.out_since.or(Some(now)),
            Reach::Well | Reach::Nowhere => None,
        };
        if (was == Reach::Well) == (reach == Reach::Well) {
            return;
        }
        self.waits = false;
        if was == Reach::Well {
            let well_since = self.since.unwrap_or(now);
            let well_for = now.saturating_duration_since(well_since);
            // Else it is part of the one before: who was told of that knows.
            if well_for >= OUTAGE_OVER_AFTER {
                self.announced = false;
                self.told.clear();
            }
            self.waits = !self.announced;
        }
        self.since = Some(now);
    }

    /// When all have to be told, if they have.
    pub fn due(&self) -> Option<Instant> {
        let since = self.since.filter(|_| self.waits)?;
        Some(since + OUTAGE_TOLD_AFTER)
    }

    /// Whether all have to be told now; asked again it is `false`.
    pub fn announce(&mut self, now: Instant) -> bool {
        let is_due = self.due().is_some_and(|due| due <= now);
        if is_due {
            self.waits = false;
            self.announced = true;
        }
        is_due
    }

    /// Whether a player who comes has to be told, who reads of it now if so: when the network
    /// should be reached and is not for some time.
    pub fn tell_comer(&mut self, who: &Text, now: Instant) -> bool {
        let lasts = self
            .out_since
            .is_some_and(|since| since + OUTAGE_TOLD_AFTER <= now);
        lasts && self.tell(who)
    }

    /// Whether a player who speaks has to be told, who reads of it now if so.
    pub fn tell(&mut self, who: &Text) -> bool {
        self.reach != Reach::Well
            && self.told.len() < OUTAGE_TOLD_MAX
            && self.told.insert(who.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    struct Scene {
        outage: Outage,
        start: Instant,
        seconds: u64,
    }

    impl Scene {
        #[expect(clippy::disallowed_methods, reason = "some moment to count from")]
        fn new() -> Self {
            Self {
                outage: Outage::new(),
                start: Instant::now(),
                seconds: 0,
            }
        }

        fn now(&self) -> Instant {
            self.start + Duration::from_secs(self.seconds)
        }

        fn set(&mut self, reach: Reach) -> &mut Self {
            self.outage.set(reach, self.now());
            self
        }

        /// Lets time pass; how often all were told.
        fn after(&mut self, seconds: u64) -> usize {
            let mut told = 0;
            for _ in 0..seconds {
                self.seconds += 1;
                told += usize::from(self.outage.announce(self.now()));
            }
            told
        }

        fn speaks(&mut self, who: &str) -> bool {
            self.outage.tell(&who.into())
        }
    }

    #[test]
    fn an_outage_is_told_once_when_it_lasts() {
        let mut scene = Scene::new();
        scene.set(Reach::Out).set(Reach::Well);
        assert_eq!(scene.after(100), 0);
        scene.set(Reach::Out);
        assert_eq!(scene.after(2), 0);
        assert_eq!(scene.after(1), 1);
        assert_eq!(scene.after(1_000), 0);
    }

    #[test]
    fn a_short_outage_nobody_notices_and_a_long_one_soon_after_the_start_is_told() {
        let mut scene = Scene::new();
        scene.set(Reach::Out).set(Reach::Well);
        scene.after(1);
        scene.set(Reach::Out);
        assert_eq!(scene.after(2), 0);
        scene.set(Reach::Well);
        assert_eq!(scene.after(10), 0);
        scene.set(Reach::Out);
        assert_eq!(scene.after(4), 1);
    }

    #[test]
    fn a_network_that_comes_and_goes_is_one_outage_until_it_is_well_for_a_minute() {
        let mut scene = Scene::new();
        scene.set(Reach::Well).set(Reach::Out);
        assert_eq!(scene.after(5), 1);
        for _ in 0..50 {
            scene.set(Reach::Well);
            assert_eq!(scene.after(5), 0);
            scene.set(Reach::Out);
            assert_eq!(scene.after(5), 0);
        }
        scene.set(Reach::Well);
        assert_eq!(scene.after(59), 0);
        scene.set(Reach::Out);
        assert_eq!(scene.after(5), 0);
        scene.set(Reach::Well);
        assert_eq!(scene.after(60), 0);
        scene.set(Reach::Out);
        assert_eq!(scene.after(5), 1);
    }

    #[test]
    fn who_speaks_is_told_once_in_an_outage_and_not_when_all_is_well() {
        let mut scene = Scene::new();
        scene.set(Reach::Well);
        assert!(!scene.speaks("Ann"));
        scene.set(Reach::Out);
        assert!(scene.speaks("Ann"));
        assert!(!scene.speaks("Ann"));
        assert!(scene.speaks("Bob"));
        assert_eq!(scene.after(5), 1);
        scene.set(Reach::Well);
        scene.after(5);
        scene.set(Reach::Out);
        assert!(!scene.speaks("Ann"), "still the same outage");
        scene.set(Reach::Well);
        scene.after(70);
        scene.set(Reach::Out);
        assert!(scene.speaks("Ann"));
    }

    #[test]
    fn who_was_told_of_a_short_outage_is_not_told_of_those_that_follow_it() {
        let mut scene = Scene::new();
        scene.set(Reach::Well).after(100);
        for round in 0..20 {
            scene.set(Reach::Out);
            assert_eq!(scene.speaks("Ann"), round == 0);
            assert_eq!(scene.after(1), 0);
            assert_eq!(scene.set(Reach::Well).after(5), 0);
        }
        // When one of them lasts, the others are told.
        assert_eq!(scene.set(Reach::Out).after(5), 1);
        assert!(!scene.speaks("Ann"));
        assert!(scene.speaks("Bob"));
    }

    #[test]
    fn who_comes_is_told_when_it_lasts_and_not_told_again() {
        let mut scene = Scene::new();
        let comes = |scene: &mut Scene, who: &str| {
            let now = scene.now();
            scene.outage.tell_comer(&who.into(), now)
        };
        scene.after(100);
        assert!(!comes(&mut scene, "Ann"), "on no network");
        scene.set(Reach::Out);
        scene.after(2);
        assert!(!comes(&mut scene, "Ann"));
        scene.after(1);
        assert!(comes(&mut scene, "Ann"));
        assert!(!comes(&mut scene, "Ann"));
        assert!(!scene.speaks("Ann"));
        scene.set(Reach::Well);
        scene.after(3);
        assert!(!comes(&mut scene, "Bob"));
    }

    #[test]
    fn a_game_on_no_network_says_so_only_to_who_speaks() {
        let mut scene = Scene::new();
        assert_eq!(scene.after(100), 0);
        assert!(scene.speaks("Ann"));
        assert!(!scene.speaks("Ann"));
        scene.set(Reach::Out);
        assert_eq!(scene.after(100), 0, "nothing was lost");
        assert!(!scene.speaks("Ann"));
        scene.set(Reach::Well);
        scene.after(1);
        scene.set(Reach::Nowhere);
        assert_eq!(scene.after(5), 1);
    }
}
