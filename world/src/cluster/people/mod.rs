//! `[process]` People across nodes: who plays, what they say to each other, who may log in.
//!
//! ```text
//! sessions, staff, operator ─ People ─┐                        ┌─ People ─ sessions …
//!                                     ├─ Exchange ◄─ wire ─► Exchange
//! Players ── Herald: came, left ──────┘    │                   └─ Players: who plays elsewhere
//!                                          └─ answers, exactly one for each question
//! ```
//! * `wire`, `claim_wire`, `talk_wire`, `games_wire`: what the nodes say to each other.
//! * `exchange`: what this node has said and waits for; all goes out in the order of its decisions.
//! * `desk`, `register`, `counter`: which session holds which account, seen from its node and from
//!   the owner of its partition.
//! * `circle`, `relay`: channels, whose order is made on one node each.
//! * `games`: the one socket to other games.
//! * `port`: the way there for everybody else; it does nothing on a node that is alone.
//! * `host`: what the cluster calls.
//!
//! Nothing here waits. A wire that goes down answers every question that was sent over it.

mod circle;
mod claim_wire;
mod counter;
mod desk;
mod exchange;
mod games;
mod games_wire;
mod gifts;
mod host;
pub mod limits;
mod local;
mod port;
mod register;
mod relay;
mod shards;
mod state;
mod talk_wire;
#[cfg(test)]
mod tests;
mod wire;

pub use counter::{ClaimAnswer, Waiter};
pub use games_wire::AnswerRecord;
pub use host::PeopleHost;
pub use port::{Hold, OutOfReach, People};
pub use shards::shards;
pub use wire::{Errand, Reply};
