//! `[process]` Raft as the rest of the crate uses it.

use super::calls::Calls;
use super::hearing::{self, Hearing};
use super::message::{Body, Message};
use super::random::SeededTokio;
use super::record::{self, EntryRecord};
use super::role;
use super::serve;
use super::start::RaftConfig;
use super::types::{Core, Entry, Metrics, node_of, raft_id};
use crate::command::{Command, Outcome};
use crate::ids::NodeId;
use crate::limits::VOTER_LAG_MAX;
use crate::limits::{COMMAND_BYTES_MAX, PROPOSE_DEADLINE, RAFT_PROPOSALS_MAX, RAFT_REQUESTS_MAX};
use crate::log::Log;
use crate::view::View;
use openraft::error::{ChangeMembershipError, CheckIsLeaderError, ClientWriteError};
use openraft::error::{InitializeError, RaftError};
use openraft::{AsyncRuntime, ChangeMembers, EmptyNode, EntryPayload};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// What happens in the raft of this node.
#[derive(Clone, Debug)]
pub(crate) enum RaftNews {
    /// Commands were applied; told after each batch, and once when a snapshot is read.
    Applied(Arc<View>),
    /// Who leads has changed. `me_leads` comes after everything that was acknowledged before is
    /// applied here, and goes when no majority answers any more; it may come again in one term.
    Role {
        /// The term.
        term: u64,
        /// Who leads, as far as is known.
        leader: Option<NodeId>,
        /// It is this node, beyond doubt.
        me_leads: bool,
    },
    /// This node leads, and what it sent at that moment, by its own clock, a majority of the voters
    /// has answered: nobody else led then. A lone voter is its own majority.
    Quorum(Instant),
    /// Who votes and who learns has changed. While the voters change, the old ones and the new
    /// ones are told together.
    Members {
        /// The voters.
        voters: BTreeSet<NodeId>,
        /// The others.
        learners: BTreeSet<NodeId>,
    },
    /// Raft has ended: the log failed, or it has a fault. The node must stop.
    Failed(String),
}

/// Why a command has no outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ProposeError {
    /// This node does not lead; **refused**.
    #[error("this node does not lead")]
    NotLeader {
        /// Who does, as far as is known.
        leader: Option<NodeId>,
    },
    /// Too many wait; **busy**.
    #[error("too many commands wait")]
    Busy,
    /// The command is longer than [`COMMAND_BYTES_MAX`]; **refused**.
    #[error("the command is too long")]
    TooLong,
    /// No majority answered in time. It may yet be applied; **busy**.
    #[error("it is not known what becomes of the command")]
    Unknown,
    /// Raft has ended; **fatal**.
    #[error("raft has ended")]
    Ended,
}

/// Why the voters did not change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ChangeError {
    /// This node does not lead; **refused**.
    #[error("this node does not lead")]
    NotLeader {
        /// Who does, as far as is known.
        leader: Option<NodeId>,
    },
    /// Another change is on its way; **busy**.
    #[error("another change is on its way")]
    InProgress,
    /// The node does not learn yet, or lacks too many entries to vote; **busy**.
    #[error("node {0} is too far behind to vote")]
    Behind(NodeId),
    /// There must be voters, and those removed must not vote; **refused**.
    #[error("not a set of voters")]
    NotAllowed,
    /// No majority answered in time. It may yet happen; **busy**.
    #[error("it is not known what becomes of the change")]
    Unknown,
    /// Raft has ended; **fatal**.
    #[error("raft has ended")]
    Ended,
}

/// What can be seen of a raft.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RaftFigures {
    /// The term.
    pub(crate) term: u64,
    /// Who leads, as far as is known.
    pub(crate) leader: Option<NodeId>,
    /// The last entry of the log here.
    pub(crate) last_log: u64,
    /// The last entry that is applied here.
    pub(crate) applied: u64,
    /// The last entry of the last snapshot here.
    pub(crate) snapshot: u64,
    /// Who votes; while that changes, who did and who will.
    pub(crate) voters: BTreeSet<NodeId>,
    /// Who learns.
    pub(crate) learners: BTreeSet<NodeId>,
    /// Entries that each node lacks; only the leader knows.
    pub(crate) lag: BTreeMap<NodeId, u64>,
    /// Changes of the log in this life, and the commits that they took.
    pub(crate) log_writes: (u64, u64),
    /// Calls that wait for their answers.
    pub(crate) calls: usize,
    /// Messages of others that were no message, or too many at once.
    pub(crate) dropped: u64,
}

/// A running raft. A clone is the same raft; it ends with the last of them, or when stopped.
#[derive(Clone)]
pub(crate) struct Raft(Arc<Inner>);

pub(super) struct Inner {
    me: NodeId,
    pub(super) core: Core,
    pub(super) calls: Arc<Calls>,
    pub(super) hearing: Hearing,
    log: Log,
    proposals: Semaphore,
    requests: Arc<Semaphore>,
    dropped: AtomicU64,
}

