//! `[pure]` Help: which topic is meant, and its text. The index is made from the table of verbs, so
//! that it cannot forget one.

use super::order::Rights;
use super::topics::TOPICS;
use super::verbs::{self, Group, VERBS};
use std::borrow::Cow;
use std::fmt::Write;

/// Columns that no line of help goes over, so that it fits the narrowest usual terminal.
pub const COLUMNS_MAX: usize = 78;

/// The topic of `help` alone.
const INDEX: &str = "index";

/// The topic of `help` alone for staff.
const INDEX_STAFF: &str = "index for staff";

/// One help text.
#[derive(Clone, Copy, Debug)]
pub struct Topic {
    /// The word that asks for it, in lower case.
    pub name: &'static str,
    /// Only staff may read it.
    pub staff: bool,
    /// The text: plain ASCII lines with `\n` between them, none at the end.
    pub text: &'static str,
}

/// The name of the topic that `asked` means to one with `rights`: a topic, a verb or another word
/// for it, or the beginning of one. Nothing asked is the index.
///
/// # Errors
/// Refused: no such topic; the names of near ones, at most three.
pub fn find(asked: Option<&str>, rights: Rights) -> Result<&'static str, Vec<&'static str>> {
    let index = if rights.staff { INDEX_STAFF } else { INDEX };
    let Some(asked) = asked.map(str::trim).filter(|asked| !asked.is_empty()) else {
        return Ok(index);
    };
    let open = || TOPICS.iter().filter(|topic| rights.staff || !topic.staff);
    let is_open = |name: &str| open().any(|topic| topic.name == name);
    let by_name = open().find(|topic| topic.name.eq_ignore_ascii_case(asked));
    let by_verb = || verbs::find(asked, rights).map(|verb| verb.topic);
    let by_start = || {
        let mut topics = open();
        topics.find(|topic| {
            let start = topic.name.get(..asked.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(asked))
        })
    };
    if asked.eq_ignore_ascii_case(INDEX) || asked.eq_ignore_ascii_case("topics") {
        return Ok(index);
    }
    by_name
        .map(|topic| topic.name)
        .or_else(|| by_verb().filter(|name| is_open(name)))
        .or_else(|| by_start().map(|topic| topic.name))
        .ok_or_else(|| {
            let topics = open().map(|topic| (topic.name, topic.name));
            let rows = VERBS.iter().filter(|verb| rights.staff || !verb.staff);
            let words = rows.flat_map(|verb| verb.words().map(|word| (word, verb.topic)));
            verbs::nearest(asked, topics.chain(words))
        })
}

/// The text of a topic that [`find`] named.
pub fn text(topic: &str) -> Option<Cow<'static, str>> {
    match topic {
        INDEX => Some(Cow::Owned(index_text(Rights { staff: false }))),
        INDEX_STAFF => Some(Cow::Owned(index_text(Rights { staff: true }))),
        _ => {
            let found = TOPICS.iter().find(|known| known.name == topic);
            found.map(|known| Cow::Borrowed(known.text))
        }
    }
}

/// The verbs by group, a sentence each.
fn index_text(rights: Rights) -> String {
    let mut text = String::from(
        "Type help and a word for more on it, as in: help say.\n\
         New here? Type help start.\n",
    );
    for group in Group::ALL {
        if group == Group::Staff && !rights.staff {
            continue;
        }
        let rows = VERBS.iter().filter(|verb| verb.group == group);
        let words: Vec<&str> = rows.map(|verb| verb.name).collect();
        push_list(&mut text, group.title(), &words);
    }
    let open = TOPICS.iter().filter(|topic| rights.staff || !topic.staff);
    let is_verb = |topic: &Topic| VERBS.iter().any(|verb| verb.name == topic.name);
    let more: Vec<&str> = open
        .filter(|topic| !is_verb(topic))
        .map(|topic| topic.name)
        .collect();
    push_list(&mut text, "Also", &more);
    text.truncate(text.trim_end().len());
    text
}

/// `Title: one, two, three.` broken into lines.
fn push_list(text: &mut String, title: &str, words: &[&str]) {
    let mut line = format!("{title}:");
    for (place, word) in words.iter().enumerate() {
        let stop = if place + 1 == words.len() { '.' } else { ',' };
        if line.len() + word.len() + 2 > COLUMNS_MAX {
            text.push_str(&line);
            text.push('\n');
            line = String::from(" ");
        }
        // Writing to a string cannot fail.
        let _written = write!(line, " {word}{stop}");
    }
    text.push_str(&line);
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const PLAYER: Rights = Rights { staff: false };
    const STAFF: Rights = Rights { staff: true };

    fn all_texts() -> impl Iterator<Item = (&'static str, Cow<'static, str>)> {
        let names = TOPICS.iter().map(|topic| topic.name);
        let names = names.chain([INDEX, INDEX_STAFF]);
        names.map(|name| (name, text(name).unwrap()))
    }

    #[test]
    fn every_verb_has_help_and_stands_in_the_index() {
        for verb in VERBS {
            let rights = Rights { staff: verb.staff };
            for word in verb.words() {
                let topic = find(Some(word), rights).unwrap();
                assert!(text(topic).is_some(), "{word}");
            }
            let topic = text(verb.topic).unwrap().to_lowercase();
            assert!(
                topic.contains(verb.name),
                "{} is not in {}",
                verb.name,
                verb.topic
            );
            let listed = |rights| index_text(rights).contains(verb.name);
            assert!(listed(STAFF), "{}", verb.name);
            assert!(verb.staff || listed(PLAYER), "{}", verb.name);
        }
        assert!(!index_text(PLAYER).contains("shutdown"));
    }

    #[test]
    fn topics_stand_once_and_read_well() {
        let mut seen = BTreeSet::new();
        for (name, text) in all_texts() {
            assert!(seen.insert(name), "{name} stands twice");
            for line in text.lines() {
                assert!(line.len() <= COLUMNS_MAX, "{name}: {line}");
                assert!(!line.trim().is_empty(), "{name} has an empty line");
                assert!(
                    line.bytes().all(|byte| matches!(byte, b' '..=b'~')),
                    "{name}: {line}"
                );
            }
            assert!(!text.ends_with('\n'), "{name}");
        }
        for name in [
            "start",
            "moving",
            "talking",
            "things",
            "screenreaders",
            "staff",
        ] {
            assert!(seen.contains(name), "{name}");
        }
    }

    #[test]
    fn finds_topics_by_name_verb_and_beginning() {
        let table = [
            (None, "index"),
            (Some("topics"), "index"),
            (Some("say"), "say"),
            (Some("'"), "say"),
            (Some("TAKE"), "get"),
            (Some("n"), "moving"),
            (Some("screenreaders"), "screenreaders"),
            (Some("start"), "start"),
            (Some("talk"), "talking"),
        ];
        for (asked, expected) in table {
            assert_eq!(find(asked, PLAYER), Ok(expected), "{asked:?}");
        }
    }

    #[test]
    fn staff_topics_are_hidden_from_players() {
        for word in ["staff", "kick", "shutdown"] {
            assert!(find(Some(word), STAFF).is_ok(), "{word}");
            let near = find(Some(word), PLAYER).unwrap_err();
            assert!(!near.contains(&word), "{word} {near:?}");
        }
    }

    #[test]
    fn a_wrong_topic_comes_with_near_ones() {
        assert_eq!(find(Some("mooving"), PLAYER), Err(vec!["moving"]));
        assert_eq!(find(Some("xyzzyplugh"), PLAYER), Err(vec![]));
        assert_eq!(text("xyzzyplugh"), None);
    }
}
