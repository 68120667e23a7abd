//! `[process]` What a process sees of the runtime.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use tokio::task::yield_now;
use tokio::time::Instant;

use crate::exit::Exit;
use crate::kind;
use crate::limits::{MESSAGES_PER_TURN, QUEUE_SLOTS_RETAINED};
use crate::mailbox::{Address, Cell};
use crate::pid::Pid;
use crate::policy::MailboxPolicy;
use crate::process_ref::ProcessRef;
use crate::signal::{self, MonitorId, Signal};
use crate::slot::{Phase, SIGNAL, STOP, Slot, TRACE};
use crate::timer::{TimerId, Timers};
use crate::trace::{self, TraceSource};

/// What comes to a process.
#[derive(Debug)]
pub enum Incoming<M> {
    /// A message from the mailbox.
    Message(M),
    /// The message of a timer.
    Timer(M),
    /// Something from the lane beside the mailbox.
    Signal(Signal),
    /// The supervisor asks the process to stop. Comes once, before anything that is queued; the
    /// deadline of the child spec is running.
    Shutdown,
}

impl<M> Incoming<M> {
    fn source(&self) -> TraceSource {
        match self {
            Self::Message(_) => TraceSource::Mailbox,
            Self::Timer(_) => TraceSource::Timer,
            Self::Signal(_) => TraceSource::Signal,
            Self::Shutdown => TraceSource::Stop,
        }
    }
}

/// What one incarnation of a process sees of the runtime.
///
/// Handed to the callbacks of a [`Process`](crate::Process), or as a whole to a
/// [body](crate::ChildSpec::body), which reads its mailbox itself with [`next`](Context::next).
///
/// When it is dropped, after a panic too, what is left of the batch goes back to the front of the
/// mailbox, and its timers are gone.
pub struct Context<M: Send + 'static> {
    cell: Arc<Cell<M>>,
    batch: VecDeque<M>,
    timers: Option<Box<Timers<M>>>,
    /// Messages and signals handed out in this turn.
    turn: u32,
    queue: MailboxPolicy,
}

