//! Goal: whatever a process does wrong ends in a typed error or an exit within its deadline, gives
//! values back, takes no neighbour along, and never hangs. Method: processes that do one thing
//! wrong each, beside one that must not notice; the clock is paused, so a hang is a failed wait.
//! `start.rs` has the table of all specs that contradict themselves, and more on starts.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test fails by it")]

use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use belay_runtime::test_kit::{self, Journal, Probe};
use belay_runtime::*;
use tokio::sync::watch;
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);
const MS: Duration = Duration::from_millis(1);

/// How a process goes wrong when it is stopped.
#[derive(Clone, Copy, Debug)]
enum Fault {
    None,
    NeverStops,
    PanicsWhileStopping,
    PanicsInDrop,
}

/// Writes down what happens to it, and then goes wrong.
struct Faulty(Fault, Journal);

impl Process for Faulty {
    type Message = Reply<()>;

    async fn handle(&mut self, _: &mut Context<Reply<()>>, ask: Reply<()>) -> Result<Flow, Exit> {
        ask.send(()).ok();
        Ok(Flow::Continue)
    }

    async fn stop(&mut self, ctx: &mut Context<Reply<()>>, _: &Exit) {
        self.1.write(format!("{} stops", ctx.name()));
        match self.0 {
            Fault::None | Fault::PanicsInDrop => {}
            Fault::NeverStops => pending().await,
            Fault::PanicsWhileStopping => panic!("while stopping"),
        }
    }
}

impl Drop for Faulty {
    fn drop(&mut self) {
        if let Fault::PanicsInDrop = self.0 {
            // A panic during a panic ends the program; that limit is documented.
            assert!(std::thread::panicking(), "in drop");
        }
    }
}

fn faulty(name: &str, fault: Fault, journal: &Journal) -> (ChildSpec, Address<Reply<()>>) {
    let (mailbox, journal) = (Mailbox::new(Capacity::new(8)), journal.clone());
    let make = move || Faulty(fault, journal.clone());
    let spec = ChildSpec::process(name, &mailbox, make);
    (spec, mailbox.address())
}

/// A child that waits to be stopped.
fn quiet(name: String) -> ChildSpec {
    ChildSpec::task(name, |ctx| async move {
        ctx.stopping().await;
        Ok(())
    })
}

