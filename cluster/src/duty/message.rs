//! `[pure]` What the machines of two nodes say to each other. Nodes of two releases may talk:
//! variants are appended, never changed or removed, and golden bytes are kept in the tests.
//!
//! Nothing here is trusted to arrive, nor to arrive once. What asks for something is said again
//! until the log shows that it came about.

use crate::ids::{Epoch, Incarnation, NodeId, ShardId};
use crate::limits::FRAME_BYTES_MAX;
use crate::order::{Order, OrderError};
use crate::report::ShardReport;
use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// What goes over the control lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum DutyMessage {
    /// To the leader: this node lives and asks for its lease.
    Renew(Renew),
    /// The leader's answer: the lease is granted.
    Granted(Granted),
    /// Whoever was asked does not lead; who does, as far as it knows.
    NotLeader(Option<NodeId>),
    /// To the leader: what shards that run here have done. At most
    /// [`REPORTS_MAX`](crate::limits::REPORTS_MAX) in one message.
    Reports(Vec<ShardReport>),
    /// To the leader: shards that this node owns and does not run, as it had to stop them under
    /// this epoch. At most [`REPORTS_MAX`](crate::limits::REPORTS_MAX) in one message.
    Ended(Vec<(ShardId, Epoch)>),
    /// To the leader, from the source or the target of a move: how far it is.
    Moved {
        /// Which shard.
        shard: ShardId,
        /// The epoch of the move.
        moving: Epoch,
        /// How far.
        step: MoveStep,
    },
    /// To the leader: an order that was given on another node.
    Order {
        /// The asking node's number for it.
        number: u64,
        /// What to do.
        order: Order,
    },
    /// What became of an order.
    Answer {
        /// The asking node's number for it.
        number: u64,
        /// What was done, in words; or why not.
        result: Result<String, OrderError>,
    },
}

/// A node asks for its lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Renew {
    /// Its life.
    pub(crate) incarnation: Incarnation,
    /// The number of this request in that life; the answer has it.
    pub(crate) stamp: u64,
    /// How far it has applied the log.
    pub(crate) applied: u64,
    /// Where it is reached.
    pub(crate) address: String,
}

/// The leader grants a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Granted {
    /// The life for which it is.
    pub(crate) incarnation: Incarnation,
    /// The number of the request.
    pub(crate) stamp: u64,
    /// For how long before this answer the leader cannot say that a majority stood behind it. The
    /// lease counts from the sending of the request, less this.
    pub(crate) quorum_ms_ago: u32,
}

/// How far a move is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum MoveStep {
    /// The source stands still, and its state is on the way.
    Frozen,
    /// The target has the whole state.
    Handed,
    /// The target has built the shard, from a state with this SHA-256.
    Ready([u8; 32]),
    /// Source or target cannot go on, and why.
    Failed(String),
}

/// What goes over the play lane between the two nodes of a move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HandOverMessage {
    /// Which shard.
    pub(crate) shard: ShardId,
    /// The epoch of the move.
    pub(crate) moving: Epoch,
    /// A piece of it.
    pub(crate) part: Part,
}

/// A piece of a hand-over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Part {
    /// Bytes of the state: [`CHUNK_BYTES`](crate::limits::CHUNK_BYTES) in each but the last.
    Chunk {
        /// Which, from 0.
        sequence: u32,
        /// The bytes.
        #[serde(with = "raw")]
        bytes: Bytes,
    },
    /// There are no more.
    End {
        /// How many chunks there were.
        chunks: u32,
        /// SHA-256 of all of them together.
        hash: [u8; 32],
    },
    /// From the target: it has this many chunks, one more when it has the end too.
    Got {
        /// How many.
        parts: u32,
    },
}

impl DutyMessage {
    /// The bytes of it.
    pub(crate) fn encode(&self) -> Bytes {
        encode(self)
    }

    /// The message in these bytes.
    ///
    /// # Errors
    /// There is none in them.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, Garbled> {
        postcard::from_bytes(bytes).map_err(Garbled)
    }
}

impl HandOverMessage {
    /// The bytes of it.
    pub(crate) fn encode(&self) -> Bytes {
        encode(self)
    }

    /// The message in these bytes.
    ///
    /// # Errors
    /// There is none in them.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, Garbled> {
        postcard::from_bytes(bytes).map_err(Garbled)
    }
}

/// Bytes that are no message; **refused**: the wire is to be closed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a message of this cluster's nodes")]
pub(crate) struct Garbled(#[source] postcard::Error);

/// Nothing in our messages can fail to be written into memory.
fn encode(message: &impl Serialize) -> Bytes {
    let bytes = postcard::to_stdvec(message).unwrap_or_default();
    assert!(
        !bytes.is_empty() && bytes.len() < FRAME_BYTES_MAX,
        "a message fits into a frame"
    );
    bytes.into()
}

/// Bytes as bytes: serde's own way takes them one by one.
mod raw {
    use bytes::Bytes;
    use serde::de::{Deserializer, Error, Visitor};
    use serde::ser::Serializer;
    use std::fmt;

    pub(super) fn serialize<S: Serializer>(bytes: &Bytes, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(bytes)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Bytes, D::Error> {
        from.deserialize_bytes(Copied)
    }

    struct Copied;

    impl Visitor<'_> for Copied {
        type Value = Bytes;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("bytes")
        }

        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
            Ok(Bytes::copy_from_slice(bytes))
        }
    }
}
