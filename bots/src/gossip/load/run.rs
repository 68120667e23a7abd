//! `[edge]` What all games of one load share: options, counts, the clock and the measuring window.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use tokio::time::Instant;

use super::super::credentials::Credentials;
use super::super::token::Tag;
use super::super::wire::Wire;
use super::options::LoadOptions;
use crate::measure::{Causes, Times};

/// What all games of a load share.
#[derive(Debug)]
pub(super) struct Run {
    /// The checked options.
    pub(super) options: LoadOptions,
    /// Of each game.
    pub(super) credentials: Vec<Credentials>,
    /// Each game's connection.
    pub(super) places: Vec<Place>,
    /// Marks the messages of this run.
    pub(super) tag: Tag,
    /// Counts.
    pub(super) tally: Tally,
    started: Instant,
    window_from_us: AtomicU64,
    window_to_us: AtomicU64,
}

/// A game's connection, and what it sent.
#[derive(Debug, Default)]
pub(super) struct Place {
    /// Set when the game is in.
    pub(super) wire: OnceLock<Arc<Wire>>,
    /// Whether the connection was lost again.
    pub(super) is_lost: AtomicBool,
    /// Messages written.
    pub(super) sent: AtomicU32,
}

/// All counts of a load.
#[derive(Debug)]
pub(super) struct Tally {
    /// Games that are in.
    pub(super) online: AtomicUsize,
    /// Games that got in.
    pub(super) entered: AtomicUsize,
    /// Games that gave up getting in.
    pub(super) given_up: AtomicUsize,
    /// Microseconds of the run at which the last game got in.
    pub(super) last_entry_us: AtomicU64,
    /// Messages that the hub took.
    pub(super) acked: AtomicU64,
    /// Messages that came, each counted once a game.
    pub(super) delivered: AtomicU64,
    /// Messages that came again.
    pub(super) doubled: AtomicU64,
    /// Messages that came after a newer one of their sender.
    pub(super) out_of_order: AtomicU64,
    /// Marked messages of other runs.
    pub(super) foreign: AtomicU64,
    /// Bytes from the hub.
    pub(super) bytes_in: AtomicU64,
    /// From writing to hearing, of messages of the window.
    pub(super) latency: Times,
    /// From the first connect to the welcome.
    pub(super) login: Times,
    /// Games that never got in, by the last cause.
    pub(super) login_failed: Causes,
    /// Attempts that were repeated.
    pub(super) retried: Causes,
    /// Games that lost their connection.
    pub(super) dropped: Causes,
    /// Requests that the hub refused.
    pub(super) refused: Causes,
}

impl Tally {
    fn new() -> Self {
        Self {
            online: AtomicUsize::new(0),
            entered: AtomicUsize::new(0),
            given_up: AtomicUsize::new(0),
            last_entry_us: AtomicU64::new(0),
            acked: AtomicU64::new(0),
            delivered: AtomicU64::new(0),
            doubled: AtomicU64::new(0),
            out_of_order: AtomicU64::new(0),
            foreign: AtomicU64::new(0),
            bytes_in: AtomicU64::new(0),
            latency: Times::new(),
            login: Times::new(),
            login_failed: Causes::default(),
            retried: Causes::default(),
            dropped: Causes::default(),
            refused: Causes::default(),
        }
    }
}

impl Run {
    /// A run that begins at `started`; `tag_bits` tell its messages from those of other runs.
    pub(super) fn new(
        options: LoadOptions,
        credentials: Vec<Credentials>,
        started: Instant,
        tag_bits: u64,
    ) -> Self {
        let mut places = Vec::new();
        places.resize_with(options.games, Place::default);
        Self {
            options,
            credentials,
            places,
            tag: Tag::new(tag_bits),
            tally: Tally::new(),
            started,
            window_from_us: AtomicU64::new(u64::MAX),
            window_to_us: AtomicU64::new(u64::MAX),
        }
    }

    /// Microseconds since the run began.
    pub(super) fn now_us(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// Measures what is sent from here on.
    pub(super) fn open_window(&self) {
        self.window_from_us.store(self.now_us(), Relaxed);
    }

    /// Measures nothing that is sent later.
    pub(super) fn close_window(&self) {
        self.window_to_us.store(self.now_us(), Relaxed);
    }

    /// Whether what was sent then is measured.
    pub(super) fn in_window(&self, sent_us: u64) -> bool {
        let from = self.window_from_us.load(Relaxed);
        (from..self.window_to_us.load(Relaxed)).contains(&sent_us)
    }

    /// All messages written.
    pub(super) fn sent(&self) -> u64 {
        let sent = |place: &Place| u64::from(place.sent.load(Relaxed));
        self.places.iter().map(sent).sum()
    }

    /// How often they are to be heard: by every game that got in but the sender's own.
    pub(super) fn expected(&self) -> u64 {
        let sent = self.sent();
        let in_places = self
            .places
            .iter()
            .filter(|place| place.wire.get().is_some());
        in_places
            .map(|place| sent - u64::from(place.sent.load(Relaxed)))
            .sum()
    }
}
