//! `[process]` The handle of a worker pool, and of its jobs.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::line::{JobId, PoolStats};
use super::threads::{Order, Shared, run};
use crate::exit::Exit;
use crate::guard;
use crate::limits::POOL_THREADS_MAX;
use crate::spec::ChildSpec;

/// How a worker pool behaves.
#[derive(Clone, Copy, Debug)]
pub struct PoolOptions {
    /// Threads, from 1 to [`POOL_THREADS_MAX`].
    pub threads: usize,
    /// Jobs that may wait, those being worked on not counted. When reached: [`Busy`].
    pub queue_max: usize,
}

/// A few operating system threads that work through a bounded queue, first come first served.
///
/// For work that blocks or computes long, such as hashing a password: nothing of it runs on an
/// async thread. What poolboy and `nimble_pool` are for in Elixir. The threads belong to a process;
/// put its [`spec`](Self::spec) into the tree. When that stops, each thread finishes the job it
/// works on, and the jobs in line are [cancelled](JobOutcome::Cancelled).
///
/// A job may have a deadline, from its submission. When it passes while the job waits, the job is
/// taken out of the line, at once and unstarted: [`JobOutcome::Expired`]. When it passes while the
/// job is worked on, nothing can stop the job: it goes on, its outcome is told as ever, and the
/// overrun is logged and counted in [`PoolStats::overran`]. Deadlines go by tokio's clock, which a
/// test can pause; a paused clock does not stand still for what the threads do.
///
/// ```
/// # use std::time::Duration;
/// # use belay_runtime::*;
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let login = WorkerPool::new("login", PoolOptions { threads: 1, queue_max: 2_000 });
/// let node = Node::start(Supervisor::builder("node").child(login.spec())).await.unwrap();
/// assert_eq!(login.run(|| 6 * 7).await.unwrap(), 42);
/// let hashed = login.run_within(Duration::from_secs(5), || "hash");
/// assert_eq!(hashed.await.unwrap(), "hash");
/// let crash = login.run(|| -> u32 { panic!("no salt") }).await;
/// assert!(matches!(crash, Err(JobError::Crashed(_))));
///
/// // From code that does not await:
/// let (done, outcome) = tokio::sync::oneshot::channel();
/// let ticket = login.submit(|| 6 * 7, |outcome| drop(done.send(outcome))).unwrap();
/// assert!(matches!(outcome.await, Ok(JobOutcome::Done(42))));
/// # while ticket.position().is_some() { tokio::task::yield_now().await }
/// assert_eq!(ticket.position(), None);
/// assert_eq!(login.stats().done, 3);
/// node.stop(Duration::from_secs(1)).await;
/// # }
/// ```
#[derive(Clone)]
pub struct WorkerPool {
    shared: Arc<Shared>,
}

/// How a job ended; told exactly once for each job that was taken on.
#[derive(Debug)]
pub enum JobOutcome<R> {
    /// It returned this.
    Done(R),
    /// It panicked.
    Crashed(Exit),
    /// It was taken out of the line: by its [`Ticket`], or because the pool stopped.
    Cancelled,
    /// Its deadline passed before a thread was free; it was not started.
    Expired,
}

/// Busy: the queue is full, or the pool is not running now. Gives back what was submitted.
#[derive(Clone, Copy, thiserror::Error)]
#[error("worker pool is full or does not run")]
pub struct Busy<J, D> {
    /// The job, uncalled.
    pub job: J,
    /// What was to be told its outcome, uncalled.
    pub done: D,
}

impl<J, D> fmt::Debug for Busy<J, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Busy(..)")
    }
}

impl WorkerPool {
    /// A pool that does not run yet.
    pub fn new(name: impl Into<Arc<str>>, options: PoolOptions) -> Self {
        let threads = options.threads.clamp(1, POOL_THREADS_MAX);
        let options = PoolOptions { threads, ..options };
        Self {
            shared: Arc::new(Shared::new(name.into(), options)),
        }
    }

