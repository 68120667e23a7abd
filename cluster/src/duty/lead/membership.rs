//! `[pure]` Who votes: one change at a time, tried again until raft has what the log's members
//! call for. It looks at what is, so that a change that was lost or half done is of no matter.

use crate::duty::io::{Effect, Note};
use crate::ids::NodeId;
use crate::limits::{MEMBERSHIP_DEADLINE, SAY_AGAIN};
use crate::plan::voters::voters;
use crate::view::View;
use std::collections::BTreeSet;
use std::time::Instant;

/// Raft's members, as the leader changes them.
#[derive(Clone, Debug, Default)]
pub(super) struct Membership {
    voters: BTreeSet<NodeId>,
    learners: BTreeSet<NodeId>,
    /// A change is under way, or the last one failed: until then nothing is done.
    wait: Option<Instant>,
    under_way: bool,
}

impl Membership {
    /// Raft says who its members are.
    pub(super) fn is(&mut self, voters: BTreeSet<NodeId>, learners: BTreeSet<NodeId>) {
        (self.voters, self.learners) = (voters, learners);
    }

    /// The change that was asked for is done, or failed.
    pub(super) fn changed(
        &mut self,
        now: Instant,
        result: Result<(), String>,
        out: &mut Vec<Effect>,
    ) {
        if !std::mem::take(&mut self.under_way) {
            return;
        }
        self.wait = None;
        if let Err(why) = result {
            self.wait = Some(now + SAY_AGAIN);
            out.push(Effect::Note(Note::Membership(why)));
        }
    }

    /// Asks for the next change, if one is called for and none is under way.
    pub(super) fn turn(&mut self, now: Instant, view: &View, out: &mut Vec<Effect>) {
        // Before raft has said who votes, nothing is known; a leader is a voter at least.
        if self.voters.is_empty() || self.wait.is_some_and(|wait| now < wait) {
            return;
        }
        self.wait = None;
        self.under_way = false;
        if let Some(change) = self.next(view) {
            self.wait = Some(now + MEMBERSHIP_DEADLINE);
            self.under_way = true;
            out.push(change);
        }
    }

    /// When [`Membership::turn`] has something to do.
    pub(super) fn due(&self) -> Option<Instant> {
        self.wait.filter(|_| !self.voters.is_empty())
    }

    fn next(&self, view: &View) -> Option<Effect> {
        let known = |node: &NodeId| self.voters.contains(node) || self.learners.contains(node);
        if let Some(new) = view.nodes.keys().find(|node| !known(node)) {
            return Some(Effect::AddLearner(*new));
        }
        let voters = voters(view, &self.voters);
        if !voters.is_empty() && voters != self.voters {
            return Some(Effect::SetVoters(voters));
        }
        let mut learners = self.learners.iter();
        let gone = learners.find(|node| !view.nodes.contains_key(node))?;
        Some(Effect::RemoveLearner(*gone))
    }
}
