//! `[process]` Child specs: what to run, and what its supervisor does about it.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;

use crate::backoff::Backoff;
use crate::context::Context;
use crate::exit::Exit;
use crate::life::{Body, Life};
use crate::mailbox::{Capacity, Cell, Mailbox};
use crate::place::Place;
use crate::policy::{MailboxPolicy, Restart, Shutdown};
use crate::process::{self, Process};
use crate::profile;
use crate::slot::Slot;
use crate::supervisor::{self, StartError, SupervisorBuilder};
use crate::terms::{Retry, Terms};
use crate::thread;
use crate::window::Intensity;

/// A child as data: its name, how to make its incarnations, and the policy for it.
///
/// Unless changed it is [permanent](Restart::Permanent), has [`SHUTDOWN_DEFAULT`] to stop
/// (supervisors: [`Shutdown::Infinity`]), is not significant, keeps its queue over a restart, and
/// each restart counts against its supervisor's intensity.
///
/// ```
/// # use std::time::Duration;
/// # use belay_runtime::*;
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let mailbox = Mailbox::new(Capacity::new(8));
/// let echo = |mut ctx: Context<(u32, Reply<u32>)>| async move {
///     loop {
///         match ctx.next().await {
///             Incoming::Message((0, _reply)) => panic!("zero is poison"),
///             Incoming::Message((number, reply)) => drop(reply.send(number)),
///             Incoming::Timer(_) | Incoming::Signal(_) => {}
///             Incoming::Shutdown => return Ok(()),
///         }
///     }
/// };
/// let spec = ChildSpec::body("echo", &mailbox, echo)
///     .restart(Restart::Transient)
///     .shutdown(Shutdown::Timeout(Duration::from_secs(1)));
/// let node = Node::start(Supervisor::builder("node").child(spec)).await.unwrap();
/// let (echo, second) = (mailbox.address(), Duration::from_secs(1));
/// assert_eq!(echo.call(second, |reply| (0, reply)).await, Err(CallError::Dropped));
/// assert_eq!(echo.call(second, |reply| (7, reply)).await, Ok(7));
/// node.stop(second).await;
/// # }
/// ```
///
/// [`SHUTDOWN_DEFAULT`]: crate::limits::SHUTDOWN_DEFAULT
pub struct ChildSpec {
    pub(crate) name: Arc<str>,
    pub(crate) shutdown: Shutdown,
    pub(crate) terms: Terms,
    pub(crate) on_thread: bool,
    /// It cannot run twice.
    pub(crate) once: bool,
    /// When it is not [`START_DEFAULT`].
    pub(crate) start_within: Option<Duration>,
    pub(crate) launch: Box<dyn Launch>,
}

impl ChildSpec {
    /// A [`Process`], made anew for each incarnation.
    ///
    /// The start is acknowledged when [`Process::init`] returned `Ok`.
    pub fn process<P: Process>(
        name: impl Into<Arc<str>>,
        mailbox: &Mailbox<P::Message>,
        mut make: impl FnMut() -> P + Send + 'static,
    ) -> Self {
        let body = Again(move |ctx| process::run(make(), ctx));
        Self::new(name.into(), mailbox, body).acknowledged()
    }

    /// An async function with a loop of its own, called anew for each incarnation.
    ///
    /// It should await [`Context::next`] (or [`Context::stopping`]) somewhere, else it is killed
    /// when it is stopped. The start is acknowledged as soon as it waits for something for the
    /// first time, or as [`acknowledged`](Self::acknowledged) says. One that returns `Ok` without
    /// ever waiting has started well, and ended.
    pub fn body<M, F, Run>(name: impl Into<Arc<str>>, mailbox: &Mailbox<M>, body: F) -> Self
    where
        M: Send + 'static,
        F: FnMut(Context<M>) -> Run + Send + 'static,
        Run: Future<Output = Result<(), Exit>> + Send + 'static,
    {
        Self::new(name.into(), mailbox, Again(body))
    }

    /// A body that can run only once, because it owns something that cannot be made again, such
    /// as a socket. [Temporary](Restart::Temporary); a start refuses it otherwise.
    pub fn once_body<M, F, Run>(name: impl Into<Arc<str>>, mailbox: &Mailbox<M>, body: F) -> Self
    where
        M: Send + 'static,
        F: FnOnce(Context<M>) -> Run + Send + 'static,
        Run: Future<Output = Result<(), Exit>> + Send + 'static,
    {
        let mut spec = Self::new(name.into(), mailbox, Once(Some(body)));
        spec.once = true;
        spec.restart(Restart::Temporary)
    }

    /// A [`once_body`](Self::once_body) that is sent nothing.
    pub fn task<F, Run>(name: impl Into<Arc<str>>, body: F) -> Self
    where
        F: FnOnce(Context<Infallible>) -> Run + Send + 'static,
        Run: Future<Output = Result<(), Exit>> + Send + 'static,
    {
        Self::once_body(name, &Mailbox::new(Capacity::new(0)), body)
    }

