//! `[process]` Traces: what one process is handed, and how long it takes over each, on demand.
//!
//! A process looks at one word before it takes anything, for stops and signals; the bit `TRACE`
//! there sends it through here. A process that is not traced does nothing for it.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::limits::TRACE_MESSAGES_MAX;
use crate::process_ref::ProcessRef;
use crate::slot::{Slot, TRACE};

/// A trace that is being recorded, or was: the next messages of one process.
///
/// Made by [`ProcessRef::trace`]; what `:sys.trace` and `:sys.log` are in Elixir. It goes on over
/// restarts of the process and ends when it is complete, when the process ends for good, or when
/// this is dropped.
///
/// ```
/// # use belay_runtime::*;
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let mailbox = Mailbox::new(Capacity::new(8));
/// let quiet = |mut ctx: Context<&'static str>| async move {
///     while !matches!(ctx.next().await, Incoming::Shutdown) {}
///     Ok(())
/// };
/// let rooms = DynamicSupervisor::new("rooms", DynamicOptions::default());
/// let node = Node::start(Supervisor::builder("node").child(rooms.spec())).await.unwrap();
/// let room = rooms.start_child(ChildSpec::body("room:1", &mailbox, quiet)).await.unwrap();
///
/// let trace = room.trace(2).unwrap();
/// mailbox.address().try_send("hello").unwrap();
/// mailbox.address().try_send("goodbye").unwrap();
/// for entry in trace.complete().await {
///     assert_eq!((entry.kind, entry.source), ("&str", TraceSource::Mailbox));
///     assert!(entry.took.is_some());
/// }
/// node.stop(std::time::Duration::from_secs(1)).await;
/// # }
/// ```
pub struct Trace {
    process: ProcessRef,
    tape: Arc<Tape>,
}

/// Something that was handed to the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TraceEntry {
    /// The [kind](crate::Kind) of the message, or the type of the messages; `signal` and `stop`
    /// for what is none.
    pub kind: &'static str,
    /// Where it came from.
    pub source: TraceSource,
    /// [Which incarnation](crate::Context::incarnation) got it.
    pub incarnation: u32,
    /// When, since the trace began; by tokio's clock.
    pub at: Duration,
    /// How long it was until the process asked for the next. `None` while that is not yet, and
    /// when the incarnation ended over it.
    pub took: Option<Duration>,
}

/// Where something that was handed to a process came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TraceSource {
    /// From its mailbox.
    Mailbox,
    /// From one of its timers.
    Timer,
    /// From the lane of signals.
    Signal,
    /// From its supervisor, which asks it to stop.
    Stop,
}

/// Why a process is not traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    /// Busy: another trace of it goes on.
    #[error("process is being traced")]
    Busy,
    /// Refused: it has ended for good.
    #[error("process has ended")]
    Ended,
}

impl Trace {
    /// What there is until now, oldest first.
    pub fn entries(&self) -> Vec<TraceEntry> {
        self.tape.lock().entries.clone()
    }

    /// Waits until as many as were asked for were handed out and the process is done with the
    /// last, or it has ended for good; returns them, oldest first.
    ///
    /// # Cancel safety
    /// Cancel safe: nothing is lost, and it may be called again.
    pub async fn complete(&self) -> Vec<TraceEntry> {
        loop {
            let stopped = self.tape.stopped.notified();
            if self.is_complete() {
                return self.entries();
            }
            stopped.await;
        }
    }

    /// True when nothing more will come.
    pub fn is_complete(&self) -> bool {
        self.tape.lock().stopped
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        erase(&*self.process.slot, &self.tape);
    }
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trace")
            .field("process", &self.process)
            .field("entries", &self.tape.lock().entries.len())
            .finish_non_exhaustive()
    }
}

/// One line for people: when, what, how long.
impl fmt::Display for TraceEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {} us: {}", self.at.as_micros(), self.kind)?;
        match self.source {
            TraceSource::Mailbox | TraceSource::Signal | TraceSource::Stop => {}
            TraceSource::Timer => f.write_str(" by a timer")?,
        }
        match self.took {
            Some(took) => write!(f, ", took {} us", took.as_micros()),
            None => f.write_str(", not done"),
        }
    }
}

