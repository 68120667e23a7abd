//! `[pure]` What follows when something comes to a room.

use super::due::Due;
use super::effect::{Answered, Effect, Input, Now};
use super::member::Fields;
use super::state::{RoomState, Said, Want, WantWhy};
use crate::event::Text;
use crate::ids::SessionId;
use crate::lobby::card::Card;
use crate::lobby::ids::Tag;
use crate::lobby::limits::{CHAT_CHARS, CHAT_PER_TICK, SEAT_KEPT, STALE_RETRY, TICK};
use crate::lobby::protocol::{Code, Left, Status, Why};

impl<P: Clone> RoomState<P> {
    /// Decides what follows from `input`, and remembers it.
    ///
    /// # Panics
    /// When the state was broken before or is after: a bug.
    pub fn step(&mut self, input: Input<P>, now: Now, effects: &mut Vec<Effect<P>>) {
        match input {
            Input::Enter(coming) => self.enter(coming, now, effects),
            Input::Resume {
                guest,
                port,
                seen,
                tag,
            } => self.resume(guest, (port, tag), seen, effects),
            Input::Leave(guest, why) => drop(self.leave(guest, why)),
            Input::Lost(guest) => self.lose(guest, now),
            Input::Snapshot(guest) => self.want_again(guest, WantWhy::Drained),
            Input::Stale(guest) => self.stale(guest, now),
            Input::Say(guest, tag, text) => self.say(guest, (tag, text), now, effects),
            Input::Status(guest, status) => self.status(guest, status, now),
            Input::Score(guest, score) => self.score(guest, score),
            Input::Changed(card) => self.changed(card),
            Input::Moderate(by, tag, moderated) => {
                self.moderate((by, tag), moderated, now, effects);
            }
            Input::Change(by, tag, wish) => self.change(by, tag, wish, effects),
            Input::Admit(name) => self.admitted.add(&name),
            Input::Tick => {
                self.do_due(now, effects);
                self.tick(now, effects);
            }
            Input::CloseIfEmpty => self.close_if_empty(effects),
        }
        self.check();
    }

    /// Takes somebody out, wherever they are; their port, if they were here.
    pub(super) fn leave(&mut self, guest: SessionId, why: Why) -> Option<P> {
        if let Some(member) = self.members.remove(guest) {
            let slot = member.slot;
            self.untold.left.push(Left { slot, why });
            self.untold.gone.push(member.card.name);
            self.untold.changed.retain(|changed| *changed != slot);
            self.untold.report = true;
            self.stale.remove(&guest);
            if let Some(lost) = member.lost {
                self.due.remove(lost + SEAT_KEPT, Due::Seat(guest));
            }
            return Some(member.port);
        }
        let waiting = self.waiting.remove(guest)?;
        self.untold.report = true;
        Some(waiting.coming.port)
    }

    /// The seat is kept for a while.
    fn lose(&mut self, guest: SessionId, now: Now) {
        if let Some(member) = self.members.get_mut(guest) {
            if member.lost.is_some() {
                return;
            }
            member.lost = Some(now.at);
            member.is_stale = false;
            self.stale.remove(&guest);
            self.due.add(now.at + SEAT_KEPT, Due::Seat(guest));
            self.touch(guest, Fields::STATUS);
        } else if let Some(waiting) = self.waiting.get_mut(guest) {
            waiting.is_lost = true;
        }
    }

    fn stale(&mut self, guest: SessionId, now: Now) {
        if let Some(member) = self.members.get_mut(guest)
            && member.lost.is_none()
        {
            member.is_stale = true;
            self.stale.insert(guest);
            self.retry_at.get_or_insert(now.at + STALE_RETRY);
        }
    }

    /// This member wants the whole with the next tick, and nobody waits for an answer with it.
    pub(super) fn want_again(&mut self, guest: SessionId, why: WantWhy) {
        if let Some(member) = self.members.get_mut(guest)
            && !member.wants
        {
            member.wants = true;
            self.wants.push(Want { guest, why });
        }
    }

    fn say(
        &mut self,
        guest: SessionId,
        (tag, text): (Tag, Text),
        now: Now,
        effects: &mut Vec<Effect<P>>,
    ) {
        let Some(member) = self.members.get(guest) else {
            return;
        };
        let (port, name) = (member.port.clone(), member.card.name.clone());
        let muted = self.muted.of(&name, now);
        let answer = if let Some(verdict) = muted {
            let text = verdict.text("You may not speak here", now);
            Answered::Refused(Code::Banned, text, 0)
        } else if text.trim().is_empty() {
            refused(Code::Text, "There is nothing to say in it.")
        } else if text.chars().count() > CHAT_CHARS {
            let text = format!("A line has at most {CHAT_CHARS} characters.");
            Answered::Refused(Code::Text, text.into(), 0)
        } else if self.untold.said.len() >= CHAT_PER_TICK {
            let text = "Too many speak in this room at once.".into();
            let retry_ms = u32::try_from(TICK.as_millis()).unwrap_or(u32::MAX);
            Answered::Refused(Code::Busy, text, retry_ms)
        } else {
            self.untold.said.push(Said {
                guest,
                name,
                text,
                at: now.unix,
            });
            Answered::Done
        };
        effects.push(Effect::Answer(port, tag, answer));
    }

    fn status(&mut self, guest: SessionId, status: Status, now: Now) {
        if let Some(member) = self.members.get_mut(guest) {
            let fields = member.set_status(status, now);
            self.touch(guest, fields);
        }
    }

    fn score(&mut self, guest: SessionId, score: Text) {
        if let Some(member) = self.members.get_mut(guest)
            && member.score != score
        {
            member.score = score;
            self.touch(guest, Fields::SCORE);
        }
    }

    pub(super) fn changed(&mut self, card: Card) {
        let guest = card.guest;
        if let Some(member) = self.members.get_mut(guest) {
            let fields = member.set_card(card);
            self.touch(guest, fields);
        } else if let Some(waiting) = self.waiting.get_mut(guest) {
            let name = waiting.coming.card.name.clone();
            waiting.coming.card = Card { name, ..card };
        }
    }

    fn do_due(&mut self, now: Now, effects: &mut Vec<Effect<P>>) {
        while let Some(due) = self.due.pop(now.at) {
            match due {
                Due::Seat(guest) => {
                    if let Some(port) = self.leave(guest, Why::Lost) {
                        let text = "Your seat was not kept any longer.".into();
                        effects.push(Effect::PutOut(port, Why::Lost, text));
                    }
                }
                Due::Unmute(name) => self.show_mute(&name, now),
            }
        }
    }

    fn close_if_empty(&mut self, effects: &mut Vec<Effect<P>>) {
        if self.taken() == 0 {
            self.is_closed = true;
            effects.push(Effect::Closed);
        } else {
            effects.push(Effect::Kept);
        }
    }
}

/// A refusal that trying again does not help.
pub(super) fn refused(code: Code, text: &str) -> Answered {
    Answered::Refused(code, text.into(), 0)
}
