//! `[process]` The types that openraft is filled with.

use super::random::SeededTokio;
use crate::command::{Command, Outcome};
use crate::ids::NodeId;
use serde::{Deserialize, Serialize};
use std::io::Cursor;

openraft::declare_raft_types!(
    /// What openraft works on here.
    pub(crate) Types:
        D = Command,
        R = Answer,
        NodeId = u64,
        Node = openraft::EmptyNode,
        Entry = openraft::Entry<Types>,
        SnapshotData = Cursor<Vec<u8>>,
        AsyncRuntime = SeededTokio,
);

/// What came of an entry: nothing, if it is one of raft's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answer(pub(super) Option<Outcome>);

pub(super) type Entry = openraft::Entry<Types>;
pub(super) type LogId = openraft::LogId<u64>;
pub(super) type Vote = openraft::Vote<u64>;
pub(super) type Membership = openraft::Membership<u64, openraft::EmptyNode>;
pub(super) type StoredMembership = openraft::StoredMembership<u64, openraft::EmptyNode>;
pub(super) type SnapshotMeta = openraft::SnapshotMeta<u64, openraft::EmptyNode>;
pub(super) type Metrics = openraft::RaftMetrics<u64, openraft::EmptyNode>;
pub(super) type StorageError = openraft::StorageError<u64>;
pub(super) type Core = openraft::Raft<Types>;

/// The number that openraft knows a node by.
pub(super) fn raft_id(node: NodeId) -> u64 {
    u64::from(node.0)
}

/// The node of a number; none if no node can have it.
pub(super) fn node_of(raft_id: u64) -> Option<NodeId> {
    u16::try_from(raft_id).ok().map(NodeId)
}
