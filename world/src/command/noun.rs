//! `[pure]` Words that name a thing, and which of several things they mean. The owner of the things
//! (a room, a session) resolves a noun; nothing here knows what is where.

use super::limits::{NOUN_CHARS_MAX, NOUN_WORDS_MAX};
use super::order::Unclear;
use super::words::Word;
use crate::event::Text;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Letters that a shortened word must have to stand for a longer one.
const PREFIX_LETTERS_MIN: usize = 3;

/// Words that say nothing about which thing is meant.
const ARTICLES: [&str; 5] = ["a", "an", "the", "some", "my"];

/// Words that name a thing; `2.sword` is the second sword.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noun {
    /// The words in lower case, without articles.
    pub words: Text,
    /// Which of several, from 1.
    pub nth: u16,
}

/// How well a noun fits a thing; the better is the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Not,
    Shortened,
    Whole,
}

impl Noun {
    /// The first thing called `words`, which are lower-cased.
    pub fn first(words: &str) -> Self {
        Self {
            words: words.to_lowercase().into(),
            nth: 1,
        }
    }

    /// Whether every word of the noun is one of the keywords, a word of the name, or the first
    /// three or more letters of one.
    pub fn matches<K: AsRef<str>>(&self, keywords: &[K], name: &str) -> bool {
        self.fit(keywords, name) != Fit::Not
    }

    /// The place among `things` (keywords and name of each) of the one that is meant. Things that
    /// bear the whole word go before those it merely begins: `ann` is Ann, though Annabel came
    /// first.
    pub fn pick<'a, K, I>(&self, things: I) -> Option<usize>
    where
        K: AsRef<str> + 'a,
        I: IntoIterator<Item = (&'a [K], &'a str)>,
        I::IntoIter: Clone,
    {
        let fits = things
            .into_iter()
            .map(|(keywords, name)| self.fit(keywords, name));
        let mut left = self.nth;
        for wanted in [Fit::Whole, Fit::Shortened] {
            for (place, fit) in fits.clone().enumerate() {
                if fit == wanted {
                    left = left.saturating_sub(1);
                    if left == 0 {
                        return Some(place);
                    }
                }
            }
        }
        None
    }

    fn fit<K: AsRef<str>>(&self, keywords: &[K], name: &str) -> Fit {
        let fits = self.words.split_whitespace().map(|word| {
            let named = name.split_whitespace().chain(name.split(['-', ' ']));
            let known = keywords.iter().map(AsRef::as_ref).chain(named);
            known
                .map(|keyword| fit_word(word, keyword))
                .max()
                .unwrap_or(Fit::Not)
        });
        fits.min().unwrap_or(Fit::Not)
    }

    /// Reads the words of one noun.
    ///
    /// # Errors
    /// `missing` as the question when there is no word but articles; a bad argument (refused) for
    /// a count of 0, for `all` and for more than the limits.
    pub(super) fn read<'a, W>(words: W, missing: &str) -> Result<Self, Unclear>
    where
        W: IntoIterator<Item = Word<'a>>,
    {
        let mut nth = None;
        let mut text = String::new();
        let mut len = 0;
        for word in words {
            let passed_over = !word.quoted && word.count.is_none() && is_article(word.text);
            if passed_over {
                continue;
            }
            let part = match (nth, word.count) {
                (None, Some(count)) => {
                    nth = Some(read_count(count, word.raw)?);
                    word.text
                }
                (None, None) => {
                    nth = Some(1);
                    word.text
                }
                (Some(_), None) => word.text,
                (Some(_), Some(_)) => word.raw,
            };
            len += 1;
            if len > NOUN_WORDS_MAX || part.len() > NOUN_CHARS_MAX || text.len() > NOUN_CHARS_MAX {
                return Err(Unclear::bad(word.raw, "a word or two that name the thing"));
            }
            for piece in part.split_whitespace().filter(|piece| !is_article(piece)) {
                if !text.is_empty() {
                    text.push(' ');
                }
                text.push_str(&piece.to_lowercase());
            }
        }
        if text.is_empty() {
            return Err(Unclear::missing(missing));
        }
        if text == "all" || text == "everything" {
            return Err(Unclear::bad(&text, "the name of one thing at a time"));
        }
        Ok(Self {
            words: text.into(),
            nth: nth.unwrap_or(1),
        })
    }
}

