//! `[edge]` The log: to standard error, as text or as one JSON object a line.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::EnvFilter;

use super::failure::{Failure, Status};

/// Starts the log of the process.
///
/// # Errors
/// [`Status::Configuration`] for a filter that is none.
pub(super) fn start(filter: &str, json: bool) -> Result<(), Failure> {
    let filter = EnvFilter::try_new(filter)
        .map_err(|error| Failure::new(Status::Configuration, format!("--log: {error}")))?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr);
    let started = if json {
        lines
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .try_init()
    } else {
        lines.with_ansi(io::stderr().is_terminal()).try_init()
    };
    started
        .map_err(|error| Failure::new(Status::Internal, format!("cannot start the log: {error}")))
}