impl Raft {
    /// Takes over an openraft that has no leave to stand for election.
    pub(super) fn new(config: RaftConfig, core: Core, calls: Arc<Calls>, hearing: Hearing) -> Self {
        let RaftConfig { me, log, .. } = config;
        let raft = Self(Arc::new(Inner {
            me,
            core,
            calls,
            hearing,
            log,
            proposals: Semaphore::new(RAFT_PROPOSALS_MAX),
            requests: Arc::new(Semaphore::new(RAFT_REQUESTS_MAX)),
            dropped: AtomicU64::new(0),
        }));
        drop(SeededTokio::spawn(hearing::watch(Arc::downgrade(&raft.0))));
        raft
    }

    /// A message of the raft of another node. Never waits. What is no message, not of its sender,
    /// or too much at once is dropped and counted.
    pub(crate) fn receive(&self, from: NodeId, body: &[u8]) {
        let Ok(Message { call, body }) = record::decode(body) else {
            return self.drop_one(from, "not a message of raft");
        };
        let ask = match body {
            Body::Reply(reply) => return self.0.calls.answered(from, call, reply),
            Body::Ask(ask) => ask,
        };
        if ask.author() != raft_id(from) {
            return self.drop_one(from, "in the name of another node");
        }
        let Ok(permit) = self.0.requests.clone().try_acquire_owned() else {
            return self.drop_one(from, "too many calls at once");
        };
        let raft = self.0.clone();
        let answer = async move {
            if let Some(reply) = serve::answer(&raft, ask).await {
                raft.hearing.note(&reply);
                raft.calls.reply(from, call, reply);
            }
            drop(permit);
        };
        drop(SeededTokio::spawn(answer));
    }

    fn drop_one(&self, from: NodeId, reason: &str) {
        self.0.dropped.fetch_add(1, Ordering::Relaxed);
        tracing::debug!(peer = %from, reason, "a message of raft was dropped");
    }

    /// Begins a cluster of this node alone. Does nothing if the log is not empty.
    ///
    /// # Errors
    /// [`ProposeError::Ended`].
    pub(crate) async fn found(&self) -> Result<(), ProposeError> {
        let members = BTreeMap::from([(raft_id(self.0.me), EmptyNode::new())]);
        match self.0.core.initialize(members).await {
            Ok(()) | Err(RaftError::APIError(InitializeError::NotAllowed(_))) => Ok(()),
            Err(RaftError::APIError(InitializeError::NotInMembers(_)) | RaftError::Fatal(_)) => {
                Err(ProposeError::Ended)
            }
        }
    }

    /// Has a command committed by a majority, and applied here.
    ///
    /// # Errors
    /// It has no outcome; with [`ProposeError::Unknown`] it may have one later.
    ///
    /// # Cancel safety
    /// When the future is dropped the command may be committed or not.
    pub(crate) async fn propose(&self, command: Command) -> Result<Outcome, ProposeError> {
        let Ok(_permit) = self.0.proposals.try_acquire() else {
            return Err(ProposeError::Busy);
        };
        let entry = Entry {
            payload: EntryPayload::Normal(command.clone()),
            ..Entry::default()
        };
        let length = record::encode(&EntryRecord::from(entry)).map(|bytes| bytes.len());
        if length.map_or(true, |length| length > COMMAND_BYTES_MAX) {
            return Err(ProposeError::TooLong);
        }
        let written = self.0.core.client_write(command);
        match timeout(PROPOSE_DEADLINE, written).await {
            Ok(Ok(response)) => response.data.0.ok_or(ProposeError::Ended),
            Ok(Err(RaftError::APIError(ClientWriteError::ForwardToLeader(forward)))) => {
                let leader = forward.leader_id.and_then(node_of);
                Err(ProposeError::NotLeader { leader })
            }
            Ok(Err(RaftError::APIError(ClientWriteError::ChangeMembershipError(_)))) => {
                Err(ProposeError::Unknown)
            }
            Ok(Err(RaftError::Fatal(_))) => Err(ProposeError::Ended),
            Err(_) => Err(ProposeError::Unknown),
        }
    }

