//! `[process]` Raft: one log of [`Command`](crate::Command)s on all nodes, agreed by a majority of
//! the voters, applied to one state on each.
//!
//! It is openraft, and nothing outside this module knows that: records on disks and wires are our
//! own. Its ancestor async-raft is smaller and fails over sooner, but after plain deaths of its
//! leader it left acknowledged writes unapplied in 46 of 60 runs, and one late packet lost them.
//! openraft came from it by repairing just that, and lost none.
//!
//! ```text
//! propose ─► openraft ─ entries ─► storage ─► crate::log
//!               │  ▲ └─ committed ─► machine ─► ClusterState ─► RaftNews::Applied
//!        calls ─┘  └─ serve ◄─ receive          role ─► RaftNews::Role
//!          └──────► Transport (control lane) ◄──┘ answers
//! ```
//!
//! What openraft leaves to us and is easily got wrong:
//! * An answer counts only for the call that it names, of this life of this node.
//! * Who leads is told when the blank entry of the term is applied **and** a majority has answered
//!   this leader lately: a leader that starts anew, or is cut off, does not know that it is over.
//!   When a majority last stood behind it is told too ([`RaftNews::Quorum`]): whoever grants
//!   something that lasts must not do so on an older word than
//!   [`QUORUM_AGE_MAX`](crate::limits::QUORUM_AGE_MAX).
//! * Election windows differ by rank, and are narrow; and nobody stands for election while a
//!   majority hears a leader.
//!
//! Never built with the feature `single-term-leader`: ties would last.

mod acks;
mod calls;
mod handle;
mod hearing;
mod machine;
mod message;
mod random;
mod record;
mod role;
mod serve;
mod start;
mod storage;
mod types;

pub(crate) use handle::{ProposeError, Raft, RaftFigures, RaftNews};
pub(crate) use record::holds_commands;
pub(crate) use start::{Cuts, RaftConfig};
#[cfg(test)]
pub(crate) use {handle::ChangeError, start::StartError};

#[cfg(test)]
mod tests;
