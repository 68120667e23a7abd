//! `[pure]` Names of accounts and characters: 3 to 20 ASCII letters, the same whatever their case.

use std::fmt;

use super::limits::{NAME_LETTERS_MAX, NAME_LETTERS_MIN};

/// Words that commands, messages or the staff need for themselves, in lower case and sorted.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "account", "admin", "administrator", "all", "anonymous", "any", "anybody", "anyone", "away",
    "bot", "builder", "down", "east", "enemy", "everybody", "everyone", "everything", "exit",
    "ghost", "god", "gossip", "group", "guest", "guests", "help", "her", "here", "him", "host",
    "it", "its", "local", "me", "moderator", "my", "myself", "new", "nobody", "none", "north",
    "northeast", "northwest", "null", "operator", "out", "owner", "player", "players", "quit",
    "room", "root", "self", "server", "somebody", "someone", "something", "south", "southeast",
    "southwest", "staff", "store", "system", "that", "the", "them", "there", "they", "this", "up",
    "user", "west", "you", "your", "yourself", "zone",
];

/// A name in its canonical form: first letter upper, the rest lower ("Ann").
///
/// Two names are equal when they are the same letters in any case.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    canonical: Box<str>,
}

impl Name {
    /// Reads what a player typed.
    ///
    /// # Errors
    /// The rule that the text breaks; all are **refused**: tell the player.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let name = Self::shape(text)?;
        if RESERVED.binary_search(&name.key().as_str()).is_ok() {
            return Err(NameError::Reserved);
        }
        Ok(name)
    }

    /// Reads a name from storage. Reserved words pass: a list that grew must not lock anybody out.
    ///
    /// # Errors
    /// As [`Name::parse`], without [`NameError::Reserved`].
    pub fn restore(text: &str) -> Result<Self, NameError> {
        Self::shape(text)
    }

    /// The canonical form, as it is shown.
    pub fn as_str(&self) -> &str {
        &self.canonical
    }

    /// The lower-case form, under which the name is unique.
    pub fn key(&self) -> String {
        self.canonical.to_ascii_lowercase()
    }

    fn shape(text: &str) -> Result<Self, NameError> {
        if !text.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return Err(NameError::NotLetters);
        }
        if text.len() < NAME_LETTERS_MIN {
            return Err(NameError::TooShort);
        }
        if text.len() > NAME_LETTERS_MAX {
            return Err(NameError::TooLong);
        }
        let mut canonical = text.to_ascii_lowercase();
        if let Some(first) = canonical.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        Ok(Self {
            canonical: canonical.into_boxed_str(),
        })
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.canonical)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.canonical, f)
    }
}

/// Why a text is no name. All are **refused**: tell the player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Fewer than [`NAME_LETTERS_MIN`] letters.
    #[error("a name has at least {NAME_LETTERS_MIN} letters")]
    TooShort,
    /// More than [`NAME_LETTERS_MAX`] letters.
    #[error("a name has at most {NAME_LETTERS_MAX} letters")]
    TooLong,
    /// Something that is not one of the letters a to z.
    #[error("a name is made of the letters a to z only")]
    NotLetters,
    /// A word that the game needs for itself.
    #[error("that name is reserved")]
    Reserved,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, NameError>) {
        let name = Name::parse(text);
        assert_eq!(
            name.as_ref().map(Name::as_str),
            expected.as_ref().copied(),
            "{text:?}"
        );
    }

    #[test]
    fn accepts_letters_in_any_case_and_shows_them_in_one() {
        check("ann", Ok("Ann"));
        check("ANN", Ok("Ann"));
        check("aNnAbElLe", Ok("Annabelle"));
        check("abcdefghijklmnopqrst", Ok("Abcdefghijklmnopqrst"));
    }

    #[test]
    fn refuses_what_breaks_a_rule_and_says_which() {
        check("", Err(NameError::TooShort));
        check("al", Err(NameError::TooShort));
        check("abcdefghijklmnopqrstu", Err(NameError::TooLong));
        for text in [
            "ann3", "an n", "ann ", "\u{e5}ke", "ann\n", "a-b-c", "'; DROP",
        ] {
            check(text, Err(NameError::NotLetters));
        }
        for text in [
            "self", "Guest", "NORTH", "staff", "someone", "room", "admin", "all",
        ] {
            check(text, Err(NameError::Reserved));
        }
    }

    #[test]
    fn a_reserved_word_comes_back_from_storage() {
        assert_eq!(
            Name::restore("guest").map(|name| name.key()),
            Ok("guest".to_owned())
        );
        assert_eq!(Name::restore("x"), Err(NameError::TooShort));
    }

    #[test]
    fn the_reserved_words_are_sorted_so_that_the_search_finds_each() {
        assert!(RESERVED.is_sorted());
        for way in crate::ids::Direction::ALL {
            let word = way.name();
            assert!(
                word.len() < NAME_LETTERS_MIN || RESERVED.contains(&word),
                "{word}"
            );
        }
    }
}
