//! `[edge]` A member of a cluster: everything of this crate put together on one node.
//!
//! ```text
//! wires ─ raft's messages ──► raft ─ news ─► Newest ─┐
//!   │  └─ the duty's ───────────────────► driver ◄───┘   (all on a thread of their own)
//!   │                                     │    ▲
//!   └─ the host's (play) ──► Host ◄─ calls┘    └─ orders, joins
//! ```
//! `open` does what comes before the tree: who this node is, joining, log and listener. `begin`
//! starts raft, `driver` runs the duty, `shared` is what the program sees. Simulated nodes
//! (`crate::sim`) have the same insides.

mod begin;
mod deeds;
mod driver;
mod effects;
mod event;
mod identity;
mod join;
mod keep;
mod notes;
mod open;
mod roll;
mod route;
mod shared;

pub use identity::IdentityError;
pub use open::{Member, MemberConfig, OpenMemberError, found};

#[cfg(test)]
pub(crate) use self::{
    begin::{Begin, Founding},
    event::{Event, JoinReply, Keeper},
    route::Part,
    shared::Shared,
};
