//! `[edge]` Random faults, many seeds. What befalls is over again some time after, and several
//! things befall at once.

use super::nemesis::{Later, SHARDS, name, off};
use super::run::{Answer, Sim};
use crate::ids::{NodeId, ShardId};
use crate::log::Health;
use crate::order::Order;
use crate::view::NodePhase;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use std::time::Duration;

/// How long faults happen.
const FAULTS: Duration = Duration::from_secs(120);

/// Everything plays again so long after the last fault, at most. An election and a whole lease,
/// and for a move that fails then its deadline and two rounds more.
const RECOVERY: Duration = Duration::from_secs(30);

/// One run.
pub(super) struct Chaos {
    pub(super) rng: StdRng,
    pub(super) sim: Sim,
    later: Vec<(Duration, Later)>,
    /// Shards that were declared, with what was said to it.
    pub(super) asked: Vec<(ShardId, Answer)>,
    pub(super) declared: usize,
    pub(super) replaced: bool,
}

impl Chaos {
    fn new(seed: u64) -> Self {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut sim = Sim::new(seed);
        sim.found();
        for _ in 0..rng.random_range(2..5) {
            sim.join();
        }
        sim.declare(SHARDS);
        for node in sim.nodes() {
            sim.skew(node, off(&mut rng));
        }
        Self {
            rng,
            sim,
            later: Vec::new(),
            asked: Vec::new(),
            declared: 0,
            replaced: false,
        }
    }

    /// Faults for so long, a few or many.
    fn faults(&mut self, most: Duration) {
        let end = self.sim.now() + most;
        let pause_ms = self.rng.random_range(400..8_000);
        while self.sim.now() < end {
            let pause = Duration::from_millis(self.rng.random_range(50..pause_ms));
            self.run_for(pause);
            self.befall();
        }
        // Nor do they end one by one.
        for _ in 0..self.rng.random_range(0..8) {
            self.befall();
        }
        self.run_for(Duration::from_millis(500));
    }

    /// Time passes, and what was to happen in it happens.
    pub(super) fn run_for(&mut self, time: Duration) {
        let end = self.sim.now() + time;
        loop {
            self.later.sort_by_key(|(at, _)| *at);
            let first = self.later.first().map(|(at, _)| *at).filter(|at| *at < end);
            let now = self.sim.now();
            let Some(at) = first else {
                return self.sim.run_for(end.saturating_sub(now));
            };
            self.sim.run_for(at.saturating_sub(now));
            let (_, what) = self.later.remove(0);
            self.happens(what);
        }
    }

    pub(super) fn happens(&mut self, what: Later) {
        let soon = self.sim.now() + Duration::from_millis(700);
        match what {
            Later::Start(node) if self.sim.lives(node) => {}
            Later::Start(node) => self.start(node),
            Later::Resume(node) => self.sim.resume(node),
            Later::Cut(ways) => ways
                .iter()
                .for_each(|(from, to)| self.sim.net.cut(*from, *to)),
            Later::Mend(ways) => ways
                .iter()
                .for_each(|(from, to)| self.sim.net.mend(*from, *to)),
            Later::DiskWell(node) => self.sim.set_health(node, Health::Well),
            Later::QuickNet => self.sim.net.set_latency((200, 3_000)),
            Later::OnTime => self.sim.net.set_late(0),
            Later::Undrain(node) => {
                let drains = self.phase(node) == Some(NodePhase::Draining);
                if drains {
                    self.order(Order::Drain(name(node), false));
                    self.later.push((soon, Later::Undrain(node)));
                }
            }
            Later::Forget(node) if self.phase(node).is_some() => {
                self.order(Order::Forget(name(node)));
                self.later.push((soon, Later::Forget(node)));
            }
            Later::Forget(_) => self.later.push((soon, Later::Join)),
            Later::Join => match self.sim.try_join(3) {
                Some(node) => self.sim.skew(node, off(&mut self.rng)),
                None => self.later.push((soon, Later::Join)),
            },
        }
    }

    pub(super) fn start(&mut self, node: NodeId) {
        self.sim.restart(node);
        self.sim.skew(node, off(&mut self.rng));
    }

    /// How the log has it with a node.
    fn phase(&self, node: NodeId) -> Option<NodePhase> {
        let history = self.sim.stage.history();
        let view = history.newest().unwrap();
        view.nodes.get(&node).map(|node| node.phase)
    }

    pub(super) fn after(&mut self, time: Duration, what: Later) {
        self.later.push((self.sim.now() + time, what));
    }

    pub(super) fn node(&mut self) -> NodeId {
        *self.sim.nodes().choose(&mut self.rng).unwrap()
    }

    /// An order, given on any node.
    pub(super) fn order(&mut self, order: Order) -> Answer {
        let on = self.node();
        self.sim.order(on, order)
    }

