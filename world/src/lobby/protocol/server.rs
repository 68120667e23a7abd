//! `[pure]` What the node says.

use super::shared::{Field, MatchRole, Outcome, PlayerEntry, RoomEntry};
use crate::event::Text;
use crate::lobby::ids::{HallRoomId, InvitationId, MatchId, Seq, Slot, Tag, UnixSeconds};
use serde::{Deserialize, Serialize};

/// One message of the node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerMessage {
    /// One is in the lobby; `Room` follows.
    Welcome(Box<Welcome>),
    /// What was asked under this tag is done.
    Done {
        /// The tag.
        tag: Tag,
    },
    /// What was asked under this tag is not done; the connection goes on.
    Refused {
        /// The tag; 0 for what had none, or could not be read.
        tag: Tag,
        /// Why, for programs.
        code: Code,
        /// Why, for people.
        text: Text,
        /// When it may be tried again, in milliseconds; 0: no use, or at once.
        retry_ms: u32,
    },
    /// One waits to be let in, as this many do before.
    Waiting {
        /// How many.
        ahead: u32,
    },
    /// One sits in this room. `Players` follow until the last page; what was known of another room
    /// or an earlier list is forgotten.
    Room {
        /// The room.
        room: RoomEntry,
        /// One's own place in it.
        you: Slot,
        /// All ticks up to this one are in the list.
        seq: Seq,
        /// Whether one is here although one asked for another, which was full.
        instead: bool,
    },
    /// A page of the players of the room.
    Players {
        /// The players.
        players: Vec<PlayerEntry>,
        /// No page follows.
        last: bool,
    },
    /// What was said in the room before, the oldest first.
    History {
        /// The lines.
        lines: Vec<Chat>,
    },
    /// What happened in the room in one tick.
    Tick(TickBody),
    /// The part of the list of rooms that was asked for, whole.
    Rooms {
        /// How many rooms there are in all.
        total: u32,
        /// The number in the list of the first.
        from: u32,
        /// The rooms.
        rooms: Vec<RoomEntry>,
    },
    /// Rooms in that part that are new or changed, and those that are gone.
    RoomsChanged {
        /// How many rooms there are in all.
        total: u32,
        /// New, or changed.
        rooms: Vec<RoomEntry>,
        /// Not in that part any more: closed, or moved up as others closed.
        gone: Vec<HallRoomId>,
    },
    /// Somebody's words to one alone.
    Told {
        /// Who.
        from: Text,
        /// The words.
        text: Text,
        /// When.
        at: UnixSeconds,
    },
    /// Somebody invites one.
    Invited {
        /// The invitation.
        invitation: InvitationId,
        /// Who.
        from: Text,
        /// To which game; into their room without.
        game: Option<Text>,
        /// Its options.
        options: Text,
        /// It ends by itself in so many seconds.
        ends_s: u16,
    },
    /// One's own invitation is on its way.
    Inviting {
        /// The invitation.
        invitation: InvitationId,
        /// Whom.
        name: Text,
        /// Nothing came from them for so many seconds.
        idle_s: u32,
        /// It ends by itself in so many seconds.
        ends_s: u16,
    },
    /// An invitation, own or other's, is over without a match.
    InvitationOver {
        /// Which.
        invitation: InvitationId,
        /// Why: `declined`, `cancelled`, `expired`, `gone`, `busy`.
        why: Text,
    },
    /// One waits for a match.
    Queued {
        /// Of which game; empty when one does not wait any more.
        game: Text,
        /// For so many seconds by now.
        waited_s: u32,
        /// Players who wait, with one.
        waiting: u32,
    },
    /// One is in a match: when it begins, when one comes to watch, and after each resume.
    Match(Box<MatchState>),
    /// Something in a match, in the game's own words.
    MatchEvent {
        /// The match.
        id: MatchId,
        /// The number of the event in this match, from 1, without gaps.
        number: u32,
        /// The words.
        data: Text,
    },
    /// Words of somebody in the match.
    MatchChat {
        /// The match.
        id: MatchId,
        /// Who.
        from: Text,
        /// The words.
        text: Text,
    },
    /// A match is over; told once for each match, and again only to who resumes.
    MatchOver {
        /// The match.
        id: MatchId,
        /// How it ended.
        outcome: Outcome,
        /// The outcome in the game's own words.
        text: Text,
    },
    /// The room moves to another node; what is asked meanwhile is answered with `moving`.
    Moving,
    /// Resumed: the ticks that were missed follow, and no list.
    Resumed {
        /// The room.
        room: HallRoomId,
        /// The last tick that the node counts as seen.
        seq: Seq,
    },
    /// A word of the node to everybody.
    Notice {
        /// The words.
        text: Text,
    },
    /// The time of the node.
    Time {
        /// The tag.
        tag: Tag,
        /// Now.
        now: UnixSeconds,
    },
    /// A token to resume with, in place of the one before.
    Token {
        /// The token.
        token: Text,
    },
    /// The connection is closed by the node.
    Closing(Closing),
}

