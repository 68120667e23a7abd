//! `[pure]` Commands that the leader has given to raft. One at a time about each node, shard and
//! order: until it is known what became of it, the next would only be overtaken.

use super::orders::Asker;
use crate::command::{Command, Outcome};
use crate::duty::io::{Effect, ProposalId, Unproposed};
use crate::ids::{NodeId, ShardId};
use crate::limits::{PROPOSAL_DEADLINE, PROPOSALS_MAX};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::time::Instant;

/// What is under way.
#[derive(Clone, Debug)]
pub(crate) struct Proposals {
    next: u64,
    flying: BTreeMap<ProposalId, Flying>,
    about: BTreeSet<About>,
    /// What a plan wants, as far as it is not under way yet.
    wanted: VecDeque<(ShardId, Command)>,
}

/// What a command is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum About {
    Node(NodeId),
    Shard(ShardId),
    Order(Asker),
}

#[derive(Clone, Debug)]
struct Flying {
    about: About,
    deadline: Instant,
}

impl Proposals {
    /// Nothing is under way; numbers go on from here.
    pub(super) fn new(next: u64) -> Self {
        Self {
            next,
            flying: BTreeMap::new(),
            about: BTreeSet::new(),
            wanted: VecDeque::new(),
        }
    }

    /// The number of the next proposal.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Proposes a command, unless one about the same is under way. Whether it did.
    pub(super) fn propose(
        &mut self,
        now: Instant,
        about: About,
        command: Command,
        out: &mut Vec<Effect>,
    ) -> bool {
        if !self.about.insert(about.clone()) {
            return false;
        }
        let id = ProposalId(self.next);
        self.next += 1;
        let deadline = now + PROPOSAL_DEADLINE;
        self.flying.insert(id, Flying { about, deadline });
        out.push(Effect::Propose(id, command));
        true
    }

    /// A plan wants these; what an earlier one wanted and is not under way is forgotten.
    pub(super) fn want(&mut self, commands: Vec<(ShardId, Command)>) {
        self.wanted = commands.into();
    }

    /// Proposes what is wanted, as far as there is room.
    pub(super) fn go_on(&mut self, now: Instant, out: &mut Vec<Effect>) {
        while self.flying.len() < PROPOSALS_MAX
            && let Some((shard, command)) = self.wanted.pop_front()
        {
            self.propose(now, About::Shard(shard), command, out);
        }
    }

    /// What a proposal was about, now that it is known what became of it.
    pub(super) fn landed(&mut self, id: ProposalId) -> Option<About> {
        let flying = self.flying.remove(&id)?;
        self.about.remove(&flying.about);
        Some(flying.about)
    }

    /// Gives up waiting for answers that should have come long since.
    pub(super) fn turn(&mut self, now: Instant) {
        let late = |(id, flying): (&ProposalId, &Flying)| (flying.deadline <= now).then_some(*id);
        for id in self.flying.iter().filter_map(late).collect::<Vec<_>>() {
            self.landed(id);
        }
    }

    /// Whether a command about this shard is under way.
    pub(super) fn is_about(&self, about: &About) -> bool {
        self.about.contains(about)
    }

    /// When [`Proposals::turn`] has something to do.
    pub(super) fn due(&self) -> Option<Instant> {
        self.flying.values().map(|flying| flying.deadline).min()
    }
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(node) => write!(f, "node {node}"),
            Self::Shard(shard) => write!(f, "{shard}"),
            Self::Order(asker) => write!(f, "an order given on node {}", asker.node),
        }
    }
}

/// What became of a proposal.
pub(super) type Landed = Result<Outcome, Unproposed>;
