//! `[edge]` Drives a load through its phases and gathers the report.
//!
//! ```text
//! ramp ─all in or given up→ warm-up → window (measured) → drain (last messages) → closing
//!                           └──── messages are sent ────┘
//! ```
//! Every phase has a deadline. A stop (Ctrl-C) ends the sending; the last messages are still waited
//! for. All tasks live in one set that is aborted at the end.

use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use super::super::credentials::{Credentials, CredentialsError};
use super::super::game::message;
use super::super::token::Token;
use super::options::LoadOptions;
use super::report::{HubFigures, LoadReport};
use super::run::Run;
use super::seat::live;
use crate::limits::{CONNECT_DEADLINE, DRIVER_TICK, ENTER_ATTEMPTS_MAX, RAMP_TICK, SEND_TICK};
use crate::procfs::Process;
use crate::values::{as_number, whole};

/// Between two looks at the hub's memory.
const MEMORY_TICK: Duration = Duration::from_secs(1);

/// Why a load could not begin.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The credentials cannot be had (refused).
    #[error(transparent)]
    Credentials(#[from] CredentialsError),
    /// The hub's process is not there, or not ours to look at (refused).
    #[error("cannot read the figures of process {pid}")]
    HubPid {
        /// Its number.
        pid: u32,
        /// The system's answer.
        #[source]
        source: io::Error,
    },
}

/// Connects, sends and measures; `stop` ends it early.
///
/// # Errors
/// When the credentials cannot be read, or the hub's process cannot be looked at.
///
/// # Cancel safety
/// Dropping the future ends all games at once and gives no report.
pub async fn run_load(
    options: LoadOptions,
    stop: impl Future<Output = ()>,
) -> Result<LoadReport, LoadError> {
    let credentials = Credentials::read_all(&options.credentials, options.first, options.games)?;
    let hub = options.hub_pid.map(Process::Other);
    let memory_before = match (hub, options.hub_pid) {
        (Some(hub), Some(pid)) => hub
            .rss_kb()
            .map_err(|source| LoadError::HubPid { pid, source })?,
        _ => 0,
    };
    let tag_bits = RandomState::new().hash_one(options.first);
    let run = Arc::new(Run::new(options, credentials, Instant::now(), tag_bits));
    let mut drive = Drive {
        run,
        games: JoinSet::new(),
        started: 0,
        sent: 0,
        turn: 0,
        stop: std::pin::pin!(stop),
        is_stopped: false,
        hub,
        hub_rss_kb: 0,
    };
    Ok(drive.go(memory_before).await)
}

struct Drive<'a> {
    run: Arc<Run>,
    games: JoinSet<()>,
    started: usize,
    /// Messages that were due so far.
    sent: u64,
    /// Whose turn it is to send.
    turn: usize,
    stop: Pin<&'a mut dyn Future<Output = ()>>,
    is_stopped: bool,
    hub: Option<Process>,
    hub_rss_kb: u64,
}

/// What was used up to one moment; two of them make the figures of a window.
#[derive(Debug, Clone, Copy, Default)]
struct Reading {
    at_us: u64,
    sent: u64,
    delivered: u64,
    bytes_in: u64,
    own_cpu: Duration,
    hub_cpu: Duration,
}

