//! `[pure]` What the log says when it is read from its first entry: members, shards, and who owns
//! which in what epoch. The same entries give the same state on every node. Nothing here knows of
//! time, leases or loads: who commits a command has found out before that it is right.
//!
//! ```text
//! node   Joining ──Up──► Up ◄──Drain──► Draining     any ──Expire──► Down ──Up, later life──► Up
//!        any that owns nothing ──Forget──► gone      Down ──Join, other directory──► gone
//!
//! shard  Unplaced ──Place──► Placed ──BeginMove──► Moving ──FinishMove──► Placed there, new epoch
//!            ▲                │  ▲ Restart            └────AbortMove────► Placed here, old epoch
//!            └─Release, Expire, Up─┘          Unplaced, Placed ──Retire──► gone
//! ```
//!
//! An epoch is the index of the entry that began it, so no two terms of ownership share one. A
//! cluster that was founded on the storage of earlier ones counts from above all of theirs: see
//! [`EPOCHS_PER_GENERATION`](crate::limits::EPOCHS_PER_GENERATION).

mod check;
pub(crate) mod machine;
mod nodes;
mod record;
mod shards;
#[cfg(test)]
mod tests;
