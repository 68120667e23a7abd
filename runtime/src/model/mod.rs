//! `[process]` Models of the mailbox and the registries, run by loom with every order of steps
//! that the threads could take, as far as the bound on preemptions says.
//!
//! `cargo test -p belay-runtime --lib --features model model::` runs them. What they run is the
//! code itself, on loom's locks and atomics ([`sync`](crate::sync)); only the seat of the process
//! is played here. A wake-up that gets lost shows as a deadlock.

mod mailbox;
mod names;
mod signals;

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Waker};

use loom::future::block_on;

use crate::context::{Context, Incoming};
use crate::grace::Grace;
use crate::mailbox::{Address, Capacity, Cell, Mailbox};
use crate::pid::Pid;
use crate::policy::MailboxPolicy;
use crate::process_ref::ProcessRef;
use crate::slot::{Phase, Slot};

/// Runs a model; threads are interrupted this often where they could go on. Most faults need one
/// or two.
fn check(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}

/// A process that this thread plays the seat of.
struct Seat {
    mailbox: Mailbox<u32>,
    process: ProcessRef,
}

impl Seat {
    fn new(capacity: Capacity) -> Self {
        let mailbox = Mailbox::new(capacity);
        let cell = Arc::clone(mailbox.cell());
        let (pid, name) = (Pid::next(), Arc::from("model"));
        assert!(cell.core().occupy(pid, &name, Grace::BRUTAL, None));
        cell.core().lock().phase = Phase::Running;
        let slot: Arc<dyn Slot> = cell;
        let process = ProcessRef { slot, pid, name };
        Self { mailbox, process }
    }

    fn cell(&self) -> &Cell<u32> {
        self.mailbox.cell()
    }

    fn address(&self) -> Address<u32> {
        self.mailbox.address()
    }

    fn context(&self) -> Context<u32> {
        Context::new(Arc::clone(self.mailbox.cell()), MailboxPolicy::Keep)
    }

    /// As when the process awaits in its task.
    fn next_in_task(&self, ctx: &mut Context<u32>) -> Incoming<u32> {
        block_on(async {
            std::future::poll_fn(|cx| {
                self.cell().set_task(Some(cx.waker().clone()));
                Poll::Ready(())
            })
            .await;
            ctx.next().await
        })
    }

    /// As when it awaits within something that wakes by a waker of its own, so that waking the
    /// task is of no use.
    fn next_within(&self, ctx: &mut Context<u32>) -> Incoming<u32> {
        self.cell().set_task(Some(Waker::noop().clone()));
        block_on(ctx.next())
    }

    fn messages(&self, ctx: &mut Context<u32>, count: usize) -> Vec<u32> {
        let next = |_| match self.next_in_task(ctx) {
            Incoming::Message(message) => message,
            other @ (Incoming::Timer(_) | Incoming::Signal(_) | Incoming::Shutdown) => {
                unreachable!("{other:?} instead of a message")
            }
        };
        (0..count).map(next).collect()
    }
}

/// What the seat of a process does when it has ended for good.
fn end(process: &ProcessRef) {
    process.slot.close();
    let (extras, _starter, exit) = process.slot.core().end(Phase::Ended);
    if let Some(mut extras) = extras {
        std::mem::take(&mut extras.claims).release(&exit);
    }
}

/// Polls once, with a waker that does nothing, and drops the future.
fn poll_once<F: Future>(future: F) -> Poll<F::Output> {
    pin!(future).poll(&mut TaskContext::from_waker(Waker::noop()))
}
