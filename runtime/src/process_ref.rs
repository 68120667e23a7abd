//! `[process]` References to processes, whatever their messages are.

use std::fmt;
use std::sync::Arc;

use tokio::sync::Notify;

use crate::exit::Exit;
use crate::pid::Pid;
use crate::policy::Shutdown;
use crate::signal;
use crate::slot::{DEADLINE, FORCED, Phase, Purpose, STOP, Slot};

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
        signal::exit_signal(self, None, exit);
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
            control.forced = Some(Exit::Killed);
            core.raise(FORCED);
        }
        self.slot.wake();
    }

    /// Waits until the child has ended for good.
    ///
    /// # Cancel safety
    /// Cancel safe.
    pub async fn ended(&self) {
        loop {
            let Some(notify) = self.end_notice() else {
                return;
            };
            let notified = notify.notified();
            if !self.is_alive() {
                return;
            }
            notified.await;
        }
    }

    fn end_notice(&self) -> Option<Arc<Notify>> {
        let mut control = self.slot.core().lock();
        (control.pid == self.pid && control.is_living())
            .then(|| Arc::clone(control.extras().ended.get_or_insert_default()))
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
    pub(crate) fn request_stop(&self, shutdown: Shutdown, purpose: Purpose) {
        let core = self.slot.core();
        {
            let mut control = core.lock();
            if control.pid != self.pid || !control.is_living() {
                return;
            }
            // A stop for good is never softened to one for a restart.
            let purpose = match control.shutdown {
                Some((_, Purpose::End)) => Purpose::End,
                Some((_, Purpose::Regroup)) | None => purpose,
            };
            if purpose == Purpose::Regroup && !control.is_active() {
                return;
            }
            control.shutdown = Some((shutdown, purpose));
            match shutdown {
                Shutdown::Brutal => {
                    control.forced = Some(Exit::Killed);
                    core.raise(FORCED);
                }
                Shutdown::Timeout(_) | Shutdown::Infinity => core.raise(STOP | DEADLINE),
            }
        }
        self.slot.wake();
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