    /// A static supervisor; `build` is called anew for each incarnation of it.
    ///
    /// The start is acknowledged when all of its children have started; each of them has a
    /// deadline for that, so that the supervisor needs none and has none unless
    /// [`start_within`](Self::start_within) gives it one.
    pub fn supervisor(
        name: impl Into<Arc<str>>,
        mut build: impl FnMut() -> SupervisorBuilder + Send + 'static,
    ) -> Self {
        let body = move |ctx| supervisor::run_static(build(), ctx);
        Self::body(name, &Mailbox::new(Capacity::new(0)), body)
            .acknowledged()
            .shutdown(Shutdown::Infinity)
            .start_within(Duration::MAX)
    }

    fn new<M: Send + 'static, B: Body<M>>(name: Arc<str>, mailbox: &Mailbox<M>, body: B) -> Self {
        let class = profile::class(&name);
        Self {
            name,
            shutdown: Shutdown::default(),
            terms: Terms::new(class),
            on_thread: false,
            once: false,
            start_within: None,
            launch: Box::new(Launcher {
                cell: Arc::clone(mailbox.cell()),
                body,
            }),
        }
    }

    /// When it is started again.
    #[must_use]
    pub fn restart(mut self, restart: Restart) -> Self {
        self.terms.restart = restart;
        self
    }

    /// How it is stopped.
    #[must_use]
    pub fn shutdown(mut self, shutdown: Shutdown) -> Self {
        self.shutdown = shutdown;
        self
    }

    /// Whether its end can end its supervisor: see [`AutoShutdown`](crate::AutoShutdown).
    #[must_use]
    pub fn significant(mut self, significant: bool) -> Self {
        self.terms.significant = significant;
        self
    }

    /// What happens to its queue when it restarts.
    #[must_use]
    pub fn queue(mut self, policy: MailboxPolicy) -> Self {
        self.terms.queue = policy;
        self
    }

    /// A restart limit of its own. When it is exceeded the child is *abandoned*: it stays
    /// stopped, its mailbox is closed, and only that, not each restart, counts against its
    /// supervisor's intensity.
    #[must_use]
    pub fn intensity(mut self, intensity: Intensity) -> Self {
        self.terms.limit().intensity = intensity;
        self
    }

    /// Called with name and last exit when the child was abandoned, after its mailbox was closed.
    ///
    /// Must not block: it runs on a worker thread of tokio. Without an
    /// [`intensity`](Self::intensity) of its own it means [`Intensity::default`].
    #[must_use]
    pub fn on_abandoned(mut self, callback: impl Fn(&str, &Exit) + Send + Sync + 'static) -> Self {
        self.terms.limit().on_abandoned = Some(Box::new(callback));
        self
    }

    /// Waits before it is started again: longer with each failure in a row, spread by chance, and
    /// anew from the beginning after an incarnation that lasted at least [`Backoff::max`].
    ///
    /// Without it a child is restarted at once. A failure counts against the intensity when it
    /// happens, not when the wait is over; so a back-off lets a child fail for hours without its
    /// supervisor giving up, where the delays are longer than the period of the intensity.
    ///
    /// * Nobody waits along: no supervisor sleeps, other children fail and restart meanwhile. Where
    ///   a restart takes siblings along, they are stopped at once, and the group starts when the
    ///   longest delay of those in it that failed is over.
    /// * While it waits the child can be stopped at once; there is no incarnation that could be
    ///   killed or sent an exit, so these do nothing. Its [`State`](crate::State) is `Waiting`.
    /// * Messages sent meanwhile stay queued, up to the capacity of the mailbox.
    ///
    /// OTP has no such thing.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use belay_runtime::*;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let mailbox = Mailbox::<Reply<u32>>::new(Capacity::new(8));
    /// let feed = |mut ctx: Context<Reply<u32>>| async move {
    ///     while let Incoming::Message(ask) = ctx.next().await {
    ///         if ctx.incarnation() == 0 {
    ///             return Err(Exit::error("lost the other side"));
    ///         }
    ///         drop(ask.send(ctx.incarnation()));
    ///     }
    ///     Ok(())
    /// };
    /// let backoff = Backoff { first: Duration::from_millis(10), ..Backoff::default() };
    /// let spec = ChildSpec::body("feed", &mailbox, feed).backoff(backoff);
    /// let node = Node::start(Supervisor::builder("node").child(spec)).await.unwrap();
    /// let (feed, second) = (mailbox.address(), Duration::from_secs(1));
    /// assert_eq!(feed.call(second, |ask| ask).await, Err(CallError::Dropped));
    /// // Sent while it waits, answered by the next incarnation.
    /// assert_eq!(feed.call(second, |ask| ask).await, Ok(1));
    /// node.stop(second).await;
    /// # }
    /// ```
    #[must_use]
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.terms.rare().retry = Some(Retry {
            backoff,
            attempts: 0,
        });
        self
    }

    /// How long it gets until its start is acknowledged, at each incarnation; [`START_DEFAULT`]
    /// unless said, [`Duration::MAX`] for as long as it takes. OTP's `start_link` with `timeout`.
    ///
    /// A child that takes longer is killed. At its first start whoever starts it gets
    /// [`StartError::TimedOut`](crate::StartError::TimedOut) and the child has ended; a restart
    /// that takes too long is a failure like any other, with
    /// [`CrashKind::Start`](crate::CrashKind::Start).
    ///
    /// A start that blocks its thread cannot be ended from outside. Whoever waits for it goes on
    /// [`KILL_GRACE`](crate::limits::KILL_GRACE) later all the same, and the child is left behind,
    /// as at a stop. A restart that blocks its thread has nobody waiting for it when the child
    /// restarts alone: it stays starting, and a stop of it ends after that grace. With a paused
    /// clock, which knows nothing of other threads, who waits for the start waits on.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use belay_runtime::*;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let mailbox = Mailbox::<()>::new(Capacity::new(1));
    /// let hangs = |_| std::future::pending();
    /// let spec = ChildSpec::body("hangs", &mailbox, hangs)
    ///     .acknowledged()
    ///     .start_within(Duration::from_millis(20));
    /// let node = Node::start(Supervisor::builder("node").child(spec)).await;
    /// let error = node.unwrap_err().to_string();
    /// assert!(error.contains("child hangs did not start within 20ms"), "{error}");
    /// # }
    /// ```
    ///
    /// [`START_DEFAULT`]: crate::limits::START_DEFAULT
    #[must_use]
    pub fn start_within(mut self, limit: Duration) -> Self {
        self.start_within = Some(limit);
        self
    }

    /// For a body: the start is acknowledged by [`Context::ready`], not by its first wait.
    ///
    /// When it ends before that, with whatever exit, it has not started: see [`Process::init`]. OTP
    /// has `proc_lib:init_ack` for it.
    #[must_use]
    pub fn acknowledged(mut self) -> Self {
        self.terms.acknowledged = true;
        self
    }

    /// Runs the child, and all that it supervises, on an operating system thread of its own with
    /// a tokio runtime of its own (current-thread), so that load elsewhere cannot starve it.
    ///
    /// The runtime has its own clock: a clock that a test paused is not paused there.
    #[must_use]
    pub fn on_thread(mut self) -> Self {
        self.on_thread = true;
        self
    }
}

