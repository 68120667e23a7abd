//! `[pure]` What each line brings about.

use super::stage::{Play, ask, refusal};
use crate::being::{JourneyStep, Parting};
use crate::command::Noun;
use crate::event::{Did, Event, LoginEvent, Refusal, Score, Told};
use crate::ids::{Direction, LineId, MoveSeq};
use crate::ops::metrics::VerbClass as Verb;
use crate::room::{Ask, Cast};
use crate::sample::{HALL, lamp};
use crate::session::{Effect, Held, Secret, StoreAnswer, StoreOrder, link_lost, link_regained};
use crate::text::Depth;
use std::sync::Arc;

const LAMP: Held = Held {
    item: crate::being::Item {
        id: crate::ids::ItemId(1),
        prototype: crate::sample::LAMP,
    },
    recorded: None,
};

/// A line of Ann, who stands in the hall with a lamp, and its effects but for the last word that it
/// is done.
fn check(text: &str, mut expected: Vec<Effect>, verb: Option<Verb>) {
    let mut play = Play::character().holding(&[LAMP]);
    play.state.rights.staff = text.starts_with('!');
    let effects = play.typed(text.trim_start_matches('!'));
    expected.extend(verb.map(|verb| play.done(verb)));
    assert_eq!(effects, expected, "{text}");
    let waits = play.state.asks.len();
    assert_eq!(
        waits,
        usize::from(verb.is_none()),
        "{text} waits or is done"
    );
}

fn show(event: Event) -> Vec<Effect> {
    vec![Effect::Show(event)]
}

#[test]
fn a_line_that_a_room_answers_asks_it() {
    let noun = Noun::first;
    let table = [
        ("look", Ask::Look),
        ("look north", Ask::LookWay(Direction::North)),
        ("look cat", Ask::LookAt(noun("cat"))),
        ("examine cat", Ask::LookAt(noun("cat"))),
        ("exits", Ask::Exits),
        ("say hm", Ask::Say("hm".into())),
        ("'hm", Ask::Say("hm".into())),
        ("emote nods.", Ask::Emote("nods.".into())),
        ("get 2.lamp", {
            let words = "lamp".into();
            Ask::Get(Noun { words, nth: 2 })
        }),
        ("give lamp to bob", Ask::Who(noun("bob"))),
        ("!crash room", Ask::Crash),
        ("!crash mob mog", Ask::CrashMob(noun("mog"))),
    ];
    for (text, asked) in table {
        check(text, vec![ask(2, asked)], None);
    }
    let step = JourneyStep::Leave(HALL, MoveSeq(1), Direction::North);
    check("north", vec![Effect::Travel(LineId(2), step)], None);
}

#[test]
fn a_line_for_the_store_asks_it() {
    let lay = StoreOrder::Lay {
        to: HALL,
        item: lamp(1),
        recorded: None,
    };
    let table = [("drop lamp", lay), ("resume", StoreOrder::Token)];
    for (text, order) in table {
        check(text, vec![Effect::Store(LineId(2), order)], None);
    }
}

#[test]
fn a_line_that_the_session_answers_is_done_at_once() {
    let told = |told| show(Event::Told(told));
    let refused = |why| vec![refusal(why)];
    let score = Score {
        name: "Ann".into(),
        guest: false,
        staff: false,
        room: Some(HALL),
        items: 1,
        played_s: 0,
    };
    let closer = Event::ThingSeen {
        name: "a brass lamp".into(),
        description: "It is lit.".into(),
    };
    let lamps = vec![("a brass lamp".into(), 1)];
    let table = [
        ("", told(Told::Nothing), Verb::Session),
        ("examine lamp", show(closer), Verb::Look),
        ("inventory", told(Told::Inventory(lamps)), Verb::Item),
        ("score", told(Told::Score(Box::new(score))), Verb::Session),
        (
            "drop sword",
            refused(Refusal::NotCarried("sword".into())),
            Verb::Item,
        ),
        (
            "give sword to bob",
            refused(Refusal::NotCarried("sword".into())),
            Verb::Item,
        ),
        ("reply hm", refused(Refusal::NobodyToReplyTo), Verb::Speech),
        ("goto bob", refused(Refusal::StaffOnly), Verb::Unclear),
    ];
    for (text, expected, verb) in table {
        check(text, expected, Some(verb));
    }
}

