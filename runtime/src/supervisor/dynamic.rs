//! `[process]` Dynamic supervisors: children that come and go by the thousand.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

use tokio::select;

use super::error::{StartError, StopError};
use super::family::{Family, Rules};
use super::fixed::{show, start_one};
use super::stop::{Custody, stop_one};
use crate::context::{Context, Incoming};
use crate::exit::Exit;
use crate::limits::SUPERVISOR_PARTITIONS_MAX;
use crate::mailbox::{Capacity, Mailbox};
use crate::pid::Pid;
use crate::policy::{AutoShutdown, Shutdown, Strategy};
use crate::process_ref::ProcessRef;
use crate::spec::ChildSpec;
use crate::spec_error::SpecError;
use crate::window::Intensity;

/// How a dynamic supervisor behaves.
#[derive(Clone, Copy, Debug)]
pub struct DynamicOptions {
    /// Children at once. When reached: [`StartError::TooManyChildren`].
    pub max_children: usize,
    /// How many restarts it bears.
    pub intensity: Intensity,
    /// Shares its children are kept in, each behind a lock of its own: the number of cores is
    /// right when children are started from many threads. At most
    /// [`SUPERVISOR_PARTITIONS_MAX`].
    pub partitions: usize,
}

impl Default for DynamicOptions {
    /// A million children, OTP's intensity (one restart in five seconds), one share.
    fn default() -> Self {
        Self {
            max_children: 1_000_000,
            intensity: Intensity::default(),
            partitions: 1,
        }
    }
}

/// A supervisor whose children are started and stopped while it runs, and the handle to do it.
///
/// Put its [`spec`](Self::spec) into the tree. Children are independent: each restarts alone, and
/// they all stop at once when the supervisor does, each within its own
/// [`Shutdown`]. Starting and stopping a child, and counting them, do not depend
/// on how many there are (but for a logarithm). Their names need not differ. When the supervisor
/// itself restarts it has no children, as in OTP.
///
/// ```
/// # use std::time::Duration;
/// # use belay_runtime::*;
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let sessions = DynamicSupervisor::new("sessions", DynamicOptions::default());
/// let node = Node::start(Supervisor::builder("node").child(sessions.spec())).await.unwrap();
///
/// let (done, answer) = tokio::sync::oneshot::channel();
/// sessions
///     .spawn_child(ChildSpec::task("sum", |_| async move {
///         done.send(1 + 1).map_err(|_| Exit::error("nobody asked"))
///     }))
///     .unwrap();
/// assert_eq!(answer.await, Ok(2));
/// node.stop(Duration::from_secs(1)).await;
/// # }
/// ```
#[derive(Clone)]
pub struct DynamicSupervisor {
    family: Arc<Family>,
    /// One for all specs, so that a start waits for one that was killed and is not gone yet.
    mailbox: Mailbox<Infallible>,
}

impl DynamicSupervisor {
    /// A supervisor that does not run yet.
    pub fn new(name: impl Into<Arc<str>>, options: DynamicOptions) -> Self {
        let rules = Rules {
            kind: "dynamic supervisor",
            strategy: Strategy::OneForOne,
            auto_shutdown: AutoShutdown::Never,
            intensity: options.intensity,
            max_children: options.max_children,
            partitions: options.partitions.clamp(1, SUPERVISOR_PARTITIONS_MAX),
            keeps_ended: false,
            expects_errors: false,
        };
        Self {
            family: Arc::new(Family::new(name.into(), rules)),
            mailbox: Mailbox::new(Capacity::new(0)),
        }
    }

    /// The spec to put it into a tree with; it runs in one place at a time.
    pub fn spec(&self) -> ChildSpec {
        let family = Arc::clone(&self.family);
        let body = move |ctx| run(Arc::clone(&family), ctx);
        ChildSpec::body(Arc::clone(&self.family.name), &self.mailbox, body)
            .acknowledged()
            .shutdown(Shutdown::Infinity)
    }

    /// Starts a child and waits until its start is acknowledged.
    ///
    /// # Errors
    /// Any [`StartError`]; after [`StartError::Failed`] the child has ended, whatever its restart
    /// policy is.
    ///
    /// # Cancel safety
    /// When the future is dropped the child may have been started, and stays.
    pub async fn start_child(&self, spec: ChildSpec) -> Result<ProcessRef, StartError> {
        start_one(&self.family, spec).await
    }

    /// Starts a child without waiting for it. May be called from any thread, in or out of tokio.
    ///
    /// A child whose first incarnation fails is treated by its restart policy.
    ///
    /// # Errors
    /// Any [`StartError`] but [`StartError::Failed`]; the spec, and what it owns, is dropped.
    pub fn spawn_child(&self, spec: ChildSpec) -> Result<ProcessRef, StartError> {
        self.family.start(spec, None)
    }

    /// Stops a child for good, within the [`Shutdown`] of its spec, and waits for it.
    ///
    /// # Errors
    /// [`StopError::NotFound`] (refused) when it is no child of this supervisor, or has ended;
    /// [`StopError::LeftBehind`] (bug) when it was killed and does not come to an await point
    /// within [`KILL_GRACE`](crate::limits::KILL_GRACE).
    ///
    /// # Cancel safety
    /// When the future is dropped the child stops all the same, or is killed at its deadline.
    pub async fn stop_child(&self, pid: Pid) -> Result<(), StopError> {
        let (process, grace) = self.family.find(pid).ok_or(StopError::NotFound)?;
        if stop_one(&process, grace).await {
            Ok(())
        } else {
            Err(StopError::LeftBehind)
        }
    }

    /// The children now, in the order in which they were started, those between two incarnations
    /// included: OTP's `which_children`. Locks one share after the other, so that it is no
    /// snapshot of one moment; costs what there are.
    pub fn children(&self) -> Vec<ProcessRef> {
        let children = self.family.list().into_iter();
        children.map(|(process, _)| process).collect()
    }

    /// Children now, those between two incarnations included: OTP's `count_children`.
    pub fn count(&self) -> usize {
        self.family.living()
    }
}

impl fmt::Debug for DynamicSupervisor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicSupervisor")
            .field("name", &self.family.name)
            .field("children", &self.count())
            .finish_non_exhaustive()
    }
}

/// One incarnation of a dynamic supervisor.
async fn run(family: Arc<Family>, mut ctx: Context<Infallible>) -> Result<(), Exit> {
    if family.rules.intensity.has_no_period() {
        let name = Arc::clone(&family.name);
        return Err(Exit::error(SpecError::NoPeriod { name }.to_string()));
    }
    show(&ctx, &family);
    if !family.open() {
        return Err(Exit::error("dynamic supervisor runs elsewhere already"));
    }
    let custody = Custody(Arc::clone(&family));
    ctx.ready();
    let outcome = loop {
        if let Some(outcome) = family.state().outcome.clone() {
            break outcome;
        }
        select! {
            biased;
            incoming = ctx.next() => match incoming {
                Incoming::Shutdown => break Exit::Shutdown,
                Incoming::Signal(_) => {}
                Incoming::Message(never) | Incoming::Timer(never) => match never {},
            },
            () = family.changed.notified() => {}
        }
    };
    family.stop_together().await;
    family.hand_on(&ctx.process());
    drop(custody);
    Err(outcome)
}
