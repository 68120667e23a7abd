//! `[process]` The children of one supervisor, and what is decided about them.
//!
//! Shared by the supervisor's task, the seats of its children, and the handles that start
//! children; no lock here is held while a child is started, woken or stopped.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::error::StartError;
use crate::exit::{CrashKind, Exit};
use crate::grace::Grace;
use crate::pid::Pid;
use crate::place::Place;
use crate::policy::{AutoShutdown, Strategy};
use crate::process_ref::ProcessRef;
use crate::report;
use crate::signal;
use crate::slot::{Slot, Starter};
use crate::spec::{ChildSpec, Where};
use crate::window::{Intensity, Window};

/// How a family behaves.
pub(crate) struct Rules {
    pub(crate) kind: &'static str,
    pub(crate) strategy: Strategy,
    pub(crate) auto_shutdown: AutoShutdown,
    pub(crate) intensity: Intensity,
    pub(crate) max_children: usize,
    pub(crate) partitions: usize,
    /// Ended children stay in the list: they are part of the supervisor's shape.
    pub(crate) keeps_ended: bool,
    /// Errors of its children are expected, and it tells of them itself.
    pub(crate) expects_errors: bool,
}

pub(crate) struct Family {
    pub(super) name: Arc<str>,
    pub(crate) rules: Rules,
    pub(super) living: AtomicUsize,
    pub(super) stopping: AtomicBool,
    pub(super) partitions: Box<[Mutex<Partition>]>,
    pub(super) state: Mutex<State>,
    /// Wakes the supervisor's task.
    pub(super) changed: Notify,
    /// Wakes those who wait until a child rests.
    pub(crate) rested: Notify,
    /// Held by who stops and starts children of a static supervisor, the supervisor included.
    pub(super) turn: tokio::sync::Mutex<()>,
}

/// A share of the children. More than one so that starts and ends on several threads do not meet
/// at one lock.
#[derive(Default)]
pub(super) struct Partition {
    /// Where children run; `None` while the supervisor does not.
    pub(super) runtime: Option<Handle>,
    pub(super) children: BTreeMap<Pid, Arc<dyn Slot>>,
}

pub(super) struct State {
    pub(super) window: Window,
    /// What the supervisor is to end with.
    pub(super) outcome: Option<Exit>,
    /// Failed children whose siblings are to be restarted too. At most one entry a child.
    pub(super) failed: VecDeque<Failure>,
    pub(super) significant: usize,
    /// Who was left behind below children that have ended; only those that still run.
    pub(super) left: Vec<ProcessRef>,
}

/// A child that failed and waits to be restarted with its siblings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failure {
    pub(super) pid: Pid,
    /// Whether it counts against the supervisor's intensity.
    pub(super) counted: bool,
    /// The child's back-off.
    pub(super) delay: Duration,
}

/// A child that failed and is to be restarted.
pub(crate) struct Departure<'a> {
    pub(crate) pid: Pid,
    pub(crate) name: &'a str,
    pub(crate) exit: &'a Exit,
    /// Whether it counts against the supervisor's intensity.
    pub(crate) counted: bool,
    /// How long it has to wait.
    pub(crate) delay: Duration,
}

/// What a child does after it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It starts its next incarnation.
    Restart,
    /// It waits for its supervisor.
    Wait,
    /// It ends for good.
    End,
}

impl Family {
    pub(crate) fn new(name: Arc<str>, rules: Rules) -> Self {
        let partitions = (0..rules.partitions.max(1))
            .map(|_| Mutex::default())
            .collect();
        let state = State {
            window: Window::new(rules.intensity),
            outcome: None,
            failed: VecDeque::new(),
            significant: 0,
            left: Vec::new(),
        };
        Self {
            name,
            rules,
            living: AtomicUsize::new(0),
            stopping: AtomicBool::new(false),
            partitions,
            state: Mutex::new(state),
            changed: Notify::new(),
            rested: Notify::new(),
            turn: tokio::sync::Mutex::new(()),
        }
    }

