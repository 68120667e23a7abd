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

#[cfg(test)]
mod tests {
    use super::*;

    fn shard() -> ShardId {
        ShardId::new("zone:a")
    }

    fn moved(step: MoveStep) -> DutyMessage {
        DutyMessage::Moved {
            shard: shard(),
            moving: Epoch(300),
            step,
        }
    }

    fn order(order: Order) -> DutyMessage {
        DutyMessage::Order { number: 5, order }
    }

    fn node() -> crate::ids::NodeName {
        crate::ids::NodeName::new("n2").unwrap()
    }

    /// Each variant, and its bytes. What another release says must be understood: a line is added
    /// for what is new, and none is changed.
    #[test]
    fn the_bytes_of_each_message_stay_as_they_are() {
        let renew = Renew {
            incarnation: Incarnation(2),
            stamp: 3,
            applied: 300,
            address: "h:1".into(),
        };
        let granted = Granted {
            incarnation: Incarnation(2),
            stamp: 3,
            quorum_ms_ago: 200,
        };
        let report = ShardReport {
            shard: shard(),
            epoch: Epoch(4),
            ticked_ms_ago: 5,
            weight: 6,
            busy: true,
        };
        let spec = crate::command::ShardSpec {
            shard: shard(),
            weight: 9,
        };
        let answer = |result| DutyMessage::Answer { number: 5, result };
        let golden = [
            (DutyMessage::Renew(renew), "000203ac0203683a31"),
            (DutyMessage::Granted(granted), "010203c801"),
            (DutyMessage::NotLeader(Some(NodeId(2))), "020102"),
            (
                DutyMessage::Reports(vec![report]),
                "0301067a6f6e653a6104050601",
            ),
            (
                DutyMessage::Ended(vec![(shard(), Epoch(4))]),
                "0401067a6f6e653a6104",
            ),
            (moved(MoveStep::Frozen), "05067a6f6e653a61ac0200"),
            (moved(MoveStep::Handed), "05067a6f6e653a61ac0201"),
            (
                moved(MoveStep::Ready([7; 32])),
                &format!("05067a6f6e653a61ac0202{}", "07".repeat(32)),
            ),
            (
                moved(MoveStep::Failed("x".into())),
                "05067a6f6e653a61ac02030178",
            ),
            (
                order(Order::Declare(vec![spec])),
                "06050001067a6f6e653a6109",
            ),
            (order(Order::Drain(node(), true)), "060501026e3201"),
            (
                order(Order::Move(shard(), node())),
                "060502067a6f6e653a61026e32",
            ),
            (order(Order::Rebalance), "060503"),
            (order(Order::Forget(node())), "060504026e32"),
            (order(Order::Retire(shard())), "060505067a6f6e653a61"),
            (answer(Ok("y".into())), "0705000179"),
            (answer(Err(OrderError::Refused("n".into()))), "07050100016e"),
            (answer(Err(OrderError::NoLeader)), "07050101"),
        ];
        for (message, hex) in golden {
            let bytes = message.encode();
            let written: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(written, hex, "{message:?}");
            assert_eq!(DutyMessage::decode(&bytes), Ok(message));
        }
    }

    #[test]
    fn the_bytes_of_each_part_of_a_hand_over_stay_as_they_are() {
        let chunk = Part::Chunk {
            sequence: 1,
            bytes: Bytes::from_static(b"ab"),
        };
        let end = Part::End {
            chunks: 2,
            hash: [0; 32],
        };
        let golden = [
            (chunk, "067a6f6e653a61ac020001026162".to_owned()),
            (end, format!("067a6f6e653a61ac020102{}", "00".repeat(32))),
            (Part::Got { parts: 3 }, "067a6f6e653a61ac020203".to_owned()),
        ];
        for (part, hex) in golden {
            let message = HandOverMessage {
                shard: shard(),
                moving: Epoch(300),
                part,
            };
            let bytes = message.encode();
            let written: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(written, hex, "{message:?}");
            assert_eq!(HandOverMessage::decode(&bytes), Ok(message));
        }
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let cut = moved(MoveStep::Handed).encode();
        for bytes in [&[][..], &[99], &[0, 1], &cut[..cut.len() - 1]] {
            assert!(DutyMessage::decode(bytes).is_err(), "{bytes:?}");
            assert!(HandOverMessage::decode(bytes).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn the_longest_chunk_fits_into_a_frame() {
        let message = HandOverMessage {
            shard: ShardId::new(&"x".repeat(ShardId::BYTES_MAX)),
            moving: Epoch(u64::MAX),
            part: Part::Chunk {
                sequence: u32::MAX,
                bytes: vec![0; crate::limits::CHUNK_BYTES].into(),
            },
        };
        assert!(message.encode().len() < FRAME_BYTES_MAX);
    }
}
