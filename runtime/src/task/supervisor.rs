//! `[process]` The supervisor of tasks.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

use super::handle::Task;
use super::stream::{MapOptions, TaskStream};
use crate::context::Context;
use crate::limits::SHUTDOWN_DEFAULT;
use crate::policy::Shutdown;
use crate::process_ref::ProcessRef;
use crate::spec::ChildSpec;
use crate::supervisor::{DynamicOptions, DynamicSupervisor, StartError};
use crate::window::Intensity;

/// How a task supervisor behaves.
#[derive(Clone, Copy, Debug)]
pub struct TaskOptions {
    /// Tasks at once. When reached: [`TaskRefused`] with [`StartError::TooManyChildren`].
    pub tasks_max: usize,
    /// What its tasks get when the supervisor stops. They are not told of it: within a
    /// [`Shutdown::Timeout`] they may finish, then they are dropped at an await point.
    pub shutdown: Shutdown,
    /// As [`DynamicOptions::partitions`].
    pub partitions: usize,
}

impl Default for TaskOptions {
    /// Ten thousand tasks, [`SHUTDOWN_DEFAULT`] to finish, one partition.
    fn default() -> Self {
        Self {
            tasks_max: 10_000,
            shutdown: Shutdown::Timeout(SHUTDOWN_DEFAULT),
            partitions: 1,
        }
    }
}

/// Runs one-off async work under supervision, a bounded number at once: Elixir's
/// `Task.Supervisor`.
///
/// Put its [`spec`](Self::spec) into the tree; each task is a temporary child with a name, seen in
/// the tree. A task that crashes is reported as any process is, never restarted, and does not
/// count against any intensity. How it is tied to whoever starts it:
///
/// | start with | Elixir | result | when the task crashes |
/// |---|---|---|---|
/// | [`spawn_task`](Self::spawn_task) | `async_nolink` | [`Task`] | the [`Task`] gives the exit |
/// | [`spawn_linked`](Self::spawn_linked) | `async` | [`Task`] | the process exits too |
/// | [`spawn_detached`](Self::spawn_detached) | `start_child` | none | it is logged |
/// | [`map_bounded`](Self::map_bounded) | `async_stream` | [`TaskStream`] | its item is an `Err` |
///
/// Work that blocks or computes long does not belong here but to a
/// [`WorkerPool`](crate::WorkerPool).
///
/// ```
/// # use std::time::Duration;
/// # use belay_runtime::*;
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let tasks = TaskSupervisor::new("tasks", TaskOptions { tasks_max: 2, ..Default::default() });
/// let node = Node::start(Supervisor::builder("node").child(tasks.spec())).await.unwrap();
///
/// let (go, gone) = tokio::sync::oneshot::channel::<u32>();
/// let mut slow = tasks.spawn_task("slow", gone).unwrap();
/// assert!(slow.yield_within(Duration::from_millis(1)).await.is_none());
/// tasks.spawn_detached("for ever", std::future::pending::<()>()).unwrap();
/// let refused = tasks.spawn_task("one more", async { 7 }).unwrap_err();
/// assert!(matches!(refused.reason, StartError::TooManyChildren { max: 2 }));
/// assert_eq!(refused.future.await, 7);
///
/// go.send(3).unwrap();
/// assert_eq!(slow.await.unwrap(), Ok(3));
/// # drop(node);
/// # }
/// ```
#[derive(Clone)]
pub struct TaskSupervisor {
    children: DynamicSupervisor,
    shutdown: Shutdown,
}

impl TaskSupervisor {
    /// A supervisor that does not run yet.
    pub fn new(name: impl Into<Arc<str>>, options: TaskOptions) -> Self {
        let dynamic = DynamicOptions {
            max_children: options.tasks_max,
            intensity: Intensity::default(),
            partitions: options.partitions,
        };
        Self {
            children: DynamicSupervisor::new(name, dynamic),
            shutdown: options.shutdown,
        }
    }

    /// The spec to put it into a tree with; it runs in one place at a time.
    pub fn spec(&self) -> ChildSpec {
        self.children.spec()
    }

