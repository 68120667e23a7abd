//! `[pure]` The figures of the network of games.

/// One figure. Those whose name ends in `_total` never fall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkFigure {
    /// Whether the network of games is reached.
    Online,
    /// Other games that are connected.
    Games,
    /// Players of other games that are shown.
    Players,
    /// Players here who may not speak to other games.
    Mutes,
    /// Other games that are not read here.
    Blocks,
    /// Connections to the hub that were let in.
    Connects,
    /// Connections to the hub that failed or were lost.
    Failures,
    /// Frames received from the hub.
    FramesIn,
    /// Bytes received from the hub.
    BytesIn,
    /// Frames sent to the hub.
    FramesOut,
    /// Words and requests dropped because there were too many at once.
    DroppedOut,
    /// Frames dropped because too many came.
    FloodDropped,
    /// Connections cut because far too many frames came.
    FloodCuts,
    /// Messages that had come before.
    Duplicates,
    /// Absences of which nobody can tell what was said.
    Gaps,
    /// Messages fetched that were said during an absence.
    Missed,
    /// Messages said during an absence that the hub has no longer.
    Lost,
    /// Frames that cannot be read.
    Garbage,
    /// Requests that the hub refused.
    Refused,
    /// Requests that the hub did not answer in time.
    Timeouts,
    /// Lines of other games that channels took.
    LinesIn,
    /// Lines of players here that went out.
    LinesOut,
    /// Lines of players here that stayed here.
    LinesKept,
    /// Lines for channels that are not here.
    UnknownChannel,
    /// Lines, tells and news of blocked games.
    Blocked,
    /// Lines, tells and news that there was no room for.
    Dropped,
    /// Tells of other games that were read.
    TellsIn,
    /// Tells of other games that nobody read.
    TellsLost,
    /// Tells of players here that went out.
    TellsOut,
    /// Lines about who comes and goes elsewhere.
    Notices,
    /// Outages that players were told of.
    Outages,
}

/// Every figure with its name, and what it is.
const TABLE: &[(NetworkFigure, &str, &str)] = &[
    (
        NetworkFigure::Online,
        "belay_gossip_online",
        "whether the network of games is reached",
    ),
    (
        NetworkFigure::Games,
        "belay_gossip_games",
        "other games that are connected",
    ),
    (
        NetworkFigure::Players,
        "belay_gossip_players",
        "players of other games that are shown",
    ),
    (
        NetworkFigure::Mutes,
        "belay_gossip_mutes",
        "players here who may not speak to other games",
    ),
    (
        NetworkFigure::Blocks,
        "belay_gossip_blocks",
        "other games that are not read here",
    ),
    (
        NetworkFigure::Connects,
        "belay_gossip_connects_total",
        "connections to the hub that were let in",
    ),
    (
        NetworkFigure::Failures,
        "belay_gossip_failures_total",
        "connections to the hub that failed or were lost",
    ),
    (
        NetworkFigure::FramesIn,
        "belay_gossip_received_frames_total",
        "frames received from the hub",
    ),
    (
        NetworkFigure::BytesIn,
        "belay_gossip_received_bytes_total",
        "bytes received from the hub",
    ),
    (
        NetworkFigure::FramesOut,
        "belay_gossip_sent_frames_total",
        "frames sent to the hub",
    ),
    (
        NetworkFigure::DroppedOut,
        "belay_gossip_dropped_out_total",
        "words and requests dropped because there were too many at once",
    ),
    (
        NetworkFigure::FloodDropped,
        "belay_gossip_flood_dropped_total",
        "frames dropped because too many came",
    ),
    (
        NetworkFigure::FloodCuts,
        "belay_gossip_flood_cuts_total",
        "connections cut because far too many frames came",
    ),
    (
        NetworkFigure::Duplicates,
        "belay_gossip_duplicates_total",
        "messages that had come before",
    ),
    (
        NetworkFigure::Gaps,
        "belay_gossip_gaps_total",
        "absences of which nobody can tell what was said",
    ),
    (
        NetworkFigure::Missed,
        "belay_gossip_missed_total",
        "messages fetched that were said during an absence",
    ),
    (
        NetworkFigure::Lost,
        "belay_gossip_lost_total",
        "messages said during an absence that the hub has no longer",
    ),
    (
        NetworkFigure::Garbage,
        "belay_gossip_garbage_total",
        "frames that cannot be read",
    ),
    (
        NetworkFigure::Refused,
        "belay_gossip_refused_total",
        "requests that the hub refused",
    ),
    (
        NetworkFigure::Timeouts,
        "belay_gossip_timeouts_total",
        "requests that the hub did not answer in time",
    ),
    (
        NetworkFigure::LinesIn,
        "belay_gossip_lines_in_total",
        "lines of other games that channels took",
    ),
    (
        NetworkFigure::LinesOut,
        "belay_gossip_lines_out_total",
        "lines of players here that went out",
    ),
    (
        NetworkFigure::LinesKept,
        "belay_gossip_lines_kept_total",
        "lines of players here that stayed here",
    ),
    (
        NetworkFigure::UnknownChannel,
        "belay_gossip_unknown_channel_total",
        "lines for channels that are not here",
    ),
    (
        NetworkFigure::Blocked,
        "belay_gossip_blocked_total",
        "lines, tells and news of blocked games",
    ),
    (
        NetworkFigure::Dropped,
        "belay_gossip_dropped_total",
        "lines, tells and news that there was no room for",
    ),
    (
        NetworkFigure::TellsIn,
        "belay_gossip_tells_in_total",
        "tells of other games that were read",
    ),
    (
        NetworkFigure::TellsLost,
        "belay_gossip_tells_lost_total",
        "tells of other games that nobody read",
    ),
    (
        NetworkFigure::TellsOut,
        "belay_gossip_tells_out_total",
        "tells of players here that went out",
    ),
    (
        NetworkFigure::Notices,
        "belay_gossip_notices_total",
        "lines about who comes and goes elsewhere",
    ),
    (
        NetworkFigure::Outages,
        "belay_gossip_outages_total",
        "outages that players were told of",
    ),
];

impl NetworkFigure {
    /// All figures, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|(figure, ..)| *figure)
    }

    /// The name, and what it is.
    pub fn about(self) -> (&'static str, &'static str) {
        let row = TABLE.get(self.index());
        row.map_or(("", ""), |(_, name, what)| (*name, *what))
    }

    /// The place among all.
    pub fn index(self) -> usize {
        self as usize
    }

    /// Whether it never falls.
    pub fn is_counter(self) -> bool {
        self.about().0.ends_with("_total")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_figure_has_its_own_name_and_place() {
        let names: BTreeSet<_> = NetworkFigure::all().map(|it| it.about().0).collect();
        assert_eq!(names.len(), TABLE.len());
        for (place, figure) in NetworkFigure::all().enumerate() {
            assert_eq!(figure.index(), place);
        }
    }
}
