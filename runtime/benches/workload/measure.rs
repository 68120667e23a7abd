//! What is measured: the workloads, their sizes, and the figures that each gives.
//!
//! Sizes are the same for every system.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

/// Children of the start, stop, memory and large restart workloads.
pub const CHILDREN: usize = 100_000;
/// Calls of one pair.
pub const CALLS: usize = 1_000_000;
/// Pairs that call at once, and calls of each.
pub const PAIRS: usize = 1_000;
pub const CALLS_OF_PAIR: usize = 2_000;
/// The time-out of a call. None is ever reached; it costs what a time-out costs.
pub const TIME_OUT: Duration = Duration::from_secs(60);
/// Senders to one receiver, messages of each, and the receiver's bound.
pub const SENDERS: usize = 100;
pub const MESSAGES_OF_SENDER: usize = 50_000;
pub const BOUND: usize = 1_024;
/// Receivers of one sender, messages to each, and the bytes of the value that all of them share.
pub const RECEIVERS: usize = 10_000;
pub const MESSAGES_TO_RECEIVER: usize = 200;
pub const SHARED_BYTES: usize = 200;
/// Children that crash: all at once, that many times; then once each, one after the other.
pub const CRASHING: usize = 10_000;
pub const STORMS: usize = 5;
/// Registered names, and look-ups of each of two tasks that begin at different ones.
pub const NAMES: usize = 100_000;
pub const LOOKUPS: usize = 3_000_000;

/// A value that is sent to many and copied for none.
pub type Shared = Arc<[u8; SHARED_BYTES]>;

/// What is run in one process, and never two of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// Children started by one task that waits for each.
    StartOne,
    /// The same by two tasks, each with half of the children (and a supervisor of its own where
    /// that helps).
    StartTwo,
    /// Children started without waiting for each; the last acknowledgement is waited for.
    StartMany,
    Stop,
    /// Memory of a process that waits.
    Idle,
    /// The same with a registered name, a link and a monitor.
    Known,
    CallPair,
    CallPairs,
    /// Calls without a time-out, of systems that have such.
    PlainPair,
    PlainPairs,
    FanIn,
    /// One sender, a send to each receiver.
    FanOut,
    /// One sender, and a group (or port) of the library's own that sends to each receiver.
    GroupOut,
    /// Crashes among [`CRASHING`] children.
    Crash,
    /// The same crashes among [`CHILDREN`].
    CrashLarge,
    LookUp,
}

impl Workload {
    pub const ALL: [(Self, &'static str); 16] = [
        (Self::StartOne, "start-one"),
        (Self::StartTwo, "start-two"),
        (Self::StartMany, "start-many"),
        (Self::Stop, "stop"),
        (Self::Idle, "idle"),
        (Self::Known, "idle-known"),
        (Self::CallPair, "call-pair"),
        (Self::CallPairs, "call-pairs"),
        (Self::PlainPair, "call-pair-plain"),
        (Self::PlainPairs, "call-pairs-plain"),
        (Self::FanIn, "fan-in"),
        (Self::FanOut, "fan-out"),
        (Self::GroupOut, "fan-out-group"),
        (Self::Crash, "crash"),
        (Self::CrashLarge, "crash-large"),
        (Self::LookUp, "look-up"),
    ];

    pub fn name(self) -> &'static str {
        let mut all = Self::ALL.iter();
        all.find(|(workload, _)| *workload == self)
            .map_or("", |(_, name)| name)
    }

