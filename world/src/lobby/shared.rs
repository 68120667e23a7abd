//! `[pure]` Messages that are the same for many clients: encoded once for each encoding, when the
//! first client of that encoding needs it, as a whole WebSocket frame.

use super::ids::HallRoomId;
use super::protocol::ServerMessage;

/// One frame for many.
#[derive(Debug)]
pub struct Shared {
    room: Option<HallRoomId>,
    messages: Vec<ServerMessage>,
}

impl Shared {
    /// A frame with these messages, which are of no room: to be read wherever one is.
    pub fn new(messages: Vec<ServerMessage>) -> Self {
        Self {
            room: None,
            messages,
        }
    }

    /// A frame with these messages of a room: void for who is not in it.
    pub fn of_room(room: HallRoomId, messages: Vec<ServerMessage>) -> Self {
        Self {
            room: Some(room),
            messages,
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
}
