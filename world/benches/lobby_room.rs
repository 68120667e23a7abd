//! Goal: what one lobby room costs beside the writes to sockets, and how large the first list is.
//! Method: a hall with one room under the runtime; each member has a socket that takes what it is
//! handed and has the frame made, as a real one would before it writes; every member says something
//! each 10 s and changes its status each 20 s. The processor time of the whole process is what it
//! costs, with the driver in it; the spans say how much of it is the room's own. It fails when a
//! member is not seated. `cargo bench -p belay-world --bench lobby_room [MEMBERS ...]`

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::cast_precision_loss,
    reason = "a bench prints, reads the clock, and ends when something is wrong"
)]

use belay_runtime::{
    Address, Capacity, ChildSpec, Context, DynamicOptions, DynamicSupervisor, Incoming, Mailbox,
    Node, Profiler, ProfilerOptions, Restart, Supervisor,
};
use belay_world::ids::SessionId;
use belay_world::lobby::card::Card;
use belay_world::lobby::hall::{Hall, HallSettings};
use belay_world::lobby::ids::{Tag, UnixSeconds};
use belay_world::lobby::protocol::{Encoding, PlayerEntry, RoomPick, ServerMessage, Status};
use belay_world::lobby::ring::{
    Answer, Entry, GuestMessage, HallMessage, RoomMessage, RoomPort, SocketMessage,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

const MEASURED: Duration = Duration::from_secs(10);
const CHAT_EVERY_S: f64 = 10.0;
const STATUS_EVERY_S: f64 = 20.0;
const WORDS: &str = "sixty characters of what one says to all who are in the room";

/// What all sockets took.
#[derive(Default)]
struct Taken {
    frames: AtomicU64,
    bytes: AtomicU64,
    list_bytes: AtomicU64,
}

#[tokio::main]
async fn main() {
    let asked: Vec<u64> = std::env::args()
        .filter_map(|arg| arg.parse().ok())
        .collect();
    let sizes = if asked.is_empty() {
        vec![1_000, 2_000, 4_000]
    } else {
        asked
    };
    for members in sizes {
        room(members).await;
    }
}

async fn room(members: u64) {
    let hall = Hall::new(HallSettings {
        seats: 5_000,
        clock: Arc::new(|| UnixSeconds(1_700_000_000)),
    });
    let people = DynamicSupervisor::new("people", DynamicOptions::default());
    let tree = Supervisor::builder("bench")
        .children(hall.specs())
        .child(people.spec());
    let node = Node::start(tree).await.expect("the tree starts");
    let taken = Arc::new(Taken::default());
    let (seated, mut seats) = mpsc::channel(16);
    let joining = Instant::now();
    for number in 1..=members {
        let socket = socket(&people, &taken);
        let guest = guest(&people, &seated);
        let place = HallMessage::Place(RoomPick::Any, entry(number, guest, socket));
        hall.port().send(place).await.expect("the hall runs");
    }
    let mut room = None;
    for _ in 0..members {
        room = seats.recv().await;
    }
    let room = room.expect("a room");
    let joined = joining.elapsed();
    let name_bytes = "Guest0000".len() as f64;
    let list_bytes = taken.list_bytes.load(Ordering::Relaxed) as f64 / members as f64;
    // What follows from the joining is over.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let before = taken.frames.load(Ordering::Relaxed);
    let bytes_before = taken.bytes.load(Ordering::Relaxed);
    let profiler = Profiler::new(ProfilerOptions::default());
    let cpu = cpu_time();
    let began = Instant::now();
    mix(members, &room).await;
    let (cpu, lasted) = (cpu_time() - cpu, began.elapsed());
    let report = profiler.report();
    let frames = taken.frames.load(Ordering::Relaxed) - before;
    let bytes = taken.bytes.load(Ordering::Relaxed) - bytes_before;
    let ticks = frames as f64 / members as f64;
    let spans = report.by_self();
    let micros = |name: &str| {
        let spans = spans.iter().filter(|(_, span)| span.name == name);
        let total: u64 = spans.map(|(_, span)| span.total_ns).sum();
        total as f64 / 1e3 / ticks
    };
    println!(
        "{members} members: all in {joined:.1?}; {ticks:.0} ticks in {lasted:.1?}; a tick: \
         step {:.0} us, tell {:.0} us, process {:.0} us; process {:.1} % of a core; \
         {:.0} B a tick; first list {:.1} B a player and name ({:.1} B without the name)",
        micros("lobby.room.step"),
        micros("lobby.room.tell"),
        cpu.as_secs_f64() * 1e6 / ticks,
        cpu.as_secs_f64() / lasted.as_secs_f64() * 100.0,
        bytes as f64 / frames.max(1) as f64,
        list_bytes,
        list_bytes - name_bytes,
    );
    node.stop(Duration::from_secs(30)).await;
}

/// Everybody talks and changes their status, evenly over time.
async fn mix(members: u64, room: &RoomPort) {
    let mut every = tokio::time::interval(Duration::from_millis(5));
    let began = Instant::now();
    let (mut said, mut changed) = (0_u64, 0_u64);
    while began.elapsed() < MEASURED {
        every.tick().await;
        let due = |every_s: f64| began.elapsed().as_secs_f64() * members as f64 / every_s;
        while (said as f64) < due(CHAT_EVERY_S) {
            let guest = SessionId(said % members + 1);
            let say = RoomMessage::Say(guest, Tag(1), WORDS.into());
            room.send(say).await.expect("the room runs");
            said += 1;
        }
        while (changed as f64) < due(STATUS_EVERY_S) {
            let guest = SessionId(changed % members + 1);
            let status = if (changed / members).is_multiple_of(2) {
                Status::Away("back after some tea".into())
            } else {
                Status::Here
            };
            let change = RoomMessage::Status(guest, status);
            room.send(change).await.expect("the room runs");
            changed += 1;
        }
    }
}

fn entry(number: u64, port: Address<GuestMessage>, socket: Address<SocketMessage>) -> Box<Entry> {
    let card = Card {
        guest: SessionId(number),
        name: format!("Guest{number:04}").into(),
        account: None,
        wins: 3,
        losses: 2,
        played_s: 1_000,
        flags: PlayerEntry::GUEST,
    };
    Box::new(Entry {
        card,
        socket: Some(socket),
        port,
        tag: Tag(1),
        instead: false,
        any: false,
    })
}

/// A socket that writes nothing.
fn socket(people: &DynamicSupervisor, taken: &Arc<Taken>) -> Address<SocketMessage> {
    let mailbox = Mailbox::new(Capacity {
        messages: 128,
        reserved: 128,
    });
    let taken = taken.clone();
    let body = move |mut ctx: Context<SocketMessage>| async move {
        loop {
            match ctx.next().await {
                Incoming::Message(SocketMessage::Shared(frame)) => {
                    let bytes = frame.frame(Encoding::Binary).bytes.len() as u64;
                    taken.frames.fetch_add(1, Ordering::Relaxed);
                    taken.bytes.fetch_add(bytes, Ordering::Relaxed);
                }
                Incoming::Message(SocketMessage::Snapshot(snapshot)) => {
                    let (mut bytes, mut players) = (0_u64, 0_u64);
                    for frame in snapshot.frames {
                        if let [ServerMessage::Players { players: page, .. }] = frame.messages() {
                            bytes += frame.frame(Encoding::Binary).bytes.len() as u64;
                            players += page.len() as u64;
                        }
                    }
                    // The largest list is the last one's.
                    taken
                        .list_bytes
                        .fetch_max(bytes * players.min(1), Ordering::Relaxed);
                }
                Incoming::Shutdown => return Ok(()),
                Incoming::Message(_) | Incoming::Timer(_) | Incoming::Signal(_) => {}
            }
        }
    };
    let spec = ChildSpec::once_body("socket", &mailbox, body).restart(Restart::Temporary);
    people.spawn_child(spec).expect("room for a socket");
    mailbox.address()
}

/// A guest who says where the seat is, and takes all other answers.
fn guest(people: &DynamicSupervisor, seated: &mpsc::Sender<RoomPort>) -> Address<GuestMessage> {
    let mailbox = Mailbox::new(Capacity {
        messages: 128,
        reserved: 128,
    });
    let seated = seated.clone();
    let body = move |mut ctx: Context<GuestMessage>| async move {
        loop {
            match ctx.next().await {
                Incoming::Message(GuestMessage::Answer(_, Answer::Seated { port, .. })) => {
                    drop(seated.send(port).await);
                }
                Incoming::Shutdown => return Ok(()),
                Incoming::Message(_) | Incoming::Timer(_) | Incoming::Signal(_) => {}
            }
        }
    };
    let spec = ChildSpec::once_body("guest", &mailbox, body).restart(Restart::Temporary);
    people.spawn_child(spec).expect("room for a guest");
    mailbox.address()
}

/// Processor time of this process, in steps of 10 ms.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("this is Linux");
    let (_, fields) = stat.rsplit_once(')').expect("its format is known");
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks = |index: usize| -> u64 {
        let field = fields.get(index).expect("its format is known");
        field.parse().expect("a number")
    };
    Duration::from_millis((ticks(11) + ticks(12)) * 10)
}
