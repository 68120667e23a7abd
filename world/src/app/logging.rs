//! `[edge]` The log: to standard error, as text or as one JSON object a line.

use std::fmt;
use std::io::{self, IsTerminal as _};

use tracing::field::Field;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::field::MakeExt as _;
use tracing_subscriber::fmt::format::{Writer, debug_fn};

use super::config::{Log, LogFormat};
use super::failure::{Failure, Status};

/// A library that logs each call to a node that is down; what matters of it the cluster says
/// itself. Who sets its level in `log.level` sees it.
const QUIET: &str = "openraft=off";

/// Starts the log of the process.
///
/// # Errors
/// [`Status::Internal`] when a log was started before.
pub(super) fn start(log: &Log) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(format!("{QUIET},{}", log.level))?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr);
    let started = match log.format {
        LogFormat::Text => lines
            .with_ansi(io::stderr().is_terminal())
            .fmt_fields(debug_fn(write_field).delimited(" "))
            .try_init(),
        LogFormat::Json => lines
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .try_init(),
    };
    started
        .map_err(|error| Failure::error(Status::Internal, format!("cannot start the log: {error}")))
}

/// Profiles and backtraces, which the runtime makes of nothing that a player types, are shown in
/// lines. In all other fields the ends of lines are escaped, so that nobody can feign a record.
fn write_field(out: &mut Writer<'_>, field: &Field, value: &dyn fmt::Debug) -> fmt::Result {
    let lines = || as_lines(&format!("{value:?}"));
    match field.name() {
        "message" => write!(out, "{value:?}"),
        // The last one of its record.
        "report" => write!(out, "report:{}", lines()),
        "backtrace" => write!(out, "backtrace:{}\n   ", lines()),
        name => write!(out, "{name}={value:?}"),
    }
}

/// The lines of a text that was quoted, each indented, on lines of their own.
fn as_lines(quoted: &str) -> String {
    let text = quoted.trim_matches('"').replace("\\\"", "\"");
    let lines = text.split("\\n").map(str::trim_end);
    let indented = lines.filter(|line| !line.is_empty());
    indented.map(|line| format!("\n    {line}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_shown_in_lines_and_nothing_else_in_it_is_unescaped() {
        let shown = |text: &str| as_lines(&format!("{text:?}"));
        assert_eq!(
            shown("profile 1\n  room: \"x\"\n"),
            "\n    profile 1\n      room: \"x\""
        );
        assert_eq!(shown("a\r\u{1b}[2J"), "\n    a\\r\\u{1b}[2J");
        assert_eq!(shown(""), "");
    }
}
