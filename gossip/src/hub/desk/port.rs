//! `[process]` The way from the desk to a socket.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use belay_runtime::{Address, ProcessRef};

use crate::hub::core::{CloseWith, Frame};
use crate::limits::SOCKET_QUEUE_BYTES;

/// What a socket is sent.
#[derive(Debug)]
pub enum SocketMessage {
    /// Write this.
    Frame(Frame),
    /// Write what came before, then close.
    Close(CloseWith),
}

/// The way to a socket.
#[derive(Debug, Clone)]
pub struct SocketPort {
    pub(super) address: Address<SocketMessage>,
    pub(super) process: ProcessRef,
    /// Bytes of frames that were sent and not taken yet.
    queued: Arc<AtomicUsize>,
}

impl SocketPort {
    /// The way to the socket of a process.
    #[must_use]
    pub fn new(address: Address<SocketMessage>, process: ProcessRef) -> Self {
        Self {
            address,
            process,
            queued: Arc::default(),
        }
    }

    /// The socket has taken a frame out of its queue.
    pub fn taken(&self, frame: &Frame) {
        self.queued.fetch_sub(frame.len(), Ordering::Relaxed);
    }

    /// Whether it had room.
    pub(super) fn send(&self, frame: Frame) -> bool {
        let bytes = frame.len();
        let queued = self.queued.fetch_add(bytes, Ordering::Relaxed);
        queued + bytes <= SOCKET_QUEUE_BYTES
            && self.address.try_send(SocketMessage::Frame(frame)).is_ok()
    }
}
