//! `[pure]` How a run of the executable ends when it fails: one message, one exit status per kind.

use std::fmt;
use std::process::ExitCode;

use super::config::Report;

/// The kind of a failure. The numbers are those of `sysexits.h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The command line or the configuration is wrong (64).
    Configuration,
    /// The content has faults, or the node refused what was asked (65).
    Data,
    /// Something that is needed is not there: a port is in use, no node is running (69).
    Unavailable,
    /// A fault of our own (70).
    Internal,
    /// A file or directory cannot be made (73).
    CannotCreate,
    /// Reading or writing failed (74).
    Io,
}

impl Status {
    /// The number for the shell.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Status::Configuration => 64,
            Status::Data => 65,
            Status::Unavailable => 69,
            Status::Internal => 70,
            Status::CannotCreate => 73,
            Status::Io => 74,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(status.code())
    }
}

/// A failure that the operator is told. It travels in an [`anyhow::Error`] up to `main`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What kind it is.
    pub status: Status,
    /// What happened and what to do about it; may have several lines.
    pub message: String,
}

impl Failure {
    /// A failure as an error to return with `?`.
    pub fn error(status: Status, message: impl Into<String>) -> anyhow::Error {
        Self {
            status,
            message: message.into(),
        }
        .into()
    }

    /// The exit status that an error stands for. What is neither a [`Failure`] nor a [`Report`]
    /// on the configuration is a fault of our own.
    #[must_use]
    pub fn status_of(error: &anyhow::Error) -> Status {
        if error.is::<Report>() {
            return Status::Configuration;
        }
        error
            .downcast_ref::<Failure>()
            .map_or(Status::Internal, |failure| failure.status)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;

    use super::*;

    #[test]
    fn the_status_survives_added_context() {
        let error = Failure::error(Status::Io, "disk full");
        let error = Err::<(), _>(error)
            .context("while saving")
            .expect_err("is one");
        assert_eq!(Failure::status_of(&error), Status::Io);
        assert_eq!(Failure::status_of(&anyhow::anyhow!("bug")).code(), 70);
    }
}