    /// There are no faults any more, and what was an operator's wish is taken back.
    fn all_is_well(&mut self) {
        for (_, what) in std::mem::take(&mut self.later) {
            match what {
                Later::Forget(_) | Later::Join => self.after(Duration::ZERO, what),
                Later::Start(_) | Later::Resume(_) | Later::Cut(_) | Later::Mend(_) => {}
                Later::DiskWell(_) | Later::QuickNet | Later::OnTime | Later::Undrain(_) => {}
            }
        }
        self.sim.net.heal();
        self.sim.net.set_late(0);
        self.sim.net.set_latency((200, 3_000));
        for node in self.sim.nodes() {
            self.sim.resume(node);
            self.sim.set_health(node, Health::Well);
            self.sim.dies_at_snapshot.remove(&node);
            if !self.sim.lives(node) {
                self.sim.restart(node);
            }
            self.after(Duration::ZERO, Later::Undrain(node));
        }
    }

    /// How long until everything plays.
    fn recovers(&mut self) -> Duration {
        let began = self.sim.now();
        let lately = Duration::from_millis(200);
        // What acted before does not count.
        self.run_for(lately * 2);
        while !self.sim.all_known_act(lately) {
            let took = self.sim.now() - began;
            assert!(took < RECOVERY, "{:?}", self.what_stands_still(lately));
            self.run_for(Duration::from_millis(50));
        }
        self.sim.now() - began
    }

    fn what_stands_still(&self, lately: Duration) -> Vec<String> {
        let history = self.sim.stage.history();
        let view = history.newest().unwrap();
        let still = view.shards.iter().filter(|(shard, _)| {
            let last = history.last_act(shard);
            last.is_none_or(|last| last.at + lately < self.sim.now())
        });
        let still = still.map(|(shard, placement)| format!("{shard} {placement:?}"));
        let nodes = view.nodes.iter().map(|(id, node)| format!("{id} {node:?}"));
        still.chain(nodes).collect()
    }

    /// What was acknowledged is known to all, and whoever is to vote does.
    fn agrees(&mut self) {
        let asked = std::mem::take(&mut self.asked);
        let said = asked
            .into_iter()
            .filter(|(_, answer)| matches!(answer.take(), Some(Ok(_))));
        let acknowledged: Vec<ShardId> = said.map(|(shard, _)| shard).collect();
        let began = self.sim.now();
        loop {
            let known = self.sim.nodes().into_iter().all(|node| {
                let view = self.sim.view(node).unwrap_or_default();
                acknowledged
                    .iter()
                    .all(|shard| view.shards.contains_key(shard))
            });
            if known && self.sim.votes_are_settled() && self.later.is_empty() {
                return;
            }
            assert!(
                self.sim.now() - began < RECOVERY * 2,
                "acknowledged: {acknowledged:?} known: {known}, voters: {}, later: {:?}, {:#?}",
                self.sim.votes_are_settled(),
                self.later,
                self.sim.figures()
            );
            self.run_for(Duration::from_millis(500));
        }
    }
}

/// Tells the seed of a run that failed.
struct Tells(u64);

impl Drop for Tells {
    #[expect(
        clippy::print_stderr,
        reason = "a failed test says how to see it again"
    )]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("seed {}", self.0);
        }
    }
}

/// Faults for so long, then none; then everything must play again by itself. How long that
/// took, and what befell.
fn run(seed: u64, most: Duration) -> (Duration, Sim) {
    let _tells = Tells(seed);
    let mut chaos = Chaos::new(seed);
    chaos.faults(most);
    chaos.all_is_well();
    let took = chaos.recovers();
    chaos.agrees();
    (took, chaos.sim)
}

/// A few seeds; `BELAY_SIM_SEEDS=FROM..TO` for others, `BELAY_SIM_SEED=N` for one.
#[expect(clippy::print_stderr, reason = "what many runs came to")]
#[test]
fn chaos() {
    let mut took = Vec::new();
    let mut befell = std::collections::BTreeMap::new();
    let mut failed = Vec::new();
    for seed in super::run::seeds(0..6) {
        let Ok((recovery, sim)) = std::panic::catch_unwind(|| run(seed, FAULTS)) else {
            failed.push(seed);
            continue;
        };
        took.push(recovery);
        for (what, count) in &sim.befell {
            *befell.entry(*what).or_insert(0) += count;
        }
        let history = sim.stage.history();
        *befell.entry("leaderships").or_insert(0) += history.leaderships();
        *befell.entry("fenced writes").or_insert(0) += usize::try_from(history.fenced).unwrap();
    }
    took.sort();
    let of = |part: usize| took.get(took.len().saturating_sub(1) * part / 100).copied();
    eprintln!(
        "recovery {:?}, {:?}, {:?}: {befell:?}",
        of(50),
        of(95),
        of(100)
    );
    assert_eq!(
        failed,
        Vec::<u64>::new(),
        "these seeds failed, as told above"
    );
}

#[test]
fn the_same_seed_is_the_same_run() {
    let last = |seed| {
        let (took, sim) = run(seed, FAULTS / 4);
        let history = sim.stage.history();
        (took, history.newest().cloned(), history.leaderships())
    };
    assert_eq!(last(3), last(3));
    assert_ne!(last(3), last(4));
}
