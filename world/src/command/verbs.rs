//! `[pure]` The table of verbs: the one place that says which words there are. The parser, the help
//! index and the "did you mean" line read it. The order of the rows is the order in which a
//! shortened word is tried, so that `e` is east, `l` is look and `sa` is say.

use super::limits::{ECHO_CHARS_MAX, NEAR_MAX};
use super::order::{Command, Rights, Unclear};
use super::{network, settings, speech, staff, talk, things};
use crate::content::Channel;
use crate::ids::Direction;

/// What reads the rest of the line after a verb.
pub type Read = fn(&str) -> Result<Command, Unclear>;

/// One verb.
#[derive(Clone, Copy, Debug)]
pub struct Verb {
    /// The full word.
    pub name: &'static str,
    /// Other words and signs for it.
    pub aliases: &'static [&'static str],
    /// Where the help index lists it.
    pub group: Group,
    /// The help topic that explains it.
    pub topic: &'static str,
    /// Only the whole word counts: what cannot be undone is not done by a slip.
    pub whole: bool,
    /// Only staff may.
    pub staff: bool,
    /// Reads the rest of the line.
    pub read: Read,
}

/// The parts of the help index, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Going from room to room.
    Moving,
    /// Seeing where one is and what is there.
    Looking,
    /// Talking with others.
    Talking,
    /// Things that can be carried.
    Things,
    /// The player's own affairs.
    Yourself,
    /// For staff alone.
    Staff,
}

impl Group {
    /// All groups, in the order of the help index.
    pub const ALL: [Self; 6] = [
        Self::Moving,
        Self::Looking,
        Self::Talking,
        Self::Things,
        Self::Yourself,
        Self::Staff,
    ];

    /// The heading in the help index.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Moving => "Moving",
            Self::Looking => "Looking",
            Self::Talking => "Talking",
            Self::Things => "Things",
            Self::Yourself => "Yourself",
            Self::Staff => "Staff",
        }
    }
}

/// All verbs, in the order in which shortened words are tried.
pub const VERBS: &[Verb] = &[
    way("north", &["n"], |_| Ok(Command::Go(Direction::North))),
    way("east", &["e"], |_| Ok(Command::Go(Direction::East))),
    way("south", &["s"], |_| Ok(Command::Go(Direction::South))),
    way("west", &["w"], |_| Ok(Command::Go(Direction::West))),
    way("northeast", &["ne"], |_| {
        Ok(Command::Go(Direction::Northeast))
    }),
    way("northwest", &["nw"], |_| {
        Ok(Command::Go(Direction::Northwest))
    }),
    way("southeast", &["se"], |_| {
        Ok(Command::Go(Direction::Southeast))
    }),
    way("southwest", &["sw"], |_| {
        Ok(Command::Go(Direction::Southwest))
    }),
    way("up", &["u"], |_| Ok(Command::Go(Direction::Up))),
    way("down", &["d"], |_| Ok(Command::Go(Direction::Down))),
    verb("look", &["l"], Group::Looking, things::look),
    verb("inventory", &["i"], Group::Things, |_| {
        Ok(Command::Inventory)
    }),
    way("in", &["enter"], |_| Ok(Command::Go(Direction::In))),
    way("out", &["leave"], |_| Ok(Command::Go(Direction::Out))),
    verb("examine", &["x"], Group::Looking, things::examine),
    verb("say", &["'", "\""], Group::Talking, speech::say),
    verb("get", &["take", "pick"], Group::Things, things::get),
    verb("tell", &["whisper"], Group::Talking, speech::tell),
    verb("reply", &[], Group::Talking, speech::reply),
    verb("drop", &[], Group::Things, things::drop),
    verb("give", &["hand"], Group::Things, things::give),
    verb("who", &["players"], Group::Looking, |rest| {
        Ok(settings::who(rest))
    }),
    verb(
        "emote",
        &[":", ";", "me", "pose"],
        Group::Talking,
        speech::emote,
    ),
    verb("exits", &["exit"], Group::Looking, |_| Ok(Command::Exits)),
    verb("help", &["?", "commands"], Group::Yourself, |rest| {
        Ok(settings::help(rest))
    }),
    verb("ignore", &[], Group::Talking, talk::ignore),
    Verb {
        topic: "ignore",
        ..verb("unignore", &[], Group::Talking, talk::unignore)
    },
    verb("games", &[], Group::Looking, |rest| {
        Ok(network::games(rest))
    }),
    verb("notices", &[], Group::Yourself, network::notices),
    verb("score", &[], Group::Yourself, |_| Ok(Command::Score)),
    verb("afk", &["away"], Group::Yourself, speech::away),
    verb("color", &["colour"], Group::Yourself, settings::color),
    verb("channels", &["channel"], Group::Talking, talk::channel),
    verb(
        "screenreader",
        &[],
        Group::Yourself,
        settings::screen_reader,
    ),
    verb("resume", &[], Group::Yourself, |_| Ok(Command::Resume)),
    verb("go", &["walk", "move"], Group::Moving, things::go),
    verb("password", &[], Group::Yourself, |_| Ok(Command::Password)).whole(),
    verb("quit", &["logout", "bye"], Group::Yourself, |_| {
        Ok(Command::Quit)
    })
    .whole(),
    verb("goto", &[], Group::Staff, staff::goto),
    verb("kick", &[], Group::Staff, staff::kick).whole(),
    verb("ban", &[], Group::Staff, staff::ban).whole(),
    verb("bridge", &[], Group::Staff, network::bridge).whole(),
    verb("crash", &[], Group::Staff, staff::crash).whole(),
    verb("shutdown", &[], Group::Staff, |_| Ok(Command::Shutdown)).whole(),
];

