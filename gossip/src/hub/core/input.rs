//! `[pure]` What the core is handed.

use std::net::IpAddr;
use std::time::Instant;

use crate::hub::directory::Directory;
use crate::protocol::Decoded;

/// A connection, numbered by the edge. A number is never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SocketId(pub u64);

/// A moment on both clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// For everything that is measured. It never goes back.
    pub at: Instant,
    /// For what is shown and kept, in Unix milliseconds.
    pub unix_ms: i64,
}

/// One thing that happened.
#[derive(Debug)]
pub enum Input {
    /// A WebSocket opened.
    Opened {
        /// Its number.
        socket: SocketId,
        /// Where it comes from.
        address: IpAddr,
    },
    /// A text frame came.
    Frame {
        /// From which socket.
        socket: SocketId,
        /// As it was read.
        frame: Decoded,
    },
    /// A socket ended, however it did; also after a [`Close`](super::Effect::Close).
    Closed {
        /// Which.
        socket: SocketId,
    },
    /// Time went by: at least once a second, or at [`Hub::next_due`](super::Hub::next_due).
    Tick,
    /// The operator changed something.
    Directory(Box<Directory>),
    /// The hub will go down: every socket is told.
    Restart {
        /// For about so many seconds.
        downtime_s: u64,
    },
}
