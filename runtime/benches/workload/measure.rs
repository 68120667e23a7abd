//! What is measured, and with what: shared by the bench and by the comparison with peers.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

/// Children of the spawn, stop and memory workloads.
pub const CHILDREN: usize = 100_000;
/// Calls of one pair.
pub const CALLS: usize = 300_000;
/// Pairs that call at once, and calls of each.
pub const PAIRS: usize = 1_000;
pub const CALLS_OF_PAIR: usize = 1_000;
/// Senders to one receiver, messages of each, and the receiver's bound.
pub const SENDERS: usize = 100;
pub const MESSAGES_OF_SENDER: usize = 50_000;
pub const BOUND: usize = 1_024;
/// Receivers of one sender, and messages to each.
pub const RECEIVERS: usize = 1_000;
pub const MESSAGES_TO_RECEIVER: usize = 2_000;
/// Crashes of one child, one after the other.
pub const CRASHES: usize = 20_000;
/// Registered names, and look-ups of each of two tasks that begin at different ones.
pub const NAMES: usize = 10_000;
pub const LOOKUPS: usize = 2_000_000;

/// One system's figures; rates are a second.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    pub spawn: f64,
    pub stop: f64,
    /// Bytes an idle supervised process holds, as asked of the allocator.
    pub idle_bytes: f64,
    /// The same by what the operating system sees.
    pub idle_rss: f64,
    pub call_pair: f64,
    pub call_pairs: f64,
    pub fan_in: f64,
    pub fan_out: f64,
    pub restarts: f64,
    pub restart_p50_us: f64,
    pub restart_p99_us: f64,
    pub lookups: f64,
}

impl Figures {
    /// Name, value, and whether more is better.
    pub fn rows(&self) -> [(&'static str, f64, bool); 12] {
        [
            ("spawn 100k, /s", self.spawn, true),
            ("stop 100k, /s", self.stop, true),
            ("idle process, allocated bytes", self.idle_bytes, false),
            ("idle process, resident bytes", self.idle_rss, false),
            ("call, 1 pair, /s", self.call_pair, true),
            ("call, 1,000 pairs, /s", self.call_pairs, true),
            ("fan-in, messages/s", self.fan_in, true),
            ("fan-out, messages/s", self.fan_out, true),
            ("restarts, /s", self.restarts, true),
            ("restart p50, us", self.restart_p50_us, false),
            ("restart p99, us", self.restart_p99_us, false),
            ("look-ups, /s", self.lookups, true),
        ]
    }

    pub fn set_restarts(&mut self, mut took: Vec<Duration>) {
        let total: Duration = took.iter().sum();
        took.sort_unstable();
        let at = |share: f64| {
            let index = (took.len() as f64 * share) as usize;
            took.get(index).copied().unwrap_or_default().as_secs_f64() * 1e6
        };
        self.restarts = took.len() as f64 / total.as_secs_f64();
        self.restart_p50_us = at(0.5);
        self.restart_p99_us = at(0.99);
    }
}

/// The median of each figure over several runs.
pub fn median(runs: &[Figures]) -> [(&'static str, f64, bool); 12] {
    let mut rows = runs.first().copied().unwrap_or_default().rows();
    for (index, row) in rows.iter_mut().enumerate() {
        let mut values: Vec<f64> = runs
            .iter()
            .filter_map(|run| run.rows().get(index).map(|row| row.1))
            .collect();
        values.sort_unstable_by(f64::total_cmp);
        row.1 = values.get(values.len() / 2).copied().unwrap_or_default();
    }
    rows
}

pub fn rate(count: usize, took: Duration) -> f64 {
    count as f64 / took.as_secs_f64()
}

/// Tells when all of a number have come.
#[derive(Clone)]
pub struct Gate(Arc<(AtomicUsize, Notify)>);

impl Gate {
    pub fn new(count: usize) -> Self {
        Self(Arc::new((AtomicUsize::new(count), Notify::new())))
    }

    pub fn come(&self) {
        if self.0.0.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.1.notify_one();
        }
    }

    pub async fn wait(&self) {
        while self.0.0.load(Ordering::Acquire) > 0 {
            self.0.1.notified().await;
        }
    }
}

/// Counts the bytes that are allocated now.
pub struct Counting;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is passed on to the system's allocator unchanged.
#[expect(
    unsafe_code,
    reason = "the only way to count; it adds nothing but a counter"
)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Bytes allocated now.
pub fn allocated() -> usize {
    ALLOCATED.load(Ordering::Relaxed)
}

/// Bytes resident now; 0 where the system does not say.
pub fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse::<usize>().ok());
    pages.unwrap_or(0) * 4_096
}
