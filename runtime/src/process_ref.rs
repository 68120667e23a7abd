//! `[process]` References to processes, whatever their messages are.

use std::fmt;
use std::sync::{Arc, OnceLock};

use tokio::sync::Notify;

use crate::exit::Exit;
use crate::grace::Grace;
use crate::pid::Pid;
use crate::roster;
use crate::signal;
use crate::slot::{DEADLINE, FORCED, Phase, Purpose, STOP, Slot};
use crate::trace::{self, Trace, TraceError};

/// A process, whatever its messages are: for links, monitors, and ending it.
///
/// Cheap to clone. Like a [`Pid`] it names the child over all its restarts. Two references are
/// equal when their pids are.
#[derive(Clone)]
pub struct ProcessRef {
    pub(crate) slot: Arc<dyn Slot>,
    pub(crate) pid: Pid,
    pub(crate) name: Arc<str>,
}

impl ProcessRef {
    /// The child on this mailbox, unless there is none or it has ended for good.
    pub(crate) fn living_on(slot: Arc<dyn Slot>) -> Option<Self> {
        let (pid, name) = {
            let control = slot.core().lock();
            if !control.is_living() {
                return None;
            }
            (control.pid, Arc::clone(&control.name))
        };
        Some(Self { slot, pid, name })
    }

    /// The process with this pid, unless it has ended for good.
    ///
    /// For who has a [`TreeNode`](crate::TreeNode), or a log record, and wants to act on what it
    /// names. It asks every supervisor of the program until one knows the pid, and takes the time
    /// of that: what is to be reached often is kept, or put into a [`Registry`](crate::Registry).
    ///
    /// ```
    /// # use belay_runtime::*;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let sleepy = ChildSpec::task("sleepy", |ctx| async move {
    ///     ctx.stopping().await;
    ///     Ok(())
    /// });
    /// let node = Node::start(Supervisor::builder("node").child(sleepy)).await.unwrap();
    /// let pid = node.tree().children[0].pid;
    /// let sleepy = ProcessRef::find(pid).unwrap();
    /// assert_eq!(sleepy.name(), "sleepy");
    /// node.stop(std::time::Duration::from_secs(1)).await;
    /// assert_eq!(ProcessRef::find(pid), None);
    /// # }
    /// ```
    pub fn find(pid: Pid) -> Option<Self> {
        roster::find(pid)
    }

    /// False when another child was started on the mailbox since.
    pub(crate) fn is_latest(&self) -> bool {
        self.slot.core().lock().pid == self.pid
    }

    /// Its pid.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// The name in its child spec.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// True until the child has ended for good; between two incarnations too.
    pub fn is_alive(&self) -> bool {
        let control = self.slot.core().lock();
        control.pid == self.pid && control.is_living()
    }

    /// Sends an exit: a process that traps exits gets it as a [`Signal`](crate::Signal), another
    /// ends with it at its next await point, unless it is [`Exit::Normal`].
    ///
    /// The supervisor of the process then acts as it does on any exit. At
    /// [`EXIT_SIGNALS_MAX`](crate::limits::EXIT_SIGNALS_MAX) waiting in the lane, further ones are
    /// dropped.
    pub fn exit(&self, exit: Exit) {
        signal::exit_signal(&*self.slot, self.pid, None, exit);
    }

    /// Records the next `count` things that are handed to this process: their kinds, when that
    /// was, and how long it took over each. From 1 to
    /// [`TRACE_MESSAGES_MAX`](crate::limits::TRACE_MESSAGES_MAX).
    ///
    /// A message that it is handling now is not among them.
    ///
    /// # Errors
    /// [`TraceError::Busy`] when another trace of it goes on, [`TraceError::Ended`] (refused) when
    /// it has ended for good.
    pub fn trace(&self, count: usize) -> Result<Trace, TraceError> {
        trace::begin(self, count)
    }

    /// Ends this incarnation with [`Exit::Killed`] at its next await point, trapping or not.
    ///
    /// Its supervisor then acts as it does on any exit.
    pub fn kill(&self) {
        let core = self.slot.core();
        {
            let mut control = core.lock();
            if control.pid != self.pid || !control.is_active() {
                return;
            }
            control.rare().forced = Some(Exit::Killed);
            core.raise(FORCED);
        }
        self.slot.wake();
    }

    /// Waits until the child has ended for good; returns how its last incarnation ended.
    ///
    /// When it returns, the child's future and what that owned were dropped and its mailbox is
    /// closed. A restart does not end a child; to see an incarnation end, use
    /// [`Context::monitor`](crate::Context::monitor), from a test `test_kit::Probe::watch`.
    ///
    /// A child whose mailbox another child has taken over since is gone with its last exit; then
    /// this says [`Exit::error`] with `no such process`, as a monitor does.
    ///
    /// # Cancel safety
    /// Cancel safe.
    pub async fn ended(&self) -> Exit {
        let ending = match self.ending() {
            Ok(ending) => ending,
            Err(exit) => return exit,
        };
        loop {
            let told = ending.told.notified();
            if let Some(exit) = ending.exit.get() {
                return exit.clone();
            }
            told.await;
        }
    }

