//! `[process]` The messages that go round the lobby, and how its members reach each other.
//!
//! Owed messages (answers, what is for one alone) never fail for lack of room: a guest asks for no
//! more than it has slots. Ambient ones (ticks) may be refused by a full mailbox; the socket is
//! stale then, and gets a snapshot.

pub use super::card::Card;
use super::ids::{HallRoomId, InvitationId, MatchId, Seq, Slot, Tag};
use super::protocol::{
    ClientMessage, Closing, Code, MatchRole, Moderation, Outcome, RoomEntry, RoomPick, RoomWish,
    ServerMessage, Status, Why,
};
use super::shared::Shared;
use crate::event::Text;
use belay_runtime::Address;
use std::sync::Arc;

/// Who somebody is in the lobby: unique among all guests of a node, and of a cluster (see
/// [`SessionId`](crate::ids::SessionId), whose numbers these are).
pub type GuestId = crate::ids::SessionId;

/// How a socket is reached.
pub type SocketPort = Address<SocketMessage>;

/// How a guest is reached.
pub type GuestPort = Address<GuestMessage>;

/// How a room is reached.
pub type RoomPort = Address<RoomMessage>;

/// How the hall is reached.
pub type HallPort = Address<HallMessage>;

/// How a match is reached.
pub type MatchPort = Address<MatchMessage>;

/// What a socket is handed. It encodes, writes, and never answers but with input.
#[derive(Debug)]
pub enum SocketMessage {
    /// Ambient: what is the same for many, encoded once for each encoding. A tick of another room
    /// than that of the last snapshot is dropped: it comes from a room that was left.
    Shared(Arc<Shared>),
    /// Owed: the list of a room, its history, or ticks that were missed.
    Snapshot(Snapshot),
    /// Owed: for this client alone.
    Tell(Box<ServerMessage>),
    /// From now on input goes to this guest, which took the connection over.
    Adopt(GuestPort),
    /// The client is in: larger limits hold, and the login deadline is over.
    LoggedIn,
    /// Say this last, and close.
    Close(Box<Closing>),
}

/// What a room tells a socket whole. What was told before of a room is void, and a stale socket is
/// not stale any more.
#[derive(Debug)]
pub struct Snapshot {
    /// Of which room.
    pub room: HallRoomId,
    /// Its player has just come into the room, or is back: from now on this is the socket's room.
    /// Otherwise the frames are a repetition, and dropped when the socket's room is another by
    /// now: rooms do not wait for each other when somebody moves.
    pub entry: bool,
    /// What to send, in this order.
    pub frames: Vec<Arc<Shared>>,
}

/// What a guest is told.
#[derive(Debug)]
pub enum GuestMessage {
    /// Input of its client.
    Input(Box<ClientMessage>),
    /// The socket closed, or broke.
    SocketLost,
    /// The socket had too much waiting, and has drained: it wants a snapshot of the room, and the
    /// part of the list of rooms that it watches once more.
    SocketDrained,
    /// An answer of a room, the hall or a match to what was asked under this tag.
    Answer(Tag, Answer),
    /// Not in this room any more, and not by one's own wish.
    PutOut(HallRoomId, Why, Text),
    /// What others do that concerns this guest alone.
    News(Box<News>),
    /// Time has come for something of its own.
    Wake,
}

/// An answer.
#[derive(Debug)]
pub enum Answer {
    /// Done, with nothing else to say.
    Done,
    /// Not done.
    Refused(Code, Text, u32),
    /// A seat in this room; the snapshot is on its way to the socket.
    Seated {
        /// The room.
        room: HallRoomId,
        /// How it is reached.
        port: RoomPort,
        /// The place.
        slot: Slot,
        /// Not the room that was asked for.
        instead: bool,
    },
}

/// What others do that concerns one guest alone.
#[derive(Debug)]
pub enum News {
    /// Somebody's words, and for whom it is an answer that they came.
    Told(Text, Text),
    /// An invitation came.
    Invited {
        /// Theirs.
        invitation: InvitationId,
        /// Who.
        from: Text,
        /// To which game; into a room without.
        game: Option<Text>,
        /// The options.
        options: Text,
    },
    /// An invitation is over: why.
    InvitationOver(InvitationId, Text),
    /// One is in a match.
    InMatch(MatchId, MatchPort, MatchRole),
    /// A match is over; one is in one's room again.
    MatchOver(MatchId, Outcome, Text),
    /// What to say to the client, as it is.
    Say(Box<ServerMessage>),
}

