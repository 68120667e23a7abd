//! `[pure]` Players of other games: how they are named, and which one is meant.

use super::limits::{CHOICES_MAX, NAME_CHARS_MAX};
use crate::event::Text;
use crate::text::{name_begins, same_name};
use std::fmt;

/// A player of another game. Displays as `Bo@Othergame`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remote {
    /// The player.
    pub name: Text,
    /// The game.
    pub game: Text,
}

/// Another game with its players, in order.
#[derive(Clone, Copy, Debug)]
pub struct Other<'a, N> {
    /// Its name on the network.
    pub game: &'a str,
    /// Who plays there.
    pub players: &'a [N],
}

/// Who is meant by `Name@Game`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meant {
    /// This player. Whether they are there the network knows.
    One(Remote),
    /// Several games begin so.
    Games(Vec<Text>),
    /// Several players of that game begin so.
    Players(Vec<Remote>),
}

impl fmt::Display for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.game)
    }
}

impl Remote {
    /// Reads `Name@Game`. Games have no `@` in their names, but players may: the last one counts.
    /// `None` when the name or the game is missing.
    pub fn parse(typed: &str) -> Option<Self> {
        let (name, game) = typed.rsplit_once('@')?;
        let (name, game) = (name.trim(), game.trim());
        (!name.is_empty() && !game.is_empty()).then(|| Self {
            name: shorten(name),
            game: shorten(game),
        })
    }

    /// What the player calls by a beginning, like the names of players here. What the list does not
    /// have is left as it was typed, for games may hide themselves or their players.
    pub fn complete<N: AsRef<str>>(self, others: &[Other<'_, N>]) -> Meant {
        let games = others.iter().map(|other| other.game);
        let game = match pick(games, &self.game) {
            Pick::One(game) => game,
            Pick::Several(games) => return Meant::Games(games),
            Pick::None => return Meant::One(self),
        };
        let other = others.iter().find(|other| other.game == &*game);
        let players = other.map_or(&[][..], |other| other.players);
        match pick(players.iter().map(AsRef::as_ref), &self.name) {
            Pick::One(name) => Meant::One(Self { name, game }),
            Pick::Several(names) => {
                let named = |name| Self {
                    name,
                    game: game.clone(),
                };
                Meant::Players(names.into_iter().map(named).collect())
            }
            Pick::None => Meant::One(Self { game, ..self }),
        }
    }
}

/// The game that is called so, or the only one that begins so; `None` when there is none.
///
/// # Errors
/// The games that begin so, when there are several.
pub fn game_called<'a, N>(others: &[Other<'a, N>], typed: &str) -> Result<Option<Text>, Vec<Text>> {
    match pick(others.iter().map(|other| other.game), typed) {
        Pick::One(game) => Ok(Some(game)),
        Pick::None => Ok(None),
        Pick::Several(games) => Err(games),
    }
}

enum Pick {
    None,
    One(Text),
    Several(Vec<Text>),
}

/// The exact one whatever its case, else the only one that begins so.
fn pick<'a>(all: impl Iterator<Item = &'a str>, typed: &str) -> Pick {
    let mut found = Vec::new();
    let mut exact = None;
    for known in all {
        if !name_begins(known, typed) {
            continue;
        }
        if same_name(known, typed) {
            exact.get_or_insert(known);
        } else if found.len() < CHOICES_MAX {
            found.push(known);
        }
    }
    match (exact, found.as_slice()) {
        (Some(exact), _) => Pick::One(exact.into()),
        (None, []) => Pick::None,
        (None, [one]) => Pick::One((*one).into()),
        (None, several) => Pick::Several(several.iter().map(|&one| one.into()).collect()),
    }
}

/// A name as it may stand in a line.
pub fn shorten(name: &str) -> Text {
    match name.char_indices().nth(NAME_CHARS_MAX) {
        None => name.into(),
        Some((end, _)) => {
            let (kept, _) = name.split_at_checked(end).unwrap_or((name, ""));
            format!("{kept}...").into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OTHERS: &[Other<'static, &str>] = &[
        Other {
            game: "Alpha",
            players: &["Ann", "Anna", "Bo Derek", "Zed"],
        },
        Other {
            game: "Alphabet",
            players: &[],
        },
        Other {
            game: "Omega",
            players: &["Bo", "odd@name"],
        },
    ];

    fn meant(typed: &str) -> String {
        let Some(remote) = Remote::parse(typed) else {
            return "nobody".to_owned();
        };
        match remote.complete(OTHERS) {
            Meant::One(one) => one.to_string(),
            Meant::Games(games) => format!("games {}", games.join(", ")),
            Meant::Players(players) => {
                let names: Vec<String> = players.iter().map(Remote::to_string).collect();
                format!("players {}", names.join(", "))
            }
        }
    }

    #[test]
    fn who_is_meant_is_found_by_beginnings_and_the_last_at_sign() {
        let table = [
            ("Bo@Omega", "Bo@Omega"),
            ("bo@omega", "Bo@Omega"),
            ("b@o", "Bo@Omega"),
            ("ann@alpha", "Ann@Alpha"),
            ("an@alpha", "players Ann@Alpha, Anna@Alpha"),
            ("bo d@ALPHA", "Bo Derek@Alpha"),
            (" bo @ omega ", "Bo@Omega"),
            ("bo@al", "games Alpha, Alphabet"),
            ("odd@name@omega", "odd@name@Omega"),
            ("od@omega", "odd@name@Omega"),
            ("hidden@omega", "hidden@Omega"),
            ("bo@elsewhere", "bo@elsewhere"),
            ("@@omega", "@@Omega"),
            ("@", "nobody"),
            ("@omega", "nobody"),
            ("bo@", "nobody"),
            ("@@", "nobody"),
            ("bo", "nobody"),
            ("", "nobody"),
        ];
        for (typed, expected) in table {
            assert_eq!(meant(typed), expected, "{typed:?}");
        }
    }

    #[test]
    fn a_game_is_found_by_name_or_beginning() {
        assert_eq!(game_called(OTHERS, "OM"), Ok(Some("Omega".into())));
        assert_eq!(game_called(OTHERS, "alpha"), Ok(Some("Alpha".into())));
        assert_eq!(game_called(OTHERS, "x"), Ok(None));
        assert_eq!(game_called(OTHERS, "al").unwrap_err().len(), 2);
    }

    #[test]
    fn long_names_are_cut_at_a_character_and_choices_are_few() {
        let long = "\u{e9}".repeat(NAME_CHARS_MAX + 1);
        let remote = Remote::parse(&format!("{long}@{long}")).unwrap();
        assert_eq!(remote.name.chars().count(), NAME_CHARS_MAX + 3);
        let many: Vec<String> = (0..50).map(|number| format!("bot{number}")).collect();
        let others = [Other {
            game: "Big",
            players: &many,
        }];
        let typed = Remote::parse("b@big").unwrap();
        let Meant::Players(players) = typed.complete(&others) else {
            panic!("several");
        };
        assert_eq!(players.len(), CHOICES_MAX);
    }
}
