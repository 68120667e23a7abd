//! `[pure]` The shards of people: what they are called, and what they weigh beside zones.

use super::desk::Partition;
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

/// What a shard of this department is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A partition of the accounts.
    Accounts(Partition),
    /// The channel of this name.
    Channel(String),
    /// The Gossip socket.
    Gossip,
}

impl Kind {
    /// What this shard is; nothing if a later version has more kinds.
    pub(super) fn of(shard: &ShardId) -> Option<Self> {
        match shard.kind() {
            "accounts" => {
                let number: u8 = shard.key().parse().ok()?;
                Partition::all()
                    .find(|partition| partition.0 == number)
                    .map(Self::Accounts)
            }
            "channel" => Some(Self::Channel(shard.key().to_owned())),
            "gossip" => Some(Self::Gossip),
            _ => None,
        }
    }
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
