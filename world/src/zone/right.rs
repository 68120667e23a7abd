//! `[process]` The right of a zone to act on this node, and the sign that it does.

use belay_cluster::Fence;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

/// Shared by all rooms and mobs of a zone in one epoch, and by the node that runs it.
pub struct Right {
    fence: Fence,
    /// Nothing may be done until this is off again.
    suspended: AtomicBool,
    start: Instant,
    /// When a room last showed that it works, in milliseconds since the start.
    beat_ms: AtomicU64,
    /// Messages that rooms have handled.
    handled: AtomicU64,
    weight: AtomicU32,
}

impl fmt::Debug for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Right")
            .field("fence", &self.fence)
            .finish_non_exhaustive()
    }
}

impl Right {
    /// The right that this fence gives, from now on.
    pub fn new(fence: Fence, now: Instant) -> Self {
        Self {
            fence,
            suspended: AtomicBool::new(false),
            start: now,
            beat_ms: AtomicU64::new(0),
            handled: AtomicU64::new(0),
            weight: AtomicU32::new(0),
        }
    }

    /// The fence.
    pub fn fence(&self) -> &Fence {
        &self.fence
    }

    /// Whether the zone may act.
    pub fn may_act(&self, now: Instant) -> bool {
        !self.suspended.load(Ordering::Acquire) && self.fence.may_act(now)
    }

    /// The zone holds still, or may go on.
    pub fn suspend(&self, on: bool) {
        self.suspended.store(on, Ordering::Release);
    }

    /// A room has handled a message.
    pub fn handled(&self) {
        self.handled.fetch_add(1, Ordering::Relaxed);
    }

    /// How many messages rooms have handled since they were asked last.
    pub fn take_handled(&self) -> u64 {
        self.handled.swap(0, Ordering::Relaxed)
    }

    /// A room shows that it works.
    pub fn beat(&self, now: Instant) {
        let ms = now.saturating_duration_since(self.start).as_millis();
        let ms = u64::try_from(ms).unwrap_or(u64::MAX);
        self.beat_ms.fetch_max(ms, Ordering::Relaxed);
    }

    /// Milliseconds since a room showed that it works.
    pub fn beaten_ms_ago(&self, now: Instant) -> u32 {
        let ms = now.saturating_duration_since(self.start).as_millis();
        let ms = u64::try_from(ms).unwrap_or(u64::MAX);
        let ago = ms.saturating_sub(self.beat_ms.load(Ordering::Relaxed));
        u32::try_from(ago).unwrap_or(u32::MAX)
    }

    /// What the zone weighs just now.
    pub fn set_weight(&self, weight: u32) {
        self.weight.store(weight, Ordering::Relaxed);
    }

    /// What the zone weighed last.
    pub fn weight(&self) -> u32 {
        self.weight.load(Ordering::Relaxed)
    }
}
