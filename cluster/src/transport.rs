//! `[pure]` How nodes reach each other, as the rest of the crate sees it. Two things stand behind
//! it: wires ([`crate::wire`]) and the simulated network of the tests.

use crate::counts::Carried;
use crate::ids::{Incarnation, NodeId};
use bytes::Bytes;

/// Which of the two connections of a pair of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// Raft, leases, placement. A full queue closes the wire.
    Control,
    /// What shards say to each other, and hand-overs.
    Play,
}

/// What happens to a message for which there is no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// It must arrive or its sender must know: the wire has room of its own for it, and is closed
    /// when that is full too.
    Owed,
    /// It is dropped and counted.
    Ambient,
}

/// Why a message was not sent. It is not kept anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsent {
    /// There is no wire to this node just now.
    #[error("no wire to the node")]
    NoWire,
    /// The queue is full.
    #[error("the queue of the wire is full")]
    Full,
    /// Longer than a frame may be.
    #[error("longer than a frame may be")]
    TooLong,
}

/// Sends to other nodes. What is sent to one node in one lane arrives in order, once, or the wire
/// goes down: nothing is repeated by the transport. Nothing here waits.
pub trait Transport: Clone + Send + Sync + 'static {
    /// Sends a message.
    ///
    /// # Errors
    /// It was not sent, and why.
    fn send(&self, to: NodeId, lane: Lane, class: Class, body: Bytes) -> Result<(), Unsent>;

    /// These are the other members, with where they are reached. Wires to others are closed.
    fn members(&self, members: &[Member]);

    /// What went over a lane so far.
    fn counts(&self, lane: Lane) -> Carried;
}

/// Another node, as its wires need it. Nodes that join are told of it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Member {
    /// Its number.
    pub node: NodeId,
    /// Its name, which must stand in its certificate.
    pub name: crate::ids::NodeName,
    /// Where it listens, `HOST:PORT`.
    pub address: String,
    /// Lives before this one are over: their wires are closed.
    pub incarnation: Incarnation,
}

/// What a transport brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inbound {
    /// A wire stands. Everything after this comes from this life of the node.
    Up {
        /// The node.
        from: NodeId,
        /// Its life.
        incarnation: Incarnation,
        /// Which lane.
        lane: Lane,
    },
    /// The wire is gone. What was on its way may have arrived or not.
    Down {
        /// The node.
        from: NodeId,
        /// Which lane.
        lane: Lane,
    },
    /// A message.
    Message {
        /// The node.
        from: NodeId,
        /// Its life.
        incarnation: Incarnation,
        /// Which lane.
        lane: Lane,
        /// The message.
        body: Bytes,
    },
}