impl fmt::Display for Noun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.nth != 1 {
            write!(f, "{}.", self.nth)?;
        }
        f.write_str(&self.words)
    }
}

fn is_article(word: &str) -> bool {
    ARTICLES
        .iter()
        .any(|article| word.eq_ignore_ascii_case(article))
}

fn fit_word(word: &str, keyword: &str) -> Fit {
    let keyword = keyword.trim_matches(|sign: char| !sign.is_alphanumeric());
    let word = word.trim_matches(|sign: char| !sign.is_alphanumeric());
    if word.is_empty() {
        return Fit::Not;
    }
    if keyword.eq_ignore_ascii_case(word) {
        return Fit::Whole;
    }
    let begins = keyword
        .get(..word.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(word));
    if begins && word.chars().count() >= PREFIX_LETTERS_MIN {
        Fit::Shortened
    } else {
        Fit::Not
    }
}

/// The count of `2.sword`. One too great to be true is the greatest, which no thing has.
fn read_count(count: &str, raw: &str) -> Result<u16, Unclear> {
    match count.parse::<u16>() {
        Ok(0) => Err(Unclear::bad(raw, "a number from 1, as in 2.sword")),
        Ok(nth) => Ok(nth),
        Err(_) => Ok(u16::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::Words;
    use super::*;

    fn noun(line: &str) -> Noun {
        Noun::read(Words::new(line), "What?").unwrap()
    }

    #[test]
    fn reads_counts_quotes_and_articles() {
        let table = [
            ("sword", "sword", 1),
            ("The Brass LANTERN", "brass lantern", 1),
            ("2.sword", "sword", 2),
            ("the 3.'the brass lantern'", "brass lantern", 3),
            ("99999.sword", "sword", u16::MAX),
            ("bottle 2.x", "bottle 2.x", 1),
        ];
        for (line, words, nth) in table {
            let got = noun(line);
            assert_eq!((&*got.words, got.nth), (words, nth), "{line:?}");
        }
    }

    #[test]
    fn refuses_what_names_nothing() {
        let read = |line: &str| Noun::read(Words::new(line), "What?");
        assert_eq!(read(""), Err(Unclear::Missing("What?".into())));
        assert_eq!(read("the a"), Err(Unclear::Missing("What?".into())));
        let long = "x".repeat(NOUN_CHARS_MAX + 1);
        let many = "x ".repeat(NOUN_WORDS_MAX + 1);
        for line in ["0.sword", "all", &long, &many] {
            let got = read(line);
            assert!(
                matches!(got, Err(Unclear::BadArgument { .. })),
                "{line:?} {got:?}"
            );
        }
    }

    #[test]
    fn matches_keywords_names_and_their_beginnings() {
        let table = [
            ("lantern", true),
            ("LAN", true),
            ("la", false),
            ("brass lantern", true),
            ("lantern brass", true),
            ("lamp", true),
            ("iron lantern", false),
            ("lanterns", false),
            ("half", true),
            ("half-burnt", true),
        ];
        for (line, expected) in table {
            let got = noun(line).matches(&["lamp"], "a half-burnt brass lantern");
            assert_eq!(got, expected, "{line:?}");
        }
    }

    #[test]
    fn picks_the_nth_and_the_whole_name_before_a_beginning() {
        let none: &[&str] = &[];
        let people = [
            (none, "Annabel"),
            (none, "Ann"),
            (none, "Bob"),
            (none, "Annika"),
        ];
        let pick = |line: &str| noun(line).pick(people);
        assert_eq!(pick("ann"), Some(1));
        assert_eq!(pick("2.ann"), Some(0));
        assert_eq!(pick("3.ann"), Some(3));
        assert_eq!(pick("4.ann"), None);
        assert_eq!(pick("anna"), Some(0));
        assert_eq!(pick("cid"), None);
    }

    #[test]
    fn shows_itself_as_it_was_typed() {
        assert_eq!(
            noun("2.the sword").to_string(),
            "2.the sword".replace("the ", "")
        );
        assert_eq!(noun("the sword").to_string(), "sword");
    }
}
