//! `[edge]` The log: to standard error, as text or as one JSON object a line.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::EnvFilter;

use super::config::{Log, LogFormat};
use super::failure::{Failure, Status};

/// Starts the log of the process.
///
/// # Errors
/// [`Status::Internal`] when a log was started before.
pub(super) fn start(log: &Log) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(&log.level)?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr);
    let started = match log.format {
        LogFormat::Text => lines.with_ansi(io::stderr().is_terminal()).try_init(),
        LogFormat::Json => lines
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .try_init(),
    };
    started
        .map_err(|error| Failure::error(Status::Internal, format!("cannot start the log: {error}")))
}
