//! `[pure]` The hall's state by itself.

use super::super::{Effect, HallState, Input};
use crate::event::Text;
use crate::ids::SessionId;
use crate::lobby::ids::HallRoomId;
use crate::lobby::limits::{LIST_TICK, ROOMS_OWNED_MAX};
use crate::lobby::protocol::{Access, Code, RoomEntry, RoomPick, RoomWish, ServerMessage};
use std::collections::BTreeMap;
use std::time::Instant;

const SEATS: u16 = 2;
const FIRST: HallRoomId = HallRoomId(1);

/// A hall whose rooms are a count each, kept here; entries are numbers.
struct Stage {
    hall: HallState,
    now: Instant,
    sits: BTreeMap<HallRoomId, u16>,
    placed: Vec<(u32, HallRoomId, bool)>,
    refused: Vec<(u32, Code)>,
    closing: Vec<HallRoomId>,
    told: Vec<(ServerMessage, Vec<SessionId>)>,
}

impl Stage {
    #[expect(clippy::disallowed_methods, reason = "any moment is a beginning")]
    fn new() -> Self {
        let mut stage = Self {
            hall: HallState::new(SEATS),
            now: Instant::now(),
            sits: BTreeMap::new(),
            placed: Vec::new(),
            refused: Vec::new(),
            closing: Vec::new(),
            told: Vec::new(),
        };
        let mut effects = Vec::new();
        stage.hall.begin(&mut effects);
        stage.carry_out(effects);
        stage
    }

    fn step(&mut self, input: Input<u32>) {
        let mut effects = Vec::new();
        self.hall.step(input, self.now, &mut effects);
        self.carry_out(effects);
    }

    fn carry_out(&mut self, effects: Vec<Effect<u32>>) {
        for effect in effects {
            match effect {
                Effect::Open(about) => drop(self.sits.insert(about.id, 0)),
                Effect::Hand {
                    room,
                    entry,
                    instead,
                    any,
                } => {
                    let sit = self.sits.get_mut(&room).unwrap();
                    if *sit < SEATS {
                        *sit += 1;
                        self.placed.push((entry, room, instead));
                    } else {
                        self.step(Input::Full { room, any, entry });
                    }
                }
                Effect::Refuse(entry, code, ..) => self.refused.push((entry, code)),
                Effect::Close(room) => self.closing.push(room),
                Effect::Tell(frame, to) => {
                    let message = frame.messages()[0].clone();
                    self.told.push((message, to));
                }
            }
        }
    }

    fn place(&mut self, entry: u32, pick: RoomPick) -> (HallRoomId, bool) {
        self.step(Input::Place(pick, entry));
        let (who, room, instead) = *self.placed.last().unwrap();
        assert_eq!(who, entry);
        (room, instead)
    }

    /// A room says how many sit in it.
    fn report(&mut self, room: HallRoomId) {
        let entry = self.entry(room);
        self.step(Input::Room(entry));
    }

    fn entry(&self, room: HallRoomId) -> RoomEntry {
        let mut rooms = self.hall.rooms();
        let entry = rooms.find(|entry| entry.room == room).unwrap().clone();
        RoomEntry {
            players: self.sits[&room],
            ..entry
        }
    }

    fn leave(&mut self, room: HallRoomId) {
        *self.sits.get_mut(&room).unwrap() -= 1;
        self.report(room);
    }

    fn names(&self) -> Vec<String> {
        self.hall
            .rooms()
            .map(|entry| entry.name.to_string())
            .collect()
    }

    fn tick(&mut self) -> Vec<(ServerMessage, Vec<SessionId>)> {
        self.now += LIST_TICK;
        self.step(Input::Tick);
        std::mem::take(&mut self.told)
    }
}

fn named(name: &str) -> RoomWish {
    RoomWish {
        name: Some(name.into()),
        ..RoomWish::default()
    }
}

