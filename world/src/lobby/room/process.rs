//! `[process]` A lobby room's process: it lets the pure state decide, and carries out what follows.
//!
//! The state and the ports of those who sit there are an heirloom ([`RoomBody`]): after a crash the
//! next incarnation goes on with them, and tells everybody the whole, for a step may have been cut
//! in the middle. The message that met the crash is lost; whoever waits for an answer to it has a
//! deadline of their own.

use super::effect::{Answered, Coming, Effect, Input, Moderated, Now};
use super::ports::{Ports, entry, input};
use super::state::{About, RoomState};
use crate::event::Text;
use crate::lobby::ids::{HallRoomId, Tag, UnixSeconds};
use crate::lobby::protocol::{Code, ServerMessage, Why};
use crate::lobby::ring::{
    Answer, GuestMessage, HallMessage, HallPort, News, RoomMessage, Snapshot, SocketMessage,
};
use crate::lobby::shared::Shared;
use belay_runtime::{Context, Exit, Flow, Heir, Process, Span, TimerId, TrySendError};
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// Decides what follows from a message.
static STEP: Span = Span::new("lobby.room.step");

/// Hands a tick to all sockets.
static TELL: Span = Span::new("lobby.room.tell");

/// The clock on the wall.
pub type WallClock = Arc<dyn Fn() -> UnixSeconds + Send + Sync>;

/// What outlives an incarnation.
#[derive(Debug)]
pub struct RoomBody {
    state: RoomState<Ports>,
}

impl RoomBody {
    /// A room with nobody in it.
    pub fn new(about: About) -> Self {
        let state = RoomState::new(about);
        Self { state }
    }

    /// The room is lost: everybody in it is told.
    pub fn give_up(&self) {
        let id = self.state.about().id;
        for ports in self.state.ports() {
            let text = "The room was lost.".into();
            let out = GuestMessage::PutOut(id, Why::Lost, text);
            drop(ports.port.try_send_owed(out));
        }
    }
}

/// What all rooms share.
#[derive(Clone)]
pub struct RoomContext {
    /// Who finds other rooms, and lists this one.
    pub hall: HallPort,
    /// For what people read.
    pub clock: WallClock,
}

impl fmt::Debug for RoomContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RoomContext").finish_non_exhaustive()
    }
}

/// One incarnation of a room.
#[derive(Debug)]
pub struct RoomProcess {
    id: HallRoomId,
    heir: Heir<RoomBody>,
    shared: RoomContext,
    /// The timer that runs, and when it ends.
    armed: Option<(TimerId, Instant)>,
    effects: Vec<Effect<Ports>>,
    is_closed: bool,
}

impl RoomProcess {
    /// An incarnation that goes on with this body.
    pub fn new(heir: Heir<RoomBody>, shared: RoomContext) -> Self {
        let id = heir.with(|body| body.state.about().id);
        Self {
            id,
            heir,
            shared,
            armed: None,
            effects: Vec::new(),
            is_closed: false,
        }
    }

    fn now(&self, ctx: &Context<RoomMessage>) -> Now {
        Now {
            at: ctx.now().into_std(),
            unix: (self.shared.clock)(),
        }
    }

    /// Decides and carries out, also what follows from carrying out.
    fn step(&mut self, ctx: &mut Context<RoomMessage>, input: Input<Ports>) {
        let now = self.now(ctx);
        let mut inputs = vec![input];
        while let Some(input) = inputs.pop() {
            let mut effects = std::mem::take(&mut self.effects);
            {
                let _step = STEP.enter();
                self.heir
                    .with(|body| body.state.step(input, now, &mut effects));
            }
            for effect in effects.drain(..) {
                self.carry_out(ctx, effect, &mut inputs);
            }
            self.effects = effects;
        }
        self.arm(ctx, now);
    }

    /// Sets the timer for what is to be done next, if there is anything.
    fn arm(&mut self, ctx: &mut Context<RoomMessage>, now: Now) {
        let Some(next) = self.heir.with(|body| body.state.next_wake(now)) else {
            return;
        };
        if let Some((timer, at)) = self.armed {
            if at <= next {
                return;
            }
            ctx.cancel(timer);
        }
        let wait = next.saturating_duration_since(now.at);
        self.armed = Some((ctx.send_after(wait, RoomMessage::Tick), next));
    }

    fn carry_out(
        &mut self,
        ctx: &Context<RoomMessage>,
        effect: Effect<Ports>,
        inputs: &mut Vec<Input<Ports>>,
    ) {
        match effect {
            Effect::Answer(to, tag, answered) => self.answer(ctx, (to, tag), answered, inputs),
            Effect::Full(coming) => self.send_on(coming),
            Effect::PutOut(to, why, text) => {
                let out = GuestMessage::PutOut(self.id, why, text);
                drop(to.port.try_send_owed(out));
            }
            // Said again after a moment, if it is lost.
            Effect::Waiting(to, ahead) => {
                drop(to.port.try_send(say(ServerMessage::Waiting { ahead })));
            }
            Effect::Notice(to, text) => {
                drop(to.port.try_send_owed(say(ServerMessage::Notice { text })));
            }
            Effect::Snapshot {
                guest,
                port,
                entry,
                unasked,
                frames,
            } => {
                if !self.snapshot(&port, (entry, unasked), frames) {
                    inputs.push(Input::Stale(guest));
                }
            }
            Effect::Tick(frame) => self.tell(&frame, inputs),
            Effect::Listed(entry) => self.tell_hall(HallMessage::Room(entry, ctx.address())),
            Effect::Seats { came, left } => {
                let room = self.id;
                self.tell_hall(HallMessage::Seats { room, came, left });
            }
            Effect::Log(by, what) => log(self.id, &by, &what),
            Effect::Kept => self.tell_hall(HallMessage::Kept(self.id)),
            Effect::Closed => {
                self.is_closed = true;
                self.tell_hall(HallMessage::Closed(self.id));
            }
        }
    }

