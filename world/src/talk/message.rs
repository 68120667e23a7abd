//! `[process]` What reaches a channel, and what it reaches outside.

use super::line::{ChannelLine, Foreign, Mark, Past};
use super::relay::{Origin, Own, Saying};
use crate::event::Text;
use crate::ring::Receipt;
use belay_cluster::NodeId;
use belay_runtime::{Kind, Pid};

/// What reaches a channel.
#[derive(Debug)]
pub enum ChannelMessage {
    /// A player speaks; the receipt carries the answer, and this process needs no notice.
    Say {
        /// The player's name.
        name: Text,
        /// The words.
        text: Text,
        /// The player's session.
        by: Pid,
        /// Owed: the line, or why it is none.
        receipt: Receipt,
    },
    /// A player asks for the last lines.
    History(Receipt),
    /// A line from another game.
    Foreign(Foreign),
    /// A player of another node speaks, and the order is made here.
    Order {
        /// The player's name.
        name: Text,
        /// The words.
        text: Text,
        /// Who is to be answered.
        origin: Origin,
    },
    /// The owner, which is another node, has put this line at this place.
    Line(Box<(Mark, ChannelLine, Option<Own>)>),
    /// Another node wants to know what is remembered here.
    Recall(NodeId),
    /// Another node remembers these.
    Past(Vec<Past>),
    /// What players of this game said is to be forgotten.
    Forget(Text),
    /// What a player here said comes back from the node whose order it was for: nobody has it.
    Back(Box<Saying>),
    /// Words wait, and may be sayable.
    Look,
    /// The next of many are to be told.
    Slice,
    /// Crash, as asked (staff, tests).
    Crash,
}

/// Carries lines of our players to where they are heard too. It is called by the channel's process
/// in the order of the lines: it must not block.
pub trait Outlet: Send + Sync + 'static {
    /// A player spoke on a channel that is heard elsewhere. What comes back is shown to that player
    /// alone, below the line.
    fn said(&self, line: &ChannelLine) -> Option<Text>;
}

impl Kind for ChannelMessage {
    const KINDS: &'static [&'static str] = &[
        "say", "history", "foreign", "forget", "slice", "crash", "order", "line", "recall", "past",
        "back", "look",
    ];

    fn kind(&self) -> u8 {
        match self {
            Self::Say { .. } => 0,
            Self::History(_) => 1,
            Self::Foreign(_) => 2,
            Self::Forget(_) => 3,
            Self::Slice => 4,
            Self::Crash => 5,
            Self::Order { .. } => 6,
            Self::Line(..) => 7,
            Self::Recall(_) => 8,
            Self::Past(_) => 9,
            Self::Back(_) => 10,
            Self::Look => 11,
        }
    }
}
