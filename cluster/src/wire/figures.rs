//! `[process]` What the wires have done, counted as it happens.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A number that only rises.
#[derive(Debug, Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    pub(crate) fn add(&self, count: usize) {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Of one lane.
#[derive(Debug, Default)]
pub(crate) struct LaneFigures {
    pub(crate) frames_in: Count,
    pub(crate) frames_out: Count,
    pub(crate) bytes_in: Count,
    pub(crate) bytes_out: Count,
    pub(crate) writes: Count,
    pub(crate) dropped: Count,
    pub(crate) overflows: Count,
    pub(crate) connected: Count,
    pub(crate) lost: Count,
    pub(crate) refused: Count,
}

/// What the wires of one lane have done since they were opened, for metrics. Everything but
/// `queued` and `standing` only rises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireFigures {
    /// Messages received.
    pub frames_in: u64,
    /// Messages written.
    pub frames_out: u64,
    /// Bytes received.
    pub bytes_in: u64,
    /// Bytes written.
    pub bytes_out: u64,
    /// Writes. Fewer than messages: each takes what waits.
    pub writes: u64,
    /// Ambient messages that found no room.
    pub dropped: u64,
    /// Wires that were closed because what must not be dropped found no room.
    pub overflows: u64,
    /// Wires that came to stand.
    pub connected: u64,
    /// Wires that were lost or closed.
    pub lost: u64,
    /// Connections that were refused, by either end, or failed before the wire stood.
    pub refused: u64,
    /// Wires that stand now.
    pub standing: u64,
    /// Messages that wait now, of all wires.
    pub queued: u64,
}

/// One figure: its name in metrics, what it is, and whether it only rises.
type About = (&'static str, &'static str, bool);

/// The figures, in the order of [`WireFigures`].
const ABOUT: [About; 12] = [
    ("belay_cluster_frames_in_total", "messages received", true),
    ("belay_cluster_frames_out_total", "messages written", true),
    ("belay_cluster_bytes_in_total", "bytes received", true),
    ("belay_cluster_bytes_out_total", "bytes written", true),
    ("belay_cluster_writes_total", "writes to sockets", true),
    ("belay_cluster_dropped_total", "messages dropped", true),
    (
        "belay_cluster_overflows_total",
        "wires closed, queue full",
        true,
    ),
    ("belay_cluster_connected_total", "wires that came up", true),
    ("belay_cluster_lost_total", "wires that went down", true),
    ("belay_cluster_refused_total", "connections refused", true),
    ("belay_cluster_wires", "wires that stand", false),
    ("belay_cluster_queued", "messages that wait", false),
];

impl WireFigures {
    /// Each figure: its name in metrics, to which the lane belongs as a label; what it is; whether
    /// it only rises; and its value.
    pub fn each(&self) -> impl Iterator<Item = (&'static str, &'static str, bool, u64)> {
        let values = [
            self.frames_in,
            self.frames_out,
            self.bytes_in,
            self.bytes_out,
            self.writes,
            self.dropped,
            self.overflows,
            self.connected,
            self.lost,
            self.refused,
            self.standing,
            self.queued,
        ];
        let named = ABOUT.into_iter().zip(values);
        named.map(|((name, what, rises), value)| (name, what, rises, value))
    }
}

impl LaneFigures {
    /// What was counted, without what only the wires know.
    pub(crate) fn read(self: &Arc<Self>) -> WireFigures {
        WireFigures {
            frames_in: self.frames_in.get(),
            frames_out: self.frames_out.get(),
            bytes_in: self.bytes_in.get(),
            bytes_out: self.bytes_out.get(),
            writes: self.writes.get(),
            dropped: self.dropped.get(),
            overflows: self.overflows.get(),
            connected: self.connected.get(),
            lost: self.lost.get(),
            refused: self.refused.get(),
            standing: 0,
            queued: 0,
        }
    }
}
