//! `[edge]` What can befall the nodes of a simulation.

use super::run::Sim;
use crate::ids::NodeId;
use crate::limits::{CLOCK_OFF_PERCENT, LEASE, QUORUM_AGE_MAX};
use crate::log::Health;
use rand::RngExt as _;
use std::time::Duration;

/// How long a node may act that slept and does not know it: its lease, and what a leader that does
/// not know either may grant to itself, by the slowest clock.
const DROWSY: Duration = LEASE
    .saturating_add(QUORUM_AGE_MAX)
    .saturating_mul(100)
    .checked_div(100 - CLOCK_OFF_PERCENT)
    .unwrap();

impl Sim {
    /// The node's process dies; its disk stays, with or without what was just being written.
    pub(super) fn kill(&mut self, node: NodeId) {
        self.net.detach(node);
        if self.alive.remove(&node).is_none() {
            return;
        }
        let kept = self.rng.random();
        if let Some(disk) = self.disks.get(&node) {
            disk.store.crash(kept);
            disk.writes_life.lock().unwrap().take();
        }
    }

    /// It starts (again) on its disk; not if that is full.
    pub(super) fn restart(&mut self, node: NodeId) {
        self.kill(node);
        self.refused.remove(&node);
        self.dies_at_snapshot.remove(&node);
        if self.health(node) != Health::Full && !self.gone.contains(&node) {
            self.begin(node, None);
        }
    }

    /// The node is destroyed, with its disk.
    pub(super) fn destroy(&mut self, node: NodeId) {
        self.kill(node);
        self.gone.insert(node);
    }

    /// The process stands still (SIGSTOP).
    pub(super) fn pause(&mut self, node: NodeId) {
        if let Some(alive) = self.alive.get_mut(&node) {
            alive.paused.get_or_insert(Duration::ZERO);
            self.net.stands_still(node, true);
        }
    }

    /// The machine is suspended, and its clock stands still with it.
    pub(super) fn sleep(&mut self, node: NodeId) {
        if let Some(alive) = self.alive.get_mut(&node) {
            alive.paused.get_or_insert(Duration::ZERO);
            alive.asleep = true;
            self.net.stands_still(node, true);
        }
    }

    /// It goes on. After a pause (SIGCONT) it finds out what time it is; after sleep only others
    /// can tell it.
    pub(super) fn resume(&mut self, node: NodeId) {
        let now = self.now();
        self.net.stands_still(node, false);
        let Some(alive) = self.alive.get_mut(&node) else {
            return;
        };
        let Some(missed) = alive.paused.take() else {
            return;
        };
        if std::mem::take(&mut alive.asleep) {
            self.stage.history().woke(node, now + DROWSY);
        } else {
            alive.runtime.block_on(tokio::time::advance(missed));
        }
    }

    /// The node's clock jumps ahead.
    pub(super) fn jump(&mut self, node: NodeId, by: Duration) {
        if let Some(alive) = self.alive.get_mut(&node) {
            alive.runtime.block_on(tokio::time::advance(by));
        }
    }

    /// The node's clock runs so much faster, in permille.
    pub(super) fn skew(&mut self, node: NodeId, permille: i32) {
        if let Some(alive) = self.alive.get_mut(&node) {
            alive.skew = permille;
        }
    }

    /// The node's disk does so from now on.
    pub(super) fn set_health(&mut self, node: NodeId, health: Health) {
        if let Some(disk) = self.disks.get(&node) {
            disk.store.set_health(health);
        }
        if health == Health::Full {
            self.refused.insert(node);
        }
    }

    pub(super) fn health(&self, node: NodeId) -> Health {
        let disk = self.disks.get(&node);
        disk.map_or(Health::Full, |disk| disk.store.health())
    }
}
