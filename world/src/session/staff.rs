//! `[process]` What staff does to others, wherever they play: kick, ban, make crash, go to them.
//! What takes something from somebody is written into the staff's record.

use super::body::{Phase, SessionBody};
use super::far::receipt;
use super::link;
use super::process::{Ctx, SessionProcess};
use super::state::Pending;
use crate::account::Name;
use crate::being::Entry;
use crate::cluster::people::{Errand, OutOfReach, Reply};
use crate::command::{BanKind, BanOrder};
use crate::event::{Did, Event, Refusal, Text};
use crate::ids::{LineId, RoomId};
use crate::node::{Far, Found};
use crate::ops::metrics::VerbClass;
use crate::ring::SessionMessage;
use crate::room::{Answer, Reach};
use crate::store::{BanSubject, NewBan, StaffAction};
use std::time::Duration;

impl SessionProcess {
    /// Removes a player.
    pub(super) fn kick(&mut self, body: &mut SessionBody, ctx: &mut Ctx, who: &Text, reason: Text) {
        match self.node.players.find(who) {
            None => body.show(Event::Refused(Refusal::NobodyCalled(who.clone()))),
            Some(Found::Here(player)) => {
                self.record(body, "kick", &player.name, &reason);
                drop(player.session.try_send_owed(SessionMessage::Kick(reason)));
                body.show(Event::Did(Did::Kick(player.name.clone())));
            }
            Some(Found::There(far)) => {
                self.record(body, "kick", &far.name, &reason);
                let kick = Errand::Kick {
                    reason: reason.to_string(),
                };
                self.ask_far(body, ctx, (far, kick), Did::Kick);
            }
        }
    }

    /// Makes the session of a player crash; without a name this one.
    pub(super) fn crash_session(
        &mut self,
        body: &mut SessionBody,
        ctx: &mut Ctx,
        who: Option<Text>,
    ) {
        let Some(who) = who else {
            body.show(Event::Did(Did::Crash("your session".into())));
            return drop(ctx.address().try_send_owed(SessionMessage::Crash));
        };
        match self.node.players.find(&who) {
            None => body.show(Event::Refused(Refusal::NobodyCalled(who))),
            Some(Found::Here(player)) => {
                body.show(Event::Did(Did::Crash(player.name.clone())));
                drop(player.session.try_send_owed(SessionMessage::Crash));
            }
            Some(Found::There(far)) => {
                self.ask_far(body, ctx, (far, Errand::Crash), Did::Crash);
            }
        }
    }

    /// Goes to a room, or to where a player is.
    pub(super) fn goto(&mut self, body: &mut SessionBody, ctx: &mut Ctx, place: &Text) {
        if let Some(room) = self.node.world.room_id(place) {
            return self.appear(body, ctx, room);
        }
        match self.node.players.find(place) {
            Some(Found::Here(player)) if player.room().is_some() => {
                if let Some(room) = player.room() {
                    self.appear(body, ctx, room);
                }
            }
            Some(Found::There(far)) => self.follow(body, ctx, far),
            Some(Found::Here(_)) | None => {
                body.show(Event::Refused(Refusal::NobodyCalled(place.clone())));
            }
        }
    }

    /// Goes there, if anybody is in charge there just now; else stays, and knows at once.
    fn appear(&mut self, body: &mut SessionBody, ctx: &mut Ctx, room: RoomId) {
        if self.node.rooms.reach(room) == Reach::Awaited {
            return body.show(Event::Refused(Refusal::PlaceOutOfReach));
        }
        self.play(body, ctx, |state, scene, out| {
            link::appear(state, scene, room, Entry::Appear, out);
        });
    }

    /// Another node knows where the player is.
    fn follow(&mut self, body: &mut SessionBody, ctx: &mut Ctx, far: Far) {
        let Some(line) = self.wait_far(body, ctx, VerbClass::Staff) else {
            return;
        };
        let receipt = receipt(ctx, line);
        let (address, world) = (ctx.address(), self.node.world.clone());
        let name = far.name.clone();
        let answered = move |reply: Result<Reply, OutOfReach>| {
            let room = match &reply {
                Ok(Reply::In { room: Some(key) }) => world.room_id(key),
                Ok(_) | Err(_) => None,
            };
            let Some(room) = room else {
                let why = match reply {
                    Err(OutOfReach) => Refusal::OutOfReach(name),
                    Ok(_) => Refusal::NobodyCalled(name),
                };
                let shown = Answer::Show(Box::new(Event::Refused(why)));
                return drop(receipt.answer(shown));
            };
            receipt.withdraw();
            drop(address.try_send_owed(SessionMessage::Follow(line, room)));
        };
        self.node.people.ask(&far, Errand::Where, answered);
    }

    /// The player whom this session follows is in this room.
    pub(super) fn followed(
        &mut self,
        body: &mut SessionBody,
        ctx: &mut Ctx,
        (line, room): (LineId, RoomId),
    ) {
        let mut follows = false;
        self.play(body, ctx, |state, _, out| {
            let asked = state.close(line, |what| *what == Pending::Show(VerbClass::Staff));
            follows = asked.is_some();
            out.extend(asked.map(|ask| ask.done()));
        });
        if follows {
            self.appear(body, ctx, room);
        }
    }

    /// Bans an account or an address, and removes who plays under it.
    pub(super) fn ban(&self, body: &mut SessionBody, ctx: &Ctx, order: &BanOrder) {
        let Phase::Playing(state) = &body.phase else {
            return;
        };
        let subject = match order.kind {
            BanKind::Account => Name::restore(&order.value).ok().map(BanSubject::Account),
            BanKind::Address => order.value.parse().ok().map(BanSubject::Address),
        };
        let (Some(subject), Ok(by)) = (subject, Name::restore(&state.identity.name)) else {
            return body.show(Event::Refused(Refusal::BadArgument {
                given: order.value.clone(),
                allowed: Text::from("a name of 3 to 20 letters, or an address"),
            }));
        };
        let ban = NewBan {
            subject,
            reason: order.reason.to_string(),
            lasts: order.seconds.map(Duration::from_secs),
            by: by.as_str().to_owned(),
        };
        self.record(body, "ban", &order.value, &order.reason);
        self.node.ban(ban);
        tracing::info!(target: "belay_world", pid = %ctx.pid(), "staff banned");
        body.show(Event::Did(Did::Ban(order.value.clone())));
    }

    pub(super) fn record(&self, body: &SessionBody, action: &str, target: &str, reason: &str) {
        let Phase::Playing(state) = &body.phase else {
            return;
        };
        let Ok(staff) = Name::restore(&state.identity.name) else {
            return;
        };
        let action = StaffAction {
            staff,
            action: action.to_owned(),
            target: target.to_owned(),
            reason: reason.to_owned(),
        };
        self.node.store.record_staff_action(action, |recorded| {
            if let Err(error) = recorded {
                tracing::warn!(target: "belay_world", %error, "staff action not recorded");
            }
        });
    }
}
