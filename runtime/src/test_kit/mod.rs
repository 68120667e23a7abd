//! `[process]` How to test supervised processes, without a single sleep. Cargo feature `test-kit`.
//!
//! ```toml
//! [dev-dependencies]
//! belay-runtime = { version = "*", features = ["test-kit"] }
//! ```
//!
//! A test runs on one thread with a paused clock: with [`run`], or in
//! `#[tokio::test(start_paused = true)]`. The clock stands still while any process is ready, and
//! jumps to the next thing that is due when all of them wait. So a wait of an hour costs nothing,
//! a deadline is met exactly, and two runs of a test do the same. Nothing here sleeps, polls by
//! the real clock, or depends on how fast the machine is.
//!
//! # What a process says
//! A [`Probe`] is a process whose loop is the test. Give its address to the process under test in
//! place of the real neighbour, [`start`] that process in a [`Bed`], and say what must come:
//!
//! ```
//! use std::time::Duration;
//! use belay_runtime::test_kit::{self, Probe};
//! use belay_runtime::*;
//!
//! #[derive(Debug, PartialEq)]
//! struct Saved(u32);
//!
//! /// Counts, and saves the count every minute.
//! struct Counter(u32, Address<Saved>);
//!
//! enum Ask {
//!     Add(u32),
//!     Save,
//! }
//!
//! const MINUTE: Duration = Duration::from_secs(60);
//!
//! impl Process for Counter {
//!     type Message = Ask;
//!
//!     async fn init(&mut self, ctx: &mut Context<Ask>) -> Result<(), Exit> {
//!         ctx.send_after(MINUTE, Ask::Save);
//!         Ok(())
//!     }
//!
//!     async fn handle(&mut self, ctx: &mut Context<Ask>, ask: Ask) -> Result<Flow, Exit> {
//!         match ask {
//!             Ask::Add(0) => return Err(Exit::error("nothing to add")),
//!             Ask::Add(amount) => self.0 += amount,
//!             Ask::Save => {
//!                 drop(self.1.send(Saved(self.0)).await);
//!                 ctx.send_after(MINUTE, Ask::Save);
//!             }
//!         }
//!         Ok(Flow::Continue)
//!     }
//! }
//!
//! /// What the tests below begin with.
//! fn counter(store: &Probe<Saved>) -> (ChildSpec, Address<Ask>) {
//!     let (mailbox, store) = (Mailbox::new(Capacity::new(16)), store.address());
//!     let spec = ChildSpec::process("counter", &mailbox, move || Counter(0, store.clone()));
//!     (spec, mailbox.address())
//! }
//!
//! test_kit::run(async {
//!     let mut store = Probe::new("store");
//!     let (spec, counter) = counter(&store);
//!     let bed = test_kit::start([spec]).await;
//!     counter.send(Ask::Add(2)).await.unwrap();
//!     store.expect_nothing(MINUTE - Duration::from_millis(1)).await;
//!     assert_eq!(store.expect(Duration::from_millis(1)).await, Saved(2));
//!     // Ten minutes later it has saved ten times.
//!     test_kit::advance(10 * MINUTE).await;
//!     assert_eq!(store.drain().len(), 10);
//!     bed.finish().await;
//! });
//! ```
//!
//! A call to the probe is answered with [`Probe::answer`]; whether the process copes with a full
//! neighbour shows [`Probe::with_capacity`], with an ended one `probe.mailbox().close()`.
//!
//! # How a process ends, and starts again
//! [`Probe::watch`] watches an incarnation, [`Probe::expect_down`] returns its [`Exit`] and
//! [`Probe::expect_restart`] waits for the next one to run. [`Probe::link`] and
//! [`Probe::expect_exit`] do the same for links; [`ProcessRef::ended`] is the end for good.
//!
//! ```
//! # use std::time::Duration;
//! # use belay_runtime::test_kit::{self, Probe};
//! # use belay_runtime::*;
//! # test_kit::run(async {
//! let second = Duration::from_secs(1);
//! let mailbox = Mailbox::<u32>::new(Capacity::new(16));
//! let fussy = |mut ctx: Context<u32>| async move {
//!     while let Incoming::Message(number) = ctx.next().await {
//!         assert!(number < 100, "too much");
//!     }
//!     Ok(())
//! };
//! let bed = test_kit::start([ChildSpec::body("fussy", &mailbox, fussy)]).await;
//! let process = bed.process("fussy");
//! let mut probe = Probe::<()>::new("probe");
//! probe.watch(&process);
//! mailbox.address().try_send(1_000).unwrap();
//! let Exit::Crash(crash) = probe.expect_down(&process, second).await else {
//!     panic!("it did not crash")
//! };
//! assert_eq!((crash.kind, crash.text.as_str()), (CrashKind::Panic, "too much"));
//! assert_eq!(probe.expect_restart(&process, second).await, 1);
//! assert_eq!(bed.find("fussy").state, State::Running);
//! bed.finish().await;
//! # });
//! ```
//!
//! # In what order
//! All processes of a test can write to one [`Journal`]; [`Journal::expect`] waits for entries
//! and checks their order: for starts and stops of a whole tree.
//!
//! # That all of it stops
//! [`Bed::finish`] stops the tree and fails the test when a process was not stopped in order:
//! when it had to be killed at the end of its time, when it crashed over it, or when the tree had
//! ended by itself before. A bed that was not finished fails the test too.
//!
//! # Between two steps
//! * [`settle`](settle()) lets all that is ready run; the clock stands still. Then
//!   [`Probe::drain`] and [`Bed::tree`] show what came of it.
//! * [`advance`] moves the clock, stopping at each timer on the way.
//! * [`until`] waits for any other condition.
//! * [`turns`] counts how often processes were polled, where a test is about how much work it is.
//! * [`seed`](seed()) makes the delays of a [`Backoff`](crate::Backoff) the same in each run.
//!
//! # Limits
//! * A process [on a thread of its own](crate::ChildSpec::on_thread), the jobs of a
//!   [`WorkerPool`](crate::WorkerPool) and `spawn_blocking` run by the real clock. A paused clock
//!   does not wait for them: with nothing else ready it jumps to the next deadline. Test those in
//!   a plain `#[tokio::test]`, where all but [`advance`] works as well, in real time.
//! * A task that is always ready, such as a loop around `yield_now`, keeps the clock from moving.
//! * A real socket is such a thread too: the clock jumps while bytes are on their way.
//!
//! [`ProcessRef::ended`]: crate::ProcessRef::ended
//! [`Exit`]: crate::Exit

mod bed;
mod clock;
mod fail;
mod journal;
mod probe;
mod seed;
mod watch;

pub(crate) use clock::note_turn;
pub(crate) use seed::draw;

pub use bed::{Bed, find, start, start_with};
pub use clock::{advance, run, settle, turns, until};
pub use journal::Journal;
pub use probe::Probe;
pub use seed::seed;
