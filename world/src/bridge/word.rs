//! `[pure]` What the bridges of two nodes of a cluster say to each other.

use super::remote::Remote;
use crate::event::Text;
use belay_gossip::client::{ClientStatus, News, Roster};
use std::sync::Arc;

/// What the bridges of two nodes say to each other.
#[derive(Clone, Debug, PartialEq)]
pub enum Word {
    /// To all: somebody or some game came or went.
    News(News),
    /// To all: the network is reached, or not.
    Status(ClientStatus),
    /// To all: who plays elsewhere.
    Roster(Arc<Roster>),
    /// To all: staff wants the connection or does not. Of two wishes the higher number counts.
    Switch(u64, bool),
    /// To all: staff has changed the rules; of this game nothing is to be remembered.
    Rules(Option<Text>),
    /// To the socket's node: a player says this on a channel of the network.
    Say {
        /// The channel, as the network calls it.
        channel: String,
        /// The player.
        name: String,
        /// The words.
        message: String,
    },
    /// To the socket's node: try to connect now.
    Retry,
    /// To the node of a player: nobody read what they told there.
    Unread {
        /// The player.
        from: String,
        /// Whom they told.
        to: Remote,
    },
}
