//! `[edge]` Drives a crowd through its phases and gathers the report.
//!
//! ```text
//! ramp ─all in or given up→ settle → window (measured) → drain (last answers) → closing
//! ```
//! Every phase has a deadline. A stop (Ctrl-C) ends the phase it meets; what was measured until
//! then is reported. All tasks live in one set that is aborted and emptied at the end.
#![expect(
    clippy::disallowed_methods,
    reason = "an outside player does not use the runtime"
)]

use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use super::crash::{Crashes, crash_rooms};
use super::options::{Arrival, Options};
use super::report::{BytesPerPlayer, Details, NodeFigures, Report};
use super::run::Run;
use super::seat::live;
use crate::limits::{CLOSING_DEADLINE, DRIVER_TICK, RAMP_TICK};
use crate::procfs::Process;
use crate::values::{as_number, whole};

/// Between two looks at the node's memory.
const MEMORY_TICK: Duration = Duration::from_secs(1);

/// Why a run could not begin.
#[derive(Debug, thiserror::Error)]
pub enum WanderError {
    /// The node's process is not there, or not ours to look at (fatal).
    #[error("cannot read the figures of process {pid}")]
    NodePid {
        /// Its number.
        pid: u32,
        /// The system's answer.
        #[source]
        source: io::Error,
    },
}

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Bots come in.
    Ramp,
    /// Warm-up.
    Settle,
    /// Measuring.
    Window,
    /// The last answers come in.
    Drain,
}

/// A look at a run that goes on.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// The phase.
    pub stage: Stage,
    /// How long it has lasted.
    pub elapsed: Duration,
    /// Bots to come in all.
    pub asked: u32,
    /// Bots in the world.
    pub online: u32,
    /// Bots that lost their connection.
    pub dropped: u64,
    /// Commands typed in the window.
    pub commands: u64,
}

/// Plays and measures; `stop` ends it early, `progress` is called often.
///
/// # Errors
/// When the node's process cannot be looked at.
///
/// # Cancel safety
/// Dropping the future ends all bots at once and gives no report.
pub async fn run_wander(
    options: Options,
    stop: impl Future<Output = ()> + Send,
    mut progress: impl FnMut(&Progress) + Send,
) -> Result<Report, WanderError> {
    let node = options.node_pid.map(Process::Other);
    let memory_before = match (node, options.node_pid) {
        (Some(node), Some(pid)) => node
            .rss_kb()
            .map_err(|source| WanderError::NodePid { pid, source })?,
        _ => 0,
    };
    let tag_bits = RandomState::new().hash_one(options.first);
    let run = Arc::new(Run::new(options, Instant::now(), tag_bits));
    let stop: Pin<&mut (dyn Future<Output = ()> + Send)> = std::pin::pin!(stop);
    let mut crowd = Crowd {
        run,
        bots: JoinSet::new(),
        started: 0,
        stop,
        progress: &mut progress,
        is_stopped: false,
        node,
        node_rss_kb: 0,
    };
    let report = crowd.go(memory_before).await;
    Ok(report)
}

struct Crowd<'a> {
    run: Arc<Run>,
    bots: JoinSet<()>,
    started: u32,
    stop: Pin<&'a mut (dyn Future<Output = ()> + Send)>,
    progress: &'a mut (dyn FnMut(&Progress) + Send),
    is_stopped: bool,
    node: Option<Process>,
    node_rss_kb: u64,
}

/// What was used up to one moment; two of them make the figures of a window.
#[derive(Debug, Clone, Copy, Default)]
struct Reading {
    at_us: u64,
    online: u32,
    bytes_in: u64,
    bytes_out: u64,
    own_cpu: Duration,
    node_cpu: Duration,
}

