//! `[process]` The one process that owns the state of the network, and the ways to and from it.
//!
//! ```text
//! sockets, store, operator ─ DeskMessage ─► step(input, now) ─► SocketMessage, StoreOrder
//! ```
//! The state is an heir: a crash loses the input that met it and nothing else, and all sockets
//! stay. Only a state on which every input crashes is given up, with all sockets. Nobody is waited
//! for: a socket whose queue is full is cut. Nothing here knows what a socket is made of.

mod notices;
mod port;
mod process;

pub use notices::Notices;
pub use port::{SocketMessage, SocketPort};
pub use process::{Desk, DeskMessage, MakeHub, OnOrder};
