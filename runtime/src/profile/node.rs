//! `[process]` One path of spans on one thread: its counters, and the way to the paths below.
//!
//! Only the thread of a lane changes the counters of its nodes, with plain loads and stores; any
//! thread may read them. Nodes are never freed: a lane that its thread has left is used again by
//! another thread, with the nodes that it has.
//!
//! The time of a node is one word, so that a reader always finds a time that was true: while the
//! span is closed it holds the ticks spent in it; while it is open, those minus the clock at its
//! entry. The second is always negative, because a thread cannot have spent more ticks in a span
//! than its clock has counted.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::lane::Lane;
use super::span::Span;
use super::tree::Counted;

/// Lists of the nodes below one; which of them a span is in depends on its address.
const LISTS: usize = 4;

/// The paths that do not get a node of their own where they were entered.
static OTHER: Span = Span::new("other");

/// Where a thread is that has no lane: nothing below it is recorded.
pub(super) static NOWHERE: Node = Node::new(&OTHER, None, Rank::Blind);

/// Two cache lines: what each entry and leave needs comes first.
#[repr(C, align(64))]
pub(super) struct Node {
    pub(super) span: &'static Span,
    /// `None` at the top of a lane.
    pub(super) parent: Option<&'static Self>,
    time: AtomicU64,
    count: AtomicU64,
    /// The next one in the list of its parent.
    next: OnceLock<&'static Self>,
    pub(super) rank: Rank,
    below: [OnceLock<&'static Self>; LISTS],
}

/// What may come below a node.
#[derive(Clone, Copy)]
pub(super) enum Rank {
    /// Nothing.
    Blind,
    /// Nodes of this lane, which are so many spans deep.
    Open { lane: &'static Lane, depth: u16 },
}

impl Node {
    pub(super) const fn new(
        span: &'static Span,
        parent: Option<&'static Self>,
        rank: Rank,
    ) -> Self {
        Self {
            span,
            parent,
            time: AtomicU64::new(0),
            count: AtomicU64::new(0),
            next: OnceLock::new(),
            rank,
            below: [const { OnceLock::new() }; LISTS],
        }
    }

    /// The node for `span` below this one; `None` when it is not recorded here.
    #[inline]
    pub(super) fn child(&'static self, span: &'static Span) -> Option<&'static Self> {
        let mut next = self.list(span);
        while let Some(node) = next.get() {
            if std::ptr::eq(node.span, span) {
                return Some(node);
            }
            next = &node.next;
        }
        self.grow(span)
    }

    /// Counted as left only, so that a count and a time belong together.
    #[inline]
    pub(super) fn open(&self, ticks: u64) {
        let time = self.time.load(Ordering::Relaxed).wrapping_sub(ticks);
        // Release: who sees an open span below sees this one open as well.
        self.time.store(time, Ordering::Release);
    }

    #[inline]
    pub(super) fn close(&self, ticks: u64) {
        let time = self.time.load(Ordering::Relaxed).wrapping_add(ticks);
        // A clock that went back would leave it open for a reader.
        let time = if is_open(time) { 0 } else { time };
        self.time.store(time, Ordering::Release);
        let count = self.count.load(Ordering::Relaxed);
        self.count.store(count.wrapping_add(1), Ordering::Relaxed);
    }

    /// What it counted until now; `now` is asked only while the span is open.
    pub(super) fn read(&self, now: impl FnOnce() -> u64) -> Counted {
        let count = self.count.load(Ordering::Relaxed);
        let time = self.time.load(Ordering::Acquire);
        let is_open = is_open(time);
        let ticks = if is_open {
            time.wrapping_add(now())
        } else {
            time
        };
        Counted {
            ticks: if self::is_open(ticks) { 0 } else { ticks },
            count,
            open: u32::from(is_open),
        }
    }

    /// Forgets what it counted. Only when its lane has no thread.
    pub(super) fn reset(&self) {
        self.time.store(0, Ordering::Relaxed);
        self.count.store(0, Ordering::Relaxed);
    }

    /// True for `self` and all above it.
    pub(super) fn is_within(&'static self, outer: &Self) -> bool {
        let mut node = Some(self);
        while let Some(inner) = node {
            if std::ptr::eq(inner, outer) {
                return true;
            }
            node = inner.parent;
        }
        false
    }

    /// The names from the outermost span to this one.
    pub(super) fn path(&self, path: &mut Vec<&'static str>) {
        path.clear();
        let mut node = self;
        while let Some(parent) = node.parent {
            path.push(node.span.name());
            node = parent;
        }
        path.reverse();
    }

    #[inline]
    fn list(&self, span: &'static Span) -> &OnceLock<&'static Self> {
        let [first, second, third, fourth] = &self.below;
        // Spans lie side by side, 16 bytes each.
        match std::ptr::from_ref(span).addr() >> 4 & 3 {
            0 => first,
            1 => second,
            2 => third,
            _ => fourth,
        }
    }

    /// Makes the node for a path that is new on this thread.
    #[cold]
    fn grow(&'static self, span: &'static Span) -> Option<&'static Self> {
        let Rank::Open { lane, depth } = self.rank else {
            return None;
        };
        if !std::ptr::eq(span, &OTHER) && !lane.has_room(depth) {
            return self.child(&OTHER);
        }
        let rank = if std::ptr::eq(span, &OTHER) {
            Rank::Blind
        } else {
            Rank::Open {
                lane,
                depth: depth + 1,
            }
        };
        let node = lane.keep(Self::new(span, Some(self), rank));
        let mut next = self.list(span);
        // Only the thread of the lane adds nodes, so that this ends at the end of the list.
        while next.set(node).is_err() {
            next = &next.get()?.next;
        }
        Some(node)
    }
}

fn is_open(time: u64) -> bool {
    time.cast_signed() < 0
}
