//! `[process]` When this node may act and what acts on it, a line each, for who checks a whole
//! cluster from outside. Off unless `log.level` has `belay_cluster::deeds=trace`.
//!
//! Moments are shown as the standard library shows an `Instant`. On Linux that is the machine's
//! monotonic clock, so that those of several nodes on one machine can be compared. A beginning is
//! written down before it holds, an end after it does.

use crate::ids::{Epoch, ShardId};
use std::time::Instant;

/// Under which name the lines are asked for.
const TARGET: &str = "belay_cluster::deeds";

/// The shard acts from now on, in this epoch, while the lease holds.
pub(super) fn runs(shard: &ShardId, epoch: Epoch, now: Instant) {
    tracing::trace!(target: TARGET, %shard, epoch = epoch.0, at = ?now, "runs");
}

/// The shard does not act any more in this epoch.
pub(super) fn stopped(shard: &ShardId, epoch: Epoch, now: Instant) {
    tracing::trace!(target: TARGET, %shard, epoch = epoch.0, at = ?now, "stopped");
}

/// The shard holds still, and its state is written down for another node.
pub(super) fn froze(shard: &ShardId, now: Instant) {
    tracing::trace!(target: TARGET, %shard, at = ?now, "froze");
}

/// The move is off: the shard acts again.
pub(super) fn thaws(shard: &ShardId, now: Instant) {
    tracing::trace!(target: TARGET, %shard, at = ?now, "thaws");
}

/// This node may act until then.
pub(super) fn leased(until: Instant, now: Instant) {
    tracing::trace!(target: TARGET, ?until, at = ?now, "leased");
}

/// This node may not act any more.
pub(super) fn lapsed(now: Instant) {
    tracing::trace!(target: TARGET, at = ?now, "lapsed");
}
