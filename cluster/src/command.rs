//! `[pure]` What is written to the log, and what comes of it.
//!
//! Every command names what its author believed (an epoch, an incarnation). If that is not so any
//! more when the command is applied, it is [`Refused`](Outcome::Refused) and changes nothing: so a
//! command that is proposed twice, late, or by a leader of before does no harm.
//! The enums are written to disks and to wires: variants are appended, never changed or removed.

use crate::ids::{ContentHash, DirectoryMark, Epoch, Incarnation, NodeId, NodeName, ShardId};
use serde::{Deserialize, Serialize};

/// A node that wants to be a member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// What it is called.
    pub name: NodeName,
    /// Its data directory.
    pub mark: DirectoryMark,
    /// Its present life.
    pub incarnation: Incarnation,
    /// Where other nodes reach it, `HOST:PORT`.
    pub address: String,
    /// Its content.
    pub content: ContentHash,
}

/// A shard as its declaration has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardSpec {
    /// Its name.
    pub shard: ShardId,
    /// What it weighs while nothing is known of its load; 1 at least.
    pub weight: u32,
}

/// An entry of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// The first entry: the cluster's name and its first node, number 1.
    Found {
        /// The cluster's name.
        cluster: String,
        /// The first node.
        first: Candidate,
    },
    /// A node joins; the outcome has its number. The same directory joining again gets the number
    /// that it had. A name that another directory holds is refused unless that node is down.
    Join(Candidate),
    /// A member lives (again) in this life. It ends what it owned in its life before, at once: who
    /// shows the node's directory, which one process can hold at a time, proves that life over.
    Up {
        /// Which member.
        node: NodeId,
        /// Its new life.
        incarnation: Incarnation,
        /// Where it is reached now.
        address: String,
    },
    /// The leader has counted out the node's lease: that life owns nothing any more.
    Expire {
        /// Which member.
        node: NodeId,
        /// The life that is over.
        incarnation: Incarnation,
    },
    /// The node is to own nothing (`true`), or may own shards again.
    Drain {
        /// Which member.
        node: NodeId,
        /// Whether it is being emptied.
        on: bool,
    },
    /// The node is no member any more. Refused while it owns a shard.
    Forget {
        /// Which member.
        node: NodeId,
    },
    /// These shards exist. Known ones keep their place and get the weight.
    Declare(Vec<ShardSpec>),
    /// A shard that nobody owns goes to this node.
    Place {
        /// Which shard.
        shard: ShardId,
        /// The epoch in which it was lost or stopped; 0 if it never had an owner.
        last: Epoch,
        /// The new owner, which must be up and not draining.
        to: NodeId,
    },
    /// The owner is to begin anew under a new epoch: it did not tick.
    Restart {
        /// Which shard.
        shard: ShardId,
        /// The epoch that did not tick.
        epoch: Epoch,
    },
    /// The owner is to take its hands off (it did not tick after a restart): owned by nobody.
    Release {
        /// Which shard.
        shard: ShardId,
        /// The epoch that ends.
        epoch: Epoch,
    },
    /// A shard begins to move while its owner goes on owning it.
    BeginMove {
        /// Which shard.
        shard: ShardId,
        /// The owner's epoch.
        epoch: Epoch,
        /// Where to; it must be up and not draining.
        to: NodeId,
    },
    /// The target has all of it: it owns the shard from now on, in the epoch of this entry.
    FinishMove {
        /// Which shard.
        shard: ShardId,
        /// The epoch of [`Command::BeginMove`].
        moving: Epoch,
    },
    /// The owner keeps the shard, in the epoch that it had.
    AbortMove {
        /// Which shard.
        shard: ShardId,
        /// The epoch of [`Command::BeginMove`].
        moving: Epoch,
    },
    /// The cluster's content is this from now on (a rolling change of areas).
    Content(ContentHash),
    /// The same as [`Command::Found`], for a cluster that is not the first on its storage: its
    /// epochs are above all of the clusters before it.
    FoundIn {
        /// The cluster's name.
        cluster: String,
        /// The first node.
        first: Box<Candidate>,
        /// How many clusters were there before it.
        generation: u32,
    },
    /// The shard is none any more. It may be declared again, and is another one then. Refused while
    /// it moves.
    Retire {
        /// Which shard.
        shard: ShardId,
        /// Its owner's epoch or, if nobody owns it, the last one.
        last: Epoch,
    },
}

/// What became of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// Done.
    Done,
    /// Done; the node has this number.
    Joined(NodeId),
    /// Done; this epoch begins.
    Began(Epoch),
    /// It changed nothing, and why.
    Refused(Refusal),
}

/// Why a command changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Refusal {
    /// There is a cluster already.
    #[error("the cluster was founded already")]
    Founded,
    /// There is no cluster yet.
    #[error("there is no cluster yet; found one with \"belay cluster init\"")]
    NotFounded,
    /// No member has this number.
    #[error("there is no such node")]
    NoNode,
    /// The name belongs to a node that lives.
    #[error("a node of this name is up; stop or forget it first, or choose another name")]
    NameTaken,
    /// The areas differ from the cluster's.
    #[error("the content differs from the cluster's")]
    OtherContent,
    /// A later life of the node is known.
    #[error("a later start of this node is known")]
    OldIncarnation,
    /// The node is not up.
    #[error("the node is not up")]
    NotUp,
    /// The node is being emptied.
    #[error("the node is being drained")]
    Draining,
    /// The node still owns shards.
    #[error("the node still owns shards; drain it first")]
    StillOwns,
    /// There is no such shard.
    #[error("there is no such shard")]
    NoShard,
    /// The shard is in another epoch or state than the command says.
    #[error("the shard has moved on meanwhile")]
    Overtaken,
    /// It is there already.
    #[error("the shard is on this node already")]
    ThereAlready,
    /// No more nodes or shards can be known.
    #[error("the cluster is full")]
    Full,
    /// Epochs would rise into those of the next cluster on the same storage.
    #[error("the log is used up; found a new cluster on the same database")]
    Spent,
    /// No cluster can have this generation.
    #[error("too many clusters were founded on this database; move to a new one")]
    Generation,
}
