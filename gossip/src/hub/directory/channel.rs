//! `[pure]` A channel as the operator sees it.

use super::fault::Fault;
use super::game::{TextKind, clean_text};
use crate::protocol::ChannelName;

/// A channel that was used or described.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// Its name.
    pub name: ChannelName,
    /// What it is about.
    pub description: Option<Box<str>>,
    /// Usable by all, shown to nobody. A channel begins so.
    pub hidden: bool,
    /// Until when sends to it are swallowed, in Unix milliseconds.
    pub paused_until_unix_ms: Option<i64>,
}

impl Channel {
    /// A channel at its first use.
    #[must_use]
    pub fn hidden(name: ChannelName) -> Self {
        Self {
            name,
            description: None,
            hidden: true,
            paused_until_unix_ms: None,
        }
    }

    /// Whether sends to it are swallowed.
    #[must_use]
    pub fn is_paused(&self, now_unix_ms: i64) -> bool {
        self.paused_until_unix_ms
            .is_some_and(|until| until > now_unix_ms)
    }

    /// A description that fits.
    ///
    /// # Errors
    /// [`Fault::Description`].
    pub fn checked_description(text: &str) -> Result<Box<str>, Fault> {
        clean_text(text, TextKind::Description)
    }
}
