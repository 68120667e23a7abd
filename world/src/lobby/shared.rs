//! `[pure]` Messages that are the same for many clients: encoded once for each encoding, when the
//! first client of that encoding needs it, as a whole WebSocket frame.

use super::ids::HallRoomId;
use super::protocol::{Encoding, Frame, ServerMessage, encode_frame};
use std::sync::OnceLock;

/// One frame for many.
#[derive(Debug)]
pub struct Shared {
    room: Option<HallRoomId>,
    messages: Vec<ServerMessage>,
    json: OnceLock<Frame>,
    binary: OnceLock<Frame>,
}

impl Shared {
    /// A frame with these messages, which are of no room: to be read wherever one is.
    pub fn new(messages: Vec<ServerMessage>) -> Self {
        Self {
            room: None,
            messages,
            json: OnceLock::new(),
            binary: OnceLock::new(),
        }
    }

    /// A frame with these messages of a room: void for who is not in it.
    pub fn of_room(room: HallRoomId, messages: Vec<ServerMessage>) -> Self {
        Self {
            room: Some(room),
            ..Self::new(messages)
        }
    }

    /// The room of which it is.
    pub fn room(&self) -> Option<HallRoomId> {
        self.room
    }

    /// What it says.
    pub fn messages(&self) -> &[ServerMessage] {
        &self.messages
    }

    /// The whole frame in this encoding. Who asks first encodes it, and others who ask meanwhile
    /// wait for that; all have the same bytes.
    pub fn frame(&self, encoding: Encoding) -> &Frame {
        let cell = match encoding {
            Encoding::Json => &self.json,
            Encoding::Binary => &self.binary,
        };
        cell.get_or_init(|| encode_frame(&self.messages, encoding))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_encoded_once_for_each_encoding() {
        let shared = Shared::new(vec![ServerMessage::Moving]);
        for encoding in Encoding::ALL {
            let first = shared.frame(encoding).bytes.as_ptr();
            assert_eq!(shared.frame(encoding).bytes.as_ptr(), first);
            assert_eq!(
                *shared.frame(encoding),
                encode_frame(&[ServerMessage::Moving], encoding)
            );
        }
    }
}
