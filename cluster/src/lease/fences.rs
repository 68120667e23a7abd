//! `[process]` The fences of all shards that run on a node, as its machine has them.

use crate::ids::{Epoch, ShardId};
use crate::lease::{Fence, LeaseClock};
use std::collections::BTreeMap;

/// The rights to act that this node has given out. One for each shard; they end here.
#[derive(Debug)]
pub(crate) struct Fences {
    clock: LeaseClock,
    given: BTreeMap<ShardId, Fence>,
}

impl Fences {
    /// None yet; all will hold while this clock does.
    pub(crate) fn new(clock: LeaseClock) -> Self {
        Self {
            clock,
            given: BTreeMap::new(),
        }
    }

    /// A new right to act in this epoch. One of an earlier epoch is over.
    pub(crate) fn begin(&mut self, shard: &ShardId, epoch: Epoch) -> Fence {
        let fence = Fence::new(shard.clone(), epoch, self.clock.clone());
        if let Some(before) = self.given.insert(shard.clone(), fence.clone()) {
            before.end();
        }
        fence
    }

    /// The right to act in this epoch is over, for good. One of another epoch stays.
    pub(crate) fn end(&mut self, shard: &ShardId, epoch: Epoch) {
        let given = self.given.get(shard);
        if let Some(fence) = given.filter(|fence| fence.epoch() == epoch) {
            fence.end();
            self.given.remove(shard);
        }
    }

    /// All are over; says which they were.
    pub(crate) fn end_all(&mut self) -> Vec<(ShardId, Epoch)> {
        let given = std::mem::take(&mut self.given);
        let ended = given.into_iter().map(|(shard, fence)| {
            fence.end();
            (shard, fence.epoch())
        });
        ended.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[expect(
        clippy::disallowed_methods,
        reason = "any instant will do to count from"
    )]
    #[test]
    fn a_right_ends_with_its_epoch_or_with_the_next() {
        let now = Instant::now();
        let shard = ShardId::new("zone:a");
        let mut fences = Fences::new(LeaseClock::unlimited(now));
        let first = fences.begin(&shard, Epoch(3));
        fences.end(&shard, Epoch(2));
        assert!(first.may_act(now), "another epoch's end is not its own");
        let second = fences.begin(&shard, Epoch(4));
        assert!(!first.may_act(now) && second.may_act(now));
        fences.end(&shard, Epoch(4));
        assert!(!second.may_act(now));
        fences.end(&shard, Epoch(4));
    }
}
