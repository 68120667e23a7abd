//! `[process]` Children of a static supervisor, stopped and started by name while it runs.

use std::fmt;
use std::sync::{Arc, Weak};

use tokio::select;
use tokio::time::timeout;

use super::error::StartError;
use super::family::{Family, lock};
use super::fixed::start_one;
use super::regroup::run_again;
use super::stop::stop_one;
use crate::exit::{CrashKind, Exit};
use crate::grace::Grace;
use crate::limits::STATIC_CHILDREN_MAX;
use crate::process_ref::ProcessRef;
use crate::report;
use crate::slot::{Phase, Purpose};
use crate::spec::ChildSpec;
use crate::spec_error::SpecError;

/// A static supervisor, to look at its children and to stop and start them by name: what OTP's
/// `supervisor` and Elixir's `Supervisor` offer on a running one.
///
/// From [`Node::supervisor`](crate::Node::supervisor), or of a process that is one, with
/// [`of`](Self::of). Cheap to clone; names the supervisor over its restarts, and each call is about
/// the children that it has at the time.
///
/// * A child that was terminated *rests*: its process is gone, its mailbox is closed, links and
///   monitors were told, and it counts against no intensity. Its spec, and names it registered,
///   stay. Only [`restart_child`](Self::restart_child) starts it again, or a restart of the
///   supervisor. (In OTP a restart of siblings does as well.)
/// * One thing at a time: these calls, and the supervisor's own restarts of siblings, wait for each
///   other. A stop of the supervisor waits for none of them.
/// * A child must not wait for its own supervisor while that stops or restarts it: it would be
///   killed at the deadline of its spec.
/// * The search for a name is linear: this is for operators, upgrades and tests, not for traffic.
///   For children that come and go there is [`DynamicSupervisor`](crate::DynamicSupervisor).
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
/// let builder = Supervisor::builder("node").child(ChildSpec::body("store", &store, quiet));
/// let node = Node::start(builder).await.unwrap();
///
/// let supervisor = node.supervisor();
/// supervisor.start_child(ChildSpec::body("cache", &cache, quiet)).await.unwrap();
/// let names: Vec<_> = supervisor.which_children();
/// assert_eq!(names.iter().map(ProcessRef::name).collect::<Vec<_>>(), ["store", "cache"]);
///
/// supervisor.terminate_child("cache").await.unwrap();
/// assert!(cache.address().is_closed());
/// supervisor.restart_child("cache").await.unwrap();
/// assert!(!cache.address().is_closed());
/// assert!(matches!(supervisor.delete_child("cache").await, Err(ChildError::Running)));
/// node.stop(Duration::from_secs(1)).await;
/// # }
/// ```
#[derive(Clone)]
pub struct SupervisorRef {
    process: ProcessRef,
}

/// Why a child of a static supervisor was not stopped, started or deleted.
#[derive(Debug, thiserror::Error)]
pub enum ChildError {
    /// Busy: the supervisor does not run now, or is stopping.
    #[error("supervisor is not running")]
    NotRunning,
    /// Refused: it has no child of this name.
    #[error("no such child")]
    NotFound,
    /// Refused: the child runs; terminate it first.
    #[error("child is running")]
    Running,
    /// Refused: the child waits to be restarted, for its back-off or with its siblings; terminate
    /// it first.
    #[error("child is being restarted")]
    Restarting,
    /// Refused: the child has ended for good, as a temporary one does, a transient one after a
    /// normal exit, and one that was abandoned. Its code is gone: start it with a new spec.
    #[error("child has ended for good")]
    Ended,
    /// Bug: the code of the child does not come back to an await point.
    #[error("child does not stop")]
    LeftBehind,
    /// The child did not start.
    #[error(transparent)]
    Start(#[from] StartError),
}

impl SupervisorRef {
    pub(crate) fn at(process: ProcessRef) -> Self {
        Self { process }
    }

    /// The static supervisor that this process is; `None` when it is none, or does not run.
    pub fn of(process: &ProcessRef) -> Option<Self> {
        let supervisor = Self::at(process.clone());
        supervisor.family().is_ok().then_some(supervisor)
    }

