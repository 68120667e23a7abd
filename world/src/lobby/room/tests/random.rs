//! `[pure]` Random programs: after each tick every client that is up to date knows exactly who sits
//! in the room, and so does a list that is kept naively.

use super::super::{Answered, Input, Moderated};
use super::client::without_idle;
use super::stage::{Stage, card, guest};
use crate::ids::SessionId;
use crate::lobby::card::Card;
use crate::lobby::ids::{MatchId, Tag};
use crate::lobby::limits::{SEAT_KEPT, TICK};
use crate::lobby::protocol::{Moderation, PlayerEntry, RoomWish, Status};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;

const GUESTS: u64 = 8;
const SEATS: u16 = 6;

#[derive(Clone, Debug)]
enum Act {
    Enter(u64),
    Leave(u64),
    Cut(u64),
    /// Back, with what was known before or without.
    Resume(u64, bool),
    Say(u64),
    Status(u64, u8),
    Score(u64, u8),
    Wins(u64, u32),
    Moderate(u64, Moderation),
    Seats(u16),
    Tick,
    Wait(u16),
    Read(u64),
    ReadAll,
    /// Too much waits for the socket.
    Backlog(u64),
    Drained(u64),
    Crash,
}

fn act() -> impl Strategy<Value = Act> {
    let who = || 0..GUESTS;
    let moderation = prop_oneof![
        Just(Moderation::Mute),
        Just(Moderation::Unmute),
        Just(Moderation::Kick)
    ];
    prop_oneof![
        6 => who().prop_map(Act::Enter),
        3 => who().prop_map(Act::Leave),
        2 => who().prop_map(Act::Cut),
        3 => (who(), any::<bool>()).prop_map(|(who, knows)| Act::Resume(who, knows)),
        4 => who().prop_map(Act::Say),
        4 => (who(), 0..4_u8).prop_map(|(who, status)| Act::Status(who, status)),
        2 => (who(), 0..3_u8).prop_map(|(who, score)| Act::Score(who, score)),
        2 => (who(), 0..3_u32).prop_map(|(who, wins)| Act::Wins(who, wins)),
        2 => (1..GUESTS, moderation).prop_map(|(who, what)| Act::Moderate(who, what)),
        1 => (2..=SEATS).prop_map(Act::Seats),
        8 => Just(Act::Tick),
        1 => (0..70_u16).prop_map(Act::Wait),
        3 => who().prop_map(Act::Read),
        3 => Just(Act::ReadAll),
        2 => who().prop_map(Act::Backlog),
        3 => who().prop_map(Act::Drained),
        1 => Just(Act::Crash),
    ]
}

/// Who sits in the room, by what was asked and answered.
#[derive(Default)]
struct Naive {
    seated: BTreeMap<SessionId, PlayerEntry>,
    /// Status before the connection was lost.
    lost: BTreeMap<SessionId, Status>,
    cards: BTreeMap<SessionId, Card>,
}

impl Naive {
    fn sit(&mut self, who: SessionId, stage: &Stage) {
        let Some(card) = self.cards.get(&who) else {
            return;
        };
        let is_cut = !stage.socket_of.contains_key(&who);
        self.seated.entry(who).or_insert_with(|| PlayerEntry {
            slot: Default::default(),
            name: card.name.clone(),
            status: if is_cut { Status::Gone } else { Status::Here },
            wins: card.wins,
            losses: 0,
            played_s: 0,
            flags: if who.0 == 0 { PlayerEntry::OWNER } else { 0 },
            score: "".into(),
        });
        if is_cut {
            self.lost.entry(who).or_insert(Status::Here);
        }
    }

    fn rise(&mut self, who: SessionId) {
        self.seated.remove(&who);
        self.lost.remove(&who);
    }

    fn back(&mut self, who: SessionId) {
        if let (Some(status), Some(entry)) = (self.lost.remove(&who), self.seated.get_mut(&who)) {
            entry.status = status;
        }
    }
}

struct Play {
    stage: Stage,
    naive: Naive,
    muted: BTreeMap<SessionId, ()>,
}

