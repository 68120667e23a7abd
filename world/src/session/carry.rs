//! `[process]` Carries out the effects of a session in play.

use super::answer::{self, NotDelivered};
use super::body::{Phase, SessionBody};
use super::effect::{Effect, StoreAnswer, StoreOrder};
use super::line;
use super::process::{Ctx, SessionProcess};
use super::state::{Gift, PlayState};
use super::stored::to_stored;
use crate::being::JourneyStep;
use crate::cluster::people::Hold;
use crate::event::{Event, Refusal, Text, Told};
use crate::ids::{LineId, RoomId};
use crate::limits;
use crate::node::Found;
use crate::ops::metrics::{self, Refusal as Cause};
use crate::ring::{
    BeingPort, ConnectionMessage, Receipt, RoomMessage, SessionMessage, Undelivered, Wake,
};
use crate::room::{Ask, Cast};
use crate::session::TellOutcome;
use crate::store::{CharacterSave, ItemTransfer, Owner, Score, StoreError, StorePort, Transfer};
use crate::talk::Speaker;
use crate::text::Depth;

impl SessionProcess {
    /// Carries out one effect. What it brings back goes through a further step at once.
    pub(super) fn carry_out(&mut self, body: &mut SessionBody, ctx: &mut Ctx, effect: Effect) {
        match effect {
            Effect::Show(event) => self.show(body, event),
            Effect::Done { since, verb } => {
                metrics::command_done(verb, ctx.now().into_std().saturating_duration_since(since));
            }
            Effect::Travel(line, step) => self.travel(body, ctx, line, step),
            Effect::Ask(line, room, ask) => self.ask(body, ctx, line, (room, ask)),
            Effect::Cast(room, cast) => self.cast(room, cast),
            Effect::Tell { to, text } => self.tell(body, ctx, &to, text),
            Effect::Who(prefix) => self.who(body, prefix.as_deref()),
            Effect::Network(order) => self.network(body, ctx, order),
            Effect::Talk(order) => self.talk(body, ctx, order),
            Effect::Deliver(gift) => self.deliver(body, *gift),
            Effect::Store(line, order) => self.store(body, ctx, line, order),
            Effect::Save(room) => self.save(body, ctx, room),
            Effect::Hide(hide) => body.tell(ConnectionMessage::Hide(hide)),
            Effect::Color(depth) => body.tell(ConnectionMessage::Color(depth)),
            Effect::ShowColor => {
                let name = body
                    .terminal
                    .map_or("16", |terminal| depth_name(terminal.depth));
                body.show(Event::Told(Told::ColorIs(name.into())));
            }
            Effect::ScreenReader(on) => body.tell(ConnectionMessage::ScreenReader(Some(on))),
            Effect::ShowScreenReader => {
                let on = body.terminal.is_some_and(|terminal| terminal.screen_reader);
                body.show(Event::Told(Told::ScreenReaderIs(on)));
            }
            Effect::Roster => {
                if let (Phase::Playing(state), Some(player)) = (&body.phase, &self.player) {
                    player.set_marks(state.away.as_ref(), state.card.linkdead);
                }
            }
            Effect::Goto(place) => self.goto(body, ctx, &place),
            Effect::Kick { who, reason } => self.kick(body, ctx, &who, reason),
            Effect::Ban(order) => self.ban(body, ctx, &order),
            Effect::CrashSession(who) => self.crash_session(body, ctx, who),
            Effect::Shutdown => (self.node.shutdown)(),
            Effect::LeftOnRecord(item) => {
                let item = item.id.0;
                tracing::warn!(target: "belay_world", item, "no room laid the item down");
            }
            Effect::End(event) => self.leave(body, ctx, event),
        }
    }

    fn show(&self, body: &mut SessionBody, event: Event) {
        if let Event::Refused(why) = &event {
            count_refusal(why);
        }
        if let (Event::RoomSeen(seen), Some(player)) = (&event, &self.player) {
            player.set_room(Some(seen.room));
        }
        body.show(event);
    }

    /// The player is gone from the world. A guest's session is over; a character's waits for its
    /// last save, which was posted before.
    fn leave(&self, body: &mut SessionBody, ctx: &mut Ctx, event: Event) {
        body.tell(ConnectionMessage::Close(Box::new(event)));
        body.link = None;
        if let Some(player) = &self.player {
            self.node.bridge.left(&player.name);
        }
        body.entry = None;
        self.node.channels.leave_all(&ctx.address());
        let last_save = match &body.phase {
            Phase::Playing(state) if !state.guest() => Some(state.line),
            Phase::Playing(_) | Phase::Login(_) | Phase::Leaving(_) | Phase::Ended => None,
        };
        let Some(line) = last_save else {
            body.phase = Phase::Ended;
            return;
        };
        body.phase = Phase::Leaving(line);
        ctx.send_after(
            limits::LAST_SAVE_DEADLINE,
            SessionMessage::Wake(Wake::GiveUp),
        );
    }