    /// Its process.
    pub fn process(&self) -> &ProcessRef {
        &self.process
    }

    /// Its children in the order in which they were started; none while it does not run. What they
    /// do is in [`Node::tree`](crate::Node::tree).
    #[doc(alias = "count_children")]
    pub fn which_children(&self) -> Vec<ProcessRef> {
        let family = self.family();
        family.map_or_else(
            |_| Vec::new(),
            |family| named(&family).map(|(child, _)| child).collect(),
        )
    }

    /// Its child of this name.
    pub fn child(&self, name: &str) -> Option<ProcessRef> {
        let family = self.family().ok()?;
        find(&family, name).ok().map(|(child, _)| child)
    }

    /// Stops a child, within the [`Shutdown`](crate::Shutdown) of its spec, and waits until it
    /// rests.
    ///
    /// A restart that it waited for is called off. A [temporary](crate::Restart::Temporary) child
    /// ends for good and leaves the list, as in OTP. Whether the supervisor
    /// [stops by itself](crate::AutoShutdown) is not decided by this, but a child that rests does
    /// not keep it from that. Of a child that rests or has ended already it is `Ok`.
    ///
    /// # Errors
    /// [`ChildError::NotRunning`], [`ChildError::NotFound`], or [`ChildError::LeftBehind`].
    ///
    /// # Cancel safety
    /// When the future is dropped the child is terminated all the same.
    pub async fn terminate_child(&self, name: &str) -> Result<(), ChildError> {
        let family = self.family()?;
        let _turn = family.turn.lock().await;
        let (child, grace) = find(&family, name)?;
        let alive = child.is_alive();
        if !rest(&family, &child, grace).await {
            return Err(ChildError::LeftBehind);
        }
        if alive && !child.is_alive() {
            // Temporary: nothing of it is left to start again.
            family.forget(&child);
        }
        Ok(())
    }

    /// Starts a child that rests, and waits until its start is acknowledged. Its incarnation and
    /// its pid go on.
    ///
    /// When it does not start it rests again; that counts against no intensity.
    ///
    /// # Errors
    /// [`ChildError::NotRunning`], [`ChildError::NotFound`], [`ChildError::Running`],
    /// [`ChildError::Restarting`], [`ChildError::Ended`], or [`ChildError::Start`].
    ///
    /// # Cancel safety
    /// When the future is dropped the child may have been started, and stays.
    pub async fn restart_child(&self, name: &str) -> Result<ProcessRef, ChildError> {
        let family = self.family()?;
        let _turn = family.turn.lock().await;
        let (child, _) = find(&family, name)?;
        resting(&child)?;
        let (name, after) = (Arc::from(name), child.slot.core().lock().start_within());
        match run_again(&child, Phase::Resting).await {
            Some(Ok(())) => Ok(child),
            Some(Err(Exit::Crash(crash))) if crash.kind == CrashKind::Start => {
                Err(StartError::TimedOut { name, after }.into())
            }
            Some(Err(exit)) => Err(StartError::Failed { name, exit }.into()),
            None => {
                child.request_stop(Grace::BRUTAL, Purpose::Rest);
                report::left_behind(&child);
                Err(StartError::TimedOut { name, after }.into())
            }
        }
    }

    /// Takes a child that rests, or has ended for good, out of the list, and drops its spec.
    ///
    /// # Errors
    /// [`ChildError::NotRunning`], [`ChildError::NotFound`], [`ChildError::Running`],
    /// [`ChildError::Restarting`], or [`ChildError::LeftBehind`].
    ///
    /// # Cancel safety
    /// When the future is dropped the child may have ended and be in the list.
    pub async fn delete_child(&self, name: &str) -> Result<(), ChildError> {
        let family = self.family()?;
        let _turn = family.turn.lock().await;
        let (child, grace) = find(&family, name)?;
        match resting(&child) {
            Ok(()) => {
                if !stop_one(&child, grace).await {
                    return Err(ChildError::LeftBehind);
                }
            }
            Err(ChildError::Ended) => {}
            Err(other) => return Err(other),
        }
        family.forget(&child);
        Ok(())
    }

