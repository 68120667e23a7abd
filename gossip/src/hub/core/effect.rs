//! `[pure]` What the core wants done, in order.

use std::net::IpAddr;

use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::input::SocketId;
use crate::hub::directory::ShortName;
use crate::hub::order::StoreOrder;

/// The text of a frame; a clone shares it.
pub type Frame = Utf8Bytes;

/// One thing to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Send a frame.
    Send(SocketId, Frame),
    /// Send one frame to many sockets, each of them once.
    Broadcast(Vec<SocketId>, Frame),
    /// Write what was sent before, then close. The core has already forgotten the socket.
    Close(SocketId, CloseWith),
    /// Keep something.
    Store(StoreOrder),
    /// Let the operator know.
    Note(Note),
}

/// Something that an operator wants to read in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// A game is here: its first socket.
    Came(ShortName),
    /// A game is gone: its last socket.
    Left(ShortName),
    /// A socket was closed because it may not be here.
    Refused {
        /// Where it came from.
        address: IpAddr,
        /// What it was told.
        error: String,
    },
}

/// How a socket is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CloseWith {
    /// The code of the WebSocket protocol.
    pub code: u16,
    /// The text beside it.
    pub reason: &'static str,
}

impl CloseWith {
    /// After a failed authentication, abuse of the rate limits, and for who may not stay.
    pub const REFUSED: Self = Self::new(4000, "goodbye");
    /// Beats went unanswered, or there was no authentication.
    pub const SILENT: Self = Self::new(4001, "goodbye");
    /// The hub lost what it knew of the socket.
    pub const FAULT: Self = Self::new(1011, "goodbye");
    /// There is no room; later there may be.
    pub const FULL: Self = Self::new(1013, "try again later");

    const fn new(code: u16, reason: &'static str) -> Self {
        Self { code, reason }
    }
}
