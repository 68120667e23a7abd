//! `[process]` Leases: how long a node may act without a word from the leader.

mod fence;
#[cfg_attr(not(test), expect(dead_code, reason = "the member is built on it"))]
mod fences;
mod grantor;
mod holder;

pub use fence::{Fence, LeaseClock};
#[cfg_attr(
    not(test),
    expect(unused_imports, reason = "the member is built on it")
)]
pub(crate) use fences::Fences;
pub(crate) use grantor::{Grantor, Verdict};
pub(crate) use holder::{Holder, Waning};
