//! `[edge]` What all connections of this process have carried, for the metrics.

use std::sync::atomic::{AtomicU64, Ordering};

/// A number that only grows (or, for a gauge, goes up and down).
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// The present value.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self, count: usize) {
        self.0.fetch_add(count as u64, Ordering::Relaxed);
    }

    pub(crate) fn subtract(&self, count: usize) {
        self.0.fetch_sub(count as u64, Ordering::Relaxed);
    }
}

/// What a text is, as far as its way to the socket goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// Owed to this player alone.
    Own,
    /// What others do, one by one.
    Notice,
    /// What a crowd does, once a tick.
    Tick,
}

/// Texts of one kind.
#[derive(Debug)]
pub struct Texts {
    /// How many.
    pub count: Counter,
    /// Their bytes before framing.
    pub bytes: Counter,
}

/// The counters of all connections.
#[derive(Debug)]
pub struct ConnectionStats {
    /// Open sockets, telnet and HTTP together: a gauge.
    pub open: Counter,
    /// Sockets that were let in.
    pub accepted: Counter,
    /// Refused because their address has too many.
    pub refused_address: Counter,
    /// Refused because the node is full or stops.
    pub refused_busy: Counter,
    /// Accepts that failed, most often for lack of descriptors.
    pub accept_failed: Counter,
    /// Bytes taken from sockets.
    pub bytes_in: Counter,
    /// Bytes given to sockets.
    pub bytes_out: Counter,
    /// Reads that brought something.
    pub reads: Counter,
    /// Writes that took something.
    pub writes: Counter,
    /// Lines that were passed on.
    pub lines_in: Counter,
    /// Texts owed to one player.
    pub own: Texts,
    /// Texts about others.
    pub notices: Texts,
    /// Texts about crowds.
    pub ticks: Texts,
    /// Ambient texts that a slow reader did not get.
    pub ambient_dropped: Counter,
    /// Connections cut because they did not read.
    pub cut_backlog: Counter,
    /// Connections closed for breaking the protocol.
    pub cut_protocol: Counter,
}

impl Texts {
    const fn new() -> Self {
        Self {
            count: Counter::new(),
            bytes: Counter::new(),
        }
    }
}

impl ConnectionStats {
    pub(crate) fn note_text(&self, kind: MessageKind, bytes: usize) {
        let texts = match kind {
            MessageKind::Own => &self.own,
            MessageKind::Notice => &self.notices,
            MessageKind::Tick => &self.ticks,
        };
        texts.count.add(1);
        texts.bytes.add(bytes);
    }
}

static STATS: ConnectionStats = ConnectionStats {
    open: Counter::new(),
    accepted: Counter::new(),
    refused_address: Counter::new(),
    refused_busy: Counter::new(),
    accept_failed: Counter::new(),
    bytes_in: Counter::new(),
    bytes_out: Counter::new(),
    reads: Counter::new(),
    writes: Counter::new(),
    lines_in: Counter::new(),
    own: Texts::new(),
    notices: Texts::new(),
    ticks: Texts::new(),
    ambient_dropped: Counter::new(),
    cut_backlog: Counter::new(),
    cut_protocol: Counter::new(),
};

/// The counters of this process.
pub fn stats() -> &'static ConnectionStats {
    &STATS
}
