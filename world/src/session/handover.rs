//! `[process]` A session changes hands: a new connection of its account takes it over, or its
//! supervisor gives it up.

use super::body::{Phase, SessionBody};
use super::link::{link_regained, renew_token};
use super::process::{Ctx, SessionProcess};
use crate::being::Parting;
use crate::event::{Event, LoginEvent, SystemEvent};
use crate::ids::{Being, SessionId};
use crate::node::Services;
use crate::ring::{Arrival, ConnectionMessage, RoomMessage, SessionMessage};
use crate::room::Cast;
use belay_runtime::Heir;

impl SessionProcess {
    /// Another connection of the same account takes this session.
    pub(super) fn take_over(&mut self, body: &mut SessionBody, ctx: &mut Ctx, arrival: Arrival) {
        let taken = match &body.phase {
            Phase::Playing(state) => state.ending.is_none(),
            Phase::Login(_) => true,
            Phase::Leaving(_) | Phase::Ended => false,
        };
        drop(arrival.from.try_send_owed(SessionMessage::TookOver(taken)));
        if !taken {
            return;
        }
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
        let settings = state.settings;
        body.tell(ConnectionMessage::LoggedIn);
        body.tell(ConnectionMessage::Color(settings.depth));
        body.tell(ConnectionMessage::ScreenReader(settings.screen_reader));
        let missed_more = body.missed_more();
        body.show(Event::Login(LoginEvent::Resumed { name, missed_more }));
        body.catch_up();
    }
}

/// Takes a session that cannot be restarted out of the world: its supervisor gave it up.
pub fn clear_away(heir: &Heir<SessionBody>, id: SessionId, node: &Services) {
    heir.with(|body| {
        if let Phase::Playing(state) = &body.phase
            && let Some(room) = state.journey.room()
        {
            let gone = Cast::Gone {
                seq: state.journey.seq(),
                how: Parting::Sleep,
            };
            let message = RoomMessage::Cast(Being::Session(id), gone);
            node.rooms.tell_if_open(room, message);
        }
        let why = Event::System(SystemEvent::Goodbye(
            "Your session failed several times in a row. Please log in again.".into(),
        ));
        body.tell(ConnectionMessage::Close(Box::new(why)));
        body.phase = Phase::Ended;
        body.claim = None;
        body.entry = None;
    });
}
