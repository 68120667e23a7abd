//! `[edge]` From the arguments to the exit status.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use clap::Parser as _;
use serde::Serialize;

use super::command_line::{BanAction, ChannelAction, Command, CommandLine, GameAction};
use super::failure::{Failure, Status};
use super::{bans, channels, data_dir, games};
use crate::hub::store::Database;

/// Runs the executable with its arguments (the first is its name), and tells what went wrong.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let line = match CommandLine::try_parse_from(arguments) {
        Ok(line) => line,
        Err(error) => {
            let status = if error.use_stderr() {
                Status::Configuration.code()
            } else {
                0
            };
            // When neither output can be written, nobody can be told; the status stays.
            drop(error.print());
            return ExitCode::from(status);
        }
    };
    let done = match line.command {
        Command::Serve(flags) => super::serve::serve(&line.data, *flags),
        Command::Game { action } => {
            let begins = matches!(action, GameAction::Add { .. });
            edit(&line.data, begins, async |database| {
                games::carry_out(action, database, &line.data).await
            })
        }
        Command::Ban { action } => {
            let begins = matches!(action, BanAction::Add { .. });
            edit(&line.data, begins, async |database| {
                bans::carry_out(action, database).await
            })
        }
        Command::Channel { action } => {
            let begins = matches!(action, ChannelAction::Describe { .. });
            edit(&line.data, begins, async |database| {
                channels::carry_out(action, database).await
            })
        }
    };
    match done {
        Ok(code) => code,
        Err(failure) => {
            drop(writeln!(io::stderr().lock(), "belay-hub: {failure}"));
            failure.status.into()
        }
    }
}

/// Runs a command that is done in a moment, on this thread. What adds something may be the first
/// that is done (`begins`): then data directory and database are made when they are not there.
fn edit(
    data: &Path,
    begins: bool,
    command: impl AsyncFnOnce(&mut Database) -> Result<String, Failure>,
) -> Result<ExitCode, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime =
        runtime.map_err(|error| Failure::new(Status::Internal, format!("no runtime: {error}")))?;
    if begins {
        data_dir::make(data)?;
    } else if !Database::is_in(data) {
        let text = format!(
            "no hub's data in {}; name its directory with --data",
            data.display()
        );
        return Err(Failure::new(Status::Data, text));
    }
    let done = runtime.block_on(async {
        let mut database = Database::open(data).await?;
        let done = command(&mut database).await;
        // What was done is done, also when the file cannot be tidied up now.
        drop(database.close().await);
        done
    });
    print(&done?)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints to standard output. A reader that has seen enough (`... | head`) is no failure.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(Status::Io, format!("cannot write: {error}")))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// A list as JSON.
pub(super) fn json(value: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value);
    let text = text.map_err(|error| Failure::new(Status::Internal, error.to_string()))?;
    Ok(text + "\n")
}
