//! `[pure]` What became of the credentials file.

use std::fmt;

/// The file as it was when it was looked at last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileState {
    /// The operator named none.
    Unset,
    /// It was not looked at yet.
    Unread {
        /// The file.
        path: String,
    },
    /// It is not there.
    Missing {
        /// The file.
        path: String,
    },
    /// It cannot be used, and why.
    Faulty {
        /// The file.
        path: String,
        /// Why; nothing of a secret.
        reason: String,
    },
    /// It is in use.
    Read {
        /// The file.
        path: String,
        /// The address of the hub.
        url: String,
        /// This game's name on the network, if the file says it.
        game: Option<String>,
    },
}

impl FileState {
    /// Whether it is in use.
    pub fn is_good(&self) -> bool {
        matches!(self, Self::Read { .. })
    }
}

impl fmt::Display for FileState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unset => f.write_str("none is set; name one with --gossip FILE"),
            Self::Unread { path } => write!(f, "{path} was not read yet"),
            Self::Missing { path } => write!(f, "{path} is not there yet"),
            Self::Faulty { path, reason } => write!(f, "{path}: {reason}"),
            Self::Read { path, url, .. } => write!(f, "{path}, for {url}"),
        }
    }
}
