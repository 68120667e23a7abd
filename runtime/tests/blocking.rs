//! Goal: a process whose code blocks is supervised as any other is, and says what cannot be had of
//! it. Method: bodies that block until the test lets them go, and journal what befalls them.

#![expect(clippy::unwrap_used, reason = "a test fails by it")]

#[cfg(test)]
#[expect(dead_code, reason = "uses a part of it")]
mod common;

use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use belay_runtime::*;
use common::*;
use tokio::sync::oneshot;
use tokio::time::{Instant, advance};

const SECOND: Duration = Duration::from_secs(1);

type Do = Box<dyn FnOnce(&mut BlockingContext<Deed>) -> Result<(), Exit> + Send>;

/// What a body is told to do.
struct Deed(Do);

fn deed(f: impl FnOnce(&mut BlockingContext<Deed>) -> Result<(), Exit> + Send + 'static) -> Deed {
    Deed(Box::new(f))
}

/// Journals its life and does what it is sent, until it is asked to stop.
fn doer(journal: &Journal) -> (ChildSpec, Address<Deed>) {
    let (mailbox, journal) = (Mailbox::new(Capacity::new(16)), journal.clone());
    let body = move |mut ctx: BlockingContext<Deed>| {
        journal.write(format!("incarnation {}", ctx.incarnation()));
        loop {
            match ctx.recv() {
                Ok(Incoming::Message(Deed(act)) | Incoming::Timer(Deed(act))) => act(&mut ctx)?,
                Ok(Incoming::Signal(Signal::Exit { exit, .. } | Signal::Down { exit, .. })) => {
                    journal.write(format!("signal {}", short(&exit)));
                }
                Ok(Incoming::Shutdown) => {
                    journal.write("shutdown");
                    return Ok(());
                }
                Err(exit) => {
                    journal.write(format!("ends {}", short(&exit)));
                    return Err(exit);
                }
            }
        }
    };
    let address = mailbox.address();
    (ChildSpec::blocking("doer", &mailbox, body), address)
}

/// Awaits `future` while the paused clock does not turn because only other threads do something.
async fn awake<R>(future: impl Future<Output = R>) -> R {
    tokio::select! {
        result = future => result,
        () = until("it comes to an end", || false) => unreachable!(),
    }
}

async fn node_of(spec: ChildSpec) -> Node {
    awake(Node::start(Supervisor::builder("node").child(spec)))
        .await
        .unwrap()
}

fn tell(to: &Address<Deed>, deed: Deed) {
    to.try_send(deed).unwrap();
}

/// Asks for something from within the body.
async fn ask<R: Send + 'static>(
    of: &Address<Deed>,
    look: impl FnOnce(&mut BlockingContext<Deed>) -> R + Send + 'static,
) -> R {
    let (answer, asked) = oneshot::channel();
    tell(
        of,
        deed(move |ctx| {
            drop(answer.send(look(ctx)));
            Ok(())
        }),
    );
    asked.await.unwrap()
}

/// Holds a body up, without the runtime seeing anything of it.
fn hold(to: &Address<Deed>) -> (SyncSender<()>, oneshot::Receiver<()>) {
    let (go, wait) = mpsc::sync_channel::<()>(1);
    let (begun, begins) = oneshot::channel();
    tell(
        to,
        deed(move |_| {
            begun.send(()).unwrap();
            wait.recv().unwrap_or_default();
            Ok(())
        }),
    );
    (go, begins)
}

#[tokio::test(start_paused = true)]
async fn runs_on_a_thread_of_its_own_and_stops_when_asked() {
    let journal = Journal::default();
    let (spec, address) = doer(&journal);
    let node = node_of(spec).await;
    let thread = ask(&address, |_| {
        let thread = std::thread::current();
        (thread.id(), thread.name().map(str::to_owned))
    })
    .await;
    assert_ne!(thread.0, std::thread::current().id());
    assert_eq!(thread.1.as_deref(), Some("doer"));
    assert_eq!(ask(&address, |ctx| ctx.name().to_string()).await, "doer");
    assert!(!ask(&address, |ctx| ctx.is_stopping()).await);
    let view = find(&node.tree(), "doer");
    assert_eq!((view.state, view.handled), (State::Running, 3));
    awake(stop(node)).await;
    assert_eq!(journal.entries(), ["incarnation 0", "shutdown"]);
    assert!(address.is_closed());
}

