//! `[pure]` Wires of the simulation: in order, once, or down.

use super::ms;
use super::world::{Event, Letter, World};
use crate::duty::io::Input;
use crate::duty::message::{DutyMessage, HandOverMessage};
use crate::ids::NodeId;
use crate::transport::Lane;
use rand::RngExt as _;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub(super) struct Net {
    /// From whom nothing comes to whom.
    pub(super) cut: BTreeSet<(NodeId, NodeId)>,
    wires: BTreeMap<(NodeId, NodeId), u32>,
    last: BTreeMap<(NodeId, NodeId, Lane), u64>,
    /// Longer than usual on the way, at most.
    pub(super) slow: u64,
    pub(super) chunks: usize,
}

impl Net {
    pub(super) fn passes(&self, from: NodeId, to: NodeId) -> bool {
        !self.cut.contains(&(from, to))
    }

    fn wire(&self, one: NodeId, other: NodeId) -> u32 {
        let pair = (one.min(other), one.max(other));
        self.wires.get(&pair).copied().unwrap_or(0)
    }
}

impl World {
    /// Both can hear each other.
    pub(super) fn linked(&self, one: NodeId, other: NodeId) -> bool {
        let up = |id| {
            let node = self.nodes.get(&id);
            node.is_some_and(|node| node.process.is_some() && !node.paused)
        };
        let wired = self.net.passes(one, other) && self.net.passes(other, one);
        up(one) && up(other) && (one == other || wired)
    }

    pub(super) fn stands(&self, from: NodeId, to: NodeId, wire: u32) -> bool {
        self.net.passes(from, to) && self.net.wire(from, to) == wire
    }

    /// What is on its way between these two is lost.
    pub(super) fn break_wire(&mut self, one: NodeId, other: NodeId) {
        let pair = (one.min(other), one.max(other));
        *self.net.wires.entry(pair).or_default() += 1;
        for (at, of) in [(one, other), (other, one)] {
            let Some(run) = self.run_of(at) else { continue };
            for lane in [Lane::Control, Lane::Play] {
                let down = Input::Peer {
                    node: of,
                    lane,
                    up: None,
                };
                self.after(0..ms(2), Event::Input(at, run, down));
                let wired = self.net.passes(one, other) && self.net.passes(other, one);
                if wired && self.run_of(of).is_some() {
                    let up = Input::Peer {
                        node: of,
                        lane,
                        up: self.nodes.get(&of).map(|node| node.life),
                    };
                    self.after(ms(2)..ms(60), Event::Input(at, run, up));
                }
            }
        }
    }

    pub(super) fn send(&mut self, from: NodeId, to: NodeId, message: DutyMessage) {
        let bytes = message.encode();
        let message = DutyMessage::decode(&bytes).expect("what was encoded");
        if let Some((letter, time)) = self.letter(from, to, Lane::Control, message) {
            // No wire does so; but nothing may come of it.
            if self.rng.random_bool(0.01) {
                self.after(0..ms(6_000), Event::Control(letter.clone()));
            }
            self.at(time, Event::Control(letter));
        }
    }

    pub(super) fn hand(&mut self, from: NodeId, to: NodeId, message: HandOverMessage) {
        self.net.chunks += 1;
        if let Some((letter, time)) = self.letter(from, to, Lane::Play, message) {
            if self.rng.random_bool(0.05) {
                self.after(0..ms(6_000), Event::HandOver(letter.clone()));
            }
            self.at(time, Event::HandOver(letter));
        }
    }

    fn letter<T>(
        &mut self,
        from: NodeId,
        to: NodeId,
        lane: Lane,
        message: T,
    ) -> Option<(Letter<T>, u64)> {
        let life = self.nodes.get(&from)?.life;
        let wire = self.net.wire(from, to);
        if !self.net.passes(from, to) || self.run_of(to).is_none() {
            return None;
        }
        let late = if self.net.slow > 0 {
            self.rng.random_range(0..self.net.slow)
        } else {
            0
        };
        let delay = self.rng.random_range(200..ms(3)) + late;
        let last = self.net.last.entry((from, to, lane)).or_default();
        let time = (self.now + delay).max(*last + 1);
        *last = time;
        let letter = Letter {
            from,
            life,
            to,
            wire,
            message,
        };
        Some((letter, time))
    }
}
