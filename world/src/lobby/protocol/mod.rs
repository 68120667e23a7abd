//! `[pure]` What lobby clients and the node say to each other, in two encodings of the same
//! messages: JSON text frames, and binary frames (postcard).
//!
//! A frame is one or several messages: a JSON array, or the messages one behind the other until the
//! frame ends. Enums are only appended to; a client passes over what it does not know (JSON), or
//! asked for a version (binary: the subprotocol's name).

mod client;
mod decode;
mod encode;
mod kind;
mod server;
mod shared;
#[cfg(test)]
mod tests;

pub use client::{ClientMessage, Login, Moderation, RoomPick, RoomWish};
pub use decode::{DecodeError, decode_client, decode_server};
pub use encode::{Encoding, Frame, Part, encode_frame, encode_payload};
pub use kind::Kind;
pub use server::{
    Change, Chat, Closing, Code, Left, MatchState, ServerMessage, TickBody, Welcome, Why,
};
pub use shared::{Access, Field, MatchRole, Outcome, PlayerEntry, RoomEntry, Status, Watching};

/// The payload of a client's frame, for clients written in Rust, and for tests.
pub fn encode_client(messages: &[ClientMessage], encoding: Encoding) -> Vec<u8> {
    let mut payload = Vec::new();
    encode::encode_all(messages, encoding, &mut payload, |_, _| {});
    payload
}