/// Held by the process that is traced; when it lets go, no more will come.
pub(crate) struct Recorder(Arc<Tape>);

struct Tape {
    reel: Mutex<Reel>,
    stopped: Notify,
}

struct Reel {
    begun: Instant,
    entries: Vec<TraceEntry>,
    count: usize,
    /// The process is busy with the last entry.
    open: bool,
    stopped: bool,
}

impl Tape {
    fn lock(&self) -> MutexGuard<'_, Reel> {
        self.reel.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reel {
    /// True when there is room for another entry.
    fn has_room(&self) -> bool {
        self.entries.len() < self.count
    }

    fn close(&mut self, now: Instant) {
        if std::mem::replace(&mut self.open, false)
            && let Some(last) = self.entries.last_mut()
        {
            // A clock that a test pauses may have gone back.
            last.took = Some((now - self.begun).saturating_sub(last.at));
        }
    }
}

impl Recorder {
    /// Notes the end of an incarnation; true when the next one is to be traced as well.
    pub(crate) fn goes_on(&self) -> bool {
        let mut reel = self.0.lock();
        reel.open = false;
        reel.has_room()
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.0.lock().stopped = true;
        self.0.stopped.notify_waiters();
    }
}

/// Begins a trace; see [`ProcessRef::trace`].
pub(crate) fn begin(process: &ProcessRef, count: usize) -> Result<Trace, TraceError> {
    let reel = Reel {
        begun: Instant::now(),
        entries: Vec::new(),
        count: count.clamp(1, TRACE_MESSAGES_MAX),
        open: false,
        stopped: false,
    };
    let tape = Arc::new(Tape {
        reel: Mutex::new(reel),
        stopped: Notify::new(),
    });
    let core = process.slot.core();
    let mut control = core.lock();
    if control.pid != process.pid || !control.is_living() {
        return Err(TraceError::Ended);
    }
    let trace = &mut control.rare().trace;
    if trace.is_some() {
        return Err(TraceError::Busy);
    }
    *trace = Some(Recorder(Arc::clone(&tape)));
    core.raise(TRACE);
    drop(control);
    Ok(Trace {
        process: process.clone(),
        tape,
    })
}

/// The process is done with what it was handed last, and asks for more.
pub(crate) fn asked(slot: &dyn Slot) {
    let Some((tape, _)) = tape(slot) else { return };
    let full = {
        let mut reel = tape.lock();
        reel.close(Instant::now());
        !reel.has_room()
    };
    if full {
        erase(slot, &tape);
    }
}

/// Something is handed to the process.
pub(crate) fn handed(slot: &dyn Slot, source: TraceSource) {
    let Some((tape, incarnation)) = tape(slot) else {
        return;
    };
    let kind = match source {
        TraceSource::Mailbox | TraceSource::Timer => slot.last_kind().unwrap_or("?"),
        TraceSource::Signal => "signal",
        TraceSource::Stop => "stop",
    };
    let mut reel = tape.lock();
    if !reel.has_room() {
        return;
    }
    let at = Instant::now() - reel.begun;
    reel.entries.push(TraceEntry {
        kind,
        source,
        incarnation,
        at,
        took: None,
    });
    reel.open = true;
}

fn tape(slot: &dyn Slot) -> Option<(Arc<Tape>, u32)> {
    let control = slot.core().lock();
    let trace = control.seldom()?.trace.as_ref()?;
    Some((Arc::clone(&trace.0), control.incarnation))
}

/// Ends a trace, if it is the one that goes on.
fn erase(slot: &dyn Slot, tape: &Arc<Tape>) {
    let core = slot.core();
    let recorder = {
        let mut control = core.lock();
        let trace = control.seldom_mut().map(|rare| &mut rare.trace);
        let recorder = trace.and_then(|trace| trace.take_if(|it| Arc::ptr_eq(&it.0, tape)));
        if recorder.is_some() {
            core.lower(TRACE);
        }
        recorder
    };
    // Wakes the reader, so not under the lock.
    drop(recorder);
}
