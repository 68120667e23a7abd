//! `[pure]` The one log of the simulation, which never errs, and who leads it. What a leader may
//! believe of itself can be wrong, as it can with raft: one that is cut off goes on believing.

use super::ms;
use super::world::{Event, World};
use crate::command::{Candidate, Command, Outcome};
use crate::duty::io::{Effect, Input, ProposalId, Role, Unproposed};
use crate::ids::{ContentHash, DirectoryMark, Incarnation, NodeId, NodeName};
use crate::state::machine::ClusterState;
use crate::view::View;
use rand::RngExt as _;
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) struct Raft {
    pub(super) state: ClusterState,
    /// The view after each entry, from none.
    pub(super) views: Vec<Arc<View>>,
    pub(super) term: u64,
    pub(super) leader: Option<NodeId>,
    /// The first entry of the term.
    blank: usize,
    pub(super) voters: BTreeSet<NodeId>,
    pub(super) learners: BTreeSet<NodeId>,
    /// When a majority stood behind the leader last.
    quorum: u64,
    /// Entries of the last leader that the next one may find.
    stash: Vec<Command>,
    pub(super) elections: usize,
}

impl Raft {
    pub(super) fn new() -> Self {
        Self {
            state: ClusterState::new(),
            views: vec![Arc::default()],
            term: 0,
            leader: None,
            blank: 0,
            voters: BTreeSet::from([NodeId(1)]),
            learners: BTreeSet::new(),
            quorum: 0,
            stash: Vec::new(),
            elections: 0,
        }
    }

    pub(super) fn append(&mut self, command: &Command) -> Outcome {
        let index = self.views.len();
        let outcome = self.state.apply(index as u64, command);
        self.views.push(self.state.view());
        outcome
    }

    fn append_blank(&mut self) {
        self.blank = self.views.len();
        self.state.skip(self.blank as u64);
        self.views.push(self.state.view());
    }

    /// A node that was never there is a member.
    pub(super) fn admit(&mut self, id: NodeId) {
        let candidate = Candidate {
            name: NodeName::new(&format!("n{}", id.0)).expect("a name"),
            mark: DirectoryMark([u8::try_from(id.0).expect("few nodes"); 16]),
            incarnation: Incarnation(1),
            address: format!("{id}:1"),
            content: ContentHash::default(),
        };
        let command = match id {
            NodeId(1) => Command::Found {
                cluster: "sim".into(),
                first: candidate,
            },
            NodeId(_) => Command::Join(candidate),
        };
        assert_eq!(self.append(&command), Outcome::Joined(id));
    }
}

impl World {
    /// So many voters that are in reach of this one, and of no later term, are a majority.
    fn has_majority(&self, leader: NodeId) -> bool {
        let term = self.nodes.get(&leader).map_or(0, |node| node.term);
        let voters = self.raft.voters.iter();
        let with = voters.filter(|voter| {
            let theirs = self.nodes.get(voter).map_or(u64::MAX, |node| node.term);
            self.linked(leader, **voter) && theirs <= term
        });
        with.count() * 2 > self.raft.voters.len()
    }

    /// This node leads from now on; those who voted for it know that nobody else does.
    pub(super) fn elect(&mut self, id: NodeId) {
        self.raft.term += 1;
        self.raft.elections += 1;
        let term = self.raft.term;
        for voter in self.raft.voters.clone() {
            if self.linked(id, voter) {
                self.learn(voter, term, None);
            }
        }
        for command in std::mem::take(&mut self.raft.stash) {
            self.raft.append(&command);
        }
        self.raft.append_blank();
        self.raft.leader = Some(id);
        self.raft.quorum = self.now;
        self.learn(id, term, Some(id));
        let blank = self.raft.blank;
        self.after(ms(1)..ms(30), Event::Apply(id, blank));
        self.note(format!("{id} leads in term {term}"));
    }

    /// A node learns of a term, and of who leads.
    fn learn(&mut self, id: NodeId, term: u64, leader: Option<NodeId>) {
        let Some(node) = self.nodes.get_mut(&id) else {
            return;
        };
        node.term = term;
        let Some(process) = &mut node.process else {
            return;
        };
        let role = Role {
            term,
            leader,
            me_leads: process.role.me_leads && process.role.term == term,
        };
        if process.role != role {
            process.role = role;
            self.tell(id, Input::Role(role));
        }
    }

    pub(super) fn apply(&mut self, id: NodeId, index: usize) {
        let Some(view) = self.raft.views.get(index).cloned() else {
            return;
        };
        let Some(node) = self.nodes.get_mut(&id) else {
            return;
        };
        if node.process.is_none() {
            return;
        }
        if index > node.applied {
            node.applied = index;
            self.tell(id, Input::View(view));
        }
        let (leader, term, blank) = (self.raft.leader, self.raft.term, self.raft.blank);
        let members = (self.raft.voters.clone(), self.raft.learners.clone());
        let Some(node) = self.nodes.get_mut(&id) else {
            return;
        };
        let applied = node.applied;
        let Some(process) = &mut node.process else {
            return;
        };
        let elected = process.role.leader == Some(id) && process.role.term == term;
        if leader == Some(id) && elected && applied >= blank && !process.role.me_leads {
            process.role.me_leads = true;
            let role = process.role;
            self.tell(id, Input::Role(role));
            let (voters, learners) = members;
            self.tell(id, Input::Membership { voters, learners });
        }
    }

