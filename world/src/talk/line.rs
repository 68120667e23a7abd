//! `[pure]` Who speaks, and what is said on a channel.

use crate::event::Text;
use crate::ids::ChannelId;
use std::fmt;

/// Somebody who speaks: a player of this game or of another one. Displays as `Ann`, and as
/// `Bo@Othergame`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// A player here.
    Local(Text),
    /// A player of another game.
    Foreign {
        /// The player.
        name: Text,
        /// The game.
        game: Text,
    },
}

/// One line of a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelLine {
    /// On which channel.
    pub channel: ChannelId,
    /// Who speaks.
    pub speaker: Speaker,
    /// The words.
    pub text: Text,
    /// It was said while this game could not hear it.
    pub missed: bool,
}

/// The place of a line in its channel: the term of the owner that put it there, and its number in
/// that term. Later lines have higher ones, whoever put them there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// The term; 0 on a node that is alone.
    pub term: u64,
    /// The number.
    pub number: u64,
}

/// A line that is remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Past {
    /// Its place.
    pub mark: Mark,
    /// The line.
    pub line: ChannelLine,
    /// Seconds since it was heard.
    pub age_s: u64,
}

/// What is said on a channel from outside it: by a player of another game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// Who speaks.
    pub speaker: Speaker,
    /// The words.
    pub text: Text,
    /// It was said while this game could not hear it.
    pub missed: bool,
}

/// Why a channel did not take a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotTaken {
    /// Busy: its mailbox is full.
    Busy,
    /// Refused: there is no such channel, or the node stops.
    Closed,
}

impl Speaker {
    /// The name alone.
    pub fn name(&self) -> &Text {
        match self {
            Self::Local(name) | Self::Foreign { name, .. } => name,
        }
    }

    /// What one types to reach them: `Ann`, `Bo@Othergame`.
    pub fn address(&self) -> Text {
        match self {
            Self::Local(name) => name.clone(),
            Self::Foreign { name, game } => format!("{name}@{game}").into(),
        }
    }
}

impl fmt::Display for Speaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local(name) => f.write_str(name),
            Self::Foreign { name, game } => write!(f, "{name}@{game}"),
        }
    }
}
