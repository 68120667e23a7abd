//! `[pure]` Messages that are the same for many clients: encoded once for each encoding, when the
//! first client of that encoding needs it, as a whole WebSocket frame.

use super::protocol::ServerMessage;

/// One frame for many.
#[derive(Debug)]
pub struct Shared {
    messages: Vec<ServerMessage>,
}

impl Shared {
    /// A frame with these messages.
    pub fn new(messages: Vec<ServerMessage>) -> Self {
        Self { messages }
    }

    /// What it says.
    pub fn messages(&self) -> &[ServerMessage] {
        &self.messages
    }
}
