//! `[process]` The task of a child: it runs one incarnation after the other.
//!
//! ```text
//!            ┌────────────── Again ───────────────┐
//!            ▼                                    │
//!   begin ─► incarnation ─exit─► settle ─► Next ──┼─ Wait, Later ─► Run ─► begin
//!                                                 │            └──► End ─┐
//!                                                 └─ End ────────────────┴─► end
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

use crate::context::Context;
use crate::exit::{CrashKind, Exit};
use crate::guard;
use crate::mailbox::Cell;
use crate::pid::Pid;
use crate::place::{Fate, Next, Place};
use crate::slot::{Command, Core, DEADLINE, FORCED, Phase, Purpose, STARTING, Slot};
use crate::stats;
use crate::worker;

/// What makes the incarnations of a child.
pub(crate) trait Body<M: Send + 'static>: Send + 'static {
    type Run: Future<Output = Result<(), Exit>> + Send;
    /// `None` when there can be no further incarnation.
    fn run(&mut self, ctx: Context<M>) -> Option<Self::Run>;
}

/// Boxed, because most children never need one.
type Timer = Pin<Box<Sleep>>;

pub(crate) struct Seat<M: Send + 'static> {
    cell: Arc<Cell<M>>,
    place: Place,
    /// Whose it is; [`Pid::NONE`] when the child has ended.
    pid: Pid,
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
    let pid = cell.core().lock().pid;
    let mut seat = Seat { cell, place, pid };
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
                next @ (Next::Wait | Next::Later(_)) => {
                    let mut timer = next.timer();
                    if poll_fn(|cx| seat.poll_command(cx, &mut timer)).await == Command::End {
                        break;
                    }
                    seat.place.returns();
                }
                Next::End(as_phase) => {
                    phase = as_phase;
                    break;
                }
            }
        }
        // Dropped before the end is known: whoever waits for it finds nothing of the child left.
        drop(seat.turn(|| guard::call(|| drop(body))));
        seat.end(phase);
    }
}

/// Runs one incarnation to its end and drops all of it; `None` when none is to begin.
async fn incarnation<M: Send + 'static, B: Body<M>>(
    body: &mut B,
    seat: &Seat<M>,
) -> Option<Result<(), Box<Fate>>> {
    if !seat.place.begin(&*seat.cell) {
        return None;
    }
    let ctx = Context::new(Arc::clone(&seat.cell), seat.place.terms.queue);
    let run = match seat.turn(|| guard::call(|| body.run(ctx))) {
        Ok(Some(run)) => run,
        Ok(None) => return Some(Fate::exit(Exit::Shutdown)),
        Err(caught) => return Some(Fate::crash(caught)),
    };
    let mut run = pin!(Some(run));
    let mut deadline = None;
    let fate = poll_fn(|cx| {
        #[cfg(feature = "test-kit")]
        crate::test_kit::note_turn();
        if let Some(exit) = seat.forced() {
            return Poll::Ready(Fate::exit(exit));
        }
        let Some(future) = run.as_mut().as_pin_mut() else {
            return Poll::Ready(Ok(()));
        };
        match seat.turn(|| guard::poll(future, cx)) {
            Poll::Ready(Ok(Ok(()))) => Poll::Ready(Ok(())),
            Poll::Ready(Ok(Err(exit))) => Poll::Ready(Fate::exit(exit)),
            Poll::Ready(Err(caught)) => Poll::Ready(Fate::crash(caught)),
            Poll::Pending => seat.pending(cx, &mut deadline),
        }
    })
    .await;
    Some(match seat.turn(|| guard::call(|| run.set(None))) {
        Ok(()) => fate,
        Err(caught) => Fate::crash(caught),
    })
}

/// When the start of the incarnation has to be acknowledged.
#[cold]
fn start_deadline(core: &Core) -> Option<Instant> {
    let control = core.lock();
    control.started?.checked_add(control.start_within())
}

impl Next {
    fn timer(&self) -> Option<Timer> {
        match self {
            Self::Later(at) => Some(Box::pin(sleep_until(*at))),
            Self::Again | Self::Wait | Self::End(_) => None,
        }
    }
}

impl<M: Send + 'static> Seat<M> {
    /// Runs code of the process, which is guarded.
    #[inline]
    fn turn<R>(&self, guarded: impl FnOnce() -> R) -> R {
        worker::turn(self.pid, self.place.terms.class, self.cell.core(), guarded)
    }

    /// The exit that was decided on outside. It stays set until [`settle`](Place::settle).
    fn forced(&self) -> Option<Exit> {
        if self.cell.core().urgent() & FORCED == 0 {
            return None;
        }
        self.cell.core().lock().forced()
    }

    /// The incarnation waits: acknowledges its start, and keeps the deadline of its stop.
    fn pending(
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
                .map(|at| Box::pin(sleep_until(at)));
        }
        if core.urgent() & STARTING != 0 {
            if !self.place.terms.acknowledged {
                core.acknowledge();
            } else if deadline.is_none() {
                *deadline = start_deadline(core).map(|at| Box::pin(sleep_until(at)));
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
                Exit::Killed
            } else {
                let limit = core.lock().start_within();
                let text = format!("start took longer than {limit:?}");
                Exit::crash(CrashKind::Start, text, None)
            };
            Fate::exit(exit)
        })
    }

    fn settle(&mut self, fate: Result<(), Box<Fate>>) -> Next {
        let slot: Arc<dyn Slot> = Arc::<Cell<M>>::clone(&self.cell);
        self.place.settle(slot, fate)
    }

    /// What a child does that waits between two incarnations.
    fn poll_command(&self, cx: &mut TaskContext<'_>, timer: &mut Option<Timer>) -> Poll<Command> {
        {
            let mut control = self.cell.core().lock();
            if let Some((_, Purpose::End)) = control.shutdown {
                return Poll::Ready(Command::End);
            }
            if let Some(command) = control.command.take() {
                return Poll::Ready(command);
            }
        }
        match timer {
            Some(timer) => timer.as_mut().poll(cx).map(|()| Command::Run),
            None => Poll::Pending,
        }
    }

    fn end(&mut self, phase: Phase) {
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