    /// Lets children be started, on the tokio runtime that this is called on; false when the
    /// family is open already.
    pub(crate) fn open(&self) -> bool {
        let runtime = Handle::current();
        if self
            .partitions
            .iter()
            .any(|partition| lock(partition).runtime.is_some())
        {
            return false;
        }
        {
            let mut state = self.state();
            state.window = Window::new(self.rules.intensity);
            state.outcome = None;
            state.failed.clear();
            state.significant = 0;
        }
        self.stopping.store(false, Ordering::Release);
        for partition in &self.partitions {
            lock(partition).runtime = Some(runtime.clone());
        }
        true
    }

    /// Starts a child: O(log n), and without waiting for anything but short locks.
    pub(crate) fn start(
        self: &Arc<Self>,
        spec: ChildSpec,
        starter: Option<Starter>,
    ) -> Result<ProcessRef, StartError> {
        spec.check_under(self.rules.auto_shutdown)?;
        let max = self.rules.max_children;
        self.living
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |living| {
                (living < max).then_some(living + 1)
            })
            .map_err(|_living| StartError::TooManyChildren { max })?;
        let (pid, slot) = (Pid::next(), spec.launch.slot());
        let process = ProcessRef {
            slot,
            pid,
            name: Arc::clone(&spec.name),
        };
        let runtime = match self.admit(&process, Grace::of(spec.shutdown), starter) {
            Ok(runtime) => runtime,
            Err(error) => {
                self.count_out();
                return Err(error);
            }
        };
        if let Some(limit) = spec.start_within {
            process.slot.core().lock().rare().start_within = Some(limit);
        }
        if spec.terms.significant {
            self.state().significant += 1;
        }
        process.slot.open();
        let place = Place {
            family: Arc::clone(self),
            terms: spec.terms,
        };
        let on = if spec.on_thread {
            Where::OwnThread {
                name: spec.name,
                runtime,
            }
        } else {
            Where::Here(runtime)
        };
        // When there is no thread, the seat is dropped, and that ends the child.
        spec.launch.launch(place, &on)?;
        Ok(process)
    }

    /// Puts a child on its slot and into the list. The list's lock is the gate that a stop closes.
    fn admit(
        &self,
        process: &ProcessRef,
        grace: Grace,
        starter: Option<Starter>,
    ) -> Result<Handle, StartError> {
        let mut partition = self.partition(process.pid);
        let runtime = partition.runtime.clone().ok_or(StartError::NotRunning)?;
        if !process
            .slot
            .core()
            .occupy(process.pid, &process.name, grace, starter)
        {
            return Err(StartError::MailboxInUse);
        }
        let slot = Arc::clone(&process.slot);
        partition.children.insert(process.pid, slot);
        Ok(runtime)
    }

    /// Decides about a child that failed and whose policy is to restart it.
    pub(crate) fn child_failed(&self, departure: &Departure<'_>) -> Verdict {
        let mut state = self.state();
        if state.outcome.is_some() || self.stopping.load(Ordering::Acquire) {
            return Verdict::End;
        }
        match self.rules.strategy {
            Strategy::OneForOne => {
                if departure.counted && state.window.record(Instant::now().into_std()) {
                    self.give_up(&mut state, departure.name, departure.exit);
                    return Verdict::End;
                }
                Verdict::Restart
            }
            Strategy::OneForAll | Strategy::RestForOne => {
                state.failed.push_back(Failure {
                    pid: departure.pid,
                    counted: departure.counted,
                    delay: departure.delay,
                });
                Verdict::Wait
            }
        }
    }

    /// Counts a child that exceeded its own intensity.
    pub(crate) fn child_abandoned(&self, name: &str, exit: &Exit) {
        let mut state = self.state();
        if state.outcome.is_none() && state.window.record(Instant::now().into_std()) {
            self.give_up(&mut state, name, exit);
        }
    }

    /// A child ended by itself and will not be restarted.
    pub(crate) fn child_done(&self, significant: bool) {
        if !significant {
            return;
        }
        let mut state = self.state();
        state.significant = state.significant.saturating_sub(1);
        let stops = match self.rules.auto_shutdown {
            AutoShutdown::Never => false,
            AutoShutdown::AnySignificant => true,
            AutoShutdown::AllSignificant => state.significant == 0,
        };
        if stops && state.outcome.is_none() {
            state.outcome = Some(Exit::Shutdown);
            self.changed.notify_one();
        }
    }

    /// A child was stopped with its siblings and does not come back with them.
    pub(crate) fn child_gone(&self, significant: bool) {
        if significant {
            let mut state = self.state();
            state.significant = state.significant.saturating_sub(1);
        }
    }

    /// A child that was [done](Self::child_done) comes back with its siblings.
    pub(crate) fn child_back(&self, significant: bool) {
        if significant {
            self.state().significant += 1;
        }
    }

    /// A child waits for a command.
    pub(crate) fn parked(&self) {
        self.changed.notify_one();
    }

    /// A child has ended for good. Its seat calls this once.
    pub(crate) fn child_ended(&self, pid: Pid) {
        if !self.rules.keeps_ended {
            let child = self.partition(pid).children.remove(&pid);
            drop(child);
        }
        self.count_out();
    }

    /// Counts one child less, and wakes a supervisor that waits for the last one: that may be one
    /// that was counted and then refused.
    fn count_out(&self) {
        let last = self.living.fetch_sub(1, Ordering::AcqRel) == 1;
        if self.rules.keeps_ended || (last && self.stopping.load(Ordering::Acquire)) {
            self.changed.notify_one();
        }
    }

    pub(super) fn give_up(&self, state: &mut State, child: &str, exit: &Exit) {
        report::escalated(&self.name, child, exit);
        let text = format!("child {child} ended with {exit}");
        state.outcome = Some(Exit::coded(CrashKind::Intensity, exit.code(), text));
        self.changed.notify_one();
    }

    /// True when a restart takes siblings along.
    pub(crate) fn restarts_siblings(&self) -> bool {
        match self.rules.strategy {
            Strategy::OneForOne => false,
            Strategy::OneForAll | Strategy::RestForOne => true,
        }
    }

    pub(crate) fn living(&self) -> usize {
        self.living.load(Ordering::Acquire)
    }

    pub(super) fn partition(&self, pid: Pid) -> MutexGuard<'_, Partition> {
        let count = self.partitions.len() as u64;
        let index = usize::try_from(pid.number() % count).unwrap_or(0);
        #[expect(
            clippy::indexing_slicing,
            reason = "the index is a remainder by the length"
        )]
        lock(&self.partitions[index])
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The child with this pid.
    pub(super) fn find(&self, pid: Pid) -> Option<(ProcessRef, Grace)> {
        let slot = Arc::clone(self.partition(pid).children.get(&pid)?);
        Some(signal::reference(&slot, pid))
    }

    /// All children, by pid, with how each is stopped.
    pub(super) fn list(&self) -> Vec<(ProcessRef, Grace)> {
        let mut slots = Vec::new();
        for partition in &self.partitions {
            let partition = lock(partition);
            slots.extend(
                partition
                    .children
                    .iter()
                    .map(|(pid, slot)| (*pid, Arc::clone(slot))),
            );
        }
        if self.partitions.len() > 1 {
            slots.sort_unstable_by_key(|(pid, _)| *pid);
        }
        slots
            .into_iter()
            .map(|(pid, slot)| signal::reference(&slot, pid))
            .collect()
    }
}

pub(super) fn lock(partition: &Mutex<Partition>) -> MutexGuard<'_, Partition> {
    partition.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    #[tokio::test]
    async fn regression_a_start_that_is_refused_wakes_who_waits_for_the_last_child() {
        let rules = Rules {
            kind: "family",
            strategy: Strategy::OneForOne,
            auto_shutdown: AutoShutdown::Never,
            intensity: Intensity::default(),
            max_children: 9,
            partitions: 1,
            keeps_ended: false,
            expects_errors: false,
        };
        let family = Arc::new(Family::new(Arc::from("family"), rules));
        family.open();
        family.close();
        // Between its two halves the start counts as a child that the supervisor waits for.
        let refused = family.start(ChildSpec::task("late", |_| pending()), None);
        assert!(matches!(refused, Err(StartError::NotRunning)));
        let woken = tokio::select! {
            biased;
            () = family.changed.notified() => true,
            () = ready(()) => false,
        };
        assert!(woken);
    }
}
