//! `[pure]` Things that are taken, laid down and given: recorded first, and in one place always.

use super::stage::{Play, ask, refusal};
use crate::being::{Card, Item};
use crate::command::Noun;
use crate::event::{Did, Event, Received, Refusal, Seen};
use crate::ids::{Being, CharacterId, ItemId, LineId, MobId, SessionId};
use crate::limits;
use crate::ops::metrics::VerbClass as Verb;
use crate::room::{Answer, Ask, Cast};
use crate::sample::{HALL, YARD, lamp};
use crate::session::{Effect, Gift, Held, NotDelivered, StoreAnswer, StoreOrder, end, received};
use std::sync::Arc;
use std::time::Duration;

const NAME: &str = "a brass lamp";

fn own(id: i64) -> Held {
    let recorded = None;
    let item = lamp(id);
    Held { item, recorded }
}

fn lent(id: i64) -> Held {
    let recorded = Some(HALL);
    let item = lamp(id);
    Held { item, recorded }
}

fn store(id: u32, order: StoreOrder) -> Effect {
    Effect::Store(LineId(id), order)
}

fn put_back(item: Item) -> Effect {
    Effect::Cast(HALL, Cast::PutBack(item))
}

fn announce(seen: Seen) -> Effect {
    Effect::Cast(HALL, Cast::Announce(seen))
}

fn gets() -> Effect {
    announce(Seen::Gets {
        who: "Ann".into(),
        item: NAME.into(),
    })
}

fn did(what: Did) -> Effect {
    Effect::Show(Event::Did(what))
}

fn lay(id: i64, recorded: Option<crate::ids::RoomId>) -> StoreOrder {
    StoreOrder::Lay {
        to: HALL,
        item: lamp(id),
        recorded,
    }
}

#[test]
fn a_thing_is_recorded_before_the_player_has_it() {
    let mut play = Play::character();
    let done = play.done(Verb::Item);
    assert_eq!(
        play.typed("get lamp"),
        [ask(2, Ask::Get(Noun::first("lamp")))]
    );
    let order = StoreOrder::Take {
        from: HALL,
        item: lamp(5),
    };
    let handed = Answer::Handed(HALL, lamp(5));
    assert_eq!(play.answer(2, handed.clone()), [store(2, order)]);
    assert!(play.hands().is_empty());
    let got = [gets(), did(Did::Get(NAME.into())), done.clone()];
    assert_eq!(play.stored(2, StoreAnswer::Recorded), got);
    assert_eq!(play.hands(), [5]);
    // Not recorded: it goes back to its room.
    play.typed("get lamp");
    play.answer(3, Answer::Handed(HALL, lamp(6)));
    let failed = play.stored(3, StoreAnswer::Failed);
    assert_eq!(
        failed,
        [put_back(lamp(6)), refusal(Refusal::NotSaved), done]
    );
    assert_eq!(play.hands(), [5]);
    assert!(play.state.asks.is_empty());
}

#[test]
fn a_thing_that_comes_too_late_goes_back() {
    let mut play = Play::character();
    play.typed("get lamp");
    let told = play.after(limits::ASK_DEADLINE);
    assert_eq!(told.first(), Some(&refusal(Refusal::NoAnswer)));
    let late = play.answer(2, Answer::Handed(HALL, lamp(5)));
    assert_eq!(late, [put_back(lamp(5))]);
    assert!(play.hands().is_empty());
}

#[test]
fn a_guest_borrows_what_the_room_has_on_record() {
    let mut play = Play::guest();
    play.typed("get lamp");
    let got = play.answer(2, Answer::Handed(HALL, lamp(5)));
    let done = play.done(Verb::Item);
    assert_eq!(got, [gets(), did(Did::Get(NAME.into())), done]);
    assert_eq!(*play.state.inventory, [lent(5)]);
    // Here it need not be recorded; anywhere else it must.
    assert_eq!(play.typed("drop lamp"), [ask(3, Ask::Place(lamp(5)))]);
    let elsewhere = Held {
        recorded: Some(YARD),
        ..lent(6)
    };
    let mut play = Play::guest().holding(&[elsewhere]);
    let order = lay(6, Some(YARD));
    assert_eq!(play.typed("drop lamp"), [store(2, order)]);
}

#[test]
fn full_hands_take_nothing_more_and_let_a_gift_fall() {
    let full: Vec<Held> = (1..=50).map(own).collect();
    assert_eq!(full.len(), limits::INVENTORY_MAX);
    let mut play = Play::character().holding(&full);
    let done = play.done(Verb::Item);
    let refused = refusal(Refusal::HandsFull);
    assert_eq!(play.typed("get lamp"), [refused.clone(), done]);
    play.typed("look");
    let effects = play.step(|state, scene, out| {
        received(state, scene, "Bob".into(), own(51), out);
    });
    let shown = Effect::Show(Event::Received(Received::Item {
        from: "Bob".into(),
        item: NAME.into(),
    }));
    // On a line of its own, not that of the look.
    assert_eq!(effects, [shown, refused, store(4, lay(51, None))]);
    assert_eq!(play.hands().len(), 50);
}