/// The first answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// The server and its version.
    pub server: Text,
    /// One's own name.
    pub name: Text,
    /// Whether it is a guest.
    pub guest: bool,
    /// Milliseconds of a tick.
    pub tick_ms: u16,
    /// Characters of a line of chat at most.
    pub chat_max: u16,
    /// Without a word for so many seconds one is idle.
    pub idle_after_s: u16,
    /// The node pings after so many seconds without a byte, and closes after twice that.
    pub ping_s: u16,
    /// The games that can be played.
    pub games: Vec<Text>,
    /// The time of the node.
    pub now: UnixSeconds,
    /// A word of the node for who comes; may be empty.
    pub text: Text,
}

/// What happened in a room in one tick, in the order of the fields: leavers go first, then who came
/// is added, then fields change, then the words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TickBody {
    /// The number of the tick; each is one more than the one before, but ticks in which nothing
    /// happened are not told.
    pub seq: Seq,
    /// Who left.
    #[serde(default)]
    pub left: Vec<Left>,
    /// Who came.
    #[serde(default)]
    pub joined: Vec<PlayerEntry>,
    /// What changed of whom.
    #[serde(default)]
    pub changed: Vec<Change>,
    /// What was said.
    #[serde(default)]
    pub chat: Vec<Chat>,
    /// The room itself, when something of it changed but the count of players.
    #[serde(default)]
    pub room: Option<RoomEntry>,
}

/// Who left a room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// Their place, which is free from here on.
    pub slot: Slot,
    /// Why.
    pub why: Why,
}

/// Why somebody is not in a room any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// To another room.
    Moved,
    /// Out of the lobby.
    Left,
    /// The connection was lost, and did not come back.
    Lost,
    /// Kicked.
    Kicked,
    /// Banned.
    Banned,
}

/// What changed of a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Whose.
    pub slot: Slot,
    /// What.
    pub fields: Vec<Field>,
}

/// A line of chat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chat {
    /// Who, if they sat in the room when it was told.
    pub slot: Option<Slot>,
    /// Who; empty when the slot says it.
    #[serde(default)]
    pub name: Text,
    /// The words.
    pub text: Text,
    /// When.
    pub at: UnixSeconds,
}

/// A match as somebody in it sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchState {
    /// The match.
    pub id: MatchId,
    /// The game.
    pub game: Text,
    /// What one is in it.
    pub role: MatchRole,
    /// Who plays, by side.
    pub players: Vec<Text>,
    /// How many watch.
    pub spectators: u16,
    /// All events up to this number are in the state.
    pub number: u32,
    /// The state, in the game's own words.
    pub state: Text,
}

/// Why something is refused, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The message cannot be read, or comes at the wrong time.
    Malformed,
    /// The name or password is wrong, or the token not known.
    Login,
    /// No seat is free, here or anywhere.
    Full,
    /// There is none, or not any more.
    Gone,
    /// Too much is going on; try again after a moment.
    Busy,
    /// The room moves to another node; try again after a moment.
    Moving,
    /// One may not.
    Refused,
    /// Too fast: wait as long as is said.
    Slow,
    /// Too long, too short, or with letters that are not taken.
    Text,
    /// Banned, kicked or muted: the text says why and until when.
    Banned,
    /// The game does not take that now.
    Rules,
    /// The node has made a mistake.
    Internal,
}

/// Why the node closes the connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closing {
    /// Why, for programs.
    pub code: Code,
    /// Why, for people.
    pub text: Text,
    /// Whether one should come again, here or at another node, with the token.
    pub again: bool,
}
