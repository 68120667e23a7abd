//! `[process]` A host whose shards do nothing but act: each counts how often it did.

use super::checker::{Act, History};
use crate::host::{Built, HandOver, Host, PeerNews};
use crate::ids::{Epoch, NodeId, ShardId};
use crate::lease::Fence;
use crate::report::ShardReport;
use crate::view::View;
use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What all hosts of a run share: what happened, and the real time.
#[derive(Clone)]
pub(super) struct Stage {
    pub(super) history: Arc<Mutex<History>>,
    pub(super) now: Arc<Mutex<Duration>>,
}

impl Stage {
    pub(super) fn new() -> Self {
        Self {
            history: Arc::default(),
            now: Arc::default(),
        }
    }

    pub(super) fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn now(&self) -> Duration {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The host of one life of a node.
pub(super) struct Toy {
    node: NodeId,
    stage: Stage,
    state: Mutex<ToyState>,
}

#[derive(Default)]
struct ToyState {
    running: BTreeMap<ShardId, Running>,
    built: BTreeMap<ShardId, (Epoch, u64)>,
    suspended: bool,
}

struct Running {
    fence: Fence,
    frozen: bool,
    count: u64,
}

impl Toy {
    pub(super) fn new(node: NodeId, stage: Stage) -> Self {
        Self {
            node,
            stage,
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, ToyState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All that may act do.
    pub(super) fn act(&self, now: Instant) {
        let mut state = self.state();
        if state.suspended {
            return;
        }
        for (shard, running) in &mut state.running {
            if running.frozen || !running.fence.may_act(now) {
                continue;
            }
            running.count += 1;
            let epoch = running.fence.epoch();
            let mut history = self.stage.history();
            history.act(Act {
                at: self.stage.now(),
                node: self.node,
                shard: shard.clone(),
                epoch,
                count: running.count,
            });
            history.store(shard, epoch, running.count);
        }
    }

    /// This shard does not answer any more, until it is started anew.
    pub(super) fn wedge(&self, shard: &ShardId) {
        if let Some(running) = self.state().running.get_mut(shard) {
            running.frozen = true;
        }
    }
}

impl Host for Toy {
    fn run(&self, shard: &ShardId, fence: Fence) {
        let mut state = self.state();
        // First, so that nobody before adds to what is read then.
        self.stage.history().claim(shard, fence.epoch());
        let handed = state.built.remove(shard).map(|(_, count)| count);
        let count = handed.unwrap_or_else(|| self.stage.history().stored(shard));
        let running = Running {
            fence,
            frozen: false,
            count,
        };
        state.running.insert(shard.clone(), running);
    }

    fn stop(&self, shard: &ShardId, epoch: Epoch) {
        let mut state = self.state();
        let runs = state.running.get(shard);
        if runs.is_some_and(|running| running.fence.epoch() == epoch) {
            state.running.remove(shard);
        }
        if state
            .built
            .get(shard)
            .is_some_and(|(moving, _)| *moving == epoch)
        {
            state.built.remove(shard);
        }
    }

    fn freeze(&self, shard: &ShardId, epoch: Epoch, reply: HandOver) {
        let mut state = self.state();
        let frozen = match state.running.get_mut(shard) {
            Some(running) if running.fence.epoch() == epoch => {
                running.frozen = true;
                Ok(Bytes::copy_from_slice(&running.count.to_be_bytes()))
            }
            Some(_) | None => Err("it does not run here".to_owned()),
        };
        drop(state);
        reply.done(frozen);
    }

    fn thaw(&self, shard: &ShardId, epoch: Epoch) {
        if let Some(running) = self.state().running.get_mut(shard)
            && running.fence.epoch() == epoch
        {
            running.frozen = false;
        }
    }

    fn build(&self, shard: &ShardId, moving: Epoch, state: Bytes, reply: Built) {
        let count = state.first_chunk().map(|bytes| u64::from_be_bytes(*bytes));
        let result = count.ok_or_else(|| "no count".to_owned());
        reply.done(result.map(|count| {
            self.state().built.insert(shard.clone(), (moving, count));
        }));
    }

    fn suspend(&self, on: bool) {
        self.state().suspended = on;
    }

    fn changed(&self, view: &Arc<View>) {
        self.stage.history().view(self.node, view);
    }

    fn peer(&self, _: NodeId, _: PeerNews) {}

    fn deliver(&self, _: NodeId, _: Bytes) {}

    fn report(&self, out: &mut Vec<ShardReport>) {
        for (shard, running) in &self.state().running {
            out.push(ShardReport {
                shard: shard.clone(),
                epoch: running.fence.epoch(),
                ticked_ms_ago: if running.frozen { 10_000 } else { 0 },
                weight: weight(shard),
                busy: false,
            });
        }
    }
}

/// Some are heavier than others.
fn weight(shard: &ShardId) -> u32 {
    let sum: u32 = shard.as_str().bytes().map(u32::from).sum();
    1 + sum % 7
}