    /// Where the end of the child will be told, or how it ended already.
    fn ending(&self) -> Result<Arc<Ending>, Exit> {
        let mut control = self.slot.core().lock();
        if control.pid != self.pid {
            return Err(signal::no_process());
        }
        if !control.is_living() {
            return Err(control.last_exit.clone().unwrap_or(Exit::Killed));
        }
        Ok(Arc::clone(control.extras().ended.get_or_insert_default()))
    }

    pub(crate) fn phase(&self) -> Phase {
        let control = self.slot.core().lock();
        if control.pid == self.pid {
            control.phase
        } else {
            Phase::Ended
        }
    }

    /// Asks the child to stop; its seat keeps the deadline.
    pub(crate) fn request_stop(&self, grace: Grace, purpose: Purpose) {
        let core = self.slot.core();
        {
            let mut control = core.lock();
            if control.pid != self.pid || !control.is_living() {
                return;
            }
            // A stop for good is never softened to one for a restart.
            let before = control.shutdown;
            let purpose = match before {
                Some((_, Purpose::End)) => Purpose::End,
                Some((_, Purpose::Rest)) if purpose == Purpose::Regroup => Purpose::Rest,
                Some((_, Purpose::Regroup | Purpose::Rest)) | None => purpose,
            };
            let idle = match purpose {
                Purpose::End => false,
                Purpose::Regroup => !control.is_active(),
                Purpose::Rest => control.phase == Phase::Resting,
            };
            if idle {
                return;
            }
            // Nor is a kill to a request, or a deadline put off.
            let asked = before.map(|(grace, _)| grace);
            let grace = asked.map_or(grace, |asked| asked.min(grace));
            control.shutdown = Some((grace, purpose));
            if grace == Grace::BRUTAL {
                core.raise(FORCED);
            } else if asked != Some(grace) {
                let told = control.phase == Phase::Stopping;
                core.raise(if told { DEADLINE } else { STOP | DEADLINE });
            }
        }
        self.slot.wake();
    }
}

/// Tells those who wait for the end of a child how it ended.
///
/// Apart from the slot, on which another child may run before they look.
#[derive(Debug, Default)]
pub(crate) struct Ending {
    exit: OnceLock<Exit>,
    told: Notify,
}

impl Ending {
    pub(crate) fn tell(&self, exit: Exit) {
        // Told once, by the seat; a second exit would not be the last one.
        drop(self.exit.set(exit));
        self.told.notify_waiters();
    }
}

impl PartialEq for ProcessRef {
    fn eq(&self, other: &Self) -> bool {
        self.pid == other.pid
    }
}

impl Eq for ProcessRef {}

impl fmt::Debug for ProcessRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, self.pid)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{Instant, sleep_until, timeout};

    use super::*;
    use crate::context::{Context, Incoming};
    use crate::grace::Grace;
    use crate::mailbox::{Capacity, Mailbox};
    use crate::node::Node;
    use crate::policy::Shutdown;
    use crate::spec::ChildSpec;
    use crate::supervisor::{DynamicOptions, DynamicSupervisor, Supervisor};

    const SECOND: Duration = Duration::from_secs(1);

    async fn child(spec: ChildSpec) -> (Node, ProcessRef) {
        let children = DynamicSupervisor::new("children", DynamicOptions::default());
        let tree = Supervisor::builder("node").child(children.spec());
        let node = Node::start(tree).await.unwrap();
        let child = children.start_child(spec).await.unwrap();
        (node, child)
    }

    #[tokio::test(start_paused = true)]
    async fn regression_a_kill_is_not_softened_to_a_request() {
        let deaf = ChildSpec::task("deaf", |_| std::future::pending());
        let (node, child) = child(deaf.shutdown(Shutdown::Infinity)).await;
        child.request_stop(Grace::BRUTAL, Purpose::End);
        child.request_stop(Grace::INFINITY, Purpose::End);
        let ended = timeout(SECOND, child.ended()).await;
        assert!(matches!(ended, Ok(Exit::Killed)), "{ended:?}");
        node.stop(SECOND).await;
    }

    #[tokio::test(start_paused = true)]
    async fn regression_a_second_request_to_stop_is_not_heard_and_puts_nothing_off() {
        let mailbox = Mailbox::new(Capacity::new(1));
        let heard = |mut ctx: Context<()>| async move {
            while !matches!(ctx.next().await, Incoming::Shutdown) {}
            match ctx.next().await {
                Incoming::Shutdown => Err(Exit::error("asked twice")),
                Incoming::Message(()) | Incoming::Timer(()) | Incoming::Signal(_) => Ok(()),
            }
        };
        let (node, child) = child(ChildSpec::body("heard", &mailbox, heard)).await;
        let (begun, grace) = (Instant::now(), Grace::of(Shutdown::Timeout(SECOND * 5)));
        child.request_stop(grace, Purpose::End);
        sleep_until(begun + SECOND * 4).await;
        child.request_stop(grace, Purpose::End);
        child.request_stop(Grace::INFINITY, Purpose::End);
        let ended = child.ended().await;
        assert!(matches!(ended, Exit::Killed), "{ended:?}");
        assert!(begun.elapsed() < SECOND * 6, "{:?}", begun.elapsed());
        node.stop(SECOND).await;
    }
}
