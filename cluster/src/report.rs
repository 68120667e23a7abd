//! `[pure]` What a node says of the shards that run on it.

use crate::ids::{Epoch, ShardId};
use serde::{Deserialize, Serialize};

/// What a shard that runs here has done of late.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardReport {
    /// Which shard.
    pub shard: ShardId,
    /// Its epoch.
    pub epoch: Epoch,
    /// Milliseconds since it last answered: since when nobody knows that it works.
    pub ticked_ms_ago: u32,
    /// Its load, in units that only mean something beside other shards.
    pub weight: u32,
    /// Moving it now would be noticed more than usual.
    pub busy: bool,
}
