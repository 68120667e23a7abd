//! `[pure]` The figures of each other node of the cluster, in the text format of Prometheus. Nodes
//! come and go, so these are written from what is known at the moment and kept nowhere: a node that
//! is no member any more is told of no more.

use std::fmt::{Display, Write as _};

/// What there is to tell of another node.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Peer {
    /// Its name.
    pub name: String,
    /// Entries that it lacks of the log; only the leader knows.
    pub lag: Option<u64>,
    /// What went there and came from there, by lane.
    pub lanes: Vec<(&'static str, PeerLane)>,
}

/// What went to and from a node over one lane.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PeerLane {
    /// Whether a wire stands.
    pub up: bool,
    /// Frames sent.
    pub sent: u64,
    /// Frames received.
    pub received: u64,
    /// Frames for which there was no room.
    pub dropped: u64,
    /// Frames that wait.
    pub queued: u64,
    /// Wires that came to stand.
    pub connected: u64,
    /// Seconds that the last ping took there and back.
    pub round_trip_s: Option<f64>,
}

/// One figure: its name, what it is, and where it comes from. Those whose name ends in `_total`
/// never fall, as long as the node is a member.
type Row = (&'static str, &'static str, fn(&PeerLane) -> Option<f64>);

#[expect(
    clippy::cast_precision_loss,
    reason = "no counter comes near 2^53 in the life of a node"
)]
fn float(count: u64) -> f64 {
    count as f64
}

/// The figures by peer and lane.
const TABLE: &[Row] = &[
    (
        "belay_cluster_peer_up",
        "whether a wire to the node stands",
        |it| Some(f64::from(u8::from(it.up))),
    ),
    (
        "belay_cluster_peer_sent_frames_total",
        "frames sent to the node",
        |it| Some(float(it.sent)),
    ),
    (
        "belay_cluster_peer_received_frames_total",
        "frames received from the node",
        |it| Some(float(it.received)),
    ),
    (
        "belay_cluster_peer_dropped_frames_total",
        "frames to the node for which there was no room",
        |it| Some(float(it.dropped)),
    ),
    (
        "belay_cluster_peer_queued_frames",
        "frames that wait for the node",
        |it| Some(float(it.queued)),
    ),
    (
        "belay_cluster_peer_connections_total",
        "wires to the node that came up",
        |it| Some(float(it.connected)),
    ),
    (
        "belay_cluster_peer_round_trip_seconds",
        "what the last ping to the node took there and back",
        |it| it.round_trip_s,
    ),
];

/// Appends the figures of all of them.
pub(super) fn append(peers: &[Peer], out: &mut String) {
    for (name, what, value) in TABLE {
        let lanes = peers.iter().flat_map(|peer| {
            let named = peer.lanes.iter();
            named.map(|(lane, figures)| (peer.name.as_str(), *lane, figures))
        });
        let lines = lanes.filter_map(|(peer, lane, figures)| {
            let labels = format!("{{peer=\"{peer}\",lane=\"{lane}\"}}");
            value(figures).map(|value| (labels, value))
        });
        family(name, what, lines, out);
    }
    let lags = peers.iter().filter_map(|peer| {
        let labels = format!("{{peer=\"{}\"}}", peer.name);
        peer.lag.map(|lag| (labels, lag))
    });
    let what = "entries that the node lacks of the log; only the leader knows";
    family("belay_cluster_peer_lag_entries", what, lags, out);
}

/// One metric with all its lines; nothing without any. Names of nodes need no quoting.
fn family<V: Display>(
    name: &str,
    what: &str,
    lines: impl Iterator<Item = (String, V)>,
    out: &mut String,
) {
    let mut lines = lines.peekable();
    if lines.peek().is_none() {
        return;
    }
    let kind = match name.ends_with("_total") {
        true => "counter",
        false => "gauge",
    };
    // Writing into a text cannot fail.
    let _whole = write!(out, "# HELP {name} {what}\n# TYPE {name} {kind}\n");
    for (labels, value) in lines {
        let _whole = writeln!(out, "{name}{labels} {value}");
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_figure_is_told_by_peer_and_lane_and_what_is_not_known_is_not() {
        let play = PeerLane {
            up: true,
            sent: 12,
            round_trip_s: Some(0.000_25),
            ..PeerLane::default()
        };
        let peer = |name: &str, lag, lanes| Peer {
            name: name.to_owned(),
            lag,
            lanes,
        };
        let idle = PeerLane::default();
        let peers = [
            peer("n2", Some(3), vec![("control", idle), ("play", play)]),
            peer("n3", None, vec![("control", idle)]),
        ];
        let mut text = "before 1\n\n".to_owned();
        append(&peers, &mut text);
        for line in [
            "before 1",
            "# TYPE belay_cluster_peer_sent_frames_total counter",
            "belay_cluster_peer_sent_frames_total{peer=\"n2\",lane=\"play\"} 12",
            "belay_cluster_peer_up{peer=\"n2\",lane=\"play\"} 1",
            "belay_cluster_peer_up{peer=\"n3\",lane=\"control\"} 0",
            "belay_cluster_peer_round_trip_seconds{peer=\"n2\",lane=\"play\"} 0.00025",
            "# TYPE belay_cluster_peer_lag_entries gauge",
            "belay_cluster_peer_lag_entries{peer=\"n2\"} 3",
        ] {
            assert!(text.lines().any(|it| it == line), "{line}\n{text}");
        }
        let round_trips = text.matches("belay_cluster_peer_round_trip_seconds{");
        assert_eq!(round_trips.count(), 1);
        let mut alone = String::new();
        append(&[], &mut alone);
        assert_eq!(alone, "");
    }
}
