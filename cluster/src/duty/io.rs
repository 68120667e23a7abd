//! `[pure]` What goes into a node's machine and what comes out of it. Whoever drives it (a node's
//! cluster thread, or a simulation) carries out all effects, in order, before the next input.

use crate::command::{Command, Outcome};
use crate::duty::message::{DutyMessage, HandOverMessage};
use crate::ids::{Epoch, Incarnation, NodeId, ShardId};
use crate::order::{Order, OrderError};
use crate::report::ShardReport;
use crate::transport::Lane;
use crate::view::View;
use bytes::Bytes;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

/// A command that was given to raft, by the machine's own number for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ProposalId(pub(crate) u64);

/// An order that was given on this node, by the driver's number for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OrderId(pub(crate) u64);

/// What the machine is told.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    /// More of the log is applied here. Views come in order; some may be skipped.
    View(Arc<View>),
    /// Who leads.
    Role(Role),
    /// This node leads, and at that moment (of its own clock) it sent something that a majority
    /// of the voters has confirmed. A lone voter is its own majority: now.
    Quorum(Instant),
    /// Who votes and who only learns, as raft has it; wanted while this node leads.
    Membership {
        /// The voters.
        voters: BTreeSet<NodeId>,
        /// The others.
        learners: BTreeSet<NodeId>,
    },
    /// A wire to another node stands, with this life of it; or is gone.
    Peer {
        /// Which node.
        node: NodeId,
        /// Which wire.
        lane: Lane,
        /// Its life; nothing if the wire is gone.
        up: Option<Incarnation>,
    },
    /// A message on the control lane.
    Control {
        /// From whom.
        from: NodeId,
        /// In which life of it.
        incarnation: Incarnation,
        /// What.
        message: DutyMessage,
    },
    /// A message on the play lane.
    HandOver {
        /// From whom.
        from: NodeId,
        /// In which life of it.
        incarnation: Incarnation,
        /// What.
        message: HandOverMessage,
    },
    /// The host's answer to [`HostCall::Freeze`] of this move.
    Frozen {
        /// Which shard.
        shard: ShardId,
        /// The epoch of the move.
        moving: Epoch,
        /// The whole state; or why there is none.
        state: Result<Bytes, String>,
    },
    /// The host's answer to [`HostCall::Build`] of this move.
    Built {
        /// Which shard.
        shard: ShardId,
        /// The epoch of the move.
        moving: Epoch,
        /// Whether it can run.
        result: Result<(), String>,
    },
    /// The host's answer to [`Effect::AskReports`].
    Reports(Vec<ShardReport>),
    /// What became of a proposal.
    Proposed(ProposalId, Result<Outcome, Unproposed>),
    /// What became of the change of membership that was asked for last.
    MembershipChanged(Result<(), String>),
    /// An operator or the program on this node wants something.
    Order(OrderId, Order),
    /// Time has passed: [`Duty::next_due`](super::Duty::next_due) is reached.
    Tick,
}

/// Who leads, as raft has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Role {
    /// The term.
    pub(crate) term: u64,
    /// The leader, if one is known.
    pub(crate) leader: Option<NodeId>,
    /// This node leads, and the first entry of its term is applied.
    pub(crate) me_leads: bool,
}

/// Why a proposal has no outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unproposed {
    /// This node does not lead (any more). It was not written.
    NotLeader,
    /// Nobody knows whether it will be applied.
    Unknown,
}

/// What the driver is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Send on the control lane. If it cannot be sent, it is forgotten.
    Send(NodeId, DutyMessage),
    /// Send on the play lane. If it cannot be sent, it is forgotten.
    HandOver(NodeId, HandOverMessage),
    /// From now on this node may act until then ([`LeaseClock::set`](crate::LeaseClock::set)).
    Lease(Instant),
    /// From now on it may not act ([`LeaseClock::lapse`](crate::LeaseClock::lapse)).
    Lapse,
    /// Have the host do something.
    Host(HostCall),
    /// Ask the host what its shards have done, and say it with [`Input::Reports`].
    AskReports,
    /// Give raft a command, and say what became of it with [`Input::Proposed`].
    Propose(ProposalId, Command),
    /// Make this member a learner. One change of membership at a time is asked for, and
    /// [`Input::MembershipChanged`] says what became of it.
    AddLearner(NodeId),
    /// Make these the voters; members that do not vote any more go on learning.
    SetVoters(BTreeSet<NodeId>),
    /// Send this node nothing more: it is no member any more.
    RemoveLearner(NodeId),
    /// The answer to an order; exactly one for each.
    Ordered(OrderId, Result<String, OrderError>),
    /// The cluster had given this node up. It lives on in this life, which must be written to its
    /// data directory and shown on its wires from now on.
    NewLife(Incarnation),
    /// A later life of this node is known: another process runs with its number. Stop.
    Outlived(Incarnation),
    /// The node is no member any more. Stop.
    Forgotten,
    /// Something for the log and the counters.
    Note(Note),
}

/// What the host is to do; see [`Host`](crate::Host) for each. All about one shard are in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HostCall {
    /// Run it, with a new [`Fence`](crate::Fence) of this epoch. No epoch of a shard is run twice.
    Run {
        /// Which shard.
        shard: ShardId,
        /// Its epoch.
        epoch: Epoch,
    },
    /// End the fence of this epoch if there is one, then stop the shard; or forget what was built
    /// for the move of this epoch.
    Stop {
        /// Which shard.
        shard: ShardId,
        /// Its epoch, or that of the move.
        epoch: Epoch,
    },
    /// Freeze it; the answer is [`Input::Frozen`].
    Freeze {
        /// Which shard.
        shard: ShardId,
        /// Its epoch.
        epoch: Epoch,
        /// The epoch of the move.
        moving: Epoch,
    },
    /// Thaw it.
    Thaw {
        /// Which shard.
        shard: ShardId,
        /// Its epoch.
        epoch: Epoch,
    },
    /// Build it; the answer is [`Input::Built`].
    Build {
        /// Which shard.
        shard: ShardId,
        /// The epoch of the move.
        moving: Epoch,
        /// The whole state.
        state: Bytes,
    },
    /// Hold still, or go on.
    Suspend(bool),
}

/// What an operator may want to read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Note {
    /// The lease is about to lapse.
    #[error("no word from the leader: all shards hold still")]
    Suspended,
    /// The leader answered again in time.
    #[error("the leader answers again: all shards go on")]
    Resumed,
    /// The lease has lapsed.
    #[error("the lease has lapsed: all shards are stopped")]
    Lapsed,
    /// As leader: a node's lease was counted out.
    #[error("node {0} has not asked for its lease: it is given up")]
    Expiring(NodeId),
    /// As leader: a move is called off.
    #[error("the move of {0} is called off: {1}")]
    Aborting(ShardId, String),
    /// As leader: a command changed nothing.
    #[error("a command was overtaken: {0}")]
    Refused(String),
    /// As leader: a change of membership failed and is tried again.
    #[error("the voters could not be changed: {0}")]
    Membership(String),
}
