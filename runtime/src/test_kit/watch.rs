//! `[process]` Probes that watch how processes stop and start again.

use std::panic::Location;
use std::time::Duration;

use tokio::time::Instant;

use super::clock::poll_until;
use super::fail::fail;
use super::probe::Probe;
use crate::exit::Exit;
use crate::pid::Pid;
use crate::process_ref::ProcessRef;
use crate::signal;
use crate::slot::Phase;

/// A process that a probe watches.
pub(super) struct Watched {
    /// The restarts it had when it was last looked at.
    restarts: u32,
}

impl<M: Send + 'static> Probe<M> {
    /// Watches this incarnation of a process: its end, and then its restart, can be expected.
    ///
    /// For one that is between two incarnations, its last exit counts as seen by the watch.
    pub fn watch(&mut self, process: &ProcessRef) {
        let restarts = {
            let control = process.slot.core().lock();
            // Between two incarnations the next one is counted already.
            let early = u32::from(!control.is_active());
            control.incarnation.saturating_sub(early)
        };
        signal::monitor(&self.process(), process);
        self.watched.insert(process.pid(), Watched { restarts });
    }

    /// Waits until the watched incarnation of the process has ended; returns how.
    ///
    /// Each end is seen once; to see the next one, [watch](Probe::watch) again or
    /// [expect the restart](Probe::expect_restart).
    ///
    /// # Panics
    /// When it does not end within that time, and when it is not watched.
    #[track_caller]
    pub fn expect_down(
        &mut self,
        process: &ProcessRef,
        within: Duration,
    ) -> impl Future<Output = Exit> {
        let (asked, process) = (Location::caller(), process.clone());
        async move {
            self.watched(&process, asked);
            let end = Instant::now() + within;
            loop {
                let found = self.downs.iter().position(|(pid, _)| *pid == process.pid());
                if let Some((_, exit)) = found.and_then(|at| self.downs.remove(at)) {
                    return exit;
                }
                if !self.more(end, asked).await {
                    let text = format!(
                        "{self} waited {within:?} for the end of {process:?}, which is {}; ends \
                         of others: {:?}",
                        state(&process),
                        self.downs
                    );
                    fail(asked, &text);
                }
            }
        }
    }

    /// Waits until the watched process was started again and runs, and watches that incarnation;
    /// returns how often it was restarted in all.
    ///
    /// It does not take note of the end before it: [`expect_down`](Probe::expect_down) does.
    ///
    /// # Panics
    /// When it does not run again within that time, at once when it has ended for good, and when
    /// it is not watched.
    #[track_caller]
    pub fn expect_restart(
        &mut self,
        process: &ProcessRef,
        within: Duration,
    ) -> impl Future<Output = u32> {
        let (asked, process) = (Location::caller(), process.clone());
        async move {
            let before = self.watched(&process, asked).restarts;
            let look = || {
                let status = process.slot.core().status();
                let ended = !process.is_alive();
                let runs = status.phase == Phase::Running && status.restarts > before;
                (ended || runs).then_some(runs && !ended)
            };
            let what = match poll_until(within, look).await {
                Some(true) => {
                    self.watch(&process);
                    return process.slot.core().status().restarts;
                }
                Some(false) => "it will not come".to_owned(),
                None => format!("it did not come in {within:?}"),
            };
            let text = format!(
                "{self} waited for a restart of {process:?}; {what}; it is {}",
                state(&process)
            );
            fail(asked, &text);
        }
    }

    /// Links the probe to a process: when one ends, the other gets its exit.
    pub fn link(&mut self, process: &ProcessRef) {
        signal::link(&self.process(), process);
    }

    /// The next exit that came to the probe: from a linked process, or with `None` from
    /// [`ProcessRef::exit`] or [`ProcessRef::kill`].
    ///
    /// # Panics
    /// When none comes within that time.
    #[track_caller]
    pub fn expect_exit(&mut self, within: Duration) -> impl Future<Output = (Option<Pid>, Exit)> {
        let asked = Location::caller();
        async move {
            let end = Instant::now() + within;
            loop {
                if let Some(exit) = self.exits.pop_front() {
                    return exit;
                }
                if !self.more(end, asked).await {
                    let text = format!("{self} waited {within:?} for an exit; none came");
                    fail(asked, &text);
                }
            }
        }
    }

    fn watched(&self, process: &ProcessRef, asked: &Location<'_>) -> &Watched {
        match self.watched.get(&process.pid()) {
            Some(watched) => watched,
            None => fail(asked, &format!("{self} does not watch {process:?}")),
        }
    }
}

/// What a process does, for messages.
fn state(process: &ProcessRef) -> String {
    if !process.is_alive() {
        return "ended for good".to_owned();
    }
    let status = process.slot.core().status();
    let last = status
        .last_exit
        .map_or_else(|| "none".to_owned(), |exit| exit.to_string());
    let (phase, restarts) = (status.phase, status.restarts);
    format!("{phase:?} after {restarts} restarts (last exit: {last})")
}