    /// Starts another child after those that are there, and waits until its start is acknowledged.
    /// When the supervisor itself restarts, it is not there any more.
    ///
    /// Children that have ended for good leave the list, so that it does not grow for ever.
    ///
    /// # Errors
    /// Any [`StartError`]; [`StartError::Spec`] with [`SpecError::DuplicateName`] when there is a
    /// child of this name that has not ended for good. After [`StartError::Failed`] the child is
    /// not in the list.
    ///
    /// # Cancel safety
    /// When the future is dropped the child may have been started, and stays.
    pub async fn start_child(&self, spec: ChildSpec) -> Result<ProcessRef, StartError> {
        let family = self.family().or(Err(StartError::NotRunning))?;
        let _turn = family.turn.lock().await;
        for (child, _) in family.list() {
            if !child.is_alive() {
                family.forget(&child);
            } else if *child.name == *spec.name {
                let name = spec.name;
                return Err(SpecError::DuplicateName { name }.into());
            }
        }
        let max = STATIC_CHILDREN_MAX;
        if family.living() >= max {
            return Err(StartError::TooManyChildren { max });
        }
        let name = Arc::clone(&spec.name);
        let started = start_one(&family, spec).await;
        if started.is_err()
            && let Ok((child, _)) = find(&family, &name)
            && !child.is_alive()
        {
            family.forget(&child);
        }
        started
    }

    fn family(&self) -> Result<Arc<Family>, ChildError> {
        let status = self.process.slot.core().status();
        let family = status
            .branch
            .filter(|_| status.pid == self.process.pid())
            .and_then(|branch| Weak::upgrade(&branch))
            .and_then(|branch| branch.as_static())
            .ok_or(ChildError::NotRunning)?;
        if family.is_open() {
            Ok(family)
        } else {
            Err(ChildError::NotRunning)
        }
    }
}

impl fmt::Debug for SupervisorRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SupervisorRef({:?})", self.process)
    }
}

fn named(family: &Family) -> impl Iterator<Item = (ProcessRef, Grace)> {
    // A mailbox can have another child by now, elsewhere; then this one has no name.
    family
        .list()
        .into_iter()
        .filter(|(child, _)| !child.name.is_empty())
}

fn find(family: &Family, name: &str) -> Result<(ProcessRef, Grace), ChildError> {
    named(family)
        .find(|(child, _)| child.name() == name)
        .ok_or(ChildError::NotFound)
}

/// Says why a child does not rest.
fn resting(child: &ProcessRef) -> Result<(), ChildError> {
    match child.phase() {
        Phase::Resting => Ok(()),
        Phase::Starting | Phase::Running | Phase::Stopping => Err(ChildError::Running),
        Phase::Waiting => Err(ChildError::Restarting),
        Phase::Vacant | Phase::Ended | Phase::Abandoned => Err(ChildError::Ended),
    }
}

/// Stops a child until it rests, or has ended; false when it does not stop.
async fn rest(family: &Family, child: &ProcessRef, grace: Grace) -> bool {
    child.request_stop(grace, Purpose::Rest);
    let rested = async {
        loop {
            let rested = family.rested.notified();
            match resting(child) {
                Ok(()) | Err(ChildError::Ended) => return,
                Err(_) => select! {
                    () = rested => {}
                    _ = child.ended() => {}
                },
            }
        }
    };
    let stopped = match grace.patience() {
        Some(limit) => timeout(limit, rested).await.is_ok(),
        None => {
            rested.await;
            true
        }
    };
    if !stopped {
        report::left_behind(child);
    }
    stopped
}

impl Family {
    fn is_open(&self) -> bool {
        self.partitions
            .iter()
            .any(|partition| lock(partition).runtime.is_some())
    }

    /// Takes an ended child out of the list.
    fn forget(&self, child: &ProcessRef) {
        let forgotten = self.partition(child.pid()).children.remove(&child.pid());
        drop(forgotten);
    }
}