#[tokio::test(start_paused = true)]
async fn restarts_with_its_mailbox_after_a_panic_an_error_and_a_kill() {
    let journal = Journal::default();
    let (spec, address) = doer(&journal);
    let builder = Supervisor::builder("node").intensity(Intensity::new(10, SECOND));
    let node = awake(Node::start(builder.child(spec))).await.unwrap();
    let (go, begins) = hold(&address);
    begins.await.unwrap();
    tell(&address, deed(|_| panic!("poison")));
    tell(&address, deed(|_| Err(Exit::error("no device"))));
    tell(
        &address,
        deed(|ctx| {
            ctx.process().kill();
            Ok(())
        }),
    );
    go.send(()).unwrap();
    let last = ask(&address, |ctx| ctx.last_exit().map(|exit| short(&exit))).await;
    assert_eq!(last.as_deref(), Some("killed"));
    let expected = [
        "incarnation 0",
        "incarnation 1",
        "incarnation 2",
        "ends killed",
        "incarnation 3",
    ];
    assert_eq!(journal.entries(), expected);
    awake(stop(node)).await;
}

#[tokio::test(start_paused = true)]
async fn a_kill_and_the_exit_of_a_link_end_a_wait_at_once() {
    let journal = Journal::default();
    let (spec, address) = doer(&journal);
    let (other, orders) = obedient("other", &Journal::default());
    let other = other.restart(Restart::Temporary);
    let builder = Supervisor::builder("node").intensity(Intensity::new(10, SECOND));
    let node = awake(Node::start(builder.child(spec).child(other)));
    let node = node.await.unwrap();
    let process = ask(&address, |ctx| ctx.process()).await;
    process.kill();
    until("it restarts", || journal.entries().len() == 3).await;
    order(&orders, Order::Link(process));
    settled(&orders).await;
    order(&orders, Order::Panic("with a link"));
    until("it restarts", || journal.entries().len() == 5).await;
    let expected = [
        "incarnation 0",
        "ends killed",
        "incarnation 1",
        "ends panic: with a link",
        "incarnation 2",
    ];
    assert_eq!(journal.entries(), expected);
    awake(stop(node)).await;
}

#[tokio::test(start_paused = true)]
async fn waits_with_a_limit_not_at_all_and_for_futures() {
    let journal = Journal::default();
    let (spec, address) = doer(&journal);
    let node = node_of(spec).await;
    let nothing = ask(&address, |ctx| {
        assert!(ctx.try_recv().unwrap().is_none());
        let begin = ctx.now();
        assert!(ctx.recv_timeout(SECOND).unwrap().is_none());
        ctx.now() - begin
    });
    assert!(nothing.await >= SECOND);

    let (go, begins) = hold(&address);
    begins.await.unwrap();
    let (gave, given) = oneshot::channel::<u32>();
    let sum = ask(&address, move |ctx| {
        let first = ctx.recv_timeout(LONG).unwrap();
        assert!(matches!(first, Some(Incoming::Message(_))));
        assert!(matches!(ctx.try_recv(), Ok(Some(Incoming::Message(_)))));
        assert!(matches!(ctx.try_recv(), Ok(None)));
        // Tokio's own ways to block a thread work here too.
        let (here, there) = oneshot::channel();
        here.send(2).unwrap();
        ctx.wait(given).unwrap().unwrap() + there.blocking_recv().unwrap()
    });
    let give = async {
        tell(&address, deed(|_| Ok(())));
        tell(&address, deed(|_| Ok(())));
        go.send(()).unwrap();
        gave.send(40).unwrap();
    };
    assert_eq!(tokio::join!(sum, give).0, 42);

    let (noted, notes) = oneshot::channel();
    ask(&address, move |ctx| {
        let act = deed(move |ctx| {
            noted.send(ctx.now()).unwrap();
            Ok(())
        });
        ctx.send_after(SECOND, act);
    })
    .await;
    let begin = Instant::now();
    assert!(
        notes.await.unwrap() - begin <= SECOND,
        "the clock is the tree's"
    );
    assert!(begin.elapsed() >= SECOND / 2);
    awake(stop(node)).await;
}

