//! `[process]` Whether a leader is heard, and so whether this node may stand for election.
//!
//! Before a voter stands it asks the others whether they hear a leader; only if a majority hears
//! none does openraft get leave. openraft itself would stand whenever *it* hears none, and its term
//! grows with each try: a node that was cut off, or whose wire flaps, would then depose a leader
//! that everybody else hears. The others would refuse it their votes anyway, so nothing is lost.

use super::calls::Calls;
use super::handle::Inner;
use super::message::{Ask, Reply};
use super::role;
use super::types::{Metrics, node_of};
use crate::limits::HEARTBEAT;
use futures_util::future::join_all;
use openraft::ServerState;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// When a leader was last heard.
#[derive(Debug)]
pub(super) struct Hearing {
    heard: Mutex<Option<Instant>>,
    /// A leader that was heard within this is there.
    lease: Duration,
}

impl Hearing {
    pub(super) fn new(lease: Duration) -> Self {
        Self {
            heard: Mutex::new(None),
            lease,
        }
    }

    /// What a leader asked was answered so.
    pub(super) fn note(&self, reply: &Reply) {
        match reply {
            Reply::Appended
            | Reply::AppendedUntil(_)
            | Reply::Conflict
            | Reply::Taken(_)
            | Reply::NotTaken => {}
            Reply::LaterVote(_) | Reply::Voted { .. } | Reply::Sounded { .. } => return,
        }
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner) = Some(now());
    }

    /// No leader is there, as far as this node knows: none is heard, and it is none itself that a
    /// majority follows.
    pub(super) fn silent(&self, seen: &Metrics, calls: &Calls) -> bool {
        let now = now();
        let lately = |at: Instant| now.saturating_duration_since(at) < self.lease;
        let heard = *self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let heard = heard.is_some_and(lately);
        let followed = role::quorum(seen, calls, now).is_some_and(lately);
        !heard && !followed
    }
}

fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// Gives openraft leave to stand, and takes it back, until this raft ends.
pub(super) async fn watch(raft: Weak<Inner>) {
    loop {
        drop(timeout(HEARTBEAT, std::future::pending::<()>()).await);
        let Some(raft) = raft.upgrade() else {
            return;
        };
        let seen = raft.core.metrics().borrow().clone();
        if seen.running_state.is_err() {
            return;
        }
        let may = may_stand(&seen, &raft.hearing, &raft.calls).await;
        raft.core.runtime_config().elect(may);
    }
}

async fn may_stand(seen: &Metrics, hearing: &Hearing, calls: &Arc<Calls>) -> bool {
    let membership = seen.membership_config.membership();
    let voters: BTreeSet<u64> = membership.voter_ids().collect();
    let stands = seen.state != ServerState::Leader && voters.contains(&seen.id);
    if !stands || !hearing.silent(seen, calls) {
        return false;
    }
    let others = voters.iter().filter(|voter| **voter != seen.id);
    let asked = others.map(|voter| async move {
        let node = node_of(*voter)?;
        let ask = Ask::Sound { node: seen.id };
        let reply = timeout(HEARTBEAT, calls.try_ask(node, ask)).await;
        let silent = matches!(reply, Ok(Some(Reply::Sounded { silent: true })));
        silent.then_some(*voter)
    });
    let mut silent: BTreeSet<u64> = join_all(asked).await.into_iter().flatten().collect();
    silent.insert(seen.id);
    let majority = |set: &BTreeSet<u64>| set.intersection(&silent).count() > set.len() / 2;
    membership.get_joint_config().iter().all(majority)
}
