//! `[pure]` `[[room]]` as it is written: exits, things to look at and item resets.

use toml::Spanned;
use toml::de::DeValue;

use super::fields::{self, Fields};
use super::limits::{RESET_COUNT_MAX, RESETS_MAX, THINGS_MAX};
use super::log::{At, FaultLog, Located};
use super::text;
use crate::ids::Direction;

const ROOM_KEYS: &[&str] = &["key", "name", "description", "exits", "things", "items"];
const EXIT_KEYS: &[&str] = &["to", "one_way"];
const THING_KEYS: &[&str] = &["keywords", "description"];
const RESET_KEYS: &[&str] = &["item", "count"];

/// `[[room]]`.
#[derive(Debug)]
pub(super) struct RawRoom {
    pub(super) key: Located<String>,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) exits: Vec<RawExit>,
    pub(super) things: Vec<RawThing>,
    pub(super) resets: Vec<RawReset>,
}

/// One entry of `exits`.
#[derive(Debug)]
pub(super) struct RawExit {
    pub(super) direction: Direction,
    pub(super) to: Located<String>,
    /// The builder means it to have no way back.
    pub(super) one_way: bool,
}

/// One entry of `things`.
#[derive(Debug)]
pub(super) struct RawThing {
    pub(super) keywords: Vec<Located<String>>,
    pub(super) description: String,
}

/// One entry of `items`.
#[derive(Debug)]
pub(super) struct RawReset {
    pub(super) item: Located<String>,
    pub(super) count: u16,
}

/// Reads a room; `None` when it is no table.
pub(super) fn read<'t>(
    log: &mut FaultLog<'_>,
    file: u32,
    value: &'t Spanned<DeValue<'t>>,
) -> Option<RawRoom> {
    let fields = Fields::of_value(log, "[[room]]", file, value, ROOM_KEYS)?;
    let room = RawRoom {
        key: fields.text(log, "key", text::KEY),
        name: fields.text(log, "name", text::NAME).value,
        description: fields.text(log, "description", text::DESCRIPTION).value,
        exits: read_exits(log, &fields),
        things: read_things(log, &fields),
        resets: read_resets(log, &fields),
    };
    find_clashes(log, &room.things);
    Some(room)
}

fn read_exits(log: &mut FaultLog<'_>, room: &Fields<'_>) -> Vec<RawExit> {
    let Some(value) = room.value("exits") else {
        return Vec::new();
    };
    let file = room.at.file;
    let Some(table) = value.get_ref().as_table() else {
        let kind = fields::kind_of(value.get_ref());
        log.error(
            At::new(file, &value.span()),
            format!("\"exits\" must be a table, as in {{ north = \"square\" }}, found {kind}"),
        );
        return Vec::new();
    };
    let mut exits = Vec::new();
    for (key, value) in table.iter() {
        let word: &str = key.get_ref();
        // Short forms are for players: two ways to write one exit could both be there.
        let way = Direction::ALL.into_iter().find(|way| way.name() == word);
        let Some(direction) = way else {
            unknown_direction(log, At::new(file, &key.span()), word);
            continue;
        };
        if let Some((to, one_way)) = read_exit(log, file, word, value) {
            exits.push(RawExit {
                direction,
                to,
                one_way,
            });
        }
    }
    exits.sort_by_key(|exit| exit.direction);
    exits
}

fn unknown_direction(log: &mut FaultLog<'_>, at: At, word: &str) {
    let names = Direction::ALL.map(Direction::name);
    let near = match Direction::from_name(word) {
        Some(way) => format!(" (did you mean \"{way}\"?)"),
        None => log.suggestion(word, names.into_iter()),
    };
    let word = fields::shown(word);
    let allowed = names.join(", ");
    log.error(
        at,
        format!("unknown direction \"{word}\"{near}; allowed: {allowed}"),
    );
}

fn read_exit<'t>(
    log: &mut FaultLog<'_>,
    file: u32,
    word: &str,
    value: &'t Spanned<DeValue<'t>>,
) -> Option<(Located<String>, bool)> {
    if value.get_ref().as_table().is_none() {
        let to = fields::read_text(log, word, file, value, text::REFERENCE)?;
        return Some((to, false));
    }
    let fields = Fields::of_value(log, "an exit", file, value, EXIT_KEYS)?;
    let to = fields.text(log, "to", text::REFERENCE);
    let one_way = fields.flag(log, "one_way", false);
    Some((to, one_way))
}

fn read_things(log: &mut FaultLog<'_>, room: &Fields<'_>) -> Vec<RawThing> {
    let mut things = Vec::new();
    for value in room.list(log, "things", THINGS_MAX) {
        let what = "[[room.things]]";
        let fields = Fields::of_value(log, what, room.at.file, value, THING_KEYS);
        if let Some(fields) = fields {
            things.push(RawThing {
                keywords: fields.keywords(log),
                description: fields.text(log, "description", text::DESCRIPTION).value,
            });
        }
    }
    things
}

fn read_resets(log: &mut FaultLog<'_>, room: &Fields<'_>) -> Vec<RawReset> {
    let mut resets: Vec<RawReset> = Vec::new();
    for value in room.list(log, "items", RESETS_MAX) {
        let what = "[[room.items]]";
        let fields = Fields::of_value(log, what, room.at.file, value, RESET_KEYS);
        let Some(fields) = fields else { continue };
        let item = fields.text(log, "item", text::REFERENCE);
        let count = fields
            .number(log, "count", 1..=u32::from(RESET_COUNT_MAX))
            .unwrap_or(1);
        if resets.iter().any(|other| other.item.value == item.value) {
            let wrong = format!("the item \"{}\" stands here twice", item.value);
            log.error(item.at, format!("{wrong}; allowed: one entry with a count"));
        }
        resets.push(RawReset {
            item,
            count: u16::try_from(count).unwrap_or(RESET_COUNT_MAX),
        });
    }
    resets
}

/// A keyword that two things of a room share shows only the first of them, and one that is a
/// direction shows neither.
fn find_clashes(log: &mut FaultLog<'_>, things: &[RawThing]) {
    for (index, thing) in things.iter().enumerate() {
        for word in &thing.keywords {
            let text = &word.value;
            let earlier = things.iter().take(index).flat_map(|thing| &thing.keywords);
            let clash = earlier
                .clone()
                .find(|other| other.value == *text)
                .map(|other| other.at);
            if let Some(other) = clash {
                let other = log.place_text(other);
                log.warning(
                    word.at,
                    format!("the keyword \"{text}\" already means another thing here, at {other}"),
                );
            }
            if Direction::from_name(text).is_some() {
                log.warning(
                    word.at,
                    format!("the keyword \"{text}\" is a direction; looking shows the exit"),
                );
            }
        }
    }
}
