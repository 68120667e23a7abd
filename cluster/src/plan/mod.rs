//! `[pure]` What should be, when this is how it is: which node should own which shard, and who
//! should vote. A leader asks at every change and in every round; the same knowledge gives the
//! same answer, and once that answer is carried out there is none.
//!
//! ```text
//! View (log) ─────────────┐
//! renewals, reports ─► Observed ─► plan ─► Place, Restart, Release, BeginMove, AbortMove
//!                        Round ───┘
//! ```
//!
//! Nothing here waits for one message: a lost one is made up for by the next round.

mod balance;
mod loads;
pub(crate) mod observed;
mod repair;
pub(crate) mod round;
pub(crate) mod voters;

#[cfg(test)]
mod tests;
