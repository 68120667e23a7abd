//! `[pure]` What rooms answer, or do not; walks, closed rooms, and time.

use super::stage::{Play, ask, entered, refusal, seen};
use crate::being::{Entry, JourneyStep, Parting, Place};
use crate::event::{Did, Event, Refusal, Seen, SystemEvent};
use crate::ids::{Direction, LineId, MoveSeq, RoomId};
use crate::limits;
use crate::ops::metrics::VerbClass as Verb;
use crate::room::{Answer, Ask};
use crate::sample::{HALL, YARD};
use crate::session::{Effect, NotDelivered, forgotten, next_due, room_closed};
use std::time::Duration;

fn enter(line: u32, room: RoomId, seq: u32, how: Entry) -> Effect {
    Effect::Travel(LineId(line), JourneyStep::Enter(room, MoveSeq(seq), how))
}

fn undo(line: u32, room: RoomId, seq: u32) -> Effect {
    let step = JourneyStep::Gone(room, MoveSeq(seq), Parting::Undo);
    Effect::Travel(LineId(line), step)
}

fn left(seq: u32) -> Answer {
    Answer::Left {
        seq: MoveSeq(seq),
        to: YARD,
        way: Direction::North,
    }
}

/// Ann on her way to the yard: the hall has let her go. The line is number 2.
fn between() -> Play {
    let mut play = Play::character();
    play.typed("north");
    let effects = play.answer(2, left(1));
    let walk = Entry::Walk(Direction::North);
    assert_eq!(effects, [enter(2, YARD, 2, walk)]);
    play
}

#[test]
fn an_answer_is_shown_once() {
    let mut play = Play::character();
    play.typed("say hm");
    let said = || Answer::Show(Box::new(Event::Did(Did::Say("hm".into()))));
    let shown = Effect::Show(Event::Did(Did::Say("hm".into())));
    assert_eq!(play.answer(2, said()), [shown, play.done(Verb::Speech)]);
    assert_eq!(play.answer(2, said()), []);
    assert_eq!(play.lost(2), []);
    assert_eq!(play.refused(2, NotDelivered::Busy), []);
}

#[test]
fn an_ask_that_fails_is_told() {
    let mut play = Play::character();
    let done = play.done(Verb::Look);
    play.typed("look");
    assert_eq!(play.lost(2), [refusal(Refusal::GotLost), done.clone()]);
    play.typed("look");
    let busy = play.refused(3, NotDelivered::Busy);
    assert_eq!(busy, [refusal(Refusal::TooCrowded), done.clone()]);
    play.typed("look");
    let due = play.now + limits::ASK_DEADLINE;
    assert_eq!(next_due(&play.state), Some(due));
    let late = play.after(limits::ASK_DEADLINE);
    assert_eq!(late, [refusal(Refusal::NoAnswer), done]);
    assert_eq!(next_due(&play.state), None);
}

#[test]
fn with_so_many_asks_outstanding_input_waits() {
    let mut play = Play::character();
    for _ in 0..limits::ASKS_MAX {
        play.typed("look");
    }
    assert!(!play.state.ready());
    play.lost(3);
    assert!(play.state.ready());
}

#[test]
fn a_walk_ends_where_the_player_stands() {
    let mut play = between();
    assert!(!play.state.ready(), "input waits between two rooms");
    let shown = Effect::Show(Event::RoomSeen(seen(YARD)));
    let effects = play.answer(2, entered(YARD, 2));
    assert_eq!(effects, [shown, play.done(Verb::Move)]);
    assert_eq!(play.state.journey.place(), Place::In(YARD));
    assert!(play.state.save_due.is_some());
    assert_eq!(play.answer(2, left(1)), [], "an old answer");
}

#[test]
fn who_is_not_let_out_stays() {
    let mut play = Play::character();
    let done = play.done(Verb::Move);
    play.typed("down");
    let way = Direction::Down;
    let seq = MoveSeq(1);
    let stayed = play.answer(2, Answer::Stayed { seq, way });
    assert_eq!(stayed, [refusal(Refusal::NoExit(way)), done.clone()]);
    play.typed("north");
    let busy = play.refused(3, NotDelivered::Busy);
    assert_eq!(busy, [refusal(Refusal::TooCrowded), done]);
    assert_eq!(play.state.journey.place(), Place::In(HALL));
}