/// The verb that `word` means to one with `rights`: a whole word or sign first, then the first row
/// whose name begins with it, then the first with such an alias. A staff verb is found by others
/// only by its whole name, so that they can be told.
pub fn find(word: &str, rights: Rights) -> Option<&'static Verb> {
    let short = |verb: &&Verb| !verb.whole && (rights.staff || !verb.staff);
    let whole = find_whole(word);
    let by_name = || {
        VERBS
            .iter()
            .filter(short)
            .find(|verb| begins(verb.name, word))
    };
    let by_alias = || {
        let mut rows = VERBS.iter().filter(short);
        rows.find(|verb| verb.aliases.iter().any(|alias| begins(alias, word)))
    };
    whole.or_else(by_name).or_else(by_alias)
}

/// The verb of which this is the whole name, or another word for it.
pub fn find_whole(word: &str) -> Option<&'static Verb> {
    VERBS.iter().find(|verb| {
        let mut words = verb.words();
        words.any(|known| known.eq_ignore_ascii_case(word))
    })
}

/// Verbs and channels that look like `word`, nearest first, at most three.
pub fn near<'c>(word: &str, rights: Rights, channels: &'c [Channel]) -> Vec<&'c str> {
    let open = VERBS.iter().filter(|verb| rights.staff || !verb.staff);
    let words = open.flat_map(|verb| verb.words().map(|known| (known, verb.name)));
    let channels = channels
        .iter()
        .map(|channel| (&*channel.name, &*channel.name));
    nearest(word, words.chain(channels))
}

/// The names of those `(known word, name)` pairs whose word looks like `word`, nearest first. Each
/// name comes once; there are at most three.
pub(super) fn nearest<'w>(
    word: &str,
    known: impl Iterator<Item = (&'w str, &'w str)>,
) -> Vec<&'w str> {
    let word: String = word
        .chars()
        .take(ECHO_CHARS_MAX)
        .flat_map(char::to_lowercase)
        .collect();
    let letters = word.chars().count();
    let mut found: Vec<(usize, &'w str)> = Vec::new();
    for (candidate, name) in known.filter(|(candidate, _)| candidate.len() > 2) {
        let distance = if letters > 1 && begins(candidate, &word) {
            1
        } else {
            strsim::damerau_levenshtein(candidate, &word)
        };
        let far_max = if letters > 3 { 2 } else { 1 };
        if distance > far_max {
            continue;
        }
        match found.iter_mut().find(|(_, seen)| *seen == name) {
            Some((best, _)) => *best = distance.min(*best),
            None => found.push((distance, name)),
        }
    }
    found.sort_by_key(|(distance, _)| *distance);
    found.truncate(NEAR_MAX);
    found.into_iter().map(|(_, name)| name).collect()
}

