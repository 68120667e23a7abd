//! `[pure]` Parts of messages: players, rooms, results.

use crate::event::Text;
use crate::lobby::ids::{HallRoomId, MatchId, Slot};
use serde::{Deserialize, Serialize};

/// What a player in a room is doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Here, and not long without a word.
    Here,
    /// Nothing came from them for so many seconds, as of the tick that says so.
    Idle(u32),
    /// Away, in their own words (up to 60 characters; may be empty).
    Away(Text),
    /// In a match.
    InMatch(MatchId),
    /// Their connection is lost; their seat is kept for a while.
    Gone,
}

/// One player of a room, whole: in lists and when they come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerEntry {
    /// Their place in this room.
    pub slot: Slot,
    /// Their name.
    pub name: Text,
    /// What they are doing.
    pub status: Status,
    /// Matches won.
    pub wins: u32,
    /// Matches lost.
    pub losses: u32,
    /// Seconds in matches.
    pub played_s: u32,
    /// See [`PlayerEntry::STAFF`] and its like, or-ed.
    pub flags: u8,
    /// How it stands in their match, in the game's own words; empty without one.
    #[serde(default)]
    pub score: Text,
}

impl PlayerEntry {
    /// Staff.
    pub const STAFF: u8 = 1;
    /// A guest.
    pub const GUEST: u8 = 2;
    /// The owner of the room.
    pub const OWNER: u8 = 4;
    /// May not speak.
    pub const MUTED: u8 = 8;
    /// Plays by telnet.
    pub const TELNET: u8 = 16;
}

/// One changed field of a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// What they are doing.
    Status(Status),
    /// Matches won.
    Wins(u32),
    /// Matches lost.
    Losses(u32),
    /// Seconds in matches.
    PlayedS(u32),
    /// The flags.
    Flags(u8),
    /// How it stands in their match, in the game's own words ("2 : 1"); empty when it is over.
    Score(Text),
}

/// Who may come into a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Everybody.
    Open,
    /// Nobody new.
    Locked,
    /// Who was invited, staff, and who has been in before.
    Invited,
}

/// One room of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomEntry {
    /// Its number.
    pub room: HallRoomId,
    /// Its name.
    pub name: Text,
    /// Players in it, with reservations.
    pub players: u16,
    /// How many it takes.
    pub seats: u16,
    /// Who may come in.
    pub access: Access,
}

/// What somebody is in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchRole {
    /// Plays, on this side, from 0.
    Player(u8),
    /// Watches; counts in nothing.
    Spectator,
}

/// Whether a match may be watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Watching {
    /// By nobody.
    None,
    /// By everybody.
    All,
    /// By who was invited to.
    Invited,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// These sides won, the others lost.
    Won(Vec<u8>),
    /// Nobody won.
    Draw,
    /// It does not count: why.
    Void(Text),
}
