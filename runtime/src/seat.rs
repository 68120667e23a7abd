//! `[process]` The task of a child: it runs one incarnation after the other.
//!
//! ```text
//!            ┌────────────── Again ───────────────┐
//!            ▼                                    │
//!   begin ─► incarnation ─exit─► settle ─► Next ──┼─ Wait ─► Run ─► begin
//!                                                 │    └───► End ─┐
//!                                                 └─ End ─────────┴─► end
//! ```
//! A child of a one-for-one supervisor decides about its restart here, in its own task, with the
//! policy of its supervisor; that is why a restart costs its supervisor nothing but a short lock.
//! The supervisor's own task comes in when others are concerned: when the restart takes siblings
//! along, and when there were too many.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use tokio::time::{Instant, Sleep, sleep_until};

use crate::context::{Birth, Context};
use crate::exit::Exit;
use crate::guard::{self, Caught};
use crate::mailbox::Cell;
use crate::pid::Pid;
use crate::policy::{MailboxPolicy, Restart, Shutdown};
use crate::process_ref::ProcessRef;
use crate::slot::{Command, DEADLINE, FORCED, Phase, Purpose, STARTING, Slot};
use crate::supervisor::{Departure, Family, Verdict};
use crate::window::{Intensity, Window};
use crate::{report, signal, stats};

/// What a child spec says that the seat needs.
pub(crate) struct Terms {
    pub(crate) restart: Restart,
    pub(crate) queue: MailboxPolicy,
    pub(crate) significant: bool,
    pub(crate) acknowledged: bool,
    pub(crate) limit: Option<Box<Limit>>,
}

/// A child's own restart limit.
pub(crate) struct Limit {
    pub(crate) intensity: Intensity,
    pub(crate) window: Option<Window>,
    pub(crate) on_abandoned: Option<OnAbandoned>,
}

pub(crate) type OnAbandoned = Box<dyn Fn(&str, &Exit) + Send + Sync>;

/// What makes the incarnations of a child.
pub(crate) trait Body<M: Send + 'static>: Send + 'static {
    type Run: Future<Output = Result<(), Exit>> + Send;
    /// `None` when there can be no further incarnation.
    fn run(&mut self, ctx: Context<M>) -> Option<Self::Run>;
}

/// The non-generic half of a seat.
pub(crate) struct Place {
    pub(crate) pid: Pid,
    pub(crate) name: Arc<str>,
    pub(crate) family: Arc<Family>,
    pub(crate) terms: Terms,
}

pub(crate) struct Seat<M: Send + 'static> {
    cell: Arc<Cell<M>>,
    place: Place,
    left: bool,
}

enum Next {
    Again,
    Wait,
    End(Phase),
}

/// The whole life of a child.
///
/// Not an `async fn`, because that would hold its arguments twice in each task's memory.
pub(crate) fn occupy<M: Send + 'static, B: Body<M>>(
    mut body: B,
    cell: Arc<Cell<M>>,
    place: Place,
) -> impl Future<Output = ()> + Send {
    stats::process_started();
    let mut seat = Seat {
        cell,
        place,
        left: false,
    };
    async move {
        poll_fn(|cx| {
            seat.cell.set_task(Some(cx.waker().clone()));
            Poll::Ready(())
        })
        .await;
        let mut phase = Phase::Ended;
        while let Some(fate) = incarnation(&mut body, &seat).await {
            match seat.settle(fate) {
                // Lets others run when a child does nothing but crash.
                Next::Again => tokio::task::coop::consume_budget().await,
                Next::Wait => {
                    if poll_fn(|_| seat.poll_command()).await == Command::End {
                        break;
                    }
                    stats::restarted();
                }
                Next::End(as_phase) => {
                    phase = as_phase;
                    break;
                }
            }
        }
        // Dropped before the end is known: whoever waits for it finds nothing of the child left.
        drop(guard::call(|| drop(body)));
        seat.end(phase);
    }
}

