//! `[process]` Counters of the whole program, for metrics.

use std::sync::atomic::{AtomicU64, Ordering};

static PROCESSES: AtomicU64 = AtomicU64::new(0);
static RESTARTS: AtomicU64 = AtomicU64::new(0);
static CRASHES: AtomicU64 = AtomicU64::new(0);
static SLOW_HANDLERS: AtomicU64 = AtomicU64::new(0);

/// What [`stats`] counts, over all nodes of this program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Processes that are now.
    pub processes: u64,
    /// Restarts since the program began.
    pub restarts_total: u64,
    /// Crashes since the program began.
    pub crashes_total: u64,
    /// Blocks of worker threads that [watchdogs](crate::Watchdog) saw since the program began.
    pub slow_handlers_total: u64,
}

/// The counters as they are now.
pub fn stats() -> Stats {
    Stats {
        processes: PROCESSES.load(Ordering::Relaxed),
        restarts_total: RESTARTS.load(Ordering::Relaxed),
        crashes_total: CRASHES.load(Ordering::Relaxed),
        slow_handlers_total: SLOW_HANDLERS.load(Ordering::Relaxed),
    }
}

pub(crate) fn process_started() {
    PROCESSES.fetch_add(1, Ordering::Relaxed);
}

pub(crate) fn process_ended() {
    PROCESSES.fetch_sub(1, Ordering::Relaxed);
}

pub(crate) fn restarted() {
    RESTARTS.fetch_add(1, Ordering::Relaxed);
}

pub(crate) fn crashed() {
    CRASHES.fetch_add(1, Ordering::Relaxed);
}

pub(crate) fn slow_handler() {
    SLOW_HANDLERS.fetch_add(1, Ordering::Relaxed);
}
