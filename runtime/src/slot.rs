//! `[process]` The control block of a process: who it is, what it was told, and what it does now.
//!
//! It lives in the mailbox's allocation and is changed under a lock of its own; `urgent` tells
//! the process without that lock that there is something to look at.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::exit::{Crash, Exit};
use crate::grace::Grace;
use crate::kind;
use crate::limits::START_DEFAULT;
use crate::mailbox::Depth;
use crate::pid::Pid;
use crate::process_ref::{Ending, ProcessRef};
use crate::registry::Claims;
use crate::signal::{MonitorId, Signal};
use crate::small_map::SmallMap;
use crate::supervisor::Branch;
use crate::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use crate::sync::{Mutex, MutexGuard, PoisonError};
use crate::trace::Recorder;

/// The process was ended from outside: drop its future.
pub(crate) const FORCED: u8 = 1;
/// The process was asked to stop and does not know yet.
pub(crate) const STOP: u8 = 2;
/// There are signals in the lane.
pub(crate) const SIGNAL: u8 = 4;
/// The deadline of the stop is not running yet.
pub(crate) const DEADLINE: u8 = 8;
/// The incarnation's start was not acknowledged yet.
pub(crate) const STARTING: u8 = 16;
/// What the process is handed is recorded.
pub(crate) const TRACE: u8 = 32;

/// What a mailbox's allocation offers without knowing the type of the messages.
pub(crate) trait Slot: Send + Sync + 'static {
    fn core(&self) -> &Core;
    /// Wakes the process whatever it waits for.
    fn wake(&self);
    fn open(&self);
    fn close(&self);
    /// Drops what is queued.
    fn clear(&self);
    fn depth(&self) -> Depth;
    /// The kind of what was handed out last; the type of the messages when they have no kinds.
    fn last_kind(&self) -> Option<&'static str>;
}

/// Tells the starter of a process how its start went.
pub(crate) type Starter = oneshot::Sender<Result<(), Exit>>;

/// What a child does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// No process was started on this mailbox.
    Vacant,
    Starting,
    Running,
    Stopping,
    /// Between two incarnations.
    Waiting,
    /// Stopped by name, until it is started by name.
    Resting,
    Ended,
    /// Ended, because it failed too often.
    Abandoned,
}

/// What a supervisor tells a child that waits between two incarnations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Run,
    End,
}

/// What a stop is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The child ends for good.
    End,
    /// The child waits to be started again with others.
    Regroup,
    /// The child rests until it is started by name.
    Rest,
}

pub(crate) struct Core {
    urgent: AtomicU8,
    /// The kind of what was handed out last, when the mailbox has kinds; written by the process.
    kind: AtomicU8,
    /// Ticks that the code of the process ran; written by who polls it.
    busy: AtomicU64,
    control: Mutex<Control>,
}

pub(crate) struct Control {
    pub(crate) pid: Pid,
    pub(crate) name: Arc<str>,
    pub(crate) phase: Phase,
    pub(crate) incarnation: u32,
    pub(crate) started: Option<Instant>,
    pub(crate) last_exit: Option<Exit>,
    /// How the spec says that the child is stopped.
    pub(crate) grace: Grace,
    /// How the stop that was asked for is limited.
    pub(crate) shutdown: Option<(Grace, Purpose)>,
    pub(crate) starter: Option<Starter>,
    pub(crate) command: Option<Command>,
    pub(crate) extras: Option<Box<Extras>>,
}

/// What only some processes have.
///
/// Relations are to slots, not to references with names: a link, with both its ends, is 48 bytes.
#[derive(Default)]
pub(crate) struct Extras {
    pub(crate) links: SmallMap<Pid, Arc<dyn Slot>>,
    /// Whom this process watches.
    pub(crate) watching: SmallMap<MonitorId, Arc<dyn Slot>>,
    /// Who watches this process.
    pub(crate) watchers: SmallMap<MonitorId, Arc<dyn Slot>>,
    /// What it owns in registries and groups until the child ends for good.
    pub(crate) claims: Claims,
    /// Told when the child ends for good.
    pub(crate) ended: Option<Arc<Ending>>,
    pub(crate) rare: Option<Box<Rare>>,
}

