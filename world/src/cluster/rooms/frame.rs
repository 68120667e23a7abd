//! `[pure]` What the nodes say to each other about rooms. A message is one byte of version and a
//! [`Frame`] in postcard; both enums are appended to and never changed otherwise.
//!
//! ```text
//! gateway (where the socket is)                      stall (where the zone is)
//!     Ask, Cast ──────────────────────────────────────►
//!     ◄────────────────────────── Answer, Lost, Refused    to one who asked
//!     ◄──────────────────────── Notice, Tick, RoomClosed   one for all sessions of a node
//!     ◄───────────────────────────── Open, Shut, Bounced   the zone begins, holds still
//!     Settle, Anew ──► ◄── Settled
//! ```

use crate::event::Seen;
use crate::ids::{Being, LineId, RoomId, SessionId, ZoneId};
use crate::room::{Answer, Ask, Cast, Undelivered};
use belay_cluster::{Class, Epoch};
use serde::{Deserialize, Serialize};

/// The version of these messages. Others are refused and counted.
const VERSION: u8 = 1;

/// Of which zone a frame is, and in which epoch of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    /// The zone.
    pub(super) zone: ZoneId,
    /// The epoch of its owner.
    pub(super) epoch: Epoch,
}

/// Something for a room.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Letter {
    /// Who writes.
    pub(super) being: Being,
    /// To which room.
    pub(super) room: RoomId,
    /// What.
    pub(super) what: What,
}

/// What a letter says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum What {
    /// An ask of this line.
    Ask(LineId, Ask),
    /// Something that is told.
    Cast(Cast),
}

/// How a zone opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Opening {
    /// Nobody stands there.
    Fresh,
    /// It was moved with all who stand there.
    Moved,
    /// The move is off: it goes on as before.
    Thawed,
}

/// What happened, and who is not told.
pub(super) type Entry = (Option<Being>, Seen);

/// One message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Frame {
    /// A letter, with the number that its gateway gave it.
    Post(Head, u64, Letter),
    /// The gateway has sent its last letter in this epoch, until the zone opens again.
    Settle(Head),
    /// Frames were lost in between: nobody of this gateway stands there, as far as it knows.
    Anew(Head),
    /// The answer to the ask of this number.
    Answer(Head, u64, Answer),
    /// The ask of this number met a crash.
    Lost(Head, u64),
    /// The letter of this number did not reach its room.
    Refused(Head, u64, Undelivered),
    /// For all of the node who stand in this room.
    Notice(Head, RoomId, Entry),
    /// The same, of a tick of a crowd.
    Tick {
        /// Of which zone.
        head: Head,
        /// In which room.
        room: RoomId,
        /// For those who stood there before.
        all: Vec<Entry>,
        /// For those who came in during the tick.
        newcomers: Vec<Entry>,
        /// Who did.
        fresh: Vec<SessionId>,
    },
    /// The room where this session stands is closed.
    RoomClosed(Head, RoomId, SessionId),
    /// The zone takes letters from now on.
    Open(Head, Opening),
    /// The zone takes no letters from now on.
    Shut(Head),
    /// All letters of the gateway are answered or have come back.
    Settled(Head),
    /// The letter of this number comes back: no room has seen it.
    Bounced(Head, u64, Letter),
    /// A wire was cut since a thing was handed out to the ask of this number: did it arrive?
    Again(Head, u64),
    /// The thing for the ask of this number is here.
    Took(Head, u64),
    /// It never came, and nobody waits for it any more.
    NotTaken(Head, u64),
}

/// A message that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot be read")]
pub(super) struct Unreadable;

impl Frame {
    /// The message as bytes.
    ///
    /// # Errors
    /// It has an answer that no room gives; a **bug**.
    pub(super) fn encode(&self) -> Result<Vec<u8>, Unreadable> {
        postcard::to_extend(self, vec![VERSION]).map_err(|_error| Unreadable)
    }

    /// Reads a message.
    ///
    /// # Errors
    /// It is of another version, or garbage.
    pub(super) fn decode(bytes: &[u8]) -> Result<Self, Unreadable> {
        match bytes.split_first() {
            Some((&VERSION, rest)) => match postcard::take_from_bytes(rest) {
                Ok((frame, [])) => Ok(frame),
                Ok(_) | Err(_) => Err(Unreadable),
            },
            Some(_) | None => Err(Unreadable),
        }
    }

    /// Of which zone, in which epoch.
    pub(super) const fn head(&self) -> Head {
        match self {
            Self::Post(head, ..)
            | Self::Settle(head)
            | Self::Anew(head)
            | Self::Answer(head, ..)
            | Self::Lost(head, _)
            | Self::Refused(head, ..)
            | Self::Notice(head, ..)
            | Self::Tick { head, .. }
            | Self::RoomClosed(head, ..)
            | Self::Open(head, _)
            | Self::Shut(head)
            | Self::Settled(head)
            | Self::Bounced(head, ..)
            | Self::Again(head, _)
            | Self::Took(head, _)
            | Self::NotTaken(head, _) => *head,
        }
    }

    /// Whether it may be dropped.
    pub(super) const fn class(&self) -> Class {
        match self {
            Self::Notice(..) | Self::Tick { .. } => Class::Ambient,
            Self::Post(..)
            | Self::Settle(_)
            | Self::Anew(_)
            | Self::Answer(..)
            | Self::Lost(..)
            | Self::Refused(..)
            | Self::RoomClosed(..)
            | Self::Open(..)
            | Self::Shut(_)
            | Self::Settled(_)
            | Self::Bounced(..)
            | Self::Again(..)
            | Self::Took(..)
            | Self::NotTaken(..) => Class::Owed,
        }
    }
}