    /// Starts a task that is not linked to anybody: Elixir's `Task.Supervisor.async_nolink`.
    ///
    /// Returns at once, from any thread. What happens when the [`Task`] is dropped is said there.
    ///
    /// # Errors
    /// [`TaskRefused`] with the future, unpolled, when the supervisor has all the tasks it may have
    /// or does not run.
    pub fn spawn_task<F>(
        &self,
        name: impl Into<Arc<str>>,
        future: F,
    ) -> Result<Task<F::Output>, TaskRefused<F>>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        let (answer, result) = oneshot::channel();
        // Nobody may wait for it any more.
        let run = |future: F| async move { drop(answer.send(future.await)) };
        let process = self.start(name.into(), future, run)?;
        Ok(Task::new(process, result))
    }

    /// Starts a task that is linked to the process of `ctx`: Elixir's `Task.async`.
    ///
    /// When the task crashes, that process gets its exit, at once and whether it awaits the task
    /// or not: it ends too, or receives a [`Signal::Exit`](crate::Signal::Exit) when it traps
    /// exits. When that process ends in any way but normally, the task is ended.
    ///
    /// # Errors
    /// As [`spawn_task`](Self::spawn_task); nothing is linked then.
    ///
    /// # Panics
    /// As [`Context::link`].
    pub fn spawn_linked<M, F>(
        &self,
        ctx: &mut Context<M>,
        name: impl Into<Arc<str>>,
        future: F,
    ) -> Result<Task<F::Output>, TaskRefused<F>>
    where
        M: Send + 'static,
        F: Future<Output: Send> + Send + 'static,
    {
        let task = self.spawn_task(name, future)?;
        ctx.link(task.process());
        Ok(task)
    }

    /// Starts a task whose result nobody wants: Elixir's `Task.Supervisor.start_child`.
    ///
    /// # Errors
    /// As [`spawn_task`](Self::spawn_task).
    pub fn spawn_detached<F>(
        &self,
        name: impl Into<Arc<str>>,
        future: F,
    ) -> Result<ProcessRef, TaskRefused<F>>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        self.start(
            name.into(),
            future,
            |future| async move { drop(future.await) },
        )
    }

    /// Runs `make(item)` for each item in a task of its own, at most
    /// [`MapOptions::concurrency_max`] at once; the results come in the order of the items.
    /// Elixir's `Task.Supervisor.async_stream_nolink`; see [`TaskStream`].
    pub fn map_bounded<I, G, F>(
        &self,
        name: impl Into<Arc<str>>,
        items: I,
        options: MapOptions,
        make: G,
    ) -> TaskStream<I::IntoIter, G, F>
    where
        I: IntoIterator,
        G: FnMut(I::Item) -> F,
        F: Future<Output: Send> + Send + 'static,
    {
        TaskStream::new(
            self.clone(),
            name.into(),
            (items.into_iter(), make),
            options,
        )
    }

    /// Tasks that run now.
    pub fn count(&self) -> usize {
        self.children.count()
    }

    /// Starts a task that runs what `run` makes of `future`.
    pub(super) fn start<F, Run>(
        &self,
        name: Arc<str>,
        future: F,
        run: impl FnOnce(F) -> Run + Send + 'static,
    ) -> Result<ProcessRef, TaskRefused<F>>
    where
        F: Send + 'static,
        Run: Future<Output = ()> + Send + 'static,
    {
        // Lies here until the task begins, so that it can be given back when none does.
        let parcel = Arc::new(Mutex::new(Some(future)));
        let sent = Arc::clone(&parcel);
        let spec = ChildSpec::task(name, move |_| {
            let run = open(&sent).map(run);
            async move {
                if let Some(run) = run {
                    run.await;
                }
                Ok(())
            }
        });
        let started = self.children.spawn_child(spec.shutdown(self.shutdown));
        started.map_err(|reason| TaskRefused {
            #[expect(clippy::expect_used, reason = "the spec was dropped without being run")]
            future: open(&parcel).expect("the task did not begin"),
            reason,
        })
    }
}

fn open<F>(parcel: &Mutex<Option<F>>) -> Option<F> {
    parcel.lock().unwrap_or_else(PoisonError::into_inner).take()
}

impl fmt::Debug for TaskSupervisor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TaskSupervisor")
            .field(&self.children)
            .finish()
    }
}

/// A task that was not started. Gives the future back.
#[derive(thiserror::Error)]
#[error("task was not started")]
pub struct TaskRefused<F> {
    /// The future as it was given, unpolled.
    pub future: F,
    /// Why: [`StartError::TooManyChildren`] or [`StartError::NotRunning`] (both busy).
    #[source]
    pub reason: StartError,
}

impl<F> fmt::Debug for TaskRefused<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskRefused")
            .field("reason", &self.reason)
            .finish_non_exhaustive()
    }
}
