//! `[pure]` What a node counts of its cluster since its process started. Figures only: nothing
//! decides by them.

use crate::ids::NodeId;
use crate::view::{NodePhase, Placement, View};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was counted; none of it ever falls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Leaders that this node saw come.
    pub elections: u64,
    /// Moves of shards that began, anywhere.
    pub moves_begun: u64,
    /// Those that came to their end.
    pub moves_finished: u64,
    /// Those that were given up: the owner kept its shard.
    pub moves_aborted: u64,
    /// Nodes that were given up because their lease ran out.
    pub expired: u64,
    /// Frames of raft, leases and placement.
    pub control: LaneCounts,
    /// Frames of shards and hand-overs.
    pub play: LaneCounts,
}

/// What went over one lane, to and from all other nodes together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneCounts {
    /// Frames sent.
    pub sent: u64,
    /// Frames received.
    pub received: u64,
    /// Frames for which there was no room.
    pub dropped: u64,
}

/// What went over one lane, to and from one other node, since this node first knew of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeerCounts {
    /// Frames.
    pub frames: LaneCounts,
    /// Wires that came to stand.
    pub connected: u64,
    /// One stands now.
    pub up: bool,
    /// Frames that wait for it now.
    pub queued: u64,
    /// How long the last ping took there and back, in microseconds; nothing before the first.
    pub round_trip_us: Option<u64>,
}

/// What went over one lane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// To and from all other nodes together, those that are members no more included.
    pub total: LaneCounts,
    /// By member.
    pub peers: BTreeMap<NodeId, PeerCounts>,
}

impl Counts {
    /// Counts what happened between two views, the second of which is not older. What began and
    /// ended between them is not seen.
    pub fn see(&mut self, before: &View, after: &View) {
        for (id, node) in &after.nodes {
            let was = before.nodes.get(id).map(|node| node.phase);
            let lived = matches!(was, Some(NodePhase::Up | NodePhase::Draining));
            self.expired += u64::from(lived && node.phase == NodePhase::Down);
        }
        for (shard, now) in &after.shards {
            let was = before.shards.get(shard).copied();
            self.see_shard(was, *now);
        }
    }

    fn see_shard(&mut self, was: Option<Placement>, now: Placement) {
        let moving_of = |placement| match placement {
            Placement::Moving { moving, .. } => Some(moving),
            Placement::Placed { .. } | Placement::Unplaced { .. } => None,
        };
        let (old, new) = (was.and_then(moving_of), moving_of(now));
        if old == new {
            return;
        }
        self.moves_begun += u64::from(new.is_some());
        if let Some(Placement::Moving { to, .. }) = was {
            let finished = now.owner().is_some_and(|(owner, _)| owner == to);
            self.moves_finished += u64::from(finished);
            self.moves_aborted += u64::from(!finished);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{Epoch, Incarnation, NodeName, ShardId};
    use crate::view::NodeView;

    fn view(placement: Placement, phase: NodePhase) -> View {
        let node = NodeView {
            name: NodeName::new("n1").unwrap(),
            address: String::new(),
            incarnation: Incarnation(1),
            phase,
        };
        View {
            nodes: [(NodeId(1), node)].into(),
            shards: [(ShardId::new("zone:a"), placement)].into(),
            ..View::default()
        }
    }

    fn placed(node: u16, epoch: u64) -> Placement {
        Placement::Placed {
            node: NodeId(node),
            epoch: Epoch(epoch),
        }
    }

    fn moving(to: u16, moving: u64) -> Placement {
        Placement::Moving {
            from: NodeId(1),
            epoch: Epoch(5),
            to: NodeId(to),
            moving: Epoch(moving),
        }
    }

    #[track_caller]
    fn check(steps: &[Placement], expected: [u64; 3]) {
        let mut counts = Counts::default();
        let views = steps.iter().map(|step| view(*step, NodePhase::Up));
        views.fold(View::default(), |before, after| {
            counts.see(&before, &after);
            after
        });
        let found = [
            counts.moves_begun,
            counts.moves_finished,
            counts.moves_aborted,
        ];
        assert_eq!(found, expected, "{steps:?}");
    }

    #[test]
    fn moves_are_counted_when_they_begin_and_by_how_they_end() {
        check(&[placed(1, 5), placed(1, 5)], [0, 0, 0]);
        check(&[placed(1, 5), moving(2, 6), moving(2, 6)], [1, 0, 0]);
        check(&[placed(1, 5), moving(2, 6), placed(2, 7)], [1, 1, 0]);
        check(&[placed(1, 5), moving(2, 6), placed(1, 5)], [1, 0, 1]);
        let lost = Placement::Unplaced { last: Epoch(5) };
        check(&[placed(1, 5), moving(2, 6), lost], [1, 0, 1]);
        // Given up, and begun anew between two views.
        check(&[moving(2, 6), moving(3, 8)], [2, 0, 1]);
    }

    #[test]
    fn a_node_that_is_given_up_counts_once() {
        let phases = [
            (NodePhase::Joining, 0),
            (NodePhase::Up, 0),
            (NodePhase::Down, 1),
            (NodePhase::Down, 1),
            (NodePhase::Draining, 1),
            (NodePhase::Down, 2),
        ];
        let mut counts = Counts::default();
        let mut before = View::default();
        for (phase, expected) in phases {
            let after = view(placed(1, 5), phase);
            counts.see(&before, &after);
            assert_eq!(counts.expired, expected, "{phase:?}");
            before = after;
        }
    }
}
