//! `[process]` The simulated network: wires between nodes, whose messages take their time, in
//! order, until a wire is cut. All chance comes from one generator.

use crate::ids::{Incarnation, NodeId};
use crate::transport::{Class, Inbound, Lane, Member, Transport, Unsent};
use bytes::Bytes;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// After this time without a word a wire is taken for dead.
const DEAF: Duration = Duration::from_millis(1_500);

/// Between the first try that could work and the wire.
const DIAL: (u64, u64) = (20, 400);

/// Messages under way in one lane between two nodes; one more cuts the wire.
const UNDER_WAY_MAX: usize = 20_000;

/// How late a message comes a second time, at most.
const LATE_MAX_MS: u64 = 6_000;

/// A direction.
type Way = (NodeId, NodeId);

/// The network. A clone is the same.
#[derive(Clone)]
pub(super) struct Net(Arc<Mutex<State>>);

struct State {
    rng: StdRng,
    now: Duration,
    nodes: BTreeMap<NodeId, Port>,
    /// Directions in which nothing passes.
    cut: BTreeSet<Way>,
    /// Who does not run just now: its system takes in what comes, but nothing is answered.
    still: BTreeSet<NodeId>,
    wires: BTreeMap<Way, Wire>,
    latency_us: (u64, u64),
    /// What came for each node and was not taken.
    arrived: BTreeMap<NodeId, VecDeque<Inbound>>,
    processes: u64,
    /// Of a thousand messages so many come a second time, late.
    late_permille: u32,
    late: Vec<Late>,
}

/// A message that comes a second time. No wire does so; but nothing may come of it.
struct Late {
    due: Duration,
    way: Way,
    lives: (Incarnation, Incarnation),
    lane: Lane,
    body: Bytes,
}

struct Port {
    process: u64,
    incarnation: Incarnation,
    members: BTreeMap<NodeId, Incarnation>,
}

/// One direction of the wires of a pair. Both lanes stand and fall together.
struct Wire {
    /// Of the receiver's and sender's lives when it was made.
    lives: (Incarnation, Incarnation),
    /// Since when nothing passes in one of the directions.
    deaf_since: Option<Duration>,
    lanes: BTreeMap<Lane, VecDeque<(Duration, Bytes)>>,
}

/// A node's end of the network.
#[derive(Clone)]
pub(super) struct SimTransport {
    me: NodeId,
    /// Of the process: one that was killed sends no more.
    process: u64,
    net: Net,
}

impl Net {
    pub(super) fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(State {
            rng: StdRng::seed_from_u64(seed),
            now: Duration::ZERO,
            nodes: BTreeMap::new(),
            cut: BTreeSet::new(),
            still: BTreeSet::new(),
            wires: BTreeMap::new(),
            latency_us: (200, 3_000),
            arrived: BTreeMap::new(),
            processes: 0,
            late_permille: 0,
            late: Vec::new(),
        })))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A node comes to life.
    pub(super) fn attach(&self, me: NodeId, incarnation: Incarnation) -> SimTransport {
        let mut state = self.lock();
        state.detach(me);
        state.processes += 1;
        let process = state.processes;
        let port = Port {
            process,
            incarnation,
            members: BTreeMap::new(),
        };
        state.nodes.insert(me, port);
        let net = self.clone();
        SimTransport { me, process, net }
    }

    /// A node lives another life: its wires are closed.
    pub(super) fn live_as(&self, me: NodeId, incarnation: Incarnation) {
        if let Some(port) = self.lock().nodes.get_mut(&me) {
            port.incarnation = incarnation;
        }
    }

    /// A node is dead: its system closes its sockets.
    pub(super) fn detach(&self, me: NodeId) {
        self.lock().detach(me);
    }

    /// Nothing passes from one to the other.
    pub(super) fn cut(&self, from: NodeId, to: NodeId) {
        self.lock().cut.insert((from, to));
    }

    /// A node does not run, or runs again.
    pub(super) fn stands_still(&self, node: NodeId, still: bool) {
        let mut state = self.lock();
        if still {
            state.still.insert(node);
        } else {
            state.still.remove(&node);
        }
    }

    /// It passes again.
    pub(super) fn mend(&self, from: NodeId, to: NodeId) {
        self.lock().cut.remove(&(from, to));
    }

    /// Everything passes again.
    pub(super) fn heal(&self) {
        self.lock().cut.clear();
    }

    /// Of a thousand messages so many come again up to [`LATE_MAX_MS`] later.
    pub(super) fn set_late(&self, permille: u32) {
        self.lock().late_permille = permille;
    }

    /// How long messages take from now on.
    pub(super) fn set_latency(&self, latency_us: (u64, u64)) {
        self.lock().latency_us = latency_us;
    }

    /// The real time is this now.
    pub(super) fn advance(&self, now: Duration) {
        let mut state = self.lock();
        state.now = now;
        state.tend_wires();
        state.carry();
        state.carry_late();
    }

    /// What came for a node since it last looked.
    pub(super) fn arrived(&self, me: NodeId) -> Vec<Inbound> {
        let mut state = self.lock();
        let arrived = state.arrived.get_mut(&me);
        arrived
            .map(|queue| queue.drain(..).collect())
            .unwrap_or_default()
    }
}

