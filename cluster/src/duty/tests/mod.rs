//! `[pure]` Goal: whatever befalls nodes and wires, at most one node acts for a shard, what is
//! handed over is handed over whole, and when it is over every shard acts again in time. Method:
//! whole nodes' machines over a simulated network with one log that never errs, in simulated time
//! from one seed, each node with a clock of its own pace; after every event all that must never be
//! is looked for. A failure names its seed, which replays: see [`random`].

mod bench;
mod faults;
mod host;
mod log;
mod named;
mod net;
mod orders;
mod random;
mod world;

use crate::ids::{NodeId, ShardId};

fn n(number: u16) -> NodeId {
    NodeId(number)
}

fn shard(number: usize) -> ShardId {
    ShardId::new(&format!("zone:{number:02}"))
}

/// So many milliseconds, in the microseconds of simulated time.
const fn ms(ms: u64) -> u64 {
    ms * 1_000
}
