//! `[pure]` What lobby clients and the node say to each other, in two encodings of the same
//! messages: JSON text frames, and binary frames (postcard).
//!
//! A frame is one or several messages: a JSON array, or the messages one behind the other until the
//! frame ends. Enums are only appended to; a client passes over what it does not know (JSON), or
//! asked for a version (binary: the subprotocol's name).

mod client;
mod server;
mod shared;

pub use client::{ClientMessage, Login, Moderation, RoomPick, RoomWish};
pub use server::{
    Change, Chat, Closing, Code, Left, MatchState, ServerMessage, TickBody, Welcome, Why,
};
pub use shared::{Access, Field, MatchRole, Outcome, PlayerEntry, RoomEntry, Status, Watching};
