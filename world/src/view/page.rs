//! `[pure]` A page to write one event on: sentences of safe text, lists in words, lines that fit.

use super::wrap;
use crate::content::World;
use crate::event::{PersonSeen, Text};
use crate::ids::RoomId;
use crate::text::{Painter, Style, ViewerClass, clean};
use std::borrow::Cow;

/// Numbers that are words in a sentence.
const WORDS: [&str; 13] = [
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
];

/// Where one event is written.
#[derive(Debug)]
pub(super) struct Page<'a> {
    painter: Painter<'a>,
    world: &'a World,
}

impl<'a> Page<'a> {
    pub(super) fn new(out: &'a mut Vec<u8>, viewer: ViewerClass, world: &'a World) -> Self {
        Self {
            painter: Painter::new(out, viewer),
            world,
        }
    }

    /// The content, for names and descriptions that events leave out.
    pub(super) fn world(&self) -> &'a World {
        self.world
    }

    /// The viewer has a screen reader: each thing on a line of its own, no signs.
    pub(super) fn is_read_aloud(&self) -> bool {
        self.painter.class().screen_reader
    }

    /// Writes text of this program as it is; `\n` ends a line.
    pub(super) fn put(&mut self, style: Style, text: &str) -> &mut Self {
        self.painter.style(style, text);
        self
    }

    /// Writes text that a player or the content made, kept on this line.
    pub(super) fn quote(&mut self, style: Style, text: &str) -> &mut Self {
        self.painter.style(style, &one_line(text));
        self
    }

    /// As [`Page::quote`], at the start of a sentence: "the ferryman" is "The ferryman".
    pub(super) fn quote_start(&mut self, style: Style, text: &str) -> &mut Self {
        self.painter.style(style, &capital(&one_line(text)));
        self
    }

    /// Ends the line.
    pub(super) fn end(&mut self) {
        self.painter.line_end();
    }

    /// One whole line of this program.
    pub(super) fn line(&mut self, style: Style, text: &str) {
        self.put(style, text).end();
    }

    /// Paragraphs of the content: broken into lines for the eye, whole to be read aloud.
    pub(super) fn prose(&mut self, style: Style, text: &str) {
        for paragraph in text.split('\n') {
            let paragraph = one_line(paragraph);
            if self.is_read_aloud() {
                self.put(style, &paragraph).end();
                continue;
            }
            for line in wrap::lines(&paragraph) {
                self.put(style, line).end();
            }
        }
    }

    /// A statement and its reason on one line: "You are banned: spamming."
    pub(super) fn reasoned(&mut self, style: Style, statement: &str, reason: &str) {
        let reason = one_line(reason);
        self.put(style, statement);
        if !reason.is_empty() {
            self.put(style, ": ").put(style, &reason);
        }
        if !reason.ends_with(['.', '!', '?']) {
            self.put(style, ".");
        }
        self.end();
    }

    /// A clause without capital and full stop, as errors have it, as a sentence of its own.
    pub(super) fn sentence(&mut self, style: Style, clause: &str) {
        let clause = one_line(clause);
        self.put(style, &capital(&clause));
        if !clause.ends_with(['.', '!', '?']) {
            self.put(style, ".");
        }
        self.end();
    }

    /// The name of a room in a sentence.
    pub(super) fn room_name(&mut self, room: RoomId) -> &mut Self {
        let name = self.world.room(room).map_or("somewhere", |room| &room.name);
        self.quote(Style::RoomName, name)
    }
}

/// Text of others as it may stand inside a line.
pub(super) fn one_line(text: &str) -> Cow<'_, str> {
    clean(text)
}

/// With a capital first letter. Only ASCII changes: names of the content begin so.
pub(super) fn capital(text: &str) -> Cow<'_, str> {
    if !text.starts_with(|first: char| first.is_ascii_lowercase()) {
        return Cow::Borrowed(text);
    }
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    Cow::Owned(text)
}

/// A small number as a word, others in digits.
pub(super) fn number(count: u32) -> String {
    let word = usize::try_from(count).ok().and_then(|at| WORDS.get(at));
    word.map_or_else(|| count.to_string(), |&word| word.to_owned())
}

/// "one other", "312 others".
pub(super) fn others(count: u32) -> String {
    match count {
        1 => "one other".to_owned(),
        _ => format!("{} others", number(count)),
    }
}

/// "1 second", "90 seconds" and their like.
pub(super) fn counted(count: u64, unit: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural}")
}

/// Names as they stand in a sentence, with what is in brackets for the eye: "Bob (away)".
pub(super) fn person(person: &PersonSeen) -> String {
    let mut name = one_line(&person.name).into_owned();
    if person.linkdead {
        name.push_str(" (no connection)");
    } else if person.away {
        name.push_str(" (away)");
    }
    name
}

/// What else there is to say of a person, to follow "Bob is here".
pub(super) fn condition(person: &PersonSeen) -> &'static str {
    if person.linkdead {
        ", without a connection"
    } else if person.away {
        ", away from the keyboard"
    } else {
        ""
    }
}

/// "look, go or get".
pub(super) fn either(words: &[Text]) -> String {
    let mut list = String::new();
    for (place, word) in words.iter().enumerate() {
        if place > 0 {
            let is_last = place.saturating_add(1) == words.len();
            list.push_str(if is_last { " or " } else { ", " });
        }
        list.push_str(&one_line(word));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_are_words() {
        assert_eq!(number(3), "three");
        assert_eq!(number(12), "twelve");
        assert_eq!(number(13), "13");
        assert_eq!(others(1), "one other");
        assert_eq!(others(312), "312 others");
        assert_eq!(counted(1, "hour"), "1 hour");
        assert_eq!(counted(0, "hour"), "0 hours");
    }

    #[test]
    fn sentences_begin_with_a_capital() {
        assert_eq!(capital("the ferryman"), "The ferryman");
        assert_eq!(capital("\u{e9}lan"), "\u{e9}lan");
        assert_eq!(capital(""), "");
    }
}
