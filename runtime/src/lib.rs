//! `[process]` Supervised processes in the manner of Erlang/OTP and Elixir, on tokio.
//!
//! A *process* is a small state machine with a bounded mailbox. A *supervisor* starts its children
//! in order, and starts again what failed. A *node* is a running tree of them. A crash costs the
//! message that it was about, a log record and a few microseconds; nobody else notices.
//!
//! ```
//! use std::time::Duration;
//! use belay_runtime::*;
//!
//! struct Till(u64);
//!
//! enum Ask {
//!     Pay(u64),
//!     Total(Reply<u64>),
//! }
//!
//! impl Process for Till {
//!     type Message = Ask;
//!
//!     async fn handle(&mut self, _: &mut Context<Ask>, message: Ask) -> Result<Flow, Exit> {
//!         match message {
//!             Ask::Pay(0) => panic!("nothing is for nothing"),
//!             Ask::Pay(coins) => self.0 += coins,
//!             // Who asks may have given up; that is no failure of ours.
//!             Ask::Total(reply) => drop(reply.send(self.0)),
//!         }
//!         Ok(Flow::Continue)
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! // The mailbox outlives the incarnations of its process, and so do its addresses.
//! let mailbox = Mailbox::new(Capacity::new(64));
//! let till = mailbox.address();
//! let tree = Supervisor::builder("shop")
//!     .child(ChildSpec::process("till", &mailbox, || Till(0)));
//! let node = Node::start(tree).await.unwrap();
//!
//! till.send(Ask::Pay(3)).await.unwrap(); // a cast
//! till.send(Ask::Pay(0)).await.unwrap(); // the till crashes, and is started again
//! till.send(Ask::Pay(4)).await.unwrap(); // still queued then, and handled
//! let second = Duration::from_secs(1);
//! assert_eq!(till.call(second, Ask::Total).await, Ok(4)); // a call
//! println!("{}", node.tree());
//! assert!(node.stop(second).await.not_stopped.is_empty());
//! # }
//! ```
//!
//! # What is called how
//! | Erlang/OTP, Elixir | here |
//! |---|---|
//! | `gen_server`, `GenServer` | [`Process`] |
//! | `init`, `handle_cast`, `handle_info`, `terminate` | `init`, `handle`, `signal`, `stop` |
//! | a process with a receive loop of its own | [`ChildSpec::body`] with [`Context::next`] |
//! | `spawn` that blocks, a port | [`ChildSpec::blocking`], on a thread of its own |
//! | `cast`, `call`, `reply` | [`Address::send`], [`Address::call`], [`Reply`] |
//! | `send_after`, `cancel_timer` | [`Context::send_after`], [`Context::cancel`] |
//! | `link`, `monitor` | [`Context::link`], [`Context::monitor`] |
//! | `whereis`, a pid to do that to | [`Address::process`], [`Registry::whereis`] |
//! | `trap_exit`, `exit/2` | [`Context::trap_exits`], [`ProcessRef::exit`] |
//! | child spec, restart, shutdown | [`ChildSpec`], [`Restart`], [`Shutdown`], [`Backoff`] |
//! | `Supervisor`, strategies, `max_restarts` | [`Supervisor`], [`Strategy`], [`Intensity`] |
//! | `auto_shutdown` | [`AutoShutdown`] |
//! | `check_childspecs` | [`SupervisorBuilder::check`], [`SpecError`] |
//! | `which_children`, `terminate_child`, `restart_child`, `delete_child` | [`SupervisorRef`] |
//! | `DynamicSupervisor`, `PartitionSupervisor` | [`DynamicSupervisor`], with `partitions` |
//! | ExVenture's tether in front of a flaky dependency | [`Tether`] |
//! | application start and stop | [`Node::start`], [`Node::stop`] and its [`StopReport`] |
//! | `Registry`, `keys: :unique` and `:duplicate` | [`Registry`], [`DuplicateRegistry`] |
//! | `pg` | [`Groups`] |
//! | `Task`, `Task.Supervisor`, `async_stream` | [`Task`], [`TaskSupervisor`] |
//! | `poolboy` and its kind | [`WorkerPool`] |
//! | a table that an heir inherits | [`Heir`] |
//! | `observer`, `sys:get_status`, `sys:trace` | [`Node::tree`], [`ProcessRef::trace`] |
//! | `long_schedule` of `system_monitor` | [`Watchdog`] |
//! | `eprof`, `fprof` | [`Profiler`] and [`Span`], always on |
//! | crash reports of `proc_lib` | records of `tracing`, target `belay_runtime` |
//! | testing with `start_supervised` | the `test_kit` module (feature `test-kit`) |
//!
//! # Guarantees
//! **Messages.** Those of one sender to one process arrive in the order in which they were sent;
//! between senders there is no order. A message is handled at most once. It is lost only when its
//! handler crashed over it, or when the process ended for good; whoever sends after that gets it
//! back. A full mailbox gives it back as well, or lets the sender wait: nothing grows without a
//! bound. *Owed* messages ([`Address::try_send_owed`]) have slots of their own, so that an answer
//! never finds its way blocked by what others send.
//!
//! **Signals.** A stop, an exit of a linked process and a [`Signal::Down`] come in a lane beside
//! the mailbox, before any message that is queued. A monitor fires exactly once; for a process
//! that does not run it fires at once.
//!
//! **Start.** Children start in the order in which they are listed, each after the one before has
//! acknowledged; when one fails, those before it are stopped in reverse, and the starter is told
//! who failed and why. A start has a deadline.
//!
//! **Restart.** The next incarnation is made by the same spec. It has the same [`Pid`], mailbox,
//! registered names and groups; its links, monitors and timers are gone, and its state is what the
//! spec makes, or what an [`Heir`] kept. How often that may happen is counted in a true sliding
//! window; one too many, and the supervisor itself fails, for its own supervisor to act on.
//!
//! **Stop.** Last started, first stopped, each within its own [`Shutdown`]; children of a dynamic
//! supervisor all at once. Who does not come to an await point is left behind and named in the
//! [`StopReport`]; a stop never hangs on it.
//!
//! **Crash.** A panic unwinds no further than its process. The report is made in the task of the
//! process that crashed, so that ten thousand crashes do not hold up their supervisor, and at most
//! [`CRASH_REPORTS_MAX`](limits::CRASH_REPORTS_MAX) a second are logged.
//!
//! | what ends | what survives |
//! |---|---|
//! | an incarnation | mailbox with its queue, pid, addresses, names, groups, what an heir holds |
//! | a child for good | nothing of it; senders get their messages back |
//! | a supervisor | its siblings; started again, it makes new children, with new pids |
//! | a child behind a [`Tether`] | everything else, its supervisor's restart count included |
//! | the node | what was handed on in `stop` |
//!
//! # Bounds
//! Every queue, table, retry and rate has a bound; [`limits`] lists those that are fixed and says
//! what happens when one is reached.
//!
//! # Limits
//! What OTP has and this has not, because tokio has not:
//! * **No preemption.** A process that computes without awaiting keeps its worker thread; killing
//!   it takes effect at its next await point. A supervisor waits for that no longer than
//!   [`limits::KILL_GRACE`], then leaves the process behind and says so. A [`Watchdog`] names who
//!   does that while it happens.
//! * **No heap per process.** Memory is shared, and so are `static`s; what a crash leaves of state
//!   that lives outside the process (see [`Heir`]) is up to its owner.
//! * **Panics must unwind.** With `panic = "abort"`, or when a `Drop` panics during a panic, the
//!   whole program ends. So do a stack overflow and running out of memory.
//! * **No links between nodes**; nothing here knows about sockets, nodes or games.
//!
//! Otherwise than in OTP: a [`Pid`] stays the same when a child restarts; the queue survives a
//! restart unless [`MailboxPolicy::Discard`] says otherwise; a child can have an intensity of its
//! own; a supervisor that gives up fails with [`CrashKind::Intensity`] instead of `shutdown`.
//!
//! There is no unsafe code in this crate.

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
    Attachment, ChildError, DynamicOptions, DynamicSupervisor, StartError, StopError, Supervisor,
    SupervisorBuilder, SupervisorRef, Tether, TetherOptions, TetherState, TetherStatus,
    TetherWatch,
};
pub use task::{MapOptions, Task, TaskError, TaskOptions, TaskRefused, TaskStream, TaskSupervisor};
pub use timer::TimerId;
pub use trace::{Trace, TraceEntry, TraceError, TraceSource};
pub use tree::{LastCrash, MailboxState, State, TreeNode};
pub use watchdog::{SlowHandler, Watchdog, WatchdogOptions};
pub use window::Intensity;
