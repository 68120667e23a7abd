//! `[edge]` How a run of the executable ends when it fails: one message, one exit status per kind.

use std::fmt;
use std::process::ExitCode;

use crate::hub::store::{EditError, OpenError};

/// The kind of a failure. The numbers are those of `sysexits.h`, as in the node's executable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    /// The command line is wrong (64).
    Configuration,
    /// What was asked for is refused, or a file holds something else (65).
    Data,
    /// A port, the data directory or the database is in use (69).
    Unavailable,
    /// A fault of our own (70).
    Internal,
    /// A file or directory cannot be made (73).
    CannotCreate,
    /// Reading or writing failed (74).
    Io,
}

impl Status {
    pub(super) fn code(self) -> u8 {
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

/// A failure that the operator is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) status: Status,
    message: String,
}

impl Failure {
    pub(super) fn new(status: Status, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        let status = match &error {
            OpenError::NotADatabase { .. }
            | OpenError::Foreign { .. }
            | OpenError::Newer { .. } => Status::Data,
            OpenError::NoAccess { .. } => Status::CannotCreate,
            OpenError::Locked { .. } => Status::Unavailable,
            OpenError::DiskFull { .. } | OpenError::Failed { .. } => Status::Io,
        };
        Self::new(status, error.to_string())
    }
}

impl From<EditError> for Failure {
    fn from(error: EditError) -> Self {
        match error {
            EditError::Open(error) => error.into(),
            EditError::NoGame(_)
            | EditError::NoChannel(_)
            | EditError::NoBan(_)
            | EditError::NameTaken(_)
            | EditError::DisplayNameTaken(_)
            | EditError::Fault(_) => Self::new(Status::Data, error.to_string()),
        }
    }
}