impl Verb {
    /// The name and the other words for it.
    pub fn words(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// Whether text may follow the word without a blank (`'hello`).
    pub(super) fn has_sign(&self, sign: &str) -> bool {
        self.aliases.contains(&sign)
    }

    const fn whole(mut self) -> Self {
        self.whole = true;
        self
    }
}

fn begins(known: &str, word: &str) -> bool {
    known
        .get(..word.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(word))
}

const fn verb(
    name: &'static str,
    aliases: &'static [&'static str],
    group: Group,
    read: Read,
) -> Verb {
    Verb {
        name,
        aliases,
        group,
        topic: name,
        whole: false,
        staff: matches!(group, Group::Staff),
        read,
    }
}

const fn way(name: &'static str, aliases: &'static [&'static str], read: Read) -> Verb {
    Verb {
        topic: "moving",
        ..verb(name, aliases, Group::Moving, read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const PLAYER: Rights = Rights { staff: false };
    const STAFF: Rights = Rights { staff: true };

    fn check(word: &str, rights: Rights, expected: Option<&str>) {
        assert_eq!(
            find(word, rights).map(|verb| verb.name),
            expected,
            "{word:?}"
        );
    }

    #[test]
    fn no_word_stands_in_two_rows() {
        let mut seen = BTreeSet::new();
        for word in VERBS.iter().flat_map(Verb::words) {
            assert!(seen.insert(word), "{word} stands twice");
            assert_eq!(word, word.to_ascii_lowercase());
        }
    }

    #[test]
    fn every_direction_is_a_verb_in_full_and_short() {
        for way in Direction::ALL {
            for word in [way.name(), way.short()] {
                let verb = find(word, PLAYER).unwrap();
                assert_eq!((verb.read)(""), Ok(Command::Go(way)), "{word}");
            }
        }
    }

    #[test]
    fn shortened_words_mean_what_players_expect() {
        let table = [
            ("n", "north"),
            ("nor", "north"),
            ("northe", "northeast"),
            ("s", "south"),
            ("e", "east"),
            ("u", "up"),
            ("d", "down"),
            ("l", "look"),
            ("i", "inventory"),
            ("inv", "inventory"),
            ("in", "in"),
            ("o", "out"),
            ("x", "examine"),
            ("exa", "examine"),
            ("exi", "exits"),
            ("'", "say"),
            ("sa", "say"),
            ("sc", "score"),
            ("scr", "screenreader"),
            ("ta", "get"),
            ("g", "get"),
            ("gi", "give"),
            ("t", "tell"),
            ("r", "reply"),
            ("dr", "drop"),
            ("wh", "who"),
            ("em", "emote"),
            (":", "emote"),
            ("h", "help"),
            ("?", "help"),
            ("af", "afk"),
            ("c", "color"),
            ("ch", "channels"),
            ("ig", "ignore"),
            ("un", "unignore"),
            ("LOOK", "look"),
            ("quit", "quit"),
        ];
        for (word, name) in table {
            check(word, PLAYER, Some(name));
        }
    }

    #[test]
    fn what_cannot_be_undone_wants_the_whole_word() {
        for word in ["q", "qui", "passw", "shut", "ki", "logo"] {
            check(word, STAFF, None);
        }
        check("quit", PLAYER, Some("quit"));
        check("logout", PLAYER, Some("quit"));
    }

    #[test]
    fn staff_verbs_are_hidden_from_others_but_for_their_whole_name() {
        check("got", PLAYER, None);
        check("got", STAFF, Some("goto"));
        check("shutdown", PLAYER, Some("shutdown"));
        assert_eq!(near("shutdwn", PLAYER, &[]), Vec::<&str>::new());
        assert_eq!(near("shutdwn", STAFF, &[]), ["shutdown"]);
    }

    #[test]
    fn near_words_are_few_and_the_nearest_first() {
        assert_eq!(near("loko", PLAYER, &[]), ["look"]);
        assert_eq!(near("qui", PLAYER, &[]), ["quit"]);
        assert_eq!(near("xyzzyplugh", PLAYER, &[]), Vec::<&str>::new());
        assert!(near("tall", PLAYER, &[]).contains(&"tell"));
        for word in ["", "a", "sa", "e", "out", &"n".repeat(100_000)] {
            assert!(near(word, STAFF, &[]).len() <= NEAR_MAX, "{word:.20}");
        }
    }
}
