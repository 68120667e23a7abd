//! `[process]` The watchdog: names handlers that keep a worker thread.
//!
//! ```text
//!   worker thread ─ stores its turn ─► record ◄─ looks, some times a threshold ─ watchdog
//!                                                (thread of its own)               │
//!                                        log record, hook, counter ◄─ once a block ┘
//! ```

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::context::{Context, Incoming};
use crate::exit::Exit;
use crate::limits::{
    SLOW_REPORT_PERIOD, SLOW_REPORTS_MAX, WATCHDOG_THRESHOLD_DEFAULT, WATCHDOG_THRESHOLD_MIN,
};
use crate::mailbox::{Capacity, Mailbox};
use crate::pid::Pid;
use crate::report::{Limit, millis};
use crate::sighting::{Change, LOOKS_PER_THRESHOLD, Sighting};
use crate::spec::ChildSpec;
use crate::{roster, stats, worker};

/// How a watchdog behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchdogOptions {
    /// For how long a process may keep a thread without awaiting. At least
    /// [`WATCHDOG_THRESHOLD_MIN`].
    pub threshold: Duration,
}

impl Default for WatchdogOptions {
    /// [`WATCHDOG_THRESHOLD_DEFAULT`].
    fn default() -> Self {
        Self {
            threshold: WATCHDOG_THRESHOLD_DEFAULT,
        }
    }
}

/// A process that tells when code of another keeps a worker thread: computes for long, or waits
/// without awaiting.
///
/// The BEAM would preempt such a process, and tell with `erlang:system_monitor` and its
/// `long_schedule`; here it can only be named, so that it is found and its work moved to a
/// [`WorkerPool`](crate::WorkerPool). Put its [`spec`](Self::spec) into the tree; it runs on a
/// thread of its own, so that it tells *while* the thread is kept, even if that is the last one.
///
/// * For each block there are two log records of target `belay_runtime` at level warn, with
///   `name`, `pid`, `kind` ([of the message](crate::Kind)) and `took_ms`: one when the block has
///   lasted for the threshold, one when it is over, with the whole time. At most
///   [`SLOW_REPORTS_MAX`] blocks are logged in a [`SLOW_REPORT_PERIOD`]; the next record says how
///   many were left out.
/// * The hook is called and [`Stats::slow_handlers_total`](crate::Stats::slow_handlers_total)
///   counts each block, logged or not.
/// * It looks some times a threshold, so times are right to a quarter of it. A shorter block is
///   never told of; one that lasts a quarter longer always is.
/// * It watches all processes of the program, whatever tree they are in: one watchdog is enough.
///   A process that hands its thread's other tasks on before it blocks
///   (`tokio::task::block_in_place`) is told of all the same, and so is one that merely gets no
///   processor from the operating system.
///
/// ```
/// # use belay_runtime::*;
/// # use std::sync::mpsc::sync_channel;
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let (release, blocked) = sync_channel(1);
/// let watchdog = Watchdog::new(WatchdogOptions::default()).on_slow(move |slow| {
///     if slow.name() == "sleepy" && !slow.is_over() {
///         release.send(slow.took()).unwrap();
///     }
/// });
/// let sleepy = ChildSpec::task("sleepy", |_| async move {
///     // Holds up the only thread until the watchdog has seen it.
///     assert!(blocked.recv().unwrap() >= limits::WATCHDOG_THRESHOLD_DEFAULT);
///     Ok(())
/// });
/// let tree = Supervisor::builder("node").child(watchdog.spec()).child(sleepy);
/// let node = Node::start(tree).await.unwrap();
/// node.stop(std::time::Duration::from_secs(1)).await;
/// # }
/// ```
pub struct Watchdog {
    options: WatchdogOptions,
    on_slow: Arc<dyn Fn(&SlowHandler) + Send + Sync>,
}

/// A handler that keeps a worker thread, or has kept one.
#[derive(Clone, Debug)]
pub struct SlowHandler {
    name: Arc<str>,
    pid: Pid,
    kind: Option<&'static str>,
    took: Duration,
    is_over: bool,
}

impl Watchdog {
    /// A watchdog that does not run yet.
    pub fn new(options: WatchdogOptions) -> Self {
        Self {
            options,
            on_slow: Arc::new(|_| {}),
        }
    }

    /// Calls `hook` when a block has lasted for the threshold, and again when it is over.
    ///
    /// It runs on the watchdog's thread and may take its time; meanwhile nothing is watched. When
    /// it panics, the watchdog has crashed and restarts; a block that lasts is told of again then.
    #[must_use]
    pub fn on_slow(mut self, hook: impl Fn(&SlowHandler) + Send + Sync + 'static) -> Self {
        self.on_slow = Arc::new(hook);
        self
    }

    /// The spec to put it into a tree with. [Permanent](crate::Restart::Permanent).
    pub fn spec(self) -> ChildSpec {
        let body = move |ctx| run(Watch::new(self.options, Arc::clone(&self.on_slow)), ctx);
        ChildSpec::body("watchdog", &Mailbox::new(Capacity::new(0)), body).on_thread()
    }
}

impl fmt::Debug for Watchdog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watchdog")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl SlowHandler {
    /// The name of the process; empty when it has ended for good since.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its pid.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// The [kind](crate::Kind) of the message it handles, or the type of its messages; `None` when
    /// it has not taken any.
    pub fn kind(&self) -> Option<&'static str> {
        self.kind
    }

    /// For how long it keeps the thread until now, or has kept it.
    pub fn took(&self) -> Duration {
        self.took
    }

    /// False while it keeps the thread.
    pub fn is_over(&self) -> bool {
        self.is_over
    }
}

