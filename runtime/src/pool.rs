//! `[process]` Blocking work on threads of its own, bounded and in line.
//!
//! ```text
//!   submit ─► queue (bounded) ─► worker threads ─► done(outcome)
//!               │ full: Busy          │ panic: Crashed, the thread goes on
//! ```

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;

use tokio::sync::Notify;

use crate::context::Context;
use crate::exit::Exit;
use crate::guard;
use crate::limits::POOL_THREADS_MAX;
use crate::mailbox::{Capacity, Mailbox};
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
/// async thread. The threads belong to a process; put its [`spec`](Self::spec) into the tree.
/// When that stops, each thread finishes the job it works on, and the jobs in line are
/// [cancelled](JobOutcome::Cancelled).
///
/// ```
/// # use belay_runtime::*;
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let login = WorkerPool::new("login", PoolOptions { threads: 1, queue_max: 2_000 });
/// let node = Node::start(Supervisor::builder("node").child(login.spec())).await.unwrap();
/// let (done, outcome) = tokio::sync::oneshot::channel();
/// login.submit(|| 6 * 7, |outcome| drop(done.send(outcome))).unwrap();
/// assert!(matches!(outcome.await, Ok(JobOutcome::Done(42))));
/// node.stop(std::time::Duration::from_secs(1)).await;
/// # }
/// ```
#[derive(Clone)]
pub struct WorkerPool {
    shared: Arc<Shared>,
}

struct Shared {
    name: Arc<str>,
    options: PoolOptions,
    line: Mutex<Line>,
    /// Wakes threads: there is work, or the end.
    work: Condvar,
    /// Wakes the process: a thread has ended.
    left: Notify,
}

#[derive(Default)]
struct Line {
    running: bool,
    /// Counts the incarnations of the process; threads of an earlier one leave.
    generation: u64,
    threads: usize,
    next: u64,
    jobs: VecDeque<Job>,
    /// Numbers of the jobs that are being worked on; at most as many as threads.
    working: Vec<u64>,
}

struct Job {
    number: u64,
    run: Box<dyn FnOnce(Order) + Send>,
}

/// What is to become of a job that leaves the line.
enum Order {
    Work,
    Cancel,
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
}

/// Busy: the queue is full, or the pool is not running now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("worker pool is busy")]
pub struct Busy;

impl WorkerPool {
    /// A pool that does not run yet.
    pub fn new(name: impl Into<Arc<str>>, options: PoolOptions) -> Self {
        let threads = options.threads.clamp(1, POOL_THREADS_MAX);
        let shared = Shared {
            name: name.into(),
            options: PoolOptions { threads, ..options },
            line: Mutex::default(),
            work: Condvar::new(),
            left: Notify::new(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// The spec to put it into a tree with.
    pub fn spec(&self) -> ChildSpec {
        let shared = Arc::clone(&self.shared);
        let body = move |ctx| run(Arc::clone(&shared), ctx);
        ChildSpec::body(
            Arc::clone(&self.shared.name),
            &Mailbox::new(Capacity::new(0)),
            body,
        )
        .acknowledged()
    }

    /// Puts a job into the line. `done` is called with its outcome, on the worker thread (or,
    /// when cancelled, where that was done), and must not block.
    ///
    /// # Errors
    /// [`Busy`] when [`PoolOptions::queue_max`] jobs wait, or the pool does not run; both closures
    /// are dropped then, uncalled.
    pub fn submit<R: Send + 'static>(
        &self,
        job: impl FnOnce() -> R + Send + 'static,
        done: impl FnOnce(JobOutcome<R>) + Send + 'static,
    ) -> Result<Ticket, Busy> {
        let run = Box::new(move |order| {
            done(match order {
                Order::Cancel => JobOutcome::Cancelled,
                Order::Work => match guard::call(job) {
                    Ok(value) => JobOutcome::Done(value),
                    Err(caught) => JobOutcome::Crashed(Exit::Crash(Arc::new(caught.crash))),
                },
            });
        });
        let number = {
            let mut line = self.shared.lock();
            if !line.running || line.jobs.len() >= self.shared.options.queue_max {
                return Err(Busy);
            }
            line.next += 1;
            let number = line.next;
            line.jobs.push_back(Job { number, run });
            number
        };
        self.shared.work.notify_one();
        Ok(Ticket {
            shared: Arc::clone(&self.shared),
            number,
        })
    }

    /// Jobs that wait now.
    pub fn waiting(&self) -> usize {
        self.shared.lock().jobs.len()
    }
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
    number: u64,
}

impl Ticket {
    /// The place in line: 0 is being worked on, 1 is next, `None` is over.
    ///
    /// Takes logarithmic time in the length of the line.
    pub fn position(&self) -> Option<u32> {
        let line = self.shared.lock();
        if line.working.contains(&self.number) {
            return Some(0);
        }
        let index = line
            .jobs
            .binary_search_by_key(&self.number, |job| job.number)
            .ok()?;
        Some(u32::try_from(index + 1).unwrap_or(u32::MAX))
    }

    /// Takes the job out of the line and calls its `done` with [`JobOutcome::Cancelled`]; false
    /// when it is being worked on or over.
    pub fn cancel(&self) -> bool {
        let job = {
            let mut line = self.shared.lock();
            let found = line
                .jobs
                .binary_search_by_key(&self.number, |job| job.number);
            found.ok().and_then(|index| line.jobs.remove(index))
        };
        job.is_some_and(|job| {
            (job.run)(Order::Cancel);
            true
        })
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ticket")
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start_threads(self: &Arc<Self>, generation: u64) -> io::Result<()> {
        for number in 0..self.options.threads {
            let shared = Arc::clone(self);
            let builder = Builder::new().name(format!("{} {number}", self.name));
            self.lock().threads += 1;
            match builder.spawn(move || shared.work_through(generation)) {
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
        while let Some(job) = self.next_job(generation) {
            let number = job.number;
            // The job's own panics are caught in it; this is for those of its `done`.
            drop(guard::call(|| (job.run)(Order::Work)));
            self.lock().working.retain(|working| *working != number);
        }
        self.lock().threads -= 1;
        self.left.notify_one();
    }

    fn next_job(&self, generation: u64) -> Option<Job> {
        let mut line = self.lock();
        loop {
            if !line.running || line.generation != generation {
                return None;
            }
            if let Some(job) = line.jobs.pop_front() {
                line.working.push(job.number);
                return Some(job);
            }
            line = self.work.wait(line).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Ends the threads whatever way the process ends.
struct Running(Arc<Shared>);

impl Drop for Running {
    fn drop(&mut self) {
        let jobs = {
            let mut line = self.0.lock();
            line.running = false;
            std::mem::take(&mut line.jobs)
        };
        self.0.work.notify_all();
        for job in jobs {
            drop(guard::call(|| (job.run)(Order::Cancel)));
        }
    }
}

/// One incarnation of the process that owns the threads.
async fn run(shared: Arc<Shared>, ctx: Context<Infallible>) -> Result<(), Exit> {
    let generation = {
        let mut line = shared.lock();
        line.running = true;
        line.generation += 1;
        line.generation
    };
    let running = Running(Arc::clone(&shared));
    shared
        .start_threads(generation)
        .map_err(|error| Exit::error(format!("no thread for the worker pool: {error}")))?;
    ctx.ready();
    ctx.stopping().await;
    drop(running);
    while shared.lock().threads > 0 {
        shared.left.notified().await;
    }
    Err(Exit::Shutdown)
}
