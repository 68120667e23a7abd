//! `[process]` A session changes hands: the next incarnation goes on after a crash, a connection of
//! its account takes it over, or its supervisor gives it up; and what comes when it is over.

use super::answer::answered;
use super::body::{Phase, SessionBody};
use super::effect::Effect;
use super::link::{appear, end_now, link_regained, renew_token};
use super::process::{Ctx, SessionProcess};
use super::state::Held;
use super::things::received;
use super::waiting::looked;
use crate::being::{Entry, JourneyStep, Place};
use crate::event::{Event, LoginEvent, SystemEvent, Text};
use crate::ids::{Being, LineId, SessionId};
use crate::limits;
use crate::node::Services;
use crate::ring::{Arrival, ConnectionMessage, ConnectionPort, Input, RoomMessage};
use crate::ring::{SessionMessage, Wake};
use crate::room::{Answer, Cast};
use belay_runtime::Heir;
use std::time::Duration;

/// After this time a connection that was taken over has noticed, or is dead.
const ADOPTED: Duration = Duration::from_secs(5);

impl SessionProcess {
    /// After a crash: the lists know the new incarnation, and the player is told. What the store
    /// and the login pool still answer to the incarnation before counts for nothing.
    pub(super) fn come_back(&mut self, body: &mut SessionBody, ctx: &mut Ctx) {
        let give_up_after = match &body.phase {
            Phase::Playing(state) => {
                self.player = self.node.players.find_exactly(&state.identity.name);
                return body.show(Event::System(SystemEvent::SessionRestarted));
            }
            Phase::Login(_) => {
                body.show(Event::System(SystemEvent::SessionRestarted));
                body.phase = Phase::Login(Box::default());
                body.claim = None;
                body.entry = None;
                // It may have crashed at a password, or while the pool worked on one.
                body.tell(ConnectionMessage::Hide(false));
                body.tell(ConnectionMessage::LoginClock { running: true });
                return self.login_start(body, ctx);
            }
            Phase::Leaving(_) => limits::LAST_SAVE_DEADLINE,
            Phase::Ended => Duration::ZERO,
        };
        ctx.send_after(give_up_after, SessionMessage::Wake(Wake::GiveUp));
    }

    /// A room answered. A thing that comes too late for this session goes back to its room.
    pub(super) fn room_answered(
        &mut self,
        body: &mut SessionBody,
        ctx: &mut Ctx,
        line: LineId,
        answer: Answer,
    ) {
        if matches!(body.phase, Phase::Playing(_)) {
            self.play(body, ctx, |state, scene, out| {
                answered(state, scene, line, answer, out);
            });
        } else if let Answer::Handed(room, item) = answer {
            self.cast(room, Cast::PutBack(item));
        }
    }

    /// Another player gives something. It goes back to the room that has it on record when this
    /// session is over; without such a room the record has it as the character's.
    pub(super) fn gift_came(
        &mut self,
        body: &mut SessionBody,
        ctx: &mut Ctx,
        from: Text,
        held: Held,
    ) {
        if matches!(body.phase, Phase::Playing(_)) {
            self.play(body, ctx, |state, scene, out| {
                received(state, scene, from, held, out);
            });
        } else if let Some(room) = held.recorded {
            self.cast(room, Cast::PutBack(held.item));
        }
    }

    /// A message to the connection came back: its process is gone, and did not say so.
    pub(super) fn check_link(&mut self, body: &mut SessionBody, ctx: &mut Ctx) {
        let closed = |link: &ConnectionPort| link.address.is_closed();
        if let Some(link) = body.link.as_ref().filter(|link| closed(link)) {
            let id = link.id;
            self.input(body, ctx, id, Input::Closed);
        }
    }

