//! `[process]` Calls to the rafts of other nodes over the control lane: each has a number, waits
//! for the answer to that number, and gives up at openraft's deadline.
//!
//! Nothing here asks twice in a row: a call that cannot be sent waits [`RAFT_PAUSE`] before it
//! fails, so openraft, which tries again at once, never spins.

use super::acks::Acks;
use super::message::{Ask, Body, CallId, Message, Reply};
use super::record;
use super::types::{LogId, Types, Vote, node_of};
use crate::ids::NodeId;
use crate::limits::{FRAME_BYTES_MAX, RAFT_CALLS_MAX, RAFT_PAUSE};
use crate::transport::Unsent;
use bytes::Bytes;
use openraft::error::{InstallSnapshotError, NetworkError, PayloadTooLarge, RPCError, RaftError};
use openraft::error::{RemoteError, SnapshotMismatch};
use openraft::network::{RPCOption, RaftNetwork, RaftNetworkFactory};
use openraft::raft::{AppendEntriesRequest, AppendEntriesResponse, InstallSnapshotRequest};
use openraft::raft::{InstallSnapshotResponse, VoteRequest, VoteResponse};
use openraft::{EmptyNode, SnapshotSegmentId};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::oneshot;

/// The longest message that is sent: a frame, less what the lane puts around it.
const MESSAGE_BYTES_MAX: usize = FRAME_BYTES_MAX - 1_024;

/// Sends a message to the raft of a node.
pub(super) type Post = Arc<dyn Fn(NodeId, Bytes) -> Result<(), Unsent> + Send + Sync>;

/// All calls of this raft.
pub(super) struct Calls {
    life: u64,
    post: Post,
    numbers: AtomicU64,
    waiting: Mutex<BTreeMap<u64, (NodeId, oneshot::Sender<Reply>)>>,
    acks: Mutex<Acks>,
}

/// Why a call has no answer. It may have been carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum Unanswered {
    /// It was not sent.
    #[error("not sent: {0}")]
    Unsent(#[from] Unsent),
    /// Too many calls wait.
    #[error("too many calls wait for answers")]
    Full,
    /// The answer is to another question.
    #[error("the answer makes no sense")]
    Nonsense,
}

impl Calls {
    /// Calls of the life of this number, which no other life of this node has had.
    pub(super) fn new(life: u64, post: Post) -> Arc<Self> {
        Arc::new(Self {
            life,
            post,
            numbers: AtomicU64::new(0),
            waiting: Mutex::default(),
            acks: Mutex::default(),
        })
    }

    /// When nodes last answered this leader.
    pub(super) fn acks(&self) -> MutexGuard<'_, Acks> {
        self.acks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends an answer to a call of another node. If it does not arrive, the call is made again.
    pub(super) fn reply(&self, to: NodeId, call: CallId, reply: Reply) {
        let body = Body::Reply(reply);
        let sent = record::encode(&Message { call, body }).map(|bytes| (self.post)(to, bytes));
        if !matches!(sent, Ok(Ok(()))) {
            tracing::debug!(peer = %to, "an answer of raft was not sent");
        }
    }

    /// An answer came. It is dropped when nobody waits for it any more, when it is to a call of a
    /// life before this one, or from another node than the one that was asked.
    pub(super) fn answered(&self, from: NodeId, call: CallId, reply: Reply) {
        if call.life != self.life {
            return;
        }
        let mut waiting = self.waiting();
        if waiting
            .get(&call.number)
            .is_some_and(|(asked, _)| *asked == from)
            && let Some((_, tell)) = waiting.remove(&call.number)
        {
            // Whoever asked may have given up just now.
            drop(tell.send(reply));
        }
    }

    /// How many calls wait for their answers.
    pub(super) fn waiting_count(&self) -> usize {
        self.waiting().len()
    }

    fn waiting(&self) -> MutexGuard<'_, BTreeMap<u64, (NodeId, oneshot::Sender<Reply>)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks, and waits for the answer for as long as openraft lets it.
    async fn ask(&self, to: NodeId, call: CallId, message: Bytes) -> Result<Reply, Unanswered> {
        let (tell, told) = oneshot::channel();
        {
            let mut waiting = self.waiting();
            if waiting.len() >= RAFT_CALLS_MAX {
                return Err(Unanswered::Full);
            }
            waiting.insert(call.number, (to, tell));
        }
        let _forgotten = Forget(self, call.number);
        (self.post)(to, message)?;
        told.await.map_err(|_forgotten| Unanswered::Nonsense)
    }

    /// Asks, without a pause if that cannot be; for who asks seldom, and has a deadline of its own.
    pub(super) async fn try_ask(&self, to: NodeId, ask: Ask) -> Option<Reply> {
        let (call, message) = self.message(ask);
        self.ask(to, call, message.ok()?).await.ok()
    }

    fn message(&self, ask: Ask) -> (CallId, Result<Bytes, record::BadRecord>) {
        let call = CallId {
            life: self.life,
            number: self.numbers.fetch_add(1, Ordering::Relaxed),
        };
        let body = Body::Ask(ask);
        (call, record::encode(&Message { call, body }))
    }
}

impl fmt::Debug for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Calls")
            .field("life", &self.life)
            .finish_non_exhaustive()
    }
}

/// Nobody waits for the answer any more, however the wait ends.
struct Forget<'a>(&'a Calls, u64);

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.0.waiting().remove(&self.1);
    }
}

/// Makes the callers of nodes.
#[derive(Clone, Debug)]
pub(super) struct Network(pub(super) Arc<Calls>);

impl RaftNetworkFactory<Types> for Network {
    type Network = Caller;

    async fn new_client(&mut self, target: u64, _: &EmptyNode) -> Caller {
        Caller {
            calls: self.0.clone(),
            target,
        }
    }
}

