//! `[process]` The hall and its rooms under the runtime, with guests that do not wait for each
//! other.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "whatever else comes fails the test"
)]

use super::super::{Hall, HallSettings};
use crate::ids::SessionId;
use crate::lobby::card::Card;
use crate::lobby::ids::{HallRoomId, Slot, Tag, UnixSeconds};
use crate::lobby::protocol::{RoomPick, ServerMessage, Why};
use crate::lobby::ring::{
    Answer, Entry, GuestMessage, HallMessage, HallPort, RoomMessage, RoomPort, SocketMessage,
};
use belay_runtime::{
    Address, Capacity, ChildSpec, Context, DynamicOptions, DynamicSupervisor, Incoming, Mailbox,
    Node, Restart, Supervisor,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc;

const PATIENCE: Duration = Duration::from_secs(30);

/// A hall that runs, and a supervisor for guests and sockets.
struct Stage {
    node: Node,
    hall: Hall,
    people: DynamicSupervisor,
}

impl Stage {
    async fn new(seats: u16) -> Self {
        let settings = HallSettings {
            seats,
            clock: Arc::new(|| UnixSeconds(1)),
        };
        let hall = Hall::new(settings);
        let people = DynamicSupervisor::new("people", DynamicOptions::default());
        let tree = Supervisor::builder("stage")
            .children(hall.specs())
            .child(people.spec());
        let node = Node::start(tree).await.unwrap();
        Self { node, hall, people }
    }

    /// A mailbox whose messages come out here.
    fn listener<M: Send + 'static>(&self, messages: u32) -> (Address<M>, mpsc::Receiver<M>) {
        let (out, heard) = mpsc::channel(1);
        let mailbox = Mailbox::new(Capacity {
            messages,
            reserved: 8,
        });
        let address = mailbox.address();
        let body = move |mut ctx: Context<M>| async move {
            loop {
                match ctx.next().await {
                    Incoming::Message(message) | Incoming::Timer(message) => {
                        if out.send(message).await.is_err() {
                            return Ok(());
                        }
                    }
                    Incoming::Shutdown => return Ok(()),
                    Incoming::Signal(_) => {}
                }
            }
        };
        let spec = ChildSpec::once_body("listener", &mailbox, body).restart(Restart::Temporary);
        self.people.spawn_child(spec).unwrap();
        (address, heard)
    }

    async fn stop(self) {
        let report = self.node.stop(PATIENCE).await;
        assert!(report.not_stopped.is_empty());
    }
}

async fn next<M>(heard: &mut mpsc::Receiver<M>) -> M {
    let message = tokio::time::timeout(PATIENCE, heard.recv()).await;
    message.expect("nothing came").expect("closed")
}

fn card(number: u64) -> Card {
    Card {
        guest: SessionId(number),
        name: format!("P{number}").into(),
        account: None,
        wins: 0,
        losses: 0,
        played_s: 0,
        flags: 0,
    }
}

fn entry(
    number: u64,
    port: &Address<GuestMessage>,
    socket: Option<Address<SocketMessage>>,
) -> Box<Entry> {
    Box::new(Entry {
        card: card(number),
        socket,
        port: port.clone(),
        tag: Tag(1),
        instead: false,
        any: false,
    })
}

/// Who says to sit where. Whoever leaves says so before they do: whatever stands here is true.
#[derive(Default)]
struct Audit {
    sits: BTreeMap<HallRoomId, BTreeSet<Slot>>,
    seated: usize,
    faults: Vec<String>,
}