/// One incarnation's knowledge.
struct Watch {
    threshold: Duration,
    on_slow: Arc<dyn Fn(&SlowHandler) + Send + Sync>,
    /// Of each thread, with what was told of it; as many as there are records.
    threads: Vec<(Sighting, Option<Told>)>,
    limit: Limit,
    omitted: u64,
}

/// A block that was told of.
struct Told {
    pid: Pid,
    name: Arc<str>,
    kind: Option<&'static str>,
    logged: bool,
}

async fn run(mut watch: Watch, mut ctx: Context<()>) -> Result<(), Exit> {
    let pause = watch.threshold / LOOKS_PER_THRESHOLD;
    loop {
        watch.look(Instant::now());
        ctx.send_after(pause, ());
        match ctx.next().await {
            Incoming::Timer(()) | Incoming::Message(()) | Incoming::Signal(_) => {}
            Incoming::Shutdown => return Err(Exit::Shutdown),
        }
    }
}

impl Watch {
    fn new(options: WatchdogOptions, on_slow: Arc<dyn Fn(&SlowHandler) + Send + Sync>) -> Self {
        Self {
            threshold: options.threshold.max(WATCHDOG_THRESHOLD_MIN),
            on_slow,
            threads: Vec::new(),
            limit: Limit::default(),
            omitted: 0,
        }
    }

    fn look(&mut self, now: Instant) {
        let (threads, threshold) = (&mut self.threads, self.threshold);
        let mut changes = Vec::new();
        // No more than looking is done under the lock of the records.
        worker::look(|index, turn| match threads.get_mut(index) {
            Some((sighting, _)) => {
                let change = sighting.look(turn, now, threshold);
                changes.extend(change.map(|change| (index, change)));
            }
            None => threads.push((Sighting::new(turn, now), None)),
        });
        for (index, change) in changes {
            match change {
                Change::Blocks(took) => self.blocks(index, took, now),
                Change::Over(took) => self.over(index, took),
            }
        }
    }

    fn blocks(&mut self, index: usize, took: Duration, now: Instant) {
        let Some((sighting, place)) = self.threads.get_mut(index) else {
            return;
        };
        stats::slow_handler();
        let pid = Pid::of(sighting.turn().holder());
        let process = roster::find(pid);
        let told = Told {
            pid,
            name: process
                .as_ref()
                .map_or_else(Arc::default, |process| Arc::clone(&process.name)),
            kind: process.and_then(|process| process.slot.last_kind()),
            logged: self
                .limit
                .permits(now, SLOW_REPORT_PERIOD, SLOW_REPORTS_MAX),
        };
        if told.logged {
            let omitted = std::mem::take(&mut self.omitted);
            tracing::warn!(
                target: "belay_runtime",
                name = &*told.name,
                pid = pid.number(),
                kind = told.kind,
                took_ms = millis(took),
                omitted,
                "handler blocks a worker"
            );
        } else {
            self.omitted += 1;
        }
        let slow = told.slow(took, false);
        *place = Some(told);
        (self.on_slow)(&slow);
    }

    fn over(&mut self, index: usize, took: Duration) {
        let told = self
            .threads
            .get_mut(index)
            .and_then(|(_, told)| told.take());
        let Some(told) = told else { return };
        if told.logged {
            tracing::warn!(
                target: "belay_runtime",
                name = &*told.name,
                pid = told.pid.number(),
                kind = told.kind,
                took_ms = millis(took),
                "handler has blocked a worker"
            );
        }
        (self.on_slow)(&told.slow(took, true));
    }
}

impl Told {
    fn slow(&self, took: Duration, is_over: bool) -> SlowHandler {
        SlowHandler {
            name: Arc::clone(&self.name),
            pid: self.pid,
            kind: self.kind,
            took,
            is_over,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::sighting::Turn;

    #[test]
    fn logs_no_more_blocks_than_the_limit_allows_but_tells_all() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let telling = Arc::clone(&told);
        let hook = move |slow: &SlowHandler| telling.lock().unwrap().push(slow.is_over());
        let mut watch = Watch::new(WatchdogOptions::default(), Arc::new(hook));
        let (now, took) = (Instant::now(), Duration::from_secs(1));
        // Of nobody who is alive: there is no name, and all the same it is told.
        let turn = Turn::after(Turn(0), Pid::next().number());
        watch.threads.push((Sighting::new(turn, now), None));
        let mut logged = Vec::new();
        for _ in 0..SLOW_REPORTS_MAX + 5 {
            watch.blocks(0, took, now);
            let (_, told) = watch.threads.last().unwrap();
            logged.push(told.as_ref().unwrap().logged);
            watch.over(0, took);
        }
        let allowed = SLOW_REPORTS_MAX as usize;
        assert_eq!(logged, [vec![true; allowed], vec![false; 5]].concat());
        assert_eq!(*told.lock().unwrap(), [false, true].repeat(allowed + 5));
        assert_eq!(watch.omitted, 5);
        watch.blocks(0, took, now + SLOW_REPORT_PERIOD);
        assert_eq!(
            watch.omitted, 0,
            "the next record says how many were left out"
        );
    }
}