/// What a room is told.
#[derive(Debug)]
pub enum RoomMessage {
    /// Somebody wants in: takes the seat that the hall reserved, or any.
    Enter(Box<Entry>),
    /// Somebody resumes, with another socket: the same seat.
    Resume {
        /// Who.
        guest: GuestId,
        /// The new socket.
        socket: SocketPort,
        /// The guest, who is told when the seat is gone.
        port: GuestPort,
        /// The last tick that it saw.
        seen: Option<Seq>,
        /// The answer's tag.
        tag: Tag,
    },
    /// Somebody leaves.
    Leave(GuestId, Why),
    /// The connection of somebody is lost; the seat is kept for a while.
    Lost(GuestId),
    /// The socket of somebody wants a snapshot.
    Snapshot(GuestId),
    /// Somebody speaks.
    Say(GuestId, Tag, Text),
    /// The status of somebody changed.
    Status(GuestId, Status),
    /// The score in somebody's match, or their wins, losses and time.
    Score(GuestId, Text),
    /// Somebody's card changed.
    Changed(Card),
    /// Somebody (staff, or the owner) moderates somebody.
    Moderate {
        /// Who.
        by: GuestId,
        /// The answer's tag.
        tag: Tag,
        /// Whom.
        name: Text,
        /// What.
        what: Moderation,
        /// For how many seconds.
        for_s: u32,
        /// Why.
        reason: Text,
    },
    /// The owner, or staff, wants the room to be otherwise.
    Change(GuestId, Tag, RoomWish),
    /// This account or guest may come in from now on.
    Admit(Text),
    /// A tick is due.
    Tick,
    /// The hall wants it to close, if nobody is in it.
    CloseIfEmpty,
    /// Crash, for staff and tests that want to see what survives.
    Crash,
}

/// Somebody who wants into a room.
#[derive(Debug)]
pub struct Entry {
    /// Who.
    pub card: Card,
    /// Their socket; a player by telnet has none.
    pub socket: Option<SocketPort>,
    /// The guest.
    pub port: GuestPort,
    /// The answer's tag.
    pub tag: Tag,
    /// Another room was asked for.
    pub instead: bool,
    /// Any room will do: for the hall to say.
    pub any: bool,
}

/// What the hall is told.
#[derive(Debug)]
pub enum HallMessage {
    /// Somebody wants into a room: the hall hands them on to one with space.
    Place(RoomPick, Box<Entry>),
    /// A room was full after all: the hall hands them on to another.
    Full(HallRoomId, Box<Entry>),
    /// Somebody wants a room of their own.
    Create(RoomWish, Box<Entry>),
    /// A room says how it is; it does so when it changes, and every few seconds.
    Room(RoomEntry, RoomPort),
    /// A room is closed.
    Closed(HallRoomId),
    /// This guest's socket is told this part of the list from now on.
    Watch {
        /// Who.
        guest: GuestId,
        /// Its socket.
        socket: SocketPort,
        /// The first.
        from: u32,
        /// How many; 0: no longer.
        count: u16,
    },
    /// A guest is gone.
    Gone(GuestId),
    /// A tick is due.
    Tick,
    /// Who sits in a room since the last time, and who does not any more, by name.
    Seats {
        /// Which.
        room: HallRoomId,
        /// Who came.
        came: Vec<Text>,
        /// Who left.
        left: Vec<Text>,
    },
    /// A room was asked to close if nobody is in it, and somebody is.
    Kept(HallRoomId),
}

/// What a match is told.
#[derive(Debug)]
pub enum MatchMessage {
    /// Somebody acts.
    Act(GuestId, Tag, Text),
    /// Somebody says something to all in the match.
    Say(GuestId, Tag, Text),
    /// Somebody wants to watch.
    Watch(Card, GuestPort, Tag),
    /// Somebody leaves.
    Leave(GuestId, Tag),
    /// The connection of somebody is lost.
    Lost(GuestId),
    /// Somebody is back.
    Resume(GuestId, GuestPort),
    /// The node stops: the match ends, or says how it goes on.
    Drain,
    /// Time has come for something of its own.
    Wake,
}
