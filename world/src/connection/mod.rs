//! `[edge]` The players' sockets.
//!
//! ```text
//!  acceptor ─socket→ Reception ─┬─ start_session(port) ──► session
//!                               └─ spawns one process for the socket:
//!
//!  socket ─bytes→ Framing (telnet codec or WebSocket) ─Heard→ Input ──────────► session
//!    ▲                                                                            │
//!    └─ one write per flush ◄─ Output (gap, prompt, backlog) ◄─ ConnectionMessage ┘
//! ```
//!
//! A connection owns bytes and the look of a terminal; it knows no player, room or command. What
//! telnet and WebSocket have in common is here once; what differs stands in `framing` alone.

mod acceptor;
mod body;
mod clocks;
mod farewell;
pub(crate) mod framing;
mod input;
pub mod limits;
mod output;
mod pen;
mod reception;
mod scratch;
mod seats;
mod session_link;
mod settings;
pub(crate) mod socket;
mod stats;
mod terminal;
#[cfg(test)]
pub(crate) mod tests;
mod writing;

pub use acceptor::acceptor;
pub use reception::{Door, Reception, Refused, StartSession};
pub use settings::ConnectionSettings;
pub use stats::{ConnectionStats, Counter, MessageKind, Texts, stats};

pub(crate) use body::Connection;
pub(crate) use reception::Visitor;
