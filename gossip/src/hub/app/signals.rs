//! `[edge]` The signals of a hub: stop, stop at once, read the certificate again.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::failure::{Failure, Status};

/// The signals. From their making on they do not kill the process.
#[derive(Debug)]
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

/// What an operator wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Stop,
    Reread,
}

impl Signals {
    /// Listens.
    ///
    /// # Errors
    /// [`Status::Internal`].
    pub(super) fn listen() -> Result<Self, Failure> {
        let listen = || -> io::Result<Self> {
            Ok(Self {
                interrupt: signal(SignalKind::interrupt())?,
                terminate: signal(SignalKind::terminate())?,
                hangup: signal(SignalKind::hangup())?,
            })
        };
        listen().map_err(|error| Failure::new(Status::Internal, format!("no signals: {error}")))
    }

    /// Waits for the next one. **Cancel safety**: none is lost.
    pub(super) async fn next(&mut self) -> Wanted {
        tokio::select! {
            _ = self.interrupt.recv() => Wanted::Stop,
            _ = self.terminate.recv() => Wanted::Stop,
            _ = self.hangup.recv() => Wanted::Reread,
        }
    }

    /// Waits for one that stops.
    pub(super) async fn stop(&mut self) {
        while self.next().await != Wanted::Stop {}
    }
}
