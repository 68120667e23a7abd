//! `[pure]` Many nodes, one world: a raft log decides on which node each named *shard* lives, and
//! leases and epochs see to it that it acts on no other. Nothing here knows about rooms, players
//! or chat: what a shard is, its [`Host`] knows.
//!
//! ```text
//! Host ◄── run, stop, freeze … ── agent ◄── applied entries ── raft ◄── log (redb)
//!   │                               │                            │
//!   └── Cluster: view, send ──►     └── leases, reports ──► leader: reconciler, plan
//!                                 wires: control and play, mTLS, one of each for a pair
//! ```

pub mod cert;
mod command;
mod counts;
mod duty;
mod handle;
mod host;
mod ids;
mod lease;
pub mod limits;
mod log;
pub mod member;
mod order;
mod plan;
mod raft;
mod report;
#[cfg(test)]
mod sim;
mod state;
mod status;
mod transport;
mod view;
pub mod wire;

pub use command::{Candidate, Command, Outcome, Refusal, ShardSpec};
pub use counts::{Carried, Counts, LaneCounts, PeerCounts};
pub use handle::{Cluster, OrderReply};
pub use host::{Built, HandOver, Host, PeerNews};
pub use ids::{BadName, ContentHash, DirectoryMark, Epoch, Incarnation, NodeId, NodeName, ShardId};
pub use lease::{Fence, LeaseClock};
pub use order::{Order, OrderError};
pub use report::ShardReport;
pub use status::{NodeStatus, PeerStatus, ShardStatus, Status};
pub use transport::{Class, Inbound, Lane, Member, Transport, Unsent};
pub use view::{NodePhase, NodeView, Placement, View};

#[cfg(feature = "test-kit")]
pub mod control_log;
#[cfg(feature = "test-kit")]
pub mod mesh;
#[cfg(feature = "test-kit")]
pub mod scripted;
