//! `[edge]` Nodes under a simulated network: each with its own clock, its own disk in memory, and
//! all that a real node has but wires and a thread. One seed decides everything.

use super::checker::History;
use super::net::Net;
use super::node::{Alive, Disk};
use super::toy::{Stage, Toy};
use crate::command::ShardSpec;
use crate::handle::{Backend as _, OrderReply};
use crate::ids::{NodeId, ShardId};
use crate::limits::CLOCK_OFF_PERCENT;
use crate::log::Change;
use crate::member::{Event, JoinReply};
use crate::order::{Order, OrderError};
use crate::raft::RaftFigures;
use crate::view::View;
use crate::wire::JoinAnswer;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A step of the real time.
const STEP: Duration = Duration::from_millis(10);

/// A cluster under simulation.
pub(super) struct Sim {
    seed: u64,
    pub(super) net: Net,
    pub(super) stage: Stage,
    pub(super) rng: StdRng,
    pub(super) disks: BTreeMap<NodeId, Disk>,
    pub(super) alive: BTreeMap<NodeId, Alive>,
    /// A node that asks to join, and is not told yet that it has.
    joining: Option<Disk>,
    /// Members that were destroyed, with their disks.
    pub(super) gone: BTreeSet<NodeId>,
    /// Whose disk was full in this life.
    pub(super) refused: BTreeSet<NodeId>,
    /// Who dies while it writes a snapshot.
    pub(super) dies_at_snapshot: BTreeSet<NodeId>,
    /// What befell, and how often.
    pub(super) befell: BTreeMap<&'static str, usize>,
    now: Duration,
}

