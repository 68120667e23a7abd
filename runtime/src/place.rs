//! `[process]` What is decided about a child between two incarnations; the half of its
//! [seat](crate::seat) that does not depend on its messages.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::exit::{CrashKind, Exit};
use crate::grace::Grace;
use crate::guard::{self, Caught};
use crate::limits::DELAY_MAX;
use crate::policy::{MailboxPolicy, Restart};
use crate::process_ref::ProcessRef;
use crate::slot::{Phase, Purpose, STARTING, Slot, TRACE};
use crate::supervisor::{Departure, Family, Verdict};
use crate::terms::Terms;
use crate::{report, signal, stats};

/// A child's place in its family.
pub(crate) struct Place {
    pub(crate) family: Arc<Family>,
    pub(crate) terms: Terms,
}

/// What a child does after an incarnation.
pub(crate) enum Next {
    Again,
    /// At this time.
    Later(Instant),
    /// When its supervisor says so.
    Wait,
    End(Phase),
}

/// How an incarnation ended, other than well.
pub(crate) struct Fate {
    exit: Exit,
    /// For a panic: whether it may be logged, as that was decided when it was raised.
    permitted: Option<bool>,
}

impl Fate {
    pub(crate) fn exit(exit: Exit) -> Result<(), Box<Self>> {
        match exit {
            Exit::Normal => Ok(()),
            exit @ (Exit::Shutdown | Exit::Killed | Exit::Crash(_)) => Err(Box::new(Self {
                exit,
                permitted: None,
            })),
        }
    }

    #[expect(
        clippy::boxed_local,
        reason = "it is boxed where it is made, off the fast path"
    )]
    pub(crate) fn crash(caught: Box<Caught>) -> Result<(), Box<Self>> {
        let exit = Exit::Crash(Arc::new(caught.crash));
        Err(Box::new(Self {
            exit,
            permitted: Some(caught.permitted),
        }))
    }
}

impl Place {
    /// Begins an incarnation; false when the child was asked to end meanwhile.
    pub(crate) fn begin(&self, slot: &dyn Slot) -> bool {
        let mut control = slot.core().lock();
        if control.shutdown.is_some() {
            return false;
        }
        control.phase = Phase::Starting;
        let traced = control.seldom().is_some_and(|rare| rare.trace.is_some());
        slot.core().raise(STARTING | if traced { TRACE } else { 0 });
        control.started = Some(Instant::now());
        if let Some(rare) = control.seldom_mut() {
            rare.next_try = None;
        }
        true
    }

    /// Does what an exit brings with it and decides what comes next.
    pub(crate) fn settle(&mut self, slot: Arc<dyn Slot>, fate: Result<(), Box<Fate>>) -> Next {
        let process = occupant(slot);
        let (exit, permitted) = match fate {
            Ok(()) => (Exit::Normal, None),
            Err(fate) => (fate.exit, fate.permitted),
        };
        let core = process.slot.core();
        let (relations, starter, purpose, first, unstarted) = {
            let mut control = core.lock();
            let unstarted = self.terms.acknowledged && core.urgent() & STARTING != 0;
            core.lower(u8::MAX);
            control.phase = Phase::Waiting;
            control.last_exit = Some(exit.clone());
            let relations = control
                .extras
                .as_mut()
                .map(|extras| extras.take_relations());
            if let Exit::Crash(crash) = &exit {
                control.rare().last_crash = Some((Arc::clone(crash), Instant::now()));
            }
            let purpose = control.shutdown.map(|(_, purpose)| purpose);
            if purpose == Some(Purpose::Regroup) {
                control.shutdown = None;
            }
            (
                relations,
                control.starter.take(),
                purpose,
                control.incarnation == 0,
                unstarted,
            )
        };
        if let Some(mut relations) = relations {
            signal::ended(&process, &mut relations, &exit);
        }
        if let Exit::Crash(crash) = &exit {
            stats::crashed();
            let expected = crash.kind == CrashKind::Error && self.family.rules.expects_errors;
            if !expected && permitted.unwrap_or_else(report::permitted) {
                report::crashed(&process, crash);
            }
        }
        let failed = unstarted || exit.is_abnormal();
        let by_name = std::mem::take(&mut self.terms.by_name);
        let next = match (purpose, &starter) {
            (Some(Purpose::End), _) => Next::End(Phase::Ended),
            (Some(Purpose::Regroup | Purpose::Rest), _) => self.regrouped(&process),
            // Whoever started it decides what to do about it.
            (None, Some(_)) if failed && first => Next::End(Phase::Ended),
            (None, Some(_)) if failed && by_name => {
                core.lock().shutdown = Some((Grace::INFINITY, Purpose::Rest));
                self.park(&process)
            }
            (None, _) => self.decide(&process, &exit, failed),
        };
        if let Some(starter) = starter {
            let outcome = if failed { Err(exit) } else { Ok(()) };
            // Whoever started it may have stopped waiting.
            drop(starter.send(outcome));
        }
        next
    }