/// Runs one incarnation to its end and drops all of it; `None` when none is to begin.
async fn incarnation<M: Send + 'static, B: Body<M>>(
    body: &mut B,
    seat: &Seat<M>,
) -> Option<Result<(), Box<Fate>>> {
    let birth = seat.place.begin(&*seat.cell)?;
    let ctx = Context::new(Arc::clone(&seat.cell), birth);
    let run = match guard::call(|| body.run(ctx)) {
        Ok(Some(run)) => run,
        Ok(None) => return Some(Fate::exit(Exit::Shutdown)),
        Err(caught) => return Some(Fate::crash(caught)),
    };
    let mut run = pin!(Some(run));
    let mut deadline = None;
    let fate = poll_fn(|cx| {
        if let Some(exit) = seat.forced() {
            return Poll::Ready(Fate::exit(exit));
        }
        let Some(future) = run.as_mut().as_pin_mut() else {
            return Poll::Ready(Ok(()));
        };
        match guard::poll(future, cx) {
            Poll::Ready(Ok(Ok(()))) => Poll::Ready(Ok(())),
            Poll::Ready(Ok(Err(exit))) => Poll::Ready(Fate::exit(exit)),
            Poll::Ready(Err(caught)) => Poll::Ready(Fate::crash(caught)),
            Poll::Pending => seat.pending(cx, &mut deadline),
        }
    })
    .await;
    Some(match guard::call(|| run.set(None)) {
        Ok(()) => fate,
        Err(caught) => Fate::crash(caught),
    })
}

/// How an incarnation ended, other than well.
pub(crate) struct Fate {
    exit: Exit,
    /// For a panic: whether it may be logged, as that was decided when it was raised.
    permitted: Option<bool>,
}

impl Fate {
    fn exit(exit: Exit) -> Result<(), Box<Self>> {
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
    fn crash(caught: Box<Caught>) -> Result<(), Box<Self>> {
        let exit = Exit::Crash(Arc::new(caught.crash));
        Err(Box::new(Self {
            exit,
            permitted: Some(caught.permitted),
        }))
    }
}

impl<M: Send + 'static> Seat<M> {
    /// The exit that was decided on outside. It stays set until [`settle`](Place::settle).
    fn forced(&self) -> Option<Exit> {
        if self.cell.core().urgent() & FORCED == 0 {
            return None;
        }
        self.cell.core().lock().forced.clone()
    }

    /// The incarnation waits: acknowledges its start, and keeps the deadline of its stop.
    fn pending(
        &self,
        cx: &mut TaskContext<'_>,
        deadline: &mut Option<Pin<Box<Sleep>>>,
    ) -> Poll<Result<(), Box<Fate>>> {
        let core = self.cell.core();
        if core.urgent() & DEADLINE != 0 {
            core.lower(DEADLINE);
            *deadline = match core.lock().shutdown {
                Some((Shutdown::Timeout(limit), _)) => Instant::now()
                    .checked_add(limit)
                    .map(|at| Box::pin(sleep_until(at))),
                Some((Shutdown::Brutal | Shutdown::Infinity, _)) | None => None,
            };
        }
        if !self.place.terms.acknowledged && core.urgent() & STARTING != 0 {
            core.acknowledge();
        }
        match deadline {
            Some(deadline) => deadline
                .as_mut()
                .poll(cx)
                .map(|()| Fate::exit(Exit::Killed)),
            None => Poll::Pending,
        }
    }

    fn settle(&mut self, fate: Result<(), Box<Fate>>) -> Next {
        let slot: Arc<dyn Slot> = Arc::<Cell<M>>::clone(&self.cell);
        self.place.settle(slot, fate)
    }

    fn poll_command(&self) -> Poll<Command> {
        let mut control = self.cell.core().lock();
        if let Some((_, Purpose::End)) = control.shutdown {
            return Poll::Ready(Command::End);
        }
        control.command.take().map_or(Poll::Pending, Poll::Ready)
    }

    fn end(&mut self, phase: Phase) {
        if std::mem::replace(&mut self.left, true) {
            return;
        }
        self.cell.set_task(None);
        let slot: Arc<dyn Slot> = Arc::<Cell<M>>::clone(&self.cell);
        self.place.end(slot, phase);
    }
}

/// A task can be dropped before its end, with the whole tokio runtime or with that of its thread.
impl<M: Send + 'static> Drop for Seat<M> {
    fn drop(&mut self) {
        self.end(Phase::Ended);
    }
}

impl Place {
    fn process(&self, slot: Arc<dyn Slot>) -> ProcessRef {
        ProcessRef {
            slot,
            pid: self.pid,
            name: Arc::clone(&self.name),
        }
    }

    /// Begins an incarnation, unless the child was asked to end meanwhile.
    fn begin(&self, slot: &dyn Slot) -> Option<Birth> {
        let mut control = slot.core().lock();
        if control.shutdown.is_some() {
            return None;
        }
        control.phase = Phase::Starting;
        slot.core().raise(STARTING);
        control.started = Some(Instant::now());
        Some(Birth {
            name: Arc::clone(&self.name),
            pid: self.pid,
            incarnation: control.incarnation,
            last_exit: control.last_exit.clone(),
            queue: self.terms.queue,
        })
    }

