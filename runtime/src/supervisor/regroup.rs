//! `[process]` Restarts that take siblings along: one-for-all and rest-for-one.

use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use super::family::Family;
use crate::exit::Exit;
use crate::grace::Grace;
use crate::pid::Pid;
use crate::policy::Strategy;
use crate::process_ref::ProcessRef;
use crate::report;
use crate::slot::{Command, Phase, Purpose};

/// A restart of siblings that led nowhere: the supervisor has its outcome set.
#[derive(Debug)]
pub(super) struct GaveUp;

impl Family {
    /// Takes the next failed child that still waits to be restarted.
    pub(super) fn next_failed(&self) -> Option<(Pid, bool)> {
        loop {
            let (pid, counted) = self.state().failed.pop_front()?;
            // Restarted along with another since it failed.
            let waits = self
                .find(pid)
                .is_some_and(|(process, _)| process.phase() == Phase::Waiting);
            if waits {
                return Some((pid, counted));
            }
        }
    }

    /// Restarts `failed` and the siblings that the strategy takes along.
    ///
    /// A child that fails to start again counts as another failure, as in OTP.
    ///
    /// # Cancel safety
    /// Children may be left waiting; the supervisor must stop them then.
    pub(super) async fn regroup(&self, failed: Pid, counted: bool) -> Result<(), GaveUp> {
        let (mut failed, mut counted) = (failed, counted);
        loop {
            self.count(failed, counted)?;
            let group = self.group(failed);
            for (process, grace) in group.iter().rev() {
                self.pause(process, *grace).await?;
            }
            self.state().failed.clear();
            let mut again = None;
            for (process, _) in &group {
                if let Err(exit) = run_again(process).await {
                    report::restart_failed(process, &exit);
                    again = Some(process.pid());
                    break;
                }
            }
            let Some(pid) = again else {
                return Ok(());
            };
            (failed, counted) = (pid, true);
        }
    }

    fn count(&self, failed: Pid, counted: bool) -> Result<(), GaveUp> {
        let process = self.find(failed).map(|(process, _)| process);
        let mut state = self.state();
        if state.outcome.is_some() {
            return Err(GaveUp);
        }
        if counted && state.window.record(Instant::now().into_std()) {
            let name = process.as_ref().map_or("", ProcessRef::name);
            let exit = process
                .as_ref()
                .and_then(|process| process.slot.core().status().last_exit);
            self.give_up(&mut state, name, &exit.unwrap_or(Exit::Killed));
            return Err(GaveUp);
        }
        Ok(())
    }

    fn group(&self, failed: Pid) -> Vec<(ProcessRef, Grace)> {
        let mut group = self.list();
        match self.rules.strategy {
            Strategy::OneForOne => group.retain(|(process, _)| process.pid() == failed),
            Strategy::RestForOne => group.retain(|(process, _)| process.pid() >= failed),
            Strategy::OneForAll => {}
        }
        group
    }

    /// Stops a child so far that it waits to be run again, or has ended.
    async fn pause(&self, process: &ProcessRef, grace: Grace) -> Result<(), GaveUp> {
        process.request_stop(grace, Purpose::Regroup);
        let paused = async {
            while !matches!(
                process.phase(),
                Phase::Waiting | Phase::Ended | Phase::Abandoned
            ) {
                self.changed.notified().await;
            }
        };
        let stopped = match grace.patience() {
            Some(limit) => timeout(limit, paused).await.is_ok(),
            None => {
                paused.await;
                true
            }
        };
        if stopped {
            return Ok(());
        }
        report::left_behind(process);
        let mut state = self.state();
        let exit = Exit::error(format!("child {} does not stop", process.name()));
        state.outcome.get_or_insert(exit);
        Err(GaveUp)
    }
}

/// Runs the next incarnation of a waiting child and waits until it has started.
async fn run_again(process: &ProcessRef) -> Result<(), Exit> {
    let (starter, started) = oneshot::channel();
    {
        let mut control = process.slot.core().lock();
        if control.pid != process.pid || control.phase != Phase::Waiting {
            return Ok(());
        }
        control.starter = Some(starter);
        control.command = Some(Command::Run);
    }
    process.slot.open();
    process.slot.wake();
    // Without an answer the child's task is gone, with its whole thread.
    started.await.unwrap_or(Err(Exit::Killed))
}
