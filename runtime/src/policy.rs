//! `[pure]` What a supervisor does about an exit, as data.

use std::time::Duration;

use crate::limits::SHUTDOWN_DEFAULT;

/// When a child that ended is started again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Restart {
    /// Always.
    #[default]
    Permanent,
    /// After an [abnormal](crate::Exit::is_abnormal) exit, and after any exit before its start was
    /// acknowledged.
    Transient,
    /// Never.
    Temporary,
}

impl Restart {
    /// Whether a child is started again, by whether it failed.
    pub(crate) fn applies(self, failed: bool) -> bool {
        match self {
            Self::Permanent => true,
            Self::Transient => failed,
            Self::Temporary => false,
        }
    }
}

/// How a child is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shutdown {
    /// Its future is dropped at its next await point; [`Process::stop`](crate::Process::stop) does
    /// not run.
    Brutal,
    /// It is asked to stop, and killed when it has not after this time; the log then says so.
    Timeout(Duration),
    /// It is asked to stop and waited for, however long it takes. The default for supervisors.
    Infinity,
}

impl Default for Shutdown {
    /// [`Shutdown::Timeout`] of [`SHUTDOWN_DEFAULT`].
    fn default() -> Self {
        Self::Timeout(SHUTDOWN_DEFAULT)
    }
}

/// What happens to the queue when a child restarts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MailboxPolicy {
    /// The queue survives; only the message that was being handled is lost.
    #[default]
    Keep,
    /// The queue is dropped at each restart, as in OTP.
    Discard,
}

/// Whom a static supervisor restarts when one child failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// The child alone.
    #[default]
    OneForOne,
    /// All children: the others are stopped in reverse order, then all are started in order.
    /// They stay the same children, with their pids and, as each spec says, their queues.
    OneForAll,
    /// The child and those started after it.
    RestForOne,
}

/// When a supervisor stops by itself because [significant](crate::ChildSpec::significant)
/// children ended and were not restarted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AutoShutdown {
    /// Never.
    #[default]
    Never,
    /// When one significant child has ended.
    AnySignificant,
    /// When all significant children have ended.
    AllSignificant,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Exit;

    fn check(restart: Restart, expected: [bool; 4]) {
        let exits = [Exit::Normal, Exit::Shutdown, Exit::Killed, Exit::error("x")];
        assert_eq!(
            exits.map(|exit| restart.applies(exit.is_abnormal())),
            expected,
            "{restart:?}"
        );
    }

    #[test]
    fn restarts_by_the_kind_of_exit() {
        check(Restart::Permanent, [true; 4]);
        check(Restart::Transient, [false, false, true, true]);
        check(Restart::Temporary, [false; 4]);
    }
}
