//! Goal: a start ends, well or not, within its deadline, and what contradicts itself does not
//! start at all. Method: processes that hang at chosen incarnations, on a paused clock; a table of
//! contradicting specs.

#![expect(clippy::unwrap_used, reason = "a test fails by it")]

#[cfg(test)]
#[expect(dead_code, reason = "uses a part of it")]
mod common;

use std::sync::Mutex;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use belay_runtime::*;
use common::*;
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

/// Answers with its incarnation; takes its time to start.
struct Slow(fn(u32) -> Duration);

impl Process for Slow {
    type Message = Reply<u32>;

    async fn init(&mut self, ctx: &mut Context<Reply<u32>>) -> Result<(), Exit> {
        let time = (self.0)(ctx.incarnation());
        tokio::time::timeout(time, std::future::pending::<()>())
            .await
            .ok();
        Ok(())
    }

    async fn handle(&mut self, ctx: &mut Context<Reply<u32>>, r: Reply<u32>) -> Result<Flow, Exit> {
        r.send(ctx.incarnation()).ok();
        Ok(Flow::Continue)
    }
}

fn slow(name: &str, time: fn(u32) -> Duration) -> (ChildSpec, Address<Reply<u32>>) {
    let mailbox = Mailbox::new(Capacity::new(8));
    let spec = ChildSpec::process(name, &mailbox, move || Slow(time));
    (spec, mailbox.address())
}

async fn dynamic() -> (Node, DynamicSupervisor) {
    let children = DynamicSupervisor::new("children", DynamicOptions::default());
    let node = Node::start(Supervisor::builder("node").child(children.spec()))
        .await
        .unwrap();
    (node, children)
}

#[tokio::test(start_paused = true)]
async fn a_start_that_hangs_is_killed_at_its_deadline_and_told() {
    let (node, children) = dynamic().await;
    for (limit, expected) in [
        (None, limits::START_DEFAULT),
        (Some(SECOND * 7), SECOND * 7),
    ] {
        let (mut spec, address) = slow("slow", |_| Duration::MAX);
        if let Some(limit) = limit {
            spec = spec.start_within(limit);
        }
        let begun = Instant::now();
        let error = children.start_child(spec).await.unwrap_err();
        let StartError::TimedOut { name, after } = &error else {
            panic!("{error}")
        };
        assert_eq!((&**name, *after), ("slow", expected));
        assert_eq!(begun.elapsed(), expected);
        until("it has ended", || children.count() == 0).await;
        assert!(address.is_closed());
    }
    stop(node).await;
}

#[tokio::test(start_paused = true)]
async fn a_static_tree_with_a_start_that_hangs_does_not_start() {
    let journal = Journal::default();
    let (a, _) = obedient("a", &journal);
    let (spec, _) = slow("slow", |_| Duration::MAX);
    let begun = Instant::now();
    let builder = Supervisor::builder("node").child(a).child(spec);
    let error = Node::start(builder).await.unwrap_err();
    let expected = "child node did not start: error: child slow did not start within 60s";
    assert_eq!(error.to_string(), expected);
    assert_eq!(begun.elapsed(), limits::START_DEFAULT);
    assert_eq!(journal.entries(), ["a starts", "a stops: shutdown"]);
}

#[tokio::test(start_paused = true)]
async fn a_start_in_time_is_not_held_against_it_later() {
    let (spec, address) = slow("slow", |_| SECOND * 59);
    let node = Node::start(Supervisor::builder("node").child(spec))
        .await
        .unwrap();
    tokio::time::advance(limits::START_DEFAULT * 9).await;
    assert_eq!(address.call(SECOND, |reply| reply).await, Ok(0));
    assert_eq!(find(&node.tree(), "slow").restarts, 0);
    stop(node).await;
}