/// What few processes have.
#[derive(Default)]
pub(crate) struct Rare {
    /// The exit that somebody else decided on; taken by the seat.
    pub(crate) forced: Option<Exit>,
    pub(crate) signals: VecDeque<Signal>,
    pub(crate) exit_signals: usize,
    pub(crate) trapping: bool,
    /// The last crash of the child, and when it was.
    pub(crate) last_crash: Option<(Arc<Crash>, Instant)>,
    /// Where what it is handed is recorded.
    pub(crate) trace: Option<Recorder>,
    /// Its children, when it is a supervisor.
    pub(crate) branch: Option<Weak<dyn Branch>>,
    /// Whom it left behind when it stopped, when it is a supervisor.
    pub(crate) left: Vec<ProcessRef>,
    /// When the next incarnation begins, while it waits for that.
    pub(crate) next_try: Option<Instant>,
    /// How long it may start, when that is not the default.
    pub(crate) start_within: Option<Duration>,
}

/// What the tree shows of a process.
#[derive(Clone)]
pub(crate) struct Status {
    pub(crate) pid: Pid,
    pub(crate) phase: Phase,
    pub(crate) restarts: u32,
    pub(crate) started: Option<Instant>,
    pub(crate) last_exit: Option<Exit>,
    pub(crate) last_crash: Option<(Arc<Crash>, Instant)>,
    pub(crate) branch: Option<Weak<dyn Branch>>,
    pub(crate) next_try: Option<Instant>,
}