#[test]
fn a_leave_that_is_lost_is_asked_again_as_a_stay() {
    let mut play = Play::character();
    play.typed("north");
    let done = play.done(Verb::Move);
    let stay = enter(3, HALL, 2, Entry::Stay);
    assert_eq!(play.lost(2), [refusal(Refusal::GotLost), done, stay]);
    assert_eq!(play.answer(2, left(1)), [], "it comes too late");
    play.answer(3, entered(HALL, 2));
    assert_eq!(play.state.journey.place(), Place::In(HALL));
    assert!(play.state.asks.is_empty());
}

#[test]
fn who_is_not_taken_in_goes_back() {
    type Fail = fn(&mut Play) -> Vec<Effect>;
    let table: [(Fail, Refusal); 4] = [
        (|play| play.lost(2), Refusal::GotLost),
        (
            |play| play.refused(2, NotDelivered::Busy),
            Refusal::TooCrowded,
        ),
        (
            |play| play.refused(2, NotDelivered::Closed),
            Refusal::WayClosed,
        ),
        (
            |play| play.answer(2, Answer::Unknown(MoveSeq(2))),
            Refusal::GotLost,
        ),
    ];
    for (fail, why) in table {
        let mut play = between();
        let done = play.done(Verb::Move);
        let back = enter(3, HALL, 3, Entry::Stay);
        let expected = [refusal(why), done, undo(3, YARD, 2), back];
        assert_eq!(fail(&mut play), expected);
        // The answer of the yard comes all the same: it is undone there.
        let late = play.answer(2, entered(YARD, 2));
        assert_eq!(late, [undo(2, YARD, 2)]);
        play.answer(3, entered(HALL, 3));
        assert_eq!(play.state.journey.place(), Place::In(HALL));
    }
}

#[test]
fn an_answer_that_does_not_come_in_time_brings_back_too() {
    let mut play = between();
    let since = play.now;
    let effects = play.after(limits::ASK_DEADLINE);
    let verb = Verb::Move;
    let done = Effect::Done { since, verb };
    let back = enter(3, HALL, 3, Entry::Stay);
    let expected = [refusal(Refusal::NoAnswer), done, undo(3, YARD, 2), back];
    assert_eq!(effects, expected);
}

#[test]
fn a_closed_room_sends_to_recall() {
    let told = Effect::Show(Event::System(SystemEvent::RoomClosed));
    let recall = |line| enter(line, HALL, 2, Entry::Appear);
    let mut play = Play::character();
    let effects = play.step(|state, scene, out| room_closed(state, scene, HALL, out));
    assert_eq!(effects, [told.clone(), recall(2)]);
    // Found out by asking.
    let mut play = Play::character();
    play.typed("look");
    let done = play.done(Verb::Look);
    let effects = play.refused(2, NotDelivered::Closed);
    assert_eq!(effects, [done, told, recall(3)]);
    // Another room does not matter.
    let mut play = Play::character();
    let effects = play.step(|state, scene, out| room_closed(state, scene, YARD, out));
    assert_eq!(effects, []);
}

#[test]
fn when_all_rooms_are_closed_the_player_is_adrift_and_tried_again() {
    let mut play = between();
    for id in 2..=5 {
        assert_ne!(play.state.journey.place(), Place::Adrift);
        play.refused(id, NotDelivered::Closed);
    }
    assert_eq!(play.state.journey.place(), Place::Adrift);
    let adrift = Effect::Show(Event::System(SystemEvent::Adrift));
    let look = play.typed("look");
    assert_eq!(look, [adrift, play.done(Verb::Look)]);
    assert!(play.state.asks.is_empty());
    let again = play.after(limits::ADRIFT_RETRY);
    let id = play.state.line.0;
    let seq = play.state.journey.seq();
    assert_eq!(again, [enter(id, HALL, seq.0, Entry::Appear)]);
    play.answer(id, entered(HALL, seq.0));
    assert_eq!(play.state.journey.place(), Place::In(HALL));
    assert_eq!(play.state.adrift_due, None);
}

