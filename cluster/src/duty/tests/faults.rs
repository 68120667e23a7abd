//! `[pure]` What befalls nodes and wires.

use super::world::{Event, World};
use super::{ms, n, shard};
use crate::ids::{NodeId, NodeName};
use crate::order::Order;
use rand::RngExt as _;

#[derive(Clone, Debug)]
pub(super) enum Fault {
    Kill(NodeId),
    Start(NodeId),
    Pause(NodeId),
    Resume(NodeId),
    /// Nothing comes from the first to the second any more.
    Cut(NodeId, NodeId),
    Heal(NodeId, NodeId),
    /// Nothing comes from or to the node.
    Isolate(NodeId),
    Rejoin(NodeId),
    /// Nothing passes between the nodes up to this one and those after it; and somebody of those
    /// after it leads, if they are a majority.
    Split(NodeId),
    Unsplit,
    /// Somebody else leads, for no reason.
    Elect(NodeId),
    /// The node applies the log so much later.
    Slow(NodeId, u64),
    /// All messages take so much longer.
    SlowNet(u64),
    /// What runs of this shard does nothing any more.
    Hang(usize),
    Order(NodeId, Order),
    Join,
}

impl World {
    pub(super) fn befall(&mut self, fault: Fault) {
        self.note(format!("*** {fault:?}"));
        match fault {
            Fault::Kill(id) => self.kill(id),
            Fault::Start(id) => self.start(id),
            Fault::Pause(id) => self.pause(id),
            Fault::Resume(id) => self.resume(id),
            Fault::Cut(from, to) => {
                self.net.cut.insert((from, to));
                self.break_wire(from, to);
            }
            Fault::Heal(from, to) => {
                self.net.cut.remove(&(from, to));
                self.break_wire(from, to);
            }
            Fault::Isolate(id) => self.each_other(id, |world, other| {
                world.net.cut.extend([(id, other), (other, id)]);
                world.break_wire(id, other);
            }),
            Fault::Rejoin(id) => self.each_other(id, |world, other| {
                world.net.cut.remove(&(id, other));
                world.net.cut.remove(&(other, id));
                world.break_wire(id, other);
            }),
            Fault::Split(last) => {
                self.divide(|world, one, other| {
                    if one <= last && other > last {
                        world.net.cut.extend([(one, other), (other, one)]);
                        world.break_wire(one, other);
                    }
                });
                self.befall(Fault::Elect(n(last.0 + 1)));
            }
            Fault::Unsplit => self.divide(|world, one, other| {
                world.net.cut.remove(&(one, other));
                world.net.cut.remove(&(other, one));
                world.break_wire(one, other);
            }),
            Fault::Elect(id) => {
                let able = |voter: &&NodeId| self.linked(id, **voter);
                let with = self.raft.voters.iter().filter(able).count();
                if self.raft.voters.contains(&id) && with * 2 > self.raft.voters.len() {
                    self.elect(id);
                }
            }
            Fault::Slow(id, slow) => {
                if let Some(node) = self.nodes.get_mut(&id) {
                    node.slow = slow;
                }
            }
            Fault::SlowNet(slow) => self.net.slow = slow,
            Fault::Hang(which) => {
                let shard = shard(which);
                for node in self.nodes.values_mut() {
                    let process = node.process.as_mut();
                    let running = process.and_then(|p| p.host.shards.get_mut(&shard));
                    running.into_iter().for_each(|running| running.hung = true);
                }
            }
            Fault::Order(on, order) => {
                if self.run_of(on).is_some() {
                    self.order(on, order);
                }
            }
            Fault::Join => {
                let next = self.nodes.keys().max().map_or(1, |last| last.0 + 1);
                self.join(n(next));
            }
        }
    }

    fn divide(&mut self, what: impl Fn(&mut Self, NodeId, NodeId)) {
        let ids: Vec<_> = self.nodes.keys().copied().collect();
        for one in &ids {
            for other in ids.iter().filter(|other| *other > one) {
                what(self, *one, *other);
            }
        }
    }

    fn each_other(&mut self, id: NodeId, what: impl Fn(&mut Self, NodeId)) {
        for other in self.nodes.keys().copied().collect::<Vec<_>>() {
            if other != id {
                what(self, other);
            }
        }
    }

    /// Faults at random up to then, each of which is over again some time after. How many.
    pub(super) fn plan_faults(&mut self, from: u64, to: u64, shards: usize) -> usize {
        let count = self.rng.random_range(1..=14);
        for _ in 0..count {
            let at = self.rng.random_range(from..to);
            let lasts = match self.rng.random_range(0..3) {
                0 => self.rng.random_range(ms(20)..ms(600)),
                1 => self.rng.random_range(ms(600)..ms(4_000)),
                _ => self.rng.random_range(ms(4_000)..ms(9_000)),
            };
            self.plan_fault(at, (at + lasts).min(to), shards);
        }
        count
    }

    fn plan_fault(&mut self, at: u64, end: u64, shards: usize) {
        let nodes = u16::try_from(self.nodes.len()).expect("few nodes");
        let id = n(self.rng.random_range(1..=nodes));
        let other = n(self.rng.random_range(1..=nodes));
        let name = |id: NodeId| NodeName::new(&format!("n{}", id.0)).expect("a name");
        let which = self.rng.random_range(0..shards);
        let (begin, over) = match self.rng.random_range(0..20) {
            0 | 1 => (Fault::Kill(id), Some(Fault::Start(id))),
            2 => {
                // The same process comes back at once.
                self.at(at, Event::Fault(Fault::Kill(id)));
                (Fault::Start(id), None)
            }
            3 | 4 => (Fault::Pause(id), Some(Fault::Resume(id))),
            5 if id != other => (Fault::Cut(id, other), Some(Fault::Heal(id, other))),
            6 if id != other => {
                self.at(at, Event::Fault(Fault::Cut(id, other)));
                self.at(end, Event::Fault(Fault::Heal(id, other)));
                (Fault::Cut(other, id), Some(Fault::Heal(other, id)))
            }
            5..8 => (Fault::Isolate(id), Some(Fault::Rejoin(id))),
            8 => (Fault::Elect(id), None),
            9 => {
                let slow = self.rng.random_range(ms(50)..ms(3_000));
                (Fault::Slow(id, slow), Some(Fault::Slow(id, 0)))
            }
            10 => {
                let slow = self.rng.random_range(ms(5)..ms(700));
                (Fault::SlowNet(slow), Some(Fault::SlowNet(0)))
            }
            11 => (Fault::Hang(which), None),
            12 => {
                let order = |on| Order::Drain(name(other), on);
                let undo = Fault::Order(id, order(false));
                (Fault::Order(id, order(true)), Some(undo))
            }
            13 => (Fault::Join, None),
            14 | 15 => (Fault::Split(id), Some(Fault::Unsplit)),
            _ => {
                let order = Order::Move(shard(which), name(other));
                (Fault::Order(id, order), None)
            }
        };
        self.at(at, Event::Fault(begin));
        if let Some(over) = over {
            self.at(end, Event::Fault(over));
        }
    }

    /// All nodes run, and all wires stand.
    pub(super) fn all_is_well(&mut self) {
        self.note("*** all is well".to_owned());
        self.net.cut.clear();
        self.net.slow = 0;
        for id in self.nodes.keys().copied().collect::<Vec<_>>() {
            self.resume(id);
            self.start(id);
            self.rewire(id);
            if let Some(node) = self.nodes.get_mut(&id) {
                node.slow = 0;
            }
        }
    }
}