impl Play {
    fn new() -> Self {
        Self {
            stage: Stage::new(SEATS),
            naive: Naive::default(),
            muted: BTreeMap::new(),
        }
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Enter(n) => self.enter(n),
            Act::Leave(n) => {
                let why = crate::lobby::protocol::Why::Left;
                self.stage.step(Input::Leave(guest(n), why));
                self.naive.rise(guest(n));
            }
            Act::Cut(n) => self.cut(n),
            Act::Resume(n, knows) => self.resume(n, knows),
            Act::Say(n) => self.stage.say(n, "hello"),
            Act::Status(n, status) => self.status(n, status),
            Act::Score(n, score) => {
                let score = format!("{score} : 0").into();
                self.stage
                    .step(Input::Score(guest(n), Clone::clone(&score)));
                if let Some(entry) = self.naive.seated.get_mut(&guest(n)) {
                    entry.score = score;
                }
            }
            Act::Wins(n, wins) => {
                let card = Card { wins, ..card(n, 0) };
                self.naive.cards.insert(guest(n), card.clone());
                self.stage.step(Input::Changed(card));
                if let Some(entry) = self.naive.seated.get_mut(&guest(n)) {
                    entry.wins = wins;
                }
            }
            Act::Moderate(n, what) => self.moderate(n, what),
            Act::Seats(seats) => {
                let wish = RoomWish {
                    seats: Some(seats),
                    ..RoomWish::default()
                };
                self.stage.step(Input::Change(guest(0), Tag(2), wish));
            }
            Act::Tick => self.pass(TICK),
            Act::Wait(seconds) => self.pass(Duration::from_secs(u64::from(seconds))),
            Act::Read(n) => drop(self.stage.known(n).cloned()),
            Act::ReadAll => self.stage.read(),
            Act::Backlog(n) => {
                if let Some(socket) = self.stage.socket(guest(n)) {
                    socket.is_stale = true;
                }
            }
            Act::Drained(n) => {
                if self
                    .stage
                    .socket(guest(n))
                    .is_some_and(|socket| socket.is_stale)
                {
                    self.stage.step(Input::Snapshot(guest(n)));
                }
            }
            Act::Crash => self.stage.room.mend(),
        }
        self.follow();
    }

    fn enter(&mut self, n: u64) {
        let wins = self
            .naive
            .seated
            .get(&guest(n))
            .map_or(0, |entry| entry.wins);
        let card = Card { wins, ..card(n, 0) };
        self.naive.cards.insert(guest(n), card.clone());
        self.stage.enter_as(card);
        self.naive.back(guest(n));
    }

    fn cut(&mut self, n: u64) {
        self.stage.cut(n);
        if let Some(entry) = self.naive.seated.get_mut(&guest(n)) {
            let before = std::mem::replace(&mut entry.status, Status::Gone);
            self.naive.lost.entry(guest(n)).or_insert(before);
        }
    }

    fn resume(&mut self, n: u64, knows: bool) {
        let known = self.stage.known(n).cloned();
        // A client that never had a list has seen no tick.
        let known = known.filter(|known| knows && known.room.is_some());
        self.stage.resume(n, known);
        self.naive.back(guest(n));
    }

    fn status(&mut self, n: u64, status: u8) {
        let status = match status {
            0 => Status::Here,
            1 => Status::Idle(300),
            2 => Status::Away("tea".into()),
            _ => Status::InMatch(MatchId(4)),
        };
        self.stage.step(Input::Status(guest(n), status.clone()));
        if let Some(lost) = self.naive.lost.get_mut(&guest(n)) {
            *lost = status;
        } else if let Some(entry) = self.naive.seated.get_mut(&guest(n)) {
            entry.status = status;
        }
    }

    fn moderate(&mut self, n: u64, what: Moderation) {
        if !self.naive.seated.contains_key(&guest(0)) {
            return;
        }
        let moderated = Moderated {
            name: format!("p{n}").into(),
            what,
            for_s: 0,
            reason: "test".into(),
        };
        self.stage
            .step(Input::Moderate(guest(0), Tag(3), moderated));
        match what {
            Moderation::Mute => drop(self.muted.insert(guest(n), ())),
            Moderation::Unmute => drop(self.muted.remove(&guest(n))),
            Moderation::Kick | Moderation::Ban | Moderation::Unban => {}
        }
    }

    /// What was answered, as the naive list takes it.
    fn follow(&mut self) {
        let heard = &mut self.stage.heard;
        let answers = std::mem::take(&mut heard.answers);
        let put_out = std::mem::take(&mut heard.put_out);
        for (who, _, answer) in answers {
            if matches!(answer, Answered::Seated { .. }) {
                self.naive.sit(who, &self.stage);
            }
        }
        for (who, ..) in put_out {
            self.naive.rise(who);
        }
    }

    fn pass(&mut self, time: Duration) {
        self.stage.pass(time.max(TICK));
        self.follow();
        assert!(!self.stage.room.is_pending(), "a tick tells everything");
        self.check();
    }

    fn check(&mut self) {
        let now = self.stage.now;
        let truth: Vec<_> = self.stage.room.list(now).map(without_idle).collect();
        let mut naive: Vec<_> = self
            .naive
            .seated
            .iter()
            .map(|(who, entry)| {
                let muted = self.muted.contains_key(who);
                let flags = entry.flags | if muted { PlayerEntry::MUTED } else { 0 };
                without_idle(PlayerEntry {
                    flags,
                    ..entry.clone()
                })
            })
            .collect();
        naive.sort_by(|a, b| a.name.cmp(&b.name));
        let mut by_name: Vec<_> = truth
            .iter()
            .cloned()
            .map(|entry| PlayerEntry {
                slot: Default::default(),
                ..entry
            })
            .collect();
        by_name.sort_by(|a, b| a.name.cmp(&b.name));
        assert_eq!(by_name, naive, "who sits in the room");
        assert!(
            self.stage.room.taken() <= usize::from(SEATS),
            "more than seats"
        );
        for who in (0..GUESTS).map(guest) {
            let seated = self.naive.seated.contains_key(&who);
            let Some(socket) = self.stage.socket(who) else {
                continue;
            };
            let upto = socket.is_read() && !socket.is_stale;
            let (list, seq) = (socket.client.list(), socket.client.seq);
            if seated && upto && !self.stage.room.is_deaf(who) {
                assert_eq!(list, truth, "what {who} knows");
                assert_eq!(seq, self.stage.room.seq());
            }
        }
    }

    /// Everything is read, drained and told: now all of them know.
    fn settle(&mut self) {
        for _ in 0..3 {
            self.stage.read();
            for n in 0..GUESTS {
                self.act(Act::Drained(n));
            }
            self.pass(Duration::from_secs(1));
        }
        self.stage.read();
        self.check();
        for who in (0..GUESTS).map(guest) {
            let seated = self.naive.seated.contains_key(&who);
            assert!(!seated || self.naive.lost.contains_key(&who) || !self.stage.room.is_deaf(who));
        }
    }
}

fn play(acts: Vec<Act>) {
    let mut play = Play::new();
    acts.into_iter().for_each(|act| play.act(act));
    play.settle();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_client_knows_what_a_naive_list_knows(acts in prop::collection::vec(act(), 1..120)) {
        play(acts);
    }
}

#[test]
fn seats_that_are_not_kept_any_longer_leave_every_list() {
    let wait = u16::try_from(SEAT_KEPT.as_secs()).unwrap();
    play(vec![
        Act::Enter(1),
        Act::Enter(2),
        Act::Tick,
        Act::Cut(1),
        Act::Tick,
        Act::Wait(wait),
        Act::Enter(3),
        Act::Tick,
        Act::ReadAll,
    ]);
}

#[test]
fn the_model_of_a_client_takes_no_player_twice() {
    let mut stage = Stage::new(SEATS);
    stage.enter(1);
    stage.tick();
    stage.read();
    let mut client = stage.client(1).clone();
    stage.enter(2);
    stage.tick();
    let tick = stage.heard.ticks.last().unwrap().clone();
    client.apply(&tick);
    client.seq.0 -= 1;
    let twice = std::panic::catch_unwind(move || client.apply(&tick));
    assert!(twice.is_err());
}
