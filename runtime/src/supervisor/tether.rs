//! `[process]` The handle of a tether: its orders, and what can be seen of it.

use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use super::branch::Branch;
use super::family::{Family, Rules};
use super::tether_face::{Face, TetherState};
use super::tether_options::TetherOptions;
use super::tether_orders::Orders;
use super::tether_run;
use crate::context::Context;
use crate::limits::TETHER_CHILDREN_MAX;
use crate::mailbox::{Capacity, Mailbox};
use crate::pid::Pid;
use crate::policy::{AutoShutdown, Shutdown, Strategy};
use crate::process_ref::ProcessRef;
use crate::spec::ChildSpec;
use crate::tree::span;
use crate::window::Intensity;

/// A supervisor for one child that may fail as it likes, and the handle to it.
///
/// For dependencies that are expected to fail, such as a socket to somebody else's server.
/// ExVenture, which is where the name is from, let the crashes of such a socket end a supervisor
/// that was then restarted empty (a restart that its own supervisor counted); this one does not
/// end. OTP has no such behaviour; people write it with a `DynamicSupervisor`, a `GenServer` that
/// monitors its child, and `Process.send_after`.
///
/// Put its [`spec`](Self::spec) anywhere into a tree, as many as are needed. It starts empty, so
/// that its start never fails because of the child, and attaches the child after that.
///
/// # What is guaranteed
/// * **It never exits because of its child.** Whatever the child does (fail at its start or
///   later, panic in a drop, hang, block its thread, even when the closure that makes it
///   panics), the restart counter of the tether's supervisor does not move, and the tether's
///   siblings do not notice.
/// * **Restarts.** A child that ran and failed is restarted at once, as the same child: pid, names
///   and, as its spec says, queue stay. ([Temporary](crate::Restart::Temporary) children, which
///   cannot run twice, are made anew instead; of [transient](crate::Restart::Transient) ones a
///   normal exit is no failure: the tether is slack then.) When there are more failures than the
///   [intensity](TetherOptions::intensity) allows, or when a start fails, is refused or takes too
///   long, the tether is *cut*: the child ends for good, its mailbox is closed, and who
///   sends to it gets the message back.
/// * **Tries.** A tether that was cut makes a new child after a
///   [delay](TetherOptions::backoff) that grows from cut to cut and is spread by chance. Until
///   that child has proven itself (by [its own word](Attachment::proven), or by
///   [running long enough](TetherOptions::proven_after)) it has no quick restarts: any failure
///   cuts the tether again. Once it has, delays and quick restarts begin anew. There is no last
///   try.
/// * **By hand.** [`cut`](Self::cut) holds, over a restart of the tether too, until
///   [`attach`](Self::attach). Orders are carried out in the order in which they were given.
/// * **Stops.** When the tether is stopped, its child is stopped first, within the
///   [`Shutdown`] of its spec, also while it starts. A child that was killed and does not end is
///   reported and left behind, as by any supervisor, and the tether goes on. As long as it is on
///   its mailbox, a new child on the same mailbox does not start (which is a failed start, and
///   tried again), while one on a mailbox of its own does. At [`TETHER_CHILDREN_MAX`] left behind
///   there is no further child until one of them has ended.
/// * **Who is told.** [`status`](Self::status), [`watch`](Self::watch), the
///   [tree](crate::Node::tree), and a log record for each change. An error of the child is part
///   of that record; only a panic has a crash report besides.
///
/// ```
/// # use std::time::Duration;
/// # use belay_runtime::*;
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
/// let mut failures_left = 6;
/// let tether = Tether::new("link", TetherOptions::default(), move |attachment| {
///     let fails = failures_left > 0;
///     failures_left -= 1;
///     ChildSpec::task("socket", move |ctx| async move {
///         if fails {
///             return Err(Exit::error("connection refused"));
///         }
///         attachment.proven(); // Logged in: from here on all is well.
///         ctx.stopping().await;
///         Ok(())
///     })
/// });
/// let node = Node::start(Supervisor::builder("node").child(tether.spec())).await.unwrap();
/// let mut watch = tether.watch();
/// let mut seen = tether.status();
/// while seen.state != TetherState::Taut || seen.attempts > 0 {
///     seen = watch.changed().await.unwrap();
/// }
/// assert_eq!(seen.failures, 6);
/// tether.cut();
/// while seen.state != TetherState::Slack {
///     seen = watch.changed().await.unwrap();
/// }
/// assert_eq!(node.tree().restarts, 0);
/// node.stop(Duration::from_secs(1)).await;
/// # }
/// ```
#[derive(Clone)]
pub struct Tether {
    shared: Arc<Shared>,
}

