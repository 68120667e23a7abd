//! `[pure]` What players are shown of channels, as data.

use super::ignore::Ignored;
use super::line::ChannelLine;
use crate::event::{PersonSeen, Text};
use crate::ids::ChannelId;

/// One thing that a player is shown of channels.
#[derive(Clone, Debug, PartialEq)]
pub enum Talk {
    /// A line, as all but its speaker get it.
    Line(ChannelLine),
    /// A line, to its speaker.
    Said {
        /// The line.
        line: ChannelLine,
        /// What the speaker alone should know (that nobody else hears it just now).
        remark: Option<Text>,
    },
    /// The last lines, the oldest first, each with its age in seconds.
    History {
        /// The channel.
        channel: ChannelId,
        /// The lines.
        lines: Vec<(ChannelLine, u64)>,
    },
    /// All channels.
    Listed(Vec<ChannelSeen>),
    /// Who is on a channel: a part of the list and how many in all.
    Who {
        /// The channel.
        channel: ChannelId,
        /// The players named.
        people: Vec<PersonSeen>,
        /// All who are on it.
        total: u32,
    },
    /// The player is on the channel from now on.
    Joined(ChannelId),
    /// The player was on it already.
    OnAlready(ChannelId),
    /// The player is on it no more.
    Left(ChannelId),
    /// The player was not on it.
    NotOn(ChannelId),
    /// Whom the player ignores.
    Ignoring(Vec<Ignored>),
    /// From now on the player reads nothing of these.
    Ignored(Ignored),
    /// From now on the player reads them again.
    Unignored(Ignored),
}

/// A channel in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelSeen {
    /// Which one; its name and what it is about stand in the content.
    pub channel: ChannelId,
    /// The player is on it.
    pub on: bool,
    /// How many are on it.
    pub members: u32,
}
