//! `[process]` Static supervisors: ordered children that are known beforehand.

use std::convert::Infallible;
use std::fmt;
use std::future::pending;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::select;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until, timeout};

use super::error::StartError;
use super::family::{Family, Rules};
use super::regroup::Group;
use super::stop::Custody;
use crate::context::{Context, Incoming};
use crate::exit::{CrashKind, Exit};
use crate::grace::Grace;
use crate::limits::{KILL_GRACE, START_DEFAULT};
use crate::patience::Patience;
use crate::policy::{AutoShutdown, Strategy};
use crate::process_ref::ProcessRef;
use crate::report;
use crate::roster;
use crate::slot::{Purpose, Slot};
use crate::spec::ChildSpec;
use crate::window::Intensity;

/// The way to make static supervisors: [`Supervisor::builder`].
#[derive(Debug)]
pub struct Supervisor(Infallible);

impl Supervisor {
    /// A supervisor without children, [one for one](Strategy::OneForOne), with OTP's
    /// [intensity](Intensity::default): one restart in five seconds, where Elixir allows three.
    ///
    /// * Children start in the order in which they are added, each after the start of the one
    ///   before was acknowledged; when one fails to start, those before it are stopped and the
    ///   supervisor fails to start.
    /// * They stop in reverse order, each within its own [`Shutdown`](crate::Shutdown).
    /// * When there are more restarts than the intensity allows, the supervisor stops its
    ///   children and fails itself, with [`CrashKind::Intensity`](crate::CrashKind::Intensity):
    ///   then it is its own supervisor's turn.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use belay_runtime::*;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let quiet = |mut ctx: Context<()>| async move {
    ///     while !matches!(ctx.next().await, Incoming::Shutdown) {}
    ///     Ok(())
    /// };
    /// let (store, cache) = (Mailbox::new(Capacity::new(8)), Mailbox::new(Capacity::new(8)));
    /// let node = Node::start(
    ///     Supervisor::builder("node")
    ///         .strategy(Strategy::RestForOne)
    ///         .intensity(Intensity::new(3, Duration::from_secs(5)))
    ///         .child(ChildSpec::body("store", &store, quiet))
    ///         .child(ChildSpec::body("cache", &cache, quiet)),
    /// )
    /// .await
    /// .unwrap();
    /// assert_eq!(node.tree().children.len(), 2);
    /// node.stop(Duration::from_secs(1)).await;
    /// # }
    /// ```
    pub fn builder(name: impl Into<Arc<str>>) -> SupervisorBuilder {
        SupervisorBuilder {
            name: name.into(),
            strategy: Strategy::default(),
            auto_shutdown: AutoShutdown::default(),
            intensity: Intensity::default(),
            children: Vec::new(),
        }
    }
}

/// A static supervisor as data.
pub struct SupervisorBuilder {
    pub(crate) name: Arc<str>,
    strategy: Strategy,
    pub(crate) auto_shutdown: AutoShutdown,
    pub(crate) intensity: Intensity,
    pub(crate) children: Vec<ChildSpec>,
}

impl SupervisorBuilder {
    /// Whom it restarts when one child failed.
    #[must_use]
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// How many restarts it bears: Elixir's `max_restarts` and `max_seconds`.
    #[must_use]
    pub fn intensity(mut self, intensity: Intensity) -> Self {
        self.intensity = intensity;
        self
    }

    /// Whether it stops when significant children have ended; then its exit is
    /// [`Exit::Shutdown`].
    #[must_use]
    pub fn auto_shutdown(mut self, auto_shutdown: AutoShutdown) -> Self {
        self.auto_shutdown = auto_shutdown;
        self
    }

    /// Adds a child after those that are there.
    #[must_use]
    pub fn child(mut self, spec: ChildSpec) -> Self {
        self.children.push(spec);
        self
    }

    /// Adds children after those that are there.
    #[must_use]
    pub fn children(mut self, specs: impl IntoIterator<Item = ChildSpec>) -> Self {
        self.children.extend(specs);
        self
    }
}

impl fmt::Debug for SupervisorBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SupervisorBuilder")
            .field("name", &self.name)
            .field("strategy", &self.strategy)
            .field("children", &self.children)
            .finish_non_exhaustive()
    }
}