    fn travel(&mut self, body: &mut SessionBody, ctx: &mut Ctx, line: LineId, step: JourneyStep) {
        match step {
            JourneyStep::Enter(room, seq, how) => {
                let Phase::Playing(state) = &body.phase else {
                    return;
                };
                let card = state.card.clone();
                self.ask(body, ctx, line, (room, Ask::Enter { seq, card, how }));
            }
            JourneyStep::Leave(room, seq, way) => {
                self.ask(body, ctx, line, (room, Ask::Leave { seq, way }));
            }
            JourneyStep::Gone(room, seq, how) => self.cast(room, Cast::Gone { seq, how }),
        }
    }

    fn ask(
        &mut self,
        body: &mut SessionBody,
        ctx: &mut Ctx,
        line: LineId,
        (room, ask): (RoomId, Ask),
    ) {
        let receipt = Receipt::new(BeingPort::Session(ctx.address()), line);
        if let Err(why) = self.node.rooms.ask(room, self.being(), ask, receipt) {
            self.play(body, ctx, |state, scene, out| {
                answer::refused_delivery(state, scene, line, not_delivered(why), out);
            });
        }
    }

    pub(super) fn cast(&self, room: RoomId, cast: Cast) {
        if self
            .node
            .rooms
            .tell(room, RoomMessage::Cast(self.being(), cast))
            .is_err()
        {
            tracing::debug!(target: "belay_world", room = room.0, "a room did not take a cast");
        }
    }

    fn tell(&mut self, body: &mut SessionBody, ctx: &mut Ctx, to: &Text, text: Text) {
        let Phase::Playing(state) = &body.phase else {
            return;
        };
        let from = Speaker::Local(state.identity.name.clone());
        let outcome = match self.node.players.find(to) {
            None => TellOutcome::Nobody,
            Some(Found::There(far)) => return self.tell_far(body, ctx, far, text),
            Some(Found::Here(player)) => {
                let message = SessionMessage::Tell {
                    from,
                    text: text.clone(),
                };
                match player.session.try_send(message) {
                    Ok(()) => TellOutcome::Delivered {
                        to: player.name.clone(),
                        away: player.away(),
                    },
                    Err(_) => TellOutcome::Full(player.name.clone()),
                }
            }
        };
        self.play(body, ctx, |_, _, out| line::told(text, outcome, to, out));
    }

    fn deliver(&self, body: &SessionBody, gift: Gift) {
        let Phase::Playing(state) = &body.phase else {
            return;
        };
        let from = state.identity.name.clone();
        let item = gift.held.item;
        let message = SessionMessage::Receive {
            from: from.clone(),
            item,
            recorded: gift.recorded,
        };
        let receiver = self.node.players.find_exactly(&gift.to);
        let sent = receiver.is_some_and(|to| to.session.try_send_owed(message).is_ok());
        if sent || self.hand_far(&from, &gift) {
            return;
        }
        match gift.recorded {
            // A guest who left meanwhile: the thing lies where it is on record.
            Some(room) => self.cast(room, Cast::PutBack(item)),
            // The record has the receiver as the owner: the thing is there at the next login.
            None => {
                tracing::debug!(target: "belay_world", item = item.id.0, "gift waits for a login");
            }
        }
    }