#[test]
fn a_line_about_others_is_carried_out_by_the_process() {
    let told = Effect::Tell {
        to: "bob".into(),
        text: "hm".into(),
    };
    let kick = Effect::Kick {
        who: "bob".into(),
        reason: "spam".into(),
    };
    let shut = Effect::Show(Event::Did(Did::Shutdown));
    let table = [
        ("tell bob hm", vec![told], Verb::Speech),
        ("who", vec![Effect::Who(None)], Verb::Session),
        ("!goto bob", vec![Effect::Goto("bob".into())], Verb::Staff),
        ("!kick bob spam", vec![kick], Verb::Staff),
        (
            "!crash session",
            vec![Effect::CrashSession(None)],
            Verb::Staff,
        ),
        ("!shutdown", vec![shut, Effect::Shutdown], Verb::Staff),
        ("color", vec![Effect::ShowColor], Verb::Session),
        (
            "screenreader",
            vec![Effect::ShowScreenReader],
            Verb::Session,
        ),
    ];
    for (text, expected, verb) in table {
        check(text, expected, Some(verb));
    }
}

#[test]
fn settings_take_effect_and_are_saved_in_time() {
    let mut play = Play::character();
    let effects = play.typed("color 256");
    let shown = Effect::Show(Event::Did(Did::Color("256".into())));
    let color = Effect::Color(Some(Depth::Ansi256));
    assert_eq!(effects, [color, shown, play.done(Verb::Session)]);
    assert!(play.state.save_due.is_some());
    let effects = play.typed("screenreader on");
    let shown = Effect::Show(Event::Did(Did::ScreenReader(true)));
    let reader = Effect::ScreenReader(true);
    assert_eq!(effects, [reader, shown, play.done(Verb::Session)]);
    let saved = play.after(super::stage::RULES.save_every);
    assert_eq!(saved, [Effect::Save(Some(HALL))]);
    assert_eq!(play.state.save_due, None);
    play.stored(0, StoreAnswer::Saved(false));
    assert!(play.state.save_due.is_some(), "tried again");
}

#[test]
fn who_is_away_is_marked_and_comes_back_with_the_next_command() {
    let mut play = Play::character();
    let away = play.typed("afk at lunch");
    let mut card = crate::being::Card::clone(&play.state.card);
    assert!(card.away);
    let shown = Effect::Show(Event::Did(Did::Away("at lunch".into())));
    let cast = |card| Effect::Cast(HALL, Cast::Card(Arc::new(card), None));
    let done = play.done(Verb::Session);
    assert_eq!(away, [cast(card.clone()), Effect::Roster, shown, done]);
    assert_eq!(play.typed("").len(), 2, "an empty line is no command");
    let back = play.typed("exits");
    card.away = false;
    let shown = Effect::Show(Event::Did(Did::Back));
    assert_eq!(
        back,
        [cast(card), Effect::Roster, shown, ask(4, Ask::Exits)]
    );
}

#[test]
fn to_quit_is_to_be_saved_and_to_leave_the_room() {
    let mut play = Play::character().holding(&[LAMP]);
    let gone = JourneyStep::Gone(HALL, MoveSeq(1), Parting::Sleep);
    let done = play.done(Verb::Session);
    assert_eq!(
        play.typed("quit"),
        [
            Effect::Save(Some(HALL)),
            Effect::Travel(LineId(3), gone),
            Effect::End(Event::Did(Did::Quit)),
            done
        ]
    );
}

#[test]
fn a_guest_who_quits_leaves_things_in_the_rooms_that_have_them() {
    let held = Held {
        recorded: Some(HALL),
        ..LAMP
    };
    let mut play = Play::guest().holding(&[held]);
    let effects = play.typed("quit");
    let back = Effect::Cast(HALL, Cast::PutBack(lamp(1)));
    assert!(effects.contains(&back), "{effects:?}");
    for text in ["password", "resume"] {
        let mut play = Play::guest();
        let done = play.done(Verb::Session);
        assert_eq!(play.typed(text), [refusal(Refusal::GuestsCannot), done]);
    }
}

