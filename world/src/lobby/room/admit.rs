//! `[pure]` Into a room: who gets a seat, who waits, who is let in with a tick, and who is back.

use super::due::Due;
use super::effect::{Answered, Coming, Effect, Now};
use super::member::{Fields, Member};
use super::state::{RoomState, Want, WantWhy};
use super::step::refused;
use super::verdict::folded;
use super::waiting::Waiting;
use crate::ids::SessionId;
use crate::lobby::card::Card;
use crate::lobby::ids::{Seq, Tag};
use crate::lobby::limits::{JOINS_PER_TICK, SEAT_KEPT, WAIT_TOLD};
use crate::lobby::protocol::{Access, Code};

/// Who came with a tick, in the order in which they came.
pub(super) struct Newcomer {
    pub(super) guest: SessionId,
    pub(super) tag: Tag,
    pub(super) instead: bool,
}

impl<P: Clone> RoomState<P> {
    /// Somebody wants in. Whoever has a seat already keeps it, and is told the whole again.
    pub(super) fn enter(&mut self, coming: Coming<P>, now: Now, effects: &mut Vec<Effect<P>>) {
        let guest = coming.card.guest;
        self.untold.report = true;
        if self.members.get(guest).is_some() {
            let (tag, instead) = (coming.tag, coming.instead);
            let why = WantWhy::Again { tag, instead };
            self.take_back(guest, coming.port, why, effects);
            self.changed(coming.card);
        } else if let Some(waiting) = self.waiting.get_mut(guest) {
            let older = std::mem::replace(&mut waiting.coming, coming);
            waiting.is_lost = false;
            effects.push(Effect::Answer(older.port, older.tag, asked_again()));
        } else if let Some(no) = self.bars(&coming.card, now) {
            effects.push(Effect::Answer(coming.port, coming.tag, no));
        } else if self.is_closed || self.taken() >= usize::from(self.about.seats) {
            effects.push(Effect::Full(coming));
        } else {
            self.waiting.push(Waiting {
                coming,
                since: now.at,
                is_lost: false,
            });
        }
    }

    /// Why somebody may not come in, whether there is room or not.
    fn bars(&self, card: &Card, now: Now) -> Option<Answered> {
        if card.is_staff() {
            return None;
        }
        if let Some(verdict) = self.banned.of(&card.name, now) {
            let text = verdict.text("You may not come into this room", now);
            return Some(Answered::Refused(Code::Banned, text, 0));
        }
        if self.owns(card) {
            return None;
        }
        match self.about.access {
            Access::Open => None,
            Access::Locked => Some(refused(Code::Refused, "The room is locked.")),
            Access::Invited if self.admitted.has(&card.name) => None,
            Access::Invited => Some(refused(
                Code::Refused,
                "One comes into this room by invitation.",
            )),
        }
    }

    /// Whether the room is theirs.
    pub(super) fn owns(&self, card: &Card) -> bool {
        let owner = self.about.owner.as_ref();
        owner.is_some_and(|owner| folded(owner) == folded(&card.name))
    }

    /// Somebody is back with another socket. The seat is theirs still, or they are told that it is
    /// gone.
    pub(super) fn resume(
        &mut self,
        guest: SessionId,
        (port, tag): (P, Tag),
        seen: Option<Seq>,
        effects: &mut Vec<Effect<P>>,
    ) {
        if self.members.get(guest).is_some() {
            self.take_back(guest, port, WantWhy::Resumed { tag, seen }, effects);
        } else if let Some(waiting) = self.waiting.get_mut(guest) {
            waiting.coming.port = port.clone();
            waiting.is_lost = false;
            effects.push(Effect::Answer(port, tag, Answered::Done));
        } else {
            let gone = refused(Code::Gone, "Your seat in the room is gone.");
            effects.push(Effect::Answer(port, tag, gone));
        }
    }

    /// A member is reached by this port from now on. Its socket is told nothing before it has had
    /// what it missed, with the next tick, once: what was asked for before that is void.
    fn take_back(&mut self, guest: SessionId, port: P, why: WantWhy, effects: &mut Vec<Effect<P>>) {
        let Some(member) = self.members.get_mut(guest) else {
            return;
        };
        let wanted = std::mem::replace(&mut member.wants, true);
        let mut wants = self.wants.iter_mut();
        let older = wanted.then(|| wants.find(|want| want.guest == guest));
        if let Some(older) = older.flatten() {
            if let Some(tag) = older.why.tag() {
                effects.push(Effect::Answer(member.port.clone(), tag, asked_again()));
            }
            older.why = why;
        } else {
            self.wants.push(Want { guest, why });
        }
        member.port = port;
        member.is_stale = false;
        self.stale.remove(&guest);
        if let Some(lost) = member.lost.take() {
            self.due.remove(lost + SEAT_KEPT, Due::Seat(guest));
            self.touch(guest, Fields::STATUS);
        }
    }

    /// Lets the next ones in, with the tick that is being made.
    pub(super) fn admit(&mut self, seq: Seq, now: Now) -> Vec<Newcomer> {
        let mut newcomers = Vec::new();
        while newcomers.len() < JOINS_PER_TICK && !self.waiting.is_empty() {
            let Some(slot) = self.members.take_place() else {
                break;
            };
            let Some(Waiting {
                coming, is_lost, ..
            }) = self.waiting.pop()
            else {
                self.members.free(slot);
                break;
            };
            let (guest, name) = (coming.card.guest, coming.card.name.clone());
            self.admitted.add(&name);
            let mut member = Member::new(coming.card, coming.port, slot, seq);
            member.is_owner = self.owns(&member.card);
            member.is_muted = self.muted.of(&name, now).is_some();
            if is_lost {
                member.lost = Some(now.at);
                self.due.add(now.at + SEAT_KEPT, Due::Seat(guest));
            }
            self.members.seat(member);
            self.untold.came.push(name);
            newcomers.push(Newcomer {
                guest,
                tag: coming.tag,
                instead: coming.instead,
            });
        }
        newcomers
    }

    /// Tells those who wait for long how many are before them.
    pub(super) fn tell_waiting(&mut self, now: Now, effects: &mut Vec<Effect<P>>) {
        let told = self.waiting_told;
        if told.is_some_and(|told| now.at < told + WAIT_TOLD) {
            return;
        }
        let mut any = false;
        for (ahead, waiting) in (0_u32..).zip(self.waiting.iter()) {
            if now.at >= waiting.since + WAIT_TOLD {
                any = true;
                effects.push(Effect::Waiting(waiting.coming.port.clone(), ahead));
            }
        }
        if any {
            self.waiting_told = Some(now.at);
        }
    }
}

fn asked_again() -> Answered {
    refused(Code::Busy, "Asked once more meanwhile.")
}