    pub(super) fn propose(&mut self, (by, run): (NodeId, u32), id: ProposalId, command: Command) {
        let term = self.nodes.get(&by).map_or(0, |node| node.term);
        let commit = Event::Commit {
            by,
            run,
            term,
            id,
            command,
        };
        self.after(500..ms(6), commit);
    }

    pub(super) fn commit(
        &mut self,
        (by, run, term): (NodeId, u32, u64),
        id: ProposalId,
        command: &Command,
    ) {
        let leads = self.raft.leader == Some(by) && self.raft.term == term;
        if leads && self.has_majority(by) && self.run_of(by) == Some(run) {
            self.count(command);
            let outcome = self.raft.append(command);
            self.note(format!("entry: {command:?}: {outcome:?}"));
            let index = self.raft.views.len() - 1;
            let slow = self.nodes.get(&by).map_or(0, |node| node.slow);
            self.at(self.now + slow + 100, Event::Apply(by, index));
            let landed = Input::Proposed(id, Ok(outcome));
            self.after(slow + 200..slow + ms(3), Event::Input(by, run, landed));
            for node in self.nodes.keys().copied().collect::<Vec<_>>() {
                if node != by && self.linked(by, node) {
                    self.replicate(node, index);
                }
            }
            return;
        }
        // It may be found by the next leader, or not; or it was never written anywhere else.
        if leads && self.rng.random_bool(0.3) {
            self.raft.stash.push(command.clone());
        }
        let why = if leads {
            Unproposed::Unknown
        } else {
            Unproposed::NotLeader
        };
        let landed = Input::Proposed(id, Err(why));
        self.after(ms(1)..ms(4_000), Event::Input(by, run, landed));
    }

    fn replicate(&mut self, to: NodeId, index: usize) {
        let slow = self.nodes.get(&to).map_or(0, |node| node.slow);
        self.after(slow + ms(1)..slow + ms(15), Event::Apply(to, index));
    }

    fn count(&mut self, command: &Command) {
        self.facts.moves += usize::from(matches!(command, Command::BeginMove { .. }));
        self.facts.moved += usize::from(matches!(command, Command::FinishMove { .. }));
    }

    pub(super) fn change_members(&mut self, by: NodeId, run: u32, effect: &Effect) {
        let leads = self.raft.leader == Some(by) && self.has_majority(by);
        let result = if leads && self.rng.random_bool(0.95) {
            if let Effect::AddLearner(node) = effect {
                self.raft.learners.insert(*node);
            }
            if let Effect::RemoveLearner(node) = effect {
                self.raft.learners.remove(node);
            }
            if let Effect::SetVoters(voters) = effect {
                self.raft.learners.extend(&self.raft.voters);
                self.raft.voters.clone_from(voters);
                self.raft.learners.retain(|node| !voters.contains(node));
            }
            Ok(())
        } else {
            Err("not now".to_owned())
        };
        let (voters, learners) = (self.raft.voters.clone(), self.raft.learners.clone());
        let members = Input::Membership { voters, learners };
        self.at(self.now, Event::Input(by, run, members));
        self.at(
            self.now,
            Event::Input(by, run, Input::MembershipChanged(result)),
        );
    }

    /// Raft's heartbeat: every tenth of a second.
    pub(super) fn beat(&mut self) {
        self.after(ms(95)..ms(105), Event::Beat);
        for id in self.nodes.keys().copied().collect::<Vec<_>>() {
            let node = self.nodes.get(&id);
            let running = node.filter(|node| !node.paused);
            let process = running.and_then(|node| node.process.as_ref());
            if process.is_some_and(|process| process.role.leader == Some(id)) {
                self.beat_of(id);
            }
        }
        self.raft.leader = self.raft.leader.filter(|leader| {
            let node = self.nodes.get(leader);
            let process = node.and_then(|node| node.process.as_ref());
            process.is_some_and(|process| process.role.leader == Some(*leader))
        });
        let silent = self.now - self.raft.quorum;
        if silent > ms(600) && self.rng.random_bool(0.2) {
            let voters: Vec<_> = self.raft.voters.iter().copied().collect();
            let able = |id: &&NodeId| {
                let with = voters.iter().filter(|other| self.linked(**id, **other));
                with.count() * 2 > voters.len()
            };
            let candidates: Vec<_> = voters.iter().filter(able).copied().collect();
            if !candidates.is_empty() {
                let which = self.rng.random_range(0..candidates.len());
                self.elect(candidates[which]);
            }
        }
    }

    fn beat_of(&mut self, leader: NodeId) {
        let term = self.nodes.get(&leader).map_or(0, |node| node.term);
        let others: Vec<_> = self.nodes.keys().copied().collect();
        for other in others.iter().filter(|other| **other != leader) {
            let theirs = self.nodes.get(other).map_or(0, |node| node.term);
            if self.linked(leader, *other) && theirs > term {
                self.learn(leader, theirs, None);
                return;
            }
        }
        let true_one = self.raft.leader == Some(leader) && self.raft.term == term;
        if self.has_majority(leader) {
            if true_one {
                self.raft.quorum = self.now;
            }
            if let Some(run) = self.run_of(leader) {
                let quorum = Input::Quorum(self.local(leader));
                self.after(500..ms(8), Event::Input(leader, run, quorum));
            }
        }
        for other in others {
            if self.linked(leader, other) {
                self.learn(other, term, Some(leader));
                let behind = self.nodes.get(&other).map_or(0, |node| node.applied);
                let last = self.raft.views.len() - 1;
                if true_one && behind < last {
                    self.replicate(other, last);
                }
            }
        }
    }
}
