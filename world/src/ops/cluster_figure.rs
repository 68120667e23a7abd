//! `[pure]` The figures of the cluster, as one node knows it.

/// One figure. Those whose name ends in `_total` never fall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClusterFigure {
    /// Whether this node is in a cluster.
    Member,
    /// Whether this node holds its lease.
    Leased,
    /// Whether this node leads.
    IsLeader,
    /// The term.
    Term,
    /// The last entry of the log here.
    LogIndex,
    /// The last entry that is applied here.
    AppliedIndex,
    /// Members.
    Nodes,
    /// Members that live.
    NodesUp,
    /// Age of the oldest lease of those that live, in milliseconds; only the leader knows.
    LeaseAge,
    /// Shards of the cluster.
    Shards,
    /// Shards that this node owns.
    ShardsHere,
    /// Shards that nobody owns.
    ShardsUnplaced,
    /// Shards that are on their way.
    ShardsMoving,
    /// Leaders that this node saw come.
    Elections,
    /// Moves that began.
    MovesBegun,
    /// Moves that came to their end.
    MovesFinished,
    /// Moves that were given up.
    MovesAborted,
    /// Nodes that were given up.
    Expired,
    /// Frames sent to other nodes, of raft, leases and placement.
    ControlSent,
    /// Frames of that kind received.
    ControlReceived,
    /// Frames of that kind for which there was no room.
    ControlDropped,
    /// Frames sent to other nodes, of shards and hand-overs.
    PlaySent,
    /// Frames of that kind received.
    PlayReceived,
    /// Frames of that kind for which there was no room.
    PlayDropped,
    /// What players wrote to rooms of other nodes.
    RoomLettersOut,
    /// What players of other nodes wrote to rooms here.
    RoomLettersIn,
    /// Events in rooms here sent to other nodes, one for each event and node.
    RoomEventsOut,
    /// Events in rooms of other nodes that came here.
    RoomEventsIn,
    /// Players here who were told of events in rooms of other nodes.
    RoomFanOut,
    /// Events for other nodes for which a wire had no room.
    RoomEventsDropped,
    /// Letters that waited for a zone that was moving or had no owner.
    RoomHeld,
    /// Letters that waited too long, or for which there was no room.
    RoomRefused,
    /// Letters sent back since their zone did not take them.
    RoomBounced,
    /// Frames of an epoch that was over, or that nobody waited for.
    RoomStale,
    /// Players who entered a zone anew after it had lost its owner or its wire.
    RoomReturns,
}

/// What is said of a figure.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// Its name.
    pub name: &'static str,
    /// Which lane it is of, if of one.
    pub lane: Option<&'static str>,
    /// What it is.
    pub what: &'static str,
}

type Row = (ClusterFigure, About);

const fn row(figure: ClusterFigure, name: &'static str, what: &'static str) -> Row {
    let lane = None;
    (figure, About { name, lane, what })
}

const fn frames(
    figure: ClusterFigure,
    lane: &'static str,
    about: (&'static str, &'static str),
) -> Row {
    let (name, what) = about;
    let lane = Some(lane);
    (figure, About { name, lane, what })
}

const SENT: (&str, &str) = (
    "belay_cluster_sent_frames_total",
    "frames sent to other nodes, by lane",
);
const RECEIVED: (&str, &str) = (
    "belay_cluster_received_frames_total",
    "frames received from other nodes, by lane",
);
const DROPPED: (&str, &str) = (
    "belay_cluster_dropped_frames_total",
    "frames to other nodes for which there was no room, by lane",
);