impl Drive<'_> {
    async fn go(&mut self, memory_before: u64) -> LoadReport {
        self.ramp().await;
        let began = Instant::now();
        let window_at = began + self.run.options.warmup;
        self.send_until(began, window_at).await;
        self.run.open_window();
        let from = self.reading();
        let end = window_at + self.run.options.duration;
        let mut look_at = window_at + MEMORY_TICK;
        while !self.is_stopped && look_at < end {
            self.send_until(began, look_at).await;
            self.look_at_memory();
            look_at += MEMORY_TICK;
        }
        self.send_until(began, end).await;
        self.look_at_memory();
        let to = self.reading();
        self.run.close_window();
        self.drain().await;
        let report = self.report(from, to, memory_before);
        self.games.shutdown().await;
        report
    }

    /// Starts all games and waits until each is in or has given up.
    async fn ramp(&mut self) {
        let games = self.run.options.games;
        let rate = self.run.options.ramp;
        let began = Instant::now();
        let starting = Duration::from_secs_f64(f64::from(u32::try_from(games).unwrap_or(0)) / rate);
        let limit = starting + CONNECT_DEADLINE * 2 * ENTER_ATTEMPTS_MAX;
        while !self.is_stopped && began.elapsed() < limit {
            let due = whole(began.elapsed().as_secs_f64() * rate + 1.0);
            while self.started < games && as_u64(self.started) < due {
                self.games.spawn(live(self.run.clone(), self.started));
                self.started += 1;
            }
            let tally = &self.run.tally;
            if tally.entered.load(Relaxed) + tally.given_up.load(Relaxed) == games {
                break;
            }
            self.sleep_until(Instant::now() + RAMP_TICK).await;
        }
    }

    /// Sends what is due since `began`, until then or a stop.
    async fn send_until(&mut self, began: Instant, until: Instant) {
        let rate = self.run.options.rate;
        loop {
            let now = Instant::now();
            if self.is_stopped || now >= until {
                return;
            }
            let due = whole((now - began).as_secs_f64() * rate) + 1;
            while self.sent < due {
                self.send();
                self.sent += 1;
            }
            let next = began + Duration::from_secs_f64(as_number(self.sent) / rate);
            self.sleep_until(next.max(now + SEND_TICK).min(until)).await;
        }
    }

    /// One message of the next sender that is in.
    fn send(&mut self) {
        let options = &self.run.options;
        for _ in 0..options.senders {
            let sender = self.turn;
            self.turn = (self.turn + 1) % options.senders;
            let Some(place) = self.run.places.get(sender) else {
                continue;
            };
            let Some(wire) = place.wire.get() else {
                continue;
            };
            if place.is_lost.load(Relaxed) {
                continue;
            }
            let number = place.sent.load(Relaxed);
            let token = Token {
                sender: u32::try_from(sender).unwrap_or(0),
                number,
                sent_us: self.run.now_us(),
            };
            let text = format!("load {}", self.run.tag.mark(token));
            if wire
                .send(&message(&options.channel, number, "Load", &text))
                .is_ok()
            {
                place.sent.store(number + 1, Relaxed);
                return;
            }
        }
    }

    /// Waits for the last messages.
    async fn drain(&mut self) {
        let until = Instant::now() + self.run.options.drain;
        let tally = &self.run.tally;
        while Instant::now() < until
            && tally.online.load(Relaxed) > 0
            && tally.delivered.load(Relaxed) < self.run.expected()
        {
            tokio::time::sleep(DRIVER_TICK).await;
        }
        // One more look, for what should not come.
        tokio::time::sleep(DRIVER_TICK).await;
    }

    async fn sleep_until(&mut self, until: Instant) {
        tokio::select! {
            () = &mut self.stop, if !self.is_stopped => self.is_stopped = true,
            () = sleep_until(until) => {}
        }
    }

    fn look_at_memory(&mut self) {
        let rss_kb = self.hub.and_then(|hub| hub.rss_kb().ok()).unwrap_or(0);
        self.hub_rss_kb = self.hub_rss_kb.max(rss_kb);
    }

    fn reading(&self) -> Reading {
        let tally = &self.run.tally;
        Reading {
            at_us: self.run.now_us(),
            sent: self.run.sent(),
            delivered: tally.delivered.load(Relaxed),
            bytes_in: tally.bytes_in.load(Relaxed),
            own_cpu: Process::Own.cpu().unwrap_or_default(),
            hub_cpu: self.hub.and_then(|hub| hub.cpu().ok()).unwrap_or_default(),
        }
    }

    fn report(&self, from: Reading, to: Reading, memory_before: u64) -> LoadReport {
        let tally = &self.run.tally;
        let window_s = as_number((to.at_us - from.at_us).max(1)) / 1_000_000.0;
        let percent =
            |from: Duration, to: Duration| to.saturating_sub(from).as_secs_f64() / window_s * 100.0;
        let per_s = |from: u64, to: u64| as_number(to - from) / window_s;
        let entered = tally.entered.load(Relaxed);
        let games = as_number(as_u64(entered).max(1));
        let entry_s = as_number(tally.last_entry_us.load(Relaxed)) / 1_000_000.0;
        let (expected, delivered) = (self.run.expected(), tally.delivered.load(Relaxed));
        LoadReport {
            asked: self.run.options.games,
            entered,
            online_end: tally.online.load(Relaxed),
            login_failed: tally.login_failed.all(),
            dropped: tally.dropped.all(),
            sent: self.run.sent(),
            sent_per_s: per_s(from.sent, to.sent),
            acked: tally.acked.load(Relaxed),
            refused: tally.refused.all(),
            expected,
            delivered,
            delivered_ratio: as_number(delivered) / as_number(expected.max(1)),
            deliveries_per_s: per_s(from.delivered, to.delivered),
            doubled: tally.doubled.load(Relaxed),
            missed: expected.saturating_sub(delivered),
            out_of_order: tally.out_of_order.load(Relaxed),
            latency_ms: tally.latency.percentiles(),
            bytes_per_game_s: per_s(from.bytes_in, to.bytes_in) / games,
            hub: self.hub.map(|_| HubFigures {
                cpu_percent: percent(from.hub_cpu, to.hub_cpu),
                rss_kb: self.hub_rss_kb,
                rss_kb_per_game: as_number(self.hub_rss_kb.saturating_sub(memory_before)) / games,
            }),
            logins_per_s: if entry_s > 0.0 {
                as_number(as_u64(entered)) / entry_s
            } else {
                0.0
            },
            login_ms: tally.login.percentiles(),
            own_cpu_percent: percent(from.own_cpu, to.own_cpu),
            window_s,
            ended_early: self.is_stopped,
            retried: tally.retried.all(),
            foreign: tally.foreign.load(Relaxed),
        }
    }
}

fn as_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
