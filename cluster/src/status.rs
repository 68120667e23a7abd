//! `[pure]` What an operator wants to see of a cluster, as one node knows it.

use crate::counts::{Counts, PeerCounts};
use crate::view::{NodePhase, Placement};
use serde::{Deserialize, Serialize};

/// The whole of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// The cluster's name.
    pub cluster: String,
    /// The name of the node that says this.
    pub node: String,
    /// The leader's name, as far as known.
    pub leader: Option<String>,
    /// The term.
    pub term: u64,
    /// The last entry of the log here, and the last that is applied here.
    pub log: (u64, u64),
    /// Whether this node holds its lease: it is in reach of the leader, and its shards may act.
    pub leased: bool,
    /// What was counted here since the process started.
    pub counts: Counts,
    /// The members, by number.
    pub nodes: Vec<NodeStatus>,
    /// The shards, by name.
    pub shards: Vec<ShardStatus>,
    /// What went to and from each other member, by number.
    #[serde(default)]
    pub peers: Vec<PeerStatus>,
}

/// What went to and from another member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeerStatus {
    /// Its name.
    pub name: String,
    /// Raft, leases and placement.
    pub control: PeerCounts,
    /// Shards and hand-overs.
    pub play: PeerCounts,
}

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeStatus {
    /// Its number.
    pub number: u16,
    /// Its name.
    pub name: String,
    /// Where it is reached.
    pub address: String,
    /// How it is.
    pub phase: NodePhase,
    /// Its life.
    pub incarnation: u32,
    /// It votes.
    pub voter: bool,
    /// Milliseconds since its lease was renewed; only the leader knows.
    pub lease_ms_ago: Option<u64>,
    /// Entries that it lacks of the leader's log; only the leader knows.
    pub lag: Option<u64>,
    /// How many shards it owns.
    pub shards: usize,
}

/// A shard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardStatus {
    /// Its name.
    pub shard: String,
    /// The owner's name.
    pub owner: Option<String>,
    /// Where it is, with its epoch.
    pub placement: Placement,
    /// Milliseconds since it ticked under this epoch; only the leader knows.
    pub ticked_ms_ago: Option<u64>,
    /// Its load.
    pub weight: u32,
}
