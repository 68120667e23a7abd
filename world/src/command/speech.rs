//! `[pure]` What is said: say, emote, tell, reply and the away message.

use super::limits::{CHAT_CHARS_MAX, NOUN_CHARS_MAX};
use super::order::{Command, Unclear};
use super::words::Words;
use crate::event::Text;

/// `say hello`; a closing `"` of `"hello"` is not said.
pub(super) fn say(rest: &str) -> Result<Command, Unclear> {
    let text = match rest.strip_suffix('"') {
        Some(inside) if !inside.contains('"') => inside,
        _ => rest,
    };
    chat(text, "Say what?").map(Command::Say)
}

/// `emote waves`.
pub(super) fn emote(rest: &str) -> Result<Command, Unclear> {
    chat(rest, "Emote what?").map(Command::Emote)
}

/// `reply hello`.
pub(super) fn reply(rest: &str) -> Result<Command, Unclear> {
    chat(rest, "Reply what?").map(Command::Reply)
}

/// `tell ann hello`.
pub(super) fn tell(rest: &str) -> Result<Command, Unclear> {
    let mut words = Words::new(rest);
    words.pass_over("to");
    let to = person(&mut words, "Tell whom what?")?;
    let text = chat(words.rest(), &format!("Tell {to} what?"))?;
    Ok(Command::Tell { to, text })
}

/// `afk`, `afk at lunch`.
pub(super) fn away(rest: &str) -> Result<Command, Unclear> {
    Ok(Command::Away(match optional(rest)? {
        text if text.is_empty() => None,
        text => Some(text),
    }))
}

/// The next word as the name of a person, as typed.
pub(super) fn person(words: &mut Words<'_>, missing: &str) -> Result<Text, Unclear> {
    let Some(word) = words.next() else {
        return Err(Unclear::missing(missing));
    };
    // `192.0.2.1` begins like `2.sword`; as typed it is whole.
    let name = if word.count.is_some() {
        word.raw
    } else {
        word.text
    };
    if name.chars().count() > NOUN_CHARS_MAX {
        return Err(Unclear::bad(name, "a name"));
    }
    Ok(name.into())
}

/// Text that others will read and that may be empty, within the limit.
pub(super) fn optional(text: &str) -> Result<Text, Unclear> {
    let text = text.trim();
    if text.chars().nth(CHAT_CHARS_MAX).is_some() {
        let allowed = format!("at most {CHAT_CHARS_MAX} characters at a time");
        return Err(Unclear::bad(text, &allowed));
    }
    Ok(text.into())
}

fn chat(text: &str, missing: &str) -> Result<Text, Unclear> {
    match optional(text)? {
        text if text.is_empty() => Err(Unclear::missing(missing)),
        text => Ok(text),
    }
}
