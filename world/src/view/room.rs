//! `[pure]` Rooms, exits and closer looks.

use super::page::{Page, capital, condition, number, one_line, others, person};
use crate::event::{PersonSeen, RoomSeen, Text};
use crate::ids::{Direction, RoomId};
use crate::text::{Style, list_in_words};

/// The whole room: name, description, exits, people, mobs, things.
pub(super) fn room(page: &mut Page<'_>, seen: &RoomSeen) {
    match page.world().room(seen.room) {
        Some(room) => {
            page.quote(Style::RoomName, &room.name).end();
            page.prose(Style::Plain, &room.description);
            exit_line(page, room.exits.iter().map(|exit| exit.direction));
        }
        // Content of another node that this one has not: a fault, but no reason to show nothing.
        None => page.line(Style::RoomName, "Somewhere"),
    }
    people(page, &seen.people, seen.people_more);
    for mob in &seen.mobs {
        page.quote_start(Style::Mob, mob)
            .put(Style::Mob, " is here.")
            .end();
    }
    for (line, count) in &seen.items {
        item(page, line, *count);
    }
}

/// A closer look.
pub(super) fn thing(page: &mut Page<'_>, name: &Text, description: &Text) {
    if description.trim().is_empty() {
        let style = Style::Plain;
        page.put(style, "You see nothing special about ")
            .quote(style, name)
            .put(style, ".")
            .end();
        return;
    }
    page.quote_start(Style::Heading, name).end();
    page.prose(Style::Plain, description);
}

/// A look through an exit.
pub(super) fn way(page: &mut Page<'_>, way: Direction, room: Option<RoomId>) {
    let Some(room) = room else {
        return page.line(Style::Plain, "There is no exit that way.");
    };
    let side = match way {
        Direction::Up => "Above",
        Direction::Down => "Below",
        Direction::In => "Inside",
        Direction::Out => "Outside",
        Direction::North
        | Direction::East
        | Direction::South
        | Direction::West
        | Direction::Northeast
        | Direction::Northwest
        | Direction::Southeast
        | Direction::Southwest => "To the ",
    };
    page.put(Style::Exits, side);
    if side.ends_with(' ') {
        page.put(Style::Exits, way.name());
    }
    page.put(Style::Exits, " is ")
        .room_name(room)
        .put(Style::Exits, ".")
        .end();
}

/// The exits with where they lead, a line each for everybody.
pub(super) fn exits(page: &mut Page<'_>, exits: &[(Direction, RoomId)]) {
    if exits.is_empty() {
        page.line(Style::Exits, "There is no way out of here.");
    }
    for (way, room) in exits {
        page.quote_start(Style::Exits, way.name())
            .put(Style::Exits, " leads to ");
        page.room_name(*room).put(Style::Exits, ".").end();
    }
}

/// `Exits: north, east and up.` It is never broken: programs look for it.
fn exit_line(page: &mut Page<'_>, ways: impl ExactSizeIterator<Item = Direction>) {
    page.put(Style::Exits, "Exits: ");
    let len = ways.len();
    if len == 0 {
        page.put(Style::Exits, "none");
    }
    for (place, way) in ways.enumerate() {
        if place > 0 {
            let is_last = place.saturating_add(1) == len;
            page.put(Style::Exits, if is_last { " and " } else { ", " });
        }
        page.put(Style::Exits, way.name());
    }
    page.put(Style::Exits, ".").end();
}

fn people(page: &mut Page<'_>, people: &[PersonSeen], more: u32) {
    let style = Style::Person;
    if page.is_read_aloud() {
        for one in people {
            page.quote(style, &one.name).put(style, " is here");
            page.put(style, condition(one)).put(style, ".").end();
        }
        match (people.is_empty(), more) {
            (_, 0) => {}
            (_, 1) => page.line(style, "One other is here."),
            (_, more) => {
                let count = others(more);
                page.quote_start(style, &count)
                    .put(style, " are here.")
                    .end();
            }
        }
        return;
    }
    let mut names: Vec<String> = people.iter().map(person).collect();
    if more > 0 {
        names.push(others(more));
    }
    if names.is_empty() {
        return;
    }
    let verb = if people.len() == 1 && more == 0 || people.is_empty() && more == 1 {
        "is"
    } else {
        "are"
    };
    let sentence = format!("{} {verb} here.", list_in_words(&names));
    page.prose(style, &capital(&sentence));
}

/// `A brass lantern stands here. (3)`, or in words where it is read aloud.
fn item(page: &mut Page<'_>, line: &str, count: u32) {
    let style = Style::Item;
    let line = one_line(line);
    if count < 2 {
        page.put(style, &line).end();
    } else if page.is_read_aloud() {
        let start = line.strip_suffix('.').unwrap_or(&line);
        let count = number(count);
        page.put(style, start)
            .put(style, ", ")
            .put(style, &count)
            .put(style, " of them.")
            .end();
    } else {
        let count = count.to_string();
        page.put(style, &line)
            .put(style, " (")
            .put(style, &count)
            .put(style, ")")
            .end();
    }
}
