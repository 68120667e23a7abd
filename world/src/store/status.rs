//! `[process]` What the store shows of itself to metrics and health.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// The store's figures at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreStatus {
    /// Whether the database fails at present, so that writes park.
    pub failing: bool,
    /// Writes parked.
    pub parked: usize,
    /// Groups committed since the start.
    pub groups: u64,
    /// Writes committed since the start.
    pub writes: u64,
    /// Groups that had to be tried again, counted each time.
    pub setbacks: u64,
    /// Requests refused because a queue or the park was full.
    pub refused: u64,
    /// Writes waiting for the writer.
    pub writer_queue: usize,
    /// The most writes that ever waited for the writer.
    pub writer_queue_high_water: usize,
}

/// The figures, shared between the port and the processes.
#[derive(Debug, Default)]
pub(super) struct Figures {
    pub(super) failing: AtomicBool,
    pub(super) parked: AtomicUsize,
    pub(super) groups: AtomicU64,
    pub(super) writes: AtomicU64,
    pub(super) setbacks: AtomicU64,
    pub(super) refused: AtomicU64,
}

impl Figures {
    pub(super) fn count(figure: &AtomicU64, more: usize) {
        figure.fetch_add(u64::try_from(more).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    pub(super) fn status(&self, queue: usize, high_water: usize) -> StoreStatus {
        StoreStatus {
            failing: self.failing.load(Ordering::Relaxed),
            parked: self.parked.load(Ordering::Relaxed),
            groups: self.groups.load(Ordering::Relaxed),
            writes: self.writes.load(Ordering::Relaxed),
            setbacks: self.setbacks.load(Ordering::Relaxed),
            refused: self.refused.load(Ordering::Relaxed),
            writer_queue: queue,
            writer_queue_high_water: high_water,
        }
    }
}