impl fmt::Debug for ChildSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChildSpec")
            .field("name", &self.name)
            .field("restart", &self.terms.restart)
            .field("shutdown", &self.shutdown)
            .finish_non_exhaustive()
    }
}

/// The part of a spec that knows the type of the messages and of the code.
pub(crate) trait Launch: Send {
    fn slot(&self) -> Arc<dyn Slot>;
    fn launch(self: Box<Self>, place: Place, on: &Where) -> Result<(), StartError>;
}

/// Where a child runs.
pub(crate) enum Where {
    Here(Handle),
    OwnThread { name: Arc<str>, runtime: Handle },
    Blocking { name: Arc<str>, runtime: Handle },
}

struct Launcher<M: Send + 'static, B> {
    cell: Arc<Cell<M>>,
    body: B,
}

impl<M: Send + 'static, B: Body<M>> Launch for Launcher<M, B> {
    fn slot(&self) -> Arc<dyn Slot> {
        Arc::<Cell<M>>::clone(&self.cell)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "one of the places that spawn for all others"
    )]
    fn launch(self: Box<Self>, place: Place, on: &Where) -> Result<(), StartError> {
        let life = Life::new(self.body, self.cell, place);
        match on {
            Where::Here(runtime) => {
                // Nobody joins it: how it ended is told to its supervisor by the seat.
                drop(runtime.spawn(life));
                Ok(())
            }
            Where::OwnThread { name, .. } => thread::run(name, life).map_err(StartError::Thread),
            Where::Blocking { name, runtime } => thread::run_blocking(name, runtime, life),
        }
    }
}

struct Again<F>(F);

impl<M, F, Run> Body<M> for Again<F>
where
    M: Send + 'static,
    F: FnMut(Context<M>) -> Run + Send + 'static,
    Run: Future<Output = Result<(), Exit>> + Send,
{
    type Run = Run;

    fn run(&mut self, ctx: Context<M>) -> Option<Run> {
        Some((self.0)(ctx))
    }
}

struct Once<F>(Option<F>);

impl<M, F, Run> Body<M> for Once<F>
where
    M: Send + 'static,
    F: FnOnce(Context<M>) -> Run + Send + 'static,
    Run: Future<Output = Result<(), Exit>> + Send,
{
    type Run = Run;

    fn run(&mut self, ctx: Context<M>) -> Option<Run> {
        self.0.take().map(|body| body(ctx))
    }
}
