//! `[pure]` A world to plan in.

use crate::command::{Candidate, Command, Outcome, ShardSpec};
use crate::ids::{ContentHash, DirectoryMark, Epoch, Incarnation, NodeId, NodeName, ShardId};
use crate::limits::{LEASE, LEASE_EVERY};
use crate::plan::observed::Observed;
use crate::plan::round::{Round, plan};
use crate::report::ShardReport;
use crate::state::machine::ClusterState;
use crate::view::{NodePhase, Placement, View};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One log, one leader's eyes, and nodes.
pub(super) struct World {
    pub(super) state: ClusterState,
    pub(super) observed: Observed,
    pub(super) round: Round,
    pub(super) now: Instant,
    pub(super) nodes: BTreeMap<u16, Node>,
    /// What shards weigh, if it is not what they were declared to.
    pub(super) weights: BTreeMap<ShardId, u32>,
    pub(super) busy: BTreeSet<ShardId>,
    /// Shards that do not tick: on this node, or on any.
    pub(super) silent: BTreeSet<(ShardId, Option<u16>)>,
    /// All that was accepted.
    pub(super) done: Vec<Command>,
}

/// A node, as it really is.
pub(super) struct Node {
    pub(super) life: u32,
    pub(super) alive: bool,
    /// It does not apply what is committed.
    pub(super) lags: bool,
    pub(super) view: Arc<View>,
    /// When the leader heard of it last.
    heard: Instant,
}

impl World {
    /// Nodes 1 to `count` are up and were heard of.
    #[expect(clippy::disallowed_methods, reason = "any moment will do")]
    pub(super) fn new(count: u16) -> Self {
        let mut world = Self {
            state: ClusterState::new(),
            observed: Observed::new(),
            round: Round::closed(),
            now: Instant::now(),
            nodes: BTreeMap::new(),
            weights: BTreeMap::new(),
            busy: BTreeSet::new(),
            silent: BTreeSet::new(),
            done: Vec::new(),
        };
        for n in 1..=count {
            world.join(n);
        }
        world.beat();
        world
    }

    /// Shards of these names and weights exist.
    pub(super) fn declare(&mut self, shards: &[(&str, u32)]) {
        let spec = |(shard, weight): &(&str, u32)| ShardSpec {
            shard: ShardId::new(shard),
            weight: *weight,
        };
        let specs = shards.iter().map(spec).collect();
        assert_eq!(self.apply(Command::Declare(specs)), Outcome::Done);
    }

    /// Equal shards `z00`, `z01` and so on exist.
    pub(super) fn declare_equal(&mut self, count: usize) {
        let names: Vec<String> = (0..count).map(|n| format!("z{n:02}")).collect();
        let shards: Vec<_> = names.iter().map(|name| (name.as_str(), 1)).collect();
        self.declare(&shards);
    }

    pub(super) fn join(&mut self, n: u16) {
        let who = Candidate {
            name: NodeName::new(&format!("n{n}")).unwrap(),
            mark: DirectoryMark([u8::try_from(n).unwrap(); 16]),
            incarnation: Incarnation(1),
            address: String::new(),
            content: ContentHash([0; 32]),
        };
        let outcome = self.apply(if n == 1 {
            let cluster = "world".into();
            Command::Found {
                cluster,
                first: who,
            }
        } else {
            Command::Join(who)
        });
        assert_eq!(outcome, Outcome::Joined(NodeId(n)));
        let node = Node {
            life: 0,
            alive: false,
            lags: false,
            view: Arc::default(),
            heard: self.now,
        };
        self.nodes.insert(n, node);
        self.start(n);
    }

    /// The node's process begins (again), and the leader sees a new life.
    pub(super) fn start(&mut self, n: u16) {
        let node = self.nodes.get_mut(&n).unwrap();
        node.life += 1;
        node.alive = true;
        node.heard = self.now;
        let up = Command::Up {
            node: NodeId(n),
            incarnation: Incarnation(node.life),
            address: String::new(),
        };
        assert_eq!(self.apply(up), Outcome::Done);
    }

    pub(super) fn kill(&mut self, n: u16) {
        self.nodes.get_mut(&n).unwrap().alive = false;
    }

    /// The node is dead, and given up.
    pub(super) fn expire(&mut self, n: u16) {
        self.kill(n);
        let expire = Command::Expire {
            node: NodeId(n),
            incarnation: Incarnation(self.nodes[&n].life),
        };
        assert_eq!(self.apply(expire), Outcome::Done);
    }

    pub(super) fn drain(&mut self, n: u16, on: bool) -> Outcome {
        let node = NodeId(n);
        self.apply(Command::Drain { node, on })
    }

    /// One command is committed, and the leader sees it.
    pub(super) fn apply(&mut self, command: Command) -> Outcome {
        let outcome = self.commit(command);
        self.follow();
        outcome
    }

    fn commit(&mut self, command: Command) -> Outcome {
        let index = self.view().applied + 1;
        let outcome = self.state.apply(index, &command);
        if !matches!(outcome, Outcome::Refused(_)) {
            self.done.push(command);
        }
        outcome
    }

    /// Another leader, that has seen nothing yet.
    pub(super) fn elect(&mut self) {
        self.observed = Observed::new();
        self.follow();
    }

    fn follow(&mut self) {
        self.observed.follow(&self.view(), self.now);
    }

