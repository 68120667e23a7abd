//! `[edge]` What befalls a cluster at random.

use super::chaos::Chaos;
use super::run::{Sim, shard};
use crate::command::ShardSpec;
use crate::ids::{NodeId, NodeName, ShardId};
use crate::log::Health;
use crate::order::Order;
use rand::RngExt as _;
use rand::rngs::StdRng;
use std::time::Duration;

/// Shards at first.
pub(super) const SHARDS: usize = 10;

/// Nodes at once, at most.
const NODES: usize = 6;

/// A direction between two nodes.
pub(super) type Way = (NodeId, NodeId);

/// What happens later.
#[derive(Clone, Debug)]
pub(super) enum Later {
    Start(NodeId),
    Resume(NodeId),
    Cut(Vec<Way>),
    Mend(Vec<Way>),
    DiskWell(NodeId),
    QuickNet,
    OnTime,
    Undrain(NodeId),
    /// Until it is no member any more; then another comes in its place.
    Forget(NodeId),
    Join,
}

impl Chaos {
    /// Both ways between each of the one and each of the other.
    fn ways(one: &[NodeId], other: &[NodeId]) -> Vec<Way> {
        let pairs = one.iter().flat_map(|a| other.iter().map(|b| (*a, *b)));
        let apart = pairs.filter(|(a, b)| a != b);
        apart.flat_map(|(a, b)| [(a, b), (b, a)]).collect()
    }

    /// Nothing passes there for so long.
    fn part(&mut self, ways: Vec<Way>, lasts: Duration) {
        self.happens(Later::Cut(ways.clone()));
        self.after(lasts, Later::Mend(ways));
    }

    /// What goes wrong next.
    pub(super) fn befall(&mut self) {
        let lasts = Duration::from_millis(match self.rng.random_range(0..3) {
            0 => self.rng.random_range(20..600),
            1 => self.rng.random_range(600..4_000),
            _ => self.rng.random_range(4_000..12_000),
        });
        let one = self.node();
        match self.rng.random_range(0..30) {
            0..6 => self.process(one, lasts),
            6..14 => self.wires(one, lasts),
            14..17 => self.clock(one, lasts),
            17..22 => self.disk(one, lasts),
            22 => self.replace(one),
            23 if self.sim.nodes().len() < NODES => self.after(Duration::ZERO, Later::Join),
            24 => {
                let number = self.rng.random_range(0..SHARDS);
                if let Some(toy) = self.sim.toy(one) {
                    toy.wedge(&shard(number));
                }
            }
            _ => self.orders(one, lasts),
        }
    }

    fn process(&mut self, one: NodeId, lasts: Duration) {
        let leader = self.sim.leader();
        match self.rng.random_range(0..7) {
            0 | 1 => {
                self.sim.befalls("killed");
                self.sim.kill(one);
                self.after(lasts, Later::Start(one));
            }
            2 => {
                let Some(leader) = leader else { return };
                self.sim.befalls("killed leader");
                self.sim.kill(leader);
                self.after(lasts, Later::Start(leader));
            }
            3 => {
                self.sim.befalls("killed all");
                for node in self.sim.nodes() {
                    self.sim.kill(node);
                    let more = Duration::from_millis(self.rng.random_range(0..1_500));
                    self.after(lasts + more, Later::Start(node));
                }
            }
            4 => {
                self.sim.befalls("restarted");
                self.start(one);
            }
            _ => {
                self.sim.befalls("stopped");
                self.sim.pause(one);
                self.after(lasts, Later::Resume(one));
            }
        }
    }