#[test]
fn headquarters_open_by_themselves_when_all_are_full_and_close_when_needless() {
    let mut stage = Stage::new();
    assert_eq!(stage.names(), ["Headquarters"]);
    for entry in 0..5 {
        let (_, instead) = stage.place(entry, RoomPick::Any);
        assert!(!instead, "any room was asked for");
    }
    assert_eq!(
        stage.names(),
        ["Headquarters", "Headquarters 2", "Headquarters 3"]
    );
    for room in 1..=3 {
        stage.report(HallRoomId(room));
    }
    assert_eq!(stage.closing, []);
    stage.leave(HallRoomId(3));
    assert_eq!(stage.closing, [], "all others are full");
    stage.leave(HallRoomId(2));
    assert_eq!(stage.closing, [HallRoomId(3)]);
    // It is being asked: nobody is sent there.
    let (room, _) = stage.place(6, RoomPick::Any);
    assert_eq!(room, HallRoomId(2));
    stage.step(Input::Closed(HallRoomId(3)));
    assert_eq!(stage.names(), ["Headquarters", "Headquarters 2"]);
    let (room, _) = stage.place(7, RoomPick::Any);
    assert_eq!(room, HallRoomId(4), "numbers of rooms are not used again");
    assert_eq!(stage.names().last().unwrap(), "Headquarters 3", "names are");
}

#[test]
fn a_room_that_stays_open_takes_people_again() {
    let mut stage = Stage::new();
    for entry in 0..3 {
        stage.place(entry, RoomPick::Any);
    }
    stage.leave(FIRST);
    stage.leave(HallRoomId(2));
    assert_eq!(stage.closing, [HallRoomId(2)]);
    stage.place(3, RoomPick::Any);
    stage.step(Input::Kept(HallRoomId(2)));
    let (room, _) = stage.place(4, RoomPick::Any);
    assert_eq!(room, HallRoomId(2));
}

#[test]
fn headquarters_never_close() {
    let mut stage = Stage::new();
    stage.step(Input::Create(named("Den"), "Ann".into(), 1));
    stage.report(FIRST);
    stage.report(HallRoomId(2));
    assert_eq!(stage.closing, []);
    stage.step(Input::Closed(FIRST));
    assert_eq!(
        stage.names(),
        ["Den", "Headquarters"],
        "lost, and opened anew"
    );
}

#[test]
fn who_picks_a_full_room_lands_elsewhere_and_is_told() {
    let mut stage = Stage::new();
    stage.place(1, RoomPick::Room(FIRST));
    stage.place(2, RoomPick::Room(FIRST));
    let (room, instead) = stage.place(3, RoomPick::Room(FIRST));
    assert_eq!((room, instead), (HallRoomId(2), true));
}

#[test]
fn who_finds_a_room_full_that_the_hall_thought_had_seats_is_sent_on() {
    let mut stage = Stage::new();
    // Full, and the hall has not heard.
    stage.sits.insert(FIRST, SEATS);
    assert_eq!(stage.place(1, RoomPick::Any), (HallRoomId(2), false));
    stage.report(FIRST);
    stage.leave(FIRST);
    stage.sits.insert(FIRST, SEATS);
    assert_eq!(stage.place(2, RoomPick::Room(FIRST)), (HallRoomId(2), true));
}

#[test]
fn a_player_is_followed_into_the_room_where_they_are() {
    let mut stage = Stage::new();
    let follow = || RoomPick::Player("ANN".into());
    stage.step(Input::Place(follow(), 1));
    assert_eq!(stage.refused, [(1, Code::Gone)]);
    stage.step(Input::Create(named("Den"), "Ann".into(), 2));
    let den = HallRoomId(2);
    let ann = || vec![Text::from("Ann")];
    stage.step(Input::Seats(FIRST, ann(), vec![]));
    stage.step(Input::Seats(den, ann(), vec![]));
    // Heard after she came elsewhere.
    stage.step(Input::Seats(FIRST, vec![], ann()));
    assert_eq!(stage.place(3, follow()), (den, false));
    stage.step(Input::Closed(den));
    stage.step(Input::Place(follow(), 4));
    assert_eq!(stage.refused.last(), Some(&(4, Code::Gone)));
}