#[test]
fn a_thing_is_laid_down_when_it_is_on_record_as_the_rooms() {
    let mut play = Play::character().holding(&[own(5)]);
    let done = play.done(Verb::Item);
    assert_eq!(play.typed("drop lamp"), [store(2, lay(5, None))]);
    assert!(play.hands().is_empty());
    let failed = play.stored(2, StoreAnswer::Failed);
    assert_eq!(failed, [refusal(Refusal::NotSaved), done.clone()]);
    assert_eq!(play.hands(), [5]);
    play.typed("drop lamp");
    let place = ask(3, Ask::Place(lamp(5)));
    assert_eq!(play.stored(3, StoreAnswer::Recorded), [place]);
    let placed = play.answer(3, Answer::Placed(ItemId(5)));
    assert_eq!(placed, [did(Did::Drop(NAME.into())), done]);
    assert!(play.hands().is_empty());
}

/// Ann has dropped a lamp, and the hall was asked to lay it down.
fn placing() -> Play {
    let mut play = Play::character().holding(&[own(5)]);
    play.typed("drop lamp");
    play.stored(2, StoreAnswer::Recorded);
    play
}

#[test]
fn a_room_that_did_not_get_the_thing_is_asked_again() {
    let again = [ask(2, Ask::Place(lamp(5)))];
    let mut play = placing();
    assert_eq!(play.lost(2), again);
    assert_eq!(play.refused(2, NotDelivered::Busy), []);
    assert_eq!(play.after(limits::ASK_DEADLINE), again);
    assert_eq!(play.refused(2, NotDelivered::Closed), []);
    assert_eq!(play.after(limits::ASK_DEADLINE), again);
    let placed = play.answer(2, Answer::Placed(ItemId(5)));
    assert_eq!(placed.first(), Some(&did(Did::Drop(NAME.into()))));
}

#[test]
fn regression_a_room_that_is_slow_is_not_asked_twice_to_lay_a_thing_down() {
    let mut play = placing();
    for _ in 0..5 {
        assert_eq!(play.after(limits::ASK_DEADLINE), []);
    }
    let given_up = play.after(limits::ASK_DEADLINE);
    let on_record = Effect::LeftOnRecord(lamp(5));
    assert_eq!(given_up[..2], [on_record, refusal(Refusal::GotLost)]);
    assert!(play.state.asks.is_empty());
}

#[test]
fn a_slow_store_is_told_and_waited_for() {
    let mut play = Play::character();
    play.typed("get lamp");
    play.answer(2, Answer::Handed(HALL, lamp(5)));
    let slow = Effect::Show(Event::System(crate::event::SystemEvent::StoreSlow));
    let told = play.after(limits::ASK_DEADLINE);
    assert_eq!(told.first(), Some(&slow));
    assert_eq!(play.after(limits::ASK_DEADLINE), []);
    assert_eq!(play.after(Duration::from_secs(60)), [slow]);
    play.stored(2, StoreAnswer::Recorded);
    assert_eq!(play.hands(), [5]);
}

fn person(name: &str, character: Option<i64>) -> Arc<Card> {
    Arc::new(Card {
        name: name.into(),
        description: "Plain.".into(),
        character: character.map(CharacterId),
        mob: None,
        away: false,
        linkdead: false,
    })
}

fn bob(character: Option<i64>) -> Answer {
    Answer::Person {
        being: Being::Session(SessionId(2)),
        card: person("Bob", character),
    }
}

fn gift(held: Held, character: Option<i64>, recorded: Option<crate::ids::RoomId>) -> Box<Gift> {
    Box::new(Gift {
        held,
        to: "Bob".into(),
        character: character.map(CharacterId),
        recorded,
    })
}

#[test]
fn a_gift_is_recorded_before_it_is_handed_over() {
    let mut play = Play::character().holding(&[own(5)]);
    let done = play.done(Verb::Item);
    play.typed("give lamp to bob");
    let given = gift(own(5), Some(2), None);
    let order = StoreOrder::Give(given.clone());
    assert_eq!(play.answer(2, bob(Some(2))), [store(2, order)]);
    assert!(play.hands().is_empty());
    let failed = play.stored(2, StoreAnswer::Failed);
    assert_eq!(failed, [refusal(Refusal::NotSaved), done.clone()]);
    assert_eq!(play.hands(), [5]);
    play.typed("give lamp to bob");
    play.answer(3, bob(Some(2)));
    let (who, to) = ("Ann".into(), "Bob".into());
    let item = NAME.into();
    let seen = announce(Seen::Gives { who, item, to });
    let told = did(Did::Give {
        item: NAME.into(),
        to: "Bob".into(),
    });
    let effects = play.stored(3, StoreAnswer::Recorded);
    assert_eq!(effects, [Effect::Deliver(given), seen, told, done]);
    assert!(play.hands().is_empty());
}