impl State {
    fn detach(&mut self, me: NodeId) {
        self.nodes.remove(&me);
        self.still.remove(&me);
        self.arrived.remove(&me);
        let touched: Vec<Way> = self
            .wires
            .keys()
            .filter(|(from, to)| *from == me || *to == me)
            .copied()
            .collect();
        for way in touched {
            self.drop_wire(way);
        }
    }

    /// Both ends learn that it is gone.
    fn drop_wire(&mut self, (from, to): Way) {
        for (one, other) in [(from, to), (to, from)] {
            if self.wires.remove(&(one, other)).is_some() && self.nodes.contains_key(&other) {
                let arrived = self.arrived.entry(other).or_default();
                arrived.extend(
                    [Lane::Control, Lane::Play].map(|lane| Inbound::Down { from: one, lane }),
                );
            }
        }
    }

    fn tend_wires(&mut self) {
        let nodes: Vec<NodeId> = self.nodes.keys().copied().collect();
        for (at, one) in nodes.iter().enumerate() {
            for other in nodes.iter().skip(at + 1) {
                self.tend((*one, *other));
            }
        }
    }

    fn tend(&mut self, (one, other): Way) {
        let passes = !self.cut.contains(&(one, other)) && !self.cut.contains(&(other, one));
        let whole = passes && !self.still.contains(&one) && !self.still.contains(&other);
        let lives = self.lives((one, other));
        match (self.wires.get(&(one, other)), lives) {
            (None, Some(lives)) if whole => {
                let dial_ms = self.rng.random_range(DIAL.0..DIAL.1);
                // A try each step, so that on average it takes about as long as a real one.
                if self.rng.random_range(0..dial_ms) < 10 {
                    self.connect((one, other), lives);
                }
            }
            (Some(wire), now) => {
                let stale = now != Some(wire.lives);
                let deaf = wire.deaf_since;
                if stale || deaf.is_some_and(|since| self.now.saturating_sub(since) >= DEAF) {
                    self.drop_wire((one, other));
                } else if whole != deaf.is_none() {
                    let since = (!whole).then_some(self.now);
                    for way in [(one, other), (other, one)] {
                        if let Some(wire) = self.wires.get_mut(&way) {
                            wire.deaf_since = since;
                        }
                    }
                }
            }
            (None, _) => {}
        }
    }

    /// The lives of both, if they know and want each other.
    fn lives(&self, (one, other): Way) -> Option<(Incarnation, Incarnation)> {
        let (first, second) = (self.nodes.get(&one)?, self.nodes.get(&other)?);
        let wanted = |by: &Port, whom: NodeId, life: Incarnation| {
            by.members.get(&whom).is_some_and(|known| *known <= life)
        };
        let mutual =
            wanted(first, other, second.incarnation) && wanted(second, one, first.incarnation);
        mutual.then_some((first.incarnation, second.incarnation))
    }