    /// The room for which the player waits may be in reach again.
    pub(super) fn look_for_place(&mut self, body: &mut SessionBody, ctx: &mut Ctx) {
        let Phase::Playing(state) = &body.phase else {
            return;
        };
        let now = ctx.now().into_std();
        let Some(awaited) = state.waits_for().filter(|awaited| awaited.look <= now) else {
            return;
        };
        let node = self.node.clone();
        let reach = node.rooms.reach(awaited.room);
        self.play(body, ctx, |state, scene, out| {
            looked(state, scene, reach, || node.open_room(), out);
        });
    }

    /// No room of the recall list takes the player: any room that is open will do.
    pub(super) fn leave_adrift(&mut self, body: &mut SessionBody, ctx: &mut Ctx) {
        let adrift = matches!(&body.phase, Phase::Playing(state)
            if state.journey.place() == Place::Adrift
                && state.ending.is_none()
                && state.bound_for.is_none());
        if let (true, Some(room)) = (adrift, self.node.rooms.first_open()) {
            self.play(body, ctx, |state, scene, out| {
                appear(state, scene, room, Entry::Appear, out);
            });
        }
    }

    /// Another connection of the same account takes this session.
    pub(super) fn take_over(&mut self, body: &mut SessionBody, ctx: &mut Ctx, arrival: Arrival) {
        let taken = match &body.phase {
            Phase::Playing(state) => state.ending.is_none(),
            Phase::Login(_) => true,
            Phase::Leaving(_) | Phase::Ended => false,
        };
        drop(arrival.from.try_send_owed(SessionMessage::TookOver(taken)));
        if !taken || body.listens_to(arrival.connection.id) {
            // In the second case it was brought twice.
            return;
        }
        ctx.send_after(ADOPTED, SessionMessage::Wake(Wake::Link));
        let over = Box::new(Event::System(SystemEvent::TakenOver));
        body.tell(ConnectionMessage::Close(over));
        body.link = Some(arrival.connection);
        body.terminal = arrival.terminal;
        body.lines.clear();
        body.lines_done = 0;
        body.tell(ConnectionMessage::Adopt(ctx.address()));
        if matches!(body.phase, Phase::Playing(_)) {
            self.greet_back(body);
            self.play(body, ctx, |state, scene, out| {
                link_regained(state, scene, out)
            });
            if arrival.by_token {
                self.play(body, ctx, renew_token);
            }
        } else {
            // A session that is itself on its way in shows the next token when it is there.
            self.by_token |= arrival.by_token;
        }
    }

    fn greet_back(&mut self, body: &mut SessionBody) {
        let Phase::Playing(state) = &body.phase else {
            return;
        };
        let name = state.identity.name.clone();
        let settings = state.settings.clone();
        body.tell(ConnectionMessage::LoggedIn);
        body.tell(ConnectionMessage::Color(settings.depth));
        body.tell(ConnectionMessage::ScreenReader(settings.screen_reader));
        let missed_more = body.missed_more();
        body.show_quietly(Event::Login(LoginEvent::Resumed { name, missed_more }));
        body.catch_up();
    }
}

/// Takes a session that cannot be restarted out of the world: its supervisor gave it up.
pub fn clear_away(heir: &Heir<SessionBody>, id: SessionId, node: &Services) {
    heir.with(|body| {
        let why = Event::System(SystemEvent::Goodbye(
            "Your session failed several times in a row. Please log in again.".into(),
        ));
        let mut effects = Vec::new();
        if let Phase::Playing(state) = &mut body.phase {
            node.bridge.left(&state.identity.name);
            end_now(state, why.clone(), &mut effects);
        }
        for effect in effects {
            let (room, cast) = if let Effect::Cast(room, cast) = effect {
                (room, cast)
            } else if let Effect::Travel(_, JourneyStep::Gone(room, seq, how)) = effect {
                (room, Cast::Gone { seq, how })
            } else {
                // The last save is some seconds old, and has to do.
                continue;
            };
            let message = RoomMessage::Cast(Being::Session(id), cast);
            node.rooms.tell_if_open(room, message);
        }
        body.tell(ConnectionMessage::Close(Box::new(why)));
        body.phase = Phase::Ended;
        body.claim = None;
        body.entry = None;
    });
}
