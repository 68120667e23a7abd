//! `[pure]` Who plays elsewhere: the games of the network and their players.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::limits::{ROSTER_GAMES_MAX, ROSTER_PLAYERS_MAX};

/// The other games and their players at one moment, both sorted without regard to case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roster {
    games: Vec<Arc<RemoteGame>>,
    players: usize,
}

/// One game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemoteGame {
    /// Its short name, by which it is meant everywhere.
    pub name: String,
    /// Its whole name.
    pub display_name: Option<String>,
    /// Its page.
    pub homepage: Option<String>,
    /// How to connect to it: `telnet HOST PORT`, or the address of a page.
    pub address: Option<String>,
    /// Who plays there and is shown.
    pub players: Vec<String>,
    /// How many play there, as the game list had it; also counts who is not shown.
    pub count: u64,
}

impl Roster {
    /// A roster of these games, as another one had them.
    pub fn new(games: Vec<RemoteGame>) -> Self {
        let mut games: Vec<Arc<RemoteGame>> = games.into_iter().map(Arc::new).collect();
        games.sort_by_cached_key(|game| fold(&game.name));
        games.dedup_by(|one, other| fold(&one.name) == fold(&other.name));
        let players = games.iter().map(|game| game.players.len()).sum();
        Self { games, players }
    }

    /// The games.
    pub fn games(&self) -> &[Arc<RemoteGame>] {
        &self.games
    }

    /// The game of this name, in any case of letters.
    pub fn game(&self, name: &str) -> Option<&Arc<RemoteGame>> {
        let key = fold(name);
        let index = self
            .games
            .binary_search_by(|game| fold(&game.name).cmp(&key));
        self.games.get(index.ok()?)
    }

    /// How many players are shown, of all games.
    pub fn player_count(&self) -> usize {
        self.players
    }

    /// Whether there is no other game.
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }
}

impl RemoteGame {
    /// The player of this name, in any case of letters, as the game writes it.
    pub fn player(&self, name: &str) -> Option<&str> {
        let key = fold(name);
        let index = self
            .players
            .binary_search_by(|player| fold(player).cmp(&key));
        self.players.get(index.ok()?).map(String::as_str)
    }
}

/// Names that differ only in case are the same.
pub(super) fn fold(name: &str) -> String {
    name.to_lowercase()
}

/// The roster as it is being written. All names that are put in are clean.
#[derive(Debug, Default)]
pub(super) struct Book {
    games: BTreeMap<String, Entry>,
    players: usize,
    changed: bool,
    /// What was left out since this was last asked.
    left_out: u64,
}

#[derive(Debug)]
struct Entry {
    game: Arc<RemoteGame>,
    stamp: Instant,
}

impl Book {
    /// The roster, if it changed since it was last taken.
    pub(super) fn take_changed(&mut self) -> Option<Roster> {
        std::mem::take(&mut self.changed).then(|| Roster {
            games: self
                .games
                .values()
                .map(|entry| Arc::clone(&entry.game))
                .collect(),
            players: self.players,
        })
    }

    pub(super) fn take_left_out(&mut self) -> u64 {
        std::mem::take(&mut self.left_out)
    }

    pub(super) fn has(&self, game: &str) -> bool {
        self.games.contains_key(&fold(game))
    }

    /// A game is there; whether it is new.
    pub(super) fn up(&mut self, game: &str, now: Instant) -> bool {
        let new = !self.has(game);
        self.stamped(game, now).is_some() && new
    }

    /// A game is gone; whether it was there.
    pub(super) fn down(&mut self, game: &str) -> bool {
        let Some(entry) = self.games.remove(&fold(game)) else {
            return false;
        };
        self.players -= entry.game.players.len();
        self.changed = true;
        true
    }

    /// Who plays in a game.
    pub(super) fn set_players(&mut self, game: &str, mut players: Vec<String>, now: Instant) {
        players.sort_by_cached_key(|name| fold(name));
        players.dedup_by_key(|name| fold(name));
        let Some(entry) = self.stamped(game, now) else {
            return;
        };
        let before = entry.game.players.len();
        let room = ROSTER_PLAYERS_MAX - (self.players - before);
        let over = players.len().saturating_sub(room);
        players.truncate(room);
        self.left_out += u64::try_from(over).unwrap_or(u64::MAX);
        self.players = self.players - before + players.len();
        self.edit(game, |game| game.players = players);
    }

    /// What a game says about itself; its players and the spelling of its name stay.
    pub(super) fn describe(&mut self, about: RemoteGame, now: Instant) {
        if self.stamped(&about.name, now).is_some() {
            let name = about.name.clone();
            self.edit(&name, |game| {
                let players = std::mem::take(&mut game.players);
                *game = RemoteGame { players, ..about };
            });
        }
    }

    /// A player came; whether that is news.
    pub(super) fn sign_in(&mut self, game: &str, player: &str, now: Instant) -> bool {
        let key = fold(player);
        let Some(entry) = self.stamped(game, now) else {
            return false;
        };
        let place = entry
            .game
            .players
            .binary_search_by(|name| fold(name).cmp(&key));
        let Err(place) = place else {
            return false;
        };
        if self.players >= ROSTER_PLAYERS_MAX {
            self.left_out += 1;
            return false;
        }
        self.players += 1;
        self.edit(game, |game| game.players.insert(place, player.to_owned()));
        true
    }

