//! `[pure]` Whom a player does not want to read.

use super::line::Speaker;
use crate::event::Text;
use crate::limits;
use crate::text::same_name;
use std::fmt;

/// One entry of the list: `Ann`, `Bo@Othergame` or `@Othergame`. Case does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// A player of this game.
    Local(Text),
    /// A player of another game.
    Foreign {
        /// The player.
        name: Text,
        /// The game.
        game: Text,
    },
    /// All players of another game.
    Game(Text),
}

/// Whom a player does not want to read, at most [`limits::IGNORED_MAX`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IgnoreList {
    entries: Vec<Ignored>,
}

/// Why an entry was not added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotIgnored {
    /// It stands there already.
    Already,
    /// The list is full.
    Full,
}

impl Ignored {
    /// Reads an entry as it is typed and stored; `None` when it names nobody, or is longer than
    /// any name.
    pub fn parse(text: &str) -> Option<Self> {
        let fits = |name: &str| {
            let length = name.chars().count();
            (1..=limits::IGNORED_CHARACTERS_MAX).contains(&length)
        };
        // Games have no such sign in their names, but players may.
        let Some((name, game)) = text.rsplit_once('@') else {
            let name = text.trim();
            return fits(name).then(|| Self::Local(name.into()));
        };
        let (name, game) = (name.trim(), game.trim());
        if !fits(game) {
            None
        } else if name.is_empty() {
            Some(Self::Game(game.into()))
        } else {
            fits(name).then(|| Self::Foreign {
                name: name.into(),
                game: game.into(),
            })
        }
    }

    fn covers(&self, speaker: &Speaker) -> bool {
        match (self, speaker) {
            (Self::Local(ignored), Speaker::Local(name)) => same_name(ignored, name),
            (
                Self::Foreign {
                    name: ignored,
                    game: of,
                },
                Speaker::Foreign { name, game },
            ) => same_name(ignored, name) && same_name(of, game),
            (Self::Game(ignored), Speaker::Foreign { game, .. }) => same_name(ignored, game),
            (Self::Local(_), Speaker::Foreign { .. })
            | (Self::Foreign { .. } | Self::Game(_), Speaker::Local(_)) => false,
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Local(one), Self::Local(two)) | (Self::Game(one), Self::Game(two)) => {
                same_name(one, two)
            }
            (
                Self::Foreign { name, game },
                Self::Foreign {
                    name: two,
                    game: of,
                },
            ) => same_name(name, two) && same_name(game, of),
            (Self::Local(_) | Self::Foreign { .. } | Self::Game(_), _) => false,
        }
    }
}

impl IgnoreList {
    /// A list of what was stored; what cannot be read or is too much is skipped.
    pub fn restore<'t>(stored: impl IntoIterator<Item = &'t str>) -> Self {
        let mut list = Self::default();
        for entry in stored.into_iter().filter_map(Ignored::parse) {
            if list.add(entry) == Err(NotIgnored::Full) {
                break;
            }
        }
        list
    }

    /// The entries, the oldest first.
    pub fn entries(&self) -> &[Ignored] {
        &self.entries
    }

    /// Whether this speaker is not to be read.
    pub fn covers(&self, speaker: &Speaker) -> bool {
        self.entries.iter().any(|entry| entry.covers(speaker))
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// Refused: it is there already, or the list is full.
    pub fn add(&mut self, entry: Ignored) -> Result<(), NotIgnored> {
        if self.entries.iter().any(|known| known.is_same(&entry)) {
            return Err(NotIgnored::Already);
        }
        if self.entries.len() >= limits::IGNORED_MAX {
            return Err(NotIgnored::Full);
        }
        self.entries.push(entry);
        Ok(())
    }

    /// Takes an entry out, as it was put in; `None` when it is not there.
    pub fn remove(&mut self, entry: &Ignored) -> Option<Ignored> {
        let at = self.entries.iter().position(|known| known.is_same(entry))?;
        Some(self.entries.remove(at))
    }
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local(name) => f.write_str(name),
            Self::Foreign { name, game } => write!(f, "{name}@{game}"),
            Self::Game(game) => write!(f, "@{game}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn foreign(name: &str, game: &str) -> Speaker {
        Speaker::Foreign {
            name: name.into(),
            game: game.into(),
        }
    }

    fn local(name: &str) -> Speaker {
        Speaker::Local(name.into())
    }

    fn check(typed: &str, covered: &[Speaker], others: &[Speaker]) {
        let list = IgnoreList::restore([typed]);
        for speaker in covered {
            assert!(list.covers(speaker), "{typed} covers {speaker}");
        }
        for speaker in others {
            assert!(!list.covers(speaker), "{typed} does not cover {speaker}");
        }
    }

    #[test]
    fn an_entry_covers_whom_it_names_and_nobody_else() {
        check(
            "ann",
            &[local("Ann"), local("ANN")],
            &[local("Anna"), foreign("Ann", "Other")],
        );
        check(
            " bo derek @ OTHER game ",
            &[foreign("Bo Derek", "Other Game")],
            &[foreign("Bo", "Other Game"), foreign("Bo Derek", "Other")],
        );
        check(
            "\u{e9}lan@\u{d6}ther",
            &[foreign("\u{c9}LAN", "\u{f6}THER")],
            &[foreign("Elan", "Other")],
        );
        check(
            "@other",
            &[foreign("Bo", "Other"), foreign("Ann", "OTHER")],
            &[foreign("Bo", "Others"), local("other")],
        );
    }

    #[test]
    fn what_names_nobody_is_no_entry() {
        let long = "a".repeat(limits::IGNORED_CHARACTERS_MAX + 1);
        for text in ["", " ", "@", "ann@", " @ ", &long, &format!("@{long}")] {
            assert_eq!(Ignored::parse(text), None, "{text:.20}");
        }
    }

    #[test]
    fn entries_come_back_from_what_is_stored() {
        for text in ["Ann", "Bo@Othergame", "@Othergame"] {
            assert_eq!(Ignored::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn the_list_is_bounded_and_holds_each_once() {
        let mut list = IgnoreList::default();
        for number in 0..limits::IGNORED_MAX {
            let entry = Ignored::Local(format!("p{number}").into());
            assert_eq!(list.add(entry), Ok(()));
        }
        let known = Ignored::parse("P0").unwrap();
        assert_eq!(list.add(known.clone()), Err(NotIgnored::Already));
        let one_more = Ignored::parse("Ann").unwrap();
        assert_eq!(list.add(one_more.clone()), Err(NotIgnored::Full));
        assert_eq!(list.remove(&known), Ignored::parse("p0"));
        assert_eq!(list.remove(&known), None);
        assert_eq!(list.add(one_more), Ok(()));
        let stored: Vec<String> = (0..500).map(|number| format!("p{number}")).collect();
        let restored = IgnoreList::restore(stored.iter().map(String::as_str));
        assert_eq!(restored.entries().len(), limits::IGNORED_MAX);
    }
}
