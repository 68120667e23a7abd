//! `[edge]` The hub as a child process.

use std::fs::OpenOptions;
use std::io;
use std::process::Stdio;

use tokio::process::{Child, Command};

use super::options::ChopOptions;

/// A running hub; killed when dropped.
#[derive(Debug)]
pub(super) struct Hub(Child);

impl Hub {
    /// Starts it.
    ///
    /// # Errors
    /// When it cannot be started, or its log cannot be opened.
    pub(super) fn start(options: &ChopOptions) -> io::Result<Self> {
        let log = match &options.hub_log {
            Some(path) => OpenOptions::new()
                .create(true)
                .append(true)
                .open(path)?
                .into(),
            None => Stdio::null(),
        };
        let mut command = Command::new(&options.hub);
        command
            .args(&options.hub_args)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .kill_on_drop(true);
        command.spawn().map(Self)
    }

    /// Kills it as `kill -9` does and waits for its end; what it had ended with before, if it had.
    ///
    /// # Errors
    /// When it cannot be killed.
    pub(super) async fn kill(mut self) -> io::Result<Option<String>> {
        if let Some(status) = self.0.try_wait()? {
            return Ok(Some(status.to_string()));
        }
        self.0.kill().await?;
        Ok(None)
    }
}
