//! `[process]` Awaiting a job of a worker pool.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::worker_pool::{JobOutcome, Ticket, WorkerPool};
use crate::exit::Exit;

/// Why a job that was [run](WorkerPool::run) has no result.
#[derive(Clone, Debug, thiserror::Error)]
pub enum JobError {
    /// Busy: the queue is full, or the pool does not run; the job was dropped.
    #[error("worker pool is full or does not run")]
    Busy,
    /// Busy: the deadline passed before a thread was free; the job was not started.
    #[error("job waited until its deadline")]
    Expired,
    /// Busy: the deadline passed while the job was worked on. It goes on, and its result is
    /// dropped.
    #[error("job ran until its deadline")]
    Overran,
    /// Busy: the pool stopped before a thread was free; the job was not started.
    #[error("worker pool stopped")]
    Cancelled,
    /// Bug: the job panicked.
    #[error("job ended: {0}")]
    Crashed(Exit),
}

impl WorkerPool {
    /// Runs a job on a thread of the pool and waits for its result.
    ///
    /// # Errors
    /// [`JobError::Busy`], [`JobError::Cancelled`] or [`JobError::Crashed`].
    ///
    /// # Cancel safety
    /// When the future is dropped, the job is taken out of the line; one that is being worked on
    /// is finished, and its result dropped.
    pub async fn run<R: Send + 'static>(
        &self,
        job: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, JobError> {
        let (_waits, outcome) = self.begin(None, job)?;
        result(outcome.await.ok())
    }

    /// As [`run`](Self::run), no longer than `deadline`, which covers waiting in line and being
    /// worked on.
    ///
    /// # Errors
    /// Any [`JobError`].
    ///
    /// # Cancel safety
    /// As [`run`](Self::run).
    pub async fn run_within<R: Send + 'static>(
        &self,
        deadline: Duration,
        job: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, JobError> {
        let (waits, mut outcome) = self.begin(Some(deadline), job)?;
        if let Ok(outcome) = timeout(deadline, &mut outcome).await {
            return result(outcome.ok());
        }
        // Its deadline is not after ours: when it waits in line, this is told that it expired.
        waits.0.expire();
        match outcome.try_recv() {
            Ok(outcome) => result(Some(outcome)),
            Err(oneshot::error::TryRecvError::Empty) => Err(JobError::Overran),
            Err(oneshot::error::TryRecvError::Closed) => Err(JobError::Cancelled),
        }
    }

    fn begin<R: Send + 'static>(
        &self,
        deadline: Option<Duration>,
        job: impl FnOnce() -> R + Send + 'static,
    ) -> Result<(Waits, oneshot::Receiver<JobOutcome<R>>), JobError> {
        let (answer, outcome) = oneshot::channel();
        let done = move |outcome| drop(answer.send(outcome));
        let ticket = self.take_on(deadline, job, done);
        let ticket = ticket.map_err(|_given_back| JobError::Busy)?;
        Ok((Waits(ticket), outcome))
    }
}

/// Takes the job out of the line when nobody waits for it any more.
struct Waits(Ticket);

impl Drop for Waits {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

fn result<R>(outcome: Option<JobOutcome<R>>) -> Result<R, JobError> {
    match outcome {
        Some(JobOutcome::Done(value)) => Ok(value),
        Some(JobOutcome::Crashed(exit)) => Err(JobError::Crashed(exit)),
        Some(JobOutcome::Expired) => Err(JobError::Expired),
        Some(JobOutcome::Cancelled) | None => Err(JobError::Cancelled),
    }
}