    /// Waits until everything is applied here that was committed when this was called, and a
    /// majority has confirmed meanwhile that this node leads.
    ///
    /// # Errors
    /// This node does not lead, or no majority says so.
    #[cfg_attr(
        not(test),
        expect(
            dead_code,
            reason = "reads that grant power go through the log; tests read so"
        )
    )]
    pub(crate) async fn confirm(&self) -> Result<(), ProposeError> {
        match timeout(PROPOSE_DEADLINE, self.0.core.ensure_linearizable()).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(RaftError::APIError(CheckIsLeaderError::ForwardToLeader(forward)))) => {
                let leader = forward.leader_id.and_then(node_of);
                Err(ProposeError::NotLeader { leader })
            }
            Ok(Err(RaftError::APIError(CheckIsLeaderError::QuorumNotEnough(_)))) | Err(_) => {
                Err(ProposeError::Unknown)
            }
            Ok(Err(RaftError::Fatal(_))) => Err(ProposeError::Ended),
        }
    }

    /// Has a node learn the log. Done when that is committed; the node may lack everything still.
    ///
    /// # Errors
    /// It may not learn; to be tried again.
    pub(crate) async fn add_learner(&self, node: NodeId) -> Result<(), ChangeError> {
        let nodes = BTreeMap::from([(raft_id(node), EmptyNode::new())]);
        self.change(ChangeMembers::AddNodes(nodes), true).await
    }

    /// Has these nodes vote, and no others; those go on learning. New ones must have learned up to
    /// [`VOTER_LAG_MAX`] entries.
    ///
    /// # Errors
    /// The voters may be the old ones, the new ones, or on their way between; to be tried again.
    pub(crate) async fn set_voters(&self, voters: BTreeSet<NodeId>) -> Result<(), ChangeError> {
        let figures = self.figures();
        let behind = |node: &&NodeId| {
            let lag = figures.lag.get(node);
            lag.is_none_or(|lag| *lag > VOTER_LAG_MAX)
        };
        let mut new = voters.difference(&figures.voters);
        if figures.leader == Some(self.0.me)
            && let Some(node) = new.find(behind)
        {
            return Err(ChangeError::Behind(*node));
        }
        let voters = voters.into_iter().map(raft_id).collect();
        let change = ChangeMembers::ReplaceAllVoters(voters);
        self.change(change, true).await
    }

    /// Has a node learn no more. It must not vote.
    ///
    /// # Errors
    /// It may learn still; to be tried again.
    pub(crate) async fn remove_learner(&self, node: NodeId) -> Result<(), ChangeError> {
        let nodes = BTreeSet::from([raft_id(node)]);
        self.change(ChangeMembers::RemoveNodes(nodes), false).await
    }

    async fn change(
        &self,
        change: ChangeMembers<u64, EmptyNode>,
        retain: bool,
    ) -> Result<(), ChangeError> {
        // openraft looks first whether a change is on its way, and only then who leads.
        let leader = self.figures().leader;
        if leader != Some(self.0.me) {
            return Err(ChangeError::NotLeader { leader });
        }
        let changed = self.0.core.change_membership(change, retain);
        let error = match timeout(PROPOSE_DEADLINE, changed).await {
            Ok(Ok(_)) => return Ok(()),
            Ok(Err(error)) => error,
            Err(_) => return Err(ChangeError::Unknown),
        };
        Err(match error {
            RaftError::APIError(ClientWriteError::ForwardToLeader(forward)) => {
                let leader = forward.leader_id.and_then(node_of);
                ChangeError::NotLeader { leader }
            }
            RaftError::APIError(ClientWriteError::ChangeMembershipError(error)) => match error {
                ChangeMembershipError::InProgress(_) => ChangeError::InProgress,
                ChangeMembershipError::EmptyMembership(_)
                | ChangeMembershipError::LearnerNotFound(_) => ChangeError::NotAllowed,
            },
            RaftError::Fatal(_) => ChangeError::Ended,
        })
    }

    /// When a majority of the voters last stood behind this leader, by its own clock: nobody else
    /// led at that time. None if this node does not lead, or nobody has answered it in this life.
    #[cfg_attr(not(test), expect(dead_code, reason = "the news say it; tests ask"))]
    pub(crate) fn quorum(&self, now: Instant) -> Option<Instant> {
        role::quorum(&self.0.core.metrics().borrow(), &self.0.calls, now)
    }

    /// What can be seen of it.
    pub(crate) fn figures(&self) -> RaftFigures {
        let metrics = self.0.core.metrics();
        let seen: &Metrics = &metrics.borrow();
        let (voters, learners) = role::members(seen);
        let last = seen.last_log_index.unwrap_or(0);
        let lag = seen.replication.iter().flatten().filter_map(|(id, at)| {
            let known = at.map_or(0, |at| at.index);
            Some((node_of(*id)?, last.saturating_sub(known)))
        });
        let index = |id: Option<super::types::LogId>| id.map_or(0, |id| id.index);
        RaftFigures {
            term: seen.current_term,
            leader: seen.current_leader.and_then(node_of),
            last_log: last,
            applied: index(seen.last_applied),
            snapshot: index(seen.snapshot),
            voters,
            learners,
            lag: lag.collect(),
            log_writes: self.0.log.counted(),
            calls: self.0.calls.waiting_count(),
            dropped: self.0.dropped.load(Ordering::Relaxed),
        }
    }

    /// Ends it, and waits for that.
    pub(crate) async fn stop(&self) {
        // Its only error is that openraft crashed, of which the news have told.
        drop(self.0.core.shutdown().await);
    }
}

impl fmt::Debug for Raft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Raft").field(&self.0.me).finish()
    }
}
