//! Memory by what was asked of the allocator, and by what the operating system sees.

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Counts the bytes that are allocated, once [`count`] was called; until then it only passes on.
#[derive(Debug)]
pub struct Counting<A>(pub A);

static COUNTS: AtomicBool = AtomicBool::new(false);
static ALLOCATED: AtomicUsize = AtomicUsize::new(0);

fn add(bytes: usize) {
    if COUNTS.load(Ordering::Relaxed) {
        ALLOCATED.fetch_add(bytes, Ordering::Relaxed);
    }
}

fn subtract(bytes: usize) {
    if COUNTS.load(Ordering::Relaxed) {
        ALLOCATED.fetch_sub(bytes, Ordering::Relaxed);
    }
}

// SAFETY: everything is passed on to the inner allocator unchanged.
#[expect(
    unsafe_code,
    reason = "the only way to count; it adds nothing but a counter"
)]
unsafe impl<A: GlobalAlloc> GlobalAlloc for Counting<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { self.0.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { self.0.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        subtract(layout.size());
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { self.0.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add(size);
        subtract(layout.size());
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { self.0.realloc(pointer, layout, size) }
    }
}

/// Memory at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    allocated: usize,
    resident: usize,
}

impl Held {
    /// Counts from now on. Before threads run that could allocate in between.
    pub fn count() {
        COUNTS.store(true, Ordering::Relaxed);
    }

    pub fn now() -> Self {
        Self {
            allocated: ALLOCATED.load(Ordering::Relaxed),
            resident: status("VmRSS:"),
        }
    }

    /// Bytes allocated and bytes resident since then, a share of each.
    pub fn since(self, shares: usize) -> (f64, f64) {
        let now = Self::now();
        // A counter that was started late may be below zero; differences hold all the same.
        let allocated = now.allocated.wrapping_sub(self.allocated) as isize;
        let resident = now.resident.saturating_sub(self.resident);
        (
            allocated as f64 / shares as f64,
            resident as f64 / shares as f64,
        )
    }
}

/// The most bytes that this process ever had resident.
pub fn peak() -> f64 {
    status("VmHWM:") as f64
}

/// A size of `/proc/self/status`; 0 where the system does not say.
fn status(key: &str) -> usize {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(key));
    let kilobytes = line.and_then(|rest| rest.trim().split(' ').next()?.parse::<usize>().ok());
    kilobytes.unwrap_or(0) * 1_024
}
