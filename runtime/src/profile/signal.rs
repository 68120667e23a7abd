//! `[edge]` The child that runs a profiler, and the signal that it hears.

use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use super::profiler::{self, Profiler};
use crate::spec::ChildSpec;

impl Profiler {
    /// The spec to put it into a tree with: it closes the intervals and logs what is asked for.
    ///
    /// It runs on a thread of its own, so that it answers while others are blocked. On Unix it
    /// dumps at a SIGUSR1 as soon as its start was acknowledged; before that (and in a program
    /// without a profiler) the signal ends the program, as the system has it by default. Once
    /// taken, the signal stays taken when the profiler stops.
    ///
    /// Readings and reports survive a restart of it.
    pub fn spec(&self) -> ChildSpec {
        let profiler = self.clone();
        let name = Arc::clone(self.name());
        ChildSpec::body(name, self.mailbox(), move |ctx| {
            profiler::run(profiler.clone(), ctx, signal())
        })
        .acknowledged()
        .on_thread()
    }
}

/// Ready each time the operator asks for a dump.
#[cfg(unix)]
fn signal() -> impl FnMut(&mut TaskContext<'_>) -> Poll<()> + Send {
    use tokio::signal::unix::{SignalKind, signal};

    let mut asked = signal(SignalKind::user_defined1())
        .inspect_err(|error| {
            tracing::warn!(
                target: "belay_runtime",
                reason = %error,
                "profiler cannot hear SIGUSR1"
            );
        })
        .ok();
    move |cx| {
        let Some(signals) = &mut asked else {
            return Poll::Pending;
        };
        match signals.poll_recv(cx) {
            Poll::Ready(Some(())) => Poll::Ready(()),
            Poll::Ready(None) => {
                asked = None;
                Poll::Pending
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

/// There is no such signal here.
#[cfg(not(unix))]
fn signal() -> impl FnMut(&mut TaskContext<'_>) -> Poll<()> + Send {
    |_| Poll::Pending
}