    fn wires(&mut self, one: NodeId, lasts: Duration) {
        let (nodes, other) = (self.sim.nodes(), self.node());
        match self.rng.random_range(0..9) {
            0 => {
                self.sim.befalls("cut off");
                self.part(Self::ways(&[one], &nodes), lasts);
            }
            1 => {
                self.sim.befalls("cut");
                self.part(Self::ways(&[one], &[other]), lasts);
            }
            2 => {
                self.sim.befalls("cut one way");
                self.part(vec![(one, other)], lasts);
            }
            3 => {
                let deaf = nodes.iter().map(|node| (*node, one)).collect();
                self.sim.befalls("deaf");
                self.part(deaf, lasts);
            }
            4 => {
                let Some(leader) = self.sim.leader() else {
                    return;
                };
                self.sim.befalls("leader cut off");
                self.part(Self::ways(&[leader], &nodes), lasts);
            }
            5 => {
                // Two sides, and one node that both reach.
                let (left, right) = nodes.split_at(nodes.len() / 2);
                let right: Vec<_> = right.iter().copied().filter(|node| *node != one).collect();
                let left: Vec<_> = left.iter().copied().filter(|node| *node != one).collect();
                self.sim.befalls("bridge");
                self.part(Self::ways(&left, &right), lasts);
            }
            6 => {
                self.sim.befalls("flaps");
                let ways = Self::ways(&[one], &[other]);
                for second in 0..6 {
                    let what = if second % 2 == 0 {
                        Later::Cut
                    } else {
                        Later::Mend
                    };
                    self.after(Duration::from_secs(second), what(ways.clone()));
                }
            }
            7 => {
                self.sim.befalls("slow net");
                let most = self.rng.random_range(1_000..120_000);
                self.sim.net.set_latency((200, most));
                self.after(lasts, Later::QuickNet);
            }
            _ => {
                self.sim.befalls("late duplicates");
                self.sim.net.set_late(self.rng.random_range(5..200));
                self.after(lasts, Later::OnTime);
            }
        }
    }

    fn clock(&mut self, one: NodeId, lasts: Duration) {
        match self.rng.random_range(0..3) {
            0 => {
                self.sim.befalls("another pace");
                self.sim.skew(one, off(&mut self.rng));
            }
            1 => {
                self.sim.befalls("clock jumped");
                let by = Duration::from_millis(self.rng.random_range(1_500..30_000));
                self.sim.jump(one, by);
            }
            _ => {
                self.sim.befalls("slept");
                self.sim.sleep(one);
                self.after(lasts, Later::Resume(one));
            }
        }
    }

    fn disk(&mut self, one: NodeId, lasts: Duration) {
        let takes = Duration::from_millis(match self.rng.random_range(0..2) {
            0 => self.rng.random_range(5..300),
            _ => self.rng.random_range(300..4_000),
        });
        match self.rng.random_range(0..5) {
            0 | 1 => {
                self.sim.befalls("slow disk");
                self.sim.set_health(one, Health::Slow(takes));
                self.after(lasts, Later::DiskWell(one));
            }
            2 => {
                self.sim.befalls("full disk");
                self.sim.set_health(one, Health::Full);
                self.after(lasts, Later::DiskWell(one));
                self.after(lasts, Later::Start(one));
            }
            _ => {
                self.sim.set_health(one, Health::Slow(takes));
                self.sim.dies_at_snapshot.insert(one);
                self.after(lasts, Later::Start(one));
                self.after(lasts, Later::DiskWell(one));
            }
        }
    }

    /// A node is lost for good while a shard moves to it, and another comes in its place. Once in
    /// a run: of those that vote no majority may be lost for good.
    fn replace(&mut self, one: NodeId) {
        let votes = |sim: &Sim| sim.votes_are_settled() && sim.nodes().len() > 2;
        if self.replaced || !votes(&self.sim) {
            return;
        }
        self.replaced = true;
        self.sim.befalls("replaced under a move");
        for number in 0..SHARDS {
            self.order(Order::Move(shard(number), name(one)));
        }
        self.run_for(Duration::from_millis(20));
        self.sim.destroy(one);
        self.happens(Later::Forget(one));
    }

    fn orders(&mut self, one: NodeId, lasts: Duration) {
        match self.rng.random_range(0..6) {
            0 => {
                self.order(Order::Drain(name(one), true));
                self.after(lasts, Later::Undrain(one));
            }
            1 => drop(self.order(Order::Rebalance)),
            2 | 3 => {
                let number = self.rng.random_range(0..SHARDS);
                self.order(Order::Move(shard(number), name(one)));
            }
            _ => {
                let shard = ShardId::new(&format!("zone:more{}", self.declared));
                self.declared += 1;
                let spec = ShardSpec {
                    shard: shard.clone(),
                    weight: 1,
                };
                let answer = self.order(Order::Declare(vec![spec]));
                self.asked.push((shard, answer));
            }
        }
    }
}

pub(super) fn name(node: NodeId) -> NodeName {
    NodeName::new(&format!("n{}", node.0)).unwrap()
}

/// How far a clock is off, in permille: often as far as it may be.
pub(super) fn off(rng: &mut StdRng) -> i32 {
    rng.random_range(-150_i32..=150).clamp(-100, 100)
}
