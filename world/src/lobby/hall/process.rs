//! `[process]` The hall's process. What it knows is an heirloom of its supervisor, so that a crash
//! forgets no room and nobody who watches the list.

use super::open::Opener;
use super::state::{Effect, HallState, Input};
use crate::lobby::ids::HallRoomId;
use crate::lobby::protocol::Code;
use crate::lobby::ring::{
    Answer, Entry, GuestId, GuestMessage, HallMessage, RoomMessage, RoomPort, SocketMessage,
    SocketPort,
};
use crate::lobby::room::RoomBody;
use belay_runtime::{Context, Exit, Flow, Heir, Process, TimerId, TrySendError};
use std::collections::BTreeMap;

/// What outlives an incarnation.
#[derive(Debug)]
pub(super) struct HallBody {
    state: HallState,
    rooms: BTreeMap<HallRoomId, (RoomPort, Heir<RoomBody>)>,
    sockets: BTreeMap<GuestId, SocketPort>,
}

impl HallBody {
    pub(super) fn new(seats: u16) -> Self {
        Self {
            state: HallState::new(seats),
            rooms: BTreeMap::new(),
            sockets: BTreeMap::new(),
        }
    }
}

/// One incarnation of the hall.
#[derive(Debug)]
pub(super) struct HallProcess {
    heir: Heir<HallBody>,
    opener: Opener,
    armed: Option<TimerId>,
}

impl HallProcess {
    pub(super) fn new(heir: Heir<HallBody>, opener: Opener) -> Self {
        Self {
            heir,
            opener,
            armed: None,
        }
    }

    /// Decides and carries out, also what follows from carrying out.
    fn step(&mut self, ctx: &mut Context<HallMessage>, input: Input<Box<Entry>>) {
        let now = ctx.now().into_std();
        let (heir, opener) = (&self.heir, &self.opener);
        let next = heir.with(|body| {
            let mut inputs = vec![input];
            while let Some(input) = inputs.pop() {
                let mut effects = Vec::new();
                body.state.step(input, now, &mut effects);
                for effect in effects {
                    body.carry_out(opener, effect, &mut inputs);
                }
            }
            body.state.next_wake(now)
        });
        if let (None, Some(next)) = (self.armed, next) {
            let wait = next.saturating_duration_since(now);
            self.armed = Some(ctx.send_after(wait, HallMessage::Tick));
        }
    }

    /// What the message is to the state; the socket of who watches is remembered.
    fn input(&self, message: HallMessage) -> Input<Box<Entry>> {
        match message {
            HallMessage::Place(pick, entry) => Input::Place(pick, entry),
            HallMessage::Full(room, entry) => Input::Full {
                room,
                any: entry.any,
                entry,
            },
            HallMessage::Create(wish, entry) => Input::Create(wish, entry.card.name.clone(), entry),
            HallMessage::Room(entry, _) => Input::Room(entry),
            HallMessage::Closed(room) => {
                self.heir.with(|body| body.rooms.remove(&room));
                Input::Closed(room)
            }
            HallMessage::Kept(room) => Input::Kept(room),
            HallMessage::Watch {
                guest,
                socket,
                from,
                count,
            } => {
                self.heir.with(|body| body.sockets.insert(guest, socket));
                Input::Watch(guest, from, count)
            }
            HallMessage::Gone(guest) => {
                self.heir.with(|body| body.sockets.remove(&guest));
                Input::Gone(guest)
            }
            HallMessage::Seats { room, came, left } => Input::Seats(room, came, left),
            HallMessage::Tick => Input::Tick,
        }
    }
}

impl HallBody {
    fn carry_out(
        &mut self,
        opener: &Opener,
        effect: Effect<Box<Entry>>,
        inputs: &mut Vec<Input<Box<Entry>>>,
    ) {
        match effect {
            Effect::Open(about) => {
                let room = about.id;
                match opener.open(about) {
                    Ok(opened) => drop(self.rooms.insert(room, opened)),
                    Err(error) => {
                        tracing::warn!(target: "belay_world", room = room.0, %error, "no room");
                    }
                }
            }
            Effect::Hand {
                room,
                mut entry,
                instead,
                any,
            } => {
                entry.instead = instead;
                entry.any = any;
                self.hand(room, entry, inputs);
            }
            Effect::Refuse(entry, code, text, retry_ms) => {
                refuse(&entry, Answer::Refused(code, text, retry_ms));
            }
            Effect::Close(room) => {
                if let Some((port, _)) = self.rooms.get(&room) {
                    drop(port.try_send_owed(RoomMessage::CloseIfEmpty));
                }
            }
            Effect::Tell(frame, to) => {
                for guest in to {
                    let Some(socket) = self.sockets.get(&guest) else {
                        continue;
                    };
                    let told = socket.try_send(SocketMessage::Shared(frame.clone()));
                    match told {
                        Ok(()) => {}
                        Err(TrySendError::Full(_)) => inputs.push(Input::Stale(guest)),
                        Err(TrySendError::Closed(_)) => {
                            self.sockets.remove(&guest);
                            inputs.push(Input::Gone(guest));
                        }
                    }
                }
            }
        }
    }

    /// To a room that runs. One that was lost is forgotten, and whoever wants in finds another.
    fn hand(&mut self, room: HallRoomId, entry: Box<Entry>, inputs: &mut Vec<Input<Box<Entry>>>) {
        let Some((port, heir)) = self.rooms.get(&room) else {
            let text = "The room did not open.".into();
            refuse(&entry, Answer::Refused(Code::Busy, text, 1_000));
            return inputs.push(Input::Closed(room));
        };
        match port.try_send(RoomMessage::Enter(entry)) {
            Ok(()) => {}
            Err(TrySendError::Full(back)) => {
                if let RoomMessage::Enter(entry) = back {
                    let text = "Too many want in at once.".into();
                    refuse(&entry, Answer::Refused(Code::Busy, text, 1_000));
                }
            }
            Err(TrySendError::Closed(back)) => {
                heir.with(|body| body.give_up());
                self.rooms.remove(&room);
                if let RoomMessage::Enter(entry) = back {
                    let any = entry.any;
                    inputs.push(Input::Full { room, any, entry });
                }
                // Taken first: the room is not there when another is looked for.
                inputs.push(Input::Closed(room));
            }
        }
    }
}

fn refuse(entry: &Entry, answer: Answer) {
    let answer = GuestMessage::Answer(entry.tag, answer);
    // Who is gone needs none.
    drop(entry.port.try_send_owed(answer));
}

impl Process for HallProcess {
    type Message = HallMessage;

    async fn init(&mut self, ctx: &mut Context<HallMessage>) -> Result<(), Exit> {
        self.heir.with(|body| {
            let mut effects = Vec::new();
            body.state.begin(&mut effects);
            for effect in effects {
                body.carry_out(&self.opener, effect, &mut Vec::new());
            }
        });
        self.step(ctx, Input::Tick);
        Ok(())
    }

    async fn handle(
        &mut self,
        ctx: &mut Context<HallMessage>,
        message: HallMessage,
    ) -> Result<Flow, Exit> {
        if matches!(message, HallMessage::Tick) {
            self.armed = None;
        }
        let input = self.input(message);
        self.step(ctx, input);
        Ok(Flow::Continue)
    }
}