/// One incarnation of a static supervisor.
pub(crate) async fn run(
    builder: SupervisorBuilder,
    mut ctx: Context<Infallible>,
) -> Result<(), Exit> {
    builder
        .check()
        .map_err(|error| Exit::error(error.to_string()))?;
    let rules = Rules {
        kind: "supervisor",
        strategy: builder.strategy,
        auto_shutdown: builder.auto_shutdown,
        intensity: builder.intensity,
        max_children: usize::MAX,
        partitions: 1,
        keeps_ended: true,
        expects_errors: false,
    };
    let family = Arc::new(Family::new(builder.name, rules));
    let custody = Custody(Arc::clone(&family));
    show(&ctx, &family);
    family.open();
    let started = select! {
        biased;
        () = ctx.stopping() => Err(Exit::Shutdown),
        started = start_all(&family, builder.children) => started,
    };
    let outcome = match started {
        Ok(()) => {
            ctx.ready();
            watch(&family, &mut ctx).await
        }
        Err(exit) => exit,
    };
    family.stop_in_reverse().await;
    family.hand_on(&ctx.process());
    drop(custody);
    Err(outcome)
}

/// Makes the children visible in the tree.
pub(super) fn show(ctx: &Context<Infallible>, family: &Arc<Family>) {
    let branch = family.as_branch();
    roster::enrol(Weak::clone(&branch));
    ctx.process().slot.core().lock().rare().branch = Some(branch);
}

async fn start_all(family: &Arc<Family>, specs: Vec<ChildSpec>) -> Result<(), Exit> {
    let _turn = family.turn.lock().await;
    for spec in specs {
        start_one(family, spec)
            .await
            .map_err(|error| error.as_exit())?;
    }
    Ok(())
}

/// Starts a child and waits until its start is acknowledged.
pub(crate) async fn start_one(
    family: &Arc<Family>,
    spec: ChildSpec,
) -> Result<ProcessRef, StartError> {
    vacated(spec.launch.slot()).await;
    let name = Arc::clone(&spec.name);
    let after = spec.start_within.unwrap_or(START_DEFAULT);
    let (starter, started) = oneshot::channel();
    let process = family.start(spec, Some(starter))?;
    match answered(started, after).await {
        Some(Ok(())) => Ok(process),
        Some(Err(Exit::Crash(crash))) if crash.kind == CrashKind::Start => {
            Err(StartError::TimedOut { name, after })
        }
        Some(Err(exit)) => Err(StartError::Failed { name, exit }),
        None => {
            process.request_stop(Grace::BRUTAL, Purpose::End);
            report::left_behind(&process);
            Err(StartError::TimedOut { name, after })
        }
    }
}

/// What a child says about its start; `None` when it should have been killed for not starting in
/// time, and its code does not come to an await point to notice.
pub(super) async fn answered(
    mut started: oneshot::Receiver<Result<(), Exit>>,
    after: Duration,
) -> Option<Result<(), Exit>> {
    let mut patience = Patience::with_threads(after.saturating_add(KILL_GRACE));
    let answer = patience.wait(Pin::new(&mut started)).await?;
    // Without an answer the child's task is gone, with its whole thread.
    Some(answer.unwrap_or(Err(Exit::Killed)))
}

/// Waits for a child that was killed and still is on the mailbox of this one: a supervisor that
/// was killed restarts before all of its children have come to an await point.
async fn vacated(slot: Arc<dyn Slot>) {
    let occupant = {
        let control = slot.core().lock();
        let leaves = matches!(control.shutdown, Some((Grace::BRUTAL, Purpose::End)));
        if !leaves || !control.is_living() {
            return;
        }
        ProcessRef {
            slot: Arc::clone(&slot),
            pid: control.pid,
            name: Arc::clone(&control.name),
        }
    };
    // When it stays, the start says that the mailbox is in use.
    drop(timeout(KILL_GRACE, occupant.ended()).await);
}

/// Restarts siblings until the supervisor has to stop; returns why.
async fn watch(family: &Arc<Family>, ctx: &mut Context<Infallible>) -> Exit {
    let mut waiting: Option<Group> = None;
    loop {
        if let Some(outcome) = family.state().outcome.clone() {
            return outcome;
        }
        if let Some(failure) = family.next_failed() {
            let gathered = select! {
                biased;
                () = ctx.stopping() => return Exit::Shutdown,
                gathered = family.gather(failure, waiting) => gathered,
            };
            // When it gave up, the outcome is set.
            waiting = gathered.ok();
            continue;
        }
        if let Some(group) = waiting.take_if(|group| group.at <= Instant::now()) {
            select! {
                biased;
                () = ctx.stopping() => return Exit::Shutdown,
                () = family.start_group(group) => {}
            }
            continue;
        }
        select! {
            biased;
            incoming = ctx.next() => match incoming {
                Incoming::Shutdown => return Exit::Shutdown,
                Incoming::Signal(_) => {}
                Incoming::Message(never) | Incoming::Timer(never) => match never {},
            },
            () = family.changed.notified() => {}
            () = due(waiting) => {}
        }
    }
}

/// Waits until a group is to start; for ever when there is none.
async fn due(group: Option<Group>) {
    match group {
        Some(group) => sleep_until(group.at).await,
        None => pending().await,
    }
}
