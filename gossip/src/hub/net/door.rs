//! `[edge]` What every connection of a listener shares.

use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use std::time::Duration;

use belay_runtime::{Address, DynamicSupervisor};
use hyper::body::Bytes;
use tokio::time::Instant;

use super::page::page;
use super::seats::{SeatLimits, Seats};
use super::tls::Tls;
use crate::hub::clock::unix_ms;
use crate::hub::core::SocketId;
use crate::hub::desk::{DeskMessage, Notices};
use crate::limits::{PAGE_AGE_MAX, PAGE_WAIT};

/// The way in.
pub struct Door {
    pub(super) desk: Address<DeskMessage>,
    pub(super) notices: Arc<Notices>,
    pub(super) sockets: DynamicSupervisor,
    pub(super) seats: Arc<Seats>,
    pub(super) tls: Option<Arc<Tls>>,
    pub(super) idle: Duration,
    pub(super) figures: Arc<NetFigures>,
    next_socket: AtomicU64,
    seen: Mutex<Seen>,
}

/// How connections are let in.
#[derive(Debug)]
pub struct DoorOptions {
    /// How many.
    pub seats: SeatLimits,
    /// The certificate; without one connections are plain.
    pub tls: Option<Arc<Tls>>,
    /// How long a WebSocket may be silent.
    pub idle: Duration,
}

/// What the page showed last.
#[derive(Debug)]
struct Seen {
    page: Bytes,
    at: Option<Instant>,
}

/// What the edge counts.
#[derive(Debug, Default)]
pub struct NetFigures {
    /// Connections that were accepted.
    pub accepted: AtomicU64,
    /// Times that the public page was made.
    pub pages: AtomicU64,
    /// Connections refused because their address is banned.
    pub banned: AtomicU64,
    /// Connections refused because there are too many, in all or of their address.
    pub refused: AtomicU64,
    /// Accepts that failed.
    pub accept_failed: AtomicU64,
    /// TLS handshakes that failed.
    pub tls_failed: AtomicU64,
    /// WebSockets that opened.
    pub opened: AtomicU64,
    /// WebSockets closed after a frame too large.
    pub too_large: AtomicU64,
    /// WebSockets closed because nothing came for too long.
    pub idle: AtomicU64,
    /// WebSockets cut because a write took too long.
    pub stalled: AtomicU64,
    /// Writes to sockets.
    pub writes: AtomicU64,
    /// Frames written.
    pub frames: AtomicU64,
}

/// One more.
pub(super) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl Door {
    /// A way in to `desk`, whose sockets live under `sockets`.
    #[must_use]
    pub fn new(
        (desk, notices): (Address<DeskMessage>, Arc<Notices>),
        sockets: DynamicSupervisor,
        options: DoorOptions,
    ) -> Arc<Self> {
        let seen = Seen {
            page: page(&notices.directory(), &[]).into(),
            at: None,
        };
        Arc::new(Self {
            desk,
            notices,
            sockets,
            seats: Seats::new(options.seats),
            tls: options.tls,
            idle: options.idle,
            figures: Arc::default(),
            next_socket: AtomicU64::new(1),
            seen: Mutex::new(seen),
        })
    }

    /// What was counted.
    #[must_use]
    pub fn figures(&self) -> Arc<NetFigures> {
        Arc::clone(&self.figures)
    }

    /// Connections that are open now.
    #[must_use]
    pub fn open(&self) -> usize {
        self.seats.open()
    }

    /// Messages that wait for the core, and the most that ever did.
    #[must_use]
    pub fn waiting(&self) -> (usize, usize) {
        (self.desk.len(), self.desk.high_water())
    }

    pub(super) fn is_banned(&self, address: IpAddr) -> bool {
        self.notices.directory().is_refused(address, unix_ms())
    }

    /// The public page, at most [`PAGE_AGE_MAX`] old unless the core is busy. It is made once for
    /// all who look at it meanwhile.
    pub(super) async fn page(&self) -> Bytes {
        let now = Instant::now();
        let asks = {
            let mut seen = self.seen();
            let is_old = |at| now.duration_since(at) >= PAGE_AGE_MAX;
            let asks = seen.at.is_none_or(is_old);
            if asks {
                seen.at = Some(now);
            }
            asks
        };
        if asks && let Ok(online) = self.desk.call(PAGE_WAIT, DeskMessage::Look).await {
            count(&self.figures.pages);
            let made = page(&self.notices.directory(), &online);
            self.seen().page = made.into();
        }
        self.seen().page.clone()
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number for a socket, never used before.
    pub(super) fn next_socket(&self) -> SocketId {
        SocketId(self.next_socket.fetch_add(1, Ordering::Relaxed))
    }
}

impl std::fmt::Debug for Door {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Door").finish_non_exhaustive()
    }
}