    /// One frame for all; the bytes are made by the first socket that writes them.
    fn tell(&self, frame: &Arc<Shared>, inputs: &mut Vec<Input<Ports>>) {
        let _tell = TELL.enter();
        self.heir.with(|body| {
            for (guest, ports) in body.state.audience() {
                let Some(socket) = &ports.socket else {
                    continue;
                };
                let told = socket.try_send(SocketMessage::Shared(frame.clone()));
                // One that is closed is lost, and its guest will say so.
                if let Err(TrySendError::Full(_)) = told {
                    inputs.push(Input::Stale(guest));
                }
            }
        });
    }

    /// Whether the socket took it, or is gone.
    fn snapshot(
        &self,
        to: &Ports,
        (entry, unasked): (bool, bool),
        frames: Vec<Arc<Shared>>,
    ) -> bool {
        let Some(socket) = &to.socket else {
            return true;
        };
        let snapshot = SocketMessage::Snapshot(Snapshot {
            room: self.id,
            entry,
            frames,
        });
        let sent = if !unasked {
            socket.try_send_owed(snapshot)
        } else if socket.is_empty() {
            socket.try_send(snapshot)
        } else {
            return false;
        };
        !matches!(sent, Err(TrySendError::Full(_)))
    }

    fn answer(
        &self,
        ctx: &Context<RoomMessage>,
        (to, tag): (Ports, Tag),
        answered: Answered,
        inputs: &mut Vec<Input<Ports>>,
    ) {
        let is_seat = matches!(answered, Answered::Seated { .. });
        let answer = match answered {
            Answered::Done => Answer::Done,
            Answered::Refused(code, text, retry_ms) => Answer::Refused(code, text, retry_ms),
            Answered::Seated { slot, instead } => Answer::Seated {
                room: self.id,
                port: ctx.address(),
                slot,
                instead,
            },
        };
        let sent = to.port.try_send_owed(GuestMessage::Answer(tag, answer));
        if is_seat && sent.is_err() {
            // Who is gone needs no seat.
            inputs.push(Input::Leave(to.guest, Why::Lost));
        }
    }

    /// No seat here: the hall finds another.
    fn send_on(&self, coming: Coming<Ports>) {
        let entry = entry(coming);
        let full = HallMessage::Full(self.id, Box::new(entry));
        if let Err(TrySendError::Full(HallMessage::Full(_, entry))) =
            self.shared.hall.try_send_owed(full)
        {
            let busy = Answer::Refused(Code::Busy, "Too many want in at once.".into(), 1_000);
            let answer = GuestMessage::Answer(entry.tag, busy);
            drop(entry.port.try_send_owed(answer));
        }
    }

    fn tell_hall(&self, message: HallMessage) {
        if self.shared.hall.try_send_owed(message).is_err() {
            tracing::warn!(target: "belay_world", room = self.id.0, "the hall hears nothing");
        }
    }
}

impl Process for RoomProcess {
    type Message = RoomMessage;

    async fn init(&mut self, ctx: &mut Context<RoomMessage>) -> Result<(), Exit> {
        if ctx.incarnation() > 0 {
            self.heir.with(|body| body.state.mend());
        }
        let now = self.now(ctx);
        self.arm(ctx, now);
        Ok(())
    }

    async fn handle(
        &mut self,
        ctx: &mut Context<RoomMessage>,
        message: RoomMessage,
    ) -> Result<Flow, Exit> {
        if matches!(message, RoomMessage::Tick) {
            self.armed = None;
        }
        let Some(input) = input(message) else {
            crash();
        };
        self.step(ctx, input);
        Ok(if self.is_closed {
            Flow::Stop
        } else {
            Flow::Continue
        })
    }
}

fn say(message: ServerMessage) -> GuestMessage {
    GuestMessage::News(Box::new(News::Say(Box::new(message))))
}

/// Who did what to whom, for how long and why.
fn log(room: HallRoomId, by: &Text, moderated: &Moderated) {
    let Moderated {
        name,
        what,
        for_s,
        reason,
    } = moderated;
    tracing::info!(
        target: "belay_world",
        room = room.0, %by, %name, ?what, for_s, %reason,
        "moderated in a lobby room"
    );
}

/// Ends this incarnation, for staff and tests that want to see what survives.
#[expect(clippy::panic, reason = "a crash on demand is the purpose")]
fn crash() -> ! {
    panic!("crash on demand");
}
