//! `[process]` Things on their way from a room to a session of another node: each is in one place,
//! also when the wire between is cut.
//!
//! ```text
//! room ── Answer(Handed) ──► node of the session ── Took ──► forgotten
//!            │ cut                  │
//!            └── Again ───────────► ├─ has it ──── Took
//!                                   └─ never came ─ NotTaken ──► back on the floor
//! ```
//! If the session's node is given up, the thing lies on the floor again. Should the session have
//! had it and written so, then its record says who has it, and what lies there slips away from the
//! first who reaches for it.

use super::desk::Desk;
use super::frame::{Frame, Head};
use super::gate::Owner;
use super::gateway::Gateway;
use super::limits::{HANDED_MAX, TAKEN_MAX};
use crate::being::Item;
use crate::ids::{Being, RoomId, SessionId, ZoneId};
use crate::ring::RoomMessage;
use crate::room::Cast;
use belay_cluster::NodeId;
use std::collections::BTreeMap;

/// Things that were handed out, by the node and the number of the ask.
pub(super) type Handed = BTreeMap<(NodeId, u64), (RoomId, Item)>;

impl Gateway {
    /// A room here hands out a thing to the ask of another node.
    pub(super) fn hand(&self, head: Head, ask: (NodeId, u64), thing: (RoomId, Item)) {
        let mut desk = self.lock(head.zone);
        let stall = desk.stall.as_mut();
        if let Some(stall) = stall.filter(|stall| stall.epoch == head.epoch)
            && stall.handed.len() < HANDED_MAX
        {
            stall.handed.insert(ask, thing);
        }
    }

    /// The other node says what became of it.
    pub(super) fn handed(&self, from: NodeId, head: Head, number: u64, taken: bool) {
        let thing = {
            let mut desk = self.lock(head.zone);
            let stall = desk.stall.as_mut();
            let stall = stall.filter(|stall| stall.epoch == head.epoch);
            stall.and_then(|stall| stall.handed.remove(&(from, number)))
        };
        if let Some(thing) = thing.filter(|_| !taken) {
            self.lay_back(thing);
        }
    }

    /// The wire to a node stands again: which things have arrived there?
    pub(super) fn ask_again(&self, zone: ZoneId, node: NodeId) {
        let asked = self.step(zone, |desk, _| {
            let stall = desk.stall.as_ref()?;
            let mine = stall.handed.keys().filter(|(to, _)| *to == node);
            let numbers: Vec<u64> = mine.map(|(_, number)| *number).collect();
            Some((stall.epoch, numbers))
        });
        for (epoch, number) in asked
            .into_iter()
            .flat_map(|(epoch, numbers)| numbers.into_iter().map(move |number| (epoch, number)))
        {
            self.write(node, &Frame::Again(Head { zone, epoch }, number));
        }
    }

    /// An owner asks about a thing for a session of this node.
    pub(super) fn asked_again(&self, owner: Owner, head: Head, number: u64) {
        let has_it = self.lock(head.zone).taken.contains(&(owner, number));
        let frame = if has_it {
            Frame::Took(head, number)
        } else {
            Frame::NotTaken(head, number)
        };
        self.write(owner.0, &frame);
    }

    /// The node is given up: what was on its way there lies on the floor again.
    pub(super) fn take_back(&self, zone: ZoneId, node: NodeId) {
        let lost = self.step(zone, |desk, _| {
            let Some(stall) = desk.stall.as_mut() else {
                return Handed::new();
            };
            let of_node = |(to, _): &(NodeId, u64)| *to == node;
            let (lost, kept) = std::mem::take(&mut stall.handed)
                .into_iter()
                .partition(|(ask, _)| of_node(ask));
            stall.handed = kept;
            lost
        });
        for thing in lost.into_values() {
            self.lay_back(thing);
        }
    }

    pub(super) fn lay_back(&self, (room, item): (RoomId, Item)) {
        let nobody = Being::Session(SessionId::on(self.me.0, 0, 0));
        self.rooms
            .tell_if_here(room, RoomMessage::Cast(nobody, Cast::PutBack(item)));
    }
}

impl Desk {
    /// A thing has come; of which ask is remembered, should its owner not hear that.
    pub(super) fn take(&mut self, owner: Owner, number: u64) {
        self.taken.insert((owner, number));
        if self.taken.len() > TAKEN_MAX {
            self.taken.pop_first();
        }
    }
}
