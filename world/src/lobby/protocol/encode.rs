//! `[pure]` From messages to the bytes of one WebSocket frame, in either encoding.
//!
//! The messages of a frame stand one behind the other (binary), or in an array (JSON); the frame is
//! whole, header included, so that its bytes can be shared by all sockets of that encoding.

use super::{Kind, ServerMessage};
use crate::web::framing::{BINARY, TEXT, frame_header};
use bytes::Bytes;
use serde::Serialize;

/// How the messages of a connection are written; the subprotocol of its handshake says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// `lobby.belay.v1.json`: text frames, each an array of messages.
    Json,
    /// `lobby.belay.v1.bin`: binary frames, each some messages in postcard's format.
    Binary,
}

impl Encoding {
    /// All encodings.
    pub const ALL: [Self; 2] = [Self::Json, Self::Binary];

    /// The name of the WebSocket subprotocol.
    pub const fn subprotocol(self) -> &'static str {
        match self {
            Self::Json => "lobby.belay.v1.json",
            Self::Binary => "lobby.belay.v1.bin",
        }
    }
}

/// A whole frame as it goes over the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Header and payload.
    pub bytes: Bytes,
    /// Each message of it, with its share of the payload.
    pub parts: Box<[Part]>,
}

/// One message of a frame, for the accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub kind: Kind,
    /// Its bytes in the payload, without brackets and commas.
    pub bytes: u32,
}

/// One frame with these messages.
pub fn encode_frame(messages: &[ServerMessage], encoding: Encoding) -> Frame {
    let mut payload = Vec::new();
    let parts = encode_payload(messages, encoding, &mut payload);
    let mut bytes = Vec::with_capacity(payload.len() + 10);
    let first = match encoding {
        Encoding::Json => TEXT,
        Encoding::Binary => BINARY,
    };
    frame_header(first, payload.len(), &mut bytes);
    bytes.extend_from_slice(&payload);
    Frame {
        bytes: bytes.into(),
        parts: parts.into(),
    }
}

/// Appends the payload of a frame with these messages; says which share each has.
pub fn encode_payload(
    messages: &[ServerMessage],
    encoding: Encoding,
    payload: &mut Vec<u8>,
) -> Vec<Part> {
    let mut parts = Vec::with_capacity(messages.len());
    encode_all(messages, encoding, payload, |message, bytes| {
        let kind = message.kind();
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        parts.push(Part { kind, bytes });
    });
    parts
}

/// Appends messages of a client or of the node, and tells `each` its bytes.
pub(super) fn encode_all<'a, M: Serialize>(
    messages: &'a [M],
    encoding: Encoding,
    payload: &mut Vec<u8>,
    mut each: impl FnMut(&'a M, usize),
) {
    if encoding == Encoding::Json {
        payload.push(b'[');
    }
    let mut is_first = true;
    for message in messages {
        let before = payload.len();
        if encoding == Encoding::Json && !is_first {
            payload.push(b',');
        }
        let from = payload.len();
        if write(message, encoding, payload) {
            is_first = false;
            each(message, payload.len() - from);
        } else {
            // Neither format refuses any of our types; if one did, the others must still go out.
            payload.truncate(before);
        }
    }
    if encoding == Encoding::Json {
        payload.push(b']');
    }
}

fn write<M: Serialize>(message: &M, encoding: Encoding, payload: &mut Vec<u8>) -> bool {
    let written = match encoding {
        Encoding::Json => serde_json::to_writer(payload, message).is_ok(),
        Encoding::Binary => {
            postcard::serialize_with_flavor::<M, _, ()>(message, Out(payload)).is_ok()
        }
    };
    debug_assert!(written, "our messages can be written");
    written
}

/// Lets postcard append to a buffer.
struct Out<'a>(&'a mut Vec<u8>);

impl postcard::ser_flavors::Flavor for Out<'_> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}
