//! `[pure]` Who may say what the room and those in it are like: staff, and the room's owner.

use super::due::Due;
use super::effect::{Answered, Effect, Moderated, Now};
use super::member::Fields;
use super::state::RoomState;
use super::step::refused;
use super::verdict::{Verdict, folded};
use crate::event::Text;
use crate::ids::SessionId;
use crate::lobby::card::Card;
use crate::lobby::ids::{Tag, UnixSeconds};
use crate::lobby::limits::{ROOM_NAME_CHARS, ROOM_SEATS_MAX};
use crate::lobby::protocol::{Code, Moderation, RoomWish, Why};
use std::time::Duration;

impl<P: Clone> RoomState<P> {
    /// Somebody moderates somebody, who need not be here.
    pub(super) fn moderate(
        &mut self,
        (by, tag): (SessionId, Tag),
        moderated: Moderated,
        now: Now,
        effects: &mut Vec<Effect<P>>,
    ) {
        let Some(member) = self.members.get(by) else {
            return;
        };
        let (port, by) = (member.port.clone(), member.card.clone());
        let answer = match self.may_moderate(&by, &moderated) {
            Err(no) => no,
            Ok(()) => self.carry_out(&by, &moderated, now, effects),
        };
        if answer == Answered::Done {
            effects.push(Effect::Log(by.name, moderated));
        }
        effects.push(Effect::Answer(port, tag, answer));
    }

    fn may_moderate(&self, by: &Card, moderated: &Moderated) -> Result<(), Answered> {
        if !by.is_staff() && !self.owns(by) {
            let text = "Only staff and the owner of the room may do that.";
            return Err(refused(Code::Refused, text));
        }
        if folded(&moderated.name) == folded(&by.name) {
            return Err(refused(Code::Refused, "One does not do that to oneself."));
        }
        let target = self.members.named(&moderated.name);
        if target.is_some_and(|target| target.card.is_staff()) && !by.is_staff() {
            return Err(refused(
                Code::Refused,
                "Nobody but staff does that to staff.",
            ));
        }
        Ok(())
    }

    fn carry_out(
        &mut self,
        by: &Card,
        moderated: &Moderated,
        now: Now,
        effects: &mut Vec<Effect<P>>,
    ) -> Answered {
        let name = &moderated.name;
        let verdict = Verdict {
            until: (moderated.for_s > 0)
                .then(|| UnixSeconds(now.unix.0 + u64::from(moderated.for_s))),
            by: by.name.clone(),
            reason: moderated.reason.clone(),
        };
        match moderated.what {
            Moderation::Mute => self.mute(moderated, verdict, now, effects),
            Moderation::Unmute => {
                if !self.muted.lift(name) {
                    return refused(Code::Gone, "That name is not muted here.");
                }
                self.show_mute(&folded(name), now);
                let text = format!("{} lets you speak in this room again.", by.name);
                self.notice(name, text.into(), effects);
                Answered::Done
            }
            Moderation::Kick => {
                if self.seated(name).is_none() {
                    return refused(Code::Gone, "Nobody of that name is in the room.");
                }
                if verdict.until.is_some() && !self.banned.set(name, verdict, now) {
                    return too_many();
                }
                self.put_out(name, (Why::Kicked, by), &moderated.reason, effects)
            }
            Moderation::Ban => {
                if !self.banned.set(name, verdict, now) {
                    return too_many();
                }
                self.put_out(name, (Why::Banned, by), &moderated.reason, effects)
            }
            Moderation::Unban => {
                if self.banned.lift(name) {
                    Answered::Done
                } else {
                    refused(Code::Gone, "That name is not banned here.")
                }
            }
        }
    }

    fn mute(
        &mut self,
        moderated: &Moderated,
        verdict: Verdict,
        now: Now,
        effects: &mut Vec<Effect<P>>,
    ) -> Answered {
        let name = &moderated.name;
        let text = verdict.text("You may not speak in this room", now);
        if !self.muted.set(name, verdict, now) {
            return too_many();
        }
        if moderated.for_s > 0 {
            let at = now.at + Duration::from_secs(u64::from(moderated.for_s));
            self.due.add(at, Due::Unmute(folded(name)));
        }
        self.show_mute(&folded(name), now);
        self.notice(name, text, effects);
        Answered::Done
    }

