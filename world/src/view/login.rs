//! `[pure]` The login dialogue. Programs wait for these prompts, so their words are part of what
//! the node promises; they are the same for every viewer but for the list of characters.

use super::page::{Page, counted, one_line};
use crate::event::{LoginEvent, Text};
use crate::text::Style;

/// One step of the dialogue.
pub(super) fn login(page: &mut Page<'_>, step: &LoginEvent) {
    match step {
        LoginEvent::Greeting => greeting(page),
        LoginEvent::AskName { guests: true } => ask(page, "Name (or \"guest\"): "),
        LoginEvent::AskName { guests: false } => ask(page, "Name: "),
        LoginEvent::AskCreate(name) => {
            let name = one_line(name);
            let question = format!("There is no account named {name}. Create it? (yes/no): ");
            ask(page, &question);
        }
        LoginEvent::AskPassword => ask(page, "Password: "),
        LoginEvent::AskNewPassword => ask(page, "New password: "),
        LoginEvent::AskRepeat => ask(page, "Repeat the password: "),
        LoginEvent::AskCharacterName => ask(page, "Character name: "),
        LoginEvent::AskCharacter(names) => ask_character(page, names),
        LoginEvent::BadName(reason) => bad(page, reason, "That name cannot be used."),
        LoginEvent::BadPassword(reason) => bad(page, reason, "That password cannot be used."),
        LoginEvent::NameTaken(name) => {
            let line = format!("The name {} is taken.", one_line(name));
            page.line(Style::Error, &line);
        }
        LoginEvent::SlowDown(seconds) => {
            let wait = counted(*seconds, "second");
            let line = format!("Too many failed logins. Wait {wait} and try again.");
            page.line(Style::Error, &line);
        }
        LoginEvent::InLine(place) => {
            page.line(Style::Notice, &format!("You are number {place} in line."));
        }
        LoginEvent::Waiting => {
            let line = "Please wait: your account is still busy elsewhere.";
            page.line(Style::Notice, line);
        }
        LoginEvent::Banned(reason) => page.reasoned(Style::Error, "You are banned", reason),
        LoginEvent::Welcome { name, back } => welcome(page, name, *back),
        LoginEvent::Resumed { name, missed_more } => {
            welcome(page, name, true);
            resumed(page, *missed_more);
        }
        LoginEvent::YesOrNo
        | LoginEvent::PasswordsDiffer
        | LoginEvent::Wrong
        | LoginEvent::NoSuchCharacter
        | LoginEvent::BadToken
        | LoginEvent::Busy
        | LoginEvent::NoGuests
        | LoginEvent::EchoWarning
        | LoginEvent::TooSlow => page.line(Style::Error, fixed(step)),
    }
}

/// The steps that are one line without anything in it.
fn fixed(step: &LoginEvent) -> &'static str {
    match step {
        LoginEvent::YesOrNo => "Please answer yes or no.",
        LoginEvent::PasswordsDiffer => "The two passwords differ. Try again.",
        LoginEvent::Wrong => "That name or password is wrong.",
        LoginEvent::NoSuchCharacter => "There is no such character in the list.",
        LoginEvent::BadToken => "That token is unknown, used or too old.",
        LoginEvent::Busy => "Busy, try again later.",
        LoginEvent::NoGuests => "Guests are not let in here.",
        LoginEvent::EchoWarning => {
            "Your client shows what you type. Take care that nobody reads your password."
        }
        LoginEvent::TooSlow => "That took too long. Goodbye.",
        LoginEvent::Greeting
        | LoginEvent::AskName { .. }
        | LoginEvent::AskCreate(_)
        | LoginEvent::AskPassword
        | LoginEvent::AskNewPassword
        | LoginEvent::AskRepeat
        | LoginEvent::AskCharacterName
        | LoginEvent::AskCharacter(_)
        | LoginEvent::BadName(_)
        | LoginEvent::BadPassword(_)
        | LoginEvent::NameTaken(_)
        | LoginEvent::SlowDown(_)
        | LoginEvent::InLine(_)
        | LoginEvent::Waiting
        | LoginEvent::Banned(_)
        | LoginEvent::Welcome { .. }
        | LoginEvent::Resumed { .. } => "",
    }
}

/// The screen-reader offer comes before all else: few clients of those who need it say so. To one
/// who has the mode, only the name of the world is read.
fn greeting(page: &mut Page<'_>) {
    let world = page.world();
    let (name, greeting) = (world.name(), world.greeting());
    if page.is_read_aloud() {
        return page
            .put(Style::Heading, "This is ")
            .quote(Style::Heading, name)
            .line(Style::Heading, ".");
    }
    page.line(
        Style::Notice,
        "Type screenreader at the name prompt for screen-reader mode.",
    );
    let mut lines = greeting.lines().peekable();
    let begins_with_name = lines.next_if(|line| line.trim() == name).is_some();
    page.quote(Style::Heading, name).end();
    if !begins_with_name {
        page.end();
    }
    for line in lines {
        page.put(Style::Plain, line).end();
    }
}

fn ask(page: &mut Page<'_>, prompt: &str) {
    page.put(Style::Prompt, prompt);
}

fn ask_character(page: &mut Page<'_>, names: &[Text]) {
    if !names.is_empty() {
        let aloud = page.is_read_aloud();
        page.put(Style::Plain, "Characters:");
        for (place, name) in names.iter().enumerate() {
            match (aloud, place) {
                (true, _) => page.end(),
                (false, 0) => _ = page.put(Style::Plain, " "),
                (false, _) => _ = page.put(Style::Plain, ", "),
            }
            let number = format!("{}. ", place.saturating_add(1));
            page.put(Style::Plain, &number).quote(Style::Person, name);
        }
        page.end();
    }
    ask(page, "Which (number or name, or \"new\"): ");
}

fn bad(page: &mut Page<'_>, reason: &str, otherwise: &str) {
    if reason.trim().is_empty() {
        page.line(Style::Error, otherwise);
    } else {
        page.sentence(Style::Error, reason);
    }
}

fn welcome(page: &mut Page<'_>, name: &Text, back: bool) {
    let greeting = if back { "Welcome back, " } else { "Welcome, " };
    page.put(Style::Notice, greeting)
        .quote(Style::Notice, name)
        .line(Style::Notice, ".");
}

fn resumed(page: &mut Page<'_>, missed_more: u32) {
    match missed_more {
        0 => page.line(Style::Notice, "Your session goes on."),
        1 => page.line(Style::Notice, "Your session goes on. One text is lost."),
        lost => {
            let line = format!("Your session goes on. {lost} texts are lost.");
            page.line(Style::Notice, &line);
        }
    }
}
