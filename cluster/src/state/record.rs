//! `[pure]` The state as bytes: what a snapshot holds, and what a node that lags is sent. A version
//! number comes first; a later version of this program reads the earlier ones.

use super::machine::ClusterState;
use super::nodes::Standing;
use crate::ids::{ContentHash, DirectoryMark, Epoch, Incarnation, NodeId, NodeName, ShardId};
use crate::view::{NodePhase, NodeView, Placement, View};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The form that is written, unless a later one says more.
const VERSION: u16 = 1;

/// The form of a cluster that is not the first on its storage, or that has retired shards: that of
/// version 1, and more behind it.
const VERSION_MORE: u16 = 2;

/// Bytes that hold no state.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DecodeError {
    /// **Fatal**: a later version of this program wrote them.
    #[error("a state of version {0}, which this program does not know")]
    Version(u16),
    /// **Refused**: they are cut short, too long or garbage.
    #[error("not the bytes of a state")]
    Garbage(#[source] postcard::Error),
    /// **Refused**: they say something that cannot be.
    #[error("not a state: {0}")]
    Unsound(&'static str),
}

/// Version 1. Never changed: a new form is a new type with a new number.
#[derive(Serialize, Deserialize)]
struct Record {
    applied: u64,
    cluster: String,
    content: ContentHash,
    last_node: u16,
    nodes: Vec<NodeRecord>,
    shards: Vec<ShardRecord>,
}

/// What version 2 has behind version 1. Never changed either.
#[derive(Default, PartialEq, Serialize, Deserialize)]
struct More {
    generation: u32,
    retired: Epoch,
}

#[derive(Serialize, Deserialize)]
struct NodeRecord {
    id: NodeId,
    name: NodeName,
    address: String,
    incarnation: Incarnation,
    phase: NodePhase,
    mark: DirectoryMark,
    joined: Incarnation,
}

#[derive(Serialize, Deserialize)]
struct ShardRecord {
    shard: ShardId,
    weight: u32,
    placement: Placement,
    arrived: Option<Epoch>,
}

impl ClusterState {
    /// The state as bytes, which [`ClusterState::decode`] reads. Equal states give equal bytes.
    pub(crate) fn encode(&self) -> Vec<u8> {
        // Writing into memory cannot fail; a state without bytes would be refused by `decode`.
        let more = More {
            generation: self.generation,
            retired: self.retired,
        };
        let bytes = if more == More::default() {
            postcard::to_stdvec(&(VERSION, self.record()))
        } else {
            postcard::to_stdvec(&(VERSION_MORE, self.record(), more))
        };
        bytes.unwrap_or_default()
    }

    /// The state that these bytes hold. It has the same view and the same future as the one that
    /// was encoded.
    ///
    /// # Errors
    /// They hold none that could be; see [`DecodeError`].
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (version, rest): (u16, _) =
            postcard::take_from_bytes(bytes).map_err(DecodeError::Garbage)?;
        if ![VERSION, VERSION_MORE].contains(&version) {
            return Err(DecodeError::Version(version));
        }
        let (record, rest): (Record, _) =
            postcard::take_from_bytes(rest).map_err(DecodeError::Garbage)?;
        let (more, rest) = match version {
            VERSION => (More::default(), rest),
            _ => postcard::take_from_bytes(rest).map_err(DecodeError::Garbage)?,
        };
        if !rest.is_empty() {
            return Err(DecodeError::Unsound("bytes after its end"));
        }
        let (nodes, shards) = (record.nodes.len(), record.shards.len());
        let state = Self::from_record(record, &more);
        if state.view.nodes.len() != nodes || state.view.shards.len() != shards {
            return Err(DecodeError::Unsound("a node or shard twice"));
        }
        match state.broken() {
            Some(broken) => Err(DecodeError::Unsound(broken)),
            None => Ok(state),
        }
    }

    fn record(&self) -> Record {
        let members = self.view.nodes.iter().zip(self.standing.values());
        let nodes = members.map(|((id, node), standing)| NodeRecord {
            id: *id,
            name: node.name.clone(),
            address: node.address.clone(),
            incarnation: node.incarnation,
            phase: node.phase,
            mark: standing.mark,
            joined: standing.joined,
        });
        let shards = self.view.shards.iter().zip(self.view.weights.values());
        let shards = shards.map(|((shard, placement), weight)| ShardRecord {
            shard: shard.clone(),
            weight: *weight,
            placement: *placement,
            arrived: self.view.arrived.get(shard).copied(),
        });
        Record {
            applied: self.view.applied,
            cluster: self.view.cluster.clone(),
            content: self.content,
            last_node: self.last_node,
            nodes: nodes.collect(),
            shards: shards.collect(),
        }
    }

    fn from_record(record: Record, more: &More) -> Self {
        let mut view = View {
            applied: record.applied,
            cluster: record.cluster,
            ..View::default()
        };
        let mut standing = BTreeMap::new();
        for node in record.nodes {
            let seen = NodeView {
                name: node.name,
                address: node.address,
                incarnation: node.incarnation,
                phase: node.phase,
            };
            view.nodes.insert(node.id, seen);
            let (mark, joined) = (node.mark, node.joined);
            standing.insert(node.id, Standing { mark, joined });
        }
        for one in record.shards {
            view.shards.insert(one.shard.clone(), one.placement);
            view.weights.insert(one.shard.clone(), one.weight);
            if let Some(moving) = one.arrived {
                view.arrived.insert(one.shard, moving);
            }
        }
        Self {
            view: Arc::new(view),
            content: record.content,
            standing,
            last_node: record.last_node,
            generation: more.generation,
            retired: more.retired,
        }
    }
}
