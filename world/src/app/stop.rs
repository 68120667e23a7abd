//! `[edge]` Why and how a node stops: signals, requests from inside, and the second Ctrl-C.

use std::future::Future;
use std::io;
use std::sync::Arc;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Notify;

/// Asks the node to drain and stop, from inside: the control socket, or staff in the world.
#[derive(Debug, Clone, Default)]
pub struct StopRequest(Arc<Notify>);

impl StopRequest {
    /// Asks. Asking twice is the same as asking once.
    pub fn ask(&self) {
        self.0.notify_one();
    }

    /// Waits until somebody asks. **Cancel safety**: a request is not lost.
    async fn asked(&self) {
        self.0.notified().await;
    }
}

/// How the wait for a drain ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Drained<T> {
    /// It came to its end.
    Done(T),
    /// The operator did not want to wait.
    Forced,
}

/// The signals that stop a node.
#[derive(Debug)]
pub(super) struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
}

impl StopSignals {
    /// From here on the signals no longer kill the process.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits for the first reason to stop, and names it.
    pub(super) async fn first(&mut self, request: &StopRequest) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "interrupt",
            _ = self.terminate.recv() => "terminate",
            () = request.asked() => "request",
        }
    }

    /// Waits for the end of `drain`, or for a Ctrl-C that asks not to wait. A second SIGTERM
    /// changes nothing: service managers send it to whole groups.
    pub(super) async fn wait<T>(&mut self, drain: impl Future<Output = T>) -> Drained<T> {
        tokio::select! {
            value = drain => Drained::Done(value),
            _ = self.interrupt.recv() => Drained::Forced,
        }
    }
}
