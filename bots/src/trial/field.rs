//! `[edge]` What all bots of a trial share: where the nodes are, whether they type, and what is
//! counted.
//!
//! A command counts where it was due: it keeps hold of the measures that were open then, and is
//! recorded in them when it is answered, however late.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use super::seen::CrowdSeen;
use crate::measure::{Causes, Times};
use crate::wander::{Pace, Tag};

/// What all bots share.
#[derive(Debug)]
pub(super) struct Field {
    /// Where each node's players connect.
    pub(super) places: Vec<SocketAddr>,
    /// How often they type.
    pub(super) pace: Pace,
    /// Marks what they say.
    pub(super) tag: Tag,
    /// Whether the crowd types.
    pub(super) typing: AtomicBool,
    /// How often all were sent home to their own node.
    pub(super) recall: watch::Sender<u32>,
    /// Bots in the world.
    pub(super) online: AtomicU32,
    /// Bots in the world that are not on their own node.
    pub(super) away: AtomicU32,
    /// Everything from the beginning.
    pub(super) ever: Measures,
    open: Mutex<Arc<Measures>>,
}

/// What is counted between two moments.
#[derive(Debug)]
pub(super) struct Measures {
    /// From when a command was due until it was answered.
    pub(super) latency: Times,
    /// From the loss of a connection until the bot was in the world again.
    pub(super) outage: Times,
    /// Commands that were due.
    pub(super) commands: AtomicU64,
    /// Commands that are not yet answered.
    pub(super) waiting: AtomicU64,
    /// Connections that were lost.
    pub(super) lost: AtomicU64,
    /// Bots that came back with their token.
    pub(super) by_token: AtomicU64,
    /// Bots that came back with name and password.
    pub(super) by_password: AtomicU64,
    /// Bots that came back as somebody else.
    pub(super) strangers: AtomicU64,
    /// How connections were lost.
    pub(super) how: Causes,
    /// Attempts to come back that failed.
    pub(super) failed: Causes,
    /// Commands that were refused, and typed again when that was not their fault.
    pub(super) refused: Causes,
}

impl Field {
    /// Nobody is there yet, and nobody types.
    pub(super) fn new(places: Vec<SocketAddr>, pace: Pace, tag_bits: u64) -> Self {
        Self {
            places,
            pace,
            tag: Tag::new(tag_bits),
            typing: AtomicBool::new(false),
            recall: watch::Sender::new(0),
            online: AtomicU32::new(0),
            away: AtomicU32::new(0),
            ever: Measures::new(),
            open: Mutex::new(Arc::new(Measures::new())),
        }
    }

    /// The measures that are open.
    pub(super) fn measures(&self) -> Arc<Measures> {
        let open = self.open.lock();
        open.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Opens new measures, and gives them.
    pub(super) fn open(&self) -> Arc<Measures> {
        let fresh = Arc::new(Measures::new());
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        *open = fresh.clone();
        fresh
    }

    /// Counts something, in the open measures and from the beginning.
    pub(super) fn count(&self, count: impl Fn(&Measures)) {
        count(&self.ever);
        count(&self.measures());
    }
}

impl Measures {
    fn new() -> Self {
        Self {
            latency: Times::new(),
            outage: Times::new(),
            commands: AtomicU64::new(0),
            waiting: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            by_token: AtomicU64::new(0),
            by_password: AtomicU64::new(0),
            strangers: AtomicU64::new(0),
            how: Causes::default(),
            failed: Causes::default(),
            refused: Causes::default(),
        }
    }

    /// What was seen, when so many are not back.
    pub(super) fn seen(&self, not_back: u64) -> CrowdSeen {
        CrowdSeen {
            commands: self.commands.load(Relaxed),
            unanswered: self.waiting.load(Relaxed),
            latency_ms: self.latency.percentiles(),
            lost: self.lost.load(Relaxed),
            by_token: self.by_token.load(Relaxed),
            by_password: self.by_password.load(Relaxed),
            strangers: self.strangers.load(Relaxed),
            not_back,
            outage_ms: self.outage.percentiles(),
            how: self.how.all(),
            failed: self.failed.all(),
            refused: self.refused.all(),
        }
    }
}

/// One more.
pub(super) fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Relaxed);
}
