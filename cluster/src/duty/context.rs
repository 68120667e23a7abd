//! `[pure]` What every part of a node's machine may look at, and how it speaks to the leader.

use crate::duty::io::{Effect, HostCall};
use crate::duty::message::{DutyMessage, MoveStep};
use crate::ids::{Epoch, NodeId, ShardId};
use crate::view::{Placement, View};
use std::time::Instant;

/// The node, and what it knows, in one step.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) now: Instant,
    pub(super) me: NodeId,
    pub(super) view: &'a View,
    /// The leader, if one is known.
    pub(super) leader: Option<NodeId>,
    /// The log has this life of this node, as one that lives.
    pub(super) alive: bool,
    /// This node holds its lease.
    pub(super) leased: bool,
}

impl Context<'_> {
    /// Says something to the leader. Without one, nothing: it is said again.
    pub(super) fn tell_leader(&self, message: DutyMessage, out: &mut Vec<Effect>) {
        if let Some(leader) = self.leader {
            out.push(Effect::Send(leader, message));
        }
    }

    /// Says to the leader how far a move is.
    pub(super) fn tell_step(
        &self,
        shard: &ShardId,
        moving: Epoch,
        step: MoveStep,
        out: &mut Vec<Effect>,
    ) {
        let shard = shard.clone();
        let message = DutyMessage::Moved {
            shard,
            moving,
            step,
        };
        self.tell_leader(message, out);
    }
}

/// Where a shard was and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) shard: ShardId,
    pub(super) was: Option<Placement>,
    pub(super) is: Option<Placement>,
}

/// What is different between two views, by shard.
pub(super) fn changes(was: &View, is: &View) -> Vec<Change> {
    let mut changes = Vec::new();
    let (mut olds, mut news) = (was.shards.iter().peekable(), is.shards.iter().peekable());
    loop {
        let order = match (olds.peek(), news.peek()) {
            (None, None) => return changes,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some((old, _)), Some((new, _))) => old.cmp(new),
        };
        let old = order.is_le().then(|| olds.next()).flatten();
        let new = order.is_ge().then(|| news.next()).flatten();
        let (was, is) = (old.map(|(_, at)| *at), new.map(|(_, at)| *at));
        if let Some((shard, _)) = new.or(old)
            && was != is
        {
            let shard = shard.clone();
            changes.push(Change { shard, was, is });
        }
    }
}

/// A call to the host.
pub(super) fn stop(shard: &ShardId, epoch: Epoch) -> Effect {
    let shard = shard.clone();
    Effect::Host(HostCall::Stop { shard, epoch })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(shards: &[(&str, u64)]) -> View {
        let mut view = View::default();
        for (name, epoch) in shards {
            let last = Epoch(*epoch);
            let placement = Placement::Unplaced { last };
            view.shards.insert(ShardId::new(name), placement);
        }
        view
    }

    #[test]
    fn finds_what_came_what_went_and_what_changed() {
        let at = |epoch| Some(Placement::Unplaced { last: Epoch(epoch) });
        let was = view(&[("a", 1), ("b", 1), ("d", 1)]);
        let is = view(&[("b", 2), ("c", 1), ("d", 1), ("e", 1)]);
        let expected = [
            ("a", at(1), None),
            ("b", at(1), at(2)),
            ("c", None, at(1)),
            ("e", None, at(1)),
        ];
        let expected = expected.map(|(name, was, is)| Change {
            shard: ShardId::new(name),
            was,
            is,
        });
        assert_eq!(changes(&was, &is), expected);
        assert_eq!(changes(&is, &is), []);
    }
}
