//! `[edge]` Kills the hub in time, while the talker talks and the listener listens.
//!
//! ```text
//! start the hub → listener in → talker in → first message heard → (kill → away → start)* → end
//! ```

use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::super::credentials::{Credentials, CredentialsError};
use super::super::token::Tag;
use super::hub::Hub;
use super::ledger::Ledger;
use super::options::ChopOptions;
use super::report::ChopReport;
use super::{listener, talker};
use crate::bot::{Bot, BotError};
use crate::limits::DRIVER_TICK;
use crate::measure::{Causes, Times};

/// Why a hub could not be chopped.
#[derive(Debug, thiserror::Error)]
pub enum ChopError {
    /// The talker's credentials cannot be had (refused).
    #[error(transparent)]
    Credentials(#[from] CredentialsError),
    /// The hub cannot be started or killed (refused).
    #[error("cannot start or kill the hub")]
    Hub(#[source] io::Error),
    /// The listener is not in (refused).
    #[error("the listener is not in: {0}")]
    Listener(BotError),
    /// Nothing was heard on the node before anything was killed (refused).
    #[error("nothing was heard on the node within {waited:?}; the talker: {talker}")]
    Silence {
        /// How long was waited.
        waited: Duration,
        /// What became of the talker.
        talker: String,
    },
}

/// What talker, listener and driver share.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) options: ChopOptions,
    pub(super) tag: Tag,
    started: Instant,
    ledger: Mutex<Ledger>,
    pub(super) latency: Times,
    pub(super) talker_lost: Causes,
    pub(super) refused: Causes,
    kills: AtomicU64,
    /// What the hub had ended with when it was to be killed.
    hub_ended: Causes,
}

impl Run {
    /// Microseconds since the run began.
    pub(super) fn now_us(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// The account; each of its changes is whole.
    pub(super) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Kills and starts the hub for as long as the options say, or until `stop`.
///
/// # Errors
/// When it cannot begin: no credentials, no hub, no listener, or nothing heard at first.
///
/// # Cancel safety
/// Dropping the future kills the hub and gives no report.
pub async fn run_chop(
    options: ChopOptions,
    stop: impl Future<Output = ()>,
) -> Result<ChopReport, ChopError> {
    let credentials = Credentials::read(&options.credentials)?;
    let hub = Hub::start(&options).map_err(ChopError::Hub)?;
    let run = Run {
        options,
        tag: Tag::new(RandomState::new().hash_one(0)),
        started: Instant::now(),
        ledger: Mutex::default(),
        latency: Times::new(),
        talker_lost: Causes::default(),
        refused: Causes::default(),
        kills: AtomicU64::new(0),
        hub_ended: Causes::default(),
    };
    let bot = listener::join(&run).await.map_err(ChopError::Listener)?;
    let (mut lost, mut is_stopped) = (None, false);
    tokio::select! {
        done = chop(&run, hub) => done?,
        () = stop => is_stopped = true,
        // These two do not end.
        () = talker::talk(&run, &credentials) => {}
        () = listen(&run, bot, &mut lost) => {}
    }
    Ok(report(&run, lost, is_stopped))
}

/// Listens; when the connection ends, says so and waits for the end of the run.
async fn listen(run: &Run, bot: Bot, lost: &mut Option<String>) {
    let error = listener::listen(run, bot).await;
    *lost = Some(error.trouble.to_string());
    std::future::pending().await
}

/// Waits for the first message, then kills and starts the hub in time.
async fn chop(run: &Run, mut hub: Hub) -> Result<(), ChopError> {
    let options = &run.options;
    let heard = async {
        while !run.ledger().is_heard() {
            sleep(DRIVER_TICK).await;
        }
    };
    if timeout(options.patience, heard).await.is_err() {
        let causes = run.talker_lost.all();
        let causes = causes
            .iter()
            .map(|(cause, count)| format!("{cause} {count}"));
        let talker: Vec<_> = causes.collect();
        return Err(ChopError::Silence {
            waited: options.patience,
            talker: format!(
                "{} messages said; {}",
                run.ledger().sums().said,
                talker.join(", ")
            ),
        });
    }
    let end = Instant::now() + options.duration;
    let mut next = Instant::now() + options.every;
    while next < end {
        sleep_until(next).await;
        if let Some(status) = hub.kill().await.map_err(ChopError::Hub)? {
            run.hub_ended.count(&status);
        }
        run.kills.fetch_add(1, Relaxed);
        sleep_until(next + options.away).await;
        hub = Hub::start(options).map_err(ChopError::Hub)?;
        next += options.every;
    }
    // The last life is as long as the others.
    sleep_until(next).await;
    if let Some(status) = hub.kill().await.map_err(ChopError::Hub)? {
        run.hub_ended.count(&status);
    }
    Ok(())
}

fn report(run: &Run, lost: Option<String>, is_stopped: bool) -> ChopReport {
    let sums = run.ledger().sums();
    let back = Times::new();
    back.record_all(sums.back_us.iter().copied().map(Duration::from_micros));
    ChopReport {
        kills: run.kills.load(Relaxed),
        hub_ended: run.hub_ended.all(),
        sent: sums.said,
        acked: sums.acked,
        heard: sums.heard,
        doubled: sums.doubled,
        out_of_order: sums.out_of_order,
        missed: sums.missed_before + sums.missed_after,
        missed_acked: sums.missed_acked,
        missed_before_back: sums.missed_before,
        back_ms: back.percentiles(),
        not_back: sums.not_back,
        latency_ms: run.latency.percentiles(),
        talker_lost: run.talker_lost.all(),
        refused: run.refused.all(),
        listener_lost: lost,
        ran_s: run.started.elapsed().as_secs_f64(),
        ended_early: is_stopped,
    }
}
