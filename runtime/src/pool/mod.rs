//! `[process]` Blocking work on threads of its own, bounded and in line.
//!
//! ```text
//!   submit ─► line (bounded) ─► worker threads ─► done(outcome)
//!               │ full: Busy          │ panic: Crashed, the thread goes on
//!               │ late: Expired       │ late: counted and logged, goes on
//! ```

mod line;
mod run;
mod threads;
mod worker_pool;

pub use line::PoolStats;
pub use run::JobError;
pub use worker_pool::{Busy, JobOutcome, PoolOptions, Ticket, WorkerPool};
