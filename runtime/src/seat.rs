//! `[process]` What the task of a child does besides running its code: acknowledges the start,
//! keeps the deadlines, hears what is decided outside, and tells how it ended.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use tokio::time::{Instant, Sleep, sleep_until};

use crate::context::Context;
use crate::exit::{CrashKind, Exit};
use crate::mailbox::Cell;
use crate::pid::Pid;
use crate::place::{Fate, Next, Place};
use crate::report;
use crate::signal;
use crate::slot::{Command, Core, DEADLINE, FORCED, Phase, Purpose, STARTING, Slot};
use crate::worker;

/// Boxed, because most children never need one.
pub(crate) type Timer = Pin<Box<Sleep>>;

pub(crate) struct Seat<M: Send + 'static> {
    cell: Arc<Cell<M>>,
    place: Place,
    /// Whose it is; [`Pid::NONE`] when the child has ended.
    pid: Pid,
}

impl<M: Send + 'static> Seat<M> {
    pub(crate) fn new(cell: Arc<Cell<M>>, place: Place) -> Self {
        let pid = cell.core().lock().pid;
        Self { cell, place, pid }
    }

    /// Notes the task that the child runs in.
    pub(crate) fn seize(&self, cx: &TaskContext<'_>) {
        self.cell.set_task(Some(cx.waker().clone()));
    }

    /// Begins an incarnation; `None` when the child was asked to end meanwhile.
    pub(crate) fn begin(&self) -> Option<Context<M>> {
        let begins = self.place.begin(&*self.cell);
        begins.then(|| Context::new(Arc::clone(&self.cell), self.place.terms.queue))
    }

    /// The child's next incarnation is one that its supervisor, or its back-off, let wait.
    pub(crate) fn returns(&mut self) {
        self.place.returns();
    }

    /// Runs code of the process, which is guarded.
    #[inline]
    pub(crate) fn turn<R>(&self, guarded: impl FnOnce() -> R) -> R {
        worker::turn(self.pid, self.place.terms.class, self.cell.core(), guarded)
    }

    /// The exit that was decided on outside. It stays set until [`settle`](Place::settle).
    pub(crate) fn forced(&self) -> Option<Exit> {
        if self.cell.core().urgent() & FORCED == 0 {
            return None;
        }
        self.cell.core().lock().forced()
    }

    /// The incarnation waits: acknowledges its start, and keeps the deadline of its stop.
    pub(crate) fn pending(
        &self,
        cx: &mut TaskContext<'_>,
        deadline: &mut Option<Timer>,
    ) -> Poll<Result<(), Box<Fate>>> {
        let core = self.cell.core();
        if core.urgent() & DEADLINE != 0 {
            core.lower(DEADLINE);
            let limit = core.lock().shutdown.and_then(|(grace, _)| grace.limit());
            *deadline = limit
                .and_then(|limit| Instant::now().checked_add(limit))
                .map(timer_at);
        }
        if core.urgent() & STARTING != 0 {
            if !self.place.terms.acknowledged {
                core.acknowledge();
            } else if deadline.is_none() {
                *deadline = start_deadline(core).map(timer_at);
            }
        }
        match deadline {
            Some(_) => self.poll_deadline(cx, deadline),
            None => Poll::Pending,
        }
    }

    /// Keeps the deadline of a start or of a stop; forgets that of a start that came in time.
    #[cold]
    fn poll_deadline(
        &self,
        cx: &mut TaskContext<'_>,
        deadline: &mut Option<Timer>,
    ) -> Poll<Result<(), Box<Fate>>> {
        let core = self.cell.core();
        let stopping = core.lock().shutdown.is_some();
        if !stopping && core.urgent() & STARTING == 0 {
            *deadline = None;
        }
        let Some(timer) = deadline else {
            return Poll::Pending;
        };
        timer.as_mut().poll(cx).map(|()| {
            let exit = if stopping {
                let slot: Arc<dyn Slot> = Arc::<Cell<M>>::clone(&self.cell);
                report::killed(&signal::reference(&slot, self.pid).0);
                Exit::Killed
            } else {
                let limit = core.lock().start_within();
                let text = format!("start took longer than {limit:?}");
                Exit::crash(CrashKind::Start, text)
            };
            Fate::exit(exit)
        })
    }

    pub(crate) fn settle(&mut self, fate: Result<(), Box<Fate>>) -> Next {
        let slot: Arc<dyn Slot> = Arc::<Cell<M>>::clone(&self.cell);
        self.place.settle(slot, fate)
    }

    /// What a child does that waits between two incarnations.
    pub(crate) fn poll_command(
        &mut self,
        cx: &mut TaskContext<'_>,
        timer: &mut Option<Timer>,
    ) -> Poll<Command> {
        let rests = {
            let core = self.cell.core();
            let mut control = core.lock();
            if let Some((_, Purpose::End)) = control.shutdown {
                return Poll::Ready(Command::End);
            }
            let rests = matches!(control.shutdown, Some((_, Purpose::Rest)));
            if rests {
                core.lower(u8::MAX);
                control.shutdown = None;
                control.phase = Phase::Resting;
                control.command = None;
                if let Some(rare) = control.seldom_mut() {
                    rare.next_try = None;
                }
            }
            if let Some(command) = control.command.take() {
                self.place.terms.by_name = control.phase == Phase::Resting;
                return Poll::Ready(command);
            }
            rests
        };
        if rests {
            *timer = None;
            self.place.rests(&*self.cell);
        }
        match timer {
            Some(timer) => timer.as_mut().poll(cx).map(|()| Command::Run),
            None => Poll::Pending,
        }
    }

    /// True when an incarnation could not begin because the child was told to rest.
    pub(crate) fn is_to_rest(&self) -> bool {
        matches!(self.cell.core().lock().shutdown, Some((_, Purpose::Rest)))
    }

    pub(crate) fn end(&mut self, phase: Phase) {
        if std::mem::replace(&mut self.pid, Pid::NONE) == Pid::NONE {
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

/// When the start of the incarnation has to be acknowledged.
#[cold]
fn start_deadline(core: &Core) -> Option<Instant> {
    let control = core.lock();
    control.started?.checked_add(control.start_within())
}

pub(crate) fn timer_at(at: Instant) -> Timer {
    Box::pin(sleep_until(at))
}
