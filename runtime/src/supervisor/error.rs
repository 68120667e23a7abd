//! `[process]` Why children are not started or stopped.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::exit::{CrashKind, Exit};
use crate::spec_error::SpecError;

/// Why a child was not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Busy: the supervisor is not running now, or is stopping.
    #[error("supervisor is not running")]
    NotRunning,
    /// Busy: the supervisor has as many children as it may have.
    #[error("supervisor has {max} children and may have no more")]
    TooManyChildren {
        /// How many that is.
        max: usize,
    },
    /// Bug: another child that has not ended runs on the same mailbox.
    #[error("mailbox has a process already")]
    MailboxInUse,
    /// The child ended before its start was acknowledged, which is a failure with any exit.
    #[error("child {name} did not start: {exit}")]
    Failed {
        /// The name of the child.
        name: Arc<str>,
        /// How it ended.
        exit: Exit,
    },
    /// The start was not acknowledged [in time](crate::ChildSpec::start_within); the child was
    /// killed.
    #[error("child {name} did not start within {after:?}")]
    TimedOut {
        /// The name of the child.
        name: Arc<str>,
        /// How long it had.
        after: Duration,
    },
    /// Bug: the spec contradicts itself; nothing was started.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// Busy: no thread could be had for a child that is to run on its own.
    #[error("no thread for the child")]
    Thread(#[source] io::Error),
    /// Busy: the program has as many [blocking processes](crate::ChildSpec::blocking) as it may
    /// have.
    #[error("program has its {max} threads for blocking processes")]
    TooManyThreads {
        /// How many that is.
        max: usize,
    },
}

impl StartError {
    /// The exit of a supervisor that does not start because of it.
    pub(crate) fn as_exit(&self) -> Exit {
        let code = match self {
            Self::Failed { exit, .. } => exit.code(),
            Self::NotRunning
            | Self::TooManyChildren { .. }
            | Self::MailboxInUse
            | Self::TimedOut { .. }
            | Self::Spec(_)
            | Self::Thread(_)
            | Self::TooManyThreads { .. } => None,
        };
        Exit::coded(CrashKind::Error, code, self.to_string())
    }
}

/// Why a child was not stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StopError {
    /// Refused: it is no child of this supervisor, or has ended.
    #[error("no such child")]
    NotFound,
    /// Bug: the code of the child does not come back to an await point.
    #[error("child does not stop")]
    LeftBehind,
}
