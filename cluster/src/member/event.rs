//! `[process]` What reaches the driver.

use crate::command::{Candidate, Outcome};
use crate::duty::Role;
use crate::handle::OrderReply;
use crate::ids::{Epoch, Incarnation, NodeId, ShardId};
use crate::order::Order;
use crate::raft::{ProposeError, RaftNews};
use crate::transport::{Inbound, Member};
use crate::view::View;
use crate::wire::JoinAnswer;
use bytes::Bytes;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// What reaches the driver.
pub(crate) enum Event {
    /// Raft has news; it lies in [`Newest`].
    News,
    /// From a wire: all but raft's own messages and the host's.
    Came(Inbound),
    /// The host froze a shard for this move.
    Frozen(ShardId, Epoch, Result<Bytes, String>),
    /// The host built a shard for this move.
    Built(ShardId, Epoch, Result<(), String>),
    /// An order of the program or its operator.
    Order(Order, OrderReply),
    /// A node wants to join.
    Join(Candidate, JoinReply),
    /// The time that the duty asked for.
    Tick,
    /// This life is on disk.
    NewLife(Incarnation),
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::News => "news",
            Self::Came(_) => "came",
            Self::Frozen(..) => "frozen",
            Self::Built(..) => "built",
            Self::Order(..) => "order",
            Self::Join(..) => "join",
            Self::Tick => "tick",
            Self::NewLife(_) => "new life",
        })
    }
}

/// What raft has to tell. What was not taken before is overtaken: a view contains all that were
/// before it.
#[derive(Clone, Debug, Default)]
pub(crate) struct News {
    /// How far the log is applied here.
    pub(crate) view: Option<Arc<View>>,
    /// Who leads.
    pub(crate) role: Option<Role>,
    /// When a majority last stood behind this leader.
    pub(crate) quorum: Option<Instant>,
    /// Who votes, and who only learns.
    pub(crate) members: Option<(BTreeSet<NodeId>, BTreeSet<NodeId>)>,
    /// Raft has ended, and why.
    pub(crate) failed: Option<String>,
}

/// Where raft leaves it.
#[derive(Debug, Default)]
pub(crate) struct Newest(Mutex<(News, News)>);

impl Newest {
    /// One more.
    pub(crate) fn put(&self, fresh: RaftNews) {
        let (news, last) = &mut *self.lock();
        for news in [news, last] {
            match &fresh {
                RaftNews::Applied(view) => news.view = Some(view.clone()),
                RaftNews::Role {
                    term,
                    leader,
                    me_leads,
                } => {
                    news.role = Some(Role {
                        term: *term,
                        leader: *leader,
                        me_leads: *me_leads,
                    });
                }
                RaftNews::Quorum(at) => news.quorum = Some(*at),
                RaftNews::Members { voters, learners } => {
                    news.members = Some((voters.clone(), learners.clone()));
                }
                RaftNews::Failed(why) => news.failed = Some(why.clone()),
            }
        }
    }

    /// What is new, once.
    pub(crate) fn take(&self) -> News {
        std::mem::take(&mut self.lock().0)
    }

    /// Everything is news again, for a driver that begins anew.
    pub(crate) fn renew(&self) {
        let (news, last) = &mut *self.lock();
        *news = last.clone();
    }

    fn lock(&self) -> MutexGuard<'_, (News, News)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps who this node is: called with a new life, and with the members as they change.
pub(crate) trait Keeper: Send + Sync {
    /// This life begins; it is on disk before [`Event::NewLife`] is sent.
    fn new_life(&mut self, incarnation: Incarnation);

    /// The node is shown as this life from now on.
    fn show(&mut self, incarnation: Incarnation);

    /// These are the others.
    fn members(&mut self, members: &[Member]);
}

/// Whoever keeps it.
pub(crate) type Keep = Box<dyn Keeper>;

/// How a node that asks to join is answered.
pub(crate) struct JoinReply(Box<dyn FnOnce(JoinAnswer) + Send>);

impl JoinReply {
    pub(crate) fn new(reply: impl FnOnce(JoinAnswer) + Send + 'static) -> Self {
        Self(Box::new(reply))
    }

    /// This node does not lead; the leader does, if one is known.
    pub(crate) fn try_there(self, leader: Option<String>) {
        (self.0)(match leader {
            Some(address) => JoinAnswer::TryThere { address },
            None => refused("there is no leader just now; it is tried again"),
        });
    }

    /// What became of the command.
    pub(crate) fn answer(
        self,
        outcome: Result<Outcome, ProposeError>,
        cluster: &str,
        members: Vec<Member>,
    ) {
        (self.0)(match outcome {
            Ok(Outcome::Joined(number)) => JoinAnswer::Joined {
                number,
                cluster: cluster.to_owned(),
                members: members
                    .into_iter()
                    .filter(|member| member.node != number)
                    .collect(),
            },
            Ok(Outcome::Refused(why)) => refused(&why.to_string()),
            Ok(Outcome::Done | Outcome::Began(_)) => refused("the log gave another answer"),
            Err(error) => refused(&error.to_string()),
        });
    }
}

fn refused(why: &str) -> JoinAnswer {
    JoinAnswer::Refused {
        why: why.to_owned(),
    }
}
