//! `[pure]` What each node carries, and would carry if what is planned so far were done.

use super::observed::Observed;
use crate::ids::{NodeId, ShardId};
use crate::limits::MOVES_PER_NODE;
use crate::view::{NodePhase, Placement, View};
use std::collections::BTreeMap;
use std::time::Instant;

/// The nodes and what they carry. A shard on its way counts where it goes.
pub(super) struct Loads<'a> {
    pub(super) view: &'a View,
    pub(super) observed: &'a Observed,
    pub(super) now: Instant,
    nodes: BTreeMap<NodeId, Load<'a>>,
}

/// What a node carries.
#[derive(Default)]
pub(super) struct Load<'a> {
    /// It may get shards: it is up, not being emptied, and was heard of just now.
    pub(super) open: bool,
    /// The sum of its shards' loads.
    pub(super) weight: u64,
    /// What it owns that is not on its way.
    pub(super) shards: BTreeMap<&'a ShardId, u64>,
    /// How many shards it owns, or will when moves have ended.
    count: usize,
    /// Moves from it and to it.
    moves: usize,
}

impl<'a> Loads<'a> {
    pub(super) fn new(view: &'a View, observed: &'a Observed, now: Instant) -> Self {
        let nodes = view.nodes.iter().map(|(id, node)| {
            let open = node.phase == NodePhase::Up && observed.is_fresh(view, *id, now);
            let load = Load {
                open,
                ..Load::default()
            };
            (*id, load)
        });
        let mut loads = Self {
            view,
            observed,
            now,
            nodes: nodes.collect(),
        };
        for (shard, placement) in &view.shards {
            match *placement {
                Placement::Unplaced { .. } => {}
                Placement::Placed { node, .. } => loads.add(shard, node),
                Placement::Moving { from, to, .. } => {
                    loads.add(shard, from);
                    loads.shift(shard, from, to);
                }
            }
        }
        loads
    }

    pub(super) fn nodes(&self) -> impl Iterator<Item = (NodeId, &Load<'a>)> {
        self.nodes.iter().map(|(id, load)| (*id, load))
    }

    /// Every node that is up was heard of just now: none is about to be given up.
    pub(super) fn all_are_fresh(&self) -> bool {
        let mut nodes = self.view.nodes.iter();
        nodes.all(|(id, node)| {
            node.phase != NodePhase::Up || self.nodes.get(id).is_some_and(|load| load.open)
        })
    }

    pub(super) fn load_of(&self, shard: &ShardId) -> u64 {
        self.observed.load(self.view, shard)
    }

    /// The node that carries least of those that may get a shard: by load, then by number of
    /// shards, then by its own number. Not this one.
    pub(super) fn emptiest(
        &self,
        but: Option<NodeId>,
        suits: impl Fn(&Load<'a>) -> bool,
    ) -> Option<NodeId> {
        let open = self.nodes().filter(|(_, load)| load.open);
        let open = open.filter(|(id, load)| but != Some(*id) && suits(load));
        let least = open.min_by_key(|(id, load)| (load.weight, load.count, *id));
        least.map(|(id, _)| id)
    }

    /// The shard is (to be) placed on the node.
    pub(super) fn add(&mut self, shard: &'a ShardId, node: NodeId) {
        let weight = self.load_of(shard);
        if let Some(load) = self.nodes.get_mut(&node) {
            load.weight += weight;
            load.count += 1;
            load.shards.insert(shard, weight);
        }
    }

    /// The shard moves (or is to).
    pub(super) fn shift(&mut self, shard: &'a ShardId, from: NodeId, to: NodeId) {
        let weight = self.load_of(shard);
        if let Some(load) = self.nodes.get_mut(&from) {
            load.weight = load.weight.saturating_sub(weight);
            load.count = load.count.saturating_sub(1);
            load.shards.remove(shard);
            load.moves += 1;
        }
        if let Some(load) = self.nodes.get_mut(&to) {
            load.weight += weight;
            load.count += 1;
            load.moves += 1;
        }
    }
}

impl Load<'_> {
    /// One more shard may move from or to it.
    pub(super) fn has_hands_free(&self) -> bool {
        self.moves < MOVES_PER_NODE
    }
}
