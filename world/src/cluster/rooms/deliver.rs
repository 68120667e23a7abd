//! `[process]` What other nodes say about rooms, handled in the order in which it comes.

use super::counts::Count;
use super::desk::{Desk, Still};
use super::fan::News;
use super::frame::{Frame, Head, Letter, Opening, What};
use super::gate::Owner;
use super::gateway::{Gateway, now};
use crate::ids::{Being, RoomId, SessionId};
use crate::ring::{BeingPort, Farewell, Receipt, RoomMessage, SessionMessage, Undelivered};
use crate::room::{Answer, Cast};
use belay_cluster::NodeId;

impl Gateway {
    /// A message of another node's gateway or zones.
    pub fn deliver(&self, from: NodeId, body: &[u8]) {
        let Ok(frame) = Frame::decode(body) else {
            self.counts().add(Count::Unreadable, 1);
            tracing::warn!(target: "belay_world", peer = from.0, "cannot be read");
            return;
        };
        let head = frame.head();
        if usize::from(head.zone.0) >= self.world.zones().len() {
            self.counts().add(Count::Unreadable, 1);
            return;
        }
        let owner = (from, head.epoch);
        match frame {
            Frame::Post(_, number, letter) => self.letter_came(from, head, number, letter),
            Frame::Settle(_) => self.settle_asked(from, head),
            Frame::Anew(_) => self.anew_asked(from, head),
            Frame::Answer(_, number, answer) => self.answer_came(owner, head, number, answer),
            Frame::Lost(_, number) => drop(self.receipt(owner, head, number)),
            Frame::Refused(_, number, why) => {
                if let Some(receipt) = self.receipt(owner, head, number) {
                    receipt.refuse(why);
                }
            }
            Frame::Notice(_, room, entry) => self.news_came(head, room, News::notice(entry)),
            Frame::Tick {
                room,
                all,
                newcomers,
                fresh,
                ..
            } => self.news_came(head, room, News::tick(all, newcomers, fresh)),
            Frame::RoomClosed(_, room, session) => self.room_closed(head, room, session),
            Frame::Open(_, how) => self.opened_elsewhere(owner, head, how),
            Frame::Shut(_) => self.step(head.zone, |desk, outs| desk.gate.shut(owner, now(), outs)),
            Frame::Settled(_) => {
                self.step(head.zone, |desk, outs| desk.gate.settled(owner, outs));
                self.settled.notify_waiters();
            }
            Frame::Bounced(_, number, letter) => self.step(head.zone, |desk, outs| {
                desk.gate.bounced(owner, (number, letter), now(), outs);
            }),
            Frame::Again(_, number) => self.asked_again(owner, head, number),
            Frame::Took(_, number) => self.handed(from, head, number, true),
            Frame::NotTaken(_, number) => self.handed(from, head, number, false),
        }
    }

    /// The zone takes letters at another node. If it was here, that is over: the cluster's own word
    /// comes on another wire, may be later, and must not shut the gate again.
    fn opened_elsewhere(&self, owner: Owner, head: Head, how: Opening) {
        let before = self.lock(head.zone).stall.as_ref().map(|one| one.epoch);
        if let Some(before) = before.filter(|before| *before < head.epoch) {
            self.end_zone(head.zone, before);
        }
        self.step(head.zone, |desk, outs| {
            let Desk { gate, standing, .. } = desk;
            let beings = || standing.beings();
            if !gate.opened((owner, how), &beings, now(), outs) {
                self.counts().add(Count::Stale, 1);
            }
        });
    }

    /// A letter for a room that should be here. Else it goes back as it came.
    fn letter_came(&self, from: NodeId, head: Head, number: u64, letter: Letter) {
        self.counts().add(Count::LettersIn, 1);
        let not_taken = {
            let mut desk = self.lock(head.zone);
            let takes = desk.stall.as_mut().and_then(|stall| {
                let lower = head.epoch < stall.epoch;
                self.counts().add(Count::Stale, usize::from(lower));
                let takes = stall.takes_from(from, head, now());
                takes.then_some(stall)
            });
            match takes {
                Some(stall) => {
                    let far = self.far(head.zone, stall, from);
                    Ok(self.post_here(letter, |line, session| {
                        Receipt::far(BeingPort::Far(far, session), line, number)
                    }))
                }
                None => Err(letter),
            }
        };
        match not_taken {
            Ok(None) => {}
            Ok(Some((receipt, why))) => receipt.refuse(why),
            Err(letter) => {
                self.counts().add(Count::Bounced, 1);
                self.write(from, &Frame::Bounced(head, number, letter));
            }
        }
    }