    /// Does what an exit brings with it and decides what comes next.
    fn settle(&mut self, slot: Arc<dyn Slot>, fate: Result<(), Box<Fate>>) -> Next {
        let process = self.process(slot);
        let (exit, permitted) = match fate {
            Ok(()) => (Exit::Normal, None),
            Err(fate) => (fate.exit, fate.permitted),
        };
        let core = process.slot.core();
        let (relations, starter, purpose, first) = {
            let mut control = core.lock();
            core.lower(u8::MAX);
            control.phase = Phase::Waiting;
            control.forced = None;
            control.last_exit = Some(exit.clone());
            let relations = control
                .extras
                .as_mut()
                .map(|extras| extras.take_relations());
            let purpose = control.shutdown.map(|(_, purpose)| purpose);
            if purpose == Some(Purpose::Regroup) {
                control.shutdown = None;
            }
            (
                relations,
                control.starter.take(),
                purpose,
                control.incarnation == 0,
            )
        };
        if let Some(mut relations) = relations {
            signal::ended(&process, &mut relations, &exit);
        }
        if let Exit::Crash(crash) = &exit {
            stats::crashed();
            if permitted.unwrap_or_else(report::permitted) {
                report::crashed(&process, crash);
            }
        }
        let starting = starter.is_some();
        if let Some(starter) = starter {
            let outcome = if exit.is_abnormal() {
                Err(exit.clone())
            } else {
                Ok(())
            };
            // Whoever started it may have stopped waiting.
            drop(starter.send(outcome));
        }
        match purpose {
            Some(Purpose::End) => return Next::End(Phase::Ended),
            Some(Purpose::Regroup) => return self.regrouped(&process),
            None => {}
        }
        if starting && exit.is_abnormal() {
            // The starter decides what to do about it.
            return if first {
                Next::End(Phase::Ended)
            } else {
                self.park(&process)
            };
        }
        self.decide(&process, &exit)
    }

    fn regrouped(&self, process: &ProcessRef) -> Next {
        match self.terms.restart {
            Restart::Temporary => Next::End(Phase::Ended),
            Restart::Permanent | Restart::Transient => self.park(process),
        }
    }

    fn park(&self, process: &ProcessRef) -> Next {
        self.count_incarnation(process);
        self.family.parked();
        Next::Wait
    }

    fn decide(&mut self, process: &ProcessRef, exit: &Exit) -> Next {
        if !self.terms.restart.applies(exit) {
            self.family.child_done(self.terms.significant);
            if self.terms.restart == Restart::Transient && self.family.restarts_siblings() {
                // A sibling's restart may bring it back.
                process.slot.close();
                return self.park(process);
            }
            return Next::End(Phase::Ended);
        }
        let own_limit = self.terms.limit.is_some();
        if own_limit && self.over_own_limit() {
            self.abandon(process, exit);
            return Next::End(Phase::Abandoned);
        }
        let departure = Departure {
            pid: self.pid,
            name: &self.name,
            exit,
            counted: !own_limit,
        };
        match self.family.child_failed(&departure) {
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

    fn over_own_limit(&mut self) -> bool {
        let Some(limit) = &mut self.terms.limit else {
            return false;
        };
        let intensity = limit.intensity;
        let window = limit.window.get_or_insert_with(|| Window::new(intensity));
        window.record(Instant::now().into_std())
    }

    fn abandon(&self, process: &ProcessRef, exit: &Exit) {
        process.slot.close();
        report::abandoned(process, exit);
        if let Some(limit) = &self.terms.limit
            && let Some(on_abandoned) = &limit.on_abandoned
        {
            // What it does wrong is no reason to lose track of the child.
            drop(guard::call(|| on_abandoned(&self.name, exit)));
        }
        self.family.child_done(self.terms.significant);
        self.family.child_abandoned(&self.name, exit);
    }

    /// Ends the child for good.
    fn end(&self, slot: Arc<dyn Slot>, phase: Phase) {
        let process = self.process(slot);
        process.slot.close();
        let core = process.slot.core();
        let (extras, starter, exit) = {
            let mut control = core.lock();
            control.phase = phase;
            let exit = control.last_exit.get_or_insert(Exit::Killed).clone();
            (control.extras.take(), control.starter.take(), exit)
        };
        // Unanswered only when the task was dropped: the starter sees its sender go.
        drop(starter);
        if let Some(mut extras) = extras {
            signal::ended(&process, &mut extras, &exit);
            for (_, release) in std::mem::take(&mut extras.claims) {
                drop(guard::call(release));
            }
            self.family.child_ended(self.pid);
            if let Some(ended) = extras.ended.take() {
                ended.notify_waiters();
            }
        } else {
            self.family.child_ended(self.pid);
        }
        stats::process_ended();
    }
}
