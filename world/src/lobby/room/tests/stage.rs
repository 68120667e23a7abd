//! `[pure]` A room on a stage: it carries out effects as the process does, to sockets that take a
//! few frames and no more.

use super::super::{About, Answered, Coming, Effect, Input, Moderated, Now, RoomState};
use super::client::Client;
use crate::event::Text;
use crate::ids::SessionId;
use crate::lobby::card::Card;
use crate::lobby::ids::{HallRoomId, Seq, Tag, UnixSeconds};
use crate::lobby::limits::TICK;
use crate::lobby::protocol::{Access, RoomEntry, Why};
use crate::lobby::shared::Shared;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Frames that the mailbox of a socket takes.
const SOCKET_FRAMES: usize = 3;

/// A guest by number.
pub(super) fn guest(number: u64) -> SessionId {
    SessionId(number)
}

/// Their card.
pub(super) fn card(number: u64, flags: u8) -> Card {
    Card {
        guest: guest(number),
        name: format!("P{number}").into(),
        account: None,
        wins: 0,
        losses: 0,
        played_s: 0,
        flags,
    }
}

/// How a guest is reached: who, and which socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Port {
    pub(super) guest: SessionId,
    pub(super) socket: u32,
}

/// A socket.
#[derive(Debug, Default)]
pub(super) struct Socket {
    queue: VecDeque<Frames>,
    pub(super) client: Client,
    /// Too much waits: ticks are dropped.
    pub(super) is_stale: bool,
}

#[derive(Debug)]
enum Frames {
    Tick(Arc<Shared>),
    Snapshot(Vec<Arc<Shared>>),
}

impl Socket {
    /// Whether nothing waits for it.
    pub(super) fn is_read(&self) -> bool {
        self.queue.is_empty()
    }

    /// Takes what came.
    fn read(&mut self) {
        while let Some(frames) = self.queue.pop_front() {
            match frames {
                Frames::Tick(_) if self.is_stale => {}
                Frames::Tick(frame) => self.client.apply(&frame),
                Frames::Snapshot(frames) => {
                    self.is_stale = false;
                    frames.iter().for_each(|frame| self.client.apply(frame));
                }
            }
        }
    }
}

/// What followed, of what is not for sockets.
#[derive(Debug, Default)]
pub(super) struct Heard {
    pub(super) answers: Vec<(SessionId, Tag, Answered)>,
    pub(super) full: Vec<SessionId>,
    pub(super) put_out: Vec<(SessionId, Why, Text)>,
    pub(super) waiting: Vec<(SessionId, u32)>,
    pub(super) notices: Vec<(SessionId, Text)>,
    pub(super) listed: Vec<RoomEntry>,
    pub(super) seats: Vec<(Vec<Text>, Vec<Text>)>,
    pub(super) log: Vec<(Text, Moderated)>,
    pub(super) kept: usize,
    pub(super) closed: usize,
    pub(super) ticks: Vec<Arc<Shared>>,
}

/// A room with all that it reaches.
pub(super) struct Stage {
    pub(super) room: RoomState<Port>,
    pub(super) now: Now,
    pub(super) sockets: BTreeMap<u32, Socket>,
    /// The socket that each guest has now.
    pub(super) socket_of: BTreeMap<SessionId, u32>,
    next_socket: u32,
    pub(super) heard: Heard,
}

impl Stage {
    #[expect(clippy::disallowed_methods, reason = "any moment is a beginning")]
    pub(super) fn new(seats: u16) -> Self {
        Self {
            room: RoomState::new(About {
                id: HallRoomId(7),
                name: "Den".into(),
                seats,
                access: Access::Open,
                owner: Some("P0".into()),
            }),
            now: Now {
                at: Instant::now(),
                unix: UnixSeconds(1_000_000),
            },
            sockets: BTreeMap::new(),
            socket_of: BTreeMap::new(),
            next_socket: 0,
            heard: Heard::default(),
        }
    }

    /// Another socket for this guest.
    pub(super) fn connect(&mut self, guest: SessionId, client: Client) -> Port {
        self.next_socket += 1;
        let socket = self.next_socket;
        if let Some(old) = self.socket_of.insert(guest, socket) {
            self.sockets.remove(&old);
        }
        let new = Socket {
            client,
            ..Socket::default()
        };
        self.sockets.insert(socket, new);
        Port { guest, socket }
    }

    pub(super) fn socket(&mut self, guest: SessionId) -> Option<&mut Socket> {
        let socket = self.socket_of.get(&guest)?;
        self.sockets.get_mut(socket)
    }

    /// What this one knows, once it has read all that waits for it.
    pub(super) fn client(&mut self, number: u64) -> &Client {
        self.known(number).unwrap()
    }

