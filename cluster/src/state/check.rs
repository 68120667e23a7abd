//! `[pure]` What is true of the state after every entry.

use super::machine::ClusterState;
use crate::command::Command;
use crate::ids::ShardId;
use crate::limits::{GENERATIONS_MAX, NODES_MAX, SHARDS_MAX};
use crate::view::{NodePhase, Placement};
use std::collections::BTreeSet;

impl ClusterState {
    /// Asserts what this command could have broken: of one shard, or of all if it is about members.
    pub(super) fn assert_sound(&self, command: &Command) {
        let broken = match command {
            Command::Found { .. }
            | Command::FoundIn { .. }
            | Command::Join(_)
            | Command::Up { .. }
            | Command::Expire { .. }
            | Command::Drain { .. }
            | Command::Forget { .. }
            | Command::Declare(_) => self.broken(),
            Command::Place { shard, .. }
            | Command::Restart { shard, .. }
            | Command::Release { shard, .. }
            | Command::Retire { shard, .. }
            | Command::BeginMove { shard, .. }
            | Command::FinishMove { shard, .. }
            | Command::AbortMove { shard, .. } => self.broken_shard(shard),
            Command::Content(_) => None,
        };
        assert!(broken.is_none(), "{broken:?} after {command:?}");
    }

    /// What is wrong with this state, if anything is.
    pub(super) fn broken(&self) -> Option<&'static str> {
        let names: BTreeSet<_> = self.view.nodes.values().map(|node| &node.name).collect();
        let marks: BTreeSet<_> = self.standing.values().map(|node| node.mark.0).collect();
        let ids = || self.view.nodes.keys();
        let facts = [
            (self.view.nodes.len() <= NODES_MAX, "too many members"),
            (self.view.shards.len() <= SHARDS_MAX, "too many shards"),
            (names.len() == self.view.nodes.len(), "a name twice"),
            (marks.len() == self.view.nodes.len(), "a directory twice"),
            (ids().eq(self.standing.keys()), "a member without standing"),
            (
                ids().all(|id| (1..=self.last_node).contains(&id.0)),
                "a number that was not given",
            ),
            (
                self.view.shards.keys().eq(self.view.weights.keys()),
                "a shard without weight",
            ),
            (
                self.last_node != 0 || self.view.shards.is_empty(),
                "shards before the cluster",
            ),
            (
                self.generation < GENERATIONS_MAX,
                "a generation that cannot be",
            ),
            (
                self.retired <= self.epoch_at(self.view.applied),
                "an epoch to come",
            ),
        ];
        let mut facts = facts.iter();
        if let Some((_, broken)) = facts.find(|(holds, _)| !holds) {
            return Some(broken);
        }
        let mut shards = self.view.shards.keys().chain(self.view.arrived.keys());
        shards.find_map(|shard| self.broken_shard(shard))
    }

    fn broken_shard(&self, shard: &ShardId) -> Option<&'static str> {
        let lives = |id| {
            let node = self.view.nodes.get(&id);
            node.is_some_and(|node| matches!(node.phase, NodePhase::Up | NodePhase::Draining))
        };
        let (last, first) = (self.epoch_at(self.view.applied).0, self.epoch_at(0).0);
        let Some(placement) = self.view.shards.get(shard) else {
            let arrived = self.view.arrived.contains_key(shard);
            return arrived.then_some("a move of no shard");
        };
        if let Some(moved) = self.view.arrived.get(shard)
            && placement.owner().is_none_or(|(_, epoch)| epoch <= *moved)
        {
            return Some("a move that brought nobody an epoch");
        }
        let facts = match placement {
            Placement::Unplaced { last: epoch } => [
                (epoch.0 <= last, "an epoch to come"),
                (
                    epoch.0 == 0 || epoch.0 > first,
                    "an epoch of another cluster",
                ),
                (true, ""),
            ],
            Placement::Placed { node, epoch } => [
                (epoch.0 <= last, "an epoch to come"),
                (epoch.0 > first, "an owner without epoch"),
                (lives(*node), "an owner that does not live"),
            ],
            Placement::Moving {
                from,
                epoch,
                to,
                moving,
            } => [
                (moving.0 <= last, "an epoch to come"),
                (
                    epoch.0 > first && moving > epoch,
                    "a move older than its owner's epoch",
                ),
                (
                    from != to && lives(*from) && lives(*to),
                    "a move between nodes that do not live",
                ),
            ],
        };
        let mut facts = facts.iter();
        facts.find(|(holds, _)| !holds).map(|(_, broken)| *broken)
    }
}
