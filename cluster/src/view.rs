//! `[pure]` What a node knows of the cluster: the log as far as it is applied here. Every node has
//! one; they differ only in how far they are.

use crate::ids::{Epoch, Incarnation, NodeId, NodeName, ShardId};
use std::collections::BTreeMap;

/// The members and where each shard is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The index of the last entry applied.
    pub applied: u64,
    /// The cluster's name; empty before it is founded.
    pub cluster: String,
    /// The members.
    pub nodes: BTreeMap<NodeId, NodeView>,
    /// The shards.
    pub shards: BTreeMap<ShardId, Placement>,
    /// What each shard was declared to weigh: its load while none is reported.
    pub weights: BTreeMap<ShardId, u32>,
    /// Shards whose present epoch began with a finished move, and the epoch of that move: their
    /// owner goes on with what it was handed in that move, and with nothing older. An entry goes
    /// with that epoch of ownership; it stays while the shard is moving on.
    pub arrived: BTreeMap<ShardId, Epoch>,
}

/// A member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeView {
    /// Its name.
    pub name: NodeName,
    /// Where other nodes reach it.
    pub address: String,
    /// Its last known life.
    pub incarnation: Incarnation,
    /// Whether it lives.
    pub phase: NodePhase,
}

/// How a member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum NodePhase {
    /// It has a number, and was never up.
    Joining,
    /// It may own shards.
    Up,
    /// It lives, and is to own nothing.
    Draining,
    /// Its lease ran out, or it never came up.
    Down,
}

/// Where a shard is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Placement {
    /// Nowhere, since this epoch ended.
    Unplaced {
        /// The last epoch; 0 if there was none.
        last: Epoch,
    },
    /// On a node.
    Placed {
        /// The owner.
        node: NodeId,
        /// Its epoch.
        epoch: Epoch,
    },
    /// On its way. The owner is `from`, in its epoch, until the move is finished.
    Moving {
        /// The owner.
        from: NodeId,
        /// The owner's epoch.
        epoch: Epoch,
        /// Where to.
        to: NodeId,
        /// The epoch of the move: the index of its first entry.
        moving: Epoch,
    },
}

impl Placement {
    /// Who owns the shard now, and in which epoch.
    pub fn owner(&self) -> Option<(NodeId, Epoch)> {
        match *self {
            Self::Unplaced { .. } => None,
            Self::Placed { node, epoch } => Some((node, epoch)),
            Self::Moving { from, epoch, .. } => Some((from, epoch)),
        }
    }
}

impl View {
    /// Who owns this shard now, and in which epoch.
    pub fn owner(&self, shard: &ShardId) -> Option<(NodeId, Epoch)> {
        self.shards.get(shard).and_then(Placement::owner)
    }

    /// The number of the member of this name.
    pub fn named(&self, name: &str) -> Option<NodeId> {
        let mut nodes = self.nodes.iter();
        nodes
            .find(|(_, node)| node.name.as_str() == name)
            .map(|(id, _)| *id)
    }

    /// Members that live.
    pub fn living(&self) -> impl Iterator<Item = NodeId> + '_ {
        let lives = |phase| matches!(phase, NodePhase::Up | NodePhase::Draining);
        let nodes = self.nodes.iter();
        nodes
            .filter(move |(_, node)| lives(node.phase))
            .map(|(id, _)| *id)
    }
}