#[tokio::test(start_paused = true)]
async fn a_restart_that_hangs_is_a_failure_like_any_other() {
    for strategy in [Strategy::OneForOne, Strategy::OneForAll] {
        let hangs = |incarnation| match incarnation {
            1 => Duration::MAX,
            _ => Duration::ZERO,
        };
        let (spec, address) = slow("slow", hangs);
        let (breaks, breaking) = obedient("breaks", &Journal::default());
        let builder = Supervisor::builder("node")
            .strategy(strategy)
            .intensity(Intensity::new(2, LONG * 9))
            .children([spec, breaks]);
        let bed = test_kit::start_with(builder).await;
        let begun = Instant::now();
        match strategy {
            Strategy::OneForAll => order(&breaking, Order::Panic("takes slow along")),
            Strategy::OneForOne | Strategy::RestForOne => bed.process("slow").kill(),
        }
        until("it restarts", || bed.find("slow").restarts == 1).await;
        let answer = address.call(LONG * 9, |reply| reply).await;
        assert_eq!(answer, Ok(2), "{strategy:?}");
        assert_eq!(begun.elapsed(), limits::START_DEFAULT);
        let last = bed.find("slow").last_exit.unwrap();
        assert_eq!(last, "no start: start took longer than 60s");
        bed.finish().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_during_a_start_that_hangs_takes_no_longer_than_its_own_deadline() {
    let (node, children) = dynamic().await;
    let (spec, _) = slow("slow", |_| Duration::MAX);
    children
        .spawn_child(spec.shutdown(Shutdown::Timeout(SECOND * 2)))
        .unwrap();
    until("it starts", || {
        find(&node.tree(), "slow").state == State::Starting
    })
    .await;
    let begun = Instant::now();
    stop(node).await;
    assert_eq!(begun.elapsed(), SECOND * 2);
}

// The only test here that waits for real time, because it is about threads: as long as the grace.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_that_blocks_its_thread_is_left_behind() {
    let (node, children) = dynamic().await;
    let (free, blocked) = sync_channel::<()>(1);
    let spec = ChildSpec::task("blocks", move |_| async move {
        // A lesson in what not to do.
        blocked.recv().ok();
        Ok(())
    });
    let limit = Duration::from_millis(5);
    let spec = spec.acknowledged().start_within(limit).on_thread();
    let error = children.start_child(spec).await.unwrap_err();
    assert!(matches!(error, StartError::TimedOut { .. }), "{error}");
    assert_eq!(children.count(), 1, "it is there all the same");
    drop(free);
    until("it has ended", || children.count() == 0).await;
    stop(node).await;
}

/// How a child is written that ends at once.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Made {
    Process,
    Acknowledged,
    /// Its start is acknowledged by its first wait, and it does not wait.
    Body,
    Blocking,
}

/// Ends at once with this exit.
struct EndsAtOnce(Exit);

impl EndsAtOnce {
    fn outcome(&self) -> Result<(), Exit> {
        Err(self.0.clone())
    }
}

impl Process for EndsAtOnce {
    type Message = ();

    async fn init(&mut self, _: &mut Context<()>) -> Result<(), Exit> {
        self.outcome()
    }

    async fn handle(&mut self, _: &mut Context<()>, (): ()) -> Result<Flow, Exit> {
        Ok(Flow::Continue)
    }
}

