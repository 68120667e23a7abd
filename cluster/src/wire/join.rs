//! `[pure]` What a node without a number asks and is answered, and what a member that knocks is
//! told. All of it goes over wires between builds of different age: variants are appended, never
//! changed or removed.

use crate::command::Candidate;
use crate::ids::{Incarnation, NodeId};
use crate::transport::Member;
use bytes::Bytes;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// A node asks to be a member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JoinAsk {
    /// The node.
    pub candidate: Candidate,
    /// When its process started, in milliseconds of Unix time.
    pub boot_ms: u64,
}

/// What it is answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum JoinAnswer {
    /// It is a member.
    Joined {
        /// Its number, for ever.
        number: NodeId,
        /// The cluster's name.
        cluster: String,
        /// The other members.
        members: Vec<Member>,
    },
    /// Another node decides: ask there.
    TryThere {
        /// `HOST:PORT`.
        address: String,
    },
    /// No.
    Refused {
        /// For the operator.
        why: String,
    },
}

/// Where a node believes a member to be. Worth a knock, and no more: only the member itself can
/// show that it is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(crate) node: NodeId,
    /// The life that was seen there.
    pub(crate) incarnation: Incarnation,
    /// `HOST:PORT`.
    pub(crate) address: String,
}

/// The body of a frame.
pub(crate) fn encode<T: Serialize>(value: &T) -> Bytes {
    // Structures of strings and numbers always encode.
    postcard::to_stdvec(value).unwrap_or_default().into()
}

/// Reads the body of a frame.
pub(crate) fn decode<T: DeserializeOwned>(body: &[u8]) -> Option<T> {
    postcard::from_bytes(body).ok()
}
