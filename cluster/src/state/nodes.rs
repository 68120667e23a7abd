//! `[pure]` Commands about members.

use super::machine::ClusterState;
use crate::command::{Candidate, Outcome, Refusal};
use crate::ids::{DirectoryMark, Incarnation, NodeId};
use crate::limits::{GENERATIONS_MAX, NODES_MAX};
use crate::view::{NodePhase, NodeView, Placement, View};
use std::sync::Arc;

/// What the view does not show of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    /// Its data directory.
    pub(super) mark: DirectoryMark,
    /// The latest life that asked to join.
    pub(super) joined: Incarnation,
}

impl ClusterState {
    pub(super) fn found(
        &mut self,
        cluster: &str,
        first: &Candidate,
        generation: u32,
    ) -> Result<Outcome, Refusal> {
        if self.last_node != 0 {
            return Err(Refusal::Founded);
        }
        if generation >= GENERATIONS_MAX {
            return Err(Refusal::Generation);
        }
        self.generation = generation;
        Arc::make_mut(&mut self.view).cluster = cluster.to_owned();
        self.content = first.content;
        self.admit(first)
    }

    /// The same directory keeps its number. What it says of its name and address counts if it is
    /// the latest life that said so; what it owns is [`ClusterState::up`]'s business.
    pub(super) fn join(&mut self, candidate: &Candidate) -> Result<Outcome, Refusal> {
        if candidate.content != self.content {
            return Err(Refusal::OtherContent);
        }
        let mut standing = self.standing.iter();
        let same = standing.find(|(_, standing)| standing.mark == candidate.mark);
        let same = same.map(|(id, standing)| (*id, standing.joined));
        let known = same.and_then(|(id, _)| self.view.nodes.get(&id));
        let life = known.map_or(Incarnation(0), |known| known.incarnation);
        if let Some((_, joined)) = same
            && candidate.incarnation < joined.max(life)
        {
            return Err(Refusal::OldIncarnation);
        }
        let holder = self.view.named(candidate.name.as_str());
        let holder = holder.filter(|holder| same.is_none_or(|(id, _)| id != *holder));
        let down = |id| self.view.nodes.get(id).map(|node| node.phase) == Some(NodePhase::Down);
        if let Some(holder) = holder
            && !down(&holder)
        {
            return Err(Refusal::NameTaken);
        }
        if same.is_none() {
            self.room_for_one(holder)?;
        }
        if let Some(holder) = holder {
            self.remove(holder);
        }
        let Some((id, joined)) = same else {
            return self.admit(candidate);
        };
        if candidate.incarnation > joined.max(life) {
            let view = Arc::make_mut(&mut self.view);
            if let Some(node) = view.nodes.get_mut(&id) {
                node.name = candidate.name.clone();
                node.address.clone_from(&candidate.address);
            }
            if let Some(standing) = self.standing.get_mut(&id) {
                standing.joined = candidate.incarnation;
            }
        }
        Ok(Outcome::Joined(id))
    }

    /// Only a life that is later than any before begins, or the one with which the node joined.
    /// A drain is over with the life that was drained.
    pub(super) fn up(
        &mut self,
        id: NodeId,
        incarnation: Incarnation,
        address: &str,
    ) -> Result<Outcome, Refusal> {
        let node = self.member(id)?;
        let first = node.phase == NodePhase::Joining && incarnation == node.incarnation;
        if incarnation <= node.incarnation && !first {
            return Err(Refusal::OldIncarnation);
        }
        let view = Arc::make_mut(&mut self.view);
        take_all_from(view, id);
        if let Some(node) = view.nodes.get_mut(&id) {
            node.incarnation = incarnation;
            address.clone_into(&mut node.address);
            node.phase = NodePhase::Up;
        }
        Ok(Outcome::Done)
    }

    pub(super) fn expire(
        &mut self,
        id: NodeId,
        incarnation: Incarnation,
    ) -> Result<Outcome, Refusal> {
        let node = self.member(id)?;
        if incarnation < node.incarnation {
            return Err(Refusal::OldIncarnation);
        }
        if incarnation > node.incarnation || node.phase == NodePhase::Down {
            return Err(Refusal::NotUp);
        }
        let view = Arc::make_mut(&mut self.view);
        take_all_from(view, id);
        if let Some(node) = view.nodes.get_mut(&id) {
            node.phase = NodePhase::Down;
        }
        Ok(Outcome::Done)
    }

    pub(super) fn drain(&mut self, id: NodeId, on: bool) -> Result<Outcome, Refusal> {
        let phase = match self.member(id)?.phase {
            NodePhase::Joining | NodePhase::Down => return Err(Refusal::NotUp),
            NodePhase::Up | NodePhase::Draining if on => NodePhase::Draining,
            NodePhase::Up | NodePhase::Draining => NodePhase::Up,
        };
        if let Some(node) = Arc::make_mut(&mut self.view).nodes.get_mut(&id) {
            node.phase = phase;
        }
        Ok(Outcome::Done)
    }

    pub(super) fn forget(&mut self, id: NodeId) -> Result<Outcome, Refusal> {
        self.member(id)?;
        let mut owners = self.view.shards.values().filter_map(Placement::owner);
        if owners.any(|(owner, _)| owner == id) {
            return Err(Refusal::StillOwns);
        }
        self.remove(id);
        Ok(Outcome::Done)
    }

    pub(super) fn member(&self, id: NodeId) -> Result<&NodeView, Refusal> {
        self.view.nodes.get(&id).ok_or(Refusal::NoNode)
    }

    /// One more can be a member, in the place of this one if there is one.
    fn room_for_one(&self, instead_of: Option<NodeId>) -> Result<(), Refusal> {
        let others = self.view.nodes.len() - usize::from(instead_of.is_some());
        if others < NODES_MAX && self.last_node < u16::MAX {
            Ok(())
        } else {
            Err(Refusal::Full)
        }
    }

    /// A member with a number that nobody had before.
    fn admit(&mut self, candidate: &Candidate) -> Result<Outcome, Refusal> {
        let number = self.last_node.checked_add(1).ok_or(Refusal::Full)?;
        let id = NodeId(number);
        let node = NodeView {
            name: candidate.name.clone(),
            address: candidate.address.clone(),
            incarnation: candidate.incarnation,
            phase: NodePhase::Joining,
        };
        let standing = Standing {
            mark: candidate.mark,
            joined: candidate.incarnation,
        };
        self.last_node = number;
        Arc::make_mut(&mut self.view).nodes.insert(id, node);
        self.standing.insert(id, standing);
        Ok(Outcome::Joined(id))
    }

    /// A member that owns nothing is none any more.
    fn remove(&mut self, id: NodeId) {
        let view = Arc::make_mut(&mut self.view);
        take_all_from(view, id);
        view.nodes.remove(&id);
        self.standing.remove(&id);
    }
}

/// What the node owns is nobody's, and no move goes to it any more.
fn take_all_from(view: &mut View, id: NodeId) {
    for (shard, placement) in &mut view.shards {
        match *placement {
            Placement::Unplaced { .. } => {}
            Placement::Placed { node, epoch } if node == id => {
                *placement = Placement::Unplaced { last: epoch };
                view.arrived.remove(shard);
            }
            Placement::Moving { from, epoch, .. } if from == id => {
                *placement = Placement::Unplaced { last: epoch };
                view.arrived.remove(shard);
            }
            Placement::Moving {
                from: node,
                epoch,
                to,
                ..
            } if to == id => {
                *placement = Placement::Placed { node, epoch };
            }
            Placement::Placed { .. } | Placement::Moving { .. } => {}
        }
    }
}
