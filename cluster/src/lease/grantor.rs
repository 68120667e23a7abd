//! `[pure]` How long each node may act at most, as the leader counts. It always counts longer than
//! the node itself: from later on, a tenth more, and a little.
//!
//! A leader grants nothing while it cannot say that a majority stood behind it a moment ago, and
//! counts nobody out meanwhile: the time in which it was blind is nobody's fault.

use crate::ids::{Incarnation, NodeId};
use crate::limits::{BEHIND_MAX, LEASE, LEASE_SLACK, QUORUM_AGE_MAX};
use crate::view::{NodePhase, View};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The leases of all nodes, in one term of one leader.
#[derive(Clone, Debug)]
pub(crate) struct Grantor {
    nodes: BTreeMap<NodeId, Lease>,
    quorum: Option<Instant>,
    /// Since when nothing could be granted.
    blind: Option<Instant>,
    seen: Instant,
}

/// What a leader knows of a node that lives.
#[derive(Clone, Debug)]
struct Lease {
    incarnation: Incarnation,
    /// From when its lease is counted.
    renewed: Instant,
    /// How far it has applied the log, as it said in this term.
    applied: u64,
    /// It is being given up: nothing is granted to this life any more.
    over: bool,
    /// It must have applied this much, since then.
    owes: Option<(u64, Instant)>,
}

/// What to answer to a node that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Its lease is granted by a majority of so long ago.
    Granted(Duration),
    /// A life of it begins: the log must know.
    Begins,
    /// Nothing: it is an old life, one that is being given up, or no member; or the leader has no
    /// majority just now.
    Nothing,
}

impl Grantor {
    /// A new leader counts every node as renewed at its election.
    pub(crate) fn new(now: Instant, view: &View) -> Self {
        let mut grantor = Self {
            nodes: BTreeMap::new(),
            quorum: None,
            blind: Some(now),
            seen: now,
        };
        grantor.follow(now, view);
        grantor
    }

    /// The log has gone on: lives begin and end.
    pub(crate) fn follow(&mut self, now: Instant, view: &View) {
        self.nodes.retain(|id, _| view.nodes.contains_key(id));
        for (id, node) in &view.nodes {
            if !matches!(node.phase, NodePhase::Up | NodePhase::Draining) {
                self.nodes.remove(id);
                continue;
            }
            let known = self.nodes.get(id).map(|lease| lease.incarnation);
            if known != Some(node.incarnation) {
                let lease = Lease {
                    incarnation: node.incarnation,
                    renewed: now,
                    applied: 0,
                    over: false,
                    owes: None,
                };
                self.nodes.insert(*id, lease);
            }
        }
    }

    /// A majority stood behind this leader at that moment.
    pub(crate) fn quorum(&mut self, now: Instant, at: Instant) {
        self.quorum = self.quorum.max(Some(at));
        self.watch(now);
    }

    /// Time passes. To be called before anything is asked of the leases.
    pub(crate) fn watch(&mut self, now: Instant) {
        if self.quorum_age(now).is_none() {
            self.blind.get_or_insert(self.seen);
        } else if let Some(since) = self.blind.take() {
            let blind = now.saturating_duration_since(since);
            for lease in self.nodes.values_mut() {
                lease.renewed = (lease.renewed + blind).min(now);
            }
        }
        self.seen = now;
    }

    /// A node of this life asks for its lease, and has applied so much of the log.
    pub(crate) fn asked(
        &mut self,
        now: Instant,
        (node, incarnation): (NodeId, Incarnation),
        applied: u64,
        view: &View,
    ) -> Verdict {
        let Some(age) = self.quorum_age(now) else {
            return Verdict::Nothing;
        };
        let Some(known) = view.nodes.get(&node) else {
            return Verdict::Nothing;
        };
        let joining = known.phase == NodePhase::Joining && incarnation == known.incarnation;
        if joining || incarnation > known.incarnation {
            return Verdict::Begins;
        }
        let lease = self.nodes.get_mut(&node);
        let Some(lease) = lease.filter(|lease| lease.incarnation == incarnation && !lease.over)
        else {
            return Verdict::Nothing;
        };
        lease.applied = lease.applied.max(applied);
        lease.owes = lease.owes.filter(|(owed, _)| *owed > lease.applied);
        let behind = |(_, since)| now.saturating_duration_since(since) > BEHIND_MAX;
        if lease.owes.is_some_and(behind) {
            return Verdict::Nothing;
        }
        lease.renewed = lease.renewed.max(now);
        Verdict::Granted(age)
    }

    /// The nodes whose leases are counted out, with their lives. From now on they get none.
    pub(crate) fn overdue(&mut self, now: Instant) -> Vec<(NodeId, Incarnation)> {
        if self.quorum_age(now).is_none() {
            return Vec::new();
        }
        let mut overdue = Vec::new();
        for (id, lease) in &mut self.nodes {
            if now >= lease.renewed + longest() {
                lease.over = true;
                overdue.push((*id, lease.incarnation));
            }
        }
        overdue
    }

    /// This life must apply so much of the log, or it gets no lease after a while.
    pub(crate) fn owes(&mut self, now: Instant, (node, life): (NodeId, Incarnation), applied: u64) {
        let lease = self.nodes.get_mut(&node);
        let lease = lease.filter(|lease| lease.incarnation == life);
        if let Some(lease) = lease.filter(|lease| lease.applied < applied) {
            let (owed, since) = lease.owes.unwrap_or((applied, now));
            lease.owes = Some((owed.max(applied), since));
        }
    }

    /// The nodes that live, and their lives.
    pub(crate) fn lives(&self) -> impl Iterator<Item = (NodeId, Incarnation)> + '_ {
        let nodes = self.nodes.iter();
        nodes.map(|(id, lease)| (*id, lease.incarnation))
    }

    /// When a node's lease was renewed last.
    pub(crate) fn renewed(&self, node: NodeId) -> Option<Instant> {
        self.nodes.get(&node).map(|lease| lease.renewed)
    }

    /// How long ago a majority stood behind this leader; nothing if that is too long.
    pub(crate) fn quorum_age(&self, now: Instant) -> Option<Duration> {
        let age = now.saturating_duration_since(self.quorum?);
        (age <= QUORUM_AGE_MAX).then_some(age)
    }

    /// When the next lease is counted out.
    pub(crate) fn due(&self) -> Option<Instant> {
        if self.blind.is_some() {
            return None;
        }
        let leases = self.nodes.values().filter(|lease| !lease.over);
        leases.map(|lease| lease.renewed + longest()).min()
    }
}

/// How long a leader waits: longer than any node whose clock is a tenth slower than its own.
fn longest() -> Duration {
    LEASE + LEASE / 10 + LEASE_SLACK
}