impl Sim {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            seed,
            net: Net::new(seed),
            stage: Stage::new(),
            rng: StdRng::seed_from_u64(seed.rotate_left(17)),
            disks: BTreeMap::new(),
            alive: BTreeMap::new(),
            joining: None,
            gone: BTreeSet::new(),
            refused: BTreeSet::new(),
            dies_at_snapshot: BTreeSet::new(),
            befell: BTreeMap::new(),
            now: Duration::ZERO,
        }
    }

    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    /// The real time.
    pub(super) fn now(&self) -> Duration {
        self.now
    }

    /// Founds the cluster on node 1.
    pub(super) fn found(&mut self) {
        let disk = Disk::new(NodeId(1));
        self.disks.insert(NodeId(1), disk.clone());
        self.begin(NodeId(1), Some("sim"));
        let founded = self.run_until(Duration::from_secs(5), |sim| {
            sim.view(NodeId(1))
                .is_some_and(|view| view.cluster == "sim")
        });
        assert!(founded, "seed {}: the cluster is not founded", self.seed);
    }

    /// The next node joins; returns its number.
    pub(super) fn join(&mut self) -> NodeId {
        let joined = self.try_join(100);
        joined.unwrap_or_else(|| panic!("seed {}: a node cannot join", self.seed))
    }

    /// As [`Sim::join`], but may give up; the same node goes on asking with the next call.
    pub(super) fn try_join(&mut self, tries: usize) -> Option<NodeId> {
        let expected = NodeId(u16::try_from(self.disks.len()).unwrap() + 1);
        let disk = self.joining.take().unwrap_or_else(|| Disk::new(expected));
        for _ in 0..tries {
            let answer: Arc<Mutex<Option<JoinAnswer>>> = Arc::default();
            let leader = self.leader();
            if let Some(alive) = leader.and_then(|leader| self.alive.get(&leader)) {
                let to = answer.clone();
                let reply = JoinReply::new(move |said| *to.lock().unwrap() = Some(said));
                drop(
                    alive
                        .driver
                        .try_send(Event::Join(disk.candidate(expected), reply)),
                );
            }
            self.run_for(Duration::from_millis(300));
            let said = answer.lock().unwrap().take();
            if let Some(JoinAnswer::Joined {
                number, members, ..
            }) = said
            {
                assert_eq!(number, expected);
                *disk.members.lock().unwrap() = members;
                self.disks.insert(number, disk);
                self.begin(number, None);
                return Some(number);
            }
        }
        self.joining = Some(disk);
        None
    }

    pub(super) fn begin(&mut self, me: NodeId, founds: Option<&str>) {
        let disk = self.disks.get(&me).unwrap();
        let alive = Alive::begin(me, disk, &self.net, &self.stage, (self.seed, founds));
        self.alive.insert(me, alive);
    }

    pub(super) fn lives(&self, node: NodeId) -> bool {
        self.alive.contains_key(&node)
    }

    /// All members that were not destroyed.
    pub(super) fn nodes(&self) -> Vec<NodeId> {
        let nodes = self.disks.keys().copied();
        nodes.filter(|node| !self.gone.contains(node)).collect()
    }

    pub(super) fn toy(&self, node: NodeId) -> Option<&Toy> {
        self.alive.get(&node).map(|alive| &*alive.toy)
    }

    /// What a node knows.
    pub(super) fn view(&self, node: NodeId) -> Option<Arc<View>> {
        self.alive.get(&node).map(|alive| alive.shared.view())
    }

    /// A node that leads, as it and raft believe.
    pub(super) fn leader(&self) -> Option<NodeId> {
        let mut nodes = self.alive.iter();
        nodes
            .find(|(node, alive)| {
                let raft = alive.shared.raft();
                alive.paused.is_none()
                    && raft.is_some_and(|raft| raft.figures().leader == Some(**node))
            })
            .map(|(node, _)| *node)
    }

    /// The term that a node is in.
    pub(super) fn term(&self, node: NodeId) -> u64 {
        let raft = self.alive.get(&node).and_then(|alive| alive.shared.raft());
        raft.map_or(0, |raft| raft.figures().term)
    }

    /// Gives an order on a node; the answer comes later.
    pub(super) fn order(&self, node: NodeId, order: Order) -> Answer {
        let answer = Answer::default();
        let to = answer.clone();
        let reply: OrderReply = Box::new(move |said| *to.0.lock().unwrap() = Some(said));
        if let Some(alive) = self.alive.get(&node) {
            alive.shared.order(order, reply);
        }
        answer
    }

    /// These shards exist from now on.
    pub(super) fn declare(&mut self, count: usize) {
        let specs = (0..count).map(|number| ShardSpec {
            shard: shard(number),
            weight: 1,
        });
        let order = Order::Declare(specs.collect());
        for _ in 0..40 {
            let answer = self.order(NodeId(1), order.clone());
            self.run_for(Duration::from_millis(500));
            if matches!(answer.take(), Some(Ok(_))) {
                return;
            }
        }
        panic!("seed {}: shards cannot be declared", self.seed);
    }

    pub(super) fn run_for(&mut self, time: Duration) {
        self.run_until(time, |_| false);
    }

    /// Runs until this holds, at most so long; whether it came to hold.
    pub(super) fn run_until(&mut self, most: Duration, holds: impl Fn(&Self) -> bool) -> bool {
        let end = self.now + most;
        while self.now < end {
            if holds(self) {
                return true;
            }
            self.step();
        }
        holds(self)
    }

    fn step(&mut self) {
        self.now += STEP;
        *self
            .stage
            .now
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = self.now;
        self.net.advance(self.now);
        let mut ended = Vec::new();
        for (node, alive) in &mut self.alive {
            let step = scaled(STEP, alive.skew);
            if let Some(missed) = &mut alive.paused {
                *missed += step;
                continue;
            }
            let disk = self.disks.get(node).unwrap();
            disk.store.advance(self.now);
            for inbound in self.net.arrived(*node) {
                alive.take(inbound);
            }
            let now = alive.runtime.block_on(async {
                tokio::time::sleep_until(tokio::time::Instant::now() + step).await;
                tokio::time::Instant::now().into_std()
            });
            alive.toy.act(now);
            let goes_on = disk.turn(self.now, &alive.driver);
            if !goes_on || alive.driver.is_closed() {
                ended.push(*node);
            }
        }
        self.bury(ended);
        self.look_who_leads();
        let history = self.stage.history();
        assert!(
            history.fault().is_none(),
            "seed {} at {:?}: {}",
            self.seed,
            self.now,
            history.fault().unwrap_or_default()
        );
    }

    /// A node that ended itself is dead. It may do so if its disk failed, or if it is no member.
    fn bury(&mut self, ended: Vec<NodeId>) {
        for node in ended {
            let may = self.refused.contains(&node) || self.gone.contains(&node);
            if !may {
                let what = format!("{node} ended itself");
                self.stage.history().fail(what);
            }
            self.befalls("ended itself");
            self.kill(node);
        }
        let store = |sim: &Self, node| sim.disks.get(node).unwrap().store.clone();
        let snapshot = |change: &Change| matches!(change, Change::Snapshot(_));
        let dying: Vec<NodeId> = self
            .dies_at_snapshot
            .iter()
            .filter(|node| self.lives(**node) && store(self, node).is_writing(snapshot))
            .copied()
            .collect();
        for node in dying {
            self.befalls("died at a snapshot");
            self.kill(node);
        }
    }

    /// Every tenth of a second.
    fn look_who_leads(&mut self) {
        if !self.now.as_millis().is_multiple_of(100) {
            return;
        }
        for (node, alive) in &self.alive {
            let Some(raft) = alive.shared.raft().filter(|_| alive.paused.is_none()) else {
                continue;
            };
            let now = alive.now();
            if let Some(at) = raft.quorum(now) {
                // As long ago as the slowest clock may make of it.
                let ago = now.saturating_duration_since(at) * 100 / (100 - CLOCK_OFF_PERCENT);
                let stood = self.now.saturating_sub(ago);
                let term = raft.figures().term;
                self.stage.history().leads((term, *node), stood, self.now);
            }
        }
    }

    pub(super) fn befalls(&mut self, what: &'static str) {
        *self.befell.entry(what).or_default() += 1;
    }

    /// How raft does on each node that lives.
    pub(super) fn figures(&self) -> BTreeMap<NodeId, Option<RaftFigures>> {
        let figures = |alive: &Alive| alive.shared.raft().map(|raft| raft.figures());
        let alive = self.alive.iter();
        alive.map(|(node, alive)| (*node, figures(alive))).collect()
    }

    /// Whether the voters are those that the log's members call for, and raft knows no others.
    pub(super) fn votes_are_settled(&self) -> bool {
        let Some(leader) = self.leader() else {
            return false;
        };
        let alive = self.alive.get(&leader).unwrap();
        let figures = alive.shared.raft().map(|raft| raft.figures());
        let (figures, view) = (figures.unwrap_or_default(), alive.shared.view());
        let raft: BTreeSet<NodeId> = figures.voters.union(&figures.learners).copied().collect();
        crate::plan::voters::voters(&view, &figures.voters) == figures.voters
            && raft == view.nodes.keys().copied().collect()
    }

    /// Whether every shard that is known acts on a node that lives.
    pub(super) fn all_known_act(&self, within: Duration) -> bool {
        let history = self.stage.history();
        let view = history.newest().unwrap().clone();
        let mut shards = view.shards.keys();
        shards.all(|shard| acts(&history, shard, self.now, within))
    }

    /// Whether every shard acts on a node that lives.
    pub(super) fn all_act(&self, shards: usize, within: Duration) -> bool {
        let history = self.stage.history();
        (0..shards).all(|number| acts(&history, &shard(number), self.now, within))
    }
}