impl Crowd<'_> {
    async fn go(&mut self, memory_before: u64) -> Report {
        self.ramp().await;
        self.settle().await;
        let crashes = Arc::new(Crashes::default());
        let (from, to) = self.window(&crashes).await;
        self.drain().await;
        let mut report = self.report(from, to);
        if let Some(node) = &mut report.node {
            let players = f64::from(report.online_peak.max(1));
            node.rss_kb_per_player =
                as_number(self.node_rss_kb.saturating_sub(memory_before)) / players;
        }
        report.details.crashed_rooms = crashes.done.load(Relaxed);
        report.details.crash_failed = crashes.failed.all();
        report.details.zombies = self.close().await;
        report
    }

    /// Starts all bots and waits until each is in or has given up.
    async fn ramp(&mut self) {
        let count = self.run.options.count;
        let arrival = self.run.options.arrival;
        let last_s = match arrival {
            Arrival::Burst => 0.0,
            Arrival::PerSecond(rate) => f64::from(count) / rate,
        };
        let limit = self.run.options.login_deadline + Duration::from_secs_f64(last_s + 1.0);
        self.phase(Stage::Ramp, limit, |crowd, elapsed| {
            let due = match arrival {
                Arrival::Burst => count,
                Arrival::PerSecond(rate) => {
                    u32::try_from(whole(elapsed.as_secs_f64() * rate + 1.0))
                        .unwrap_or(u32::MAX)
                        .min(count)
                }
            };
            while crowd.started < due {
                crowd.bots.spawn(live(crowd.run.clone(), crowd.started));
                crowd.started += 1;
            }
            let tally = &crowd.run.tally;
            tally.entered.load(Relaxed) + tally.given_up.load(Relaxed) == count
        })
        .await;
    }

    async fn settle(&mut self) {
        let settle = self.run.options.settle;
        self.phase(Stage::Settle, settle, |crowd, _| crowd.is_empty())
            .await;
    }

    /// Measures; the readings at its two ends.
    async fn window(&mut self, crashes: &Arc<Crashes>) -> (Reading, Reading) {
        let mut crasher = JoinSet::new();
        if let Some(plan) = self.run.options.crash.clone()
            && !self.is_stopped
        {
            let crashes = crashes.clone();
            crasher.spawn(async move { crash_rooms(&plan, &crashes).await });
        }
        self.run.open_window();
        let from = self.reading();
        let mut memory_due = Duration::ZERO;
        let duration = self.run.options.duration;
        self.phase(Stage::Window, duration, |crowd, elapsed| {
            if elapsed >= memory_due {
                crowd.look_at_memory();
                memory_due = elapsed + MEMORY_TICK;
            }
            crowd.is_empty()
        })
        .await;
        self.look_at_memory();
        let to = self.reading();
        self.run.close_window();
        crasher.shutdown().await;
        (from, to)
    }

    /// Waits for the answers to the last commands of the window.
    async fn drain(&mut self) {
        let limit = self.run.options.answer_deadline + Duration::from_secs(1);
        self.phase(Stage::Drain, limit, |crowd, _| {
            crowd.run.tally.waiting.load(Relaxed) == 0 || crowd.is_empty()
        })
        .await;
    }

    /// Ends every bot; the number of tasks that did not end in time.
    async fn close(&mut self) -> u32 {
        self.bots.abort_all();
        let emptied = timeout(CLOSING_DEADLINE, async {
            while self.bots.join_next().await.is_some() {}
        });
        match emptied.await {
            Ok(()) => 0,
            Err(_) => u32::try_from(self.bots.len()).unwrap_or(u32::MAX),
        }
    }

    /// One phase: looks at every tick whether it is over; a stop or the limit ends it too.
    async fn phase(
        &mut self,
        stage: Stage,
        limit: Duration,
        mut is_over: impl FnMut(&mut Self, Duration) -> bool,
    ) {
        let began = Instant::now();
        let tick = if stage == Stage::Ramp {
            RAMP_TICK
        } else {
            DRIVER_TICK
        };
        let mut ticks = interval(tick.min(limit / 10 + Duration::from_millis(1)));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // After a stop only the drain still runs: it is short and makes the figures whole.
        while !self.is_stopped || stage == Stage::Drain {
            tokio::select! {
                () = &mut self.stop, if !self.is_stopped => self.is_stopped = true,
                _ = ticks.tick() => {}
            }
            let elapsed = began.elapsed();
            let is_over = is_over(self, elapsed);
            self.tell(stage, elapsed);
            if is_over || elapsed >= limit {
                break;
            }
        }
    }

    fn tell(&mut self, stage: Stage, elapsed: Duration) {
        let tally = &self.run.tally;
        let progress = Progress {
            stage,
            elapsed,
            asked: self.run.options.count,
            online: tally.online.load(Relaxed),
            dropped: u64::from(tally.entered.load(Relaxed) - tally.online.load(Relaxed)),
            commands: tally.commands.load(Relaxed),
        };
        (self.progress)(&progress);
    }

    /// Whether nobody is in the world and nobody will come.
    fn is_empty(&self) -> bool {
        let tally = &self.run.tally;
        let logging_in = self.started > tally.entered.load(Relaxed) + tally.given_up.load(Relaxed);
        tally.online.load(Relaxed) == 0 && !logging_in
    }

    fn look_at_memory(&mut self) {
        let rss_kb = self.node.and_then(|node| node.rss_kb().ok()).unwrap_or(0);
        self.node_rss_kb = self.node_rss_kb.max(rss_kb);
    }

    fn reading(&self) -> Reading {
        let tally = &self.run.tally;
        Reading {
            at_us: self.run.now_us(),
            online: tally.online.load(Relaxed),
            bytes_in: tally.bytes_in.load(Relaxed),
            bytes_out: tally.bytes_out.load(Relaxed),
            own_cpu: Process::Own.cpu().unwrap_or_default(),
            node_cpu: self
                .node
                .and_then(|node| node.cpu().ok())
                .unwrap_or_default(),
        }
    }

    fn report(&self, from: Reading, to: Reading) -> Report {
        let tally = &self.run.tally;
        let asked = self.run.options.count;
        let window = Duration::from_micros(to.at_us - from.at_us);
        let window_s = window.as_secs_f64().max(0.000_001);
        let percent =
            |from: Duration, to: Duration| to.saturating_sub(from).as_secs_f64() / window_s * 100.0;
        let player_s = f64::from(from.online + to.online) / 2.0 * window_s;
        let a_player = |bytes: u64| {
            if player_s > 0.0 {
                as_number(bytes) / player_s
            } else {
                0.0
            }
        };
        let commands = tally.commands.load(Relaxed);
        let entered = tally.entered.load(Relaxed);
        let mut login_failed = tally.login_failed.all();
        let unfinished = asked.saturating_sub(entered + tally.given_up.load(Relaxed));
        if unfinished > 0 {
            login_failed.insert(
                "not in when the run ended".to_owned(),
                u64::from(unfinished),
            );
        }
        let entry_s = Duration::from_micros(tally.last_entry_us.load(Relaxed)).as_secs_f64();
        Report {
            asked,
            online_peak: tally.online_peak.load(Relaxed),
            online_end: to.online,
            login_failed,
            dropped: tally.dropped.all(),
            unanswered: tally.unanswered.load(Relaxed),
            commands,
            commands_per_s: as_number(commands) / window_s,
            latency_ms: tally.latency.percentiles(),
            bytes_per_player_s: BytesPerPlayer {
                incoming: a_player(to.bytes_in - from.bytes_in),
                outgoing: a_player(to.bytes_out - from.bytes_out),
            },
            node: self.node.map(|_| NodeFigures {
                cpu_percent: percent(from.node_cpu, to.node_cpu),
                rss_kb: self.node_rss_kb,
                rss_kb_per_player: 0.0,
            }),
            heard_ms: tally.heard.percentiles(),
            logins_per_s: if entry_s > 0.0 {
                f64::from(entered) / entry_s
            } else {
                0.0
            },
            login_ms: tally.login.percentiles(),
            own_cpu_percent: percent(from.own_cpu, to.own_cpu),
            details: Details {
                window_s,
                ended_early: self.is_stopped,
                retried: tally.retried.all(),
                refused: tally.refused.all(),
                in_line: tally.in_line.load(Relaxed),
                place_rises: tally.place_rises.load(Relaxed),
                ..Details::default()
            },
        }
    }
}
