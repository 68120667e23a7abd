//! `[process]` A session's process: the mailbox of one player, from the greeting to the end of
//! play.
//!
//! What it knows is its supervisor's heirloom ([`SessionBody`]). A step works on a copy of the play
//! state that takes the old one's place when the step is complete; so after a crash the next
//! incarnation goes on where the player stood, and only the line that was being handled is lost.

use super::answer::{Scene, forgotten, lost, refused_delivery, room_closed};
use super::body::{Phase, SessionBody};
use super::carry::not_delivered;
use super::due::next_due;
use super::effect::{Effects, StoreAnswer};
use super::line::line;
use super::link::{end, end_now, settle};
use super::state::{Held, PlayState};
use super::things::stored;
use crate::event::{Event, Refusal, SystemEvent};
use crate::ids::{Being, SessionId};
use crate::login::{AccountFound, CharacterFound, LoginAnswer};
use crate::node::{Player, Services};
use crate::ring::{ConnectionMessage, SessionMessage, Wake};
use belay_runtime::{Context, Exit, Flow, Heir, Process, Span, Ticket, TimerId};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One step of play on a copy of its state.
static STEP: Span = Span::new("session.step");

/// A typed line is parsed and obeyed; within the step.
static LINE: Span = Span::new("session.line");

/// One incarnation of a session.
#[derive(Debug)]
pub struct SessionProcess {
    pub(super) id: SessionId,
    heir: Heir<SessionBody>,
    pub(super) node: Arc<Services>,
    /// The entry in the list of players, once in play.
    pub(super) player: Option<Arc<Player>>,
    /// The place in the login pool, and the last number that the player was told.
    pub(super) ticket: Option<(Ticket, u32)>,
    pub(super) claim_tries: u16,
    /// The login used a resume token up, so the player is to be shown the next.
    pub(super) by_token: bool,
    /// The account that is being claimed, and for which character.
    pub(super) claiming: Option<Box<(AccountFound, CharacterFound)>>,
    /// The timer for what is due next.
    pub(super) armed: Option<(Instant, TimerId)>,
    pub(super) effects: Effects,
}

/// What a step of the session needs.
pub(super) type Ctx = Context<SessionMessage>;

impl SessionProcess {
    /// An incarnation that goes on with this body.
    pub fn new(id: SessionId, heir: Heir<SessionBody>, node: Arc<Services>) -> Self {
        Self {
            id,
            heir,
            node,
            player: None,
            ticket: None,
            claim_tries: 0,
            by_token: false,
            claiming: None,
            armed: None,
            effects: Vec::new(),
        }
    }

    /// As a being in rooms.
    pub(super) fn being(&self) -> Being {
        Being::Session(self.id)
    }

