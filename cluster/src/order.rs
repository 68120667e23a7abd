//! `[pure]` What may be asked of a cluster, and how it answers. Orders travel between nodes:
//! variants are appended, never changed or removed.

use crate::command::ShardSpec;
use crate::ids::{NodeName, ShardId};
use serde::{Deserialize, Serialize};

/// What an operator (or the program) may ask of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// These shards exist; known ones keep their place.
    Declare(Vec<ShardSpec>),
    /// Empty a node, or let it own shards again.
    Drain(NodeName, bool),
    /// Move a shard to a node.
    Move(ShardId, NodeName),
    /// Even the load out now, without waiting for the next round.
    Rebalance,
    /// Remove a node that is down or empty for good.
    Forget(NodeName),
    /// Remove a shard that nobody runs any more.
    Retire(ShardId),
}

/// Why an order was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum OrderError {
    /// **Refused**: it cannot be done, and why.
    #[error("{0}")]
    Refused(String),
    /// **Busy**: no leader just now, or it did not answer in time. It may have been done or not.
    #[error("no answer from the leader; try again")]
    NoLeader,
}
