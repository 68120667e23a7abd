//! `[pure]` Muting, kicking, banning, and what a room is like.

use super::super::{Answered, Input, Moderated};
use super::stage::{Stage, card, guest};
use crate::lobby::card::Card;
use crate::lobby::ids::Tag;
use crate::lobby::protocol::{Access, Code, Moderation, PlayerEntry, RoomWish, Why};
use std::time::Duration;

const STAFF: u64 = 9;

/// A room of P0, with P1, P2 and somebody of the staff in it.
fn stage() -> Stage {
    let mut stage = Stage::new(10);
    for number in 0..3 {
        stage.enter(number);
    }
    stage.enter_as(card(STAFF, PlayerEntry::STAFF));
    stage.tick();
    stage.heard.answers.clear();
    stage
}

fn moderate(stage: &mut Stage, by: u64, whom: &str, what: Moderation, for_s: u32) -> Answered {
    let moderated = Moderated {
        name: whom.into(),
        what,
        for_s,
        reason: "spam".into(),
    };
    stage.step(Input::Moderate(guest(by), Tag(1), moderated));
    stage.answers(by).pop().unwrap()
}

fn code(answer: &Answered) -> Option<Code> {
    match answer {
        Answered::Refused(code, ..) => Some(*code),
        Answered::Done | Answered::Seated { .. } => None,
    }
}

fn flags(stage: &mut Stage, of: &str, seen_by: u64) -> u8 {
    let client = stage.client(seen_by);
    let mut players = client.players.values();
    players.find(|player| &*player.name == of).unwrap().flags
}

#[test]
fn who_is_muted_is_refused_with_reason_end_and_author_and_all_see_it() {
    let mut stage = stage();
    let done = moderate(&mut stage, 0, "p1", Moderation::Mute, 600);
    assert_eq!(done, Answered::Done);
    let (who, text) = stage.heard.notices.pop().unwrap();
    assert_eq!(who, guest(1));
    let told = "You may not speak in this room for 10 min more, says P0: spam";
    assert_eq!(&*text, told);
    stage.say(1, "but why");
    let refused = stage.answers(1).pop().unwrap();
    let why = "You may not speak here for 10 min more, says P0: spam";
    assert_eq!(refused, Answered::Refused(Code::Banned, why.into(), 0));
    let (by, logged) = stage.heard.log.pop().unwrap();
    assert_eq!((&*by, &*logged.name, logged.for_s), ("P0", "p1", 600));
    stage.tick();
    assert_eq!(flags(&mut stage, "P1", 2), PlayerEntry::MUTED);
    stage.pass(Duration::from_secs(600));
    stage.tick();
    assert_eq!(flags(&mut stage, "P1", 2), 0, "it has an end");
    stage.say(1, "thanks");
    assert_eq!(stage.answers(1), [Answered::Done]);
}

#[test]
fn a_mute_holds_for_who_leaves_and_comes_again_until_it_is_taken_back() {
    let mut stage = stage();
    moderate(&mut stage, 0, "P1", Moderation::Mute, 0);
    stage.step(Input::Leave(guest(1), Why::Left));
    stage.tick();
    stage.enter(1);
    stage.tick();
    stage.answers(1);
    stage.say(1, "hello");
    assert_eq!(code(&stage.answers(1)[0]), Some(Code::Banned));
    assert_eq!(flags(&mut stage, "P1", 2), PlayerEntry::MUTED);
    moderate(&mut stage, STAFF, "P1", Moderation::Unmute, 0);
    stage.say(1, "hello");
    assert_eq!(stage.answers(1), [Answered::Done]);
    let again = moderate(&mut stage, 0, "P1", Moderation::Unmute, 0);
    assert_eq!(code(&again), Some(Code::Gone));
}

#[test]
fn who_is_kicked_is_told_why_and_may_come_again_unless_for_a_time() {
    let mut stage = stage();
    moderate(&mut stage, 0, "P1", Moderation::Kick, 0);
    let (who, why, text) = stage.heard.put_out.pop().unwrap();
    assert_eq!((who, why), (guest(1), Why::Kicked));
    assert_eq!(&*text, "You were put out of Den by P0: spam");
    stage.tick();
    assert!(
        stage
            .client(2)
            .players
            .values()
            .all(|player| &*player.name != "P1")
    );
    stage.enter(1);
    stage.tick();
    assert!(matches!(stage.answers(1)[0], Answered::Seated { .. }));
    moderate(&mut stage, 0, "P1", Moderation::Kick, 60);
    stage.enter(1);
    assert_eq!(code(&stage.answers(1)[0]), Some(Code::Banned));
    stage.pass(Duration::from_secs(60));
    stage.enter(1);
    stage.tick();
    assert!(matches!(stage.answers(1)[0], Answered::Seated { .. }));
    let nobody = moderate(&mut stage, 0, "P7", Moderation::Kick, 0);
    assert_eq!(code(&nobody), Some(Code::Gone));
}