#[test]
fn players_make_rooms_of_other_names_and_not_too_many() {
    let mut stage = Stage::new();
    let mut create = |wish: RoomWish, owner: &str| {
        stage.step(Input::Create(wish, owner.into(), 1));
        stage.refused.pop().map(|(_, code)| code)
    };
    assert_eq!(create(named("Headquarters 7"), "Ann"), Some(Code::Text));
    assert_eq!(create(named("x"), "Ann"), Some(Code::Text));
    assert_eq!(create(RoomWish::default(), "Ann"), None);
    assert_eq!(create(named("room of ANN"), "Bob"), Some(Code::Text));
    for number in 1..ROOMS_OWNED_MAX {
        assert_eq!(create(named(&format!("Den {number}")), "Ann"), None);
    }
    assert_eq!(create(named("One more"), "ann"), Some(Code::Full));
    assert_eq!(create(named("One more"), "Bob"), None);
}

#[test]
fn nobody_who_asks_for_any_room_is_sent_into_one_that_is_not_open() {
    let mut stage = Stage::new();
    stage.sits.insert(FIRST, SEATS);
    stage.report(FIRST);
    let wish = RoomWish {
        access: Some(Access::Locked),
        ..named("Den")
    };
    stage.step(Input::Create(wish, "Ann".into(), 1));
    let (room, _) = stage.place(2, RoomPick::Any);
    assert_eq!(room, HallRoomId(3));
    stage.leave(HallRoomId(2));
    assert_eq!(
        stage.closing,
        [HallRoomId(2)],
        "empty, and of use to nobody"
    );
}

#[test]
fn a_part_of_the_list_is_told_whole_once_and_then_what_changed() {
    let mut stage = Stage::new();
    let (a, b, c) = (SessionId(1), SessionId(2), SessionId(3));
    stage.step(Input::Watch(a, 0, 2));
    stage.step(Input::Watch(b, 0, 2));
    stage.step(Input::Watch(c, 1, 5));
    let told = stage.tick();
    assert_eq!(told.len(), 2, "who watches the same is told the same");
    assert_eq!(told[0].1, [a, b]);
    let ServerMessage::Rooms { total, from, rooms } = &told[0].0 else {
        panic!("{told:?}");
    };
    assert_eq!((*total, *from, rooms.len()), (1, 0, 1));
    assert_eq!(stage.hall.next_wake(stage.now), None, "nothing changed");
    for entry in 0..5 {
        stage.place(entry, RoomPick::Any);
    }
    stage.report(FIRST);
    stage.step(Input::Stale(b));
    let told = stage.tick();
    let ServerMessage::RoomsChanged { total, rooms, gone } = &told[0].0 else {
        panic!("{told:?}");
    };
    let ids: Vec<u32> = rooms.iter().map(|entry| entry.room.0).collect();
    assert_eq!((*total, &ids[..], gone.len()), (3, &[1, 2][..], 0));
    assert_eq!(told[0].1, [a]);
    assert!(matches!(told[1], (ServerMessage::Rooms { .. }, ref to) if to == &[b]));
    assert_eq!(told[2].1, [c]);
    stage.step(Input::Gone(c));
    stage.step(Input::Watch(a, 0, 0));
    stage.step(Input::Closed(HallRoomId(2)));
    let told = stage.tick();
    assert_eq!(told.len(), 1);
    let ServerMessage::RoomsChanged { rooms, gone, .. } = &told[0].0 else {
        panic!("{told:?}");
    };
    assert_eq!(rooms[0].room, HallRoomId(3), "moved up");
    assert_eq!(
        (&gone[..], &told[0].1[..]),
        (&[HallRoomId(2)][..], &[b][..])
    );
}
