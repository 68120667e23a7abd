//! `[pure]` What a node has to do: one machine for each node, which is told what happened and says
//! what is to be done. Nothing here knows about sockets, threads, raft's messages or the clock.
//!
//! ```text
//!            ┌ asking ── holder ──── lease ─┐
//! Input ──►  │ shards ── source ── target   │ ──► Effect
//!            │ orders                       │
//!            └ lead: grantor, reconciler, moves, membership, orders (while this node leads)
//! ```
//!
//! - A shard runs here only in an epoch that the log gives this very life of this node, and while
//!   its lease holds. No epoch is run twice.
//! - Before anything else a step finds out whether the lease has lapsed.
//! - Parts act on what is (view, lease, what was seen), not on a message that must not be lost;
//!   whoever wants something of another node says it until the log shows it.
//! - Messages of a life that the log knows to be over are dropped.

mod asking;
mod context;
mod inbound;
mod io;
mod lead;
mod machine;
mod message;
mod orders;
mod shards;
mod source;
mod standing;
mod target;

pub(crate) use io::{Effect, HostCall, Input, Note, OrderId, ProposalId, Role, Unproposed};
pub(crate) use machine::{Duty, DutyConfig};
pub(crate) use message::{DutyMessage, HandOverMessage};

#[cfg(test)]
mod tests;
