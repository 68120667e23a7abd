//! `[edge]` What all bots of one run share: options, counts, the clock and the measuring window.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use tokio::time::Instant;

use super::options::Options;
use super::play::Tag;
use super::tally::{SayTimes, Tally};
use crate::limits::LISTENERS_MAX;

/// What all bots of a run share.
#[derive(Debug)]
pub(crate) struct Run {
    /// The checked options.
    pub(crate) options: Options,
    /// Counts.
    pub(crate) tally: Tally,
    /// Whether bots still type; off when the window is over.
    pub(crate) typing: AtomicBool,
    started: Instant,
    /// Marks the says of this run.
    pub(crate) tag: Tag,
    /// When they were typed.
    pub(crate) says: SayTimes,
    window_from_us: AtomicU64,
    window_to_us: AtomicU64,
}

impl Run {
    /// A run that begins at `started`; `tag_bits` tell its says from those of other runs.
    pub(crate) fn new(options: Options, started: Instant, tag_bits: u64) -> Self {
        Self {
            tally: Tally::new(),
            typing: AtomicBool::new(true),
            started,
            tag: Tag::new(tag_bits),
            says: SayTimes::new(options.first, options.count),
            window_from_us: AtomicU64::new(u64::MAX),
            window_to_us: AtomicU64::new(u64::MAX),
            options,
        }
    }

    /// Microseconds since the run began.
    pub(crate) fn now_us(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// Measures what is typed from here on.
    pub(crate) fn open_window(&self) {
        self.window_from_us.store(self.now_us(), Relaxed);
    }

    /// Measures nothing that is typed later, and stops the typing.
    pub(crate) fn close_window(&self) {
        self.window_to_us.store(self.now_us(), Relaxed);
        self.typing.store(false, Relaxed);
    }

    /// Whether what was typed then is measured.
    pub(crate) fn in_window(&self, typed_us: u64) -> bool {
        let from = self.window_from_us.load(Relaxed);
        (from..self.window_to_us.load(Relaxed)).contains(&typed_us)
    }

    /// One in so many bots listens to others.
    pub(crate) fn listens(&self, number: u32) -> bool {
        number.is_multiple_of(self.options.count.div_ceil(LISTENERS_MAX).max(1))
    }
}
