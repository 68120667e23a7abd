//! `[process]` Looks who leads, and says so when that changes.

use super::calls::Calls;
use super::handle::RaftNews;
use super::machine::Hears;
use super::types::{Metrics, node_of};
use crate::ids::NodeId;
use crate::limits::{HEARTBEAT, QUORUM_LOST};
use openraft::ServerState;
use openraft::error::Fatal;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::watch;
use tokio::time::timeout;

/// What was told last.
#[derive(Default)]
struct Told {
    role: Option<(u64, Option<NodeId>, bool)>,
    quorum: Option<Instant>,
    members: Option<(BTreeSet<NodeId>, BTreeSet<NodeId>)>,
}

/// Says each change, until this raft ends.
pub(super) async fn watch(mut metrics: watch::Receiver<Metrics>, calls: Arc<Calls>, hears: Hears) {
    let mut told = Told::default();
    loop {
        let seen = metrics.borrow_and_update().clone();
        if let Err(fatal) = &seen.running_state {
            if !matches!(fatal, Fatal::Stopped) {
                hears(RaftNews::Failed(fatal.to_string()));
            }
            return;
        }
        let now = tokio::time::Instant::now().into_std();
        told.update(&seen, quorum(&seen, &calls, now), now, &hears);
        // Silence is no change of the figures: looked for with each beat.
        if let Ok(Err(_)) = timeout(HEARTBEAT, metrics.changed()).await
            && metrics.borrow().running_state.is_ok()
        {
            hears(RaftNews::Failed("raft crashed".to_owned()));
            return;
        }
    }
}

impl Told {
    fn update(&mut self, seen: &Metrics, quorum: Option<Instant>, now: Instant, hears: &Hears) {
        let (voters, learners) = members(seen);
        let members = Some((voters.clone(), learners.clone()));
        if self.members != members {
            self.members = members;
            hears(RaftNews::Members { voters, learners });
        }
        if let Some(at) = quorum
            && self.quorum != Some(at)
        {
            self.quorum = Some(at);
            hears(RaftNews::Quorum(at));
        }
        let term = seen.current_term;
        let leader = seen.current_leader.and_then(node_of);
        let me_leads = leads(seen, quorum, now);
        if self.role != Some((term, leader, me_leads)) {
            self.role = Some((term, leader, me_leads));
            hears(RaftNews::Role {
                term,
                leader,
                me_leads,
            });
        }
    }
}

/// Who votes and who learns.
pub(super) fn members(seen: &Metrics) -> (BTreeSet<NodeId>, BTreeSet<NodeId>) {
    let membership = seen.membership_config.membership();
    let voters = membership.voter_ids().filter_map(node_of).collect();
    let learners = membership.learner_ids().filter_map(node_of).collect();
    (voters, learners)
}

/// When this leader last had a majority behind it; none if it never had, or does not lead.
pub(super) fn quorum(seen: &Metrics, calls: &Calls, now: Instant) -> Option<Instant> {
    if seen.state != ServerState::Leader {
        return None;
    }
    let voters = seen.membership_config.membership().get_joint_config();
    calls.acks().quorum(seen.vote, voters, (seen.id, now))
}

fn leads(seen: &Metrics, quorum: Option<Instant>, now: Instant) -> bool {
    // The first entry of a leadership is its blank one: if any of its entries is applied, so is
    // that, and with it everything that was acknowledged before.
    let applied = seen.last_applied.map(|applied| applied.leader_id);
    let begun = applied == Some(seen.vote.leader_id);
    // A leader that starts anew resumes the leadership that it remembers, which may be over by
    // now: it leads when a majority has answered it in this life.
    let followed = quorum.is_some_and(|at| now.saturating_duration_since(at) < QUORUM_LOST);
    seen.state == ServerState::Leader && begun && followed
}
