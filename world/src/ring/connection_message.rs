//! `[process]` What a session (or the node) tells the connection that owns the player's socket.

use super::session_message::SessionPort;
use crate::event::Event;
use crate::ids::{Being, ConnectionId};
use crate::text::Depth;
use crate::view::{Batch, Notice};
use belay_runtime::Address;
use std::net::IpAddr;
use std::sync::Arc;

/// What reaches a connection. It renders for its viewer and writes; it never answers but with
/// input.
#[derive(Debug)]
pub enum ConnectionMessage {
    /// Owed: an answer or a word for this player alone. Written at once, with what waits before it.
    Show(Box<Shown>),
    /// Ambient: something that happened. Written at the next gap; dropped when the backlog is full.
    Notice(Arc<Notice>),
    /// Ambient: what a crowd did, without the entries of this being.
    Tick(Arc<Batch>, Being),
    /// From now on input goes to this session (it took the connection over); also says what the
    /// player chose there.
    Adopt(SessionPort),
    /// Hide what is typed (a password follows), or show it again.
    Hide(bool),
    /// The player is in: larger limits hold, and the login deadline is over.
    LoggedIn,
    /// The login deadline rests while the player waits in the queue, or runs again.
    LoginClock {
        /// It runs.
        running: bool,
    },
    /// The player chose a colour depth; `None` goes back to what the client says.
    Color(Option<Depth>),
    /// The player switched the screen-reader mode; `None` goes back to what the client says.
    ScreenReader(Option<bool>),
    /// Show this last, write what can be written at once, and close.
    Close(Box<Event>),
}

/// Something for this player alone.
#[derive(Debug)]
pub struct Shown {
    /// What.
    pub event: Event,
    /// How many of the lines that the connection sent are done with this; that many more may
    /// follow.
    pub lines_done: u16,
    /// The play prompt follows (login prompts are events of their own).
    pub prompt: bool,
}

/// How a session reaches its connection, with what it needs to know of it.
#[derive(Clone, Debug)]
pub struct ConnectionPort {
    /// Which connection.
    pub id: ConnectionId,
    /// Where it comes from.
    pub peer: IpAddr,
    /// How it is reached.
    pub address: Address<ConnectionMessage>,
}
