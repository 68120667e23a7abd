//! `[process]` Leases: how long a node may act without a word from the leader.

mod fence;
mod fences;
mod grantor;
mod holder;

pub use fence::{Fence, LeaseClock};
pub(crate) use fences::Fences;
pub(crate) use grantor::{Grantor, Verdict};
pub(crate) use holder::{Holder, Waning};
