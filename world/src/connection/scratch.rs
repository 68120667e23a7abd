//! `[edge]` The buffers of a thread. A connection borrows them for one turn, in which it does not
//! wait, so that ten thousand idle connections own no buffer.

use super::framing::Heard;
use super::limits::{READ_BYTES, SCRATCH_BYTES_RETAINED};
use std::cell::Cell;

thread_local! {
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// Buffers for one turn; empty but for `input` when they are taken.
#[derive(Debug)]
pub(super) struct Scratch {
    /// Room for what the socket gives, [`READ_BYTES`] long.
    pub(super) input: Vec<u8>,
    /// What the input held.
    pub(super) heard: Vec<Heard>,
    /// Text for the player, encoded, not framed.
    pub(super) text: Vec<u8>,
    /// Bytes of the protocol: option answers, pongs.
    pub(super) protocol: Vec<u8>,
    /// What goes to the socket.
    pub(super) wire: Vec<u8>,
}

impl Scratch {
    /// Takes the buffers of this thread, or new ones if a turn holds them.
    pub(super) fn take() -> Box<Self> {
        SCRATCH.take().unwrap_or_else(|| {
            Box::new(Self {
                input: vec![0; READ_BYTES],
                heard: Vec::new(),
                text: Vec::new(),
                protocol: Vec::new(),
                wire: Vec::new(),
            })
        })
    }

    /// Gives the buffers back, empty.
    pub(super) fn put_back(mut self: Box<Self>) {
        self.heard.clear();
        for buffer in [&mut self.text, &mut self.protocol, &mut self.wire] {
            buffer.clear();
            buffer.shrink_to(SCRATCH_BYTES_RETAINED);
        }
        SCRATCH.set(Some(self));
    }
}