impl Tether {
    /// A tether that does not run yet. `make` makes the child anew for each attachment.
    ///
    /// `make` runs in the tether's own task and must not block. When it panics, that is a failed
    /// start. One that blocks holds up its tether alone, and the thread it is on: a
    /// [`Watchdog`](crate::Watchdog) names the tether, and a stop of the tree waits for it until
    /// its deadline and then names it as not stopped.
    pub fn new(
        name: impl Into<Arc<str>>,
        options: TetherOptions,
        make: impl FnMut(Attachment) -> ChildSpec + Send + 'static,
    ) -> Self {
        let desk = Desk {
            orders: Orders::default(),
            off: !options.attaches_at_start,
            proven: None,
        };
        Self {
            shared: Arc::new(Shared {
                family: Arc::new(Family::new(name.into(), rules())),
                mailbox: Mailbox::new(Capacity::new(0)),
                options,
                make: Mutex::new(Box::new(make)),
                desk: Mutex::new(desk),
                ordered: Notify::new(),
                face: watch::Sender::new(Face::slack("tether does not run")),
            }),
        }
    }

    /// The spec to put it into a tree with; it runs in one place at a time.
    pub fn spec(&self) -> ChildSpec {
        let shared = Arc::clone(&self.shared);
        let body = move |ctx: Context<Infallible>| tether_run::run(Arc::clone(&shared), ctx);
        let name = Arc::clone(&self.shared.family.name);
        ChildSpec::body(name, &self.shared.mailbox, body)
            .acknowledged()
            .shutdown(Shutdown::Infinity)
    }

    /// Switches it off: the child is stopped, within the shutdown of its spec, and none is
    /// attached until [`attach`](Self::attach). The state is slack as soon as
    /// the tether has taken the order, before the child has stopped.
    ///
    /// Like all orders it may come from any thread, does not wait, and counts when the tether
    /// does not run as well.
    pub fn cut(&self) {
        self.order(Orders::cut);
    }

    /// Switches it on, and attaches the child at once when it is not attached, whatever the delay
    /// is. Delays and quick restarts begin anew.
    pub fn attach(&self) {
        self.order(Orders::attach);
    }

    /// Tries at once instead of waiting for the next try, say because the network is back.
    ///
    /// Leaves alone what is attached, what was switched off by hand, and how the delays grow.
    pub fn attach_now(&self) {
        self.order(Orders::attach_now);
    }

    /// Makes the child anew, say because its configuration changed: one that is attached is
    /// stopped first. Delays and quick restarts begin anew. Leaves alone what was switched off.
    pub fn reattach(&self) {
        self.order(Orders::reattach);
    }

    /// What it does now.
    pub fn status(&self) -> TetherStatus {
        TetherStatus::of(&self.shared.face.borrow())
    }

    /// Tells of changes from here on.
    pub fn watch(&self) -> TetherWatch {
        TetherWatch(self.shared.face.subscribe())
    }

    fn order(&self, order: impl FnOnce(&mut Orders)) {
        order(&mut self.shared.desk().orders);
        self.shared.ordered.notify_one();
    }
}

impl fmt::Debug for Tether {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tether")
            .field("name", &self.shared.family.name)
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}

/// One attachment of a child, given to the closure that makes it.
#[derive(Clone)]
pub struct Attachment {
    shared: Arc<Shared>,
    number: u64,
}

impl Attachment {
    pub(super) fn new(shared: &Arc<Shared>, number: u64) -> Self {
        Self {
            shared: Arc::clone(shared),
            number,
        }
    }

    /// The child says that it is well: the next failure is the first again.
    ///
    /// The word counts as soon as the child has run as long as the back-off before it was; so one
    /// that gives word and fails at once, again and again, waits longer each time. Once is enough.
    ///
    /// From any thread, as often as it likes. Counts only while this attachment lasts, so that a
    /// word that comes late is not taken for that of the next child.
    pub fn proven(&self) {
        self.shared.desk().proven = Some(self.number);
        self.shared.ordered.notify_one();
    }

