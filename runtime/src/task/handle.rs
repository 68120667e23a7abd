//! `[process]` A running task, seen by whoever waits for its result.

use std::fmt;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll, ready};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::exit::Exit;
use crate::grace::Grace;
use crate::policy::Shutdown;
use crate::process_ref::ProcessRef;
use crate::slot::Purpose;
use crate::supervisor::stop_one;

/// A task that a [`TaskSupervisor`](crate::TaskSupervisor) runs: Elixir's `%Task{}`.
///
/// Awaiting it (`Task.await`) gives its result, or the [`Exit`] it ended with: a panic in the task
/// is an `Err` here, never a panic of whoever awaits. Any process may await it, not only the one
/// that started it, and it may be moved between threads.
///
/// The task belongs to whoever holds this: **dropping it kills the task** at its next await point,
/// unless it has ended. [`detach`](Self::detach) lets it run on. The result waits here until it is
/// taken; once it was, awaiting again gives the exit of the task ([`Exit::Normal`]).
///
/// # Cancel safety
/// Awaiting `&mut task` is cancel safe: the task runs on and its result is kept. Awaiting the task
/// itself in something that is dropped drops the task, and so kills it.
///
/// ```
/// # use std::time::Duration;
/// # use belay_runtime::*;
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let tasks = TaskSupervisor::new("tasks", TaskOptions::default());
/// let node = Node::start(Supervisor::builder("node").child(tasks.spec())).await.unwrap();
///
/// let sum = tasks.spawn_task("sum", async { 40 + 2 }).unwrap();
/// assert_eq!(sum.await.unwrap(), 42);
///
/// let fails = tasks.spawn_task("fails", async { panic!("no floor") }).unwrap();
/// let exit: Result<(), Exit> = fails.await;
/// assert!(matches!(exit, Err(Exit::Crash(crash)) if crash.text == "no floor"));
/// node.stop(Duration::from_secs(1)).await;
/// # }
/// ```
#[must_use = "dropping a task kills it; use detach to let it run on"]
pub struct Task<R> {
    process: ProcessRef,
    /// `None` when the result was taken, or will not come.
    result: Option<oneshot::Receiver<R>>,
    /// The wait for the end of a task that has no result.
    ending: Option<Pin<Box<dyn Future<Output = ()> + Send + Sync>>>,
    kept: bool,
}

impl<R> Task<R> {
    pub(super) fn new(process: ProcessRef, result: oneshot::Receiver<R>) -> Self {
        Self {
            process,
            result: Some(result),
            ending: None,
            kept: false,
        }
    }

    /// The process it runs in, for links, monitors, and the tree.
    pub fn process(&self) -> &ProcessRef {
        &self.process
    }

    /// True when awaiting it would not wait: its result is there, or it has ended without one.
    pub fn is_finished(&self) -> bool {
        let arrived = self
            .result
            .as_ref()
            .is_some_and(|result| !result.is_empty());
        arrived || !self.process.is_alive()
    }

    /// Waits for the result no longer than `limit`: Elixir's `Task.yield`. `None` means that the
    /// task is still running; it may be asked again.
    ///
    /// # Cancel safety
    /// Cancel safe: the task runs on and its result is kept.
    pub async fn yield_within(&mut self, limit: Duration) -> Option<Result<R, Exit>> {
        timeout(limit, self).await.ok()
    }

    /// Lets the task finish within `limit`, then kills it: Elixir's `Task.shutdown`.
    ///
    /// Gives the result when it came in time, also when it had come before. A task is not told
    /// that it should stop: it finishes, or is dropped at an await point; one that has not begun
    /// never does. When this returns, the task has ended, unless its code does not come to an
    /// await point within a further [`KILL_GRACE`](crate::limits::KILL_GRACE): then it is left
    /// behind, and reported.
    ///
    /// # Errors
    /// [`Exit::Killed`] when it did not finish in time, else the exit it ended with.
    ///
    /// # Cancel safety
    /// When the future is dropped the task is killed.
    pub async fn shutdown(mut self, limit: Duration) -> Result<R, Exit> {
        stop_one(&self.process, Grace::of(Shutdown::Timeout(limit))).await;
        match self.result.take().map(|mut result| result.try_recv()) {
            Some(Ok(value)) => Ok(value),
            Some(Err(_)) | None => Err(self.exit()),
        }
    }

    /// Lets the task run on without anybody to take its result.
    pub fn detach(mut self) -> ProcessRef {
        self.kept = true;
        self.process.clone()
    }

    /// Why it ended; when it has not, it is about to be killed.
    fn exit(&self) -> Exit {
        let control = self.process.slot.core().lock();
        control.last_exit.clone().unwrap_or(Exit::Killed)
    }
}

impl<R> Future for Task<R> {
    type Output = Result<R, Exit>;

    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        if let Some(result) = &mut this.result {
            let arrived = ready!(Pin::new(result).poll(cx));
            this.result = None;
            if let Ok(value) = arrived {
                return Poll::Ready(Ok(value));
            }
        }
        // No result: its sender was dropped with the task, whose exit is known in a moment.
        let process = &this.process;
        let ending = this.ending.get_or_insert_with(|| {
            let process = process.clone();
            Box::pin(async move {
                process.ended().await;
            })
        });
        ready!(ending.as_mut().poll(cx));
        this.ending = None;
        Poll::Ready(Err(this.exit()))
    }
}

impl<R> Drop for Task<R> {
    fn drop(&mut self) {
        if !self.kept && !self.is_finished() {
            self.process.request_stop(Grace::BRUTAL, Purpose::End);
        }
    }
}

impl<R> fmt::Debug for Task<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task")
            .field("process", &self.process)
            .finish_non_exhaustive()
    }
}
