//! `[edge]` Wires: two TCP connections for each pair of members, *control* and *play*, each of
//! them ordered, so that a fat hand-over never delays a heartbeat into an election.
//!
//! ```text
//! send ─► outbox (bounded) ─► process of the wire ═ TLS ═ process of the wire ─► seat ─► inbox
//!                                  ▲      ▲
//!            side: dials lower numbers    acceptor: first byte names the lane
//!           knock: shows us to higher ones
//! ```
//!
//! * The node with the higher number dials, for ever, with growing and jittered pauses.
//! * The first frame both ways says who speaks ([`Hello`]); what does not fit is refused, in words
//!   for the operators of both ([`Mismatch`]), and logged once for each change.
//! * A wire that is silent is closed: within a second and a half in the control lane, within three
//!   seconds in the play lane. A wire that stood comes down before the next comes up.
//! * Who has no wire to a node with a higher number knocks there, so that it is dialled where it
//!   is now: a node may come back at another address. Whoever is knocked at tells where all others
//!   are; that is worth another knock, and believed only of the node itself.
//! * A node without a number may only ask to join ([`ask_to_join`]).
//!
//! Nothing here knows what a message means, or about raft, leases and shards.

mod acceptor;
mod ask;
mod connection;
mod figures;
mod frame;
mod greet;
mod handshake;
mod join;
mod knock;
mod known;
pub mod limits;
mod outbox;
mod pulse;
mod rules;
mod seats;
mod shared;
mod side;
mod stream;
mod troubles;
mod wires;

pub use acceptor::{Door, JoinReply};
pub use ask::{JoinError, ask_to_join};
pub use figures::WireFigures;
pub use frame::FrameError;
pub use greet::HandshakeError;
pub use handshake::{Hello, Mismatch, Versions};
pub use join::{JoinAnswer, JoinAsk};
pub use seats::Inbox;
pub use shared::WireTransport;
pub use wires::{OpenError, WireConfig, Wires};

#[cfg(test)]
mod tests;
