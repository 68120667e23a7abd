//! `[pure]` Hosts of the simulation: a shard is a number that counts how often it acted. What must
//! never be is looked for here.

use super::world::{Event, World};
use super::{ms, shard};
use crate::duty::HostCall;
use crate::duty::io::Input;
use crate::ids::{Epoch, NodeId, ShardId};
use crate::lease::Fence;
use crate::report::ShardReport;
use bytes::Bytes;
use rand::RngExt as _;
use std::collections::BTreeMap;
use std::time::Instant;

/// The shards of a node.
pub(super) struct SimHost {
    /// What it says of the weight of each shard.
    pub(super) weight: u32,
    pub(super) shards: BTreeMap<ShardId, Running>,
    pub(super) built: BTreeMap<ShardId, (Epoch, u64)>,
    pub(super) suspended: bool,
}

pub(super) struct Running {
    pub(super) fence: Fence,
    pub(super) frozen: bool,
    /// It does nothing, and says so.
    pub(super) hung: bool,
    pub(super) value: u64,
    ticked: Instant,
}

impl Default for SimHost {
    fn default() -> Self {
        Self {
            weight: 100,
            shards: BTreeMap::new(),
            built: BTreeMap::new(),
            suspended: false,
        }
    }
}

impl SimHost {
    pub(super) fn report(&self, now: Instant) -> Vec<ShardReport> {
        let shards = self.shards.iter().map(|(shard, running)| {
            let ago = now.saturating_duration_since(running.ticked).as_millis();
            ShardReport {
                shard: shard.clone(),
                epoch: running.fence.epoch(),
                ticked_ms_ago: u32::try_from(ago).unwrap_or(u32::MAX),
                weight: self.weight,
                busy: false,
            }
        });
        shards.collect()
    }

    /// Whether this node could act for a shard, looked at from its own clock.
    pub(super) fn could_act(&self, shard: &ShardId, now: Instant) -> bool {
        let running = self.shards.get(shard);
        let able = |running: &Running| !running.frozen && running.fence.may_act(now);
        !self.suspended && running.is_some_and(able)
    }
}

impl World {
    pub(super) fn host(&mut self, id: NodeId, call: HostCall) {
        let now = self.local(id);
        match call {
            HostCall::Run { shard, epoch } => self.run_shard(id, shard, epoch),
            HostCall::Stop { shard, epoch } => {
                let Some(process) = self.process(id) else {
                    return;
                };
                process.fences.end(&shard, epoch);
                let host = &mut process.host;
                host.shards
                    .retain(|known, running| *known != shard || running.fence.epoch() != epoch);
                host.built
                    .retain(|known, (moving, _)| *known != shard || *moving != epoch);
            }
            HostCall::Freeze {
                shard,
                epoch,
                moving,
            } => self.freeze(id, &shard, epoch, moving),
            HostCall::Thaw { shard, epoch } => {
                let Some(process) = self.process(id) else {
                    return;
                };
                let running = process.host.shards.get_mut(&shard).expect("it runs here");
                assert_eq!(running.fence.epoch(), epoch, "{shard}");
                assert!(running.frozen, "{shard} is thawed and was not frozen");
                (running.frozen, running.ticked) = (false, now);
            }
            HostCall::Build {
                shard,
                moving,
                state,
            } => self.build(id, shard, moving, &state),
            HostCall::Suspend(on) => {
                if let Some(process) = self.process(id) {
                    process.host.suspended = on;
                }
            }
        }
        self.look();
    }

    fn run_shard(&mut self, id: NodeId, shard: ShardId, epoch: Epoch) {
        let now = self.local(id);
        assert!(
            self.facts.ran.insert((shard.clone(), epoch)),
            "{shard} is run twice in epoch {epoch}"
        );
        let stored = self.facts.stored.get(&shard).copied().unwrap_or(0);
        let last = self.facts.value.get(&shard).copied().unwrap_or(0);
        let process = self.process(id).expect("it said so");
        let fence = process.fences.begin(&shard, epoch);
        assert!(fence.may_act(now), "{shard} is run without a lease");
        let built = process.host.built.remove(&shard);
        if let Some((_, value)) = built {
            assert_eq!(value, last, "what was done in {shard} is lost in a move");
        }
        let value = built.map_or(stored, |(_, value)| value);
        let running = Running {
            fence,
            frozen: false,
            hung: false,
            value,
            ticked: now,
        };
        let before = process.host.shards.insert(shard.clone(), running);
        assert!(before.is_none(), "{shard} was not stopped before");
        self.facts.value.insert(shard, value);
    }

