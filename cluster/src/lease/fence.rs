//! `[process]` What a shard asks before it acts. The same few words are looked at by every shard of
//! a node and written by its cluster thread; asking costs two loads.

use crate::ids::{Epoch, ShardId};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Until when this node may act. It is measured with this node's own clock, from the moment when
/// the request was *sent* that the leader granted.
#[derive(Clone, Debug)]
pub struct LeaseClock {
    start: Instant,
    /// Nanoseconds after `start`; nothing may act at or after it.
    until_ns: Arc<AtomicU64>,
}

impl LeaseClock {
    /// A clock whose lease has lapsed.
    pub fn new(start: Instant) -> Self {
        Self {
            start,
            until_ns: Arc::new(AtomicU64::new(0)),
        }
    }

    /// A clock whose lease never lapses: for a node that is alone.
    pub fn unlimited(start: Instant) -> Self {
        Self {
            start,
            until_ns: Arc::new(AtomicU64::new(u64::MAX)),
        }
    }

    /// From now on the node may act until then.
    pub fn set(&self, until: Instant) {
        self.until_ns
            .store(self.since_start(until), Ordering::Release);
    }

    /// From now on the node may not act.
    pub fn lapse(&self) {
        self.until_ns.store(0, Ordering::Release);
    }

    /// Whether the node may act.
    pub fn holds(&self, now: Instant) -> bool {
        self.since_start(now) < self.until_ns.load(Ordering::Acquire)
    }

    fn since_start(&self, at: Instant) -> u64 {
        let since: Duration = at.saturating_duration_since(self.start);
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX - 1)
    }
}

/// The right of one shard to act in one epoch. A clone is the same right.
#[derive(Clone, Debug)]
pub struct Fence {
    shard: ShardId,
    epoch: Epoch,
    lease: LeaseClock,
    over: Arc<AtomicBool>,
}

impl Fence {
    /// The right to act in this epoch while the lease holds.
    pub fn new(shard: ShardId, epoch: Epoch, lease: LeaseClock) -> Self {
        Self {
            shard,
            epoch,
            lease,
            over: Arc::new(AtomicBool::new(false)),
        }
    }

    /// Which shard.
    pub fn shard(&self) -> &ShardId {
        &self.shard
    }

    /// Which epoch.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// Whether the shard may act. To be asked before a message is handled and again before its
    /// effects leave: the process may have been paused in between.
    pub fn may_act(&self, now: Instant) -> bool {
        !self.over.load(Ordering::Acquire) && self.lease.holds(now)
    }

    /// The epoch is over, for good.
    pub fn end(&self) {
        self.over.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(
        clippy::disallowed_methods,
        reason = "any instant will do to count from"
    )]
    #[test]
    fn a_fence_holds_until_the_lease_lapses_or_the_epoch_is_over() {
        let start = Instant::now();
        let after = |ms| start + Duration::from_millis(ms);
        let lease = LeaseClock::new(start);
        let fence = Fence::new(ShardId::new("zone:a"), Epoch(7), lease.clone());
        let twin = fence.clone();
        assert!(!fence.may_act(start), "nothing was granted");
        lease.set(after(3_000));
        assert!(fence.may_act(after(2_999)));
        assert!(!fence.may_act(after(3_000)));
        lease.lapse();
        assert!(!fence.may_act(after(1)));
        lease.set(after(3_000));
        twin.end();
        assert!(!fence.may_act(after(1)), "over for all clones");
        assert!(LeaseClock::unlimited(start).holds(after(1_000_000_000)));
    }
}
