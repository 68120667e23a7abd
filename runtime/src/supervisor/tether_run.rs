//! `[process]` The process of a tether: it carries out what its machine decides.

use std::convert::Infallible;
use std::future::pending;
use std::sync::{Arc, Weak};

use tokio::select;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};

use super::branch::Branch;
use super::error::StartError;
use super::regroup::command_run;
use super::stop::{Custody, stop_one};
use super::tether::Shared;
use super::tether_event::{Effect, End, Event, Rules};
use super::tether_face::{Face, TetherState};
use super::tether_orders::Orders;
use super::tether_state::Machine;
use crate::chance;
use crate::context::{Context, Incoming};
use crate::exit::Exit;
use crate::grace::Grace;
use crate::guard;
use crate::policy::Restart;
use crate::process_ref::ProcessRef;
use crate::report;
use crate::roster;
use crate::slot::{Phase, Purpose};

/// One incarnation of a tether.
pub(super) async fn run(shared: Arc<Shared>, mut ctx: Context<Infallible>) -> Result<(), Exit> {
    show(&ctx, &shared);
    // A child that links itself to its tether does not take it along.
    ctx.trap_exits(true);
    if !shared.family.open() {
        return Err(Exit::error("tether runs elsewhere already"));
    }
    let custody = Custody(Arc::clone(&shared.family));
    let ending = Ending(Arc::clone(&shared));
    ctx.ready();
    let mut tether = Running::new(&shared);
    loop {
        let event = select! {
            biased;
            incoming = ctx.next() => match incoming {
                Incoming::Shutdown => break,
                Incoming::Signal(_) => continue,
                Incoming::Message(never) | Incoming::Timer(never) => match never {},
            },
            () = shared.ordered.notified() => None,
            event = heard(&shared, &mut tether.hold) => Some(event),
            () = until(tether.machine.wake_at().map(Instant::from_std)) => Some(Event::Time),
        };
        // What was said before the child's end counts before it.
        tether.read_desk();
        if let Some(event) = event {
            tether.take(event);
        }
    }
    shared.family.close();
    if let Some(child) = tether.hold.child() {
        stop_one(&child.process, child.grace).await;
    }
    shared.family.hand_on(&ctx.process());
    drop((custody, ending));
    Err(Exit::Shutdown)
}

/// Says that the tether does not run, however it ended.
struct Ending(Arc<Shared>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.face.send_replace(Face::slack("tether does not run"));
    }
}

/// Makes the child visible in the tree.
fn show(ctx: &Context<Infallible>, shared: &Arc<Shared>) {
    let shared: Weak<Shared> = Arc::downgrade(shared);
    let branch: Weak<dyn Branch> = shared;
    roster::enrol(Weak::clone(&branch));
    ctx.process().slot.core().lock().rare().branch = Some(branch);
}

struct Running {
    shared: Arc<Shared>,
    machine: Machine,
    hold: Hold,
    /// Attachments so far.
    number: u64,
}

/// The child, and what is waited for.
enum Hold {
    Nothing,
    Starting(Child, oneshot::Receiver<Result<(), Exit>>),
    Running(Child),
    /// To be given up at the instant.
    Stopping(Child, Option<Instant>),
}

#[derive(Clone)]
struct Child {
    process: ProcessRef,
    grace: Grace,
    restart: Restart,
}

impl Hold {
    fn child(&self) -> Option<&Child> {
        match self {
            Self::Nothing => None,
            Self::Starting(child, _) | Self::Running(child) | Self::Stopping(child, _) => {
                Some(child)
            }
        }
    }
}

impl Running {
    fn new(shared: &Arc<Shared>) -> Self {
        let options = &shared.options;
        let rules = Rules {
            intensity: options.intensity,
            backoff: options.backoff,
            proven_after: options.proven_after,
            start_within: options.start_within,
        };
        let off = {
            let mut desk = shared.desk();
            let orders = std::mem::take(&mut desk.orders);
            desk.off = orders.leave_off(desk.off);
            desk.proven = None;
            desk.off
        };
        let machine = Machine::new(rules, off, now());
        shared.face.send_replace(machine.face());
        Self {
            shared: Arc::clone(shared),
            machine,
            hold: Hold::Nothing,
            number: 0,
        }
    }

    fn read_desk(&mut self) {
        let (orders, proven) = {
            let mut desk = self.shared.desk();
            let orders = std::mem::take(&mut desk.orders);
            desk.off = orders.leave_off(desk.off);
            (orders, desk.proven.take())
        };
        if proven.is_some_and(|number| number + 1 == self.number) {
            self.take(Event::Proven);
        }
        if orders != Orders::default() {
            self.take(Event::Orders(orders));
        }
    }

    /// Takes one event, and those that come of carrying it out at once.
    fn take(&mut self, event: Event) {
        match &event {
            Event::Started => self.hold_running(),
            Event::Gone => self.hold = Hold::Nothing,
            Event::StartFailed(end) | Event::Exited(end) if end.gone => self.hold = Hold::Nothing,
            Event::Orders(_)
            | Event::Proven
            | Event::StartFailed(_)
            | Event::Exited(_)
            | Event::Time => {}
        }
        let mut next = Some(event);
        while let Some(event) = next.take() {
            if let Some(effect) = self.machine.step(event, now(), chance::unit()) {
                next = self.carry_out(effect);
            }
        }
        self.publish();
    }

