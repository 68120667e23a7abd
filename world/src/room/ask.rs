//! `[pure]` What a being asks of the room it stands in, and what the room answers. Every ask is
//! answered exactly once, with an owed message; a cast is not answered.

use crate::being::{Card, Entry, Item, Parting};
use crate::command::Noun;
use crate::event::{Event, RoomSeen, Seen, Text};
use crate::ids::{Being, Direction, ItemId, MoveSeq, RoomId};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a being wants of a room.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// To be taken in.
    Enter {
        /// The number of the attempt.
        seq: MoveSeq,
        /// What the room shows of it.
        card: Arc<Card>,
        /// How it comes.
        how: Entry,
    },
    /// To be let out.
    Leave {
        /// The number of the stay that ends.
        seq: MoveSeq,
        /// The way out.
        way: Direction,
    },
    /// To see the room.
    Look,
    /// To see a thing, person or feature more closely.
    LookAt(Noun),
    /// To see where a way leads.
    LookWay(Direction),
    /// To see all ways.
    Exits,
    /// To be heard by all here.
    Say(Text),
    /// To be seen by all here.
    Emote(Text),
    /// To be handed a thing from the floor. It is in no room then; the asker puts it back if it
    /// cannot be recorded.
    Get(Noun),
    /// To lay down a thing that is recorded as this room's, also by one who has gone on meanwhile.
    /// While it lies there, laying it down again changes nothing.
    Place(Item),
    /// To know who is meant.
    Who(Noun),
    /// To crash (staff, tests).
    Crash,
    /// To crash a mob (staff, tests).
    CrashMob(Noun),
}

/// What a being tells a room.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Cast {
    /// The being of this number or an older one is not there any more.
    Gone {
        /// The number of the stay or attempt.
        seq: MoveSeq,
        /// How it went.
        how: Parting,
    },
    /// The being shows another card.
    Card(Arc<Card>, Option<CardNews>),
    /// The being did something that bystanders see.
    Announce(Seen),
    /// A thing that was handed out comes back.
    PutBack(Item),
}

/// What bystanders are told when a card changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CardNews {
    /// The connection broke.
    LostLink,
    /// The connection is back.
    RegainedLink,
}

/// What a room answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// This is to be shown; the ask is done.
    Show(#[serde(with = "super::remote")] Box<Event>),
    /// The room let the being out.
    Left {
        /// The stay that ended.
        seq: MoveSeq,
        /// Where the way leads.
        to: RoomId,
        /// The way.
        way: Direction,
    },
    /// There is no such way; the being still stands here.
    Stayed {
        /// The stay that goes on.
        seq: MoveSeq,
        /// The way that is not there.
        way: Direction,
    },
    /// The room took the being in.
    Entered {
        /// The number of the attempt.
        seq: MoveSeq,
        /// What it sees.
        seen: Box<RoomSeen>,
    },
    /// The room did not do it: it does not know the being, or the number is too old.
    Unknown(MoveSeq),
    /// The thing asked for, and the room it comes from.
    Handed(RoomId, Item),
    /// The thing lies here.
    Placed(ItemId),
    /// Who is meant.
    Person {
        /// Which being.
        being: Being,
        /// Its card.
        card: Arc<Card>,
    },
}

/// Why a room did not get a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Undelivered {
    /// Its mailbox is full.
    Busy,
    /// It is closed, or no such room is known.
    Closed,
    /// Nobody knows just now where it is.
    OutOfReach,
}

/// Whether a room takes newcomers, as far as a node knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It takes them at once.
    Open,
    /// Its zone is moving or has no owner just now: it will be back, and who is patient waits.
    Awaited,
    /// It is closed.
    Closed,
}
