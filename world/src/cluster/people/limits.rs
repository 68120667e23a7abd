//! `[pure]` The bounds of what nodes say to each other about people.

use belay_cluster::limits::FRAME_BYTES_MAX;

/// Players in one piece of the list of a node.
pub const LIST_PIECE: usize = 2_000;

/// Bytes that a player takes in such a list at most: a name of 20 letters, and some numbers.
pub const PERSON_BYTES_MAX: usize = 128;

const _: () = assert!(LIST_PIECE * PERSON_BYTES_MAX < FRAME_BYTES_MAX);

/// Questions to other nodes without an answer. More: the asker is told that they are out of reach.
pub const QUESTIONS_MAX: usize = 16_384;

/// Parts of the accounts, each a shard of its own. It is the same for all versions of a cluster.
pub const PARTITIONS: u8 = 16;

/// Things given to players of other nodes of which it is not known whether they arrived. More: a
/// thing that does not arrive waits on record, for the next login or the next start of its zone.
pub const GIFTS_MAX: usize = 1_024;

/// Things from players of other nodes that a node remembers to have taken, should they be brought
/// again. More: the oldest of one node are forgotten.
pub const RECEIVED_MAX: usize = 16_384;

/// Players of a node who wait for a line of theirs on a channel whose order is made elsewhere.
/// More: told that the channel cannot be reached.
pub const SAYINGS_MAX: usize = 16_384;
