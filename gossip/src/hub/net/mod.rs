//! `[edge]` The sockets of a hub.
//!
//! ```text
//! listener -> acceptor: ban? seat? -> one process each: TLS -> HTTP -> page, health, 404
//!                                                           \-> WebSocket: text -> Decoded -> core
//!                                                  one write a gap <- frames <- bounded queue <-/
//! ```
//! A socket process decodes and writes; what is answered, counted and closed is the core's matter.
//! It crashes alone: the core sees its end, like every other end of a socket, by a monitor.

mod acceptor;
mod body;
mod door;
mod handshake;
mod http;
mod listen;
mod ops;
mod page;
mod seats;
mod socket;
mod stream;
mod tls;

pub use acceptor::acceptor;
pub use door::{Door, DoorOptions, NetFigures};
pub use listen::{ListenError, listen};
pub use ops::{Report, ops};
pub use seats::SeatLimits;
pub use tls::{Tls, TlsError};
