//! `[pure]` `[[channels]]` of `world.toml`: where players talk wherever they are.

use toml::Spanned;
use toml::de::DeValue;

use super::fields::{Fields, shown};
use super::limits::{CHANNEL_NAME_BYTES_MIN, CHANNELS_MAX};
use super::log::{FaultLog, Located};
use super::text;
use super::world::Channel;
use crate::command::{Rights, verbs};
use crate::text::Style;

const CHANNEL_KEYS: &[&str] = &["name", "about", "color", "remote", "default"];

/// The colours that a channel can have, by the word for them.
const COLORS: [(&str, Style); 10] = [
    ("blue", Style::Channel),
    ("green", Style::Speech),
    ("cyan", Style::Exits),
    ("magenta", Style::Tell),
    ("purple", Style::Emote),
    ("orange", Style::Item),
    ("yellow", Style::Notice),
    ("brown", Style::Mob),
    ("grey", Style::Dim),
    ("plain", Style::Plain),
];

/// One `[[channels]]`.
#[derive(Debug)]
pub(super) struct RawChannel {
    name: Located<String>,
    about: String,
    color: Style,
    remote: Option<Located<String>>,
    default: bool,
}

/// Reads the list.
pub(super) fn read_all(log: &mut FaultLog<'_>, file: &Fields<'_>) -> Vec<RawChannel> {
    let number = file.at.file;
    let list = file.list(log, "channels", CHANNELS_MAX);
    let read = list.iter().filter_map(|value| read(log, number, value));
    read.collect()
}

fn read<'t>(
    log: &mut FaultLog<'_>,
    file: u32,
    value: &'t Spanned<DeValue<'t>>,
) -> Option<RawChannel> {
    let fields = Fields::of_value(log, "[[channels]]", file, value, CHANNEL_KEYS)?;
    let name = fields.text(log, "name", text::CHANNEL);
    if is_long_enough(log, "name", &name) {
        clashes(log, &name);
    }
    let remote = fields.text_if_any(log, "remote", text::REMOTE);
    if let Some(remote) = &remote
        && is_long_enough(log, "remote", remote)
        && remote.value.eq_ignore_ascii_case("all")
    {
        let wrong = "a channel of the network cannot have the name \"all\"";
        log.error(remote.at, wrong);
    }
    Some(RawChannel {
        name,
        about: fields.text(log, "about", text::ABOUT).value,
        color: read_color(log, &fields),
        remote,
        default: fields.flag(log, "default", false),
    })
}

/// A name that is empty is a fault already.
fn is_long_enough(log: &mut FaultLog<'_>, key: &str, name: &Located<String>) -> bool {
    let bytes = name.value.len();
    if (1..CHANNEL_NAME_BYTES_MIN).contains(&bytes) {
        let wrong = format!(
            "\"{key}\" is {bytes} bytes long; at least {CHANNEL_NAME_BYTES_MIN} are needed"
        );
        log.error(name.at, wrong);
    }
    bytes >= CHANNEL_NAME_BYTES_MIN
}

/// The name is a word that players type: no word of the game may be meant by it.
fn clashes(log: &mut FaultLog<'_>, name: &Located<String>) {
    let Some(verb) = verbs::find(&name.value, Rights { staff: true }) else {
        return;
    };
    let word = shown(&name.value);
    let wrong = if verb.words().any(|known| known.eq_ignore_ascii_case(&word)) {
        format!("\"{word}\" is a word of the game already; a channel needs another name")
    } else {
        format!(
            "\"{word}\" is short for the word \"{}\"; a channel needs another name",
            verb.name
        )
    };
    log.error(name.at, wrong);
}

fn read_color(log: &mut FaultLog<'_>, fields: &Fields<'_>) -> Style {
    let Some(color) = fields.text_if_any(log, "color", text::KEYWORD) else {
        return Style::Channel;
    };
    let known = COLORS.iter().find(|(word, _)| *word == color.value);
    known.map_or_else(
        || {
            let words = COLORS.map(|(word, _)| word);
            let near = log.suggestion(&color.value, words.into_iter());
            let wrong = format!(
                "there is no color \"{}\"{near}; allowed: {}",
                shown(&color.value),
                words.join(", ")
            );
            log.error(color.at, wrong);
            Style::Channel
        },
        |(_, style)| *style,
    )
}

/// The channels in the order of their names; one that stands twice is a fault.
pub(super) fn link(raw: Vec<RawChannel>, log: &mut FaultLog<'_>) -> Box<[Channel]> {
    let mut sorted = raw;
    sorted.sort_by_cached_key(|channel| (channel.name.value.to_ascii_lowercase(), channel.name.at));
    for pair in sorted.windows(2) {
        if let [first, second] = pair
            && first.name.value.eq_ignore_ascii_case(&second.name.value)
            && !first.name.value.is_empty()
        {
            stands_twice(log, "channel", &first.name, &second.name);
        }
    }
    let mut remotes: Vec<&Located<String>> = sorted
        .iter()
        .filter_map(|channel| channel.remote.as_ref())
        .collect();
    remotes.sort_by_cached_key(|remote| (remote.value.to_ascii_lowercase(), remote.at));
    for pair in remotes.windows(2) {
        if let [first, second] = pair
            && first.value.eq_ignore_ascii_case(&second.value)
        {
            stands_twice(log, "remote channel", first, second);
        }
    }
    sorted
        .into_iter()
        .map(|channel| Channel {
            name: channel.name.value.into(),
            about: channel.about.into(),
            color: channel.color,
            remote: channel.remote.map(|remote| remote.value.into()),
            default: channel.default,
        })
        .collect()
}

fn stands_twice(
    log: &mut FaultLog<'_>,
    what: &str,
    first: &Located<String>,
    second: &Located<String>,
) {
    let place = log.place_text(first.at);
    let wrong = format!(
        "the {what} \"{}\" is already at {place}",
        shown(&second.value)
    );
    log.error(second.at, wrong);
}