#[test]
fn to_and_from_guests_the_record_stays_with_a_room() {
    // To a guest: on record as the room's where it is given.
    let mut play = Play::character().holding(&[own(5)]);
    play.typed("give lamp to bob");
    let order = StoreOrder::Give(gift(own(5), None, Some(HALL)));
    assert_eq!(play.answer(2, bob(None)), [store(2, order)]);
    // From guest to guest nothing changes on record.
    let mut play = Play::guest().holding(&[lent(5)]);
    play.typed("give lamp to bob");
    let effects = play.answer(2, bob(None));
    let given = gift(lent(5), None, Some(HALL));
    assert_eq!(effects.first(), Some(&Effect::Deliver(given)));
    // From a guest to a character: it is theirs.
    let mut play = Play::guest().holding(&[lent(5)]);
    play.typed("give lamp to bob");
    let order = StoreOrder::Give(gift(lent(5), Some(2), None));
    assert_eq!(play.answer(2, bob(Some(2))), [store(2, order)]);
}

#[test]
fn a_gift_that_cannot_be_given_is_refused() {
    let mut play = Play::character().holding(&[own(5)]);
    let done = play.done(Verb::Item);
    play.typed("give lamp to mog");
    let mog = Answer::Person {
        being: Being::Mob(MobId(0)),
        card: person("Mog the cat", None),
    };
    let will_not = refusal(Refusal::WillNotTake("Mog the cat".into()));
    assert_eq!(play.answer(2, mog), [will_not, done.clone()]);
    assert_eq!(play.hands(), [5]);
    // Typed ahead: it is dropped before the room says who is meant.
    play.typed("give lamp to bob");
    play.typed("drop lamp");
    let gone = refusal(Refusal::NotCarried("such thing any more".into()));
    assert_eq!(play.answer(3, bob(Some(2))), [gone, done]);
}

fn is_end(effects: &[Effect]) -> bool {
    effects.iter().any(|one| matches!(one, Effect::End(_)))
}

#[test]
fn regression_who_quits_waits_for_things_on_their_way() {
    let mut play = Play::character().holding(&[own(5)]);
    play.typed("drop lamp");
    assert_eq!(play.typed("quit").len(), 1, "only that the line is done");
    assert!(!play.state.ready());
    let place = [ask(2, Ask::Place(lamp(5)))];
    assert_eq!(play.stored(2, StoreAnswer::Recorded), place);
    let effects = play.answer(2, Answer::Placed(ItemId(5)));
    assert!(is_end(&effects), "{effects:?}");

    let mut play = Play::guest();
    play.typed("get lamp");
    play.typed("quit");
    let effects = play.answer(2, Answer::Handed(HALL, lamp(5)));
    assert!(effects.contains(&put_back(lamp(5))), "{effects:?}");
    assert!(is_end(&effects), "{effects:?}");
}

#[test]
fn whatever_is_on_its_way_a_session_ends_in_time() {
    let mut play = Play::character();
    play.typed("get lamp");
    play.answer(2, Answer::Handed(HALL, lamp(5)));
    let kicked = || Event::Did(Did::Quit);
    let now = play.now;
    assert_eq!(
        play.step(|state, _, out| end(state, now, kicked(), out)),
        []
    );
    let half = limits::ENDING_MAX / 2;
    assert!(!is_end(&play.after(half)));
    let now = play.now;
    play.step(|state, _, out| end(state, now, kicked(), out));
    let effects = play.after(limits::ENDING_MAX - half);
    assert!(is_end(&effects), "not put off by a second end: {effects:?}");
}

#[test]
fn regression_what_somebody_else_has_on_record_slips_away_and_is_not_laid_back() {
    let mut play = Play::character();
    play.typed("get lamp");
    play.answer(2, Answer::Handed(HALL, lamp(6)));
    let done = play.done(Verb::Item);
    let effects = play.stored(2, StoreAnswer::Moved);
    assert_eq!(effects, [refusal(Refusal::SomebodyElses), done]);
    assert!(play.hands().is_empty() && play.state.asks.is_empty());

    let held = Held {
        item: lamp(7),
        recorded: None,
    };
    let mut play = Play::character().holding(&[held]);
    play.typed("drop lamp");
    let done = play.done(Verb::Item);
    let effects = play.stored(2, StoreAnswer::Moved);
    assert_eq!(effects, [refusal(Refusal::SomebodyElses), done]);
    assert!(play.hands().is_empty() && play.state.asks.is_empty());
}
