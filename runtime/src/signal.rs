//! `[process]` Links, monitors and exit signals.
//!
//! The locks of two processes are never held together: each step takes one, and the order of the
//! steps is such that an exit in between is noticed by the later one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::exit::Exit;
use crate::grace::Grace;
use crate::limits::{EXIT_SIGNALS_MAX, RELATIONS_MAX};
use crate::pid::Pid;
use crate::process_ref::ProcessRef;
use crate::slot::{Extras, FORCED, SIGNAL, Slot};

static NEXT_MONITOR: AtomicU64 = AtomicU64::new(1);

/// One monitoring of one process by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MonitorId(u64);

/// What reaches a process in the lane beside its mailbox.
///
/// Signals come before messages and need no room in the mailbox.
///
/// ```
/// # use belay_runtime::*;
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// # let workers = DynamicSupervisor::new("workers", DynamicOptions::default());
/// # let node = Node::start(Supervisor::builder("node").child(workers.spec())).await.unwrap();
/// let mailbox = Mailbox::new(Capacity::new(1));
/// let frail = |mut ctx: Context<()>| async move {
///     ctx.next().await;
///     Err(Exit::error("poison"))
/// };
/// let frail = workers.spawn_child(ChildSpec::once_body("frail", &mailbox, frail)).unwrap();
/// let (tell, mut told) = tokio::sync::mpsc::channel(2);
/// let boss = |mut ctx: Context<_>| async move {
///     ctx.trap_exits(true);
///     ctx.link(&frail);
///     ctx.monitor(&frail);
///     while let Incoming::Signal(signal) = ctx.next().await {
///         tell.send(signal).await.or(Err(Exit::error("nobody listens")))?;
///     }
///     Ok(())
/// };
/// workers.start_child(ChildSpec::task("boss", boss)).await.unwrap();
/// mailbox.address().try_send(()).unwrap();
/// // Links are told before monitors.
/// assert!(matches!(told.recv().await, Some(Signal::Exit { from: Some(_), .. })));
/// assert!(matches!(told.recv().await, Some(Signal::Down { .. })));
/// # node.stop(std::time::Duration::from_secs(1)).await;
/// # }
/// ```
#[derive(Clone, Debug)]
pub enum Signal {
    /// A monitored process ended: this incarnation of it, whether it restarts or not.
    Down {
        /// What [`Context::monitor`](crate::Context::monitor) returned.
        monitor: MonitorId,
        /// Who ended.
        pid: Pid,
        /// Why. For a process that was not running when it was monitored: why it ended last.
        exit: Exit,
    },
    /// A linked process ended, or somebody sent an exit; only for processes that
    /// [trap exits](crate::Context::trap_exits).
    Exit {
        /// The linked process; `None` when it came from [`ProcessRef::exit`].
        from: Option<Pid>,
        /// Why.
        exit: Exit,
    },
}

/// Lets `watcher` know when this incarnation of `target` ends.
pub(crate) fn monitor(watcher: &ProcessRef, target: &ProcessRef) -> MonitorId {
    let id = MonitorId(NEXT_MONITOR.fetch_add(1, Ordering::Relaxed));
    with_extras(watcher, |extras| {
        assert!(
            extras.watching.len() < RELATIONS_MAX,
            "a process holds too many monitors"
        );
        extras.watching.insert(id, Arc::clone(&target.slot));
    });
    let gone = {
        let mut control = target.slot.core().lock();
        if control.pid == target.pid && control.is_active() {
            let watcher = Arc::clone(&watcher.slot);
            control.extras().watchers.insert(id, watcher);
            None
        } else {
            Some(control.last_exit.clone())
        }
    };
    if let Some(last) = gone {
        down(
            &*watcher.slot,
            id,
            target.pid,
            last.unwrap_or_else(no_process),
        );
    }
    id
}

pub(crate) fn demonitor(watcher: &ProcessRef, id: MonitorId) {
    let target = with_extras(watcher, |extras| {
        extras.forget_down(id);
        extras.watching.remove(&id)
    });
    if let Some(target) = target {
        forget_watcher(&*target, id);
    }
}