#[test]
fn who_is_unknown_where_they_stand_comes_in_anew() {
    let mut play = Play::character();
    play.typed("look");
    play.typed("exits");
    let done = play.done(Verb::Look);
    let stay = enter(4, HALL, 2, Entry::Stay);
    let unknown = || Answer::Unknown(MoveSeq(0));
    let lost = [refusal(Refusal::GotLost), done];
    let first = play.answer(2, unknown());
    assert_eq!(first, [&lost[..], &[stay][..]].concat());
    assert_eq!(play.answer(3, unknown()), lost, "only once");
}

#[test]
fn regression_the_late_of_two_asks_of_one_line_is_the_one_that_is_closed() {
    let mut play = Play::character();
    play.typed("look");
    play.now += Duration::from_secs(1);
    // Work of the session itself, begun while the line waits.
    play.step(|state, scene, _| {
        state.wait_for(crate::session::Pending::Token, scene.now);
    });
    play.state.asks.swap(0, 1);
    play.after(limits::ASK_DEADLINE - Duration::from_secs(1));
    let left: Vec<_> = play.state.asks.iter().map(|ask| ask.what.clone()).collect();
    assert_eq!(left, [crate::session::Pending::Token]);
}

#[test]
fn from_nowhere_an_ask_is_not_sent() {
    let mut play = Play::nowhere(None);
    let adrift = Effect::Show(Event::System(SystemEvent::Adrift));
    for text in ["look", "north", "get lamp"] {
        let effects = play.typed(text);
        assert_eq!(effects.first(), Some(&adrift), "{text}");
        assert!(!effects.contains(&ask(play.state.line.0, Ask::Look)));
    }
}

/// Ann in the hall, which has begun anew. The line is number 3.
fn forgotten_in_the_hall() -> Play {
    let mut play = Play::character();
    play.typed("look");
    play.answer(2, Answer::Placed(crate::ids::ItemId(0)));
    let effects = play.step(|state, scene, out| forgotten(state, scene, HALL, out));
    let trembles = Effect::Show(Event::Seen(Seen::Trembles));
    assert_eq!(effects, [trembles, enter(3, HALL, 2, Entry::Stay)]);
    play
}

#[test]
fn a_room_that_begins_anew_is_entered_again_and_the_player_reads_one_line() {
    let mut play = forgotten_in_the_hall();
    let effects = play.answer(3, entered(HALL, 2));
    assert_eq!(effects, [play.done(Verb::Move)]);
    assert_eq!(play.state.journey.place(), Place::In(HALL));
    let elsewhere = play.step(|state, scene, out| forgotten(state, scene, YARD, out));
    assert_eq!(elsewhere, []);
}

#[test]
fn who_cannot_come_back_yet_stays_where_they_stood() {
    type Fails = fn(&mut Play) -> Vec<Effect>;
    let table: [(Fails, Refusal); 3] = [
        (
            |play| play.refused(3, NotDelivered::OutOfReach),
            Refusal::PlaceOutOfReach,
        ),
        (|play| play.lost(3), Refusal::GotLost),
        (|play| play.after(limits::ASK_DEADLINE), Refusal::NoAnswer),
    ];
    for (fails, why) in table {
        let mut play = forgotten_in_the_hall();
        let done = play.done(Verb::Move);
        // The look of before is over by then, too.
        play.state.asks.retain(|ask| ask.what.travels());
        play.state.save_due = None;
        assert_eq!(fails(&mut play), [refusal(why), done]);
        assert_eq!(play.state.journey.place(), Place::In(HALL), "not to recall");
    }
}

#[test]
fn who_wants_to_walk_where_nobody_is_in_charge_stays() {
    let mut play = Play::character();
    play.typed("north");
    let done = play.done(Verb::Move);
    let effects = play.refused(2, NotDelivered::OutOfReach);
    assert_eq!(effects, [refusal(Refusal::PlaceOutOfReach), done]);
    assert_eq!(play.state.journey.place(), Place::In(HALL));

    let mut play = between();
    let done = play.done(Verb::Move);
    let effects = play.refused(2, NotDelivered::OutOfReach);
    let back = enter(3, HALL, 3, Entry::Stay);
    let told = refusal(Refusal::PlaceOutOfReach);
    assert_eq!(
        effects,
        [told.clone(), done.clone(), undo(3, YARD, 2), back]
    );
    // Nor is the hall in reach: they stand there all the same.
    assert_eq!(play.refused(3, NotDelivered::OutOfReach), [told, done]);
    assert_eq!(play.state.journey.place(), Place::In(HALL));
}