/// A guest that comes and goes a number of times.
async fn restless(
    mut ctx: Context<GuestMessage>,
    (number, rounds, seats): (u64, u64, usize),
    hall: HallPort,
    audit: Arc<Mutex<Audit>>,
) {
    for round in 0..rounds {
        let pick = if (number + round).is_multiple_of(2) {
            RoomPick::Any
        } else {
            RoomPick::Room(HallRoomId(1))
        };
        let place = HallMessage::Place(pick, entry(number, &ctx.address(), None));
        hall.send(place).await.unwrap();
        let answer = loop {
            match ctx.next().await {
                Incoming::Message(GuestMessage::Answer(_, answer)) => break answer,
                Incoming::Shutdown => return,
                Incoming::Message(_) | Incoming::Timer(_) | Incoming::Signal(_) => {}
            }
        };
        let Answer::Seated {
            room, port, slot, ..
        } = answer
        else {
            let fault = format!("{number} in round {round}: {answer:?}");
            audit.lock().unwrap().faults.push(fault);
            return;
        };
        {
            let mut audit = audit.lock().unwrap();
            audit.seated += 1;
            let sits = audit.sits.entry(room).or_default();
            let fault = (!sits.insert(slot) || sits.len() > seats)
                .then(|| format!("{room:?} at {slot:?}: {sits:?}"));
            audit.faults.extend(fault);
        }
        tokio::task::yield_now().await;
        audit
            .lock()
            .unwrap()
            .sits
            .get_mut(&room)
            .unwrap()
            .remove(&slot);
        let leave = RoomMessage::Leave(SessionId(number), Why::Moved);
        port.try_send_owed(leave).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_who_come_and_go_at_once_all_get_a_seat_and_none_is_given_twice() {
    const GUESTS: u32 = 120;
    const ROUNDS: u64 = 8;
    const SEATS: u16 = 5;
    let stage = Stage::new(SEATS).await;
    let audit = Arc::new(Mutex::new(Audit::default()));
    let (done, mut all_done) = mpsc::channel(16);
    for number in 1..=u64::from(GUESTS) {
        let mailbox = Mailbox::new(Capacity {
            messages: 16,
            reserved: 8,
        });
        let (hall, audit, done) = (stage.hall.port(), audit.clone(), done.clone());
        let body = move |ctx: Context<GuestMessage>| async move {
            restless(ctx, (number, ROUNDS, usize::from(SEATS)), hall, audit).await;
            done.send(()).await.unwrap();
            Ok(())
        };
        let spec = ChildSpec::once_body("guest", &mailbox, body).restart(Restart::Temporary);
        stage.people.spawn_child(spec).unwrap();
    }
    for _ in 0..GUESTS {
        next(&mut all_done).await;
    }
    {
        let audit = audit.lock().unwrap();
        assert_eq!(audit.faults, Vec::<String>::new());
        assert_eq!(audit.seated as u64, u64::from(GUESTS) * ROUNDS);
        assert!(audit.sits.len() > 1, "rooms were full, and others opened");
    }
    // All have left: what opened closes again.
    let (socket, mut list) = stage.listener(64);
    let watch = HallMessage::Watch {
        guest: SessionId(1),
        socket,
        from: 0,
        count: 200,
    };
    stage.hall.port().send(watch).await.unwrap();
    let mut known: BTreeMap<HallRoomId, u16> = BTreeMap::new();
    loop {
        let SocketMessage::Shared(frame) = next(&mut list).await else {
            panic!("the list is shared");
        };
        match &frame.messages()[0] {
            ServerMessage::Rooms { rooms, .. } => {
                known = rooms
                    .iter()
                    .map(|entry| (entry.room, entry.players))
                    .collect();
            }
            ServerMessage::RoomsChanged { rooms, gone, .. } => {
                known.retain(|room, _| !gone.contains(room));
                known.extend(rooms.iter().map(|entry| (entry.room, entry.players)));
            }
            other => panic!("{other:?}"),
        }
        if known == BTreeMap::from([(HallRoomId(1), 0)]) {
            break;
        }
    }
    stage.stop().await;
}

/// Somebody in the room, with what their guest and their socket hear.
struct Person {
    guest: mpsc::Receiver<GuestMessage>,
    socket: mpsc::Receiver<SocketMessage>,
    room: RoomPort,
}

async fn seated(stage: &Stage, number: u64, socket_messages: u32) -> Person {
    let (guest_port, mut guest) = stage.listener(64);
    let (socket_port, socket) = stage.listener(socket_messages);
    let entry = entry(number, &guest_port, Some(socket_port));
    let place = HallMessage::Place(RoomPick::Any, entry);
    stage.hall.port().send(place).await.unwrap();
    let GuestMessage::Answer(_, Answer::Seated { port: room, .. }) = next(&mut guest).await else {
        panic!("not seated");
    };
    Person {
        guest,
        socket,
        room,
    }
}

async fn say(person: &mut Person, number: u64, text: &str) {
    let say = RoomMessage::Say(SessionId(number), Tag(2), text.into());
    person.room.send(say).await.unwrap();
    let answer = next(&mut person.guest).await;
    assert!(
        matches!(answer, GuestMessage::Answer(Tag(2), Answer::Done)),
        "{answer:?}"
    );
}

/// The next tick's lines of chat; snapshots come as nothing.
async fn lines(person: &mut Person) -> Option<Vec<String>> {
    match next(&mut person.socket).await {
        SocketMessage::Shared(frame) => match &frame.messages()[0] {
            ServerMessage::Tick(body) => {
                Some(body.chat.iter().map(|chat| chat.text.to_string()).collect())
            }
            other => panic!("{other:?}"),
        },
        SocketMessage::Snapshot(snapshot) => {
            assert_eq!(snapshot.room, HallRoomId(1));
            None
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_socket_that_does_not_read_costs_others_nothing_and_gets_one_snapshot() {
    let stage = Stage::new(10).await;
    let mut quick = seated(&stage, 1, 64).await;
    let mut slow = seated(&stage, 2, 2).await;
    let mut heard = 0;
    while heard < 12 {
        say(&mut quick, 1, "hello").await;
        loop {
            let said = lines(&mut quick).await.unwrap_or_default();
            heard += said.len();
            if !said.is_empty() {
                break;
            }
        }
    }
    // It wakes: a few ticks that were in its mailbox, then the whole once, and it is up to date.
    let (mut ticks, mut snapshots) = (0, 0);
    while snapshots < 2 {
        match lines(&mut slow).await {
            Some(_) => ticks += 1,
            None => snapshots += 1,
        }
    }
    assert!(ticks < 12, "there was no queue: {ticks}");
    say(&mut quick, 1, "last").await;
    assert_eq!(lines(&mut slow).await, Some(vec!["last".to_owned()]));
    drop((quick, slow));
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_room_that_crashes_keeps_everybody_and_tells_them_the_whole() {
    let stage = Stage::new(10).await;
    let mut ann = seated(&stage, 1, 64).await;
    let mut bob = seated(&stage, 2, 64).await;
    assert_eq!(lines(&mut bob).await, None, "the list on entry");
    ann.room.send(RoomMessage::Crash).await.unwrap();
    assert_eq!(lines(&mut bob).await, None, "the list after the crash");
    say(&mut ann, 1, "still here").await;
    assert_eq!(lines(&mut bob).await, Some(vec!["still here".to_owned()]));
    drop((ann, bob));
    stage.stop().await;
}