impl<M: Send + 'static> Context<M> {
    pub(crate) fn new(cell: Arc<Cell<M>>, queue: MailboxPolicy) -> Self {
        cell.core().note_kind(kind::NONE);
        Self {
            cell,
            batch: VecDeque::new(),
            timers: None,
            turn: 0,
            queue,
        }
    }

    /// The pid of this process; the same in every incarnation.
    pub fn pid(&self) -> Pid {
        self.cell.core().lock().pid
    }

    /// The name in its child spec.
    pub fn name(&self) -> Arc<str> {
        Arc::clone(&self.cell.core().lock().name)
    }

    /// Where to send messages to this process.
    pub fn address(&self) -> Address<M> {
        Address::of(&self.cell)
    }

    /// This process, for links and registries.
    pub fn process(&self) -> ProcessRef {
        let slot: Arc<dyn Slot> = Arc::<Cell<M>>::clone(&self.cell);
        let control = self.cell.core().lock();
        ProcessRef {
            slot,
            pid: control.pid,
            name: Arc::clone(&control.name),
        }
    }

    /// How often the process was restarted before: 0 is the first incarnation.
    pub fn incarnation(&self) -> u32 {
        self.cell.core().lock().incarnation
    }

    /// Why the incarnation before this one ended; `None` in the first.
    pub fn last_exit(&self) -> Option<Exit> {
        self.cell.core().lock().last_exit.clone()
    }

    /// The time by tokio's clock, which tests can pause.
    pub fn now(&self) -> Instant {
        Instant::now()
    }

    /// Acknowledges the start, for a body whose spec says
    /// [`acknowledged`](crate::ChildSpec::acknowledged). Calling it again does nothing.
    pub fn ready(&self) {
        self.cell.core().acknowledge();
    }

    /// Sends `message` to this incarnation after `delay`.
    ///
    /// It does not go through the mailbox and needs no room there. Timers end with the
    /// incarnation. Their grain is tokio's: a millisecond.
    ///
    /// # Panics
    /// When [`TIMERS_MAX`](crate::limits::TIMERS_MAX) are pending.
    pub fn send_after(&mut self, delay: Duration, message: M) -> TimerId {
        self.timers
            .get_or_insert_with(|| Box::new(Timers::new()))
            .set(delay, message)
    }

    /// Gives back the message of a timer that has not fired.
    pub fn cancel(&mut self, id: TimerId) -> Option<M> {
        self.timers.as_mut()?.cancel(id)
    }

    /// Sends a [`Signal::Down`] when this incarnation of `target` ends; at once when none runs.
    ///
    /// # Panics
    /// When [`RELATIONS_MAX`](crate::limits::RELATIONS_MAX) monitors are held.
    pub fn monitor(&mut self, target: &ProcessRef) -> MonitorId {
        signal::monitor(&self.process(), target)
    }

    /// Ends a monitoring; no signal of it comes after this.
    pub fn demonitor(&mut self, monitor: MonitorId) {
        signal::demonitor(&self.process(), monitor);
    }

    /// Ties this incarnation to that of `other`: when one ends, the other gets its exit.
    ///
    /// Who does not trap exits ends with it, unless it is [`Exit::Normal`]. When `other` does not
    /// run, its last exit comes at once.
    ///
    /// # Panics
    /// When [`RELATIONS_MAX`](crate::limits::RELATIONS_MAX) links are held.
    pub fn link(&mut self, other: &ProcessRef) {
        signal::link(&self.process(), other);
    }

    /// Unties it again.
    pub fn unlink(&mut self, other: &ProcessRef) {
        signal::unlink(&self.process(), other);
    }

    /// Whether exits of others come as [`Signal::Exit`] instead of ending this incarnation.
    pub fn trap_exits(&mut self, on: bool) {
        self.cell.core().lock().rare().trapping = on;
    }

    /// The next thing to do: first a stop or a signal, then messages, between them timers.
    ///
    /// After [`MESSAGES_PER_TURN`](crate::limits::MESSAGES_PER_TURN) it lets other processes run
    /// first.
    ///
    /// # Cancel safety
    /// Cancel safe: what was not returned stays queued.
    pub async fn next(&mut self) -> Incoming<M> {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    /// What is there at once, in the order of [`next`](Context::next); does not wait.
    pub fn try_next(&mut self) -> Option<Incoming<M>> {
        let urgent = self.cell.core().urgent();
        if urgent & (STOP | SIGNAL | TRACE) == 0 {
            return self.try_message();
        }
        self.traced(urgent, |ctx| {
            take_urgent(&*ctx.cell).or_else(|| ctx.try_message())
        })
    }

    #[inline]
    fn try_message(&mut self) -> Option<Incoming<M>> {
        if let Some(message) = self.pop() {
            return Some(Incoming::Message(message));
        }
        if let Some(message) = self.timers.as_mut().and_then(|timers| timers.due()) {
            self.cell.note_kind(&message);
            return Some(Incoming::Timer(message));
        }
        self.release();
        self.cell.try_take(&mut self.batch);
        self.pop().map(Incoming::Message)
    }

    /// Waits until this process is asked to stop, without taking the request: [`next`] returns it
    /// as well, and this is ready again at once.
    ///
    /// For a body that awaits something long.
    ///
    /// # Cancel safety
    /// Cancel safe.
    ///
    /// [`next`]: Context::next
    pub async fn stopping(&self) {
        poll_fn(|cx| self.poll_stopping(cx)).await;
    }

    /// True when nothing of the batch is left: the moment to flush what was gathered.
    pub fn batch_is_done(&self) -> bool {
        self.batch.is_empty()
    }

    fn poll_next(&mut self, cx: &mut TaskContext<'_>) -> Poll<Incoming<M>> {
        if self.turn >= MESSAGES_PER_TURN {
            self.turn = 0;
            if self.cell.core().urgent() & TRACE != 0 {
                trace::asked(&*self.cell);
            }
            // Behind all that is ready, and behind a look at sockets and timers.
            if pin!(yield_now()).poll(cx).is_pending() {
                return Poll::Pending;
            }
        }
        let urgent = self.cell.core().urgent();
        if urgent & (STOP | SIGNAL | TRACE) == 0 {
            return self.poll_message(cx);
        }
        let polled = self.traced(urgent, |ctx| match take_urgent(&*ctx.cell) {
            Some(incoming) => {
                ctx.turn += 1;
                Some(incoming)
            }
            None => match ctx.poll_message(cx) {
                Poll::Ready(incoming) => Some(incoming),
                Poll::Pending => None,
            },
        });
        polled.map_or(Poll::Pending, Poll::Ready)
    }

    /// Takes something, and records it when this process is traced.
    #[cold]
    fn traced(
        &mut self,
        urgent: u8,
        take: impl FnOnce(&mut Self) -> Option<Incoming<M>>,
    ) -> Option<Incoming<M>> {
        if urgent & TRACE == 0 {
            return take(self);
        }
        trace::asked(&*self.cell);
        let incoming = take(self)?;
        trace::handed(&*self.cell, incoming.source());
        Some(incoming)
    }

    #[inline]
    fn poll_message(&mut self, cx: &mut TaskContext<'_>) -> Poll<Incoming<M>> {
        if let Some(message) = self.pop() {
            self.turn += 1;
            return Poll::Ready(Incoming::Message(message));
        }
        if let Some(timers) = &mut self.timers
            && let Poll::Ready(message) = timers.poll(cx)
        {
            self.turn += 1;
            self.cell.note_kind(&message);
            return Poll::Ready(Incoming::Timer(message));
        }
        self.release();
        if self.cell.poll_take(cx, &mut self.batch).is_ready()
            && let Some(message) = self.pop()
        {
            self.turn += 1;
            return Poll::Ready(Incoming::Message(message));
        }
        // Once more, now that the waker is in place: a signal may have come in between.
        if let Some(incoming) = self.urgent() {
            return Poll::Ready(incoming);
        }
        self.turn = 0;
        Poll::Pending
    }

    fn poll_stopping(&self, cx: &mut TaskContext<'_>) -> Poll<()> {
        self.cell.park(cx);
        let stopping = self.cell.core().lock().shutdown.is_some();
        if stopping {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }

    /// The next message of the batch.
    #[inline]
    fn pop(&mut self) -> Option<M> {
        let message = self.batch.pop_front()?;
        self.cell.note_kind(&message);
        Some(message)
    }

    #[inline]
    fn urgent(&mut self) -> Option<Incoming<M>> {
        if self.cell.core().urgent() & (STOP | SIGNAL) == 0 {
            return None;
        }
        take_urgent(&*self.cell)
    }

    /// Frees the buffer of a large batch that is done.
    #[inline]
    fn release(&mut self) {
        if self.batch.capacity() > QUEUE_SLOTS_RETAINED {
            self.batch = VecDeque::new();
        }
    }
}

/// Not generic, and out of the way of the fast path.
#[cold]
fn take_urgent<M>(slot: &dyn Slot) -> Option<Incoming<M>> {
    let core = slot.core();
    let mut control = core.lock();
    if core.urgent() & STOP != 0 {
        core.lower(STOP);
        core.note_kind(kind::STOP);
        control.phase = Phase::Stopping;
        return Some(Incoming::Shutdown);
    }
    let signal = control.seldom_mut().and_then(|rare| {
        let signal = rare.signals.pop_front()?;
        if let Signal::Exit { from: None, .. } = signal {
            rare.exit_signals = rare.exit_signals.saturating_sub(1);
        }
        Some(signal)
    });
    let more = control
        .seldom()
        .is_some_and(|rare| !rare.signals.is_empty());
    if !more {
        core.lower(SIGNAL);
    }
    let signal = signal?;
    core.note_kind(kind::SIGNAL);
    Some(Incoming::Signal(signal))
}

impl<M: Send + 'static> Drop for Context<M> {
    fn drop(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        if batch.is_empty() {
            return;
        }
        match self.queue {
            MailboxPolicy::Keep => self.cell.put_back(batch),
            MailboxPolicy::Discard => self.cell.discard(batch),
        }
    }
}

impl<M: Send + 'static> fmt::Debug for Context<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("process", &self.process())
            .field("incarnation", &self.incarnation())
            .finish_non_exhaustive()
    }
}
