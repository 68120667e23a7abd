//! `[pure]` Goal: the login dialogue reads well and is never led astray. Method: transcripts; each
//! step is something typed or an answer, and all that it brings about.

use super::*;
use crate::event::Event;
use crate::ids::{AccountId, CharacterId};
use crate::session::Secret;
use LoginAnswer as A;

const RULES: LoginRules = LoginRules {
    guests: true,
    failures_max: 2,
    characters_max: 3,
};

/// One step of a transcript.
#[derive(Debug)]
enum Step {
    Typed(&'static str),
    Came(LoginAnswer),
}
use Step::{Came, Typed};

/// Steps, each with the effects behind it, divided by `; `.
type Transcript = Vec<(Step, &'static str)>;

fn account(name: &str) -> AccountFound {
    AccountFound {
        id: AccountId(7),
        name: name.into(),
        hash: Secret("hash".into()),
        staff: false,
    }
}

fn character(id: i64, name: &str) -> CharacterFound {
    CharacterFound {
        id: CharacterId(id),
        name: name.into(),
    }
}

fn secret(text: &str) -> Secret {
    Secret(text.into())
}

/// An effect as the transcripts have it; what is secret is told, for here it must be right.
fn told(effect: LoginEffect) -> String {
    match effect {
        LoginEffect::Show(Event::Login(event)) => format!("{event:?}"),
        LoginEffect::Close(Event::Login(event)) => format!("Close {event:?}"),
        LoginEffect::Hash(password) => format!("Hash {}", password.0),
        LoginEffect::Verify(hash, password) => format!("Verify {} {}", hash.0, password.0),
        LoginEffect::CreateAccount(name, hash) => format!("CreateAccount {name} {}", hash.0),
        LoginEffect::Redeem(token) => format!("Redeem {}", token.0),
        LoginEffect::Claim(account, one) => format!("Claim {} {}", account.name, one.name),
        LoginEffect::CreateCharacter(_, name) => format!("CreateCharacter {name}"),
        LoginEffect::FindAccount(name) => format!("FindAccount {name}"),
        LoginEffect::MayTry(name) => format!("MayTry {name}"),
        LoginEffect::Failed(name) => format!("Failed {name}"),
        LoginEffect::Clock { running } => format!("Clock {running}"),
        LoginEffect::FindCharacters(_) => "FindCharacters".to_owned(),
        other @ (LoginEffect::Show(_)
        | LoginEffect::Close(_)
        | LoginEffect::Hide(_)
        | LoginEffect::EnterGuest
        | LoginEffect::ScreenReader) => format!("{other:?}"),
    }
}

/// Plays the steps after the greeting.
fn check(rules: LoginRules, steps: Transcript) {
    let mut state = LoginState::default();
    let mut out = Vec::new();
    start(&mut state, &rules, &mut out);
    assert_eq!(out.len(), 2, "the greeting and the question for a name");
    for (step, expected) in steps {
        let shown = format!("{step:?}");
        let mut out = Vec::new();
        match step {
            Typed(text) => {
                assert!(state.ready(), "{text} is typed where the dialogue waits");
                typed(&mut state, &rules, text, &mut out);
            }
            Came(answer) => super::step(&mut state, &rules, answer, &mut out),
        }
        let effects: Vec<String> = out.into_iter().map(told).collect();
        assert_eq!(effects.join("; "), expected, "after {shown}");
    }
}

const ASK_NAME: &str = "AskName { guests: true }";

#[test]
fn a_new_account_is_made_with_its_first_character() {
    check(
        RULES,
        vec![
            (Typed("ann"), "FindAccount Ann"),
            (Came(A::Account(None)), "AskCreate(\"Ann\")"),
            (Typed("perhaps"), "YesOrNo; AskCreate(\"Ann\")"),
            (Typed("Y"), "Hide(true); AskNewPassword"),
            (Typed("correct horse"), "Hide(false); Hide(true); AskRepeat"),
            (
                Typed("other horse"),
                "Hide(false); PasswordsDiffer; Hide(true); AskNewPassword",
            ),
            (Typed("correct horse"), "Hide(false); Hide(true); AskRepeat"),
            (
                Typed("correct horse"),
                "Hide(false); Clock false; Hash correct horse",
            ),
            (Came(A::InLine(3)), "InLine(3)"),
            (
                Came(A::Hashed(secret("salt"))),
                "Clock true; CreateAccount Ann salt",
            ),
            (
                Came(A::AccountCreated(Some(account("Ann")))),
                "AskCharacterName",
            ),
            (Typed(""), "CreateCharacter Ann"),
            (
                Came(A::CharacterCreated(None)),
                "NameTaken(\"Ann\"); AskCharacterName",
            ),
            (Typed("annabel"), "CreateCharacter Annabel"),
            (
                Came(A::CharacterCreated(None)),
                "NameTaken(\"Annabel\"); AskCharacterName",
            ),
            (Typed("wilma"), "CreateCharacter Wilma"),
            (
                Came(A::CharacterCreated(Some(character(1, "Wilma")))),
                "Claim Ann Wilma",
            ),
        ],
    );
}

#[test]
fn a_name_that_is_taken_meanwhile_or_not_wanted_leads_back_to_the_name() {
    check(
        RULES,
        vec![
            (Typed("ann"), "FindAccount Ann"),
            (Came(A::Account(None)), "AskCreate(\"Ann\")"),
            (Typed("no"), ASK_NAME),
            (Typed("ann"), "FindAccount Ann"),
            (Came(A::Account(None)), "AskCreate(\"Ann\")"),
            (Typed("yes"), "Hide(true); AskNewPassword"),
            (Typed("correct horse"), "Hide(false); Hide(true); AskRepeat"),
            (
                Typed("correct horse"),
                "Hide(false); Clock false; Hash correct horse",
            ),
            (
                Came(A::Hashed(secret("salt"))),
                "Clock true; CreateAccount Ann salt",
            ),
            (
                Came(A::AccountCreated(None)),
                "NameTaken(\"Ann\"); AskName { guests: true }",
            ),
        ],
    );
}

#[test]
fn a_wrong_password_is_counted_and_too_many_close_the_connection() {
    let found = || Came(A::Account(Some(account("Ann"))));
    check(
        RULES,
        vec![
            (Typed("ann"), "FindAccount Ann"),
            (found(), "Hide(true); AskPassword"),
            (Typed("guess"), "Hide(false); MayTry Ann"),
            (Came(A::Wait(0)), "Clock false; Verify hash guess"),
            (
                Came(A::Verified(false)),
                "Clock true; Failed Ann; Wrong; AskName { guests: true }",
            ),
            (Typed("ann"), "FindAccount Ann"),
            (found(), "Hide(true); AskPassword"),
            (Typed("guess again"), "Hide(false); MayTry Ann"),
            (Came(A::Wait(0)), "Clock false; Verify hash guess again"),
            (
                Came(A::Verified(false)),
                "Clock true; Failed Ann; Close Wrong",
            ),
        ],
    );
}

#[test]
fn who_guesses_too_often_is_slowed_down_and_nothing_is_verified() {
    check(
        RULES,
        vec![
            (Typed("ann"), "FindAccount Ann"),
            (
                Came(A::Account(Some(account("Ann")))),
                "Hide(true); AskPassword",
            ),
            (Typed("guess"), "Hide(false); MayTry Ann"),
            (Came(A::Wait(8)), "SlowDown(8); AskName { guests: true }"),
        ],
    );
}

#[test]
fn regression_a_right_guess_among_many_at_once_is_slowed_down_too() {
    check(
        RULES,
        vec![
            (Typed("ann"), "FindAccount Ann"),
            (
                Came(A::Account(Some(account("Ann")))),
                "Hide(true); AskPassword",
            ),
            (Typed("guess"), "Hide(false); MayTry Ann"),
            (Came(A::Wait(0)), "Clock false; Verify hash guess"),
            (
                Came(A::Wait(8)),
                "Clock true; SlowDown(8); AskName { guests: true }",
            ),
        ],
    );
}

/// A known account up to its characters.
fn up_to_characters(list: Vec<CharacterFound>, shown: &'static str) -> Transcript {
    vec![
        (Typed("ann"), "FindAccount Ann"),
        (
            Came(A::Account(Some(account("Ann")))),
            "Hide(true); AskPassword",
        ),
        (Typed("right"), "Hide(false); MayTry Ann"),
        (Came(A::Wait(0)), "Clock false; Verify hash right"),
        (Came(A::InLine(12)), "InLine(12)"),
        (Came(A::Verified(true)), "Clock true; FindCharacters"),
        (Came(A::InLine(1)), ""),
        (Came(A::Characters(list)), shown),
    ]
}

#[test]
fn a_character_is_chosen_by_number_or_name_or_made() {
    let both = || vec![character(1, "Ann"), character(2, "Wilma")];
    let asked = "AskCharacter([\"Ann\", \"Wilma\"])";
    let wrong = "NoSuchCharacter; AskCharacter([\"Ann\", \"Wilma\"])";
    let table = [
        ("1", "Claim Ann Ann"),
        ("2", "Claim Ann Wilma"),
        ("", "Claim Ann Ann"),
        ("WILMA", "Claim Ann Wilma"),
        ("0", wrong),
        ("3", wrong),
        ("bob", wrong),
        ("new", "AskCharacterName"),
    ];
    for (typed, expected) in table {
        let mut steps = up_to_characters(both(), asked);
        steps.push((Typed(typed), expected));
        check(RULES, steps);
    }
    let full = LoginRules {
        characters_max: 2,
        ..RULES
    };
    let mut steps = up_to_characters(both(), asked);
    steps.push((Typed("new"), wrong));
    check(full, steps);
    let none = up_to_characters(Vec::new(), "AskCharacterName");
    check(RULES, none);
}

#[test]
fn what_is_typed_at_the_name_prompt() {
    let bye = r#"Close(System(Goodbye("Goodbye.")))"#;
    let reader = "ScreenReader; Show(Did(ScreenReader(true))); AskName { guests: true }";
    let table = [
        ("", ASK_NAME),
        ("  ", ASK_NAME),
        ("QUIT", bye),
        ("ScreenReader", reader),
        ("guest", "EnterGuest"),
        ("  ann ", "FindAccount Ann"),
        ("resume abcd-efgh", "Redeem abcd-efgh"),
    ];
    for (text, expected) in table {
        check(RULES, vec![(Typed(text), expected)]);
    }
    let no_guests = LoginRules {
        guests: false,
        ..RULES
    };
    let refused = "NoGuests; AskName { guests: false }";
    check(no_guests, vec![(Typed("guest"), refused)]);
    for bad in ["x", "ann2", "a b", "admin"] {
        let mut state = LoginState::default();
        let mut out = Vec::new();
        start(&mut state, &RULES, &mut out);
        out.clear();
        typed(&mut state, &RULES, bad, &mut out);
        let told: Vec<String> = out.into_iter().map(told).collect();
        let refused = told.len() == 2 && told[0].starts_with("BadName(") && told[1] == ASK_NAME;
        assert!(refused, "{bad}: {told:?}");
    }
}

#[test]
fn a_token_resumes_or_leads_back_to_the_name() {
    let found = Some((account("Ann"), character(1, "")));
    check(
        RULES,
        vec![
            (Typed("resume old"), "Redeem old"),
            (
                Came(A::Redeemed(None)),
                "BadToken; AskName { guests: true }",
            ),
            (Typed("Resume  new "), "Redeem new"),
            (Came(A::Redeemed(found)), "Claim Ann "),
        ],
    );
}

#[test]
fn bans_and_a_full_pool_close_the_connection_at_any_stage() {
    let stages: [fn() -> Transcript; 3] = [
        || vec![(Typed("ann"), "FindAccount Ann")],
        || vec![(Typed("resume x"), "Redeem x")],
        || up_to_characters(Vec::new(), "AskCharacterName"),
    ];
    for stage in stages {
        let mut steps = stage();
        steps.push((Came(A::Busy), "Close Busy"));
        check(RULES, steps);
        let mut steps = stage();
        steps.push((Came(A::Banned("spam".into())), "Close Banned(\"spam\")"));
        check(RULES, steps);
    }
}

/// One of each answer.
fn answers() -> Vec<LoginAnswer> {
    vec![
        A::Account(Some(account("Bob"))),
        A::Account(None),
        A::Wait(0),
        A::Wait(3),
        A::Verified(true),
        A::Verified(false),
        A::Hashed(secret("other")),
        A::AccountCreated(Some(account("Bob"))),
        A::AccountCreated(None),
        A::Characters(vec![character(9, "Bob")]),
        A::CharacterCreated(Some(character(9, "Bob"))),
        A::CharacterCreated(None),
        A::Redeemed(Some((account("Bob"), character(9, "Bob")))),
        A::Redeemed(None),
        A::InLine(1),
    ]
}

#[test]
fn an_answer_that_nobody_waits_for_changes_nothing() {
    // At each prompt no answer is waited for.
    let asked = "AskCharacter([\"Ann\"])";
    let one = || vec![character(1, "Ann")];
    let prompts: Vec<(Transcript, Step, &str)> = vec![
        (vec![], Typed("ann"), "FindAccount Ann"),
        (
            vec![
                (Typed("ann"), "FindAccount Ann"),
                (
                    Came(A::Account(Some(account("Ann")))),
                    "Hide(true); AskPassword",
                ),
            ],
            Typed("right"),
            "Hide(false); MayTry Ann",
        ),
        (
            vec![
                (Typed("ann"), "FindAccount Ann"),
                (Came(A::Account(None)), "AskCreate(\"Ann\")"),
            ],
            Typed("y"),
            "Hide(true); AskNewPassword",
        ),
        (up_to_characters(one(), asked), Typed("1"), "Claim Ann Ann"),
    ];
    for (mut steps, typed, expected) in prompts {
        steps.extend(answers().into_iter().map(|answer| (Came(answer), "")));
        steps.push((typed, expected));
        // In the end nothing is waited for that the dialogue itself handles.
        check(RULES, steps);
    }
    // While the character is loaded, too.
    let mut steps = up_to_characters(one(), asked);
    steps.push((Typed("1"), "Claim Ann Ann"));
    steps.extend(answers().into_iter().map(|answer| (Came(answer), "")));
    check(RULES, steps);
}

#[test]
fn nothing_typed_ahead_is_taken_while_an_answer_is_waited_for() {
    let mut state = LoginState::default();
    let mut out = Vec::new();
    start(&mut state, &RULES, &mut out);
    typed(&mut state, &RULES, "ann", &mut out);
    assert!(!state.ready());
    out.clear();
    typed(&mut state, &RULES, "quit", &mut out);
    assert_eq!(out, []);
    step(&mut state, &RULES, A::Account(None), &mut out);
    assert!(state.ready());
}
