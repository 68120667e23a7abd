//! `[pure]` What a room does, one thing at a time.

use super::super::{Answered, Input};
use super::client::Client;
use super::stage::{Stage, guest};
use crate::lobby::ids::{Seq, Slot};
use crate::lobby::limits::{
    CHAT_CHARS, CHAT_PER_TICK, HISTORY_LINES, JOINS_PER_TICK, PAGE_PLAYERS, SEAT_KEPT, STALE_RETRY,
    TICK, TICKS_KEPT, WAIT_TOLD,
};
use crate::lobby::protocol::{Code, ServerMessage, Status, TickBody, Why};

fn body(stage: &Stage) -> &TickBody {
    match stage.heard.ticks.last().unwrap().messages() {
        [ServerMessage::Tick(body)] => body,
        other => panic!("not a tick: {other:?}"),
    }
}

fn seated(number: u64, stage: &mut Stage) -> Option<Slot> {
    stage
        .answers(number)
        .into_iter()
        .find_map(|answer| match answer {
            Answered::Seated { slot, .. } => Some(slot),
            Answered::Done | Answered::Refused(..) => None,
        })
}

#[test]
fn a_newcomer_gets_the_list_with_itself_in_it_and_others_get_one_tick() {
    let mut stage = Stage::new(10);
    stage.enter(1);
    stage.tick();
    stage.enter(2);
    stage.enter(3);
    stage.say(1, "welcome");
    stage.tick();
    assert_eq!(body(&stage).joined.len(), 2);
    assert_eq!(body(&stage).chat.len(), 1);
    assert_eq!(stage.client(3).players.len(), 3);
    assert_eq!(stage.client(3).you, Slot(2));
    assert_eq!(stage.client(3).history.len(), 1);
    assert_eq!(stage.client(3).heard.len(), 0, "it is in the history");
    assert_eq!(stage.client(1).list(), stage.client(2).list());
    assert_eq!(stage.client(1).snapshots, 1);
}

#[test]
fn nothing_is_told_and_no_timer_runs_when_nothing_happens() {
    let mut stage = Stage::new(10);
    assert_eq!(stage.room.next_wake(stage.now), None);
    stage.enter(1);
    assert_eq!(
        stage.room.next_wake(stage.now),
        Some(stage.now.at),
        "at once after a rest"
    );
    stage.tick();
    assert_eq!(stage.room.next_wake(stage.now), None);
    stage.say(1, "a");
    let next = stage.now.at + TICK;
    assert_eq!(
        stage.room.next_wake(stage.now),
        Some(next),
        "not sooner than a tick"
    );
    let told = stage.heard.ticks.len();
    stage.step(Input::Tick);
    assert_eq!(
        stage.heard.ticks.len(),
        told,
        "a tick that comes early tells nothing"
    );
    stage.tick();
    stage.tick();
    assert_eq!(stage.heard.ticks.len(), told + 1);
}

#[test]
fn a_place_is_used_again_with_the_tick_that_frees_it() {
    let mut stage = Stage::new(2);
    stage.enter(1);
    stage.enter(2);
    stage.tick();
    stage.step(Input::Leave(guest(1), Why::Left));
    stage.enter(3);
    stage.tick();
    let tick = body(&stage);
    assert_eq!((tick.left[0].slot, tick.joined[0].slot), (Slot(0), Slot(0)));
    assert_eq!(stage.client(2).list(), stage.client(3).list());
}

#[test]
fn words_of_who_left_meanwhile_are_told_by_name() {
    let mut stage = Stage::new(2);
    stage.enter(1);
    stage.enter(2);
    stage.tick();
    stage.say(1, "bye");
    stage.step(Input::Leave(guest(1), Why::Left));
    stage.enter(3);
    stage.tick();
    let chat = &body(&stage).chat[0];
    assert_eq!(
        (chat.slot, &*chat.name),
        (None, "P1"),
        "not by the place, which P3 has now"
    );
}

