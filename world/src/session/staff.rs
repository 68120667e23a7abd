//! `[process]` What staff does to others: kick and ban. Each is written into the staff's record.

use super::body::{Phase, SessionBody};
use super::process::{Ctx, SessionProcess};
use crate::account::Name;
use crate::command::{BanKind, BanOrder};
use crate::event::{Did, Event, Refusal, Text};
use crate::ring::SessionMessage;
use crate::store::{BanSubject, NewBan, StaffAction};
use std::time::Duration;

impl SessionProcess {
    /// Removes a player.
    pub(super) fn kick(&self, body: &mut SessionBody, who: &Text, reason: Text) {
        let Some(player) = self.node.players.find(who) else {
            return body.show(Event::Refused(Refusal::NobodyCalled(who.clone())));
        };
        self.record(body, "kick", &player.name, &reason);
        drop(player.session.try_send_owed(SessionMessage::Kick(reason)));
        body.show(Event::Did(Did::Kick(player.name.clone())));
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
            subject: subject.clone(),
            reason: order.reason.to_string(),
            lasts: order.seconds.map(Duration::from_secs),
            by: by.as_str().to_owned(),
        };
        self.node.bans.add(&self.node.store, ban);
        self.record(body, "ban", &order.value, &order.reason);
        self.node.remove_banned(&subject, &order.reason);
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
