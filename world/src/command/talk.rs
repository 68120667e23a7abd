//! `[pure]` Channels, and whom one does not want to read.

use super::order::{ChannelDeed, Command, Unclear};
use super::speech;
use super::words::{self, Words};
use crate::content::{Channel, channel_named};
use crate::ids::ChannelId;
use crate::talk::Ignored;

const DEEDS: &str =
    "join, leave, who or history and the name of a channel, as in channel join chat";

const WHOM: &str = "a name such as ann, bo@othergame, or @othergame for a whole game";

/// The words for what one does with a channel.
const DEED_WORDS: [(&str, ChannelDeed); 9] = [
    ("join", ChannelDeed::Join),
    ("on", ChannelDeed::Join),
    ("leave", ChannelDeed::Leave),
    ("off", ChannelDeed::Leave),
    ("quit", ChannelDeed::Leave),
    ("who", ChannelDeed::Who),
    ("history", ChannelDeed::History),
    ("last", ChannelDeed::History),
    ("recent", ChannelDeed::History),
];

/// `channel join chat`, `channel chat on`; `channel` alone lists them, and `channel chat` shows the
/// last lines.
pub(super) fn channel(rest: &str) -> Result<Command, Unclear> {
    let mut words = Words::new(rest).map(|word| word.raw);
    let (first, second, more) = (words.next(), words.next(), words.next());
    let (name, deed) = match (first, second, more) {
        (None, _, _) => return Ok(Command::Channels),
        (Some(name), None, _) if deed(name).is_none() => (name, ChannelDeed::History),
        (Some(_), None, _) => {
            return Err(Unclear::missing("Which channel? As in channel join chat"));
        }
        (Some(first), Some(second), None) => match (deed(first), deed(second)) {
            (Some(deed), _) => (second, deed),
            (None, Some(deed)) => (first, deed),
            (None, None) => return Err(Unclear::bad(rest, DEEDS)),
        },
        (Some(_), _, _) => return Err(Unclear::bad(rest, DEEDS)),
    };
    Ok(Command::Channel(deed, words::echo(name).into()))
}

fn deed(word: &str) -> Option<ChannelDeed> {
    let known = DEED_WORDS
        .iter()
        .find(|(known, _)| word.eq_ignore_ascii_case(known));
    known.map(|(_, deed)| *deed)
}

/// The channel whose whole name this is.
pub(super) fn named(word: &str, channels: &[Channel]) -> Option<ChannelId> {
    let is_whole = |channel: &Channel| channel.name.eq_ignore_ascii_case(word);
    let at = channels.iter().position(is_whole)?;
    u16::try_from(at).ok().map(ChannelId)
}

/// The channel that a shortened word can only mean.
pub(super) fn begun(word: &str, channels: &[Channel]) -> Option<ChannelId> {
    channel_named(channels, word)
}

/// `chat hello`; `chat` alone shows the last lines.
pub(super) fn speak(channel: ChannelId, rest: &str) -> Result<Command, Unclear> {
    let text = speech::optional(rest)?;
    Ok(if text.is_empty() {
        Command::Recent(channel)
    } else {
        Command::Speak { channel, text }
    })
}

/// `ignore`, `ignore ann`, `ignore bo@othergame`, `ignore @othergame`.
pub(super) fn ignore(rest: &str) -> Result<Command, Unclear> {
    if rest.is_empty() {
        return Ok(Command::Ignore(None));
    }
    whom(rest).map(|whom| Command::Ignore(Some(whom)))
}

/// `unignore ann`.
pub(super) fn unignore(rest: &str) -> Result<Command, Unclear> {
    if rest.is_empty() {
        return Err(Unclear::missing("Unignore whom?"));
    }
    whom(rest).map(Command::Unignore)
}

/// Quotes that keep a name with blanks together, as for `tell`, are no part of it.
fn whom(rest: &str) -> Result<Ignored, Unclear> {
    let mut words = Words::new(rest);
    let quoted = words
        .next()
        .filter(|word| word.quoted && word.count.is_none());
    let name = quoted.filter(|_| words.rest().is_empty());
    Ignored::parse(name.map_or(rest, |word| word.text)).ok_or_else(|| Unclear::bad(rest, WHOM))
}