#[test]
fn seats_of_members_of_lost_ones_and_of_who_waits_are_one_count() {
    let mut stage = Stage::new(3);
    stage.enter(1);
    stage.tick();
    stage.cut(1);
    stage.enter(2);
    stage.enter(3);
    stage.enter(4);
    assert_eq!(stage.heard.full, [guest(4)]);
    assert_eq!(stage.room.entry().players, 3);
    stage.step(Input::Leave(guest(3), Why::Left));
    stage.enter(4);
    assert_eq!(
        stage.heard.full.len(),
        1,
        "the seat of who waited is free at once"
    );
    stage.tick();
    assert_eq!(stage.heard.listed.last().unwrap().players, 3);
}

#[test]
fn a_storm_is_let_in_by_slices_and_who_waits_is_told() {
    let all = 4 * JOINS_PER_TICK as u64;
    let mut stage = Stage::new(1_000);
    for number in 0..all {
        stage.enter(number);
    }
    stage.tick();
    assert_eq!(stage.room.list(stage.now).count(), JOINS_PER_TICK);
    assert!(stage.heard.waiting.is_empty(), "not before a while");
    stage.pass(WAIT_TOLD);
    let last = stage.heard.waiting.last().copied();
    let ahead = u32::try_from(2 * JOINS_PER_TICK - 1).unwrap();
    assert_eq!(last, Some((guest(all - 1), ahead)));
    let told = stage.heard.waiting.len();
    stage.read();
    stage.tick();
    assert_eq!(stage.heard.waiting.len(), told, "not with every tick");
    stage.tick();
    assert_eq!(stage.room.list(stage.now).count() as u64, all);
    stage.read();
    for number in [0, all - 1] {
        assert_eq!(stage.client(number).players.len() as u64, all);
    }
}

#[test]
fn a_long_list_comes_in_pages() {
    let all = PAGE_PLAYERS as u64 + 1;
    let mut stage = Stage::new(2_000);
    for number in 0..all {
        stage.enter(number);
    }
    while stage.room.next_wake(stage.now).is_some() {
        stage.tick();
        stage.read();
    }
    stage.cut(0);
    stage.tick();
    stage.resume(0, None);
    stage.tick();
    assert_eq!(stage.client(0).players.len() as u64, all);
}

#[test]
fn whoever_comes_twice_sits_once() {
    let mut stage = Stage::new(5);
    stage.enter(1);
    stage.enter(1);
    let older = stage.answers(1);
    assert!(matches!(older[..], [Answered::Refused(Code::Busy, ..)]));
    stage.tick();
    let slot = seated(1, &mut stage);
    stage.enter(1);
    stage.tick();
    assert_eq!(seated(1, &mut stage), slot);
    assert_eq!(stage.room.taken(), 1);
    assert_eq!(stage.client(1).snapshots, 2);
}

#[test]
fn regression_two_resumes_between_two_ticks_are_served_once() {
    let mut stage = Stage::new(5);
    stage.enter(1);
    stage.enter(2);
    stage.tick();
    let known = stage.client(1).clone();
    stage.say(2, "missed");
    stage.tick();
    stage.answers(1);
    stage.resume(1, Some(known.clone()));
    stage.resume(1, Some(known));
    stage.tick();
    let answers = stage.answers(1);
    let older = matches!(answers[0], Answered::Refused(Code::Busy, ..));
    assert!(older && answers.len() == 2, "{answers:?}");
    assert_eq!(stage.client(1).heard.len(), 1);
}