    fn store(&mut self, body: &mut SessionBody, ctx: &mut Ctx, line: LineId, order: StoreOrder) {
        let Phase::Playing(state) = &body.phase else {
            return;
        };
        let address = ctx.address();
        let reply = move |answer| {
            drop(address.try_send_owed(SessionMessage::Stored(line, answer)));
        };
        let transfer = match order {
            StoreOrder::CheckPassword(password) => {
                return self.check_password(body, ctx, line, password);
            }
            StoreOrder::SetPassword(password) => {
                return self.set_password(body, ctx, line, password);
            }
            StoreOrder::Token => return self.issue_token(body, ctx, line),
            StoreOrder::Take { from, item } => self
                .room_owner(from)
                .zip(owner(state))
                .map(|(from, to)| (item, from, to)),
            StoreOrder::Lay { to, item, recorded } => {
                let from = match recorded {
                    Some(room) => self.room_owner(room),
                    None => owner(state),
                };
                from.zip(self.room_owner(to))
                    .map(|(from, to)| (item, from, to))
            }
            StoreOrder::Give(gift) => self.gift_transfer(state, &gift),
        };
        let Some((item, from, to)) = transfer else {
            return reply(StoreAnswer::Failed);
        };
        let transfer = ItemTransfer {
            item: item.id,
            from,
            to,
        };
        self.writer(body).transfer_item(transfer, move |outcome| {
            reply(match outcome {
                Ok(Transfer::Done) => StoreAnswer::Recorded,
                Ok(Transfer::Moved) => StoreAnswer::Moved,
                Ok(Transfer::NoPlace) | Err(_) => StoreAnswer::Failed,
            });
        });
    }

    fn gift_transfer(
        &self,
        state: &PlayState,
        gift: &Gift,
    ) -> Option<(crate::being::Item, Owner, Owner)> {
        let from = match gift.held.recorded {
            Some(room) => self.room_owner(room)?,
            None => owner(state)?,
        };
        let to = match gift.recorded {
            Some(room) => self.room_owner(room)?,
            None => Owner::Character(gift.character?),
        };
        Some((gift.held.item, from, to))
    }

    fn room_owner(&self, room: RoomId) -> Option<Owner> {
        self.node
            .world
            .room(room)
            .map(|room| Owner::Room(room.key.to_string()))
    }

    fn save(&self, body: &SessionBody, ctx: &Ctx, room: Option<RoomId>) {
        let Phase::Playing(state) = &body.phase else {
            return;
        };
        let Some((_, id)) = state.identity.account else {
            return;
        };
        // Who is adrift comes back where they stood last.
        let last = || self.player.as_ref().and_then(|player| player.room());
        let room = room
            .or_else(last)
            .and_then(|room| self.node.world.room(room));
        let room_key = room.map(|room| room.key.to_string()).unwrap_or_default();
        let now = ctx.now().into_std();
        let played = state.played_s + now.saturating_duration_since(state.since).as_secs();
        let score = Score {
            played_seconds: i64::try_from(played).unwrap_or(i64::MAX),
            ..Score::default()
        };
        let save = CharacterSave {
            id,
            room_key,
            score,
            settings: to_stored(&state.settings),
        };
        let (address, line) = (ctx.address(), state.line);
        let saved = move |outcome: Result<(), StoreError>| {
            if outcome == Err(StoreError::Fenced) {
                // A later session has the character, and this one did not hear of it.
                drop(address.try_send_owed(SessionMessage::MakeWay));
            }
            let saved = SessionMessage::Stored(line, StoreAnswer::Saved(outcome.is_ok()));
            drop(address.try_send_owed(saved));
        };
        self.writer(body).save_characters(vec![save], saved);
    }

    /// The way by which this session writes.
    fn writer<'a>(&'a self, body: &'a SessionBody) -> &'a StorePort {
        let claim = body.claim.as_ref();
        claim.and_then(Hold::store).unwrap_or(&self.node.store)
    }
}

/// Why the room could not be reached, in the session's words.
pub(super) fn not_delivered(why: Undelivered) -> NotDelivered {
    match why {
        Undelivered::Busy => NotDelivered::Busy,
        Undelivered::Closed => NotDelivered::Closed,
        Undelivered::OutOfReach => NotDelivered::OutOfReach,
    }
}

fn count_refusal(why: &Refusal) {
    if *why == Refusal::TooCrowded || *why == Refusal::PlaceOutOfReach {
        metrics::refused(Cause::TooCrowded);
    } else if *why == Refusal::TalksTooFast {
        metrics::refused(Cause::TalksTooFast);
    } else if *why == Refusal::ChannelBusy {
        metrics::refused(Cause::ChannelBusy);
    } else if *why == Refusal::NoAnswer {
        metrics::refused(Cause::Unanswered);
    } else if *why == Refusal::NotSaved {
        metrics::refused(Cause::Store);
    }
}

fn owner(state: &PlayState) -> Option<Owner> {
    state
        .identity
        .account
        .map(|(_, character)| Owner::Character(character))
}

fn depth_name(depth: Depth) -> &'static str {
    match depth {
        Depth::None => "off",
        Depth::Ansi8 => "8",
        Depth::Ansi16 => "16",
        Depth::Ansi256 => "256",
        Depth::True => "true",
    }
}
