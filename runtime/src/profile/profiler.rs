//! `[process]` The profiler: keeps the last reading, closes intervals, logs what is asked for.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use tokio::time::Instant;

use super::lane;
use super::report::ProfileReport;
use super::tree::Reading;
use crate::context::{Context, Incoming};
use crate::exit::Exit;
use crate::limits::{
    PROFILE_DUMP_LINES_MAX, PROFILE_DUMP_PERIOD, PROFILE_DUMPS_MAX, PROFILE_DUMPS_WAITING,
    PROFILE_INTERVAL_MIN, PROFILE_REASON_BYTES_MAX, PROFILE_REPORTS_MAX,
};
use crate::mailbox::{Capacity, Mailbox, TrySendError};
use crate::ticks;

/// How a profiler behaves.
#[derive(Clone, Debug)]
pub struct ProfilerOptions {
    /// Its name in the tree.
    pub name: Arc<str>,
    /// How long an interval is; at least [`PROFILE_INTERVAL_MIN`].
    pub interval: Duration,
    /// Reports of closed intervals that are kept, the last ones; at most [`PROFILE_REPORTS_MAX`].
    pub reports_kept: usize,
}

impl Default for ProfilerOptions {
    /// `profiler`, a minute, five reports.
    fn default() -> Self {
        Self {
            name: "profiler".into(),
            interval: Duration::from_secs(60),
            reports_kept: 5,
        }
    }
}

/// Reports where the time of all threads goes, from what the runtime and each [`Span`] record.
///
/// Recording is always on and needs no profiler; this takes readings of it. The first interval
/// begins when it is made. Put its [`spec`](Self::spec) into the tree and it closes an interval
/// after the other, keeps the last reports, and logs the current one when it is told to: by
/// [`dump`](Self::dump), or on Unix by SIGUSR1 (`kill -USR1`). Without that it still answers
/// [`report`](Self::report) and [`close`](Self::close). Several can run in one program; each has
/// its own intervals.
///
/// Cheap to clone; all clones are the same profiler. A reading stops no thread: it sees each span
/// as it was at some moment while it was taken, which is well below a millisecond. For who knows
/// Elixir: what `:eprof` and `:fprof` tell, but cheap enough to be on in production, and by spans
/// instead of functions.
///
/// ```
/// # use std::time::Duration;
/// # use belay_runtime::*;
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// static GREET: Span = Span::new("greet");
///
/// let profiler = Profiler::new(ProfilerOptions::default());
/// let mailbox = Mailbox::new(Capacity::new(8));
/// let greeter = |mut ctx: Context<Reply<&'static str>>| async move {
///     loop {
///         match ctx.next().await {
///             Incoming::Message(reply) => {
///                 let _greet = GREET.enter();
///                 drop(reply.send("hello"));
///             }
///             Incoming::Timer(_) | Incoming::Signal(_) => {}
///             Incoming::Shutdown => return Ok(()),
///         }
///     }
/// };
/// let builder = Supervisor::builder("node")
///     .child(profiler.spec())
///     .child(ChildSpec::body("greeter:1", &mailbox, greeter));
/// let node = Node::start(builder).await.unwrap();
/// let second = Duration::from_secs(1);
/// assert_eq!(mailbox.address().call(second, |reply| reply).await, Ok("hello"));
/// node.stop(second).await;
///
/// let report = profiler.report();
/// assert!(report.to_text().contains("greet: self "), "{report}");
/// # }
/// ```
///
/// [`Span`]: crate::Span
#[derive(Clone)]
pub struct Profiler {
    shared: Arc<Shared>,
}

struct Shared {
    options: ProfilerOptions,
    mailbox: Mailbox<Order>,
    state: Mutex<State>,
}

struct State {
    /// The beginning of the current interval.
    last: Arc<Reading>,
    /// The number of the current interval.
    number: u64,
    reports: VecDeque<Arc<ProfileReport>>,
    /// One for those who call, and one for the operator, who is not to go short because of them.
    dumps: [DumpLimit; 2],
}

/// What the process of a profiler is told.
pub(super) enum Order {
    Close,
    Dump(String),
}

/// The profile is not logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DumpError {
    /// Busy: as many dumps as may be are waiting to be logged.
    #[error("too many dumps of the profile are waiting")]
    Busy,
    /// Refused: the profiler was stopped.
    #[error("the profiler is not running")]
    NotRunning,
}

/// Who asks for a dump.
#[derive(Clone, Copy)]
enum Asker {
    Caller,
    Operator,
}

