//! `[pure]` What a leader has seen of nodes and shards since its election. The log says who should
//! run what; this says who is heard of and what really runs. It is never written down: a new
//! leader begins with an empty one and gives everybody time.
//!
//! Whoever keeps one calls
//! - [`Observed::follow`] with each view it is about to plan by (some may be skipped),
//! - [`Observed::renewed`] for each lease granted, its own node's too,
//! - [`Observed::reported`] and [`Observed::ended`] for what a node says of its shards.

use crate::ids::{Epoch, Incarnation, NodeId, ShardId};
use crate::limits::{LEASE_EVERY, MOVE_DEADLINE, REBALANCE_EVERY, START_MAX, TICK_MAX};
use crate::report::ShardReport;
use crate::view::{NodePhase, Placement, View};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A node that is to get a shard was heard of within this.
const FRESH: Duration = LEASE_EVERY.saturating_mul(3);

/// A node that was not heard of for longer is given time to tick again.
const GAP: Duration = LEASE_EVERY.saturating_mul(2);

/// After so many moves that were called off, the rest before the next grows no longer.
const MOVE_DOUBLINGS_MAX: u32 = 5;

/// What a leader has seen. At most [`NODES_MAX`](crate::limits::NODES_MAX) nodes and
/// [`SHARDS_MAX`](crate::limits::SHARDS_MAX) shards: those of the last view followed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Observed {
    nodes: BTreeMap<NodeId, Heard>,
    shards: BTreeMap<ShardId, Seen>,
}

/// What was heard of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heard {
    /// Its life.
    pub(crate) incarnation: Incarnation,
    /// How far it has applied the log.
    pub(crate) applied: u64,
    /// When it asked for its lease last, or reported.
    pub(crate) at: Instant,
    /// Since when it does so without a gap.
    pub(crate) steady: Instant,
}

/// What was seen of a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Where the log has it.
    pub(crate) placement: Placement,
    /// How far the log was applied when that was first seen.
    pub(crate) applied: u64,
    /// When that was first seen.
    pub(crate) since: Instant,
    /// Who owns it; if nobody does, who owned it last, as far as this leader saw.
    pub(crate) owner: Option<(NodeId, Incarnation)>,
    /// When it ticked last in the owner's epoch.
    pub(crate) ticked: Option<Instant>,
    /// Its load as reported last, in whatever epoch.
    pub(crate) weight: Option<u32>,
    /// Moving it now would be noticed more than usual.
    pub(crate) busy: bool,
    /// How often it was begun anew on this owner because it did not tick.
    pub(crate) restarts: u8,
    /// How often a move of it was called off under this owner, and when last.
    pub(crate) called_off: Option<(u32, Instant)>,
    /// The owner had to stop it under this epoch: it runs nowhere.
    pub(crate) ended: bool,
}

impl Observed {
    /// A leader that has just been elected has seen nothing.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Takes note of what the log has changed.
    pub(crate) fn follow(&mut self, view: &View, now: Instant) {
        self.nodes.retain(|id, heard| {
            let node = view.nodes.get(id);
            node.is_some_and(|node| heard.incarnation >= node.incarnation)
        });
        self.shards
            .retain(|shard, _| view.shards.contains_key(shard));
        for (shard, placement) in &view.shards {
            let owner = placement.owner().and_then(|(node, _)| {
                let life = view.nodes.get(&node)?.incarnation;
                Some((node, life))
            });
            match self.shards.get_mut(shard) {
                Some(seen) if seen.placement == *placement => {}
                Some(seen) => {
                    seen.change(*placement, owner, now);
                    seen.applied = view.applied;
                }
                None => {
                    let seen = Seen::new(*placement, owner, view.applied, now);
                    self.shards.insert(shard.clone(), seen);
                }
            }
        }
    }

    /// A node asked for its lease in this life and got it; it has applied the log so far.
    pub(crate) fn renewed(
        &mut self,
        node: NodeId,
        incarnation: Incarnation,
        applied: u64,
        now: Instant,
    ) {
        let heard = self.nodes.entry(node).or_insert(Heard {
            incarnation,
            applied,
            at: now,
            steady: now,
        });
        if heard.incarnation != incarnation {
            heard.steady = now;
            heard.applied = applied;
        }
        heard.incarnation = incarnation;
        heard.applied = heard.applied.max(applied);
        heard.hear(now);
    }

    /// A node says what its shards have done. What it says of another epoch than the log's, or of
    /// a shard that it does not own, is passed over.
    pub(crate) fn reported(&mut self, node: NodeId, reports: &[ShardReport], now: Instant) {
        if let Some(heard) = self.nodes.get_mut(&node) {
            heard.hear(now);
        }
        for report in reports {
            let Some(seen) = self.shards.get_mut(&report.shard) else {
                continue;
            };
            if seen.placement.owner() != Some((node, report.epoch)) {
                continue;
            }
            let ago = Duration::from_millis(report.ticked_ms_ago.into());
            let ticked = now.checked_sub(ago).unwrap_or(now);
            seen.ticked = Some(seen.ticked.map_or(ticked, |before| before.max(ticked)));
            seen.weight = Some(report.weight);
            seen.busy = report.busy;
            if ago <= TICK_MAX && now.saturating_duration_since(seen.since) >= REBALANCE_EVERY {
                seen.restarts = 0;
            }
        }
    }