    fn connect(&mut self, (one, other): Way, lives: (Incarnation, Incarnation)) {
        for (from, to, life) in [(one, other, lives.0), (other, one, lives.1)] {
            let lanes = [Lane::Control, Lane::Play].map(|lane| (lane, VecDeque::new()));
            let wire = Wire {
                lives,
                deaf_since: None,
                lanes: lanes.into_iter().collect(),
            };
            self.wires.insert((from, to), wire);
            let arrived = self.arrived.entry(to).or_default();
            arrived.extend([Lane::Control, Lane::Play].map(|lane| Inbound::Up {
                from,
                incarnation: life,
                lane,
            }));
        }
    }

    /// What is due arrives. A direction that is cut keeps what is under way until it is healed, as
    /// TCP does, or the wire is given up.
    fn carry(&mut self) {
        let (now, cut) = (self.now, &self.cut);
        for ((from, to), wire) in &mut self.wires {
            if cut.contains(&(*from, *to)) {
                continue;
            }
            let incarnation = if from < to {
                wire.lives.0
            } else {
                wire.lives.1
            };
            for (lane, queue) in &mut wire.lanes {
                while queue.front().is_some_and(|(due, _)| *due <= now) {
                    let Some((_, body)) = queue.pop_front() else {
                        break;
                    };
                    self.arrived
                        .entry(*to)
                        .or_default()
                        .push_back(Inbound::Message {
                            from: *from,
                            incarnation,
                            lane: *lane,
                            body,
                        });
                }
            }
        }
    }
}

impl State {
    /// On the wire that stands then, if it is one between the same lives.
    fn carry_late(&mut self) {
        let (now, late) = (self.now, std::mem::take(&mut self.late));
        let (due, rest) = late.into_iter().partition(|late| late.due <= now);
        self.late = rest;
        let due: Vec<Late> = due;
        for Late {
            way: (from, to),
            lives,
            lane,
            body,
            ..
        } in due
        {
            let wire = self.wires.get(&(from, to));
            let stands = wire.is_some_and(|wire| wire.lives == lives);
            if stands && !self.cut.contains(&(from, to)) {
                let incarnation = if from < to { lives.0 } else { lives.1 };
                let arrived = self.arrived.entry(to).or_default();
                arrived.push_back(Inbound::Message {
                    from,
                    incarnation,
                    lane,
                    body,
                });
            }
        }
    }

    /// Chance may have it that a message comes again.
    fn may_repeat(&mut self, way: Way, lane: Lane, body: &Bytes) {
        if self.late_permille == 0 || self.rng.random_range(0..1_000) >= self.late_permille {
            return;
        }
        let later = Duration::from_millis(self.rng.random_range(0..LATE_MAX_MS));
        if let Some(wire) = self.wires.get(&way) {
            self.late.push(Late {
                due: self.now + later,
                way,
                lives: wire.lives,
                lane,
                body: body.clone(),
            });
        }
    }
}

impl Transport for SimTransport {
    fn send(&self, to: NodeId, lane: Lane, _class: Class, body: Bytes) -> Result<(), Unsent> {
        let mut state = self.net.lock();
        let alive = state.nodes.get(&self.me);
        if alive.is_none_or(|port| port.process != self.process) {
            return Err(Unsent::NoWire);
        }
        state.may_repeat((self.me, to), lane, &body);
        let (least, most) = state.latency_us;
        let takes = Duration::from_micros(state.rng.random_range(least..=most));
        let due = state.now + takes;
        let wire = state.wires.get_mut(&(self.me, to));
        let Some(queue) = wire.and_then(|wire| wire.lanes.get_mut(&lane)) else {
            return Err(Unsent::NoWire);
        };
        if queue.len() >= UNDER_WAY_MAX {
            return Err(Unsent::Full);
        }
        // In order: not before what was sent before.
        let due = queue.back().map_or(due, |(last, _)| due.max(*last));
        queue.push_back((due, body));
        Ok(())
    }

    fn counts(&self, _: Lane) -> crate::Carried {
        crate::Carried::default()
    }

    fn members(&self, members: &[Member]) {
        let mut state = self.net.lock();
        if let Some(port) = state.nodes.get_mut(&self.me) {
            let known = members.iter().map(|one| (one.node, one.incarnation));
            port.members = known.collect();
        }
    }
}
