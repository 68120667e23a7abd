//! `[process]` Leases: how long a node may act without a word from the leader.
//!
//! Two clocks count the same time and neither is ever read by the other side, so each may run as
//! it likes within [`CLOCK_OFF_PERCENT`](crate::limits::CLOCK_OFF_PERCENT) of the true pace: the
//! holder's a tenth slow and the leader's a tenth fast is the worst, 11 : 9. Therefore
//!
//! ```text
//! LEASE by the slowest clock  <  LEASE_WAIT by the fastest
//!       2.8 s / 0.9 = 3.11 s  <  3.5 s / 1.1 = 3.18 s
//! ```
//!
//! The wait decides how long a dead node's shards stand still, so the lease is the shorter one,
//! rather than the wait the longer. When a node holds still, which its players notice, does not
//! depend on either. A new leader counts from its election, and what it cannot know was granted by
//! a leader whose majority was older than that: the holder takes off that age, as that leader
//! told it, and a quarter more, which is more than 11 : 9 as well.

mod fence;
mod fences;
mod grantor;
mod holder;

pub use fence::{Fence, LeaseClock};
pub(crate) use fences::Fences;
pub(crate) use grantor::{Grantor, Verdict};
pub(crate) use holder::{Holder, Waning};
