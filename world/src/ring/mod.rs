//! `[process]` The messages that go round the ring, and how its members reach each other. Rooms are
//! reached by [`RoomId`](crate::ids::RoomId) through one [`Rooms`] port, never by a handle that
//! somebody kept: a zone may live on another node, and move there and back.

mod being_port;
mod connection_message;
mod kinds;
mod rooms;
mod session_message;
mod terminal;

pub use crate::room::Undelivered;
pub use being_port::{BeingPort, Receipt};
pub use connection_message::{ConnectionMessage, ConnectionPort, Shown};
pub use rooms::{Farewell, RoomMessage, Rooms};
pub use session_message::{
    Arrival, Input, LoginAnswer, MobMessage, NetworkTell, SessionMessage, SessionPort, StoreAnswer,
    Wake,
};
pub use terminal::TerminalNow;