    fn regrouped(&self, process: &ProcessRef) -> Next {
        match self.terms.restart {
            Restart::Temporary => {
                self.family.child_gone(self.terms.significant);
                Next::End(Phase::Ended)
            }
            Restart::Permanent | Restart::Transient => self.park(process),
        }
    }

    /// It is started again.
    pub(crate) fn returns(&mut self) {
        stats::restarted();
        if std::mem::take(&mut self.terms.done) {
            self.family.child_back(self.terms.significant);
        }
    }

    /// It rests until it is started by name.
    pub(crate) fn rests(&mut self, slot: &dyn Slot) {
        slot.close();
        if !std::mem::replace(&mut self.terms.done, true) {
            self.family.child_gone(self.terms.significant);
        }
        self.family.parked();
        self.family.rested.notify_waiters();
    }

    fn park(&self, process: &ProcessRef) -> Next {
        self.count_incarnation(process);
        self.family.parked();
        Next::Wait
    }

    /// Whether it is restarted; `failed` when the exit is abnormal, or came before the start.
    fn decide(&mut self, process: &ProcessRef, exit: &Exit, failed: bool) -> Next {
        if !self.terms.restart.applies(failed) {
            self.family.child_done(self.terms.significant);
            if self.terms.restart == Restart::Transient && self.family.restarts_siblings() {
                // A sibling's restart may bring it back.
                self.terms.done = true;
                process.slot.close();
                return self.park(process);
            }
            return Next::End(Phase::Ended);
        }
        let now = Instant::now();
        let own_limit = self.terms.own_limit().is_some();
        if own_limit && self.terms.over_own_limit(now) {
            self.abandon(process, exit);
            return Next::End(Phase::Abandoned);
        }
        let delay = self.delay(process, now);
        let departure = Departure {
            pid: process.pid(),
            name: process.name(),
            exit,
            counted: !own_limit,
            delay,
        };
        match self.family.child_failed(&departure) {
            Verdict::Restart if delay > Duration::ZERO => {
                self.count_incarnation(process);
                let at = now + delay;
                process.slot.core().lock().rare().next_try = Some(at);
                Next::Later(at)
            }
            Verdict::Restart => {
                self.count_incarnation(process);
                stats::restarted();
                Next::Again
            }
            Verdict::Wait => self.park(process),
            Verdict::End => Next::End(Phase::Ended),
        }
    }

    fn count_incarnation(&self, process: &ProcessRef) {
        if self.terms.queue == MailboxPolicy::Discard {
            process.slot.clear();
        }
        let mut control = process.slot.core().lock();
        control.incarnation = control.incarnation.saturating_add(1);
    }

    /// How long it waits before its next incarnation.
    fn delay(&mut self, process: &ProcessRef, now: Instant) -> Duration {
        if self.terms.rare.is_none() {
            return Duration::ZERO;
        }
        let started = process.slot.core().lock().started;
        self.terms
            .delay(started.map_or(Duration::ZERO, |at| now.duration_since(at)))
            .min(DELAY_MAX)
    }

    fn abandon(&self, process: &ProcessRef, exit: &Exit) {
        process.slot.close();
        report::abandoned(process, exit);
        if let Some(limit) = self.terms.own_limit()
            && let Some(on_abandoned) = &limit.on_abandoned
        {
            // What it does wrong is no reason to lose track of the child.
            drop(guard::call(|| on_abandoned(process.name(), exit)));
        }
        self.family.child_done(self.terms.significant);
        self.family.child_abandoned(process.name(), exit);
    }

    /// Ends the child for good.
    pub(crate) fn end(&self, slot: Arc<dyn Slot>, phase: Phase) {
        let process = occupant(slot);
        process.slot.close();
        let (extras, starter, exit) = process.slot.core().end(phase);
        // Unanswered only when the task was dropped: the starter sees its sender go.
        drop(starter);
        if let Some(mut extras) = extras {
            signal::ended(&process, &mut extras, &exit);
            std::mem::take(&mut extras.claims).release(&exit);
            if let Some(rare) = &mut extras.rare {
                self.family.note_left(std::mem::take(&mut rare.left));
            }
            self.family.child_ended(process.pid());
            if let Some(ended) = extras.ended.take() {
                ended.tell(exit);
            }
        } else {
            self.family.child_ended(process.pid());
        }
        stats::process_ended();
    }
}

/// Who is on a slot: while a seat is there, its child.
fn occupant(slot: Arc<dyn Slot>) -> ProcessRef {
    let (pid, name) = {
        let control = slot.core().lock();
        (control.pid, Arc::clone(&control.name))
    };
    ProcessRef { slot, pid, name }
}