fn acts(history: &History, shard: &ShardId, now: Duration, within: Duration) -> bool {
    let last = history.last_act(shard);
    last.is_some_and(|act| now.saturating_sub(act.at) <= within)
}

/// The shard of this number.
pub(super) fn shard(number: usize) -> ShardId {
    ShardId::new(&format!("zone:z{number}"))
}

fn scaled(time: Duration, permille: i32) -> Duration {
    let per = u32::try_from(1_000 + permille).unwrap_or(1_000);
    time * per / 1_000
}

/// An answer that comes later.
#[derive(Clone, Default)]
pub(super) struct Answer(Arc<Mutex<Option<Result<String, OrderError>>>>);

impl Answer {
    pub(super) fn take(&self) -> Option<Result<String, OrderError>> {
        self.0.lock().unwrap().take()
    }
}

/// The seeds to run: those given in the environment, else these.
#[expect(clippy::disallowed_methods, reason = "how a failure is replayed")]
pub(super) fn seeds(few: std::ops::Range<u64>) -> std::ops::Range<u64> {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let one = std::env::var("BELAY_SIM_SEED").ok();
    if let Some(seed) = one.as_deref().and_then(number) {
        return seed..seed + 1;
    }
    let many = std::env::var("BELAY_SIM_SEEDS").ok();
    let range = many.as_deref().and_then(|text| {
        let (from, to) = text.split_once("..")?;
        Some(number(from)?..number(to)?)
    });
    range.unwrap_or(few)
}
