//! `[pure]` What a client says.

use super::shared::{Access, Watching};
use crate::event::Text;
use crate::lobby::ids::{HallRoomId, InvitationId, MatchId, Seq, Tag};
use serde::{Deserialize, Serialize};

/// One message of a client. Each but `Hello` and `Pong` carries a tag, and gets exactly one `Done`
/// or `Refused` with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ClientMessage {
    /// The first message, and only the first.
    Hello {
        /// What the client is, for the log: up to 64 characters.
        client: Text,
        /// Who logs in.
        login: Login,
    },
    /// Into a room; out of the one that one is in. `Done` comes when one sits in it.
    Join {
        /// The tag.
        tag: Tag,
        /// Which.
        room: RoomPick,
    },
    /// A room of one's own, and into it.
    Create {
        /// The tag.
        tag: Tag,
        /// What it shall be like.
        wish: RoomWish,
    },
    /// Changes the room that one is in and owns.
    Change {
        /// The tag.
        tag: Tag,
        /// What it shall be like.
        wish: RoomWish,
    },
    /// From now on this part of the list of rooms, in the order of their numbers, is told and kept
    /// up to date; a count of 0 ends that.
    Rooms {
        /// The tag.
        tag: Tag,
        /// The first.
        from: u32,
        /// How many; at most 200.
        count: u16,
    },
    /// To all in the room, or to all in the match.
    Say {
        /// The tag.
        tag: Tag,
        /// In this match; in the room without.
        in_match: Option<MatchId>,
        /// The words.
        text: Text,
    },
    /// To one player, wherever they are.
    Tell {
        /// The tag.
        tag: Tag,
        /// Their name.
        to: Text,
        /// The words.
        text: Text,
    },
    /// Away with these words, or back.
    Away {
        /// The tag.
        tag: Tag,
        /// The words; back without.
        text: Option<Text>,
    },
    /// Reads nothing of this player any more, or does again.
    Ignore {
        /// The tag.
        tag: Tag,
        /// Their name.
        name: Text,
        /// Whether from now on.
        on: bool,
    },
    /// Invites somebody to a match, or (without a game) into this room.
    Invite {
        /// The tag.
        tag: Tag,
        /// Their name.
        name: Text,
        /// The game's name.
        game: Option<Text>,
        /// The game's options, as it documents them.
        options: Text,
        /// Who may watch.
        watching: Watching,
    },
    /// Answers an invitation.
    Answer {
        /// The tag.
        tag: Tag,
        /// Which.
        invitation: InvitationId,
        /// Whether one comes.
        accept: bool,
    },
    /// Takes an invitation of one's own back.
    Cancel {
        /// The tag.
        tag: Tag,
        /// Which.
        invitation: InvitationId,
    },
    /// Waits for others who want to play this; the whole party plays, or none of it.
    Queue {
        /// The tag.
        tag: Tag,
        /// The game's name.
        game: Text,
        /// Who waits with one, each in this room; each of them is asked.
        party: Vec<Text>,
    },
    /// Does not wait any more.
    Unqueue {
        /// The tag.
        tag: Tag,
    },
    /// Something in a match, in the game's own words.
    Act {
        /// The tag.
        tag: Tag,
        /// Which match.
        id: MatchId,
        /// The words.
        data: Text,
    },
    /// Watches a match.
    Watch {
        /// The tag.
        tag: Tag,
        /// Which.
        id: MatchId,
    },
    /// Leaves a match, as a player or as a spectator.
    Leave {
        /// The tag.
        tag: Tag,
        /// Which.
        id: MatchId,
    },
    /// For staff, and owners of rooms in their room.
    Moderate {
        /// The tag.
        tag: Tag,
        /// Whom.
        name: Text,
        /// What.
        what: Moderation,
        /// For how many seconds; 0: until it is taken back.
        for_s: u32,
        /// Why; they read it.
        reason: Text,
    },
    /// Asks for the time of the node.
    Time {
        /// The tag.
        tag: Tag,
    },
    /// Leaves the lobby.
    Bye {
        /// The tag.
        tag: Tag,
    },
}

/// Who logs in.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Login {
    /// A guest, under a name that is made up.
    Guest,
    /// An account.
    Account {
        /// Its name.
        name: Text,
        /// Its password.
        password: Text,
        /// Makes the account when there is none of that name.
        create: bool,
    },
    /// Who was here before, and lost the connection.
    Resume {
        /// The last token that was told.
        token: Text,
        /// The room and the last tick that was seen there.
        seen: Option<(HallRoomId, Seq)>,
    },
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Guest => f.write_str("Guest"),
            Self::Account { name, .. } => write!(f, "Account({name}, password hidden)"),
            Self::Resume { .. } => f.write_str("Resume(token hidden)"),
        }
    }
}

/// Which room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoomPick {
    /// Any with space, Headquarters first.
    Any,
    /// This one, or, when it is full, one with space.
    Room(HallRoomId),
    /// The one where this player is.
    Player(Text),
}

/// What a room shall be like; what is not said stays (when it is made: an open one of the usual
/// size).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomWish {
    /// Its name: 3 to 40 characters.
    pub name: Option<Text>,
    /// How many it takes.
    pub seats: Option<u16>,
    /// Who may come in.
    pub access: Option<Access>,
}

/// What is done to somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Moderation {
    /// They may not speak in the room.
    Mute,
    /// They may again.
    Unmute,
    /// Out of the room.
    Kick,
    /// Out of the room, and not in again.
    Ban,
    /// They may come in again.
    Unban,
}
