//! `[pure]` What comes to a room's state, and what follows.

use crate::event::Text;
use crate::ids::SessionId;
use crate::lobby::card::Card;
use crate::lobby::ids::{Seq, Slot, Tag, UnixSeconds};
use crate::lobby::protocol::{Code, Moderation, RoomEntry, RoomWish, Status, Why};
use crate::lobby::shared::Shared;
use std::sync::Arc;
use std::time::Instant;

/// The time, by both clocks.
#[derive(Clone, Copy, Debug)]
pub struct Now {
    /// For what lasts.
    pub at: Instant,
    /// For what people read.
    pub unix: UnixSeconds,
}

/// Somebody who wants in.
#[derive(Clone, Debug)]
pub struct Coming<P> {
    /// Who.
    pub card: Card,
    /// How they are reached.
    pub port: P,
    /// The tag of the answer.
    pub tag: Tag,
    /// Another room was asked for.
    pub instead: bool,
    /// Any room will do.
    pub any: bool,
}

/// What comes to a room.
#[derive(Debug)]
pub enum Input<P> {
    /// Somebody wants in.
    Enter(Coming<P>),
    /// Somebody is back, with another socket.
    Resume {
        /// Who.
        guest: SessionId,
        /// How they are reached from now on.
        port: P,
        /// The last tick that they saw.
        seen: Option<Seq>,
        /// The tag of the answer.
        tag: Tag,
    },
    /// Somebody leaves.
    Leave(SessionId, Why),
    /// The connection of somebody is lost.
    Lost(SessionId),
    /// A socket has drained and wants the list again.
    Snapshot(SessionId),
    /// A socket took no more: it is told nothing before it has had the list again.
    Stale(SessionId),
    /// Somebody speaks.
    Say(SessionId, Tag, Text),
    /// Somebody does something else now.
    Status(SessionId, Status),
    /// How it stands in somebody's match.
    Score(SessionId, Text),
    /// A card changed.
    Changed(Card),
    /// Somebody moderates.
    Moderate(SessionId, Tag, Moderated),
    /// Somebody wants the room to be otherwise.
    Change(SessionId, Tag, RoomWish),
    /// This name may come in.
    Admit(Text),
    /// Time has passed.
    Tick,
    /// The hall wants the room closed, if nobody is in it.
    CloseIfEmpty,
}

/// Something done to somebody, by whom it was done apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moderated {
    /// Whom.
    pub name: Text,
    /// What.
    pub what: Moderation,
    /// For how many seconds; 0: until it is taken back.
    pub for_s: u32,
    /// Why.
    pub reason: Text,
}

/// What a guest is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answered {
    /// Done.
    Done,
    /// Not done: why, for programs and for people, and after how many milliseconds it may be tried
    /// again (0: no use).
    Refused(Code, Text, u32),
    /// A seat.
    Seated {
        /// The place.
        slot: Slot,
        /// Not the room that was asked for.
        instead: bool,
    },
}

/// What a room does outside itself.
#[derive(Debug)]
pub enum Effect<P> {
    /// Answer a guest.
    Answer(P, Tag, Answered),
    /// There is no seat for this one: the hall finds another room.
    Full(Coming<P>),
    /// This one is not in the room any more, and did not wish it: why, for programs and people.
    PutOut(P, Why, Text),
    /// This one waits to be let in, as so many do before.
    Waiting(P, u32),
    /// A word to one alone.
    Notice(P, Text),
    /// Tell the socket of this one the whole.
    Snapshot {
        /// Whose.
        guest: SessionId,
        /// Theirs.
        port: P,
        /// They come, or are back.
        entry: bool,
        /// They did not ask for it: their mailbox was full. If it still is, they are stale still.
        unasked: bool,
        /// What to tell.
        frames: Vec<Arc<Shared>>,
    },
    /// Tell everybody of [`RoomState::audience`](super::RoomState::audience) this.
    Tick(Arc<Shared>),
    /// Tell the hall how the room is.
    Listed(RoomEntry),
    /// Tell the hall who came and who left.
    Seats {
        /// Who came.
        came: Vec<Text>,
        /// Who left.
        left: Vec<Text>,
    },
    /// For the log: by whom, and what.
    Log(Text, Moderated),
    /// The room stays open although it was asked to close.
    Kept,
    /// Nobody is in it, and nobody can come: the room ends.
    Closed,
}