    fn carry_out(&mut self, effect: Effect) -> Option<Event> {
        match effect {
            Effect::Make => self.make().err().map(|exit| {
                self.hold = Hold::Nothing;
                Event::StartFailed(self.end(exit, true))
            }),
            Effect::Again => {
                if let Some(child) = self.hold.child() {
                    self.hold = Hold::Starting(child.clone(), run_again(&child.process));
                }
                None
            }
            Effect::Stop => self.stop(None),
            Effect::Kill => self.stop(Some(Grace::BRUTAL)),
        }
    }

    fn make(&mut self) -> Result<(), Exit> {
        let number = self.number;
        self.number += 1;
        let (starter, started) = oneshot::channel();
        let shared = &self.shared;
        // What is dropped when the start is refused is the child's as well, and may panic.
        let attempt = guard::call(|| {
            let mut spec = shared.make(number);
            spec.terms.significant = false;
            let (grace, restart) = (Grace::of(spec.shutdown), spec.terms.restart);
            let process = shared.family.start(spec, Some(starter))?;
            Ok::<_, StartError>(Child {
                process,
                grace,
                restart,
            })
        });
        let child = match attempt {
            Ok(Ok(child)) => child,
            Ok(Err(error)) => return Err(Exit::error(error.to_string())),
            Err(caught) => return Err(Exit::Crash(Arc::new(caught.crash))),
        };
        self.hold = Hold::Starting(child, started);
        Ok(())
    }

    fn stop(&mut self, instead: Option<Grace>) -> Option<Event> {
        let Some(mut child) = self.hold.child().cloned() else {
            return Some(Event::Gone);
        };
        child.grace = instead.unwrap_or(child.grace);
        child.process.request_stop(child.grace, Purpose::End);
        let give_up = child
            .grace
            .patience()
            .and_then(|limit| Instant::now().checked_add(limit));
        self.hold = Hold::Stopping(child, give_up);
        None
    }

    fn hold_running(&mut self) {
        if let Hold::Starting(child, _) = &self.hold {
            self.hold = Hold::Running(child.clone());
        }
    }

    fn end(&self, exit: Exit, gone: bool) -> End {
        end(&self.shared, exit, gone, false)
    }

    fn publish(&self) {
        let face = self.machine.face();
        let before = self.shared.face.borrow().state;
        let changed = self.shared.face.send_if_modified(|shown| {
            let changed = *shown != face;
            if changed {
                shown.clone_from(&face);
            }
            changed
        });
        if changed && (before != face.state || face.next.is_some()) {
            log_change(&self.shared.family.name, &face);
        }
    }
}

/// What befalls the child next.
async fn heard(shared: &Shared, hold: &mut Hold) -> Event {
    match hold {
        Hold::Nothing => pending().await,
        // Nothing is awaited after the answer: it comes only once.
        Hold::Starting(child, started) => match started.await {
            Ok(Ok(())) => Event::Started,
            Ok(Err(exit)) => {
                let gone = !child.process.is_alive();
                Event::StartFailed(end(shared, exit, gone, false))
            }
            // Its task went without an answer.
            Err(_dropped) => {
                let gone = !child.process.is_alive();
                Event::StartFailed(end(shared, last_exit(&child.process), gone, false))
            }
        },
        Hold::Running(child) => {
            let gone = resting(shared, child).await;
            let exit = last_exit(&child.process);
            let finished = child.restart == Restart::Transient && !exit.is_abnormal();
            Event::Exited(end(shared, exit, gone, finished))
        }
        Hold::Stopping(child, give_up) => {
            select! {
                biased;
                _exit = child.process.ended() => {}
                () = until(*give_up) => report::left_behind(&child.process),
            }
            Event::Gone
        }
    }
}

/// Waits until the child waits for the tether (false), or has ended for good (true).
async fn resting(shared: &Shared, child: &Child) -> bool {
    loop {
        select! {
            biased;
            _exit = child.process.ended() => return true,
            () = shared.family.changed.notified() => {
                // The tether decides by itself; the family need not remember.
                shared.family.state().failed.clear();
                let waits = child.process.phase() == Phase::Waiting;
                if waits && child.restart != Restart::Temporary {
                    return false;
                }
            }
        }
    }
}

/// Lets the waiting child run again. Without a start the starter is dropped, which says so.
fn run_again(process: &ProcessRef) -> oneshot::Receiver<Result<(), Exit>> {
    let (starter, started) = oneshot::channel();
    // The tether keeps the time of the start itself.
    let _after = command_run(process, Phase::Waiting, starter);
    started
}

fn end(shared: &Shared, exit: Exit, gone: bool, finished: bool) -> End {
    End {
        not_before: shared.options.ask(&exit),
        exit,
        gone,
        finished,
    }
}

fn last_exit(process: &ProcessRef) -> Exit {
    let control = process.slot.core().lock();
    let exit = (control.pid == process.pid).then(|| control.last_exit.clone());
    exit.flatten().unwrap_or(Exit::Killed)
}

fn log_change(name: &str, face: &Face) {
    let wait = face.next.map(|at| at.saturating_duration_since(now()));
    match face.state {
        TetherState::Cut => tracing::warn!(
            target: "belay_runtime",
            name,
            reason = face.reason.as_deref(),
            attempts = face.attempts,
            next_try_ms = wait.map(|wait| wait.as_millis()),
            "tether cut"
        ),
        TetherState::Taut => tracing::info!(target: "belay_runtime", name, "tether taut"),
        TetherState::Slack => {
            let reason = face.reason.as_deref();
            tracing::info!(target: "belay_runtime", name, reason, "tether slack");
        }
    }
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => pending().await,
    }
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}
