//! `[pure]` Lists and facts on demand.

use super::page::{Page, capital, condition, counted, number, one_line, person};
use crate::command::help;
use crate::event::{PersonSeen, Score, Text, Told};
use crate::text::{Style, list_in_words};

/// The answer to a question.
pub(super) fn told(page: &mut Page<'_>, fact: &Told) {
    match fact {
        Told::Who { people, total } => who(page, people, *total),
        Told::Inventory(items) => inventory(page, items),
        Told::Score(sheet) => score(page, sheet),
        Told::Help(topic) => match help::text(topic) {
            Some(text) => page.line(Style::Plain, &text),
            None => page.line(
                Style::Plain,
                "There is no help on this. Type help for the list.",
            ),
        },
        Told::ColorIs(setting) => color(page, setting),
        Told::ScreenReaderIs(true) => page.line(Style::Notice, "Screen-reader mode is on."),
        Told::ScreenReaderIs(false) => page.line(Style::Notice, "Screen-reader mode is off."),
        Told::ResumeToken(token) => {
            page.line(
                Style::Notice,
                "To go on from a new connection, type this line at its name prompt:",
            );
            page.put(Style::Plain, "resume ")
                .quote(Style::Plain, token)
                .end();
            page.line(Style::Notice, "It works once. Keep it to yourself.");
        }
        Told::Nothing => {}
    }
}

/// The colour setting in words.
pub(super) fn color(page: &mut Page<'_>, setting: &str) {
    let line = match setting {
        "off" => "You see no colours.".to_owned(),
        "true" => "You see all colours.".to_owned(),
        "auto" => "You see the colours that your client can show.".to_owned(),
        other => format!("You see {} colours.", one_line(other)),
    };
    page.line(Style::Notice, &line);
}

fn who(page: &mut Page<'_>, people: &[PersonSeen], total: u32) {
    let style = Style::Person;
    if people.is_empty() {
        page.line(style, "Nobody of that name plays here just now.");
        if total == 0 {
            return;
        }
    } else if page.is_read_aloud() {
        for one in people {
            page.quote(style, &one.name)
                .put(style, condition(one))
                .put(style, ".")
                .end();
        }
    } else {
        let names: Vec<String> = people.iter().map(person).collect();
        page.prose(style, &format!("Players: {}.", list_in_words(&names)));
    }
    page.line(Style::Plain, &count_players(total));
}

/// "Two players in all."
pub(super) fn count_players(total: u32) -> String {
    match total {
        1 => "One player in all.".to_owned(),
        total => format!("{} players in all.", capital(&number(total))),
    }
}

fn inventory(page: &mut Page<'_>, items: &[(Text, u32)]) {
    if items.is_empty() {
        return page.line(Style::Plain, "You carry nothing.");
    }
    let aloud = page.is_read_aloud();
    page.line(Style::Plain, "You carry:");
    for (name, count) in items {
        page.quote_start(Style::Item, name);
        match (count, aloud) {
            (0 | 1, true) => page.put(Style::Item, "."),
            (0 | 1, false) => page,
            (count, true) => page.put(Style::Item, &format!(", {} of them.", number(*count))),
            (count, false) => page.put(Style::Item, &format!(" ({count})")),
        }
        .end();
    }
}

fn score(page: &mut Page<'_>, sheet: &Score) {
    let style = Style::Plain;
    page.put(style, "You are ")
        .quote(Style::Person, &sheet.name)
        .put(style, ".")
        .end();
    if sheet.guest {
        page.line(style, "You are a guest; nothing is saved.");
    }
    if sheet.staff {
        page.line(style, "You are staff.");
    }
    if let Some(room) = sheet.room {
        page.put(style, "You are in ")
            .room_name(room)
            .put(style, ".")
            .end();
    }
    let carried = match sheet.items {
        0 => "You carry nothing.".to_owned(),
        1 => "You carry one thing.".to_owned(),
        count => format!("You carry {} things.", number(count)),
    };
    page.line(style, &carried);
    page.line(
        style,
        &format!("You have played for {}.", time(sheet.played_s)),
    );
}

/// A span of time with its two greatest units.
fn time(seconds: u64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    let pair = |first: String, rest: u64, unit: &str| match rest {
        0 => first,
        rest => format!("{first} and {}", counted(rest, unit)),
    };
    match (days, hours, minutes) {
        (0, 0, 0) => counted(seconds, "second"),
        (0, 0, minutes) => counted(minutes, "minute"),
        (0, hours, minutes) => pair(counted(hours, "hour"), minutes % 60, "minute"),
        (days, hours, _) => pair(counted(days, "day"), hours % 24, "hour"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_two_units_at_most() {
        let table = [
            (0, "0 seconds"),
            (1, "1 second"),
            (59, "59 seconds"),
            (60, "1 minute"),
            (3_600, "1 hour"),
            (7_500, "2 hours and 5 minutes"),
            (86_400, "1 day"),
            (90_000, "1 day and 1 hour"),
        ];
        for (seconds, expected) in table {
            assert_eq!(time(seconds), expected);
        }
    }
}