    /// One complete step of play on a copy, then its effects.
    pub(super) fn play(
        &mut self,
        body: &mut SessionBody,
        ctx: &mut Ctx,
        step: impl FnOnce(&mut PlayState, Scene<'_>, &mut Effects),
    ) {
        let Phase::Playing(state) = &mut body.phase else {
            return;
        };
        let node = self.node.clone();
        let now = ctx.now().into_std();
        let scene = Scene {
            world: &node.world,
            rules: &node.play,
            now,
        };
        let mut effects = std::mem::take(&mut self.effects);
        let stepping = STEP.enter();
        let mut next = state.clone();
        step(&mut next, scene, &mut effects);
        settle(&mut next, now, &mut effects);
        *state = next;
        drop(stepping);
        for effect in effects.drain(..) {
            self.carry_out(body, ctx, effect);
        }
        if self.effects.capacity() == 0 {
            self.effects = effects;
        }
    }

    /// What comes from the world.
    fn receive(&mut self, body: &mut SessionBody, ctx: &mut Ctx, message: SessionMessage) {
        match message {
            SessionMessage::Notice(notice) => {
                if matches!(body.phase, Phase::Playing(_)) {
                    body.pass(notice);
                    self.lose_track(body, ctx);
                }
            }
            SessionMessage::Tick(batch) => {
                if matches!(body.phase, Phase::Playing(_)) {
                    body.pass_now(ConnectionMessage::Tick(batch, self.being()));
                    self.lose_track(body, ctx);
                }
            }
            SessionMessage::Answer(id, answer) => self.room_answered(body, ctx, id, answer),
            SessionMessage::Lost(id) => {
                self.play(body, ctx, |state, scene, out| lost(state, scene, id, out));
            }
            SessionMessage::Undelivered(id, why) => {
                let why = not_delivered(why);
                self.play(body, ctx, |state, scene, out| {
                    refused_delivery(state, scene, id, why, out);
                });
            }
            SessionMessage::Forgotten(room) => self.play(body, ctx, |state, scene, out| {
                forgotten(state, scene, room, out);
            }),
            SessionMessage::RoomClosed(room) => self.play(body, ctx, |state, scene, out| {
                room_closed(state, scene, room, out);
            }),
            SessionMessage::Stored(id, StoreAnswer::Saved(_)) if body.phase.ends_with(id) => {
                body.phase = Phase::Ended;
            }
            SessionMessage::Stored(id, is) => {
                self.ticket = None;
                self.play(body, ctx, |state, scene, out| {
                    stored(state, scene, id, is, out)
                });
            }
            SessionMessage::Receive {
                from,
                item,
                recorded,
            } => {
                self.gift_came(body, ctx, from, Held { item, recorded });
            }
            SessionMessage::Tell { from, text } => self.told(body, from, text),
            SessionMessage::Follow(line, room) => self.followed(body, ctx, (line, room)),
            SessionMessage::Elsewhere(tell) => self.told_elsewhere(body, ctx, *tell),
            order @ (SessionMessage::Waits
            | SessionMessage::Input(..)
            | SessionMessage::Login(..)
            | SessionMessage::TakeOver(_)
            | SessionMessage::TookOver(_)
            | SessionMessage::Claimed(..)
            | SessionMessage::Banned(..)
            | SessionMessage::MakeWay
            | SessionMessage::Kick(_)
            | SessionMessage::NodeStops
            | SessionMessage::Staff(_)
            | SessionMessage::Crash
            | SessionMessage::Wake(_)) => self.receive_order(body, ctx, order),
        }
    }

    /// Handles the lines that wait, as long as the state allows.
    fn pump(&mut self, body: &mut SessionBody, ctx: &mut Ctx) {
        loop {
            let now = ctx.now().into_std();
            let ready = match &mut body.phase {
                Phase::Login(state) => state.ready(),
                Phase::Playing(state) => {
                    !body.lines.is_empty() && state.ready() && state.bucket.take(now)
                }
                Phase::Leaving(_) | Phase::Ended => false,
            };
            if !ready {
                return;
            }
            let Some(next) = body.next_line() else { return };
            if let Some(bytes) = next.cut {
                body.show(Event::Refused(Refusal::LineCut(bytes)));
            }
            if matches!(body.phase, Phase::Login(_)) {
                self.login_typed(body, ctx, &next.text);
            } else {
                self.play(body, ctx, |state, scene, out| {
                    let _line = LINE.enter();
                    line(state, scene, &next.text, out);
                });
            }
        }
    }

    /// Sees to it that the process wakes when something is due.
    fn arm(&mut self, body: &SessionBody, ctx: &mut Ctx) {
        let Phase::Playing(state) = &body.phase else {
            return;
        };
        let waiting = (!body.lines.is_empty() && state.ready()).then(|| state.bucket.ready_at());
        let Some(at) = [next_due(state), waiting].into_iter().flatten().min() else {
            return;
        };
        match self.armed.take() {
            Some((armed, timer)) if armed <= at => {
                self.armed = Some((armed, timer));
                return;
            }
            Some((_, timer)) => drop(ctx.cancel(timer)),
            None => {}
        }
        let delay = at
            .saturating_duration_since(ctx.now().into_std())
            .max(Duration::from_millis(1));
        let timer = ctx.send_after(delay, SessionMessage::Wake(Wake::Due));
        self.armed = Some((at, timer));
    }

    /// Ends the session with this last word.
    pub(super) fn end(&mut self, body: &mut SessionBody, ctx: &mut Ctx, why: Event) {
        if matches!(body.phase, Phase::Playing(_)) {
            return self.play(body, ctx, |state, scene, out| {
                end(state, scene.now, why, out)
            });
        }
        if matches!(body.phase, Phase::Login(_)) {
            body.tell(ConnectionMessage::Close(Box::new(why)));
            body.phase = Phase::Ended;
        }
    }

    /// The mailbox had no room for something: the player is told once.
    fn lose_track(&self, body: &mut SessionBody, ctx: &Ctx) {
        let refused = ctx.address().refused();
        if !body.asking() && (refused != body.refused_told || body.dropped) {
            body.refused_told = refused;
            body.dropped = false;
            body.show(Event::System(SystemEvent::LostTrack));
        }
    }
}

impl Process for SessionProcess {
    type Message = SessionMessage;

    async fn init(&mut self, ctx: &mut Ctx) -> Result<(), Exit> {
        let heir = self.heir.clone();
        heir.with(|body| {
            if ctx.incarnation() == 0 {
                self.login_start(body, ctx);
            } else {
                self.come_back(body, ctx);
            }
            self.pump(body, ctx);
            self.arm(body, ctx);
        });
        Ok(())
    }

    async fn handle(&mut self, ctx: &mut Ctx, message: SessionMessage) -> Result<Flow, Exit> {
        let heir = self.heir.clone();
        let ambient = matches!(message, SessionMessage::Notice(_) | SessionMessage::Tick(_));
        Ok(heir.with(|body| {
            self.receive(body, ctx, message);
            // Most of all messages are ambient: they pass through and change nothing.
            if ambient && !body.unreachable {
                return Flow::Continue;
            }
            if std::mem::take(&mut body.unreachable) {
                self.check_link(body, ctx);
            }
            self.pump(body, ctx);
            if body.behind() {
                body.catch_up();
            }
            self.arm(body, ctx);
            if matches!(body.phase, Phase::Ended) {
                // Here, so that the next login of the account need not wait for the supervisor.
                body.claim = None;
                body.entry = None;
                Flow::Stop
            } else {
                Flow::Continue
            }
        }))
    }

    async fn stop(&mut self, ctx: &mut Ctx, _exit: &Exit) {
        let heir = self.heir.clone();
        heir.with(|body| {
            let why = Event::System(SystemEvent::ShuttingDown);
            if matches!(body.phase, Phase::Playing(_)) {
                // No message comes any more: where each thing belongs is on record.
                self.play(body, ctx, |state, _, out| end_now(state, why, out));
            } else {
                self.end(body, ctx, why);
            }
            body.claim = None;
            body.entry = None;
        });
    }
}

/// Ends this incarnation, for staff and tests that want to see what survives.
#[expect(clippy::panic, reason = "a crash on demand is the purpose")]
pub(super) fn crash() {
    panic!("crash on demand");
}

/// The answer of the store or the pool goes to this session's own mailbox.
pub(super) fn post(ctx: &Ctx) -> impl FnOnce(LoginAnswer) + Send + 'static {
    let address = ctx.address();
    let asked_by = ctx.incarnation();
    move |answer| {
        let answer = SessionMessage::Login(asked_by, Box::new(answer));
        drop(address.try_send_owed(answer));
    }
}