    /// A player left; whether that is news.
    pub(super) fn sign_out(&mut self, game: &str, player: &str, now: Instant) -> bool {
        let key = fold(player);
        let Some(entry) = self.stamped(game, now) else {
            return false;
        };
        let place = entry
            .game
            .players
            .binary_search_by(|name| fold(name).cmp(&key));
        let Ok(place) = place else {
            return false;
        };
        self.players -= 1;
        self.edit(game, |game| drop(game.players.remove(place)));
        true
    }

    /// Drops the games that were not heard of for so long.
    pub(super) fn sweep(&mut self, stale: Duration, now: Instant) {
        if let Some(since) = now.checked_sub(stale) {
            self.drop_before(since + Duration::from_nanos(1));
        }
    }

    /// Drops the games that were heard of before this moment and not since.
    pub(super) fn drop_before(&mut self, since: Instant) {
        let games = self.games.iter();
        let gone = games.filter(|(_, entry)| entry.stamp < since);
        for game in gone.map(|(key, _)| key.clone()).collect::<Vec<_>>() {
            self.down(&game);
        }
    }

    /// When the game that was not heard of for longest was heard of.
    pub(super) fn oldest(&self) -> Option<Instant> {
        self.games.values().map(|entry| entry.stamp).min()
    }

    /// The entry of a game, made when there is room; notes that the game was heard of.
    fn stamped(&mut self, game: &str, now: Instant) -> Option<&Entry> {
        let key = fold(game);
        if self.games.len() >= ROSTER_GAMES_MAX && !self.games.contains_key(&key) {
            self.left_out += 1;
            return None;
        }
        let entry = self.games.entry(key).or_insert_with(|| {
            self.changed = true;
            let name = game.to_owned();
            let game = Arc::new(RemoteGame {
                name,
                ..RemoteGame::default()
            });
            Entry { game, stamp: now }
        });
        entry.stamp = now;
        Some(entry)
    }

    fn edit(&mut self, game: &str, edit: impl FnOnce(&mut RemoteGame)) {
        if let Some(entry) = self.games.get_mut(&fold(game)) {
            edit(Arc::make_mut(&mut entry.game));
            self.changed = true;
        }
    }

    /// How many games and players there are, the players counted one by one.
    #[cfg(test)]
    pub(super) fn count(&self) -> (usize, usize) {
        let players = self
            .games
            .values()
            .map(|entry| entry.game.players.len())
            .sum();
        assert_eq!(self.players, players, "the count of players is right");
        (self.games.len(), players)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "any base does")]
    fn keeps_games_and_players_sorted_and_one_of_each_name() {
        let now = Instant::now();
        let mut book = Book::default();
        assert!(book.up("beta", now) && !book.up("BETA", now));
        let names = ["cy", "Bo", "BO", "ann"].map(str::to_owned);
        book.set_players("Alpha", names.to_vec(), now);
        assert!(book.sign_in("beta", "Dee", now) && !book.sign_in("beta", "dee", now));
        assert!(book.sign_out("ALPHA", "CY", now) && !book.sign_out("alpha", "cy", now));
        book.describe(
            RemoteGame {
                name: "Beta".to_owned(),
                count: 7,
                ..RemoteGame::default()
            },
            now,
        );
        assert_eq!(book.count(), (2, 3));
        let roster = book.take_changed().unwrap();
        assert_eq!(roster.player_count(), 3);
        let games: Vec<_> = roster
            .games()
            .iter()
            .map(|game| game.name.as_str())
            .collect();
        assert_eq!(games, ["Alpha", "Beta"]);
        let alpha = roster.game("aLPHA").unwrap();
        assert_eq!(alpha.players, ["ann", "Bo"]);
        assert_eq!(alpha.player("bO"), Some("Bo"));
        assert_eq!(alpha.player("cy"), None);
        let beta = roster.game("beta").unwrap();
        assert_eq!((beta.players.len(), beta.count), (1, 7));
        assert_eq!(book.take_changed(), None);
        let later = now + Duration::from_secs(100);
        book.up("beta", later);
        book.sweep(Duration::from_secs(100), later);
        assert_eq!(book.count(), (1, 1));
        assert!(book.down("BETA") && !book.down("beta"));
        assert_eq!(book.count(), (0, 0));
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "any base does")]
    fn what_is_too_much_is_left_out_and_counted() {
        let now = Instant::now();
        let mut book = Book::default();
        for game in 0..=ROSTER_GAMES_MAX {
            book.up(&format!("g{game}"), now);
        }
        assert_eq!(book.count().0, ROSTER_GAMES_MAX);
        assert_eq!(book.take_left_out(), 1);
        let names = |count| {
            (0..count)
                .map(|name| format!("n{name}"))
                .collect::<Vec<_>>()
        };
        book.set_players("g1", names(ROSTER_PLAYERS_MAX - 1), now);
        book.set_players("g2", names(3), now);
        assert!(!book.sign_in("g3", "one", now));
        assert_eq!(book.count().1, ROSTER_PLAYERS_MAX);
        assert_eq!(book.take_left_out(), 3);
        book.set_players("g1", names(2), now);
        assert!(book.sign_in("g3", "one", now));
        assert_eq!(book.count().1, 4);
    }
}
