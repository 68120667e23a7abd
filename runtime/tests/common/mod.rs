//! What the tests share: a process that does as it is told and writes down what befalls it.

use std::time::Duration;

use belay_runtime::*;

/// Long enough for anything; a test that runs into it has failed.
pub(crate) const LONG: Duration = Duration::from_secs(30);

pub(crate) type Journal = test_kit::Journal;

pub(crate) enum Order {
    /// Writes its number into the journal.
    Note(u32),
    /// Answers with the incarnation.
    Incarnation(Reply<u32>),
    Panic(&'static str),
    Fail(&'static str),
    Stop,
    KillYourself,
    /// Waits until told.
    Wait(tokio::sync::oneshot::Receiver<()>),
    Link(ProcessRef),
    Unlink(ProcessRef),
    Monitor(ProcessRef),
    /// Monitors, and stops that at once.
    MonitorBriefly(ProcessRef),
    Trap,
    After(Duration, u32),
}

/// Journals its life under its name.
pub(crate) struct Obedient {
    pub(crate) journal: Journal,
    /// Whether `init` succeeds, for each incarnation.
    pub(crate) starts: fn(u32) -> bool,
}

impl Process for Obedient {
    type Message = Order;

    async fn init(&mut self, ctx: &mut Context<Order>) -> Result<(), Exit> {
        if !(self.starts)(ctx.incarnation()) {
            self.journal.write(format!("{} fails to start", ctx.name()));
            return Err(Exit::error("told not to start"));
        }
        self.journal.write(format!("{} starts", ctx.name()));
        Ok(())
    }

    async fn handle(&mut self, ctx: &mut Context<Order>, order: Order) -> Result<Flow, Exit> {
        match order {
            Order::Note(number) => self.journal.write(format!("{} notes {number}", ctx.name())),
            Order::Incarnation(reply) => drop(reply.send(ctx.incarnation())),
            Order::Panic(text) => panic!("{text}"),
            Order::Fail(text) => return Err(Exit::error(text)),
            Order::Stop => return Ok(Flow::Stop),
            Order::KillYourself => {
                ctx.process().kill();
                tokio::task::yield_now().await;
            }
            Order::Wait(told) => drop(told.await),
            Order::Link(other) => ctx.link(&other),
            Order::Unlink(other) => ctx.unlink(&other),
            Order::Monitor(other) => drop(ctx.monitor(&other)),
            Order::MonitorBriefly(other) => {
                let monitor = ctx.monitor(&other);
                ctx.demonitor(monitor);
            }
            Order::Trap => ctx.trap_exits(true),
            Order::After(delay, number) => drop(ctx.send_after(delay, Order::Note(number))),
        }
        Ok(Flow::Continue)
    }

    async fn signal(&mut self, ctx: &mut Context<Order>, signal: Signal) -> Result<Flow, Exit> {
        let entry = match signal {
            Signal::Down { exit, .. } => format!("{} sees down: {}", ctx.name(), short(&exit)),
            Signal::Exit { from, exit } => {
                let by = if from.is_some() { "link" } else { "outside" };
                format!("{} gets exit by {by}: {}", ctx.name(), short(&exit))
            }
        };
        self.journal.write(entry);
        Ok(Flow::Continue)
    }

    async fn stop(&mut self, ctx: &mut Context<Order>, exit: &Exit) {
        self.journal
            .write(format!("{} stops: {}", ctx.name(), short(exit)));
    }
}

/// An exit without the place of a panic, which moves with every edit.
pub(crate) fn short(exit: &Exit) -> String {
    match exit {
        Exit::Crash(crash) => format!("{}: {}", crash.kind, crash.text),
        Exit::Normal | Exit::Shutdown | Exit::Killed => exit.to_string(),
    }
}

/// A child that obeys, and where to send its orders.
pub(crate) fn obedient(name: &str, journal: &Journal) -> (ChildSpec, Address<Order>) {
    obedient_if(name, journal, |_| true)
}

pub(crate) fn obedient_if(
    name: &str,
    journal: &Journal,
    starts: fn(u32) -> bool,
) -> (ChildSpec, Address<Order>) {
    let mailbox = Mailbox::new(Capacity {
        messages: 64,
        reserved: 4,
    });
    let journal = journal.clone();
    let spec = ChildSpec::process(name, &mailbox, move || Obedient {
        journal: journal.clone(),
        starts,
    });
    (spec, mailbox.address())
}

/// Sends an order that there must be room for.
pub(crate) fn order(to: &Address<Order>, order: Order) {
    to.try_send(order).expect("there is room");
}

/// Waits until all orders before this one were carried out; returns the incarnation.
pub(crate) async fn settled(of: &Address<Order>) -> u32 {
    of.call(LONG, Order::Incarnation).await.expect("it answers")
}

/// Waits until a condition holds, letting others run between two looks at it.
///
/// Counts looks instead of time, because a paused clock stands still meanwhile.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..5_000_000 {
        if holds() {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("never: {what}");
}

/// The child of this name, at any depth.
pub(crate) fn find(tree: &TreeNode, name: &str) -> TreeNode {
    test_kit::find(tree, name)
}

pub(crate) async fn stop(node: Node) {
    let report = node.stop(LONG).await;
    assert_eq!(report, StopReport::default());
}
