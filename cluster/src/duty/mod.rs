//! `[pure]` What a node has to do: one machine for each node, which is told what happened and says
//! what is to be done. Nothing here knows about sockets, threads, raft's messages or the clock.

mod io;
mod machine;
mod message;

pub(crate) use io::{Effect, HostCall, Input, Note, OrderId, ProposalId, Role, Unproposed};
pub(crate) use machine::{Duty, DutyConfig};
pub(crate) use message::{DutyMessage, Garbled, HandOverMessage};
