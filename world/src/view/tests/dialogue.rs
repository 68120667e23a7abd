//! `[pure]` The login dialogue and its prompts: exact texts, which programs wait for.

use super::sample::*;
use crate::event::*;
use crate::view::{PROMPT, ends_in_prompt, render_prompt};

/// The texts, and that exactly those without a line end are marked as prompts.
fn check_steps(table: Vec<(LoginEvent, &str)>) {
    for (step, expected) in &table {
        let open = !expected.ends_with('\n') && !expected.is_empty();
        assert_eq!(
            ends_in_prompt(&Event::Login(step.clone())),
            open,
            "{step:?}"
        );
    }
    check_all(table, Event::Login);
}

#[test]
fn prompts_stay_open() {
    use LoginEvent as L;
    let table = vec![
        (L::AskName { guests: true }, "Name (or \"guest\"): "),
        (L::AskName { guests: false }, "Name: "),
        (
            L::AskCreate(t("Ann")),
            "There is no account named Ann. Create it? (yes/no): ",
        ),
        (L::AskPassword, "Password: "),
        (L::AskNewPassword, "New password: "),
        (L::AskRepeat, "Repeat the password: "),
        (L::AskCharacterName, "Character name: "),
        (
            L::AskCharacter(vec![]),
            "Which (number or name, or \"new\"): ",
        ),
    ];
    check_steps(table);
}

#[test]
fn lines_of_the_dialogue() {
    use LoginEvent as L;
    let welcome = |back| L::Welcome {
        name: t("Ann"),
        back,
    };
    let resumed = |missed_more| L::Resumed {
        name: t("Ann"),
        missed_more,
    };
    let table = vec![
        (L::YesOrNo, "Please answer yes or no.\n"),
        (
            L::BadName(t("that name is reserved")),
            "That name is reserved.\n",
        ),
        (L::BadName(t("")), "That name cannot be used.\n"),
        (L::BadPassword(t("a password must not be the name")), {
            "A password must not be the name.\n"
        }),
        (L::BadPassword(t("")), "That password cannot be used.\n"),
        (L::PasswordsDiffer, "The two passwords differ. Try again.\n"),
        (L::Wrong, "That name or password is wrong.\n"),
        (L::NameTaken(t("Ann")), "The name Ann is taken.\n"),
        (
            L::NoSuchCharacter,
            "There is no such character in the list.\n",
        ),
        (L::BadToken, "That token is unknown, used or too old.\n"),
        (
            L::SlowDown(1),
            "Too many failed logins. Wait 1 second and try again.\n",
        ),
        (L::InLine(12), "You are number 12 in line.\n"),
        (L::Busy, "Busy, try again later.\n"),
        (L::NoGuests, "Guests are not let in here.\n"),
        (L::Banned(t("spamming")), "You are banned: spamming.\n"),
        (L::Banned(t("")), "You are banned.\n"),
        (
            L::EchoWarning,
            "Your client shows what you type. Take care that nobody reads your password.\n",
        ),
        (L::TooSlow, "That took too long. Goodbye.\n"),
        (welcome(false), "Welcome, Ann.\n"),
        (welcome(true), "Welcome back, Ann.\n"),
        (resumed(0), "Welcome back, Ann.\nYour session goes on.\n"),
        (
            resumed(1),
            "Welcome back, Ann.\nYour session goes on. One text is lost.\n",
        ),
        (
            resumed(7),
            "Welcome back, Ann.\nYour session goes on. 7 texts are lost.\n",
        ),
    ];
    check_steps(table);
}

#[test]
fn the_greeting_and_the_list_of_characters_differ_for_eye_and_ear() {
    let greeting = Event::Login(LoginEvent::Greeting);
    check(
        greeting.clone(),
        PLAIN,
        "Type screenreader at the name prompt for screen-reader mode.\n\
         Skerrow\n\nA harbour.\n",
    );
    check(greeting, ALOUD, "This is Skerrow.\n");
    let ask = Event::Login(LoginEvent::AskCharacter(vec![t("Ann"), t("Bob")]));
    let which = "Which (number or name, or \"new\"): ";
    check(
        ask.clone(),
        PLAIN,
        &format!("Characters: 1. Ann, 2. Bob\n{which}"),
    );
    check(
        ask.clone(),
        ALOUD,
        &format!("Characters:\n1. Ann\n2. Bob\n{which}"),
    );
    assert!(ends_in_prompt(&ask));
}

#[test]
fn colour_and_prompts_for_a_client_that_says_nothing() {
    let says = Event::Seen(Seen::Says {
        who: t("Zo\u{eb}"),
        text: t("hi"),
    });
    check(says.clone(), COLORED, {
        "\u{1b}[94mZo\u{eb}\u{1b}[0m says, \"\u{1b}[32mhi\u{1b}[0m\"\n"
    });
    check(says, PLAIN, "Zoe says, \"hi\"\n");
    let ask = Event::Login(LoginEvent::AskPassword);
    check(ask, COLORED, "\u{1b}[90mPassword: \u{1b}[0m");
    let mut out = Vec::new();
    render_prompt(PLAIN, &mut out);
    assert_eq!(out, PROMPT.as_bytes());
}
