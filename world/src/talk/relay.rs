//! `[process]` The channels of one node among those of others: where the order of a channel is
//! made, and the way of its lines between nodes.
//!
//! ```text
//! say ─► channel (node of the speaker) ─ forward ─► channel (its owner): order
//!           ▲   answer to the speaker                  │ spread: one message for each node
//!           └────────── line, with its mark ◄──────────┘
//! ```
//! Every node remembers the last lines with their marks; so whoever owns the channel next begins
//! with what the others know.

use super::line::{ChannelLine, Foreign, Mark, Past};
use crate::event::Text;
use crate::ids::ChannelId;
use crate::ring::Receipt;
use belay_cluster::NodeId;
use belay_runtime::Pid;
use std::time::Instant;

/// Where the order of a channel is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    /// Here, in this term; 0 on a node that is alone.
    Here(u64),
    /// On another node.
    Elsewhere,
    /// Nowhere just now.
    Nowhere,
}

/// A player of another node who said something there, as that node names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Which node.
    pub node: NodeId,
    /// Its number for what was said.
    pub saying: u64,
}

/// What a player here says on a channel whose order is made elsewhere.
#[derive(Debug)]
pub struct Saying {
    /// The player's name.
    pub name: Text,
    /// The words.
    pub text: Text,
    /// The player's session, which is not told the line besides.
    pub by: Pid,
    /// Owed: the line, or why it is none.
    pub receipt: Receipt,
    /// Its number on this node and channel.
    pub number: u64,
    /// When it was said.
    pub since: Instant,
}

/// The answer that a player here waits for, with a line that came from the owner.
#[derive(Debug)]
pub struct Own {
    /// The player's session.
    pub by: Pid,
    /// Owed: the line.
    pub receipt: Receipt,
    /// What that player alone should know.
    pub remark: Option<Text>,
}

/// The way to the other nodes. It is called by the processes of the channels: it must not block.
pub trait Relay: Send + Sync + 'static {
    /// Where the order of this channel is made now.
    fn seat(&self, channel: ChannelId) -> Seat;
    /// Brings what a player here says to the owner. It comes back as a line with this answer, or
    /// as it was ([`ChannelMessage::Back`](super::ChannelMessage::Back)) if the owner is none any
    /// more; or the receipt says why not.
    fn forward(&self, channel: ChannelId, saying: Saying);
    /// Brings what a player of another game says to the owner.
    fn foreign(&self, channel: ChannelId, heard: Foreign);
    /// The line stands at this place: all nodes are told. The origin gets its answer with it.
    fn spread(&self, mark: Mark, line: &ChannelLine, origin: Option<(Origin, Option<Text>)>);
    /// What came back from the owner waits here again.
    fn came_back(&self, channel: ChannelId);
    /// What was said there was not taken, since too much is said.
    fn refuse(&self, origin: Origin);
    /// What was said there was not taken, since the order is not made here.
    fn return_to(&self, origin: Origin);
    /// These lines are remembered here; for one node or all.
    fn past(&self, channel: ChannelId, to: Option<NodeId>, lines: Vec<Past>);
}
