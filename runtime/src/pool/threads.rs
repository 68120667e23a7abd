//! `[process]` What the handles of a pool share with its threads, and the process that owns them.

use std::convert::Infallible;
use std::io;
use std::pin::pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::select;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::line::{Expired, JobId, Line};
use super::worker_pool::PoolOptions;
use crate::context::Context;
use crate::exit::{Crash, Exit};
use crate::guard;
use crate::mailbox::{Capacity, Mailbox};
use crate::supervisor::Branch;
use crate::thread;
use crate::tree::MailboxState;

pub(super) struct Shared {
    pub(super) name: Arc<str>,
    /// One for all specs, so that a start waits for one that was killed and is not gone yet.
    pub(super) mailbox: Mailbox<Infallible>,
    options: PoolOptions,
    state: Mutex<State>,
    /// Wakes threads: there is work, or the end.
    work: Condvar,
    /// Wakes the process: a thread has ended, or there is an earlier deadline.
    changed: Notify,
}

pub(super) struct State {
    /// Where the process runs, for its clock; `None` while it does not.
    running: Option<Handle>,
    /// Counts the incarnations of the process; threads of an earlier one leave.
    generation: u64,
    threads: usize,
    pub(super) line: Line<Job>,
}

/// A job with its `done`; says whether it crashed.
pub(super) type Job = Box<dyn FnOnce(Order) -> bool + Send>;

/// What is to become of a job that leaves the line.
pub(super) enum Order {
    Work,
    Cancel,
    Expire,
}