#[tokio::test(start_paused = true)]
async fn what_goes_wrong_at_a_stop_ends_at_its_deadline_and_stops_no_stop() {
    for (fault, shutdown, seconds, ended) in [
        (
            Fault::NeverStops,
            Shutdown::Timeout(SECOND * 3),
            3,
            "killed",
        ),
        (Fault::NeverStops, Shutdown::Brutal, 0, "killed"),
        (Fault::NeverStops, Shutdown::default(), 5, "killed"),
        (
            Fault::PanicsWhileStopping,
            Shutdown::default(),
            0,
            "panic: while stopping",
        ),
        (
            Fault::PanicsWhileStopping,
            Shutdown::Infinity,
            0,
            "panic: while stopping",
        ),
        (
            Fault::PanicsInDrop,
            Shutdown::default(),
            0,
            "panic: in drop",
        ),
        (Fault::PanicsInDrop, Shutdown::Brutal, 0, "panic: in drop"),
        (Fault::None, Shutdown::default(), 0, "shutdown"),
    ] {
        let journal = Journal::new();
        let (before, before_address) = faulty("before", Fault::None, &journal);
        let (wrong, wrong_address) = faulty("wrong", fault, &journal);
        let (after, _) = faulty("after", Fault::None, &journal);
        let bed = test_kit::start([before, wrong.shutdown(shutdown), after]).await;
        let process = bed.process("wrong");
        let begun = Instant::now();
        let report = bed.into_node().stop(SECOND * 3_600).await;
        assert_eq!(report, StopReport::default(), "{fault:?} {shutdown:?}");
        assert_eq!(begun.elapsed().as_secs(), seconds, "{fault:?} {shutdown:?}");
        let exit = process.ended().await.to_string();
        assert!(exit.starts_with(ended), "{fault:?} {shutdown:?}: {exit}");
        assert!(wrong_address.is_closed() && before_address.is_closed());
        let stops = journal.take();
        let asked: &[_] = if shutdown == Shutdown::Brutal {
            &["after stops", "before stops"]
        } else {
            &["after stops", "wrong stops", "before stops"]
        };
        assert_eq!(stops, asked, "{fault:?} {shutdown:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_that_never_returns_and_is_waited_for_is_named_at_the_deadline() {
    let journal = Journal::new();
    let (rock, _) = faulty("rock", Fault::NeverStops, &journal);
    let bed = test_kit::start([rock.shutdown(Shutdown::Infinity)]).await;
    let begun = Instant::now();
    let report = bed.into_node().stop(SECOND * 60).await;
    assert_eq!(report.not_stopped, ["rock", "bed"]);
    assert_eq!(begun.elapsed(), SECOND * 60);
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_drop_is_a_crash_and_the_child_restarts() {
    let journal = Journal::new();
    let (wrong, address) = faulty("wrong", Fault::PanicsInDrop, &journal);
    let (fine, fine_address) = faulty("fine", Fault::None, &journal);
    let bed = test_kit::start([wrong, fine]).await;
    let (process, mut probe) = (bed.process("wrong"), Probe::<()>::new("probe"));
    probe.watch(&process);
    // Killed: its future is dropped where it waits.
    process.kill();
    let exit = probe.expect_down(&process, SECOND).await;
    assert!(exit.to_string().starts_with("panic: in drop"), "{exit}");
    assert_eq!(probe.expect_restart(&process, SECOND).await, 1);
    assert_eq!(address.call(SECOND, |reply| reply).await, Ok(()));
    assert_eq!(fine_address.call(SECOND, |reply| reply).await, Ok(()));
    assert_eq!(bed.find("fine").restarts, 0);
    assert_eq!(
        bed.into_node().stop(SECOND * 60).await,
        StopReport::default()
    );
}

/// Panics when it is dropped, and counts how many did.
struct Grenade(Arc<AtomicU32>);

impl Drop for Grenade {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
        panic!("grenade");
    }
}

/// Where messages are when they go off.
#[derive(Clone, Copy, Debug)]
enum Place {
    Queue,
    Batch,
    Timers,
}

#[tokio::test(start_paused = true)]
async fn messages_that_panic_in_drop_hurt_neither_each_other_nor_anybody_else() {
    for place in [Place::Queue, Place::Batch, Place::Timers] {
        let thrown = Arc::new(AtomicU32::new(0));
        let mailbox = Mailbox::<Option<Grenade>>::new(Capacity::new(8));
        let (address, count) = (mailbox.address(), Arc::clone(&thrown));
        let (fellow, in_body) = (address.clone(), Arc::clone(&thrown));
        let body = move |mut ctx: Context<Option<Grenade>>| {
            let (address, thrown) = (fellow.clone(), Arc::clone(&in_body));
            async move {
                if ctx.incarnation() > 0 {
                    ctx.stopping().await;
                    return Ok(());
                }
                let Incoming::Message(None) = ctx.next().await else {
                    panic!("the first is no grenade")
                };
                for _ in 0..3 {
                    let grenade = Some(Grenade(Arc::clone(&thrown)));
                    match place {
                        Place::Timers => drop(ctx.send_after(SECOND, grenade)),
                        Place::Queue | Place::Batch => drop(address.try_send(grenade).is_ok()),
                    }
                }
                panic!("with grenades about")
            }
        };
        let spec = ChildSpec::body("thrower", &mailbox, body).queue(match place {
            Place::Queue | Place::Timers => MailboxPolicy::Keep,
            Place::Batch => MailboxPolicy::Discard,
        });
        let journal = Journal::new();
        let (fine, fine_address) = faulty("fine", Fault::None, &journal);
        let bed = test_kit::start([spec, fine]).await;
        let (process, mut probe) = (bed.process("thrower"), Probe::<()>::new("probe"));
        probe.watch(&process);
        address.try_send(None).ok().unwrap();
        let exit = probe.expect_down(&process, SECOND).await;
        assert!(
            exit.to_string().starts_with("panic: with grenades"),
            "{place:?}: {exit}"
        );
        assert_eq!(probe.expect_restart(&process, SECOND).await, 1, "{place:?}");
        assert_eq!(fine_address.call(SECOND, |reply| reply).await, Ok(()));
        // Those that are kept in the queue go off when it is closed.
        bed.finish().await;
        assert_eq!(count.load(Ordering::Relaxed), 3, "{place:?}");
    }
}

/// One side of a call cycle.
struct Caller {
    other: Address<Cycle>,
    deadline: Duration,
    results: Address<Result<(), CallError>>,
}

enum Cycle {
    Fill,
    /// Calls the other one when told.
    Call(watch::Receiver<bool>),
    Ask(Reply<()>),
}

impl Process for Caller {
    type Message = Cycle;

    async fn handle(&mut self, _: &mut Context<Cycle>, message: Cycle) -> Result<Flow, Exit> {
        match message {
            Cycle::Fill => {}
            Cycle::Ask(reply) => {
                reply.send(()).ok();
            }
            Cycle::Call(mut told) => {
                drop(told.wait_for(|go| *go).await);
                let result = self.other.call(self.deadline, Cycle::Ask).await;
                self.results.try_send(result).unwrap();
            }
        }
        Ok(Flow::Continue)
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_cycle_with_full_mailboxes_ends_at_its_deadlines_and_both_live_on() {
    // When both give up at once, both fail, the second after its request was taken; else the first
    // to give up answers the other.
    for (deadlines, expected) in [
        ([SECOND, SECOND * 2], [Err(CallError::NoRoom), Ok(())]),
        (
            [SECOND, SECOND],
            [Err(CallError::NoRoom), Err(CallError::Timeout)],
        ),
    ] {
        let mut results = Probe::new("results");
        let [a, b] = [(); 2].map(|()| Mailbox::new(Capacity::new(1)));
        let caller = |name: &str, from: &Mailbox<Cycle>, to: &Mailbox<Cycle>, deadline| {
            let (other, results) = (to.address(), results.address());
            ChildSpec::process(name, from, move || Caller {
                other: other.clone(),
                deadline,
                results: results.clone(),
            })
        };
        let specs = [
            caller("a", &a, &b, deadlines[0]),
            caller("b", &b, &a, deadlines[1]),
        ];
        let bed = test_kit::start(specs).await;
        let (go, told) = watch::channel(false);
        let addresses = [a.address(), b.address()];
        for address in &addresses {
            address.try_send(Cycle::Call(told.clone())).ok().unwrap();
        }
        test_kit::settle().await;
        for address in &addresses {
            address.try_send(Cycle::Fill).ok().unwrap();
            let refused = address.try_send(Cycle::Fill);
            assert!(matches!(refused, Err(TrySendError::Full(Cycle::Fill))));
        }
        let begun = Instant::now();
        go.send(true).unwrap();
        results.expect_nothing(SECOND - MS).await;
        for expected in expected {
            assert_eq!(results.expect(MS).await, expected);
        }
        assert_eq!(begun.elapsed(), SECOND);
        for address in &addresses {
            assert_eq!(address.call(SECOND, Cycle::Ask).await, Ok(()));
        }
        assert_eq!((bed.find("a").restarts, bed.find("b").restarts), (0, 0));
        bed.finish().await;
    }
}

/// Runs children that crash all at once; each waits for the go.
async fn crash_together(children: &DynamicSupervisor, count: u32) -> watch::Sender<bool> {
    let (go, told) = watch::channel(false);
    for number in 0..count {
        let (mailbox, told) = (Mailbox::<Infallible>::new(Capacity::new(0)), told.clone());
        let body = move |ctx: Context<Infallible>| {
            let mut told = told.clone();
            async move {
                if ctx.incarnation() == 0 {
                    drop(told.wait_for(|go| *go).await);
                    return Err(Exit::error("all at once"));
                }
                ctx.stopping().await;
                Ok(())
            }
        };
        let spec = ChildSpec::body(number.to_string(), &mailbox, body);
        children.spawn_child(spec).unwrap();
    }
    test_kit::settle().await;
    go
}

const MANY: u32 = 10_000;

#[tokio::test(start_paused = true)]
async fn ten_thousand_that_crash_at_once_each_restart_once_when_that_is_allowed() {
    let options = DynamicOptions {
        intensity: Intensity::UNLIMITED,
        ..Default::default()
    };
    let children = DynamicSupervisor::new("children", options);
    let bed = test_kit::start([children.spec(), quiet("fellow".to_owned())]).await;
    let go = crash_together(&children, MANY).await;
    go.send(true).unwrap();
    test_kit::settle().await;
    let shown = bed.find("children");
    let running = |child: &&TreeNode| child.state == State::Running && child.restarts == 1;
    assert_eq!(shown.children.iter().filter(running).count(), MANY as usize);
    assert_eq!((shown.restarts, children.count()), (0, MANY as usize));
    assert_eq!(bed.find("fellow").state, State::Running);
    bed.finish().await;
    assert_eq!(children.count(), 0);
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_that_crash_at_once_are_one_failure_of_a_supervisor_with_a_limit() {
    let options = DynamicOptions {
        intensity: Intensity::new(3, SECOND * 5),
        ..Default::default()
    };
    let children = DynamicSupervisor::new("children", options);
    let bed = test_kit::start([children.spec(), quiet("fellow".to_owned())]).await;
    let (process, mut probe) = (bed.process("children"), Probe::<()>::new("probe"));
    probe.watch(&process);
    let go = crash_together(&children, MANY).await;
    let first = bed.find("children").children.first().map(|child| child.pid);
    go.send(true).unwrap();
    let Exit::Crash(crash) = probe.expect_down(&process, SECOND * 10).await else {
        panic!("it did not give up")
    };
    assert_eq!(crash.kind, CrashKind::Intensity);
    assert_eq!(probe.expect_restart(&process, SECOND * 10).await, 1);
    test_kit::settle().await;
    // It is back, without children, and works; nobody beside it noticed.
    let shown = bed.find("children");
    assert_eq!(
        (shown.restarts, shown.children.len(), children.count()),
        (1, 0, 0)
    );
    let again = children
        .start_child(quiet("again".to_owned()))
        .await
        .unwrap();
    assert_ne!(Some(again.pid()), first);
    assert_eq!(bed.find("fellow").restarts, 0);
    bed.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_message_to_an_ended_process_is_given_back() {
    let crash = |ctx: Context<String>| async move {
        ctx.stopping().await;
        Ok(())
    };
    let mailbox = Mailbox::new(Capacity {
        messages: 1,
        reserved: 1,
    });
    let address = mailbox.address();
    let spec = ChildSpec::body("ends", &mailbox, crash).restart(Restart::Temporary);
    let bed = test_kit::start([spec, quiet("fellow".to_owned())]).await;
    // Nobody reads: one sender has sent, the other waits for room, when the process is killed.
    address.try_send("queued".to_owned()).unwrap();
    let mut waiting = std::pin::pin!(address.send("waits".to_owned()));
    tokio::select! {
        biased;
        sent = &mut waiting => panic!("there was room: {sent:?}"),
        () = test_kit::settle() => {}
    }
    bed.process("ends").kill();
    let gone = tokio::time::timeout(SECOND, waiting).await.unwrap();
    assert_eq!(gone.unwrap_err().0, "waits");
    let Err(TrySendError::Closed(back)) = address.try_send("ambient".to_owned()) else {
        panic!("it was taken")
    };
    assert_eq!(back, "ambient");
    let owed = address.try_send_owed("owed".to_owned()).unwrap_err();
    assert_eq!(owed.into_inner(), "owed");
    assert_eq!(address.send("late".to_owned()).await.unwrap_err().0, "late");
    let begun = Instant::now();
    let called = address.call(SECOND, |_: Reply<()>| "call".to_owned()).await;
    assert_eq!(
        (called, begun.elapsed()),
        (Err(CallError::Closed), Duration::ZERO)
    );
    assert!(address.is_closed() && address.is_empty());
    bed.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_process_that_waits_for_itself_waits_until_the_deadline() {
    let children = DynamicSupervisor::new("children", DynamicOptions::default());
    let bed = test_kit::start([children.spec()]).await;
    let (mut results, mailbox) = (Probe::new("results"), Mailbox::new(Capacity::new(1)));
    let (to, stopping) = (results.address(), children.clone());
    let body = move |mut ctx: Context<Reply<()>>| {
        let (to, children) = (to.clone(), stopping.clone());
        async move {
            let called = ctx.address().call(SECOND, |reply| reply).await;
            to.try_send(called).unwrap();
            ctx.next().await;
            // It never sees the request to stop that it waits for.
            children.stop_child(ctx.pid()).await.ok();
            Ok(())
        }
    };
    let spec = ChildSpec::body("narcissus", &mailbox, body);
    let process = children.start_child(spec).await.unwrap();
    assert_eq!(results.expect(SECOND).await, Err(CallError::Timeout));
    let begun = Instant::now();
    assert!(matches!(process.ended().await, Exit::Killed));
    assert_eq!(begun.elapsed(), limits::SHUTDOWN_DEFAULT);
    bed.finish().await;
}

#[tokio::test(start_paused = true)]
async fn of_siblings_that_crash_at_once_none_is_forgotten_whatever_the_strategy() {
    // Who crashes, in this order, before their supervisor sees any of it; how often each of the
    // three must be restarted at least.
    for (crashing, strategy, at_least) in [
        ("abc", Strategy::OneForOne, [1, 1, 1]),
        ("abc", Strategy::OneForAll, [1, 1, 1]),
        ("ca", Strategy::OneForAll, [1, 1, 1]),
        ("abc", Strategy::RestForOne, [1, 1, 1]),
        ("cba", Strategy::RestForOne, [1, 1, 1]),
        ("ca", Strategy::RestForOne, [1, 1, 1]),
        ("cb", Strategy::RestForOne, [0, 1, 1]),
    ] {
        let mut builder = Supervisor::builder("bed").strategy(strategy);
        let mut addresses = Vec::new();
        for name in ["a", "b", "c"] {
            let mailbox = Mailbox::<()>::new(Capacity::new(1));
            let body = |mut ctx: Context<()>| async move {
                match ctx.next().await {
                    Incoming::Message(()) => Err(Exit::error("told to")),
                    Incoming::Timer(()) | Incoming::Signal(_) | Incoming::Shutdown => Ok(()),
                }
            };
            builder = builder.child(ChildSpec::body(name, &mailbox, body));
            addresses.push((name, mailbox.address()));
        }
        let bed = test_kit::start_with(builder.intensity(Intensity::UNLIMITED)).await;
        for name in crashing.chars() {
            let found = addresses.iter().find(|(known, _)| known.starts_with(name));
            found.unwrap().1.try_send(()).unwrap();
        }
        test_kit::settle().await;
        for ((name, _), at_least) in addresses.iter().zip(at_least) {
            let child = bed.find(name);
            assert_eq!(
                child.state,
                State::Running,
                "{crashing} {strategy:?}: {child}"
            );
            assert!(
                child.restarts >= at_least,
                "{crashing} {strategy:?}: {child}"
            );
        }
        bed.finish().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_start_that_never_returns_holds_up_nobody_and_gives_back_what_it_was_sent() {
    let children = DynamicSupervisor::new("children", DynamicOptions::default());
    let journal = Journal::new();
    let (fine, fine_address) = faulty("fine", Fault::None, &journal);
    let bed = test_kit::start([children.spec(), fine]).await;
    let mailbox = Mailbox::<String>::new(Capacity::new(1));
    let hangs = ChildSpec::body("hangs", &mailbox, |_| pending());
    let hangs = hangs.acknowledged().start_within(SECOND * 3);
    let begun = Instant::now();
    let address = mailbox.address();
    address.try_send("queued".to_owned()).unwrap();
    let others = async {
        test_kit::settle().await;
        // Its supervisor, and everybody else, goes on.
        let started = children.start_child(quiet("other".to_owned())).await;
        assert_eq!(started.unwrap().name(), "other");
        assert_eq!(fine_address.call(SECOND, |reply| reply).await, Ok(()));
        assert_eq!(begun.elapsed(), Duration::ZERO);
        address.send("waits".to_owned()).await.unwrap_err().0
    };
    let (started, given_back) = tokio::join!(children.start_child(hangs), others);
    let error = started.unwrap_err().to_string();
    assert_eq!(error, "child hangs did not start within 3s");
    assert_eq!((begun.elapsed(), &*given_back), (SECOND * 3, "waits"));
    assert_eq!((children.count(), address.is_empty()), (1, true));
    bed.finish().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_taken_is_refused_and_who_has_it_notices_nothing() {
    let children = DynamicSupervisor::new("children", DynamicOptions::default());
    let bed = test_kit::start([children.spec()]).await;
    let journal = Journal::new();
    let (mailbox, names) = (Mailbox::new(Capacity::new(8)), Registry::new());
    let on_it = |name: &str| {
        let journal = journal.clone();
        ChildSpec::process(name, &mailbox, move || Faulty(Fault::None, journal.clone()))
    };
    let first = children.start_child(on_it("first")).await.unwrap();
    names.register("name", "first", &first).unwrap().keep();
    // The mailbox of another.
    let error = children.start_child(on_it("second")).await.unwrap_err();
    assert!(matches!(error, StartError::MailboxInUse), "{error}");
    let error = children.spawn_child(on_it("second")).unwrap_err();
    assert!(matches!(error, StartError::MailboxInUse), "{error}");
    // The name of another, in a registry.
    let second = children.start_child(quiet("second".to_owned())).await;
    let refused = names.register("name", "second", &second.unwrap());
    let (existing, value) = ("first", "second");
    assert_eq!(refused.unwrap_err(), ClaimError::Taken { existing, value });
    // A spec that contradicts itself, with something that it owns.
    let owned = Arc::new(());
    let holds = Arc::clone(&owned);
    let spec = ChildSpec::task("third", move |_| async move {
        drop(holds);
        Ok(())
    });
    let spec = spec.restart(Restart::Permanent);
    let error = children.start_child(spec).await.unwrap_err();
    let name = "third".into();
    assert!(
        matches!(&error, StartError::Spec(spec) if *spec == SpecError::RunsOnce { name }),
        "{error}"
    );
    assert_eq!(Arc::strong_count(&owned), 1, "it is let go of");
    let answer = mailbox.address().call(SECOND, |reply| reply).await;
    assert_eq!((answer, first.is_alive()), (Ok(()), true));
    assert_eq!(
        (names.lookup(&"name"), children.count()),
        (Some("first"), 2)
    );
    bed.finish().await;
    assert_eq!(journal.take(), ["first stops"]);
}

#[tokio::test(start_paused = true)]
async fn a_child_may_ask_its_own_supervisor_for_another_while_it_starts() {
    // In OTP both wait for each other until the call times out.
    let children = DynamicSupervisor::new("children", DynamicOptions::default());
    let bed = test_kit::start([children.spec()]).await;
    let (mailbox, asked) = (Mailbox::<()>::new(Capacity::new(1)), children.clone());
    let body = move |ctx: Context<()>| {
        let children = asked.clone();
        async move {
            let other = children.start_child(quiet("other".to_owned())).await;
            other.map_err(|error| Exit::error(error.to_string()))?;
            ctx.ready();
            ctx.stopping().await;
            Ok(())
        }
    };
    let begun = Instant::now();
    let spec = ChildSpec::body("first", &mailbox, body).acknowledged();
    children.start_child(spec).await.unwrap();
    assert_eq!((children.count(), begun.elapsed()), (2, Duration::ZERO));
    bed.finish().await;
}

#[tokio::test]
async fn regression_a_name_that_no_thread_may_have_is_one_of_a_child() {
    let quiet = |ctx: Context<()>| async move {
        ctx.stopping().await;
        Ok(())
    };
    let mailbox = Mailbox::new(Capacity::new(1));
    let on_thread = ChildSpec::body("a\0b", &mailbox, quiet).on_thread();
    let options = PoolOptions {
        threads: 1,
        queue_max: 1,
    };
    let pool = WorkerPool::new("pool\0", options);
    let tree = Supervisor::builder("node").children([on_thread, pool.spec()]);
    let node = Node::start(tree).await.unwrap();
    let named = node.tree().children.first().map(|child| child.name.clone());
    assert_eq!(named.as_deref(), Some("a\0b"));
    assert_eq!(node.stop(SECOND).await, StopReport::default());
}