    /// Half a second passes: nodes that live apply, renew and report; those that were not heard
    /// of for their whole lease are given up.
    pub(super) fn beat(&mut self) {
        self.now += LEASE_EVERY;
        let view = self.view();
        let alive: Vec<u16> = self.nodes.keys().copied().collect();
        for n in alive {
            let node = self.nodes.get_mut(&n).unwrap();
            let life = Incarnation(node.life);
            if node.alive {
                if !node.lags {
                    node.view = Arc::clone(&view);
                }
                node.heard = self.now;
                let applied = node.view.applied;
                let reports = self.reports(n);
                self.observed.renewed(NodeId(n), life, applied, self.now);
                self.observed.reported(NodeId(n), &reports, self.now);
            } else if self.now > node.heard + LEASE + LEASE_EVERY {
                let node = NodeId(n);
                self.apply(Command::Expire {
                    node,
                    incarnation: life,
                });
            }
        }
    }

    /// What the node says of the shards that it believes its own.
    fn reports(&self, n: u16) -> Vec<ShardReport> {
        let shards = self.nodes[&n].view.shards.iter();
        let ticks = |shard: &ShardId| {
            let here = self.silent.contains(&(shard.clone(), Some(n)));
            !here && !self.silent.contains(&(shard.clone(), None))
        };
        let report = |(shard, placement): (&ShardId, &Placement)| {
            let (owner, epoch) = placement.owner()?;
            let runs = owner == NodeId(n) && ticks(shard);
            let declared = || self.state.view().weights[shard];
            runs.then(|| ShardReport {
                shard: shard.clone(),
                epoch,
                ticked_ms_ago: 100,
                weight: self.weights.get(shard).copied().unwrap_or_else(declared),
                busy: self.busy.contains(shard),
            })
        };
        shards.filter_map(report).collect()
    }

    pub(super) fn beats(&mut self, time: Duration) {
        let until = self.now + time;
        while self.now < until {
            self.beat();
        }
    }

    /// What the leader would commit now.
    pub(super) fn plan(&mut self) -> Vec<Command> {
        let view = self.view();
        plan(&view, &self.observed, self.now, &mut self.round)
    }

    /// The leader plans and commits.
    pub(super) fn think(&mut self) -> Vec<Command> {
        let commands = self.plan();
        for command in &commands {
            let outcome = self.commit(command.clone());
            assert!(
                !matches!(outcome, Outcome::Refused(_)),
                "{command:?}: {outcome:?}"
            );
        }
        self.follow();
        commands
    }

    pub(super) fn finish_moves(&mut self) {
        for (shard, placement) in &self.view().shards {
            if let Placement::Moving { moving, .. } = *placement {
                let shard = shard.clone();
                self.apply(Command::FinishMove { shard, moving });
            }
        }
    }

    /// Time passes and moves succeed until there is nothing to do and all has been still for the
    /// longest patience there is. How many commands it took.
    #[track_caller]
    pub(super) fn settle(&mut self) -> Vec<Command> {
        self.settle_for(24)
    }

    /// The same, where nothing fails and so nothing rests: this many quiet beats are enough.
    #[track_caller]
    pub(super) fn settle_for(&mut self, beats: u32) -> Vec<Command> {
        let mut all = Vec::new();
        let mut still = 0;
        for _ in 0..2_000 {
            let commands = self.think();
            still = if commands.is_empty() { still + 1 } else { 0 };
            if still > beats {
                return all;
            }
            all.extend(commands);
            self.finish_moves();
            self.beat();
        }
        panic!("no end of planning: {:?}", &all[all.len() - 20..]);
    }

    pub(super) fn view(&self) -> Arc<View> {
        self.state.view()
    }

    pub(super) fn owner(&self, shard: &str) -> Option<u16> {
        let owner = self.view().owner(&ShardId::new(shard));
        owner.map(|(node, _)| node.0)
    }

    pub(super) fn epoch(&self, shard: &str) -> Epoch {
        let owner = self.view().owner(&ShardId::new(shard));
        owner.map_or(Epoch(0), |(_, epoch)| epoch)
    }

    pub(super) fn owned(&self, n: u16) -> Vec<ShardId> {
        let view = self.view();
        let mine = view.shards.iter().filter(|(_, placement)| {
            let owner = placement.owner();
            owner.is_some_and(|(node, _)| node == NodeId(n))
        });
        mine.map(|(shard, _)| shard.clone()).collect()
    }

    /// What each node that is up carries.
    pub(super) fn loads(&self) -> BTreeMap<u16, u64> {
        let view = self.view();
        let up = view.nodes.iter();
        let up = up.filter(|(_, node)| node.phase == NodePhase::Up);
        let load = |n: u16| {
            let shards = self.owned(n);
            let weights = shards.iter().map(|shard| {
                let weight = self.weights.get(shard);
                u64::from(*weight.unwrap_or(&view.weights[shard]))
            });
            weights.sum()
        };
        up.map(|(id, _)| (id.0, load(id.0))).collect()
    }

    /// The fullest node's load over the average, in percent.
    pub(super) fn fullest(&self) -> u64 {
        let loads = self.loads();
        let total: u64 = loads.values().sum();
        let count = loads.len() as u64;
        loads.values().max().unwrap() * count * 100 / total
    }
}

/// What a command is, and about which shard.
pub(super) fn brief(commands: &[Command]) -> Vec<String> {
    let brief = |command: &Command| match command {
        Command::Place { shard, to, .. } => format!("place {shard} {to}"),
        Command::Restart { shard, .. } => format!("restart {shard}"),
        Command::Release { shard, .. } => format!("release {shard}"),
        Command::BeginMove { shard, to, .. } => format!("move {shard} {to}"),
        Command::AbortMove { shard, .. } => format!("abort {shard}"),
        Command::FinishMove { .. }
        | Command::Found { .. }
        | Command::FoundIn { .. }
        | Command::Retire { .. }
        | Command::Join(_)
        | Command::Up { .. }
        | Command::Expire { .. }
        | Command::Drain { .. }
        | Command::Forget { .. }
        | Command::Declare(_)
        | Command::Content(_) => format!("{command:?}"),
    };
    commands.iter().map(brief).collect()
}
