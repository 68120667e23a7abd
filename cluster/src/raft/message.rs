//! `[process]` What two rafts say to each other: calls and answers.

use super::record::{EntryRecord, PlaceRecord, SnapshotRecord, VoteRecord};
use serde::{Deserialize, Serialize};

/// A call or the answer to one, as it goes over the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Message {
    pub(super) call: CallId,
    pub(super) body: Body,
}

/// Which call of which life of its author. An answer to a life before means nothing to this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct CallId {
    pub(super) life: u64,
    pub(super) number: u64,
}

/// What is said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Body {
    /// A question.
    Ask(Ask),
    /// An answer.
    Reply(Reply),
}

/// What one raft asks another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Ask {
    /// To take these entries, or just to know that the leader is there.
    Append {
        vote: VoteRecord,
        previous: Option<PlaceRecord>,
        committed: Option<PlaceRecord>,
        entries: Vec<EntryRecord>,
    },
    /// To vote.
    Vote {
        vote: VoteRecord,
        last: Option<PlaceRecord>,
    },
    /// To take a piece of a snapshot.
    Snapshot {
        vote: VoteRecord,
        of: SnapshotRecord,
        offset: u64,
        data: Vec<u8>,
        done: bool,
    },
    /// To say whether a leader is heard there: this node hears none.
    Sound { node: u64 },
}

/// What it answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reply {
    /// The entries are kept.
    Appended,
    /// Kept up to here.
    AppendedUntil(Option<PlaceRecord>),
    /// Another entry stands where the previous one should.
    Conflict,
    /// A later vote is known here.
    LaterVote(VoteRecord),
    /// The vote that is known here now, and the last entry.
    Voted {
        vote: VoteRecord,
        granted: bool,
        last: Option<PlaceRecord>,
    },
    /// The piece is there; this is the vote that is known here.
    Taken(VoteRecord),
    /// The pieces before this one are not there: begin anew.
    NotTaken,
    /// Whether no leader is heard here either.
    Sounded { silent: bool },
}

impl Ask {
    /// Whose word it is: only a leader appends, only who stands asks for votes.
    pub(super) fn author(&self) -> u64 {
        match self {
            Self::Append { vote, .. } | Self::Vote { vote, .. } | Self::Snapshot { vote, .. } => {
                vote.node()
            }
            Self::Sound { node } => *node,
        }
    }
}
