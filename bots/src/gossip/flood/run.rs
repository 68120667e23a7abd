//! `[edge]` Listens, and gives each connection a task.

use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::super::token::Tag;
use super::options::FloodOptions;
use super::report::FloodReport;
use super::visit::visit;
use crate::limits::FLOODED_MAX;
use crate::measure::{Causes, Times};
use crate::values::as_number;

/// Why a flood could not begin.
#[derive(Debug, thiserror::Error)]
pub enum FloodError {
    /// The address is taken, or not ours (refused).
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's answer.
        #[source]
        source: io::Error,
    },
}

/// What all connections share.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) options: FloodOptions,
    pub(super) tag: Tag,
    pub(super) started: Instant,
    pub(super) connected: AtomicU64,
    pub(super) welcomed: AtomicU64,
    pub(super) flooded: AtomicU64,
    pub(super) written: AtomicU64,
    pub(super) left_out: AtomicU64,
    /// Microseconds of flooding, of all connections together.
    pub(super) flooded_us: AtomicU64,
    pub(super) beats_answered: AtomicU64,
    pub(super) heard: AtomicU64,
    pub(super) ended: Causes,
    pub(super) held: Times,
}

/// Floods until the end of its duration or until `stop`; `listening` is told the address.
///
/// # Errors
/// When the address cannot be had.
///
/// # Cancel safety
/// Dropping the future ends all connections at once and gives no report.
pub async fn run_flood(
    options: FloodOptions,
    stop: impl Future<Output = ()>,
    listening: impl FnOnce(SocketAddr),
) -> Result<FloodReport, FloodError> {
    let address = options.listen;
    let failed = |source| FloodError::Listen { address, source };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    listening(listener.local_addr().map_err(failed)?);
    let run = Arc::new(Run::new(options));
    let mut visits = JoinSet::new();
    let accept = async {
        loop {
            if visits.len() >= FLOODED_MAX {
                drop(visits.join_next().await);
            }
            match listener.accept().await {
                Ok((stream, _)) => drop(visits.spawn(visit(run.clone(), stream))),
                // Out of descriptors, most likely: someone must go first.
                Err(_) => sleep(Duration::from_millis(100)).await,
            }
        }
    };
    tokio::select! {
        () = accept => {}
        () = stop => {}
        () = sleep(run.options.duration) => {}
    }
    visits.shutdown().await;
    Ok(run.report())
}

impl Run {
    fn new(options: FloodOptions) -> Self {
        Self {
            options,
            tag: Tag::new(RandomState::new().hash_one(0)),
            started: Instant::now(),
            connected: AtomicU64::new(0),
            welcomed: AtomicU64::new(0),
            flooded: AtomicU64::new(0),
            written: AtomicU64::new(0),
            left_out: AtomicU64::new(0),
            flooded_us: AtomicU64::new(0),
            beats_answered: AtomicU64::new(0),
            heard: AtomicU64::new(0),
            ended: Causes::default(),
            held: Times::new(),
        }
    }

    fn report(&self) -> FloodReport {
        let written = self.written.load(Relaxed);
        let flooded_s = as_number(self.flooded_us.load(Relaxed).max(1)) / 1_000_000.0;
        FloodReport {
            connected: self.connected.load(Relaxed),
            welcomed: self.welcomed.load(Relaxed),
            flooded: self.flooded.load(Relaxed),
            written,
            left_out: self.left_out.load(Relaxed),
            written_per_s: as_number(written) / flooded_s,
            ended: self.ended.all(),
            held_ms: self.held.percentiles(),
            beats_answered: self.beats_answered.load(Relaxed),
            heard: self.heard.load(Relaxed),
            ran_s: self.started.elapsed().as_secs_f64(),
        }
    }
}
