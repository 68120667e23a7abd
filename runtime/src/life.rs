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

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, ready};

use pin_project_lite::pin_project;
use tokio::task::coop::poll_proceed;

use crate::context::Context;
use crate::exit::Exit;
use crate::guard;
use crate::mailbox::Cell;
use crate::place::{Fate, Next, Place};
use crate::seat::{Seat, Timer, timer_at};
use crate::slot::{Command, Phase};
use crate::stats;

/// What makes the incarnations of a child.
pub(crate) trait Body<M: Send + 'static>: Send + 'static {
    type Run: Future<Output = Result<(), Exit>> + Send;
    /// `None` when there can be no further incarnation.
    fn run(&mut self, ctx: Context<M>) -> Option<Self::Run>;
}

pin_project! {
    /// The whole life of a child.
    ///
    /// A future by hand, because an async block needs half as much room again for it, and there
    /// is one of these for each process. The fields are dropped in this order.
    pub(crate) struct Life<M, B>
    where
        M: Send,
        M: 'static,
        B: Body<M>,
    {
        #[pin]
        run: Option<B::Run>,
        // Of a stop or a start, or of the next try.
        timer: Option<Timer>,
        body: Option<B>,
        seat: Seat<M>,
        stage: Stage,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    New,
    Begin,
    Running,
    /// Lets others run when a child does nothing but crash.
    Again,
    Waiting,
}

impl<M: Send + 'static, B: Body<M>> Life<M, B> {
    pub(crate) fn new(body: B, cell: Arc<Cell<M>>, place: Place) -> Self {
        stats::process_started();
        Self {
            run: None,
            timer: None,
            body: Some(body),
            seat: Seat::new(cell, place),
            stage: Stage::New,
        }
    }

    /// Begins an incarnation; `None` when none is to begin.
    fn begin(mut self: Pin<&mut Self>) -> Option<Result<(), Box<Fate>>> {
        let mut this = self.as_mut().project();
        let ctx = this.seat.begin()?;
        let body = this.body.as_mut()?;
        match this.seat.turn(|| guard::call(|| body.run(ctx))) {
            Ok(Some(run)) => {
                this.run.set(Some(run));
                *this.stage = Stage::Running;
                Some(Ok(()))
            }
            Ok(None) => Some(Fate::exit(Exit::Shutdown)),
            Err(caught) => Some(Fate::crash(caught)),
        }
    }

    /// Runs the incarnation to its end and drops all of it.
    fn poll_run(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Result<(), Box<Fate>>> {
        #[cfg(feature = "test-kit")]
        crate::test_kit::note_turn();
        let mut this = self.project();
        let fate = if let Some(exit) = this.seat.forced() {
            Fate::exit(exit)
        } else if let Some(run) = this.run.as_mut().as_pin_mut() {
            match this.seat.turn(|| guard::poll(run, cx)) {
                Poll::Ready(Ok(Ok(()))) => Ok(()),
                Poll::Ready(Ok(Err(exit))) => Fate::exit(exit),
                Poll::Ready(Err(caught)) => Fate::crash(caught),
                Poll::Pending => ready!(this.seat.pending(cx, this.timer)),
            }
        } else {
            Ok(())
        };
        *this.timer = None;
        Poll::Ready(
            match this.seat.turn(|| guard::call(|| this.run.set(None))) {
                Ok(()) => fate,
                Err(caught) => Fate::crash(caught),
            },
        )
    }

    /// Does what an exit brings with it; what is left to do is how the child ended, if it did.
    fn settle(self: Pin<&mut Self>, fate: Result<(), Box<Fate>>) -> Option<Phase> {
        let this = self.project();
        *this.stage = match this.seat.settle(fate) {
            Next::Again => Stage::Again,
            Next::Wait => Stage::Waiting,
            Next::Later(at) => {
                *this.timer = Some(timer_at(at));
                Stage::Waiting
            }
            Next::End(phase) => return Some(phase),
        };
        None
    }

    fn end(self: Pin<&mut Self>, phase: Phase) {
        let this = self.project();
        // Dropped before the end is known: whoever waits for it finds nothing of the child left.
        drop(this.seat.turn(|| guard::call(|| *this.body = None)));
        this.seat.end(phase);
    }
}

impl<M: Send + 'static, B: Body<M>> Future for Life<M, B> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<()> {
        loop {
            let ended = match self.stage {
                Stage::New => {
                    self.seat.seize(cx);
                    *self.as_mut().project().stage = Stage::Begin;
                    None
                }
                Stage::Begin => match self.as_mut().begin() {
                    None if self.seat.is_to_rest() => {
                        *self.as_mut().project().stage = Stage::Waiting;
                        None
                    }
                    None => Some(Phase::Ended),
                    Some(Ok(())) if self.stage == Stage::Running => None,
                    Some(fate) => self.as_mut().settle(fate),
                },
                Stage::Running => {
                    let fate = ready!(self.as_mut().poll_run(cx));
                    self.as_mut().settle(fate)
                }
                Stage::Again => {
                    ready!(poll_proceed(cx)).made_progress();
                    *self.as_mut().project().stage = Stage::Begin;
                    None
                }
                Stage::Waiting => {
                    let this = self.as_mut().project();
                    match ready!(this.seat.poll_command(cx, this.timer)) {
                        Command::End => Some(Phase::Ended),
                        Command::Run => {
                            *this.timer = None;
                            this.seat.returns();
                            *this.stage = Stage::Begin;
                            None
                        }
                    }
                }
            };
            if let Some(phase) = ended {
                self.as_mut().end(phase);
                return Poll::Ready(());
            }
        }
    }
}