    /// Which attachment of its tether it is, from 0.
    pub fn number(&self) -> u64 {
        self.number
    }
}

impl fmt::Debug for Attachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attachment")
            .field("tether", &self.shared.family.name)
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

/// What a tether does, at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TetherStatus {
    /// Whether it holds its child.
    pub state: TetherState,
    /// Why it is slack or cut; `None` while it is taut.
    pub reason: Option<String>,
    /// The [code](crate::Exit::code) of the exit that cut it, when it had one.
    pub code: Option<&'static str>,
    /// Milliseconds until the next try; `None` when none is due, or one is going on.
    pub next_try_ms: Option<u64>,
    /// How often it was cut since its child was well.
    pub attempts: u32,
    /// Failures of the child since the tether began.
    pub failures: u64,
}

impl TetherStatus {
    fn of(face: &Face) -> Self {
        let now = Instant::now().into_std();
        let wait = face.next.map(|at| at.saturating_duration_since(now));
        Self {
            state: face.state,
            reason: face.reason.as_deref().map(str::to_owned),
            code: face.code,
            next_try_ms: wait.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
            attempts: face.attempts,
            failures: face.failures,
        }
    }
}

/// In a line: `cut, next try in 15 s: error: connection refused`.
impl fmt::Display for TetherStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.state.word())?;
        match (self.next_try_ms, self.state) {
            (Some(ms), _) => write!(f, ", next try in {}", span(ms))?,
            (None, TetherState::Cut) => f.write_str(", trying")?,
            (None, TetherState::Slack | TetherState::Taut) => {}
        }
        match &self.reason {
            Some(reason) => write!(f, ": {reason}"),
            None => Ok(()),
        }
    }
}

/// Tells of the changes of a tether: see [`Tether::watch`].
#[derive(Clone, Debug)]
pub struct TetherWatch(watch::Receiver<Face>);

impl TetherWatch {
    /// Waits until the status is another than the one that was returned last, or that was there
    /// when the watch began; `None` when the tether is gone, with its spec and all handles.
    ///
    /// Who is slow sees the latest status and not each one.
    ///
    /// # Cancel safety
    /// Cancel safe.
    pub async fn changed(&mut self) -> Option<TetherStatus> {
        self.0.changed().await.ok()?;
        Some(TetherStatus::of(&self.0.borrow_and_update()))
    }
}

/// What the handles of a tether and its process have in common.
pub(super) struct Shared {
    pub(super) family: Arc<Family>,
    /// One for all specs, so that a start waits for one that was killed and is not gone yet.
    mailbox: Mailbox<Infallible>,
    pub(super) options: TetherOptions,
    make: Mutex<Box<dyn FnMut(Attachment) -> ChildSpec + Send>>,
    desk: Mutex<Desk>,
    /// There is something on the desk.
    pub(super) ordered: Notify,
    pub(super) face: watch::Sender<Face>,
}

/// What was ordered and said and not yet heard.
pub(super) struct Desk {
    pub(super) orders: Orders,
    /// Switched off, by an order that was carried out: outlives the process.
    pub(super) off: bool,
    /// The last attachment that gave word.
    pub(super) proven: Option<u64>,
}

impl Shared {
    pub(super) fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls the owner's closure, which may panic.
    pub(super) fn make(self: &Arc<Self>, number: u64) -> ChildSpec {
        let mut make = self.make.lock().unwrap_or_else(PoisonError::into_inner);
        make(Attachment::new(self, number))
    }
}

impl Branch for Shared {
    fn children(&self) -> Vec<ProcessRef> {
        self.family.children()
    }

    fn find(&self, pid: Pid) -> Option<ProcessRef> {
        self.family.find(pid).map(|(process, _)| process)
    }

    fn kind(&self) -> &'static str {
        self.family.kind()
    }

    fn detail(&self) -> Option<String> {
        Some(TetherStatus::of(&self.face.borrow()).to_string())
    }
}

/// Its children wait for a word of the tether after each failure, as in a supervisor that restarts
/// them together; how many failures are too many is decided by the tether alone.
fn rules() -> Rules {
    Rules {
        kind: "tether",
        strategy: Strategy::OneForAll,
        auto_shutdown: AutoShutdown::Never,
        intensity: Intensity::UNLIMITED,
        max_children: TETHER_CHILDREN_MAX,
        partitions: 1,
        keeps_ended: false,
        expects_errors: true,
    }
}
