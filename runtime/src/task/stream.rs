//! `[process]` A bounded concurrent map.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use super::handle::Task;
use super::supervisor::{TaskRefused, TaskSupervisor};
use crate::exit::Exit;
use crate::limits::KILL_GRACE;
use crate::supervisor::StartError;

/// How a [bounded map](TaskSupervisor::map_bounded) runs.
#[derive(Clone, Copy, Debug)]
pub struct MapOptions {
    /// Tasks at once, those included that have finished and whose result was not taken yet; at
    /// least 1. When reached: the next item waits. Elixir's `max_concurrency`.
    pub concurrency_max: usize,
    /// How long each task may take from its start. When reached: it is dropped at an await point
    /// and its item is [`TaskError::Expired`]. Elixir's `timeout` with `on_timeout: :kill_task`.
    pub deadline: Duration,
}

/// Why an item has no result.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// The task ended without one: it crashed (bug), or was killed.
    #[error("task ended: {0}")]
    Ended(Exit),
    /// Busy: it did not finish within [`MapOptions::deadline`].
    #[error("task did not finish within its deadline")]
    Expired,
    /// Busy: it was not started.
    #[error("task was not started")]
    Refused(#[source] StartError),
}

/// The results of a [bounded map](TaskSupervisor::map_bounded), in the order of the items.
///
/// Nothing starts before the first [`next`](Self::next), and items are taken from the iterator only
/// as tasks are started, so that it may be endless. A task that fails is an `Err` for its item and
/// touches no other. While the supervisor has no room, an item waits for one of the tasks of this
/// stream to finish; it is [`TaskError::Refused`] only when there is none to wait for.
///
/// Dropping the stream kills the tasks that run.
///
/// ```
/// # use std::time::Duration;
/// # use belay_runtime::*;
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let tasks = TaskSupervisor::new("tasks", TaskOptions::default());
/// let node = Node::start(Supervisor::builder("node").child(tasks.spec())).await.unwrap();
///
/// let options = MapOptions { concurrency_max: 4, deadline: Duration::from_secs(5) };
/// let mut squares = tasks.map_bounded("square", 1..=10_u32, options, |item| async move {
///     assert_ne!(item, 2, "two is poison");
///     item * item
/// });
/// assert_eq!(squares.next().await.unwrap().unwrap(), 1);
/// assert!(matches!(squares.next().await, Some(Err(TaskError::Ended(_)))));
/// let rest: Vec<_> = squares.collect().await.into_iter().flatten().collect();
/// assert_eq!(rest, [9, 16, 25, 36, 49, 64, 81, 100]);
/// node.stop(Duration::from_secs(1)).await;
/// # }
/// ```
#[must_use = "nothing runs before the first `next`"]
pub struct TaskStream<I, G, F: Future> {
    tasks: TaskSupervisor,
    name: Arc<str>,
    options: MapOptions,
    items: I,
    make: G,
    /// The future of an item that there was no room for yet.
    waiting: Option<F>,
    /// Oldest item first.
    running: VecDeque<Running<F::Output>>,
}

/// A task of a stream; its result is `None` when it was over its deadline.
struct Running<R> {
    task: Task<Option<R>>,
    /// When to stop waiting for a task that does not come to an await point.
    patience: Instant,
}

impl<I, G, F> TaskStream<I, G, F>
where
    I: Iterator,
    G: FnMut(I::Item) -> F,
    F: Future<Output: Send> + Send + 'static,
{
    pub(super) fn new(
        tasks: TaskSupervisor,
        name: Arc<str>,
        (items, make): (I, G),
        options: MapOptions,
    ) -> Self {
        Self {
            tasks,
            name,
            options,
            items,
            make,
            waiting: None,
            running: VecDeque::new(),
        }
    }

    /// The result for the next item; `None` after the last.
    ///
    /// # Cancel safety
    /// Cancel safe: the tasks run on and no result is lost.
    ///
    /// # Panics
    /// When the iterator or the closure does; what is running stays.
    pub async fn next(&mut self) -> Option<Result<F::Output, TaskError>> {
        if let Err(reason) = self.fill() {
            return Some(Err(TaskError::Refused(reason)));
        }
        let oldest = self.running.front_mut()?;
        let outcome = match timeout_at(oldest.patience, &mut oldest.task).await {
            Ok(Ok(Some(value))) => Ok(value),
            Ok(Ok(None)) | Err(_) => Err(TaskError::Expired),
            Ok(Err(exit)) => Err(TaskError::Ended(exit)),
        };
        self.running.pop_front();
        Some(outcome)
    }

    /// All results that are left.
    ///
    /// # Cancel safety
    /// Not cancel safe: when the future is dropped, the tasks are killed and the results are gone.
    pub async fn collect(mut self) -> Vec<Result<F::Output, TaskError>> {
        let mut results = Vec::new();
        while let Some(result) = self.next().await {
            results.push(result);
        }
        results
    }

    /// Starts tasks until there are as many as may be, no items, or no room in the supervisor.
    fn fill(&mut self) -> Result<(), StartError> {
        while self.running.len() < self.options.concurrency_max.max(1) {
            let waiting = self.waiting.take();
            let Some(future) = waiting.or_else(|| self.items.next().map(&mut self.make)) else {
                return Ok(());
            };
            if let Err(refused) = self.start(future) {
                if self.running.is_empty() {
                    return Err(refused.reason);
                }
                self.waiting = Some(refused.future);
                return Ok(());
            }
        }
        Ok(())
    }

    fn start(&mut self, future: F) -> Result<(), TaskRefused<F>> {
        let at = after(Instant::now(), self.options.deadline);
        let (answer, result) = oneshot::channel();
        let process =
            self.tasks
                .start(Arc::clone(&self.name), future, move |future| async move {
                    // The stream may be gone.
                    drop(answer.send(timeout_at(at, future).await.ok()));
                })?;
        self.running.push_back(Running {
            task: Task::new(process, result),
            patience: after(at, KILL_GRACE),
        });
        Ok(())
    }
}

/// Thirty years stand for ever, as in tokio.
fn after(at: Instant, span: Duration) -> Instant {
    at.checked_add(span)
        .unwrap_or(at + Duration::from_secs(86_400 * 365 * 30))
}

impl<I, G, F: Future> fmt::Debug for TaskStream<I, G, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskStream")
            .field("name", &self.name)
            .field("running", &self.running.len())
            .finish_non_exhaustive()
    }
}
