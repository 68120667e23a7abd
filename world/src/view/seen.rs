//! `[pure]` What others do, as bystanders read it.

use super::page::{Page, capital, number, one_line, others};
use crate::event::{Seen, Text};
use crate::ids::Direction;
use crate::text::{Style, list_in_words};

/// What bystanders see.
pub(super) fn seen(page: &mut Page<'_>, seen: &Seen) {
    match seen {
        Seen::Says { who, text } => {
            page.quote_start(Style::Person, who)
                .put(Style::Plain, " says, \"");
            page.quote(Style::Speech, text)
                .put(Style::Plain, "\"")
                .end();
        }
        Seen::Emotes { who, text } => emote(page, who, text),
        Seen::Arrives { who, went } => {
            let from = went.map_or("", Direction::arrival);
            moves(page, who, " arrives", from);
        }
        Seen::Leaves { who, went } => match went {
            Some(Direction::In) => moves(page, who, " goes", "in"),
            Some(Direction::Out) => moves(page, who, " goes", "out"),
            Some(way) => moves(page, who, " leaves", way.name()),
            None => moves(page, who, " leaves", ""),
        },
        Seen::Wakes(who) => does(page, who, " comes into the game."),
        Seen::Sleeps(who) => does(page, who, " leaves the game."),
        Seen::Appears(who) => does(page, who, " appears from nowhere."),
        Seen::Vanishes(who) => does(page, who, " vanishes."),
        Seen::LosesLink(who) => does(page, who, " loses the connection."),
        Seen::RegainsLink(who) => does(page, who, " is connected again."),
        Seen::ManyArrive(names, more) => many(page, names, *more, ["arrives", "arrive"]),
        Seen::ManyLeave(names, more) => many(page, names, *more, ["leaves", "leave"]),
        Seen::Gets { who, item } => handles(page, who, " gets ", item),
        Seen::Drops { who, item } => handles(page, who, " drops ", item),
        Seen::Gives { who, item, to } => {
            page.quote_start(Style::Person, who)
                .put(Style::Plain, " gives ");
            page.quote(Style::Item, item).put(Style::Plain, " to ");
            page.quote(Style::Person, to).put(Style::Plain, ".").end();
        }
        Seen::ItemAppears(item) => {
            page.quote_start(Style::Item, item)
                .put(Style::Plain, " appears.")
                .end();
        }
        Seen::Trembles => page.line(Style::Notice, "The ground trembles for a moment."),
    }
}

/// `Ann waves`, and `Ann's eyes shine` for what begins with a sign that clings to the name.
fn emote(page: &mut Page<'_>, who: &Text, text: &Text) {
    page.quote_start(Style::Person, who);
    let text = one_line(text);
    let clings = text.starts_with(['\'', ',']);
    page.put(Style::Emote, if clings { "" } else { " " })
        .put(Style::Emote, &text)
        .end();
}

fn moves(page: &mut Page<'_>, who: &Text, verb: &str, way: &str) {
    page.quote_start(Style::Person, who).put(Style::Plain, verb);
    if !way.is_empty() {
        page.put(Style::Plain, " ").put(Style::Plain, way);
    }
    page.put(Style::Plain, ".").end();
}

fn does(page: &mut Page<'_>, who: &Text, what: &str) {
    page.quote_start(Style::Person, who)
        .put(Style::Plain, what)
        .end();
}

fn handles(page: &mut Page<'_>, who: &Text, verb: &str, item: &Text) {
    page.quote_start(Style::Person, who).put(Style::Plain, verb);
    page.quote(Style::Item, item).put(Style::Plain, ".").end();
}

/// `Ann, Bob and 30 others arrive.`
fn many(page: &mut Page<'_>, names: &[Text], more: u32, [one, several]: [&str; 2]) {
    let mut who: Vec<String> = names
        .iter()
        .map(|name| one_line(name).into_owned())
        .collect();
    if more > 0 {
        who.push(match (names.is_empty(), more) {
            (true, 1) => "somebody".to_owned(),
            (true, more) => format!("{} people", number(more)),
            (false, more) => others(more),
        });
    }
    let verb = match (names.len(), more) {
        (0, 0) => return,
        (1, 0) | (0, 1) => one,
        _ => several,
    };
    let sentence = format!("{} {verb}.", list_in_words(&who));
    page.prose(Style::Person, &capital(&sentence));
}
