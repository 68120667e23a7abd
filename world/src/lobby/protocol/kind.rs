//! `[pure]` The kinds of messages by number and name, for the accounts of what goes over the wire.

use super::{ClientMessage, ServerMessage};

/// A kind of message: its place among [`ServerMessage::KINDS`] or [`ClientMessage::KINDS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(pub u8);

impl ServerMessage {
    /// The names of all kinds, as they stand in JSON.
    pub const KINDS: [&'static str; 25] = [
        "welcome",
        "done",
        "refused",
        "waiting",
        "room",
        "players",
        "history",
        "tick",
        "rooms",
        "rooms_changed",
        "told",
        "invited",
        "inviting",
        "invitation_over",
        "queued",
        "match",
        "match_event",
        "match_chat",
        "match_over",
        "moving",
        "resumed",
        "notice",
        "time",
        "token",
        "closing",
    ];

    /// The kind of this message.
    pub fn kind(&self) -> Kind {
        Kind(match self {
            Self::Welcome(_) => 0,
            Self::Done { .. } => 1,
            Self::Refused { .. } => 2,
            Self::Waiting { .. } => 3,
            Self::Room { .. } => 4,
            Self::Players { .. } => 5,
            Self::History { .. } => 6,
            Self::Tick(_) => 7,
            Self::Rooms { .. } => 8,
            Self::RoomsChanged { .. } => 9,
            Self::Told { .. } => 10,
            Self::Invited { .. } => 11,
            Self::Inviting { .. } => 12,
            Self::InvitationOver { .. } => 13,
            Self::Queued { .. } => 14,
            Self::Match(_) => 15,
            Self::MatchEvent { .. } => 16,
            Self::MatchChat { .. } => 17,
            Self::MatchOver { .. } => 18,
            Self::Moving => 19,
            Self::Resumed { .. } => 20,
            Self::Notice { .. } => 21,
            Self::Time { .. } => 22,
            Self::Token { .. } => 23,
            Self::Closing(_) => 24,
        })
    }
}

impl ClientMessage {
    /// The names of all kinds, as they stand in JSON.
    pub const KINDS: [&'static str; 20] = [
        "hello", "join", "create", "change", "rooms", "say", "tell", "away", "ignore", "invite",
        "answer", "cancel", "queue", "unqueue", "act", "watch", "leave", "moderate", "time", "bye",
    ];

    /// The kind of this message.
    pub fn kind(&self) -> Kind {
        Kind(match self {
            Self::Hello { .. } => 0,
            Self::Join { .. } => 1,
            Self::Create { .. } => 2,
            Self::Change { .. } => 3,
            Self::Rooms { .. } => 4,
            Self::Say { .. } => 5,
            Self::Tell { .. } => 6,
            Self::Away { .. } => 7,
            Self::Ignore { .. } => 8,
            Self::Invite { .. } => 9,
            Self::Answer { .. } => 10,
            Self::Cancel { .. } => 11,
            Self::Queue { .. } => 12,
            Self::Unqueue { .. } => 13,
            Self::Act { .. } => 14,
            Self::Watch { .. } => 15,
            Self::Leave { .. } => 16,
            Self::Moderate { .. } => 17,
            Self::Time { .. } => 18,
            Self::Bye { .. } => 19,
        })
    }

    /// The tag that the answer carries; 0 for the one message without.
    pub fn tag(&self) -> crate::lobby::ids::Tag {
        match self {
            Self::Hello { .. } => crate::lobby::ids::Tag(0),
            Self::Join { tag, .. }
            | Self::Create { tag, .. }
            | Self::Change { tag, .. }
            | Self::Rooms { tag, .. }
            | Self::Say { tag, .. }
            | Self::Tell { tag, .. }
            | Self::Away { tag, .. }
            | Self::Ignore { tag, .. }
            | Self::Invite { tag, .. }
            | Self::Answer { tag, .. }
            | Self::Cancel { tag, .. }
            | Self::Queue { tag, .. }
            | Self::Unqueue { tag }
            | Self::Act { tag, .. }
            | Self::Watch { tag, .. }
            | Self::Leave { tag, .. }
            | Self::Moderate { tag, .. }
            | Self::Time { tag }
            | Self::Bye { tag } => *tag,
        }
    }
}