/// Ties the incarnations of two processes: when one ends, the other gets its exit.
pub(crate) fn link(process: &ProcessRef, other: &ProcessRef) {
    if process.pid == other.pid {
        return;
    }
    with_extras(process, |extras| {
        assert!(
            extras.links.len() < RELATIONS_MAX,
            "a process holds too many links"
        );
        extras.links.insert(other.pid, Arc::clone(&other.slot));
    });
    let gone = {
        let mut control = other.slot.core().lock();
        if control.pid == other.pid && control.is_active() {
            let process = (process.pid, Arc::clone(&process.slot));
            control.extras().links.insert(process.0, process.1);
            None
        } else {
            Some(control.last_exit.clone())
        }
    };
    if let Some(last) = gone {
        let (slot, pid) = (&*process.slot, process.pid);
        exit_signal(slot, pid, Some(other.pid), last.unwrap_or_else(no_process));
    }
}

pub(crate) fn unlink(process: &ProcessRef, other: &ProcessRef) {
    with_extras(process, |extras| extras.links.remove(&other.pid));
    forget_link(&*other.slot, process.pid);
}

/// Delivers an exit: as a signal to who traps exits, else as the end of the incarnation.
pub(crate) fn exit_signal(slot: &dyn Slot, pid: Pid, from: Option<Pid>, exit: Exit) {
    {
        let core = slot.core();
        let mut control = core.lock();
        if control.pid != pid || !control.is_active() {
            return;
        }
        let linked = match (from, &mut control.extras) {
            (Some(from), Some(extras)) => extras.links.remove(&from).is_some(),
            (Some(_), None) => false,
            (None, _) => true,
        };
        if !linked {
            return;
        }
        match control.extras.as_mut().and_then(|extras| extras.trapped()) {
            Some(rare) => {
                if from.is_none() {
                    if rare.exit_signals >= EXIT_SIGNALS_MAX {
                        return;
                    }
                    rare.exit_signals += 1;
                }
                rare.signals.push_back(Signal::Exit { from, exit });
                core.raise(SIGNAL);
            }
            None => {
                if matches!(exit, Exit::Normal) {
                    return;
                }
                control.rare().forced.get_or_insert(exit);
                core.raise(FORCED);
            }
        }
    }
    slot.wake();
}

/// Tells everybody who wanted to know that an incarnation of `process` ended.
pub(crate) fn ended(process: &ProcessRef, relations: &mut Extras, exit: &Exit) {
    for (pid, linked) in std::mem::take(&mut relations.links).into_entries() {
        exit_signal(&*linked, pid, Some(process.pid), exit.clone());
    }
    for (id, watcher) in std::mem::take(&mut relations.watchers).into_entries() {
        down(&*watcher, id, process.pid, exit.clone());
    }
    for (id, target) in std::mem::take(&mut relations.watching).into_entries() {
        forget_watcher(&*target, id);
    }
}

fn down(watcher: &dyn Slot, monitor: MonitorId, pid: Pid, exit: Exit) {
    {
        let core = watcher.core();
        let mut control = core.lock();
        let Some(extras) = &mut control.extras else {
            return;
        };
        // Not in the list: the watcher has demonitored, or is another incarnation by now.
        if extras.watching.remove(&monitor).is_none() {
            return;
        }
        extras
            .rare()
            .signals
            .push_back(Signal::Down { monitor, pid, exit });
        core.raise(SIGNAL);
    }
    watcher.wake();
}

fn forget_watcher(target: &dyn Slot, id: MonitorId) {
    let forgotten = match &mut target.core().lock().extras {
        Some(extras) => extras.watchers.remove(&id),
        None => None,
    };
    drop(forgotten);
}

fn forget_link(target: &dyn Slot, pid: Pid) {
    let forgotten = match &mut target.core().lock().extras {
        Some(extras) => extras.links.remove(&pid),
        None => None,
    };
    drop(forgotten);
}

fn with_extras<R>(process: &ProcessRef, f: impl FnOnce(&mut Extras) -> R) -> R {
    f(process.slot.core().lock().extras())
}

pub(crate) fn no_process() -> Exit {
    Exit::error("no such process")
}

/// The process of `pid` on `slot`, and how it is stopped; without a name when another is on it
/// by now.
pub(crate) fn reference(slot: &Arc<dyn Slot>, pid: Pid) -> (ProcessRef, Grace) {
    let control = slot.core().lock();
    let name = if control.pid == pid {
        Arc::clone(&control.name)
    } else {
        Arc::default()
    };
    let process = ProcessRef {
        slot: Arc::clone(slot),
        pid,
        name,
    };
    (process, control.grace)
}
