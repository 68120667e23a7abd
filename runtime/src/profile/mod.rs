//! `[process]` An always-on profiler: where the time of each thread goes.
//!
//! ```text
//!   Span::enter, polls of processes            any thread
//!        │ this thread's own lane                  │
//!        ▼                                         ▼
//!   node ─► node ─► node  ──────── reading ─► difference of two ─► report ─► text, serde, log
//!   (one a path of spans: time, count)
//! ```
//! * `class`: what kind a process is, by its name.
//! * `span`, `node`, `lane`: recording; nothing there waits, but for a new path or thread.
//! * `tree` and `report` compute, `profiler` keeps the last reading, `signal` hears SIGUSR1.

mod class;
mod lane;
mod node;
mod profiler;
mod report;
mod signal;
mod span;
mod tree;

pub use profiler::{DumpError, Profiler, ProfilerOptions};
pub use report::{ProfileReport, SpanReport, ThreadReport};
pub use span::{Span, SpanGuard};

pub(crate) use class::{ClassId, class};
pub(crate) use span::enter_at;
