//! `[process]` What nodes of two versions say to each other: the bytes stay as they are, and
//! garbage harms nobody.

use crate::being::{Card, Entry, Item, Parting};
use crate::cluster::rooms::frame::{Frame, Head, Letter, Opening, What};
use crate::cluster::rooms::state::{StateError, ZoneState};
use crate::event::{Event, PersonSeen, Refusal, RoomSeen, Seen};
use crate::ids::{
    Being, Direction, ItemId, LineId, MobId, MoveSeq, PrototypeId, RoomId, SessionId, ZoneId,
};
use crate::mob::MobBody;
use crate::room::{Answer, Ask, Cast, Change, Occupant, RoomState, Undelivered};
use belay_cluster::Epoch;
use proptest::prelude::*;
use std::sync::Arc;

const HEAD: Head = Head {
    zone: ZoneId(3),
    epoch: Epoch(300),
};

fn ann() -> SessionId {
    SessionId::on(2, 1, 7)
}

fn card() -> Arc<Card> {
    Arc::new(Card {
        name: "Ann".into(),
        description: "Plain.".into(),
        character: None,
        mob: None,
        away: false,
        linkdead: true,
    })
}

fn ask(ask: Ask) -> Letter {
    Letter {
        being: Being::Session(ann()),
        room: RoomId(9),
        what: What::Ask(LineId(5), ask),
    }
}

fn lamp() -> Item {
    Item {
        id: ItemId(41),
        prototype: PrototypeId(1),
    }
}

fn room_seen() -> Event {
    Event::RoomSeen(Box::new(RoomSeen {
        room: RoomId(9),
        people: vec![PersonSeen {
            name: "Bob".into(),
            away: true,
            linkdead: false,
        }],
        people_more: 2,
        mobs: vec!["Mog".into()],
        items: vec![("A lamp.".into(), 3)],
    }))
}

/// One of each, as bytes of version 1. A line that changes breaks a rolling upgrade.
fn golden() -> Vec<(Frame, &'static str)> {
    let (seq, how) = (MoveSeq(4), Entry::Walk(Direction::East));
    let enter = Ask::Enter {
        seq,
        card: card(),
        how,
    };
    let gone = Letter {
        being: Being::Session(ann()),
        room: RoomId(9),
        what: What::Cast(Cast::Gone {
            seq,
            how: Parting::Sleep,
        }),
    };
    let says = Seen::Says {
        who: "Ann".into(),
        text: "hi".into(),
    };
    let show = |event| Answer::Show(Box::new(event));
    let entries = vec![(Some(Being::Mob(MobId(2))), says.clone())];
    vec![
        (Frame::Post(HEAD, 1, ask(enter)), "post enter"),
        (Frame::Post(HEAD, 2, ask(Ask::Say("hi".into()))), "post say"),
        (Frame::Post(HEAD, 3, gone), "post gone"),
        (Frame::Settle(HEAD), "settle"),
        (Frame::Anew(HEAD), "anew"),
        (Frame::Answer(HEAD, 1, show(room_seen())), "answer seen"),
        (
            Frame::Answer(HEAD, 2, Answer::Handed(RoomId(9), lamp())),
            "answer handed",
        ),
        (
            Frame::Answer(
                HEAD,
                3,
                show(Event::Refused(Refusal::NotHere("rope".into()))),
            ),
            "answer refused",
        ),
        (Frame::Lost(HEAD, 4), "lost"),
        (Frame::Refused(HEAD, 5, Undelivered::Busy), "refused"),
        (
            Frame::Notice(HEAD, RoomId(9), (Some(Being::Session(ann())), says)),
            "notice",
        ),
        (
            Frame::Tick {
                head: HEAD,
                room: RoomId(9),
                all: entries.clone(),
                newcomers: entries,
                fresh: vec![ann()],
            },
            "tick",
        ),
        (Frame::RoomClosed(HEAD, RoomId(9), ann()), "room closed"),
        (Frame::Open(HEAD, Opening::Moved), "open"),
        (Frame::Shut(HEAD), "shut"),
        (Frame::Settled(HEAD), "settled"),
        (Frame::Bounced(HEAD, 6, ask(Ask::Look)), "bounced"),
        (Frame::Again(HEAD, 7), "again"),
        (Frame::Took(HEAD, 7), "took"),
        (Frame::NotTaken(HEAD, 7), "not taken"),
    ]
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn frames_keep_their_bytes() {
    let written: Vec<String> = golden()
        .iter()
        .map(|(frame, name)| format!("{name}: {}", hex(&frame.encode().unwrap())))
        .collect();
    let kept = include_str!("frames.txt");
    assert_eq!(written, kept.lines().collect::<Vec<_>>(), "{written:#?}");
}

#[test]
fn frames_come_back_as_they_went_and_cut_ones_do_not() {
    for (frame, name) in golden() {
        let bytes = frame.encode().unwrap();
        assert_eq!(Frame::decode(&bytes).as_ref(), Ok(&frame), "{name}");
        for cut in 0..bytes.len() {
            assert!(Frame::decode(&bytes[..cut]).is_err(), "{name} cut at {cut}");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(Frame::decode(&longer).is_err(), "{name} with a byte more");
        let mut later = bytes;
        later[0] = 2;
        assert!(Frame::decode(&later).is_err(), "{name} of another version");
    }
}

#[test]
fn what_no_room_says_is_not_written() {
    let event = Event::System(crate::event::SystemEvent::Adrift);
    let frame = Frame::Answer(HEAD, 1, Answer::Show(Box::new(event)));
    assert!(frame.encode().is_err());
}

fn state() -> ZoneState {
    let mut room: RoomState<u8> = RoomState::new(RoomId(9));
    room.apply(Change::Join(
        Being::Session(ann()),
        Occupant::new(card(), MoveSeq(4), 1),
    ));
    room.apply(Change::Put(lamp()));
    room.apply(Change::Part(Being::Mob(MobId(3)), MoveSeq(2)));
    room.apply(Change::Gather(None, Seen::Trembles));
    let now = crate::cluster::rooms::gateway::now();
    ZoneState {
        rooms: vec![room.record()],
        mobs: vec![(MobId(3), MobBody::new(8).record(now))],
    }
}

#[test]
fn the_state_of_a_zone_keeps_its_bytes_and_comes_back() {
    let bytes = state().encode().unwrap();
    assert_eq!(hex(&bytes), include_str!("state.txt").trim());
    assert_eq!(ZoneState::decode(&bytes), Ok(state()));
    for cut in 0..bytes.len() {
        assert_eq!(ZoneState::decode(&bytes[..cut]), Err(StateError::Garbage));
    }
    let mut later = bytes;
    later[0] = 2;
    assert_eq!(ZoneState::decode(&later), Err(StateError::Version));
}

#[test]
fn a_room_comes_back_with_those_whose_ports_are_known() {
    let record = state().rooms.remove(0);
    let room = RoomState::from_record(record.clone(), |_| Some(1_u8));
    assert_eq!(room.record(), record);
    assert_eq!((room.sessions(), room.armed()), (1, true));
    assert_eq!(room.newest_seq(Being::Mob(MobId(3))), Some(MoveSeq(2)));
    let room = RoomState::<u8>::from_record(record, |_| None);
    assert_eq!((room.sessions(), room.items().len()), (0, 1));
}

proptest! {
    #[test]
    fn garbage_is_refused_or_read_and_never_panics(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let mut framed = vec![1];
        framed.extend(&bytes);
        for bytes in [&bytes, &framed] {
            drop(Frame::decode(bytes));
            drop(ZoneState::decode(bytes));
        }
    }
}