/// Every figure with its name, and what it is, in order.
const TABLE: &[Row] = &[
    row(
        ClusterFigure::Member,
        "belay_cluster_member",
        "whether this node is in a cluster",
    ),
    row(
        ClusterFigure::Leased,
        "belay_cluster_leased",
        "whether this node holds its lease",
    ),
    row(
        ClusterFigure::IsLeader,
        "belay_cluster_is_leader",
        "whether this node leads",
    ),
    row(
        ClusterFigure::Term,
        "belay_cluster_term",
        "the term of the leader",
    ),
    row(
        ClusterFigure::LogIndex,
        "belay_cluster_log_index",
        "last entry of the log here",
    ),
    row(
        ClusterFigure::AppliedIndex,
        "belay_cluster_applied_index",
        "last entry applied here",
    ),
    row(
        ClusterFigure::Nodes,
        "belay_cluster_nodes",
        "members of the cluster",
    ),
    row(
        ClusterFigure::NodesUp,
        "belay_cluster_nodes_up",
        "members that live",
    ),
    row(
        ClusterFigure::LeaseAge,
        "belay_cluster_lease_age_seconds",
        "age of the oldest lease of a member that lives; only the leader knows it",
    ),
    row(
        ClusterFigure::Shards,
        "belay_cluster_shards",
        "shards of the cluster",
    ),
    row(
        ClusterFigure::ShardsHere,
        "belay_cluster_shards_here",
        "shards that this node owns",
    ),
    row(
        ClusterFigure::ShardsUnplaced,
        "belay_cluster_shards_unplaced",
        "shards that nobody owns",
    ),
    row(
        ClusterFigure::ShardsMoving,
        "belay_cluster_shards_moving",
        "shards on their way",
    ),
    row(
        ClusterFigure::Elections,
        "belay_cluster_elections_total",
        "leaders that this node saw come",
    ),
    row(
        ClusterFigure::MovesBegun,
        "belay_cluster_moves_begun_total",
        "moves that began",
    ),
    row(
        ClusterFigure::MovesFinished,
        "belay_cluster_moves_finished_total",
        "moves that came to their end",
    ),
    row(
        ClusterFigure::MovesAborted,
        "belay_cluster_moves_aborted_total",
        "moves that were given up",
    ),
    row(
        ClusterFigure::Expired,
        "belay_cluster_expired_nodes_total",
        "nodes that were given up because their lease ran out",
    ),
    frames(ClusterFigure::ControlSent, "control", SENT),
    frames(ClusterFigure::ControlReceived, "control", RECEIVED),
    frames(ClusterFigure::ControlDropped, "control", DROPPED),
    frames(ClusterFigure::PlaySent, "play", SENT),
    frames(ClusterFigure::PlayReceived, "play", RECEIVED),
    frames(ClusterFigure::PlayDropped, "play", DROPPED),
    row(
        ClusterFigure::RoomLettersOut,
        "belay_cluster_room_letters_out_total",
        "what players wrote to rooms of other nodes",
    ),
    row(
        ClusterFigure::RoomLettersIn,
        "belay_cluster_room_letters_in_total",
        "what players of other nodes wrote to rooms here",
    ),
    row(
        ClusterFigure::RoomEventsOut,
        "belay_cluster_room_events_out_total",
        "events in rooms here sent to other nodes, one for each event and node",
    ),
    row(
        ClusterFigure::RoomEventsIn,
        "belay_cluster_room_events_in_total",
        "events in rooms of other nodes that came here",
    ),
    row(
        ClusterFigure::RoomFanOut,
        "belay_cluster_room_fan_out_total",
        "players here who were told of events in rooms of other nodes",
    ),
    row(
        ClusterFigure::RoomEventsDropped,
        "belay_cluster_room_events_dropped_total",
        "events for other nodes for which a wire had no room",
    ),
    row(
        ClusterFigure::RoomHeld,
        "belay_cluster_room_letters_held_total",
        "letters that waited for a zone that was moving or had no owner",
    ),
    row(
        ClusterFigure::RoomRefused,
        "belay_cluster_room_letters_refused_total",
        "letters that waited too long, or for which there was no room",
    ),
    row(
        ClusterFigure::RoomBounced,
        "belay_cluster_room_letters_bounced_total",
        "letters sent back since their zone did not take them",
    ),
    row(
        ClusterFigure::RoomStale,
        "belay_cluster_room_stale_frames_total",
        "frames of an epoch that was over, or that nobody waited for",
    ),
    row(
        ClusterFigure::RoomReturns,
        "belay_cluster_room_returns_total",
        "players who entered a zone anew after it had lost its owner or its wire",
    ),
];

impl ClusterFigure {
    /// All figures with what is said of them, in order.
    pub fn all() -> impl Iterator<Item = (Self, About)> {
        TABLE.iter().copied()
    }

    /// The place among all.
    pub fn index(self) -> usize {
        self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_figure_has_its_own_name_and_place() {
        let names: BTreeSet<_> = ClusterFigure::all()
            .map(|(_, about)| (about.name, about.lane))
            .collect();
        assert_eq!(names.len(), TABLE.len());
        for (place, (figure, about)) in ClusterFigure::all().enumerate() {
            assert_eq!(figure.index(), place);
            assert!(about.name.starts_with("belay_cluster_"), "{}", about.name);
        }
    }
}
