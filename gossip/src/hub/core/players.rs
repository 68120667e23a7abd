//! `[pure]` The players of one socket, as its game names them.

use std::collections::BTreeSet;

use crate::limits::{NAME_CHARS_MAX, PLAYERS_PER_SOCKET_MAX};
use crate::protocol::{cut_to_chars, strip_controls};

/// The list of one socket: names in the order in which they came, each once, none empty.
#[derive(Debug, Default)]
pub(super) struct Players(Vec<Box<str>>);

impl Players {
    /// Takes the list of a beat instead. Says whether anything is different.
    pub(super) fn replace(&mut self, names: Vec<String>) -> bool {
        let same = names.len() == self.0.len()
            && self.0.iter().zip(&names).all(|(old, new)| **old == **new);
        if same {
            return false;
        }
        let names = names
            .into_iter()
            .map(clean_name)
            .filter(|name| !name.is_empty());
        let mut names: Vec<Box<str>> = names.map(String::into_boxed_str).collect();
        keep_first_of_each(&mut names);
        names.truncate(PLAYERS_PER_SOCKET_MAX);
        let changed = names != self.0;
        self.0 = names;
        changed
    }

    /// Adds a name; `false` when it is there or there is no room.
    pub(super) fn sign_in(&mut self, name: &str) -> bool {
        let fits = self.0.len() < PLAYERS_PER_SOCKET_MAX && !self.has(name);
        if fits {
            self.0.push(name.into());
        }
        fits
    }

    /// Removes a name; `false` when it is not there.
    pub(super) fn sign_out(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|other| **other != *name);
        self.0.len() < before
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|name| &**name)
    }

    fn has(&self, name: &str) -> bool {
        self.iter().any(|other| other == name)
    }
}

/// A name without control characters, within its bound.
pub(super) fn clean_name(mut name: String) -> String {
    strip_controls(&mut name);
    cut_to_chars(&mut name, NAME_CHARS_MAX);
    name
}

/// Whether two names are the same in any case.
pub(super) fn is_same_name(one: &str, other: &str) -> bool {
    if one.is_ascii() && other.is_ascii() {
        return one.eq_ignore_ascii_case(other);
    }
    // Letter by letter: a tell is compared with every player of two games.
    lower(one).eq(lower(other))
}

fn lower(name: &str) -> impl Iterator<Item = char> {
    name.chars().flat_map(char::to_lowercase)
}

/// Keeps of several equal names the first.
fn keep_first_of_each(names: &mut Vec<Box<str>>) {
    let mut seen = BTreeSet::new();
    let firsts: Vec<bool> = names.iter().map(|name| seen.insert(&**name)).collect();
    if firsts.contains(&false) {
        let mut firsts = firsts.into_iter();
        names.retain(|_name| firsts.next().unwrap_or(false));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn a_beat_replaces_the_list_and_cleans_it() {
        let mut players = Players::default();
        assert!(!players.replace(vec![]));
        assert!(players.replace(list(&["Bo", "A\u{1b}na", "Bo", "\n", "bo"])));
        assert_eq!(players.iter().collect::<Vec<_>>(), ["Bo", "Ana", "bo"]);
        assert!(!players.replace(list(&["Bo", "Ana", "bo"])));
        assert!(!players.replace(list(&["Bo", "Ana", "bo", "Bo"])));
        let long = "\u{e9}".repeat(NAME_CHARS_MAX + 1);
        assert!(players.replace(vec![long]));
        assert_eq!(
            players.iter().next().unwrap().chars().count(),
            NAME_CHARS_MAX
        );
        let many = (0..PLAYERS_PER_SOCKET_MAX + 1).map(|number| format!("P{number}"));
        assert!(players.replace(many.collect()));
        assert_eq!(players.iter().count(), PLAYERS_PER_SOCKET_MAX);
        assert!(!players.sign_in("One more"));
    }

    #[test]
    fn signs_change_the_list_once() {
        let mut players = Players::default();
        assert!(players.sign_in("Ana"));
        assert!(!players.sign_in("Ana"));
        assert!(players.sign_in("ana"));
        assert!(players.sign_out("Ana"));
        assert!(!players.sign_out("Ana"));
        assert_eq!(players.iter().count(), 1);
    }

    #[test]
    fn names_are_the_same_in_any_case() {
        assert!(is_same_name("Bo", "bO"));
        assert!(is_same_name("\u{c9}va", "\u{e9}VA"));
        assert!(!is_same_name("Bo", "Bob"));
        assert!(!is_same_name("\u{c9}va", "Eva"));
    }
}