    /// Others see whether this one may speak.
    pub(super) fn show_mute(&mut self, name: &str, now: Now) {
        let is_muted = self.muted.of(name, now).is_some();
        let Some(guest) = self.members.named(name).map(|member| member.card.guest) else {
            return;
        };
        if let Some(member) = self.members.get_mut(guest)
            && member.is_muted != is_muted
        {
            member.is_muted = is_muted;
            self.touch(guest, Fields::FLAGS);
        }
    }

    fn notice(&self, name: &str, text: Text, effects: &mut Vec<Effect<P>>) {
        if let Some(member) = self.members.named(name) {
            effects.push(Effect::Notice(member.port.clone(), text));
        }
    }

    /// Who of this name sits here, or waits to come in.
    fn seated(&self, name: &str) -> Option<SessionId> {
        let member = self.members.named(name).map(|member| member.card.guest);
        member.or_else(|| {
            let name = folded(name);
            let mut waiting = self.waiting.iter().map(|waiting| &waiting.coming.card);
            let card = waiting.find(|card| folded(&card.name) == name)?;
            Some(card.guest)
        })
    }

    /// Takes somebody out, if they are here.
    fn put_out(
        &mut self,
        name: &str,
        (why, by): (Why, &Card),
        reason: &str,
        effects: &mut Vec<Effect<P>>,
    ) -> Answered {
        let gone = self.seated(name).and_then(|guest| self.leave(guest, why));
        if let Some(port) = gone {
            let room = &self.about.name;
            let text = format!("You were put out of {room} by {}: {reason}", by.name);
            effects.push(Effect::PutOut(port, why, text.into()));
        }
        Answered::Done
    }

    /// The owner, or staff, wants the room to be otherwise. All of a wish holds, or nothing.
    pub(super) fn change(
        &mut self,
        by: SessionId,
        tag: Tag,
        wish: RoomWish,
        effects: &mut Vec<Effect<P>>,
    ) {
        let Some(member) = self.members.get(by) else {
            return;
        };
        let port = member.port.clone();
        let may = member.card.is_staff() || self.owns(&member.card);
        let answer = if !may {
            refused(Code::Refused, "Only its owner and staff change a room.")
        } else if let Some(no) = wrong_wish(&wish) {
            no
        } else {
            self.fulfil(wish);
            Answered::Done
        };
        effects.push(Effect::Answer(port, tag, answer));
    }

    fn fulfil(&mut self, wish: RoomWish) {
        let before = self.about.clone();
        let about = &mut self.about;
        about.name = wish.name.unwrap_or_else(|| about.name.clone());
        about.seats = wish.seats.unwrap_or(about.seats);
        about.access = wish.access.unwrap_or(about.access);
        if self.about != before {
            self.untold.room = true;
            self.untold.report = true;
        }
    }
}

/// Why no room can be like that.
pub(in crate::lobby) fn wrong_wish(wish: &RoomWish) -> Option<Answered> {
    if let Some(name) = &wish.name {
        let is_long_enough = ROOM_NAME_CHARS.contains(&name.chars().count());
        let is_plain = name.trim() == &**name && !name.chars().any(char::is_control);
        if !is_long_enough || !is_plain {
            let (least, most) = (ROOM_NAME_CHARS.start(), ROOM_NAME_CHARS.end());
            let text = format!("The name of a room has {least} to {most} characters.");
            return Some(Answered::Refused(Code::Text, text.into(), 0));
        }
    }
    let seats_wrong = wish
        .seats
        .is_some_and(|seats| seats == 0 || seats > ROOM_SEATS_MAX);
    seats_wrong.then(|| {
        let text = format!("A room has 1 to {ROOM_SEATS_MAX} seats.");
        Answered::Refused(Code::Text, text.into(), 0)
    })
}

fn too_many() -> Answered {
    refused(Code::Full, "The room remembers no more names.")
}