    /// A node says that it owns these shards and does not run them, as it had to stop them under
    /// these epochs.
    pub(crate) fn ended(&mut self, node: NodeId, ended: &[(ShardId, Epoch)]) {
        for (shard, epoch) in ended {
            if let Some(seen) = self.shards.get_mut(shard)
                && seen.placement.owner() == Some((node, *epoch))
            {
                seen.ended = true;
            }
        }
    }

    /// What was heard of a node.
    pub(crate) fn node(&self, node: NodeId) -> Option<&Heard> {
        self.nodes.get(&node)
    }

    /// What was seen of a shard.
    pub(crate) fn shard(&self, shard: &ShardId) -> Option<&Seen> {
        self.shards.get(shard)
    }

    /// What the shard counts for when load is shared out: 1 at least.
    pub(crate) fn load(&self, view: &View, shard: &ShardId) -> u64 {
        let reported = self.shards.get(shard).and_then(|seen| seen.weight);
        let declared = || view.weights.get(shard).copied();
        u64::from(reported.or_else(declared).unwrap_or(1).max(1))
    }

    /// The node's present life was heard of just now.
    pub(super) fn is_fresh(&self, view: &View, node: NodeId, now: Instant) -> bool {
        let heard = self.in_this_life(view, node);
        heard.is_some_and(|heard| now.saturating_duration_since(heard.at) <= FRESH)
    }

    /// The shard does not run where the log has it: its node has been heard of for long enough to
    /// know. Nothing is said of one that is on its way: it stands still on purpose.
    pub(super) fn stands_still(&self, view: &View, shard: &ShardId) -> bool {
        let Some(seen) = self.shards.get(shard) else {
            return false;
        };
        let Placement::Placed { node, .. } = seen.placement else {
            return false;
        };
        let Some(heard) = self.in_this_life(view, node) else {
            return false;
        };
        let started = (seen.since + START_MAX).max(heard.steady + TICK_MAX);
        let due = seen.ticked.map_or(started, |at| started.max(at + TICK_MAX));
        seen.ended || heard.at > due
    }

    /// A move of it would begin with a shard that runs. After one that was called off the next
    /// waits, twice as long each time: each stops the shard for a while.
    pub(super) fn may_move(&self, view: &View, shard: &ShardId, now: Instant) -> bool {
        let Some(seen) = self.shards.get(shard) else {
            return false;
        };
        let rests = seen.called_off.is_some_and(|(times, at)| {
            let doublings = times.saturating_sub(1).min(MOVE_DOUBLINGS_MAX);
            now < at + MOVE_DEADLINE * 2_u32.pow(doublings)
        });
        let runs = matches!(seen.placement, Placement::Placed { node, .. }
            if self.is_fresh(view, node, now));
        runs && !rests
            && view.shards.get(shard) == Some(&seen.placement)
            && seen.ticked.is_some()
            && !self.stands_still(view, shard)
    }

    /// Moving it now would be noticed more than usual.
    pub(super) fn is_busy(&self, shard: &ShardId) -> bool {
        self.shards.get(shard).is_some_and(|seen| seen.busy)
    }

    /// Whoever owned the shard last acts for it no more. A node that lives has let go when it has
    /// applied the entry that says so; if this leader did not see who it was, all must have.
    pub(super) fn is_let_go(&self, view: &View, shard: &ShardId) -> bool {
        let Some(seen) = self.shards.get(shard) else {
            return false;
        };
        if view.shards.get(shard) != Some(&seen.placement) {
            return false;
        }
        if seen.placement == (Placement::Unplaced { last: Epoch(0) }) {
            return true;
        }
        let has_applied = |node| {
            let heard = self.in_this_life(view, node);
            heard.is_some_and(|heard| heard.applied >= seen.applied)
        };
        match seen.owner {
            Some((owner, life)) => {
                let same_life = view
                    .nodes
                    .get(&owner)
                    .is_some_and(|node| node.incarnation == life && node.phase != NodePhase::Down);
                !same_life || has_applied(owner)
            }
            None => view.living().all(has_applied),
        }
    }

    fn in_this_life(&self, view: &View, node: NodeId) -> Option<&Heard> {
        let life = view.nodes.get(&node)?.incarnation;
        self.nodes
            .get(&node)
            .filter(|heard| heard.incarnation == life)
    }
}

impl Heard {
    fn hear(&mut self, now: Instant) {
        if now.saturating_duration_since(self.at) > GAP {
            self.steady = now;
        }
        self.at = self.at.max(now);
    }
}

impl Seen {
    fn new(
        placement: Placement,
        owner: Option<(NodeId, Incarnation)>,
        applied: u64,
        since: Instant,
    ) -> Self {
        Self {
            placement,
            applied,
            since,
            owner,
            ticked: None,
            weight: None,
            busy: false,
            restarts: 0,
            called_off: None,
            ended: false,
        }
    }

    /// The log has it elsewhere, or in another epoch, or on its way.
    fn change(&mut self, placement: Placement, owner: Option<(NodeId, Incarnation)>, now: Instant) {
        let was = std::mem::replace(&mut self.placement, placement);
        self.since = now;
        if placement.owner() == was.owner() {
            if matches!(was, Placement::Moving { .. }) {
                let times = self.called_off.map_or(0, |(times, _)| times);
                self.called_off = Some((times.saturating_add(1), now));
            }
            return;
        }
        let same = owner.is_some() && was.owner().is_some() && owner == self.owner;
        if same && !self.ended {
            self.restarts = self.restarts.saturating_add(1);
        } else if owner.is_some() && !same {
            self.restarts = 0;
        }
        self.owner = owner.or(self.owner);
        self.ticked = None;
        self.called_off = None;
        self.ended = false;
    }
}