impl Shared {
    pub(super) fn new(name: Arc<str>, options: PoolOptions) -> Self {
        Self {
            name,
            mailbox: Mailbox::new(Capacity::new(0)),
            options,
            state: Mutex::new(State {
                running: None,
                generation: 0,
                threads: 0,
                line: Line::new(options.queue_max),
            }),
            work: Condvar::new(),
            changed: Notify::new(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes on the job that is made of `parts`, or gives them back.
    pub(super) fn push<T>(
        &self,
        parts: T,
        deadline: Option<Duration>,
        make: impl FnOnce(T) -> Job,
    ) -> Result<JobId, T> {
        let mut state = self.lock();
        let Some(clock) = &state.running else {
            state.line.refuse();
            return Err(parts);
        };
        let due = deadline.and_then(|deadline| now(clock).checked_add(deadline));
        let due = due.map(Instant::into_std);
        let first = state.line.next_deadline();
        let pushed = state.line.push(parts, due, make);
        drop(state);
        let id = pushed?;
        self.work.notify_one();
        if due.is_some_and(|due| first.is_none_or(|first| due < first)) {
            self.changed.notify_one();
        }
        Ok(id)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "one of the places that spawn for all others"
    )]
    fn start_threads(self: &Arc<Self>, generation: u64, clock: &Handle) -> io::Result<()> {
        for number in 0..self.options.threads {
            let (shared, clock) = (Arc::clone(self), clock.clone());
            let builder = thread::named(&format!("{} {number}", self.name));
            self.lock().threads += 1;
            let started = builder.spawn(move || {
                let _entered = clock.enter();
                shared.work_through(generation);
            });
            match started {
                // Nobody joins it: it tells the process when it leaves.
                Ok(thread) => drop(thread),
                Err(error) => {
                    self.lock().threads -= 1;
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// The life of a worker thread.
    fn work_through(&self, generation: u64) {
        while let Some((id, job)) = self.next_job(generation) {
            // The job's own panics are caught in it; this is for those of its `done`.
            let crashed = guard::call(|| job(Order::Work)).unwrap_or_else(|caught| {
                answer_crashed(&self.name, &caught.crash);
                true
            });
            self.lock().line.finish(id, crashed);
        }
        self.lock().threads -= 1;
        self.changed.notify_one();
    }

    fn next_job(&self, generation: u64) -> Option<(JobId, Job)> {
        loop {
            self.expire();
            let mut state = self.lock();
            if state.running.is_none() || state.generation != generation {
                return None;
            }
            if let Some(next) = state.line.next() {
                return Some(next);
            }
            let state = self.work.wait(state);
            drop(state.unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Deals with all deadlines that have come; returns when the next one comes.
    pub(super) fn expire(&self) -> Option<Instant> {
        let mut expired = Expired::default();
        let next = {
            let mut state = self.lock();
            state.line.next_deadline()?;
            let now = now(state.running.as_ref()?).into_std();
            state.line.expire(now, &mut expired);
            state.line.next_deadline()
        };
        if expired.overran > 0 {
            let jobs = expired.overran;
            tracing::warn!(
                target: "belay_runtime",
                name = &*self.name,
                jobs,
                "worker pool works beyond a deadline"
            );
        }
        self.end_unstarted(expired.jobs, || Order::Expire);
        next.map(Instant::from_std)
    }

    fn end_unstarted(&self, jobs: Vec<Job>, order: impl Fn() -> Order) {
        for job in jobs {
            if let Err(caught) = guard::call(|| job(order())) {
                answer_crashed(&self.name, &caught.crash);
            }
        }
    }
}

impl Branch for Shared {
    fn kind(&self) -> &'static str {
        "worker pool"
    }

    fn detail(&self) -> Option<String> {
        let (working, threads) = (self.lock().line.stats().working, self.options.threads);
        Some(format!(
            "worker pool, {working} of {threads} threads at work"
        ))
    }

    fn queue(&self) -> Option<(MailboxState, u64)> {
        let stats = self.lock().line.stats();
        let jobs = |count| u32::try_from(count).unwrap_or(u32::MAX);
        let queue = MailboxState {
            depth: stats.waiting,
            high_water: jobs(stats.high_water),
            capacity: jobs(self.options.queue_max),
        };
        Some((queue, stats.done + stats.crashed + stats.working as u64))
    }
}

/// Logs that what was to be told an outcome panicked over it.
fn answer_crashed(pool: &str, crash: &Crash) {
    tracing::error!(
        target: "belay_runtime",
        name = pool,
        reason = %crash,
        "answer to a job of a worker pool crashed"
    );
}

/// The time by the clock of the pool's process, on whatever thread this is.
fn now(clock: &Handle) -> Instant {
    let _entered = clock.enter();
    Instant::now()
}

/// Ends the threads whatever way the process ends.
struct Running(Arc<Shared>);

impl Drop for Running {
    fn drop(&mut self) {
        let jobs = {
            let mut state = self.0.lock();
            state.running = None;
            state.line.clear()
        };
        self.0.work.notify_all();
        self.0.end_unstarted(jobs, || Order::Cancel);
    }
}

/// One incarnation of the process that owns the threads.
pub(super) async fn run(shared: Arc<Shared>, ctx: Context<Infallible>) -> Result<(), Exit> {
    let clock = Handle::current();
    let generation = {
        let mut state = shared.lock();
        state.running = Some(clock.clone());
        state.generation += 1;
        state.generation
    };
    let running = Running(Arc::clone(&shared));
    shared
        .start_threads(generation, &clock)
        .map_err(|error| Exit::error(format!("no thread for the worker pool: {error}")))?;
    let branch: Weak<dyn Branch> = Arc::<Shared>::downgrade(&shared);
    ctx.process().slot.core().lock().rare().branch = Some(branch);
    ctx.ready();
    watch_deadlines(&shared, &ctx).await;
    drop(running);
    while shared.lock().threads > 0 {
        shared.changed.notified().await;
    }
    Err(Exit::Shutdown)
}

/// Takes late jobs out of the line when all threads are at work, until the process is to stop.
async fn watch_deadlines(shared: &Shared, ctx: &Context<Infallible>) {
    let mut stopping = pin!(ctx.stopping());
    loop {
        let next = shared.expire();
        let timer = async {
            match next {
                Some(at) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        select! {
            biased;
            () = &mut stopping => return,
            () = shared.changed.notified() => {}
            () = timer => {}
        }
    }
}
