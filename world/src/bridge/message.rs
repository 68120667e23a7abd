//! `[process]` What reaches the bridge's process.

use super::file::FileState;
use super::notices::Sign;
use super::remote::Remote;
use belay_runtime::Kind;
use std::fmt;
use std::sync::Arc;

/// What reaches the bridge.
#[derive(Debug)]
pub enum BridgeMessage {
    /// Somebody came or went elsewhere.
    Signed(Sign, Remote),
    /// A game came to the network.
    GameUp(String),
    /// A game left it.
    GameDown(String),
    /// The network is reached, or not any more.
    Status,
    /// Time to see what is due.
    Tick,
    /// The next of many are to be told.
    Slice,
}

impl Kind for BridgeMessage {
    const KINDS: &'static [&'static str] =
        &["signed", "game up", "game down", "status", "tick", "slice"];

    fn kind(&self) -> u8 {
        match self {
            Self::Signed(..) => 0,
            Self::GameUp(_) => 1,
            Self::GameDown(_) => 2,
            Self::Status => 3,
            Self::Tick => 4,
            Self::Slice => 5,
        }
    }
}

/// What reaches the watcher of the credentials file.
pub enum WatchMessage {
    /// Time to look.
    Look,
    /// Read it, changed or not, and say what it is.
    Reload(Box<dyn FnOnce(Arc<FileState>) + Send>),
}

impl fmt::Debug for WatchMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Look => "Look",
            Self::Reload(_) => "Reload",
        })
    }
}