impl Core {
    pub(crate) fn new() -> Self {
        Self {
            urgent: AtomicU8::new(0),
            kind: AtomicU8::new(kind::NONE),
            busy: AtomicU64::new(0),
            control: Mutex::new(Control {
                pid: Pid::NONE,
                name: Arc::default(),
                phase: Phase::Vacant,
                incarnation: 0,
                started: None,
                last_exit: None,
                grace: Grace::BRUTAL,
                shutdown: None,
                starter: None,
                command: None,
                extras: None,
            }),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Control> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn urgent(&self) -> u8 {
        self.urgent.load(Ordering::Acquire)
    }

    /// Set and cleared only under the control lock, so that a bit and what it stands for agree.
    pub(crate) fn raise(&self, bits: u8) {
        self.urgent.fetch_or(bits, Ordering::AcqRel);
    }

    pub(crate) fn lower(&self, bits: u8) {
        self.urgent.fetch_and(!bits, Ordering::AcqRel);
    }

    #[inline]
    pub(crate) fn note_kind(&self, kind: u8) {
        self.kind.store(kind, Ordering::Relaxed);
    }

    pub(crate) fn kind(&self) -> u8 {
        self.kind.load(Ordering::Relaxed)
    }

    /// The child has ended for good: what it leaves, and how it ended.
    pub(crate) fn end(&self, phase: Phase) -> (Option<Box<Extras>>, Option<Starter>, Exit) {
        let mut control = self.lock();
        control.phase = phase;
        let exit = control.last_exit.get_or_insert(Exit::Killed).clone();
        let mut extras = control.extras.take();
        let rare = extras.as_mut().and_then(|extras| extras.rare.as_mut());
        if let Some(crash) = rare.and_then(|rare| rare.last_crash.take()) {
            // The tree still shows it.
            control.rare().last_crash = Some(crash);
        }
        (extras, control.starter.take(), exit)
    }

    /// A process is polled by one thread at a time: no other adds meanwhile.
    #[inline]
    pub(crate) fn add_busy(&self, ticks: u64) {
        let busy = self.busy.load(Ordering::Relaxed);
        self.busy.store(busy.wrapping_add(ticks), Ordering::Relaxed);
    }

    /// [Ticks](crate::ticks) that the code of the process ran, over all incarnations.
    pub(crate) fn busy(&self) -> u64 {
        self.busy.load(Ordering::Relaxed)
    }

    pub(crate) fn status(&self) -> Status {
        let control = self.lock();
        let rare = control.seldom();
        Status {
            pid: control.pid,
            phase: control.phase,
            restarts: control.incarnation,
            started: control.started,
            last_exit: control.last_exit.clone(),
            last_crash: rare.and_then(|rare| rare.last_crash.clone()),
            branch: rare.and_then(|rare| rare.branch.clone()),
            next_try: rare.and_then(|rare| rare.next_try),
        }
    }

    /// Makes the slot that of a new child; false when another child is on it.
    pub(crate) fn occupy(
        &self,
        pid: Pid,
        name: &Arc<str>,
        grace: Grace,
        starter: Option<Starter>,
    ) -> bool {
        let mut control = self.lock();
        match control.phase {
            Phase::Vacant | Phase::Ended | Phase::Abandoned => {}
            Phase::Starting
            | Phase::Running
            | Phase::Stopping
            | Phase::Waiting
            | Phase::Resting => return false,
        }
        self.lower(u8::MAX);
        self.busy.store(0, Ordering::Relaxed);
        *control = Control {
            pid,
            name: Arc::clone(name),
            phase: Phase::Starting,
            incarnation: 0,
            started: None,
            last_exit: None,
            grace,
            shutdown: None,
            starter,
            command: None,
            extras: None,
        };
        true
    }

    /// Tells the starter that the start succeeded.
    pub(crate) fn acknowledge(&self) {
        let starter = {
            let mut control = self.lock();
            self.lower(STARTING);
            if control.phase == Phase::Starting {
                control.phase = Phase::Running;
            }
            control.starter.take()
        };
        if let Some(starter) = starter {
            // Whoever started it may have stopped waiting; the process runs all the same.
            drop(starter.send(Ok(())));
        }
    }
}

impl Extras {
    pub(crate) fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// What [`rare`](Self::rare) has, for a process that traps exits.
    pub(crate) fn trapped(&mut self) -> Option<&mut Rare> {
        self.rare.as_deref_mut().filter(|rare| rare.trapping)
    }

    /// Takes a notice of this monitor out of the lane.
    pub(crate) fn forget_down(&mut self, id: MonitorId) {
        if let Some(rare) = &mut self.rare {
            rare.signals.retain(|signal| match signal {
                Signal::Down { monitor, .. } => *monitor != id,
                Signal::Exit { .. } => true,
            });
        }
    }

    /// Takes what belongs to the incarnation and not to the child.
    pub(crate) fn take_relations(&mut self) -> Self {
        let mut relations = std::mem::take(self);
        self.ended = relations.ended.take();
        self.claims = std::mem::take(&mut relations.claims);
        if let Some(mut rare) = relations.rare.take() {
            let over = rare.trace.take_if(|trace| !trace.goes_on());
            *rare = Rare {
                last_crash: rare.last_crash.take(),
                trace: rare.trace.take(),
                left: std::mem::take(&mut rare.left),
                start_within: rare.start_within,
                ..Rare::default()
            };
            self.rare = Some(rare);
            if over.is_some() {
                relations.rare().trace = over;
            }
        }
        relations
    }
}

impl Control {
    /// The exit that was decided on outside.
    pub(crate) fn forced(&self) -> Option<Exit> {
        if let Some((Grace::BRUTAL, _)) = self.shutdown {
            return Some(Exit::Killed);
        }
        self.seldom()?.forced.clone()
    }

    /// How long the child may start.
    pub(crate) fn start_within(&self) -> Duration {
        let limit = self.seldom().and_then(|rare| rare.start_within);
        limit.unwrap_or(START_DEFAULT)
    }

    pub(crate) fn extras(&mut self) -> &mut Extras {
        self.extras.get_or_insert_default()
    }

    pub(crate) fn rare(&mut self) -> &mut Rare {
        self.extras().rare()
    }

    /// What [`rare`](Self::rare) has, if that is there.
    pub(crate) fn seldom(&self) -> Option<&Rare> {
        self.extras.as_ref()?.rare.as_deref()
    }

    pub(crate) fn seldom_mut(&mut self) -> Option<&mut Rare> {
        self.extras.as_mut()?.rare.as_deref_mut()
    }

    /// True while there is an incarnation that can receive signals.
    pub(crate) fn is_active(&self) -> bool {
        match self.phase {
            Phase::Starting | Phase::Running | Phase::Stopping => true,
            Phase::Vacant | Phase::Waiting | Phase::Resting | Phase::Ended | Phase::Abandoned => {
                false
            }
        }
    }

    /// True until the child has ended for good.
    pub(crate) fn is_living(&self) -> bool {
        self.is_active() || matches!(self.phase, Phase::Waiting | Phase::Resting)
    }
}
