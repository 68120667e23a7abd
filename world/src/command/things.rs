//! `[pure]` What is looked at, walked to, taken and handed over.

use super::noun::Noun;
use super::order::{Command, LookAt, Unclear};
use super::words::{Word, Words};
use crate::ids::Direction;

/// Words between `look` and what is looked at.
const LOOK_WORDS: [&str; 4] = ["at", "in", "into", "to"];

/// Words that mean the room itself.
const ROOM_WORDS: [&str; 4] = ["around", "about", "here", "room"];

/// `look`, `look at sword`, `look north`. A direction alone is looked in; `look in chest` looks at
/// the chest.
pub(super) fn look(rest: &str) -> Result<Command, Unclear> {
    let mut words = Words::new(rest);
    let mut ahead = words.clone();
    let Some(first) = ahead.next() else {
        return Ok(Command::Look(LookAt::Room));
    };
    if ahead.rest().is_empty() {
        if let Some(way) = direction(first) {
            return Ok(Command::Look(LookAt::Way(way)));
        }
        if ROOM_WORDS.iter().any(|word| first.is(word)) {
            return Ok(Command::Look(LookAt::Room));
        }
    }
    if LOOK_WORDS.iter().any(|word| first.is(word)) {
        words = ahead;
    }
    let noun = Noun::read(words, "Look at what?")?;
    Ok(Command::Look(LookAt::Thing(noun)))
}

/// `examine sword`.
pub(super) fn examine(rest: &str) -> Result<Command, Unclear> {
    let mut words = Words::new(rest);
    words.pass_over("at");
    Noun::read(words, "Examine what?").map(Command::Examine)
}

/// `go north`.
pub(super) fn go(rest: &str) -> Result<Command, Unclear> {
    let mut words = Words::new(rest);
    words.pass_over("to");
    words.pass_over("the");
    let Some(word) = words.next() else {
        return Err(Unclear::missing("Go where?"));
    };
    match direction(word) {
        Some(way) => Ok(Command::Go(way)),
        None => Err(Unclear::bad(
            rest,
            "a direction such as north, up or out; exits lists those that are here",
        )),
    }
}

/// `get sword`, `pick up sword`.
pub(super) fn get(rest: &str) -> Result<Command, Unclear> {
    let mut words = Words::new(rest);
    words.pass_over("up");
    if words.clone().any(|word| word.is("from")) {
        return Err(Unclear::bad(
            rest,
            "the name of the thing alone; you can take what lies here",
        ));
    }
    Noun::read(words, "Get what?").map(Command::Get)
}

/// `drop sword`.
pub(super) fn drop(rest: &str) -> Result<Command, Unclear> {
    Noun::read(Words::new(rest), "Drop what?").map(Command::Drop)
}

/// `give sword to ann`, `give sword ann`.
pub(super) fn give(rest: &str) -> Result<Command, Unclear> {
    const QUESTION: &str = "Give what to whom?";
    let words: Vec<Word<'_>> = Words::new(rest).collect();
    let (item, to) = match words.iter().rposition(|word| word.is("to")) {
        Some(place) => (words.get(..place), words.get(place.saturating_add(1)..)),
        None => {
            let split = words.split_last();
            (
                split.map(|(_, item)| item),
                split.map(|(to, _)| std::slice::from_ref(to)),
            )
        }
    };
    let read = |words: Option<&[Word<'_>]>| {
        Noun::read(words.unwrap_or_default().iter().copied(), QUESTION)
    };
    Ok(Command::Give {
        item: read(item)?,
        to: read(to)?,
    })
}

fn direction(word: Word<'_>) -> Option<Direction> {
    let bare = !word.quoted && word.count.is_none();
    let is = |name: &str| word.text.eq_ignore_ascii_case(name);
    let mut ways = Direction::ALL.into_iter();
    ways.find(|way| bare && (is(way.name()) || is(way.short())))
}
