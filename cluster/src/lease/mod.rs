//! `[process]` Leases: how long a node may act without a word from the leader.

mod fence;

pub use fence::{Fence, LeaseClock};