#[test]
fn who_is_banned_is_refused_before_a_seat_is_taken_also_when_absent() {
    let mut stage = stage();
    let taken = stage.room.taken();
    moderate(&mut stage, 0, "P5", Moderation::Ban, 0);
    stage.enter(5);
    let answer = stage.answers(5).pop().unwrap();
    let text = "You may not come into this room until it is taken back, says P0: spam";
    assert_eq!(answer, Answered::Refused(Code::Banned, text.into(), 0));
    assert_eq!(stage.room.taken(), taken);
    moderate(&mut stage, 0, "P5", Moderation::Unban, 0);
    stage.enter(5);
    stage.tick();
    assert!(matches!(stage.answers(5)[0], Answered::Seated { .. }));
}

#[test]
fn a_ban_takes_who_waits_to_come_in_out_as_well() {
    let mut stage = stage();
    stage.enter(5);
    moderate(&mut stage, 0, "P5", Moderation::Ban, 0);
    assert_eq!(stage.heard.put_out.pop().unwrap().1, Why::Banned);
    stage.tick();
    assert_eq!(stage.answers(5), []);
}

#[test]
fn only_staff_and_the_owner_moderate_and_nobody_moderates_staff() {
    let mut stage = stage();
    let refused = |answer: Answered| assert_eq!(code(&answer), Some(Code::Refused));
    refused(moderate(&mut stage, 1, "P2", Moderation::Mute, 0));
    refused(moderate(&mut stage, 0, "P9", Moderation::Kick, 0));
    refused(moderate(&mut stage, 0, "p0", Moderation::Mute, 0));
    assert!(stage.heard.log.is_empty());
    let done = moderate(&mut stage, STAFF, "P0", Moderation::Mute, 0);
    assert_eq!(done, Answered::Done);
}

fn change(stage: &mut Stage, by: u64, wish: RoomWish) -> Answered {
    stage.step(Input::Change(guest(by), Tag(1), wish));
    stage.answers(by).pop().unwrap()
}

#[test]
fn a_room_is_changed_by_its_owner_and_all_are_told() {
    let mut stage = stage();
    let wish = RoomWish {
        name: Some("Tea house".into()),
        seats: Some(4),
        access: Some(Access::Locked),
    };
    let refused = change(&mut stage, 1, wish.clone());
    assert_eq!(code(&refused), Some(Code::Refused));
    assert_eq!(change(&mut stage, 0, wish), Answered::Done);
    stage.tick();
    let room = stage.client(2).room.clone().unwrap();
    assert_eq!(
        (&*room.name, room.seats, room.access),
        ("Tea house", 4, Access::Locked)
    );
    assert_eq!(stage.heard.listed.last(), Some(&room));
}

#[test]
fn a_wish_that_no_room_can_be_like_changes_nothing() {
    let mut stage = stage();
    let named = |name: &str| RoomWish {
        name: Some(name.into()),
        ..RoomWish::default()
    };
    let seats = |seats| RoomWish {
        seats: Some(seats),
        ..RoomWish::default()
    };
    let long = "x".repeat(41);
    for wish in [
        named("ab"),
        named(&long),
        named(" ab "),
        named("a\u{7}bc"),
        seats(0),
        seats(5_001),
    ] {
        let answer = change(&mut stage, 0, wish.clone());
        assert_eq!(code(&answer), Some(Code::Text), "{wish:?}");
    }
    assert_eq!(stage.room.entry().seats, 10);
}

#[test]
fn a_locked_room_takes_only_its_owner_and_staff() {
    let mut stage = stage();
    let locked = RoomWish {
        access: Some(Access::Locked),
        ..RoomWish::default()
    };
    change(&mut stage, 0, locked);
    stage.enter(5);
    assert_eq!(code(&stage.answers(5)[0]), Some(Code::Refused));
    for number in [0, 1] {
        stage.step(Input::Leave(guest(number), Why::Left));
    }
    stage.tick();
    stage.enter(0);
    stage.enter(1);
    stage.enter_as(Card {
        name: "Mia".into(),
        ..card(6, PlayerEntry::STAFF)
    });
    stage.tick();
    assert!(matches!(
        stage.answers(0).pop(),
        Some(Answered::Seated { .. })
    ));
    assert!(matches!(
        stage.answers(6).pop(),
        Some(Answered::Seated { .. })
    ));
    assert_eq!(code(&stage.answers(1)[0]), Some(Code::Refused));
}

#[test]
fn a_room_for_invited_ones_takes_them_and_who_has_been_in() {
    let mut stage = stage();
    let invited = RoomWish {
        access: Some(Access::Invited),
        ..RoomWish::default()
    };
    change(&mut stage, 0, invited);
    stage.enter(5);
    assert_eq!(code(&stage.answers(5)[0]), Some(Code::Refused));
    stage.step(Input::Admit("p5".into()));
    stage.enter(5);
    stage.step(Input::Leave(guest(1), Why::Left));
    stage.tick();
    stage.enter(1);
    stage.tick();
    assert!(matches!(
        stage.answers(5).pop(),
        Some(Answered::Seated { .. })
    ));
    assert!(matches!(
        stage.answers(1).pop(),
        Some(Answered::Seated { .. })
    ));
}
