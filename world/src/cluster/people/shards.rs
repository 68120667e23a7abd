//! `[pure]` The shards of people: what they are called, and what they weigh beside zones.

use super::limits::PARTITIONS;
use crate::content::World;
use belay_cluster::{ShardId, ShardSpec};

/// All shards of this department, to be declared; the Gossip socket's only where there is one.
pub fn shards(world: &World, gossip: bool) -> Vec<ShardSpec> {
    let spec = |shard: ShardId| ShardSpec { shard, weight: 1 };
    let accounts = (0..PARTITIONS).map(accounts);
    let channels = world.channels().iter();
    let channels = channels.map(|about| channel(&about.name));
    let gossip = gossip.then(self::gossip);
    accounts.chain(channels).chain(gossip).map(spec).collect()
}

/// The shard of a partition of the accounts.
pub(super) fn accounts(partition: u8) -> ShardId {
    ShardId::new(&format!("accounts:{partition}"))
}

/// The shard of a channel.
pub(super) fn channel(name: &str) -> ShardId {
    ShardId::new(&format!("channel:{}", name.to_ascii_lowercase()))
}

/// The shard of the Gossip socket.
pub(super) fn gossip() -> ShardId {
    ShardId::new("gossip")
}