#[test]
fn resumes_at_every_step_of_the_join() {
    // Before anything is answered; in the seat, before the list is read; with the list; with later
    // ticks; each with the connection cut first, and without the room noticing the cut.
    for step in 0..4 {
        for is_cut in [true, false] {
            let mut stage = Stage::new(5);
            stage.enter(2);
            stage.tick();
            stage.enter(1);
            let mut known = Client::default();
            if step >= 1 {
                stage.tick();
            }
            if step >= 2 {
                known = stage.client(1).clone();
            }
            if step >= 3 {
                stage.say(2, "one");
                stage.tick();
                known = stage.client(1).clone();
            }
            if is_cut {
                stage.cut(1);
            }
            stage.say(2, "missed");
            stage.tick();
            stage.read();
            let known = known.room.is_some().then_some(known);
            let snapshots = known.as_ref().map(|known| known.snapshots);
            stage.resume(1, known);
            stage.tick();
            assert_eq!(stage.room.taken(), 2, "the same seat: step {step}");
            let client = stage.client(1);
            assert_eq!(client.players.len(), 2, "step {step}");
            let said = client.history.iter().chain(&client.heard);
            let missed = said.filter(|chat| &*chat.text == "missed").count();
            assert_eq!(missed, 1, "step {step}");
            if let Some(snapshots) = snapshots {
                assert_eq!(client.snapshots, snapshots, "no list again: step {step}");
            }
            let slot = client.you;
            let status = client.players[&slot].status.clone();
            assert_eq!(status, Status::Here, "step {step}");
            assert_eq!(stage.client(1).list(), stage.client(2).list());
        }
    }
}

#[test]
fn who_missed_too_much_or_claims_nonsense_gets_the_list() {
    let mut stage = Stage::new(5);
    stage.enter(1);
    stage.enter(2);
    stage.tick();
    let known = stage.client(1).clone();
    for _ in 0..=TICKS_KEPT {
        stage.say(2, "x");
        stage.tick();
        stage.read();
    }
    stage.cut(1);
    stage.resume(1, Some(known.clone()));
    stage.tick();
    assert_eq!(stage.client(1).snapshots, 2);
    stage.resume_from(1, known, Some(Seq(u64::MAX)));
    stage.tick();
    assert_eq!(stage.client(1).snapshots, 2, "its own one, and this");
    assert_eq!(stage.client(1).list(), stage.client(2).list());
}

#[test]
fn whose_seat_is_gone_is_told_when_it_happens_and_when_resuming() {
    let mut stage = Stage::new(5);
    stage.enter(1);
    stage.enter(2);
    stage.tick();
    stage.cut(1);
    stage.tick();
    let slot = Slot(0);
    assert_eq!(stage.client(2).players[&slot].status, Status::Gone);
    assert_eq!(
        stage.room.next_wake(stage.now).unwrap(),
        stage.now.at + SEAT_KEPT - TICK
    );
    stage.pass(SEAT_KEPT);
    assert_eq!(stage.heard.put_out[0].1, Why::Lost);
    assert_eq!(body(&stage).left[0].why, Why::Lost);
    stage.answers(1);
    stage.resume(1, None);
    let answer = stage.answers(1).pop();
    assert!(matches!(answer, Some(Answered::Refused(Code::Gone, ..))));
}

#[test]
fn a_slow_reader_gets_one_snapshot_and_others_never_notice() {
    let mut stage = Stage::new(5);
    stage.enter(1);
    stage.enter(2);
    stage.tick();
    stage.read();
    for number in 0..20 {
        stage.say(2, &format!("line {number}"));
        stage.tick();
        stage.client(2);
    }
    assert!(stage.room.is_deaf(guest(1)), "its mailbox was full");
    assert_eq!(stage.client(2).heard.len(), 20);
    assert_eq!(stage.client(2).snapshots, 1);
    // It reads what was there, up to the gap, and is then told the whole by itself.
    stage.client(1);
    stage.pass(STALE_RETRY);
    assert_eq!(stage.client(1).snapshots, 2);
    assert_eq!(stage.client(1).history.len(), 20);
    assert_eq!(stage.client(1).list(), stage.client(2).list());
    let seq = stage.room.seq();
    assert_eq!(stage.client(1).seq, seq);
}