fn ends_at_once(made: Made, exit: Exit) -> ChildSpec {
    let mailbox = Mailbox::new(Capacity::new(1));
    let ends = move || EndsAtOnce(exit.clone());
    match made {
        Made::Process => ChildSpec::process("x", &mailbox, ends),
        Made::Blocking => ChildSpec::blocking("x", &mailbox, move |_| ends().outcome()),
        Made::Body | Made::Acknowledged => {
            let body = move |_| std::future::ready(ends().outcome());
            let spec = ChildSpec::body("x", &mailbox, body);
            match made {
                Made::Acknowledged => spec.acknowledged(),
                Made::Process | Made::Body | Made::Blocking => spec,
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn regression_an_end_before_the_acknowledgement_is_a_failed_start_whatever_the_exit() {
    for made in [Made::Process, Made::Acknowledged] {
        for exit in [Exit::Normal, Exit::Shutdown, Exit::Killed, Exit::error("x")] {
            for restart in [Restart::Temporary, Restart::Transient, Restart::Permanent] {
                let spec = || ends_at_once(made, exit.clone()).restart(restart);
                let (node, children) = dynamic().await;
                let error = children.start_child(spec()).await.unwrap_err();
                let expected = format!("child x did not start: {exit}");
                assert_eq!(error.to_string(), expected, "{made:?} {restart:?}");
                until("it has ended", || children.count() == 0).await;
                stop(node).await;
                let node = Node::start(Supervisor::builder("node").child(spec())).await;
                let error = node.unwrap_err().to_string();
                assert!(error.ends_with(&expected), "{made:?} {restart:?}: {error}");
            }
        }
    }
}

#[tokio::test]
async fn who_ends_well_at_once_has_started_when_nothing_else_was_to_acknowledge_it() {
    for made in [Made::Body, Made::Blocking] {
        for exit in [Exit::Normal, Exit::Shutdown] {
            for restart in [Restart::Temporary, Restart::Transient] {
                let spec = ends_at_once(made, exit.clone()).restart(restart);
                let (node, children) = dynamic().await;
                let started = children.start_child(spec).await;
                let process = started.unwrap_or_else(|error| panic!("{made:?}: {error}"));
                assert_eq!(process.ended().await.to_string(), exit.to_string());
                stop(node).await;
            }
        }
        let (node, children) = dynamic().await;
        let spec = ends_at_once(made, Exit::error("no disk"));
        let error = children.start_child(spec).await.unwrap_err().to_string();
        assert_eq!(error, "child x did not start: error: no disk", "{made:?}");
        stop(node).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_supervisor_that_fails_over_a_child_has_the_code_of_its_exit() {
    let refused = || Exit::error_coded("refused", "no such account");
    // It does not start because of it.
    let spec = ends_at_once(Made::Process, refused());
    let node = Node::start(Supervisor::builder("node").child(spec)).await;
    let Err(StartError::Failed { exit, .. }) = node else {
        panic!("it started")
    };
    assert_eq!(exit.code(), Some("refused"));
    // It gives up over it.
    let mailbox = Mailbox::<()>::new(Capacity::new(1));
    let body = move |mut ctx: Context<()>| async move {
        ctx.next().await;
        Err(refused())
    };
    let spec = ChildSpec::body("x", &mailbox, body);
    let below = Supervisor::builder("below").intensity(Intensity::new(0, LONG));
    let below = Mutex::new(Some(below.child(spec)));
    let below = ChildSpec::supervisor("below", move || {
        let again = || Supervisor::builder("below");
        below.lock().unwrap().take().unwrap_or_else(again)
    });
    let bed = test_kit::start([below]).await;
    mailbox.address().try_send(()).unwrap();
    until("it has restarted", || bed.find("below").restarts == 1).await;
    let crash = bed.find("below").last_crash.unwrap();
    assert_eq!(crash.code, Some("refused"));
    let expected = "restart intensity reached refused: child x ended with error refused";
    assert!(crash.reason.starts_with(expected), "{}", crash.reason);
    bed.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_restart_that_ends_before_the_acknowledgement_is_tried_again() {
    for strategy in [Strategy::OneForOne, Strategy::OneForAll] {
        for exit in [Exit::Normal, Exit::Shutdown] {
            // It starts, fails, ends twice at once however well, and starts again.
            let mailbox = Mailbox::<()>::new(Capacity::new(1));
            let body = move |mut ctx: Context<()>| {
                let exit = exit.clone();
                async move {
                    if (1..3).contains(&ctx.incarnation()) {
                        return Err(exit);
                    }
                    ctx.ready();
                    match ctx.next().await {
                        Incoming::Message(()) => Err(Exit::error("told to")),
                        Incoming::Timer(()) | Incoming::Signal(_) | Incoming::Shutdown => Ok(()),
                    }
                }
            };
            let spec = ChildSpec::body("x", &mailbox, body);
            let builder = Supervisor::builder("node")
                .strategy(strategy)
                .intensity(Intensity::new(3, LONG))
                .child(spec.restart(Restart::Transient).acknowledged());
            let bed = test_kit::start_with(builder).await;
            mailbox.address().try_send(()).unwrap();
            until("it starts again", || {
                let x = bed.find("x");
                (x.state, x.restarts) == (State::Running, 3)
            })
            .await;
            bed.finish().await;
        }
    }
}

fn task(name: &str) -> ChildSpec {
    ChildSpec::task(name, |ctx| async move {
        ctx.stopping().await;
        Ok(())
    })
}

fn body(name: &str, mailbox: &Mailbox<()>) -> ChildSpec {
    ChildSpec::body(name, mailbox, |ctx: Context<()>| async move {
        ctx.stopping().await;
        Ok(())
    })
}

fn one(name: &str) -> ChildSpec {
    body(name, &Mailbox::new(Capacity::new(1)))
}

#[tokio::test]
async fn what_contradicts_itself_does_not_start() {
    let mailbox = Mailbox::new(Capacity::new(1));
    let zero = Intensity::new(1, Duration::ZERO);
    let node = || Supervisor::builder("node");
    let last = || AutoShutdown::AllSignificant;
    let bad = || Backoff::default();
    let table = [
        (
            node().child(task("x")).child(one("y")).child(one("x")),
            "two children are named x",
        ),
        (
            node().child(body("x", &mailbox)).child(body("y", &mailbox)),
            "children x and y have one mailbox",
        ),
        (
            node().child(task("x").restart(Restart::Permanent)),
            "child x can run only once and is not temporary",
        ),
        (
            node().child(task("x").restart(Restart::Transient)),
            "child x can run only once and is not temporary",
        ),
        (
            node()
                .auto_shutdown(last())
                .child(one("x").significant(true)),
            "child x is significant and permanent",
        ),
        (
            node().child(task("x").significant(true)),
            "child x is significant for a supervisor that never stops by itself",
        ),
        (
            node().child(task("x").backoff(bad())),
            "child x is temporary and has a back-off or an intensity of its own",
        ),
        (
            node().child(task("x").intensity(Intensity::UNLIMITED)),
            "child x is temporary and has a back-off or an intensity of its own",
        ),
        (
            node().child(one("x").intensity(zero)),
            "the intensity of child x has no period",
        ),
        (
            node().intensity(zero),
            "the intensity of supervisor node has no period",
        ),
        (
            node().child(one("x").start_within(Duration::ZERO)),
            "child x has no time to start in",
        ),
    ];
    for (builder, expected) in table {
        let found = builder.check().unwrap_err();
        assert_eq!(found.to_string(), expected);
        let error = Node::start(builder).await.unwrap_err();
        assert!(
            matches!(error, StartError::Spec(ref e) if *e == found),
            "{error}"
        );
    }
}

#[tokio::test]
async fn what_is_unusual_and_makes_sense_starts() {
    let builder = Supervisor::builder("node")
        .auto_shutdown(AutoShutdown::AnySignificant)
        .intensity(Intensity::UNLIMITED)
        .child(task("a").significant(true))
        .child(one("b").restart(Restart::Transient).significant(true))
        .child(one("c").intensity(Intensity::new(0, LONG)))
        .child(one("d").backoff(Backoff::default()));
    assert_eq!(builder.check(), Ok(()));
    let node = Node::start(builder).await.unwrap();
    stop(node).await;
}

#[tokio::test]
async fn dynamic_supervisors_refuse_what_contradicts_itself_too() {
    let (node, children) = dynamic().await;
    for spec in [
        task("x").restart(Restart::Permanent),
        task("x").significant(true),
    ] {
        let error = children.spawn_child(spec).unwrap_err();
        assert!(matches!(error, StartError::Spec(_)), "{error}");
    }
    assert_eq!(children.count(), 0);
    // Names may be the same there, as in OTP.
    children.spawn_child(task("x")).unwrap();
    children.spawn_child(task("x")).unwrap();
    stop(node).await;
    let options = DynamicOptions {
        intensity: Intensity::new(1, Duration::ZERO),
        ..Default::default()
    };
    let children = DynamicSupervisor::new("children", options);
    let error = Node::start(Supervisor::builder("node").child(children.spec()))
        .await
        .unwrap_err();
    let expected = "the intensity of supervisor children has no period";
    assert!(error.to_string().ends_with(expected), "{error}");
}

#[tokio::test]
async fn a_supervisor_below_is_checked_before_it_starts_anything() {
    let journal = Journal::default();
    let writing = journal.clone();
    let below = ChildSpec::supervisor("below", move || {
        let (a, _) = obedient("a", &writing);
        Supervisor::builder("below")
            .child(a)
            .child(one("x"))
            .child(one("x"))
    });
    let error = Node::start(Supervisor::builder("node").child(below))
        .await
        .unwrap_err();
    assert!(
        error.to_string().ends_with("two children are named x"),
        "{error}"
    );
    assert!(journal.entries().is_empty());
}