    /// How well a host does: below a few, and from almost a hundred on, it fails.
    fn luck(&mut self) -> u32 {
        let luck = self.rng.random_range(0..100);
        if self.hosts_fail { luck } else { 50 }
    }

    fn freeze(&mut self, id: NodeId, shard: &ShardId, epoch: Epoch, moving: Epoch) {
        let fails = self.luck();
        let long = self.rng.random_bool(0.03);
        let Some(process) = self.process(id) else {
            return;
        };
        let run = process.run;
        let running = process.host.shards.get_mut(shard).expect("it runs here");
        assert_eq!(running.fence.epoch(), epoch, "{shard}");
        assert!(!running.frozen, "{shard} is frozen twice");
        running.frozen = true;
        let mut bytes = running.value.to_le_bytes().to_vec();
        if long {
            bytes.resize(600_000, 7);
        }
        let state = match fails {
            0..3 => Err("too busy".to_owned()),
            // It never answers.
            3..5 => return,
            _ => Ok(Bytes::from(bytes)),
        };
        let shard = shard.clone();
        let frozen = Input::Frozen {
            shard,
            moving,
            state,
        };
        self.after(ms(1)..ms(80), Event::Input(id, run, frozen));
    }

    fn build(&mut self, id: NodeId, shard: ShardId, moving: Epoch, state: &Bytes) {
        let fails = self.luck();
        let Some(process) = self.process(id) else {
            return;
        };
        let run = process.run;
        let value = state.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        let value = value.expect("a state");
        let result = if fails < 3 {
            Err("no room".to_owned())
        } else {
            process.host.built.insert(shard.clone(), (moving, value));
            Ok(())
        };
        let built = Input::Built {
            shard,
            moving,
            result,
        };
        if fails < 97 {
            self.after(ms(1)..ms(80), Event::Input(id, run, built));
        }
    }

    /// Every shard that may act does.
    pub(super) fn act(&mut self) {
        self.after(ms(30)..ms(50), Event::Act);
        for id in self.nodes.keys().copied().collect::<Vec<_>>() {
            let now = self.local(id);
            let real = self.now;
            let facts = &mut self.facts;
            let node = self.nodes.get_mut(&id).filter(|node| !node.paused);
            let Some(process) = node.and_then(|node| node.process.as_mut()) else {
                continue;
            };
            let host = &mut process.host;
            for (shard, running) in &mut host.shards {
                let able = !host.suspended && !running.frozen && !running.hung;
                if !able || !running.fence.may_act(now) {
                    continue;
                }
                let epoch = running.fence.epoch();
                let acted = facts.acted.entry(shard.clone()).or_default();
                assert!(
                    *acted <= epoch,
                    "{shard} acts on {id} in epoch {epoch} after epoch {acted}"
                );
                *acted = epoch;
                let value = facts.value.entry(shard.clone()).or_default();
                assert_eq!(*value, running.value, "{shard} on {id} is not the only one");
                running.value += 1;
                running.ticked = now;
                *value = running.value;
                facts.last.insert(shard.clone(), real);
                if running.value.is_multiple_of(16) {
                    facts.stored.insert(shard.clone(), running.value);
                }
            }
        }
    }

    /// No two nodes could act for one shard, by what each knows and by its own clock; one that is
    /// paused counts as well, as it may go on at any moment.
    pub(super) fn look(&self) {
        let mut able: BTreeMap<&ShardId, NodeId> = BTreeMap::new();
        for (id, node) in &self.nodes {
            let Some(process) = &node.process else {
                continue;
            };
            let now = self.local(*id);
            for shard in process.host.shards.keys() {
                if process.host.could_act(shard, now)
                    && let Some(other) = able.insert(shard, *id)
                {
                    panic!("both {other} and {id} could act for {shard}");
                }
            }
        }
    }

    /// Which of so many shards nobody can act for who is owner and runs.
    pub(super) fn idle(&self, shards: usize) -> Vec<ShardId> {
        let acts = |shard: &ShardId| {
            let owner = self.view().owner(shard);
            owner.is_some_and(|(id, epoch)| {
                let node = self.nodes.get(&id).filter(|node| !node.paused);
                let process = node.and_then(|node| node.process.as_ref());
                process.is_some_and(|process| {
                    let running = process.host.shards.get(shard);
                    let right = running.is_some_and(|r| r.fence.epoch() == epoch && !r.hung);
                    right && process.host.could_act(shard, self.local(id))
                })
            })
        };
        let shards = (0..shards).map(shard);
        shards.filter(|shard| !acts(shard)).collect()
    }
}
