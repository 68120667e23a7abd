//! `[process]` Processes whose code blocks: each on an operating system thread of its own.
//!
//! The seat of such a child, and with it all of its incarnations, lives on that thread. What the
//! seat of another child does between two polls (ending what was ended from outside, keeping the
//! deadline of a stop) happens here while the code waits for something.

use std::fmt;
use std::future::{self, poll_fn};
use std::ops::{Deref, DerefMut};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Wake, Waker, ready};
use std::thread::{Thread, current, park};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until, timeout};

use crate::context::{Context, Incoming};
use crate::exit::Exit;
use crate::mailbox::Mailbox;
use crate::place::Place;
use crate::process_ref::ProcessRef;
use crate::slot::{DEADLINE, FORCED, STARTING, STOP, Slot};
use crate::spec::{ChildSpec, Launch, Where};
use crate::supervisor::StartError;
use crate::ticks;

impl ChildSpec {
    /// A process whose code may block, on an operating system thread of its own: for a library that
    /// blocks, a device, a child program, a database connection. What a port or a NIF on a dirty
    /// scheduler is for in Erlang.
    ///
    /// `body` is called anew for each incarnation, all of them on the same thread, which ends with
    /// the child. It is supervised as any other child is: its panic is its exit, it restarts with
    /// its mailbox, it can be linked, monitored, and stopped. The start is acknowledged when it
    /// first waits with its [`BlockingContext`], or calls [`Context::ready`] before, or when it
    /// returns well without either.
    ///
    /// # Ending it
    /// Nothing can end code from outside that blocks or computes. Only while it waits in the
    /// [`BlockingContext`] is it told:
    /// * a stop comes as [`Incoming::Shutdown`]; a loop that does not receive should look at
    ///   [`is_stopping`](BlockingContext::is_stopping) now and then;
    /// * a kill, the exit of a linked process, and the end of the shutdown deadline make every wait
    ///   return an `Err` with the exit, at once; `?` is the way to end with it.
    ///
    /// One that does not come back is given its shutdown deadline and
    /// [`KILL_GRACE`](crate::limits::KILL_GRACE). Then its supervisor goes on without it and logs
    /// that: the thread stays until its code returns, with its mailbox, on which no other child can
    /// start meanwhile. After a kill alone, nobody waits: it restarts when its code returns.
    ///
    /// A watchdog does not watch it. Its busy time is what passes between its waits.
    ///
    /// # Limits
    /// There are at most [`BLOCKING_THREADS_MAX`](crate::limits::BLOCKING_THREADS_MAX) in the whole
    /// program; one more is [`StartError::TooManyThreads`]. Many short jobs belong to a
    /// [`WorkerPool`](crate::WorkerPool) instead. [`on_thread`](Self::on_thread) changes nothing.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use belay_runtime::*;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let mailbox = Mailbox::<(u64, Reply<u64>)>::new(Capacity::new(8));
    /// let fibonacci = |mut ctx: BlockingContext<(u64, Reply<u64>)>| {
    ///     loop {
    ///         match ctx.recv()? {
    ///             Incoming::Message((n, reply)) => {
    ///                 let (value, _) = (0..n).fold((0, 1), |(a, b), _| (b, a + b));
    ///                 drop(reply.send(value));
    ///             }
    ///             Incoming::Timer(_) | Incoming::Signal(_) => {}
    ///             Incoming::Shutdown => return Ok(()),
    ///         }
    ///     }
    /// };
    /// let spec = ChildSpec::blocking("fibonacci", &mailbox, fibonacci);
    /// let node = Node::start(Supervisor::builder("node").child(spec)).await.unwrap();
    /// let (to, second) = (mailbox.address(), Duration::from_secs(1));
    /// assert_eq!(to.call(second, |reply| (10, reply)).await, Ok(55));
    /// node.stop(second).await;
    /// # }
    /// ```
    pub fn blocking<M, F>(name: impl Into<Arc<str>>, mailbox: &Mailbox<M>, mut body: F) -> Self
    where
        M: Send + 'static,
        F: FnMut(BlockingContext<M>) -> Result<(), Exit> + Send + 'static,
    {
        let name = name.into();
        let run = move |ctx: Context<M>| {
            let process = ctx.process();
            let outcome = body(BlockingContext::new(ctx));
            if !outcome.as_ref().is_err_and(Exit::is_abnormal) {
                process.slot.core().acknowledge();
            }
            future::ready(outcome)
        };
        let mut spec = Self::body(Arc::clone(&name), mailbox, run).acknowledged();
        spec.launch = Box::new(Blocking {
            name,
            child: spec.launch,
        });
        spec
    }
}

/// Launches a child on a thread of its own, whatever its spec says.
struct Blocking {
    name: Arc<str>,
    child: Box<dyn Launch>,
}

impl Launch for Blocking {
    fn slot(&self) -> Arc<dyn Slot> {
        self.child.slot()
    }

    fn launch(self: Box<Self>, place: Place, on: &Where) -> Result<(), StartError> {
        let (Where::Here(runtime)
        | Where::OwnThread { runtime, .. }
        | Where::Blocking { runtime, .. }) = on;
        let on = Where::Blocking {
            name: self.name,
            runtime: runtime.clone(),
        };
        self.child.launch(place, &on)
    }
}

