//! `[pure]` What the player did, and what reached the player alone.

use super::page::{Page, one_line};
use super::told::color;
use crate::event::{Did, Received, Text};
use crate::text::Style;

/// The own view of what was done.
pub(super) fn did(page: &mut Page<'_>, done: &Did) {
    match done {
        Did::Say(text) => {
            page.put(Style::Plain, "You say, \"")
                .quote(Style::Speech, text);
            page.put(Style::Plain, "\"").end();
        }
        Did::Emote(text) => {
            page.put(Style::Plain, "You emote: ")
                .quote(Style::Emote, text)
                .end();
        }
        Did::Tell { to, text, away } => tell(page, to, text, away.as_ref()),
        Did::Get(item) => handled(page, "You get ", item),
        Did::Drop(item) => handled(page, "You drop ", item),
        Did::Give { item, to } => {
            page.put(Style::Plain, "You give ").quote(Style::Item, item);
            page.put(Style::Plain, " to ")
                .quote(Style::Person, to)
                .put(Style::Plain, ".")
                .end();
        }
        Did::Away(message) => page.reasoned(Style::Notice, "You are away now", message),
        Did::Back => page.line(Style::Notice, "You are back."),
        Did::Color(setting) => color(page, setting),
        Did::ScreenReader(true) => page.line(
            Style::Notice,
            "Screen-reader mode is on. Type screenreader off to end it.",
        ),
        Did::ScreenReader(false) => page.line(Style::Notice, "Screen-reader mode is off."),
        Did::Password => page.line(Style::Notice, "Your password is changed."),
        Did::Quit => page.line(Style::Notice, "Goodbye."),
        Did::Kick(who) => staff(page, "", who, " is removed from the game."),
        Did::Ban(whom) => staff(page, "", whom, " is banned."),
        Did::Crash(what) => staff(page, "A crash is on its way to ", what, "."),
        Did::Shutdown => page.line(Style::Notice, "The node is told to stop."),
    }
}

/// A private word or a thing from somebody.
pub(super) fn received(page: &mut Page<'_>, received: &Received) {
    match received {
        Received::Tell { from, text } => {
            page.quote_start(Style::Person, &from.to_string())
                .put(Style::Plain, " tells you, \"");
            page.quote(Style::Tell, text).put(Style::Plain, "\"").end();
        }
        Received::Item { from, item } => {
            page.quote_start(Style::Person, from)
                .put(Style::Plain, " gives you ");
            page.quote(Style::Item, item).put(Style::Plain, ".").end();
        }
    }
}

fn tell(page: &mut Page<'_>, to: &Text, text: &Text, away: Option<&Text>) {
    page.put(Style::Plain, "You tell ")
        .quote(Style::Person, to)
        .put(Style::Plain, ", \"");
    page.quote(Style::Tell, text).put(Style::Plain, "\"").end();
    if let Some(message) = away {
        let statement = format!("{} is away", one_line(to));
        page.reasoned(Style::Notice, &statement, message);
    }
}

fn handled(page: &mut Page<'_>, verb: &str, item: &Text) {
    page.put(Style::Plain, verb)
        .quote(Style::Item, item)
        .put(Style::Plain, ".")
        .end();
}

fn staff(page: &mut Page<'_>, before: &str, what: &Text, after: &str) {
    page.put(Style::Notice, before);
    if before.is_empty() {
        page.quote_start(Style::Notice, what);
    } else {
        page.quote(Style::Notice, what);
    }
    page.put(Style::Notice, after).end();
}
