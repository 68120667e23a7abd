//! `[pure]` Who comes and goes in other games, as lines that never are a flood.
//!
//! ```text
//! news ─► quiet after the network or the game came? ─yes─► forgotten
//!              │ no
//!              ▼
//!         a line is left in the bucket? ─yes─► told at once
//!              │ no
//!              ▼
//!         gathered ─ when one is left again ─► "Bo@Othergame and 4 others have come online."
//! ```

use super::limits::{
    NOTICES_BURST, NOTICES_EVERY, NOTICES_GAME_QUIET, NOTICES_NAMES_MAX, NOTICES_QUIET,
    NOTICES_QUIET_GAMES_MAX, NOTICES_WAITING_MAX,
};
use super::remote::Remote;
use crate::event::Text;
use std::collections::BTreeMap;
use std::time::Instant;

/// Whether players came or went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// They came.
    In,
    /// They went.
    Out,
}

/// One line: some names, and how many more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// Came or went.
    pub sign: Sign,
    /// The names, in the order of the news.
    pub names: Vec<Remote>,
    /// How many are not named.
    pub more: u32,
}

/// What is remembered of the news.
#[derive(Debug, Default)]
pub struct Notices {
    quiet_until: Option<Instant>,
    quiet_games: BTreeMap<Text, Instant>,
    /// When the bucket will be full: each line moves it on.
    full_at: Option<Instant>,
    came: Gathered,
    went: Gathered,
}

#[derive(Debug, Default)]
struct Gathered {
    names: Vec<Remote>,
    more: u32,
}

impl Notices {
    /// The network is reached from now on.
    pub fn online(&mut self, now: Instant) {
        self.quiet_until = Some(now + NOTICES_QUIET);
        self.quiet_games.clear();
        self.forget();
    }

    /// The network is out of reach: who waits to be told of is not news any more.
    pub fn offline(&mut self) {
        self.forget();
    }

    /// A game came to the network; its players are no news.
    pub fn game_up(&mut self, game: &str, now: Instant) {
        self.quiet_games.retain(|_, until| now < *until);
        if self.quiet_games.len() >= NOTICES_QUIET_GAMES_MAX {
            let first = self.quiet_games.iter().min_by_key(|(_, until)| **until);
            if let Some(game) = first.map(|(game, _)| game.clone()) {
                self.quiet_games.remove(&game);
            }
        }
        let until = now + NOTICES_GAME_QUIET;
        self.quiet_games.insert(game.to_lowercase().into(), until);
    }

    /// A game left the network.
    pub fn game_down(&mut self, game: &str) {
        for gathered in [&mut self.came, &mut self.went] {
            gathered
                .names
                .retain(|remote| !remote.game.eq_ignore_ascii_case(game));
        }
    }

    /// Somebody came or went; the line, if it is to be told at once.
    pub fn sign(&mut self, sign: Sign, who: Remote, now: Instant) -> Option<Signed> {
        if self.is_quiet(&who.game, now) {
            return None;
        }
        let waits = !(self.came.is_empty() && self.went.is_empty());
        if !waits && self.take(now) {
            return Some(Signed {
                sign,
                names: vec![who],
                more: 0,
            });
        }
        // Who came and went before it was told is no news.
        let (gathered, other) = match sign {
            Sign::In => (&mut self.came, &mut self.went),
            Sign::Out => (&mut self.went, &mut self.came),
        };
        if let Some(at) = other.names.iter().position(|known| *known == who) {
            other.names.remove(at);
        } else if !gathered.names.contains(&who) {
            gathered.add(who);
        }
        None
    }

    /// When gathered lines are due, if any wait.
    pub fn due(&self) -> Option<Instant> {
        if self.came.is_empty() && self.went.is_empty() {
            return None;
        }
        // The bucket has room for one when it will be full no later than that.
        let ahead = NOTICES_EVERY * (NOTICES_BURST - 1);
        self.full_at
            .map(|full| full.checked_sub(ahead).unwrap_or(full))
    }

    /// The gathered lines that are due.
    pub fn take_due(&mut self, now: Instant) -> Vec<Signed> {
        if self.due().is_none_or(|due| now < due) || !self.take(now) {
            return Vec::new();
        }
        let came = self.came.take(Sign::In);
        came.into_iter().chain(self.went.take(Sign::Out)).collect()
    }

    fn is_quiet(&self, game: &str, now: Instant) -> bool {
        let all = self.quiet_until.is_none_or(|until| now < until);
        let of_game = self.quiet_games.get(&*game.to_lowercase());
        all || of_game.is_some_and(|until| now < *until)
    }

    /// Takes a line out of the bucket, if one is left.
    fn take(&mut self, now: Instant) -> bool {
        let full_at = self.full_at.map_or(now, |full| full.max(now));
        let ahead = NOTICES_EVERY * (NOTICES_BURST - 1);
        if full_at.saturating_duration_since(now) > ahead {
            return false;
        }
        self.full_at = Some(full_at + NOTICES_EVERY);
        true
    }

