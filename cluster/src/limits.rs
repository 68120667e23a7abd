//! `[pure]` The limits of this crate, with what happens when each is reached.

use std::time::Duration;

/// A message between nodes, in bytes. Longer ones are refused to their sender.
pub const FRAME_BYTES_MAX: usize = 1024 * 1024;

/// A piece of a state that is handed over, in bytes.
pub const CHUNK_BYTES: usize = 256 * 1024;

/// The whole state of a shard that is handed over, in bytes. A larger one is not moved; its owner
/// keeps it.
pub const STATE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Members of a cluster. One more is refused.
pub const NODES_MAX: usize = 50;

/// Shards of a cluster. More are refused.
pub const SHARDS_MAX: usize = 10_000;

/// Voters. Further members learn.
pub const VOTERS_MAX: usize = 5;

/// How far a clock may run from the true pace, in percent, either way. What is beyond it is left
/// to epochs.
pub const CLOCK_OFF_PERCENT: u32 = 10;

/// How long a node may act after it asked for its lease, by its own clock. A clock that is a tenth
/// slow makes 3.11 s of it.
pub const LEASE: Duration = Duration::from_millis(2_800);

/// When a node without an answer holds still: four answers late. What it has in hand has until
/// [`LEASE`] to come to its end.
pub const LEASE_FREEZE: Duration = Duration::from_millis(2_500);

/// How often a node asks.
pub const LEASE_EVERY: Duration = Duration::from_millis(500);

/// How long the leader waits, by its own clock, before it gives a node up. A clock that is a tenth
/// fast makes 3.18 s of it, which is longer than [`LEASE`] by the slowest.
pub const LEASE_WAIT: Duration = Duration::from_millis(3_500);

/// How long each step of a move may take; then it is off.
pub const MOVE_DEADLINE: Duration = Duration::from_secs(5);

/// A shard that has not ticked for so long is started anew.
pub const TICK_MAX: Duration = Duration::from_secs(2);

/// How long a shard may take to its first tick where it was placed; then it is started anew.
pub const START_MAX: Duration = Duration::from_secs(5);

/// How often the leader compares what is with what should be.
pub const RECONCILE_EVERY: Duration = Duration::from_secs(5);

/// How often load is evened out.
pub const REBALANCE_EVERY: Duration = Duration::from_secs(60);

/// Moves at once from or to one node.
pub const MOVES_PER_NODE: usize = 2;

/// How much fuller than the average the fullest node may be, in percent, before shards move.
pub const IMBALANCE_PERCENT: u64 = 15;

/// Within this an order has its answer.
pub const ORDER_DEADLINE: Duration = Duration::from_secs(10);

/// How long ago a majority may have stood behind a leader that still grants leases.
pub const QUORUM_AGE_MAX: Duration = Duration::from_secs(1);

/// Reports in one message. More go in several.
pub const REPORTS_MAX: usize = 2_000;

/// Shards in one entry of the log that declares them. More go in several.
pub const DECLARED_MAX: usize = 2_000;

/// Chunks of a hand-over that are under way at once; the next waits for word from the target.
pub const CHUNKS_AHEAD: u32 = 4;

/// States that are being received at once. One more is not taken; it is sent again until it is,
/// or its move is off.
pub const RECEIVED_MAX: usize = 32;

/// What has no answer for so long is said again.
pub const SAY_AGAIN: Duration = Duration::from_millis(500);

/// Orders that wait for an answer on one node. More are refused.
pub const ORDERS_MAX: usize = 64;

/// Commands that the leader has under way. The next ones wait for the next round.
pub const PROPOSALS_MAX: usize = 256;

/// A command of the leader without an outcome may be proposed again after so long.
pub const PROPOSAL_DEADLINE: Duration = Duration::from_secs(5);

/// Where a node is reached, in bytes. A node with a longer address does not come up.
pub const ADDRESS_BYTES_MAX: usize = 256;

/// The least time between two rounds of planning.
pub const PLAN_EVERY_MIN: Duration = Duration::from_millis(100);