    /// The spec to put it into a tree with.
    pub fn spec(&self) -> ChildSpec {
        let shared = Arc::clone(&self.shared);
        let body = move |ctx| run(Arc::clone(&shared), ctx);
        ChildSpec::body(Arc::clone(&self.shared.name), &self.shared.mailbox, body).acknowledged()
    }

    /// Puts a job into the line. `done` is called with its outcome, on the worker thread (or,
    /// when it is not started, where that was found), and must not block.
    ///
    /// # Errors
    /// [`Busy`] when [`PoolOptions::queue_max`] jobs wait, or the pool does not run; it gives both
    /// closures back.
    pub fn submit<R, J, D>(&self, job: J, done: D) -> Result<Ticket, Busy<J, D>>
    where
        R: Send + 'static,
        J: FnOnce() -> R + Send + 'static,
        D: FnOnce(JobOutcome<R>) + Send + 'static,
    {
        self.take_on(None, job, done)
    }

    /// As [`submit`](Self::submit), with a deadline from now.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub fn submit_within<R, J, D>(
        &self,
        deadline: Duration,
        job: J,
        done: D,
    ) -> Result<Ticket, Busy<J, D>>
    where
        R: Send + 'static,
        J: FnOnce() -> R + Send + 'static,
        D: FnOnce(JobOutcome<R>) + Send + 'static,
    {
        self.take_on(Some(deadline), job, done)
    }

    pub(super) fn take_on<R, J, D>(
        &self,
        deadline: Option<Duration>,
        job: J,
        done: D,
    ) -> Result<Ticket, Busy<J, D>>
    where
        R: Send + 'static,
        J: FnOnce() -> R + Send + 'static,
        D: FnOnce(JobOutcome<R>) + Send + 'static,
    {
        let pushed = self.shared.push((job, done), deadline, |(job, done)| {
            Box::new(move |order| carry_out(order, job, done))
        });
        match pushed {
            Ok(id) => Ok(Ticket {
                shared: Arc::clone(&self.shared),
                id,
            }),
            Err((job, done)) => Err(Busy { job, done }),
        }
    }

    /// Jobs that wait now.
    pub fn waiting(&self) -> usize {
        self.stats().waiting
    }

    /// What it counted, over all incarnations of its process.
    pub fn stats(&self) -> PoolStats {
        self.shared.lock().line.stats()
    }
}

/// Does with a job what is ordered, and tells its outcome; says whether it crashed.
fn carry_out<R>(order: Order, job: impl FnOnce() -> R, done: impl FnOnce(JobOutcome<R>)) -> bool {
    let (outcome, crashed) = match order {
        Order::Cancel => (JobOutcome::Cancelled, false),
        Order::Expire => (JobOutcome::Expired, false),
        Order::Work => match guard::call(job) {
            Ok(value) => (JobOutcome::Done(value), false),
            Err(caught) => {
                let exit = Exit::Crash(Arc::new(caught.crash));
                (JobOutcome::Crashed(exit), true)
            }
        },
    };
    done(outcome);
    crashed
}

impl fmt::Debug for WorkerPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerPool")
            .field("name", &self.shared.name)
            .finish_non_exhaustive()
    }
}

/// A job that was taken on.
#[derive(Clone)]
pub struct Ticket {
    shared: Arc<Shared>,
    id: JobId,
}

impl Ticket {
    /// The place in line: 0 is being worked on, 1 is next, `None` is over.
    ///
    /// Takes logarithmic time in the length of the line.
    pub fn position(&self) -> Option<u32> {
        let position = self.shared.lock().line.position(self.id)?;
        Some(u32::try_from(position).unwrap_or(u32::MAX))
    }

    /// Takes the job out of the line and calls its `done` with [`JobOutcome::Cancelled`]; false
    /// when it is being worked on or over.
    pub fn cancel(&self) -> bool {
        let job = self.shared.lock().line.cancel(self.id);
        job.is_some_and(|job| {
            job(Order::Cancel);
            true
        })
    }

    /// Takes what is over its deadline out of the line, this job among it if it is.
    pub(super) fn expire(&self) {
        self.shared.expire();
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ticket")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