/// What one incarnation of a [blocking process](ChildSpec::blocking) sees of the runtime.
///
/// It is a [`Context`] with waits that block the thread: timers, links, monitors and all the rest
/// are used through it. Dropping it does what dropping a [`Context`] does: what was taken from the
/// mailbox and not received goes back to its front.
pub struct BlockingContext<M: Send + 'static> {
    context: Context<M>,
    watch: Watch,
}

impl<M: Send + 'static> BlockingContext<M> {
    fn new(context: Context<M>) -> Self {
        let watch = Watch {
            process: context.process(),
            deadline: None,
            since: ticks::now(),
        };
        Self { context, watch }
    }

    /// The next thing to do, in the order of [`Context::next`]; blocks until there is one.
    ///
    /// # Errors
    /// The exit that was decided on outside: return it.
    pub fn recv(&mut self) -> Result<Incoming<M>, Exit> {
        self.watch.wait(self.context.next())
    }

    /// As [`recv`](Self::recv), but `None` when nothing came within `limit`.
    ///
    /// # Errors
    /// As [`recv`](Self::recv).
    pub fn recv_timeout(&mut self, limit: Duration) -> Result<Option<Incoming<M>>, Exit> {
        let received = self.watch.wait(timeout(limit, self.context.next()))?;
        Ok(received.ok())
    }

    /// What is there at once; does not block.
    ///
    /// # Errors
    /// As [`recv`](Self::recv).
    pub fn try_recv(&mut self) -> Result<Option<Incoming<M>>, Exit> {
        match self.watch.wait(future::ready(())) {
            Ok(()) => Ok(self.context.try_next()),
            Err(exit) => Err(exit),
        }
    }

    /// Blocks until `future` is ready: for a [`call`](crate::Address::call), or a
    /// [`send`](crate::Address::send) that waits for room. A stop does not interrupt it.
    ///
    /// # Errors
    /// As [`recv`](Self::recv); the future is dropped then.
    pub fn wait<F: Future>(&mut self, future: F) -> Result<F::Output, Exit> {
        self.watch.wait(future)
    }

    /// True when the process should come to an end: it was asked to stop, or ended from outside.
    pub fn is_stopping(&self) -> bool {
        let core = self.watch.process.slot.core();
        core.urgent() & (STOP | FORCED) != 0 || core.lock().shutdown.is_some()
    }
}

impl<M: Send + 'static> Deref for BlockingContext<M> {
    type Target = Context<M>;

    fn deref(&self) -> &Context<M> {
        &self.context
    }
}

impl<M: Send + 'static> DerefMut for BlockingContext<M> {
    fn deref_mut(&mut self) -> &mut Context<M> {
        &mut self.context
    }
}

impl<M: Send + 'static> fmt::Debug for BlockingContext<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BlockingContext")
            .field(&self.context)
            .finish()
    }
}

/// Looks out for the end of the process while its code waits.
struct Watch {
    process: ProcessRef,
    /// The end of the time that a stop leaves.
    deadline: Option<Pin<Box<Sleep>>>,
    /// When its code went on after the last wait: what is between two waits is its busy time.
    since: u64,
}

impl Watch {
    fn wait<F: Future>(&mut self, future: F) -> Result<F::Output, Exit> {
        self.note_busy();
        let outcome = self.wait_for(future);
        self.since = ticks::now();
        outcome
    }

    fn wait_for<F: Future>(&mut self, future: F) -> Result<F::Output, Exit> {
        let core = self.process.slot.core();
        if core.urgent() & STARTING != 0 {
            core.acknowledge();
        }
        let mut future = pin!(future);
        block_on(poll_fn(|cx| {
            if let Some(exit) = self.poll_exit(cx) {
                return Poll::Ready(Err(exit));
            }
            // A wake in between is not lost: it makes the next park return at once.
            let output = ready!(future.as_mut().poll(cx));
            // What came may be the stop: its deadline begins with it.
            self.note_deadline();
            Poll::Ready(Ok(output))
        }))
    }

    /// The exit that was decided on outside, or by the clock.
    fn poll_exit(&mut self, cx: &mut TaskContext<'_>) -> Option<Exit> {
        let core = self.process.slot.core();
        if core.urgent() & FORCED != 0
            && let Some(exit) = core.lock().forced()
        {
            return Some(exit);
        }
        self.note_deadline();
        let deadline = self.deadline.as_mut()?;
        deadline
            .as_mut()
            .poll(cx)
            .is_ready()
            .then_some(Exit::Killed)
    }

    fn note_busy(&self) {
        let busy = ticks::now().saturating_sub(self.since);
        self.process.slot.core().add_busy(busy);
    }

    fn note_deadline(&mut self) {
        let core = self.process.slot.core();
        if core.urgent() & DEADLINE == 0 {
            return;
        }
        let control = core.lock();
        core.lower(DEADLINE);
        let limit = control.shutdown.and_then(|(grace, _)| grace.limit());
        self.deadline = limit
            .and_then(|limit| Instant::now().checked_add(limit))
            .map(|at| Box::pin(sleep_until(at)));
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.note_busy();
    }
}

/// Polls `future` on this thread, which sleeps meanwhile.
///
/// Not tokio's, because code that runs under that may not block with tokio's own means. It may be
/// nested: a wake for the outer future that the inner one takes away finds the outer one polled
/// again, as it is what called the inner one.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(current())));
    let mut cx = TaskContext::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut cx) {
            return output;
        }
        park();
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}