/// How many dumps a period may have.
#[derive(Clone, Copy, Default)]
struct DumpLimit {
    since: Option<Instant>,
    dumps: u32,
    omitted: u64,
}

impl Profiler {
    /// A profiler whose first interval begins now. Out of range, `options` are brought into it.
    pub fn new(mut options: ProfilerOptions) -> Self {
        ticks::prepare();
        options.interval = options.interval.max(PROFILE_INTERVAL_MIN);
        options.reports_kept = options.reports_kept.min(PROFILE_REPORTS_MAX);
        let state = State {
            last: Arc::new(lane::read()),
            number: 1,
            reports: VecDeque::new(),
            dumps: [DumpLimit::default(); 2],
        };
        let shared = Shared {
            options,
            mailbox: Mailbox::new(Capacity::new(PROFILE_DUMPS_WAITING)),
            state: Mutex::new(state),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// The current interval until now, which goes on. Computed on the thread that calls.
    pub fn report(&self) -> ProfileReport {
        let (last, number) = {
            let state = self.shared.lock();
            (Arc::clone(&state.last), state.number)
        };
        ProfileReport::new(number, &lane::read().since(&last), ticks::nanos)
    }

    /// The reports of the last intervals, oldest first.
    pub fn reports(&self) -> Vec<Arc<ProfileReport>> {
        self.shared.lock().reports.iter().cloned().collect()
    }

    /// Ends the current interval and begins the next, as the process does by the clock. Returns
    /// the report of what has ended, which is kept as well.
    pub fn close(&self) -> Arc<ProfileReport> {
        let mut state = self.shared.lock();
        let reading = lane::read();
        let taken = reading.since(&state.last);
        let report = Arc::new(ProfileReport::new(state.number, &taken, ticks::nanos));
        state.last = Arc::new(reading);
        state.number += 1;
        state.reports.push_back(Arc::clone(&report));
        while state.reports.len() > self.shared.options.reports_kept {
            state.reports.pop_front();
        }
        report
    }

    /// Asks for the report of the current interval in the log: one `info` record `profile`, with
    /// this `reason` and the text of the report, of at most [`PROFILE_DUMP_LINES_MAX`] lines.
    ///
    /// Never waits and computes nothing: the process of the profiler does, on its own thread. It
    /// logs at most [`PROFILE_DUMPS_MAX`] in [`PROFILE_DUMP_PERIOD`] for all who call this (and
    /// as many for SIGUSR1); the next record says how many were `omitted`. Before the process
    /// has started, the dump waits for that.
    ///
    /// # Errors
    /// [`DumpError`] when it cannot be passed on to the process.
    pub fn dump(&self, reason: impl Into<String>) -> Result<(), DumpError> {
        let mut reason = reason.into();
        reason.truncate(reason.floor_char_boundary(PROFILE_REASON_BYTES_MAX));
        let address = self.shared.mailbox.address();
        match address.try_send(Order::Dump(reason)) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => Err(DumpError::Busy),
            Err(TrySendError::Closed(_)) => Err(DumpError::NotRunning),
        }
    }

    pub(super) fn name(&self) -> &Arc<str> {
        &self.shared.options.name
    }

    pub(super) fn mailbox(&self) -> &Mailbox<Order> {
        &self.shared.mailbox
    }

    /// Logs the current interval, unless there were too many.
    fn log(&self, reason: &str, asker: Asker, now: Instant) {
        let omitted = {
            let [callers, operator] = &mut self.shared.lock().dumps;
            let limit = match asker {
                Asker::Caller => callers,
                Asker::Operator => operator,
            };
            match limit.take(now) {
                Some(omitted) => omitted,
                None => return,
            }
        };
        let report = self.report();
        tracing::info!(
            target: "belay_runtime",
            reason,
            interval_ms = report.interval_ns / 1_000_000,
            omitted,
            report = report.to_text_within(PROFILE_DUMP_LINES_MAX),
            "profile"
        );
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DumpLimit {
    /// Takes one of the dumps of this period; tells how many had to be left out before.
    fn take(&mut self, now: Instant) -> Option<u64> {
        let since = *self.since.get_or_insert(now);
        if now.saturating_duration_since(since) >= PROFILE_DUMP_PERIOD {
            self.since = Some(now);
            self.dumps = 0;
        }
        if self.dumps >= PROFILE_DUMPS_MAX {
            self.omitted += 1;
            return None;
        }
        self.dumps += 1;
        Some(std::mem::take(&mut self.omitted))
    }
}

/// The process of a profiler. `asked` is ready each time that the operator asks for a dump.
pub(super) async fn run(
    profiler: Profiler,
    mut ctx: Context<Order>,
    mut asked: impl FnMut(&mut TaskContext<'_>) -> Poll<()> + Send,
) -> Result<(), Exit> {
    let interval = profiler.shared.options.interval;
    ctx.send_after(interval, Order::Close);
    ctx.ready();
    loop {
        tokio::select! {
            incoming = ctx.next() => match incoming {
                Incoming::Message(order) | Incoming::Timer(order) => match order {
                    Order::Close => {
                        ctx.send_after(interval, Order::Close);
                        profiler.close();
                    }
                    Order::Dump(reason) => profiler.log(&reason, Asker::Caller, ctx.now()),
                },
                Incoming::Signal(_) => {}
                Incoming::Shutdown => return Ok(()),
            },
            () = poll_fn(&mut asked) => profiler.log("SIGUSR1", Asker::Operator, ctx.now()),
        }
    }
}

impl fmt::Debug for Profiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profiler")
            .field("options", &self.shared.options)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::Node;
    use crate::spec::ChildSpec;
    use crate::supervisor::Supervisor;

    static SPAN: crate::Span = crate::Span::new("profiler's own test");

    fn profiler(reports_kept: usize) -> Profiler {
        Profiler::new(ProfilerOptions {
            reports_kept,
            ..ProfilerOptions::default()
        })
    }

    /// The profiler here, where the clock can be paused, not on a thread of its own.
    async fn start(profiler: &Profiler) -> Node {
        let own = profiler.clone();
        let body = move |ctx| run(own.clone(), ctx, |_| Poll::Pending);
        let spec = ChildSpec::body("profiler", profiler.mailbox(), body);
        Node::start(Supervisor::builder("node").child(spec))
            .await
            .unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn closes_an_interval_after_the_other_and_keeps_the_last_reports() {
        let profiler = profiler(2);
        let node = start(&profiler).await;
        drop(SPAN.enter());
        for number in 1..=4 {
            tokio::time::advance(Duration::from_secs(60)).await;
            while profiler.shared.lock().number <= number {
                tokio::task::yield_now().await;
            }
        }
        let numbers: Vec<_> = profiler.reports().iter().map(|one| one.number).collect();
        assert_eq!(numbers, [3, 4]);
        assert_eq!(profiler.report().number, 5);
        node.stop(Duration::from_secs(1)).await;
    }

    #[test]
    fn what_was_counted_is_in_the_interval_in_which_it_was() {
        let profiler = profiler(5);
        let count =
            |report: &ProfileReport| report.find(&["profiler's own test 2"]).map(|one| one.count);
        static OWN: crate::Span = crate::Span::new("profiler's own test 2");
        drop(OWN.enter());
        drop(OWN.enter());
        assert_eq!(count(&profiler.report()), Some(2));
        assert_eq!(count(&profiler.close()), Some(2));
        assert_eq!(count(&profiler.report()), None);
        drop(OWN.enter());
        assert_eq!(count(&profiler.close()), Some(1));
        let kept: Vec<_> = profiler.reports().iter().map(|one| count(one)).collect();
        assert_eq!(kept, [Some(2), Some(1)]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_dump_that_cannot_be_passed_on_is_refused() {
        let profiler = profiler(1);
        for _ in 0..PROFILE_DUMPS_WAITING {
            assert_eq!(profiler.dump("waits for the start"), Ok(()));
        }
        assert_eq!(profiler.dump("too many"), Err(DumpError::Busy));
        let node = start(&profiler).await;
        while !profiler.mailbox().address().is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(profiler.dump("x".repeat(5_000)), Ok(()));
        node.stop(Duration::from_secs(1)).await;
        assert_eq!(profiler.dump("too late"), Err(DumpError::NotRunning));
    }

    #[test]
    fn a_period_has_so_many_dumps_and_the_next_says_how_many_more_there_were() {
        let (mut limit, now) = (DumpLimit::default(), Instant::now());
        for _ in 0..PROFILE_DUMPS_MAX {
            assert_eq!(limit.take(now), Some(0));
        }
        assert_eq!(limit.take(now), None);
        assert_eq!(limit.take(now), None);
        assert_eq!(limit.take(now + PROFILE_DUMP_PERIOD), Some(2));
        assert_eq!(limit.take(now + PROFILE_DUMP_PERIOD), Some(0));
    }
}