/// Calls one node.
#[derive(Debug)]
pub(super) struct Caller {
    calls: Arc<Calls>,
    target: u64,
}

type Failed<E = openraft::error::Infallible> = RPCError<u64, EmptyNode, RaftError<u64, E>>;

impl Caller {
    /// Asks this node. A failure comes after a pause.
    async fn ask<E: std::error::Error>(&self, ask: Ask) -> Result<Reply, Failed<E>> {
        let (call, message) = self.calls.message(ask);
        match (node_of(self.target), message) {
            (Some(to), Ok(message)) if message.len() <= MESSAGE_BYTES_MAX => {
                match self.calls.ask(to, call, message).await {
                    Ok(reply) => Ok(reply),
                    Err(error) => Err(self.failed(error).await),
                }
            }
            (Some(_), Ok(_)) => Err(self.failed(Unsent::TooLong.into()).await),
            (None, _) => Err(self.failed(Unsent::NoWire.into()).await),
            (_, Err(_)) => Err(self.failed(Unanswered::Nonsense).await),
        }
    }

    async fn failed<E: std::error::Error>(&self, error: Unanswered) -> Failed<E> {
        // A pause of openraft's own would wait for two things at once, and which of them comes
        // first it leaves to chance: no simulation could be done again.
        drop(tokio::time::timeout(RAFT_PAUSE, std::future::pending::<()>()).await);
        RPCError::Network(NetworkError::new(&error))
    }

    fn now(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }
}

impl RaftNetwork<Types> for Caller {
    async fn append_entries(
        &mut self,
        rpc: AppendEntriesRequest<Types>,
        _: RPCOption,
    ) -> Result<AppendEntriesResponse<u64>, Failed> {
        let (vote, count, sent) = (rpc.vote, rpc.entries.len(), self.now());
        let ask = Ask::Append {
            vote: vote.into(),
            previous: rpc.prev_log_id.map(Into::into),
            committed: rpc.leader_commit.map(Into::into),
            entries: rpc.entries.into_iter().map(Into::into).collect(),
        };
        let (call, message) = self.calls.message(ask);
        let too_long = matches!(&message, Ok(message) if message.len() > MESSAGE_BYTES_MAX);
        if too_long && count > 1 {
            let half = u64::try_from(count / 2).unwrap_or(1);
            return Err(PayloadTooLarge::new_entries_hint(half).into());
        }
        let reply = match (node_of(self.target), message) {
            (Some(to), Ok(message)) if !too_long => self.calls.ask(to, call, message).await,
            (Some(_), _) => Err(Unsent::TooLong.into()),
            (None, _) => Err(Unsent::NoWire.into()),
        };
        let response = match reply {
            Ok(Reply::Appended) => AppendEntriesResponse::Success,
            Ok(Reply::AppendedUntil(place)) => {
                AppendEntriesResponse::PartialSuccess(place.map(LogId::from))
            }
            Ok(Reply::Conflict) => AppendEntriesResponse::Conflict,
            Ok(Reply::LaterVote(later)) => {
                return Ok(AppendEntriesResponse::HigherVote(later.into()));
            }
            Ok(Reply::Voted { .. } | Reply::Taken(_) | Reply::NotTaken | Reply::Sounded { .. }) => {
                return Err(self.failed(Unanswered::Nonsense).await);
            }
            Err(error) => return Err(self.failed(error).await),
        };
        self.calls.acks().note(vote, self.target, sent);
        Ok(response)
    }

    async fn install_snapshot(
        &mut self,
        rpc: InstallSnapshotRequest<Types>,
        _: RPCOption,
    ) -> Result<InstallSnapshotResponse<u64>, Failed<InstallSnapshotError>> {
        let (vote, sent) = (rpc.vote, self.now());
        let segment = |offset| SnapshotSegmentId {
            id: rpc.meta.snapshot_id.clone(),
            offset,
        };
        let (expect, got) = (segment(0), segment(rpc.offset));
        let ask = Ask::Snapshot {
            vote: vote.into(),
            of: (&rpc.meta).into(),
            offset: rpc.offset,
            data: rpc.data,
            done: rpc.done,
        };
        match self.ask(ask).await? {
            Reply::Taken(known) => {
                let known = Vote::from(known);
                if known <= vote {
                    self.calls.acks().note(vote, self.target, sent);
                }
                Ok(InstallSnapshotResponse { vote: known })
            }
            Reply::NotTaken => {
                let mismatch = SnapshotMismatch { expect, got };
                let error = RaftError::APIError(InstallSnapshotError::from(mismatch));
                Err(RemoteError::new(self.target, error).into())
            }
            Reply::Appended
            | Reply::AppendedUntil(_)
            | Reply::Conflict
            | Reply::LaterVote(_)
            | Reply::Voted { .. }
            | Reply::Sounded { .. } => Err(self.failed(Unanswered::Nonsense).await),
        }
    }

    async fn vote(
        &mut self,
        rpc: VoteRequest<u64>,
        _: RPCOption,
    ) -> Result<VoteResponse<u64>, Failed> {
        let ask = Ask::Vote {
            vote: rpc.vote.into(),
            last: rpc.last_log_id.map(Into::into),
        };
        match self.ask(ask).await? {
            Reply::Voted {
                vote,
                granted,
                last,
            } => Ok(VoteResponse {
                vote: vote.into(),
                vote_granted: granted,
                last_log_id: last.map(LogId::from),
            }),
            Reply::Appended
            | Reply::AppendedUntil(_)
            | Reply::Conflict
            | Reply::LaterVote(_)
            | Reply::Taken(_)
            | Reply::NotTaken
            | Reply::Sounded { .. } => Err(self.failed(Unanswered::Nonsense).await),
        }
    }
}