    fn forget(&mut self) {
        self.came = Gathered::default();
        self.went = Gathered::default();
    }
}

impl Gathered {
    fn is_empty(&self) -> bool {
        self.names.is_empty() && self.more == 0
    }

    fn add(&mut self, who: Remote) {
        if self.names.len() < NOTICES_WAITING_MAX {
            self.names.push(who);
        } else {
            self.more = self.more.saturating_add(1);
        }
    }

    fn take(&mut self, sign: Sign) -> Option<Signed> {
        let Self { mut names, more } = std::mem::take(self);
        let others = names.split_off(names.len().min(NOTICES_NAMES_MAX)).len();
        let others = u32::try_from(others).unwrap_or(u32::MAX);
        let more = more.saturating_add(others);
        (!names.is_empty()).then_some(Signed { sign, names, more })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    struct Scene {
        notices: Notices,
        now: Instant,
    }

    impl Scene {
        #[expect(clippy::disallowed_methods, reason = "some moment to count from")]
        fn online() -> Self {
            let mut notices = Notices::default();
            let now = Instant::now();
            notices.online(now);
            Self { notices, now }
        }

        /// Lets time pass; the lines that came.
        fn after(&mut self, seconds: u64) -> Vec<String> {
            let mut lines = Vec::new();
            for _ in 0..seconds {
                self.now += Duration::from_secs(1);
                lines.extend(self.notices.take_due(self.now));
            }
            lines.iter().map(text).collect()
        }

        fn sign(&mut self, sign: Sign, who: &str) -> Option<String> {
            let who = Remote::parse(who).unwrap();
            let told = self.notices.sign(sign, who, self.now);
            told.as_ref().map(text)
        }
    }

    fn text(signed: &Signed) -> String {
        let names: Vec<String> = signed.names.iter().map(Remote::to_string).collect();
        format!("{:?} {} +{}", signed.sign, names.join(" "), signed.more)
    }

    #[test]
    fn nothing_is_told_before_and_just_after_the_network_is_reached() {
        let mut scene = Scene::online();
        for who in ["Bo@Alpha", "Cy@Beta"] {
            assert_eq!(scene.sign(Sign::In, who), None);
        }
        assert_eq!(scene.after(60), Vec::<String>::new());
        let told = scene.sign(Sign::In, "Di@Alpha");
        assert_eq!(told.as_deref(), Some("In Di@Alpha +0"));
        let mut never = Notices::default();
        let who = Remote::parse("Bo@Alpha").unwrap();
        assert_eq!(never.sign(Sign::In, who, scene.now), None);
    }

    #[test]
    fn the_players_of_a_game_that_comes_back_are_no_news() {
        let mut scene = Scene::online();
        scene.after(10);
        scene.notices.game_up("ALPHA", scene.now);
        assert_eq!(scene.sign(Sign::In, "Bo@Alpha"), None);
        assert!(scene.sign(Sign::In, "Cy@Beta").is_some());
        scene.after(10);
        assert!(scene.sign(Sign::In, "Di@Alpha").is_some());
    }

    #[test]
    fn a_flood_is_a_few_lines_and_then_one_now_and_then() {
        let mut scene = Scene::online();
        scene.after(10);
        let told: Vec<_> = (0..1_000)
            .filter_map(|number| scene.sign(Sign::In, &format!("p{number}@Alpha")))
            .collect();
        assert_eq!(told.len(), 5, "{told:?}");
        let lines = scene.after(60);
        assert_eq!(lines, ["In p5@Alpha p6@Alpha p7@Alpha +992"]);
        // In the long run one line in four seconds.
        let mut told = 0;
        for second in 0..400 {
            for number in 0..50 {
                let who = format!("q{second}x{number}@Alpha");
                told += usize::from(scene.sign(Sign::In, &who).is_some());
            }
            told += scene.after(1).len();
        }
        assert!((100..=107).contains(&told), "{told}");
    }

    #[test]
    fn who_came_and_went_before_it_was_told_is_no_news() {
        let mut scene = Scene::online();
        scene.after(10);
        for number in 0..5 {
            assert!(scene.sign(Sign::In, &format!("p{number}@Alpha")).is_some());
        }
        for who in ["Bo@Alpha", "Cy@Alpha", "Di@Beta"] {
            assert_eq!(scene.sign(Sign::In, who), None);
        }
        assert_eq!(scene.sign(Sign::Out, "Cy@Alpha"), None);
        assert_eq!(scene.sign(Sign::Out, "p0@Alpha"), None);
        scene.notices.game_down("beta");
        let expected = ["In Bo@Alpha +0", "Out p0@Alpha +0"];
        assert_eq!(scene.after(20), expected);
    }

    #[test]
    fn what_waits_is_forgotten_with_the_network() {
        let mut scene = Scene::online();
        scene.after(10);
        for number in 0..9 {
            scene.sign(Sign::In, &format!("p{number}@Alpha"));
        }
        scene.notices.offline();
        assert_eq!(scene.after(60), Vec::<String>::new());
        assert_eq!(scene.notices.due(), None);
    }
}
