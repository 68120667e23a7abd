//! `[pure]` What the hub's core wants kept. An order is best effort: a database that fails never
//! holds up the chat, and nothing waits for an order.

use uuid::Uuid;

use super::directory::{Achievement, GameId};
use crate::protocol::ChannelName;

/// Something to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreOrder {
    /// A channel was subscribed to that the directory does not have: kept as a hidden one.
    ChannelUsed(ChannelName),
    /// A game authenticated, or its last socket ended.
    GameSeen {
        /// Which.
        game: GameId,
        /// When, in Unix milliseconds.
        seen_unix_ms: i64,
        /// The software it said it is.
        user_agent: Option<Box<str>>,
        /// The newest version of the protocol that it said it knows.
        version: Option<Box<str>>,
    },
    /// An achievement was made or changed.
    AchievementPut {
        /// Whose.
        game: GameId,
        /// The whole of it.
        achievement: Achievement,
    },
    /// An achievement was deleted.
    AchievementDeleted {
        /// Whose.
        game: GameId,
        /// Which.
        key: Uuid,
    },
}
