//! `[pure]` A player comes into the game in a room that may be out of reach.

use super::stage::{Play, entered, refusal};
use crate::being::{Entry, JourneyStep, Parting, Place};
use crate::event::{Event, Refusal, SystemEvent};
use crate::ids::{AccountId, CharacterId, LineId, MoveSeq};
use crate::limits;
use crate::ops::metrics::VerbClass as Verb;
use crate::room::Reach;
use crate::sample::{HALL, YARD};
use crate::session::{Effect, Effects, NotDelivered, arrive, looked, next_due};

fn arrives(reach: Reach) -> (Play, Effects) {
    let mut play = Play::nowhere(Some((AccountId(7), CharacterId(1))));
    let effects = play.step(|state, scene, out| arrive(state, scene, (YARD, reach), out));
    (play, effects)
}

fn looks(play: &mut Play, reach: Reach) -> Effects {
    play.step(|state, scene, out| looked(state, scene, reach, || Some(HALL), out))
}

fn enter(line: u32, room: crate::ids::RoomId, seq: u32) -> Effect {
    Effect::Travel(
        LineId(line),
        JourneyStep::Enter(room, MoveSeq(seq), Entry::Wake),
    )
}

const AWAITED: Effect = Effect::Show(Event::System(SystemEvent::PlaceAwaited));

#[test]
fn who_waits_is_told_once_and_enters_when_the_room_is_open() {
    let (mut play, effects) = arrives(Reach::Awaited);
    assert_eq!(effects, []);
    assert_eq!(
        next_due(&play.state),
        Some(play.now + limits::PLACE_LOOK_EVERY)
    );
    assert_eq!(looks(&mut play, Reach::Awaited), [], "most moves take less");
    play.after(limits::PLACE_TOLD_AFTER);
    assert_eq!(looks(&mut play, Reach::Awaited), [AWAITED]);
    assert_eq!(looks(&mut play, Reach::Awaited), []);
    assert_eq!(looks(&mut play, Reach::Open), [enter(1, YARD, 1)]);
    play.answer(1, entered(YARD, 1));
    assert_eq!(play.state.journey.place(), Place::In(YARD));
    assert_eq!(play.state.bound_for, None);
}

#[test]
fn a_room_that_goes_out_of_reach_on_the_way_in_is_waited_for() {
    let fails: [fn(&mut Play) -> Effects; 2] = [
        |play| play.refused(1, NotDelivered::OutOfReach),
        |play| play.after(limits::ASK_DEADLINE),
    ];
    for fails in fails {
        let (mut play, effects) = arrives(Reach::Open);
        assert_eq!(effects, [enter(1, YARD, 1)]);
        let done = play.done(Verb::Move);
        let undone = JourneyStep::Gone(YARD, MoveSeq(1), Parting::Undo);
        let undone = Effect::Travel(LineId(1), undone);
        assert_eq!(fails(&mut play), [AWAITED, done, undone]);
        assert_eq!(looks(&mut play, Reach::Open), [enter(2, YARD, 2)]);
    }
}

#[test]
fn who_has_waited_too_long_is_told_and_comes_in_elsewhere() {
    let (mut play, _) = arrives(Reach::Awaited);
    play.after(limits::PLACE_WAIT_MAX);
    let given_up = Effect::Show(Event::System(SystemEvent::PlaceGivenUp));
    assert_eq!(
        looks(&mut play, Reach::Awaited),
        [given_up, enter(1, HALL, 1)]
    );
    assert_eq!(play.state.bound_for, None);
}

#[test]
fn regression_a_room_that_never_answers_is_not_waited_for_longer_than_one_out_of_reach() {
    let (mut play, _) = arrives(Reach::Open);
    let rounds = limits::PLACE_WAIT_MAX.as_secs() / limits::ASK_DEADLINE.as_secs();
    for _ in 1..rounds {
        play.after(limits::ASK_DEADLINE);
        let effects = looks(&mut play, Reach::Open);
        let enters = |effect: &Effect| {
            let Effect::Travel(_, JourneyStep::Enter(room, ..)) = effect else {
                return false;
            };
            *room == YARD
        };
        assert!(effects.iter().any(enters), "{effects:?}");
    }
    play.after(limits::ASK_DEADLINE);
    let given_up = Effect::Show(Event::System(SystemEvent::PlaceGivenUp));
    let effects = looks(&mut play, Reach::Open);
    assert_eq!(effects.first(), Some(&given_up));
}

#[test]
fn regression_a_crowded_room_is_not_asked_again_and_again_by_who_wants_in() {
    let (mut play, _) = arrives(Reach::Open);
    play.refused(1, NotDelivered::Busy);
    assert_eq!(play.state.bound_for, None);
    assert_eq!(looks(&mut play, Reach::Open), []);
}

#[test]
fn a_room_that_is_closed_for_good_is_not_waited_for() {
    let (mut play, _) = arrives(Reach::Awaited);
    assert_eq!(looks(&mut play, Reach::Closed), [enter(1, HALL, 1)]);
    let (mut play, _) = arrives(Reach::Open);
    let effects = play.refused(1, NotDelivered::Closed);
    assert_eq!(effects.first(), Some(&refusal(Refusal::WayClosed)));
    let recall = play.state.journey.place();
    assert!(matches!(recall, Place::Between { .. }), "{recall:?}");
}

#[test]
fn who_waits_can_read_what_they_wait_for_and_leave_the_game() {
    let (mut play, _) = arrives(Reach::Awaited);
    assert_eq!(play.typed("look"), [AWAITED, play.done(Verb::Look)]);
    let effects = play.typed("quit");
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::End(_)))
    );
    assert_eq!(looks(&mut play, Reach::Open), []);
}
