//! `[process]` Restarts that take siblings along: one-for-all and rest-for-one.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use super::family::{Failure, Family};
use super::fixed::answered;
use crate::exit::Exit;
use crate::grace::Grace;
use crate::pid::Pid;
use crate::policy::Strategy;
use crate::process_ref::ProcessRef;
use crate::report;
use crate::slot::{Command, Phase, Purpose, Starter};

/// A restart of siblings that led nowhere: the supervisor has its outcome set.
#[derive(Debug)]
pub(super) struct GaveUp;

/// Children that were stopped to be started again together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// The child that failed; the strategy says who else belongs to the group.
    failed: Pid,
    /// When they start.
    pub(super) at: Instant,
}

impl Family {
    /// Takes the next failed child that still waits to be restarted.
    pub(super) fn next_failed(&self) -> Option<Failure> {
        loop {
            let failure = self.state().failed.pop_front()?;
            // Restarted along with another since it failed.
            let waits = self
                .find(failure.pid)
                .is_some_and(|(process, _)| process.phase() == Phase::Waiting);
            if waits {
                return Some(failure);
            }
        }
    }

    /// Counts a failure and stops the siblings that the strategy takes along; `waiting` is a
    /// group that has not started yet, and becomes part of this one.
    ///
    /// # Cancel safety
    /// Children may be left waiting; the supervisor must stop them then.
    pub(super) async fn gather(
        &self,
        failure: Failure,
        waiting: Option<Group>,
    ) -> Result<Group, GaveUp> {
        let _turn = self.turn.lock().await;
        self.count(failure)?;
        // Those of a group that waits are no younger than its first; the older one has them all.
        let failed = waiting.map_or(failure.pid, |group| group.failed.min(failure.pid));
        let members = self.members(failed);
        for (process, grace) in members.iter().rev() {
            self.pause(process, *grace).await?;
        }
        let mut delay = failure.delay;
        self.state().failed.retain(|other| {
            let goes_along = self.takes_along(failed, other.pid);
            if goes_along {
                delay = delay.max(other.delay);
            }
            !goes_along
        });
        let own = Instant::now() + delay;
        let at = waiting.map_or(own, |group| group.at.max(own));
        if delay > Duration::ZERO {
            let waiting = |(process, _): &&(ProcessRef, Grace)| process.phase() == Phase::Waiting;
            for (process, _) in members.iter().filter(waiting) {
                process.slot.core().lock().rare().next_try = Some(at);
            }
        }
        Ok(Group { failed, at })
    }

    /// Starts a group in order, as far as it starts.
    ///
    /// A child that fails to start again is queued as another failure, as in OTP.
    ///
    /// # Cancel safety
    /// Children may be left waiting; the supervisor must stop them then.
    pub(super) async fn start_group(&self, group: Group) {
        let _turn = self.turn.lock().await;
        for (process, _) in self.members(group.failed) {
            let exit = match run_again(&process, Phase::Waiting).await {
                Some(Ok(())) => continue,
                Some(Err(exit)) => exit,
                None => return self.lose(&process, "start"),
            };
            report::restart_failed(&process, &exit);
            let state = self.state();
            let again = |failure: &Failure| failure.pid == process.pid();
            // One that was abandoned over it is left out.
            if state.outcome.is_some() || state.failed.iter().any(again) {
                return;
            }
        }
    }

    fn count(&self, failure: Failure) -> Result<(), GaveUp> {
        let process = self.find(failure.pid).map(|(process, _)| process);
        let mut state = self.state();
        if state.outcome.is_some() {
            return Err(GaveUp);
        }
        if failure.counted && state.window.record(Instant::now().into_std()) {
            let name = process.as_ref().map_or("", ProcessRef::name);
            let exit = process
                .as_ref()
                .and_then(|process| process.slot.core().status().last_exit);
            self.give_up(&mut state, name, &exit.unwrap_or(Exit::Killed));
            return Err(GaveUp);
        }
        Ok(())
    }

    /// Whether the restart of `failed` is one of `other` too.
    fn takes_along(&self, failed: Pid, other: Pid) -> bool {
        match self.rules.strategy {
            Strategy::OneForOne => other == failed,
            Strategy::RestForOne => other >= failed,
            Strategy::OneForAll => true,
        }
    }

    fn members(&self, failed: Pid) -> Vec<(ProcessRef, Grace)> {
        let mut members = self.list();
        members.retain(|(process, _)| self.takes_along(failed, process.pid()));
        members
    }

    /// Stops a child so far that it waits to be run again, or has ended.
    async fn pause(&self, process: &ProcessRef, grace: Grace) -> Result<(), GaveUp> {
        process.request_stop(grace, Purpose::Regroup);
        let paused = async {
            while !matches!(
                process.phase(),
                Phase::Waiting | Phase::Resting | Phase::Ended | Phase::Abandoned
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
        self.lose(process, "stop");
        Err(GaveUp)
    }

    /// Gives up because of a child that blocks its thread.
    fn lose(&self, process: &ProcessRef, what: &str) {
        report::left_behind(process);
        let exit = Exit::error(format!("child {} does not {what}", process.name()));
        self.state().outcome.get_or_insert(exit);
    }
}

/// Runs the next incarnation of a child that waits, or rests, and waits until it has started;
/// `None` when it blocks its thread.
pub(super) async fn run_again(process: &ProcessRef, from: Phase) -> Option<Result<(), Exit>> {
    let (starter, started) = oneshot::channel();
    match command_run(process, from, starter) {
        Some(after) => answered(started, after).await,
        None => Some(Ok(())),
    }
}

/// Tells a child that waits as `from` says to run again, and how long its start may take; `None`
/// when it does not wait so, and then the starter is dropped.
pub(super) fn command_run(process: &ProcessRef, from: Phase, starter: Starter) -> Option<Duration> {
    let after = {
        let mut control = process.slot.core().lock();
        if control.pid != process.pid || control.phase != from {
            return None;
        }
        control.starter = Some(starter);
        control.command = Some(Command::Run);
        control.start_within()
    };
    process.slot.open();
    process.slot.wake();
    Some(after)
}