    /// The same, for one who may have no socket.
    pub(super) fn known(&mut self, number: u64) -> Option<&Client> {
        let socket = self.socket(guest(number))?;
        socket.read();
        Some(&socket.client)
    }

    /// The connection of this one is lost.
    pub(super) fn cut(&mut self, number: u64) {
        if let Some(socket) = self.socket_of.remove(&guest(number)) {
            self.sockets.remove(&socket);
        }
        self.step(Input::Lost(guest(number)));
    }

    pub(super) fn enter(&mut self, number: u64) {
        self.enter_as(card(number, 0));
    }

    pub(super) fn enter_as(&mut self, card: Card) {
        let guest = card.guest;
        let port = match self.socket_of.get(&guest) {
            Some(&socket) => Port { guest, socket },
            None => self.connect(guest, Client::default()),
        };
        let number = u32::try_from(guest.0).unwrap();
        self.step(Input::Enter(Coming {
            card,
            port,
            tag: Tag(number),
            instead: false,
            any: false,
        }));
    }

    /// This one is back with what its client knew, or without.
    pub(super) fn resume(&mut self, number: u64, client: Option<Client>) {
        let seen = client.as_ref().map(|client| client.seq);
        self.resume_from(number, client.unwrap_or_default(), seen);
    }

    pub(super) fn resume_from(&mut self, number: u64, client: Client, seen: Option<Seq>) {
        let port = self.connect(guest(number), client);
        self.step(Input::Resume {
            guest: guest(number),
            port,
            seen,
            tag: Tag(99),
        });
    }

    pub(super) fn say(&mut self, number: u64, text: &str) {
        self.step(Input::Say(guest(number), Tag(5), text.into()));
    }

    /// Time passes, and a tick with it.
    pub(super) fn pass(&mut self, time: Duration) {
        self.now.at += time;
        self.now.unix.0 += time.as_secs();
        self.step(Input::Tick);
    }

    pub(super) fn tick(&mut self) {
        self.pass(TICK);
    }

    /// All sockets take what came.
    pub(super) fn read(&mut self) {
        self.sockets.values_mut().for_each(Socket::read);
    }

    pub(super) fn step(&mut self, input: Input<Port>) {
        let mut effects = Vec::new();
        self.room.step(input, self.now, &mut effects);
        for effect in effects {
            self.carry_out(effect);
        }
    }

    fn carry_out(&mut self, effect: Effect<Port>) {
        let heard = &mut self.heard;
        match effect {
            Effect::Answer(port, tag, answer) => heard.answers.push((port.guest, tag, answer)),
            Effect::Full(coming) => heard.full.push(coming.card.guest),
            Effect::PutOut(port, why, text) => heard.put_out.push((port.guest, why, text)),
            Effect::Waiting(port, ahead) => heard.waiting.push((port.guest, ahead)),
            Effect::Notice(port, text) => heard.notices.push((port.guest, text)),
            Effect::Listed(entry) => heard.listed.push(entry),
            Effect::Seats { came, left } => heard.seats.push((came, left)),
            Effect::Log(by, what) => heard.log.push((by, what)),
            Effect::Kept => heard.kept += 1,
            Effect::Closed => heard.closed += 1,
            Effect::Tick(frame) => {
                heard.ticks.push(frame.clone());
                let audience = self.room.audience();
                let to: Vec<_> = audience.map(|(guest, port)| (guest, *port)).collect();
                for (guest, port) in to {
                    let frames = Frames::Tick(frame.clone());
                    if !self.send(port, frames, SOCKET_FRAMES) {
                        self.step(Input::Stale(guest));
                    }
                }
            }
            Effect::Snapshot {
                guest,
                port,
                unasked,
                frames,
                ..
            } => {
                let most = if unasked { 1 } else { usize::MAX };
                if !self.send(port, Frames::Snapshot(frames), most) {
                    self.step(Input::Stale(guest));
                }
            }
        }
    }

    fn send(&mut self, port: Port, frames: Frames, most: usize) -> bool {
        let Some(socket) = self.sockets.get_mut(&port.socket) else {
            return true;
        };
        let is_free = socket.queue.len() < most;
        if is_free {
            socket.queue.push_back(frames);
        }
        is_free
    }

    /// The answers to this one since the last time.
    pub(super) fn answers(&mut self, number: u64) -> Vec<Answered> {
        let answers = std::mem::take(&mut self.heard.answers);
        let (own, others) = answers
            .into_iter()
            .partition(|(to, ..)| *to == guest(number));
        self.heard.answers = others;
        let own: Vec<(SessionId, Tag, Answered)> = own;
        own.into_iter().map(|(_, _, answer)| answer).collect()
    }
}
