//! `[process]` What the wires have done, counted as it happens.

use crate::counts::{LaneCounts, PeerCounts};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

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

/// Of one lane: of all peers, or of one.
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
    /// Of one peer: microseconds that the last ping took; 0 before the first.
    pub(crate) round_trip_us: AtomicU64,
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

impl LaneFigures {
    /// A ping was answered after so long.
    pub(crate) fn answered(&self, round_trip: Duration) {
        let micros = u64::try_from(round_trip.as_micros()).unwrap_or(u64::MAX);
        self.round_trip_us.store(micros.max(1), Ordering::Relaxed);
    }

    /// Of one peer, with the queue of the wire that stands, if one does.
    pub(crate) fn of_peer(&self, queued: Option<u64>) -> PeerCounts {
        let round_trip_us = self.round_trip_us.load(Ordering::Relaxed);
        PeerCounts {
            frames: LaneCounts {
                sent: self.frames_out.get(),
                received: self.frames_in.get(),
                dropped: self.dropped.get(),
            },
            connected: self.connected.get(),
            up: queued.is_some(),
            queued: queued.unwrap_or(0),
            round_trip_us: (round_trip_us > 0).then_some(round_trip_us),
        }
    }

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
