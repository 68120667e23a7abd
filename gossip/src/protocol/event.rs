//! `[pure]` What a hub sends to a game.

use super::achievement::{Achievement, AchievementErrors};
use super::event_name::EventName;
use super::game_status::GameStatus;
use super::reference::Reference;

/// One frame of a hub.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The game is authenticated.
    Welcome(Welcome),
    /// `heartbeat`: say who plays.
    Beat,
    /// `restart`: the hub goes down, for about so many seconds.
    Restart {
        /// The hub's reference.
        reference: Option<Reference>,
        /// Seconds.
        downtime_s: u64,
    },
    /// `channels/broadcast`: somebody spoke.
    Broadcast {
        /// The hub's reference; no two broadcasts have the same.
        reference: Option<Reference>,
        /// What was said.
        chat: Chat,
    },
    /// `players/sign-in` or `players/sign-out` of another game.
    Sign {
        /// Which of the two.
        event: EventName,
        /// The hub's reference.
        reference: Option<Reference>,
        /// The game.
        game: String,
        /// The player.
        name: String,
    },
    /// `players/status`: who plays in one game.
    Players {
        /// The reference of the question.
        reference: Option<Reference>,
        /// The game.
        game: String,
        /// Its players.
        players: Vec<String>,
    },
    /// `tells/receive`: a tell for a player here.
    Tell {
        /// The hub's reference.
        reference: Option<Reference>,
        /// The tell.
        tell: Tell,
    },
    /// `games/status`: one game.
    Game {
        /// The reference of the question.
        reference: Option<Reference>,
        /// The game.
        status: Box<GameStatus>,
    },
    /// `games/connect` or `games/disconnect`.
    Presence {
        /// Which of the two.
        event: EventName,
        /// The hub's reference.
        reference: Option<Reference>,
        /// The game.
        game: String,
    },
    /// `achievements/sync`: a part of the list.
    Achievements {
        /// The reference of the question.
        reference: Option<Reference>,
        /// How many there are in all.
        total: usize,
        /// This part.
        achievements: Vec<Achievement>,
    },
    /// `achievements/create` or `achievements/update`: how it is now.
    Achievement {
        /// Which of the two.
        event: EventName,
        /// The reference of the request.
        reference: Option<Reference>,
        /// The achievement.
        achievement: Achievement,
    },
    /// `achievements/delete` succeeded.
    AchievementDeleted {
        /// The reference of the request.
        reference: Option<Reference>,
        /// The key.
        key: String,
    },
    /// A request about achievements failed.
    AchievementFailed {
        /// The event of the request.
        event: EventName,
        /// The reference of the request.
        reference: Option<Reference>,
        /// What is wrong, by field.
        errors: AchievementErrors,
    },
    /// A request was understood.
    Ack {
        /// The event of the request.
        event: EventName,
        /// The reference of the request.
        reference: Option<Reference>,
    },
    /// A request was refused; without a name where it was no request at all.
    Failure {
        /// The event of the request.
        event: Option<EventName>,
        /// The reference of the request.
        reference: Option<Reference>,
        /// The text of the protocol.
        error: String,
    },
    /// Extension `marks`: all frames of a status have been sent.
    StatusEnd {
        /// [`EventName::PlayersStatusEnd`] or [`EventName::GamesStatusEnd`].
        event: EventName,
        /// The reference of the question.
        reference: Option<Reference>,
        /// How many games there were.
        games: usize,
    },
    /// Extension `history`: what was said before.
    History {
        /// The reference of the question.
        reference: Option<Reference>,
        /// What was said.
        past: Past,
    },
    /// Extension `receipts`: to how many games a message went.
    ChannelReceipt {
        /// The reference of the message.
        reference: Option<Reference>,
        /// How many games hear the channel.
        games: usize,
    },
    /// Extension `receipts`: what became of a tell.
    TellReceipt {
        /// The reference of the tell.
        reference: Option<Reference>,
        /// `shown`, `ignored` or `offline`.
        status: String,
    },
}

/// The payload of a successful `authenticate`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Welcome {
    /// What the hub sent to show its UTF-8: [`UNICODE`](super::UNICODE).
    pub unicode: String,
    /// The hub's version of the protocol.
    pub version: String,
    /// The channels that were asked for and have no valid name; written when there are any.
    pub rejected_channels: Vec<String>,
    /// The extensions granted; written when there are any.
    pub extensions: Vec<String>,
}

/// Something said on a channel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chat {
    /// The channel.
    pub channel: String,
    /// The speaker's game.
    pub game: String,
    /// The speaker.
    pub name: String,
    /// The words.
    pub message: String,
    /// Extension `history`: its number, which grows on each channel.
    pub seq: Option<u64>,
    /// Extension `history`: when it was said.
    pub sent_at: Option<String>,
}

/// A tell from another game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tell {
    /// The sender's game.
    pub from_game: String,
    /// The sender.
    pub from_name: String,
    /// For whom.
    pub to_name: String,
    /// When it was sent, as the sender wrote it.
    pub sent_at: String,
    /// The words.
    pub message: String,
}

/// What was said on a channel before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// The channel.
    pub channel: String,
    /// How many messages there were after the one asked for that the hub has no longer, as far as
    /// it knows.
    pub missed: u64,
    /// The messages, oldest first.
    pub messages: Vec<Chat>,
}