    /// Puts a letter of another node into its room's mailbox; what did not go in comes back.
    fn post_here(
        &self,
        letter: Letter,
        receipt: impl FnOnce(crate::ids::LineId, SessionId) -> Receipt,
    ) -> Option<(Receipt, Undelivered)> {
        let Letter { being, room, what } = letter;
        match (what, being) {
            (What::Ask(line, ask), Being::Session(session)) => {
                let receipt = receipt(line, session);
                self.rooms.ask_here(room, (being, ask), receipt).err()
            }
            (What::Cast(cast), _) => {
                self.rooms
                    .tell_if_here(room, RoomMessage::Cast(being, cast));
                None
            }
            // Mobs never leave their zone.
            (What::Ask(..), Being::Mob(_)) => None,
        }
    }

    fn settle_asked(&self, from: NodeId, head: Head) {
        let waits = {
            let mut desk = self.lock(head.zone);
            let stall = desk.stall.as_mut();
            stall
                .filter(|stall| stall.epoch == head.epoch)
                .is_some_and(|stall| {
                    stall.settle(from);
                    let soon = stall.still == Still::Soon;
                    if soon {
                        stall.settlers.push(from);
                    }
                    soon
                })
        };
        if !waits {
            self.write(from, &Frame::Settled(head));
        }
    }

    fn anew_asked(&self, from: NodeId, head: Head) {
        let desk = self.lock(head.zone);
        if desk.stall.as_ref().is_some_and(|one| one.takes(head)) {
            self.forget(head.zone, from, Farewell::Silent);
        }
    }

    fn receipt(&self, owner: Owner, head: Head, number: u64) -> Option<Receipt> {
        let asked = self.lock(head.zone).gate.answered(owner, number);
        if asked.is_none() {
            self.counts().add(Count::Stale, 1);
        }
        asked.map(|(_, receipt)| receipt)
    }

    /// An answer passes through: who comes in and goes out is noted, so that events find them.
    fn answer_came(&self, owner: Owner, head: Head, number: u64, answer: Answer) {
        let hands = matches!(answer, Answer::Handed(..));
        let unclaimed = {
            let mut desk = self.lock(head.zone);
            if hands {
                desk.take(owner, number);
            }
            match desk.gate.answered(owner, number) {
                None => Some(answer),
                Some((being, receipt)) => {
                    note(&mut desk, being, &receipt, &answer);
                    receipt.answer(answer).err()
                }
            }
        };
        if hands {
            self.write(owner.0, &Frame::Took(head, number));
        }
        let Some(answer) = unclaimed else { return };
        self.counts().add(Count::Stale, 1);
        if let Answer::Handed(room, item) = answer {
            // Nobody waits for it any more: it lies where it lay.
            let whoever = Being::Session(SessionId::on(self.me.0, 0, 0));
            if self.cast(room, whoever, Cast::PutBack(item)).is_err() {
                tracing::debug!(target: "belay_world", room = room.0, "stays on record only");
            }
        }
    }

    fn news_came(&self, head: Head, room: RoomId, news: News) {
        self.counts().add(Count::EventsIn, 1);
        let mut desk = self.lock(head.zone);
        if desk.gate.accepts(head.epoch) {
            self.tell(&mut desk, (head.zone, room), news);
        } else {
            self.counts().add(Count::Stale, 1);
        }
    }

    fn room_closed(&self, head: Head, room: RoomId, session: SessionId) {
        let mut desk = self.lock(head.zone);
        if !desk.gate.accepts(head.epoch) {
            return self.counts().add(Count::Stale, 1);
        }
        if let Some(port) = desk.standing.leave(room, session) {
            drop(port.try_send_owed(SessionMessage::RoomClosed(room)));
        }
    }
}

/// Notes who stands in a room of another node from now on, and who does not.
fn note(desk: &mut Desk, being: Being, receipt: &Receipt, answer: &Answer) {
    let (Being::Session(session), BeingPort::Session(port)) = (being, receipt.port()) else {
        return;
    };
    match answer {
        Answer::Entered { seen, .. } => desk.standing.enter(seen.room, session, port.clone()),
        Answer::Left { .. } => {
            if let Some((room, _)) = desk.standing.find(session) {
                desk.standing.leave(room, session);
            }
        }
        Answer::Show(_)
        | Answer::Stayed { .. }
        | Answer::Unknown(_)
        | Answer::Handed(..)
        | Answer::Placed(_)
        | Answer::Person { .. } => {}
    }
}