/// How long a node may go without applying what took a shard from it before it gets no lease.
pub const BEHIND_MAX: Duration = Duration::from_secs(1);

/// A change of membership without an answer is tried again after so long.
pub const MEMBERSHIP_DEADLINE: Duration = Duration::from_secs(10);

/// Between two beats of raft.
pub const HEARTBEAT: Duration = Duration::from_millis(100);

/// Epochs of one cluster, from its generation times this on. A log that is longer takes no shard
/// anywhere any more: at a hundred entries a second that is after four months without a pause.
pub const EPOCHS_PER_GENERATION: u64 = 1 << 30;

/// Clusters that can be founded on one storage after each other. One more is refused.
pub const GENERATIONS_MAX: u32 = 512;

/// The election window of the node of rank 0, and how much later each next rank's begins.
pub const ELECTION: (Duration, Duration) = (Duration::from_millis(400), Duration::from_millis(60));

/// How wide an election window is.
pub const ELECTION_WINDOW: Duration = Duration::from_millis(20);

/// Entries between two snapshots.
pub const SNAPSHOT_EVERY: u64 = 5_000;

/// Entries that are kept behind a snapshot.
pub const LOG_KEPT: u64 = 1_000;

/// A leader that heard no majority for so long says that it leads no more. It goes on asking, and
/// leads again with the first answer.
pub const QUORUM_LOST: Duration = Duration::from_millis(1_500);

/// An encoded command, in bytes. A longer one is refused to its author.
pub const COMMAND_BYTES_MAX: usize = FRAME_BYTES_MAX / 2;

/// Commands that wait to be committed. One more is refused as busy.
pub const RAFT_PROPOSALS_MAX: usize = 1_024;

/// Within this a command is committed, or its author is told that its fate is not known.
pub const PROPOSE_DEADLINE: Duration = Duration::from_secs(5);

/// Calls of raft to other nodes that wait for their answers. One more fails as if it were lost.
pub const RAFT_CALLS_MAX: usize = 512;

/// Calls of other nodes that are being answered. One more is dropped; its sender asks again.
pub const RAFT_REQUESTS_MAX: usize = 512;

/// After a call to a node that cannot be reached, the next one waits so long.
pub const RAFT_PAUSE: Duration = Duration::from_millis(75);

/// Within this a piece of a snapshot is taken in.
pub const SNAPSHOT_DEADLINE: Duration = Duration::from_secs(2);

/// Entries in one message to a follower.
pub const APPEND_ENTRIES_MAX: u64 = 300;

/// Entries that a node may lack and still become a voter.
pub const VOTER_LAG_MAX: u64 = LOG_KEPT;

/// Changes of the log that wait for the disk. Who brings one more waits.
pub const LOG_QUEUE_MAX: u32 = 256;

/// Changes of the log that one commit takes.
pub const LOG_BATCH_MAX: usize = 256;

/// Bytes of the log's file that are kept in memory for its writer.
pub const LOG_CACHE_BYTES: usize = 8 * 1024 * 1024;

const _: () = assert!(LEASE_FREEZE.as_millis() < LEASE.as_millis());
const _: () = assert!(
    LEASE.as_millis() * (100 + CLOCK_OFF_PERCENT as u128)
        < LEASE_WAIT.as_millis() * (100 - CLOCK_OFF_PERCENT as u128),
    "the slowest holder has stopped when the fastest leader gives it up"
);
const _: () = assert!(LEASE_EVERY.as_millis() * 4 < LEASE_FREEZE.as_millis());
const _: () = assert!(CHUNK_BYTES < FRAME_BYTES_MAX);
const _: () = assert!(QUORUM_AGE_MAX.as_millis() < LEASE_FREEZE.as_millis());
const _: () = assert!(HEARTBEAT.as_millis() * 3 < QUORUM_AGE_MAX.as_millis());
const _: () = assert!(QUORUM_AGE_MAX.as_millis() < QUORUM_LOST.as_millis());
const _: () = assert!(RAFT_PAUSE.as_millis() < HEARTBEAT.as_millis());