    pub fn parse(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter();
        all.find(|(_, own)| *own == name)
            .map(|(workload, _)| *workload)
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// How the process that measures calls it.
    pub id: &'static str,
    pub title: &'static str,
    pub more_is_better: bool,
    /// What belay-runtime aims at; 0 where nothing is set.
    pub goal: f64,
}

const fn more(id: &'static str, title: &'static str, goal: f64) -> Row {
    Row {
        id,
        title,
        more_is_better: true,
        goal,
    }
}

const fn less(id: &'static str, title: &'static str, goal: f64) -> Row {
    Row {
        more_is_better: false,
        ..more(id, title, goal)
    }
}

/// Rates are a second, times microseconds.
pub const ROWS: [Row; 23] = [
    more("start-one", "start 100k, by one task, each awaited", 0.0),
    more("start-two", "start 100k, by two tasks, each awaited", 0.0),
    more("start-many", "start 100k, awaited together", 0.0),
    more("stop", "stop 100k", 1e6),
    less("idle", "idle process, bytes allocated", 700.0),
    less("idle-rss", "idle process, bytes resident", 0.0),
    less("known", "with name, link, monitor: allocated", 1024.0),
    less("known-rss", "with name, link, monitor: resident", 0.0),
    more("call-pair", "call with time-out, 1 pair", 2.5e6),
    more("call-pairs", "call with time-out, 1,000 pairs", 7e6),
    more("plain-pair", "call without time-out, 1 pair", 0.0),
    more("plain-pairs", "call without time-out, 1,000 pairs", 0.0),
    more("fan-in", "fan-in 100 to 1", 6e6),
    less("fan-in-peak", "fan-in: peak of resident bytes", 10e6),
    more("fan-out", "fan-out of 200 shared bytes to 10k", 5e6),
    more("fan-out-group", "the same by a group", 5e6),
    more("crash", "restarts, 10k children crash at once", 2e5),
    less("crash-p50", "crash to answer, 10k children, p50", 8.0),
    less("crash-p99", "crash to answer, 10k children, p99", 25.0),
    more("crash-large", "restarts, 10k of 100k crash at once", 2e5),
    less(
        "crash-large-p50",
        "crash to answer, 100k children, p50",
        8.0,
    ),
    less(
        "crash-large-p99",
        "crash to answer, 100k children, p99",
        25.0,
    ),
    more("look-up", "look-ups of 100k names, 2 tasks", 12e6),
];

/// What one run of a workload found: rows by id, and values.
#[derive(Clone, Debug, Default)]
pub struct Figures(pub Vec<(String, f64)>);

impl Figures {
    pub fn one(id: &str, value: f64) -> Self {
        Self(vec![(id.to_owned(), value)])
    }

    #[must_use]
    pub fn and(mut self, id: &str, value: f64) -> Self {
        self.0.push((id.to_owned(), value));
        self
    }

    /// The rate of storms, and the times from crash to answer.
    pub fn crashes(id: &str, storms: Duration, mut took: Vec<Duration>) -> Self {
        took.sort_unstable();
        let at = |share: f64| {
            let index = (took.len() as f64 * share) as usize;
            took.get(index).copied().unwrap_or_default().as_secs_f64() * 1e6
        };
        Self::one(id, rate(STORMS * CRASHING, storms))
            .and(&format!("{id}-p50"), at(0.5))
            .and(&format!("{id}-p99"), at(0.99))
    }
}

/// The values of one row over several runs, smallest first.
pub fn sorted(runs: &[Figures], id: &str) -> Vec<f64> {
    let mut values: Vec<f64> = runs
        .iter()
        .flat_map(|run| run.0.iter().filter(|(own, _)| own == id))
        .map(|(_, value)| *value)
        .collect();
    values.sort_unstable_by(f64::total_cmp);
    values
}

/// The median of one row; `None` when no run gave it.
pub fn median(runs: &[Figures], id: &str) -> Option<f64> {
    let values = sorted(runs, id);
    values.get(values.len() / 2).copied()
}

pub fn rate(count: usize, took: Duration) -> f64 {
    count as f64 / took.as_secs_f64()
}

/// Tells when all of a number have come.
#[derive(Clone, Default)]
pub struct Gate(Arc<(AtomicUsize, Notify)>);

impl Gate {
    pub fn new(count: usize) -> Self {
        Self(Arc::new((AtomicUsize::new(count), Notify::new())))
    }

    /// Waits for that many from now on. Nobody may be due any more.
    pub fn arm(&self, count: usize) {
        self.0.0.store(count, Ordering::Release);
    }

    pub fn come(&self) {
        if self.0.0.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.1.notify_one();
        }
    }

    pub async fn wait(&self) {
        while self.0.0.load(Ordering::Acquire) > 0 {
            self.0.1.notified().await;
        }
    }
}
