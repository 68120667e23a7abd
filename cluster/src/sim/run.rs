//! `[edge]` Nodes under a simulated network: each with its own clock, its own disk in memory, and
//! all that a real node has but wires and a thread. One seed decides everything.

use super::checker::History;
use super::net::Net;
use super::node::{Alive, Disk};
use super::toy::{Stage, Toy};
use crate::command::ShardSpec;
use crate::handle::{Backend as _, OrderReply};
use crate::ids::{NodeId, ShardId};
use crate::member::{Event, JoinReply};
use crate::order::{Order, OrderError};
use crate::view::View;
use crate::wire::JoinAnswer;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A step of the real time.
const STEP: Duration = Duration::from_millis(10);

/// A cluster under simulation.
pub(super) struct Sim {
    seed: u64,
    pub(super) net: Net,
    pub(super) stage: Stage,
    disks: BTreeMap<NodeId, Disk>,
    alive: BTreeMap<NodeId, Alive>,
    now: Duration,
}

impl Sim {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            seed,
            net: Net::new(seed),
            stage: Stage::new(),
            disks: BTreeMap::new(),
            alive: BTreeMap::new(),
            now: Duration::ZERO,
        }
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
        let expected = NodeId(u16::try_from(self.disks.len()).unwrap() + 1);
        let disk = Disk::new(expected);
        for _ in 0..100 {
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
                return number;
            }
        }
        panic!("seed {}: a node cannot join", self.seed);
    }

    fn begin(&mut self, me: NodeId, founds: Option<&str>) {
        let disk = self.disks.get_mut(&me).unwrap();
        disk.log = disk.log.restarted();
        let alive = Alive::begin(me, disk, &self.net, &self.stage, (self.seed, founds));
        self.alive.insert(me, alive);
    }

    /// The node's process dies; its disk stays.
    pub(super) fn kill(&mut self, node: NodeId) {
        self.net.detach(node);
        self.alive.remove(&node);
    }

    /// It starts again on its disk.
    pub(super) fn restart(&mut self, node: NodeId) {
        self.kill(node);
        self.begin(node, None);
    }

    /// The process stands still (SIGSTOP).
    pub(super) fn pause(&mut self, node: NodeId) {
        if let Some(alive) = self.alive.get_mut(&node) {
            alive.paused.get_or_insert(Duration::ZERO);
        }
    }

    /// It goes on (SIGCONT), and finds out what time it is.
    pub(super) fn resume(&mut self, node: NodeId) {
        if let Some(alive) = self.alive.get_mut(&node)
            && let Some(missed) = alive.paused.take()
        {
            alive.runtime.block_on(tokio::time::advance(missed));
        }
    }

    /// The node's clock runs so much faster, in permille.
    pub(super) fn skew(&mut self, node: NodeId, permille: i32) {
        if let Some(alive) = self.alive.get_mut(&node) {
            alive.skew = permille;
        }
    }

    pub(super) fn lives(&self, node: NodeId) -> bool {
        self.alive.contains_key(&node)
    }

    pub(super) fn nodes(&self) -> Vec<NodeId> {
        self.disks.keys().copied().collect()
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
        for (node, alive) in &mut self.alive {
            let step = scaled(STEP, alive.skew);
            if let Some(missed) = &mut alive.paused {
                *missed += step;
                continue;
            }
            for inbound in self.net.arrived(*node) {
                alive.take(inbound);
            }
            let now = alive.runtime.block_on(async {
                tokio::time::sleep_until(tokio::time::Instant::now() + step).await;
                tokio::time::Instant::now().into_std()
            });
            alive.toy.act(now);
        }
        let history = self.stage.history();
        assert!(
            history.fault().is_none(),
            "seed {} at {:?}: {}",
            self.seed,
            self.now,
            history.fault().unwrap_or_default()
        );
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