/// Blocks until let go, for each incarnation, before it waits for anything.
fn stubborn(gates: &Arc<Mutex<Receiver<()>>>, mailbox: &Mailbox<()>) -> ChildSpec {
    let gates = Arc::clone(gates);
    let body = move |ctx: BlockingContext<()>| {
        ctx.ready();
        gates.lock().unwrap().recv().unwrap_or_default();
        Ok(())
    };
    ChildSpec::blocking("stubborn", mailbox, body).shutdown(Shutdown::Timeout(SECOND))
}

#[tokio::test(start_paused = true)]
async fn one_that_does_not_come_back_is_left_behind() {
    let (go, gate) = mpsc::sync_channel::<()>(1);
    let (gate, mailbox) = (Arc::new(Mutex::new(gate)), Mailbox::new(Capacity::new(1)));
    let children = DynamicSupervisor::new("children", DynamicOptions::default());
    let node = node_of(children.spec()).await;
    let process = awake(children.start_child(stubborn(&gate, &mailbox))).await;
    let process = process.unwrap();
    let begin = Instant::now();
    let stopped = children.stop_child(process.pid()).await;
    assert_eq!(stopped, Err(StopError::LeftBehind));
    assert!(begin.elapsed() >= SECOND + limits::KILL_GRACE);
    assert!(process.is_alive());
    let again = awake(children.start_child(stubborn(&gate, &mailbox))).await;
    assert!(matches!(again, Err(StartError::MailboxInUse)));
    go.send(()).unwrap();
    until("it has ended", || !process.is_alive()).await;
    let again = awake(children.start_child(stubborn(&gate, &mailbox))).await;
    drop(go);
    until("it has ended", || children.count() <= 1).await;
    drop(again.unwrap());
    awake(stop(node)).await;
}

#[tokio::test(start_paused = true)]
async fn one_that_goes_on_waiting_after_a_stop_is_ended_at_its_deadline() {
    let (journal, mailbox) = (Journal::default(), Mailbox::<()>::new(Capacity::new(1)));
    let note = journal.clone();
    let body = move |mut ctx: BlockingContext<()>| {
        loop {
            match ctx.recv() {
                Ok(Incoming::Shutdown) => note.write(format!("stopping {}", ctx.is_stopping())),
                Ok(_) => {}
                Err(exit) => {
                    note.write(short(&exit));
                    return Err(exit);
                }
            }
        }
    };
    let spec = ChildSpec::blocking("deaf", &mailbox, body);
    let node = node_of(spec.shutdown(Shutdown::Timeout(SECOND))).await;
    let turn_the_clock = async {
        let asked = || !journal.entries().is_empty();
        until("it is asked to stop", asked).await;
        advance(SECOND).await;
        until("it is ended", || journal.entries().len() == 2).await;
    };
    let begin = Instant::now();
    tokio::join!(awake(stop(node)), turn_the_clock);
    assert_eq!(begin.elapsed(), SECOND);
    assert_eq!(journal.entries(), ["stopping true", "killed"]);
}

#[tokio::test(start_paused = true)]
async fn a_start_is_acknowledged_by_the_first_wait_or_fails_before() {
    let mailbox = Mailbox::<()>::new(Capacity::new(1));
    let fails = |_| Err(Exit::error("no device"));
    let spec = ChildSpec::blocking("fails", &mailbox, fails);
    let failed = awake(Node::start(Supervisor::builder("node").child(spec))).await;
    assert!(failed.unwrap_err().to_string().contains("no device"));

    let (go, gate) = mpsc::sync_channel::<()>(1);
    let gate = Arc::new(Mutex::new(gate));
    let slow = move |mut ctx: BlockingContext<()>| {
        gate.lock().unwrap().recv().unwrap_or_default();
        drop(ctx.recv()?);
        Ok(())
    };
    let spec = ChildSpec::blocking("slow", &mailbox, slow);
    let mut starting = Box::pin(node_of(spec));
    let poll = std::future::poll_fn(|cx| std::task::Poll::Ready(starting.as_mut().poll(cx)));
    assert!(poll.await.is_pending());
    go.send(()).unwrap();
    awake(async { stop(starting.await).await }).await;
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_tree_ends_a_wait() {
    let journal = Journal::default();
    let (spec, address) = doer(&journal);
    let node = node_of(spec).await;
    let process = ask(&address, |ctx| ctx.process()).await;
    drop(node);
    until("it is ended", || !process.is_alive()).await;
    assert_eq!(journal.entries(), ["incarnation 0", "ends killed"]);
    advance(SECOND).await;
}