#[test]
fn a_reader_that_stays_slow_is_tried_again_and_costs_nothing_meanwhile() {
    let mut stage = Stage::new(5);
    stage.enter(1);
    stage.enter(2);
    stage.tick();
    for _ in 0..100 {
        stage.say(2, "x");
        stage.tick();
        stage.client(2);
    }
    assert!(stage.room.is_deaf(guest(1)));
    stage.client(1);
    stage.pass(STALE_RETRY);
    assert!(!stage.room.is_deaf(guest(1)));
    assert_eq!(stage.client(1).snapshots, 2);
}

#[test]
fn lines_that_are_empty_too_long_or_too_many_are_refused() {
    let mut stage = Stage::new(5);
    stage.enter(1);
    stage.tick();
    stage.answers(1);
    let mut said = |text: &str| {
        stage.say(1, text);
        match stage.answers(1).pop() {
            Some(Answered::Refused(code, ..)) => Some(code),
            _ => None,
        }
    };
    assert_eq!(said("  "), Some(Code::Text));
    assert_eq!(said(&"\u{e4}".repeat(CHAT_CHARS)), None);
    assert_eq!(said(&"x".repeat(CHAT_CHARS + 1)), Some(Code::Text));
    for _ in 1..CHAT_PER_TICK {
        assert_eq!(said("x"), None);
    }
    assert_eq!(said("x"), Some(Code::Busy));
    stage.tick();
    assert_eq!(body(&stage).chat.len(), CHAT_PER_TICK);
    stage.enter(2);
    stage.tick();
    assert_eq!(stage.client(2).history.len(), HISTORY_LINES);
}

#[test]
fn idle_time_goes_on_in_later_lists() {
    let mut stage = Stage::new(5);
    stage.enter(1);
    stage.tick();
    stage.step(Input::Status(guest(1), Status::Idle(300)));
    stage.tick();
    stage.pass(std::time::Duration::from_secs(60));
    stage.enter(2);
    stage.tick();
    assert_eq!(stage.client(1).players[&Slot(0)].status, Status::Idle(300));
    assert_eq!(stage.client(2).players[&Slot(0)].status, Status::Idle(360));
}

#[test]
fn only_an_empty_room_closes_and_a_closed_one_takes_nobody() {
    let mut stage = Stage::new(5);
    stage.enter(1);
    stage.step(Input::CloseIfEmpty);
    assert_eq!((stage.heard.kept, stage.heard.closed), (1, 0));
    stage.step(Input::Leave(guest(1), Why::Left));
    stage.step(Input::CloseIfEmpty);
    assert_eq!((stage.heard.kept, stage.heard.closed), (1, 1));
    stage.enter(2);
    assert_eq!(stage.heard.full, [guest(2)]);
}

#[test]
fn after_a_crash_everybody_has_the_whole_and_a_higher_tick() {
    let mut stage = Stage::new(5);
    stage.enter(1);
    stage.enter(2);
    stage.tick();
    stage.read();
    let before = stage.room.seq();
    stage.step(Input::Status(guest(1), Status::Away("tea".into())));
    stage.step(Input::Leave(guest(2), Why::Left));
    stage.room.mend();
    stage.enter(3);
    stage.tick();
    assert!(stage.room.seq().0 > before.0 + 1);
    assert_eq!(stage.client(1).snapshots, 2);
    assert_eq!(stage.client(1).list(), stage.client(3).list());
    assert_eq!(stage.client(1).players.len(), 2);
}

#[test]
fn the_hall_hears_who_came_and_who_left() {
    let mut stage = Stage::new(5);
    stage.enter(1);
    stage.enter(2);
    stage.tick();
    stage.step(Input::Leave(guest(1), Why::Moved));
    stage.tick();
    let names = |names: &[crate::event::Text]| names.iter().map(ToString::to_string).collect();
    let seats = &stage.heard.seats;
    let came: Vec<String> = names(&seats[0].0);
    let left: Vec<String> = names(&seats[1].1);
    assert_eq!(
        (came, left),
        (vec!["P1".into(), "P2".into()], vec!["P1".into()])
    );
}