fn login(event: LoginEvent) -> Effect {
    Effect::Show(Event::Login(event))
}

#[test]
fn a_password_is_changed_in_a_dialogue_that_hides_it() {
    let mut play = Play::character();
    let done = play.done(Verb::Session);
    let hidden = play.typed("password");
    let asked = login(LoginEvent::AskPassword);
    assert_eq!(hidden, [Effect::Hide(true), asked, done.clone()]);
    let check = StoreOrder::CheckPassword(Secret("old one".into()));
    let order = Effect::Store(LineId(3), check);
    assert_eq!(play.typed("old one"), [Effect::Hide(false), order]);
    let new = play.stored(3, StoreAnswer::PasswordChecked(true));
    let asked = login(LoginEvent::AskNewPassword);
    assert_eq!(new, [Effect::Hide(true), asked, done.clone()]);
    let repeat = play.typed("correct horse ");
    let asked = login(LoginEvent::AskRepeat);
    let hide = [Effect::Hide(false), Effect::Hide(true)];
    assert_eq!(repeat[..2], hide);
    assert_eq!(repeat[2], asked);
    // As at the login: a space at an end is no part of it.
    let set = StoreOrder::SetPassword(Secret("correct horse".into()));
    let order = Effect::Store(LineId(5), set);
    assert_eq!(play.typed(" correct horse"), [Effect::Hide(false), order]);
    let shown = Effect::Show(Event::Did(Did::Password));
    assert_eq!(play.stored(5, StoreAnswer::PasswordSet), [shown, done]);
}

#[test]
fn a_password_dialogue_that_fails_ends() {
    let table = [
        (
            StoreAnswer::PasswordChecked(false),
            refusal(Refusal::NotYourPassword),
        ),
        (StoreAnswer::Busy, login(LoginEvent::Busy)),
        (StoreAnswer::Failed, refusal(Refusal::NotSaved)),
    ];
    for (answer, shown) in table {
        let mut play = Play::character();
        play.typed("password");
        play.typed("old one");
        let done = play.done(Verb::Session);
        assert_eq!(play.stored(3, answer), [shown, done]);
        assert_eq!(play.typed("look"), [ask(4, Ask::Look)]);
    }
    let mut play = Play::character();
    play.typed("password");
    play.typed("old one");
    play.stored(3, StoreAnswer::PasswordChecked(true));
    play.typed("correct horse");
    let differ = play.typed("wrong horse");
    assert!(differ.contains(&login(LoginEvent::PasswordsDiffer)));
    assert_eq!(play.state.question, None);
}

#[test]
fn a_token_is_shown_when_it_is_on_record() {
    let mut play = Play::character();
    play.typed("resume");
    let shown = Effect::Show(Event::Told(Told::ResumeToken("abc".into())));
    let effects = play.stored(2, StoreAnswer::Token("abc".into()));
    assert!(effects.contains(&shown), "{effects:?}");
    play.typed("resume");
    let effects = play.stored(3, StoreAnswer::Failed);
    assert!(effects.contains(&refusal(Refusal::NotSaved)), "{effects:?}");
    assert!(play.state.asks.is_empty());
}

#[test]
fn a_lost_connection_is_waited_for_and_then_the_session_ends() {
    let lose = |play: &mut Play| {
        let why = Event::Did(Did::Quit);
        play.step(|state, scene, out| link_lost(state, scene, why, out))
    };
    let mut play = Play::character();
    let effects = lose(&mut play);
    assert!(play.state.card.linkdead);
    assert_eq!(effects.last(), Some(&Effect::Save(Some(HALL))));
    // It comes back in time, and the player sees the room.
    let effects = play.step(link_regained);
    assert!(!play.state.card.linkdead);
    assert_eq!(effects.last(), Some(&ask(2, Ask::Look)));
    let still = play.after(super::stage::RULES.linkdead);
    assert!(!still.iter().any(|one| matches!(one, Effect::End(_))));
    lose(&mut play);
    let ended = play.after(super::stage::RULES.linkdead);
    assert!(matches!(ended.last(), Some(Effect::End(_))), "{ended:?}");
    // A guest could not come back.
    let ended = lose(&mut Play::guest());
    assert!(matches!(ended.last(), Some(Effect::End(_))), "{ended:?}");
}
