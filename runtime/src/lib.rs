//! `[process]` Supervised processes in the manner of Erlang/OTP, on tokio.
//!
//! * A [`Process`] (or a [body](ChildSpec::body): an async function with a loop of its own) reads
//!   a bounded [`Mailbox`], which outlives its incarnations; others hold an [`Address`] of it.
//!   Exits, stops and monitors come in a lane of their own, before the messages.
//! * A [`ChildSpec`] says what to run and what to do about it; a [`Supervisor`] starts its
//!   children in order and restarts them by a [`Strategy`] within an [`Intensity`]; a
//!   [`DynamicSupervisor`] has children that come and go; a [`Tether`] has one that may fail as it
//!   likes. A [`Node`] is a running tree.
//! * A panic in a process becomes its [`Exit`], a log record, and its supervisor's business; the
//!   messages behind the one it was about stay queued.
//! * A [`Registry`] names processes, an [`Heir`] keeps state over a crash, a [`TaskSupervisor`]
//!   runs what has a result, a [`WorkerPool`] does what blocks, a [blocking
//!   process](ChildSpec::blocking) owns what blocks, [`Node::tree`] shows all that runs.
//! * The module `test_kit` (cargo feature `test-kit`) tests all of that without a single sleep.
//!
//! ```text
//!   Node ── supervisor ─┬─ process          sender ─► Address ─► Mailbox ─batch─► Context::next
//!                       ├─ supervisor ─ …             kill, exit, Down ─► lane ──────┘
//!                       └─ dynamic supervisor ─ processes
//! ```
//!
//! # Limits
//! What OTP has and this has not, because tokio has not:
//! * **No preemption.** A process that computes without awaiting keeps its worker thread; killing
//!   it takes effect at its next await point. A supervisor waits for that no longer than
//!   [`limits::KILL_GRACE`], then leaves the process behind and says so.
//! * **No heap per process.** Memory is shared, and so are `static`s; what a crash leaves of state
//!   that lives outside the process (see [`Heir`]) is up to its owner.
//! * **Panics must unwind.** With `panic = "abort"`, or when a `Drop` panics during a panic, the
//!   whole program ends. So do a stack overflow and running out of memory.
//! * **No links between nodes**; nothing here knows about sockets, nodes or games.
//!
//! Otherwise than in OTP: a [`Pid`] stays the same when a child restarts; the queue survives a
//! restart unless [`MailboxPolicy::Discard`] says otherwise; a child can have an intensity of its
//! own; a supervisor that gives up fails with [`CrashKind::Intensity`] instead of `shutdown`.

pub mod limits;

mod backoff;
mod blocking;
mod chance;
mod context;
mod exit;
mod grace;
mod group;
mod guard;
mod heir;
mod kind;
mod life;
mod mailbox;
#[cfg(all(test, feature = "model"))]
mod model;
mod node;
mod patience;
mod pid;
mod place;
mod policy;
mod pool;
mod process;
mod process_ref;
mod profile;
mod registry;
mod report;
mod roster;
mod seat;
mod sighting;
mod signal;
mod slot;
mod small_map;
mod spec;
mod spec_error;
mod stats;
mod supervisor;
mod sync;
mod task;
mod terms;
#[cfg(feature = "test-kit")]
pub mod test_kit;
mod thread;
mod ticks;
mod timer;
mod trace;
mod tree;
mod watchdog;
mod window;
mod worker;

pub use backoff::Backoff;
pub use blocking::BlockingContext;
pub use context::{Context, Incoming};
pub use exit::{Crash, CrashKind, Exit, Location};
pub use group::{Change, Delivery, GroupEvent, Groups, JoinError, Leave, Member, WatchId};
pub use heir::Heir;
pub use kind::Kind;
pub use mailbox::{
    Address, CallError, Capacity, Mailbox, Reply, SendError, SendWithinError, TrySendError,
};
pub use node::{Node, StopReport};
pub use pid::Pid;
pub use policy::{AutoShutdown, MailboxPolicy, Restart, Shutdown, Strategy};
pub use pool::{Busy, JobError, JobOutcome, PoolOptions, PoolStats, Ticket, WorkerPool};
pub use process::{Flow, Process};
pub use process_ref::ProcessRef;
pub use profile::{
    DumpError, ProfileReport, Profiler, ProfilerOptions, Span, SpanGuard, SpanReport, ThreadReport,
};
pub use registry::{ClaimError, DuplicateRegistry, RegisterError, Registration, Registry};
pub use signal::{MonitorId, Signal};
pub use spec::ChildSpec;
pub use spec_error::SpecError;
pub use stats::{Stats, stats};
pub use supervisor::{
    Attachment, DynamicOptions, DynamicSupervisor, StartError, StopError, Supervisor,
    SupervisorBuilder, Tether, TetherOptions, TetherState, TetherStatus, TetherWatch,
};
pub use task::{MapOptions, Task, TaskError, TaskOptions, TaskRefused, TaskStream, TaskSupervisor};
pub use timer::TimerId;
pub use trace::{Trace, TraceEntry, TraceError, TraceSource};
pub use tree::{LastCrash, MailboxState, State, TreeNode};
pub use watchdog::{SlowHandler, Watchdog, WatchdogOptions};
pub use window::Intensity;
