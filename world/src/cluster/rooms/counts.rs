//! `[process]` What is counted of rooms across nodes.

use crate::ops::metrics::ClusterFigure;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Letters to rooms of other nodes.
    LettersOut,
    /// Letters from sessions of other nodes.
    LettersIn,
    /// Events sent: one for each event and node.
    EventsOut,
    /// Events that came from other nodes.
    EventsIn,
    /// Sessions that were told of those.
    FanOut,
    /// Frames of an epoch that is over.
    Stale,
    /// Letters sent back to their gateway.
    Bounced,
    /// Letters that waited for a zone.
    Held,
    /// Letters that waited too long, or for which there was no room.
    Refused,
    /// Events dropped because a wire was full or gone.
    EventsDropped,
    /// Messages that could not be read.
    Unreadable,
    /// Times that players here entered a zone anew.
    Returns,
}

const ALL: usize = Count::Returns as usize + 1;

/// The counts of a node, since its start.
#[derive(Debug, Default)]
pub struct Counts([AtomicU64; ALL]);

impl Counts {
    /// Counts some more.
    pub fn add(&self, what: Count, many: usize) {
        if let Some(count) = self.0.get(what as usize) {
            count.fetch_add(u64::try_from(many).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
    }

    /// How many there were.
    pub fn get(&self, what: Count) -> u64 {
        self.0
            .get(what as usize)
            .map_or(0, |count| count.load(Ordering::Relaxed))
    }

    /// The counts as figures of the node.
    pub fn figures(&self) -> Vec<(ClusterFigure, u64)> {
        let each = FIGURES.iter();
        each.map(|(figure, count)| (*figure, self.get(*count)))
            .collect()
    }
}

const FIGURES: &[(ClusterFigure, Count)] = &[
    (ClusterFigure::RoomLettersOut, Count::LettersOut),
    (ClusterFigure::RoomLettersIn, Count::LettersIn),
    (ClusterFigure::RoomEventsOut, Count::EventsOut),
    (ClusterFigure::RoomEventsIn, Count::EventsIn),
    (ClusterFigure::RoomFanOut, Count::FanOut),
    (ClusterFigure::RoomEventsDropped, Count::EventsDropped),
    (ClusterFigure::RoomHeld, Count::Held),
    (ClusterFigure::RoomRefused, Count::Refused),
    (ClusterFigure::RoomBounced, Count::Bounced),
    (ClusterFigure::RoomStale, Count::Stale),
    (ClusterFigure::RoomReturns, Count::Returns),
];
