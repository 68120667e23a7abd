//! `[pure]` Commands about shards.

use super::machine::ClusterState;
use crate::command::{Outcome, Refusal, ShardSpec};
use crate::ids::{Epoch, NodeId, ShardId};
use crate::limits::SHARDS_MAX;
use crate::view::{NodePhase, Placement};
use std::collections::BTreeSet;
use std::sync::Arc;

impl ClusterState {
    /// All of them or none.
    pub(super) fn declare(&mut self, specs: &[ShardSpec]) -> Result<Outcome, Refusal> {
        let known = &self.view.shards;
        let names = specs.iter().map(|spec| &spec.shard);
        let new: BTreeSet<&ShardId> = names.filter(|name| !known.contains_key(name)).collect();
        if known.len() + new.len() > SHARDS_MAX {
            return Err(Refusal::Full);
        }
        let view = Arc::make_mut(&mut self.view);
        for spec in specs {
            let never = Placement::Unplaced { last: self.retired };
            view.shards.entry(spec.shard.clone()).or_insert(never);
            view.weights.insert(spec.shard.clone(), spec.weight.max(1));
        }
        Ok(Outcome::Done)
    }

    pub(super) fn place(
        &mut self,
        index: u64,
        shard: &ShardId,
        last: Epoch,
        to: NodeId,
    ) -> Result<Outcome, Refusal> {
        if self.placement(shard)? != (Placement::Unplaced { last }) {
            return Err(Refusal::Overtaken);
        }
        self.may_receive(to)?;
        let epoch = self.epoch(index)?;
        self.put(shard, Placement::Placed { node: to, epoch });
        Ok(Outcome::Began(epoch))
    }

    pub(super) fn restart(
        &mut self,
        index: u64,
        shard: &ShardId,
        epoch: Epoch,
    ) -> Result<Outcome, Refusal> {
        let node = self.settled_on(shard, epoch)?;
        let epoch = self.epoch(index)?;
        self.put(shard, Placement::Placed { node, epoch });
        Ok(Outcome::Began(epoch))
    }

    pub(super) fn release(&mut self, shard: &ShardId, epoch: Epoch) -> Result<Outcome, Refusal> {
        self.settled_on(shard, epoch)?;
        self.put(shard, Placement::Unplaced { last: epoch });
        Ok(Outcome::Done)
    }

    pub(super) fn begin_move(
        &mut self,
        index: u64,
        shard: &ShardId,
        epoch: Epoch,
        to: NodeId,
    ) -> Result<Outcome, Refusal> {
        let from = self.settled_on(shard, epoch)?;
        if from == to {
            return Err(Refusal::ThereAlready);
        }
        self.may_receive(to)?;
        let moving = self.epoch(index)?;
        let on_its_way = Placement::Moving {
            from,
            epoch,
            to,
            moving,
        };
        self.put(shard, on_its_way);
        Ok(Outcome::Began(moving))
    }

    pub(super) fn finish_move(
        &mut self,
        index: u64,
        shard: &ShardId,
        moving: Epoch,
    ) -> Result<Outcome, Refusal> {
        let (_, _, to) = self.on_its_way(shard, moving)?;
        let epoch = self.epoch(index)?;
        self.put(shard, Placement::Placed { node: to, epoch });
        let view = Arc::make_mut(&mut self.view);
        view.arrived.insert(shard.clone(), moving);
        Ok(Outcome::Began(epoch))
    }

    pub(super) fn abort_move(
        &mut self,
        shard: &ShardId,
        moving: Epoch,
    ) -> Result<Outcome, Refusal> {
        let (node, epoch, _) = self.on_its_way(shard, moving)?;
        self.put(shard, Placement::Placed { node, epoch });
        Ok(Outcome::Done)
    }

    /// Whoever owns it stops it when it learns of this.
    pub(super) fn retire(
        &mut self,
        index: u64,
        shard: &ShardId,
        last: Epoch,
    ) -> Result<Outcome, Refusal> {
        let known = match self.placement(shard)? {
            Placement::Unplaced { last } => last,
            Placement::Placed { epoch, .. } => epoch,
            Placement::Moving { .. } => return Err(Refusal::Overtaken),
        };
        if known != last {
            return Err(Refusal::Overtaken);
        }
        self.retired = self.epoch_at(index);
        let view = Arc::make_mut(&mut self.view);
        view.shards.remove(shard);
        view.weights.remove(shard);
        view.arrived.remove(shard);
        Ok(Outcome::Done)
    }

    fn placement(&self, shard: &ShardId) -> Result<Placement, Refusal> {
        self.view.shards.get(shard).copied().ok_or(Refusal::NoShard)
    }

    /// The owner, if the shard is in this epoch and not on its way.
    fn settled_on(&self, shard: &ShardId, epoch: Epoch) -> Result<NodeId, Refusal> {
        match self.placement(shard)? {
            Placement::Placed { node, epoch: now } if now == epoch => Ok(node),
            Placement::Placed { .. } | Placement::Unplaced { .. } | Placement::Moving { .. } => {
                Err(Refusal::Overtaken)
            }
        }
    }

    /// Owner, its epoch and target, if this very move is going on.
    fn on_its_way(
        &self,
        shard: &ShardId,
        moving: Epoch,
    ) -> Result<(NodeId, Epoch, NodeId), Refusal> {
        match self.placement(shard)? {
            Placement::Moving {
                from,
                epoch,
                to,
                moving: now,
            } if now == moving => Ok((from, epoch, to)),
            Placement::Placed { .. } | Placement::Unplaced { .. } | Placement::Moving { .. } => {
                Err(Refusal::Overtaken)
            }
        }
    }

    fn may_receive(&self, node: NodeId) -> Result<(), Refusal> {
        match self.member(node)?.phase {
            NodePhase::Up => Ok(()),
            NodePhase::Draining => Err(Refusal::Draining),
            NodePhase::Joining | NodePhase::Down => Err(Refusal::NotUp),
        }
    }

    /// What a shard was handed on its way to its owner is forgotten with the owner's epoch.
    fn put(&mut self, shard: &ShardId, placement: Placement) {
        let view = Arc::make_mut(&mut self.view);
        if let Some(place) = view.shards.get_mut(shard) {
            if place.owner() != placement.owner() {
                view.arrived.remove(shard);
            }
            *place = placement;
        }
    }
}
