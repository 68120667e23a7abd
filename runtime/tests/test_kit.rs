//! Goal: the test kit sees what is there, lets nothing pass that is not, and says so. Method: tests
//! that must fail are run within tests that look at how they fail; the clock is paused.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test fails by it")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use belay_runtime::test_kit::{self, Bed, Journal, Probe};
use belay_runtime::*;
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);
const MS: Duration = Duration::from_millis(1);

/// Runs a test that must fail, and returns what it said.
fn failure(test: impl Future<Output = ()>) -> String {
    let outcome = catch_unwind(AssertUnwindSafe(|| test_kit::run(test)));
    *outcome.unwrap_err().downcast::<String>().unwrap()
}

fn check_failure(test: impl Future<Output = ()>, expected: &[&str]) {
    let said = failure(test);
    for part in expected
        .iter()
        .chain(&["asked for at runtime/tests/test_kit.rs:"])
    {
        assert!(said.contains(part), "no `{part}` in: {said}");
    }
}

/// Passes numbers on, waits as many milliseconds before it passes the next one.
fn relay(to: &Address<u64>) -> (ChildSpec, Address<u64>) {
    let (mailbox, to) = (Mailbox::new(Capacity::new(1_000)), to.clone());
    let body = move |mut ctx: Context<u64>| {
        let to = to.clone();
        async move {
            loop {
                match ctx.next().await {
                    Incoming::Message(0) => panic!("told to"),
                    Incoming::Message(u64::MAX) => std::future::pending().await,
                    Incoming::Message(ms) => {
                        ctx.send_after(MS * u32::try_from(ms).unwrap(), ms);
                    }
                    Incoming::Timer(ms) => drop(to.send(ms).await),
                    Incoming::Signal(_) => {}
                    Incoming::Shutdown => return Ok(()),
                }
            }
        }
    };
    let spec = ChildSpec::body("relay", &mailbox, body).restart(Restart::Transient);
    (spec, mailbox.address())
}

/// A relay to a probe, in a tree.
async fn relay_to(probe: &Probe<u64>) -> (Bed, Address<u64>) {
    let (spec, relay) = relay(&probe.address());
    (test_kit::start([spec]).await, relay)
}

#[tokio::test(start_paused = true)]
async fn waits_as_long_as_it_is_told_and_by_the_paused_clock_only() {
    let real = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
    let mut probe = Probe::new("probe");
    let (bed, relay) = relay_to(&probe).await;
    let begun = Instant::now();
    relay.try_send(3_600_000).unwrap();
    probe.expect_nothing(SECOND * 3_599).await;
    assert_eq!(probe.expect(SECOND * 60).await, 3_600_000);
    assert_eq!(begun.elapsed().as_secs(), 3_600);
    bed.finish().await;
    let took = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap() - real;
    assert!(
        took < SECOND * 60,
        "an hour of the paused clock took {took:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn what_comes_at_the_very_end_of_a_wait_has_come() {
    let mut probe = Probe::new("probe");
    let (bed, relay) = relay_to(&probe).await;
    for _ in 0..20 {
        relay.try_send(1_000).unwrap();
        test_kit::settle().await;
        assert_eq!(probe.expect(SECOND).await, 1_000);
    }
    bed.finish().await;
}

#[test]
fn a_message_that_does_not_come_fails_the_test() {
    let nothing = async {
        Probe::<u64>::new("store").expect(SECOND * 5).await;
    };
    check_failure(
        nothing,
        &["probe store<", "waited 5s for a message; none came"],
    );
    let wrong = async {
        let mut probe = Probe::new("store");
        probe.address().try_send(3).unwrap();
        probe.address().try_send(5).unwrap();
        probe.expect_match(SECOND, |number| number % 2 == 0).await;
    };
    check_failure(
        wrong,
        &["waited 1s for a message that fits; came instead: [3, 5]"],
    );
}

#[test]
fn a_message_that_should_not_come_fails_the_test() {
    let test = async {
        let mut probe = Probe::new("store");
        let (_bed, relay) = relay_to(&probe).await;
        relay.try_send(1_500).unwrap();
        probe.expect_nothing(SECOND * 3).await;
    };
    check_failure(test, &["nothing for 3s; after 1.5s came: [1500]"]);
}

#[test]
fn a_call_that_is_none_or_was_given_up_fails_the_test() {
    let take = |message: Option<Reply<u32>>| message.ok_or(None);
    let none = async {
        Probe::new("callee").answer(SECOND, take, 1).await;
    };
    check_failure(none, &["waited 1s for a call; none came"]);
    let other = async {
        let mut probe = Probe::new("callee");
        probe.address().try_send(None).unwrap();
        probe.answer(SECOND, take, 1).await;
    };
    check_failure(other, &["came instead: None"]);
    let given_up = async {
        let mut probe = Probe::new("callee");
        let call = probe.address().call(SECOND, Some).await;
        assert_eq!(call, Err(CallError::Timeout));
        probe.answer(SECOND, take, 1).await;
    };
    check_failure(given_up, &["the caller does not wait any more"]);
}

#[tokio::test(start_paused = true)]
async fn messages_that_were_not_asked_for_stay_in_order() {
    let mut probe = Probe::new("probe");
    (1..=6).for_each(|number| probe.address().try_send(number).unwrap());
    assert_eq!(probe.expect_match(SECOND, |number| *number == 3).await, 3);
    assert_eq!(probe.expect_match(SECOND, |number| *number > 4).await, 5);
    assert_eq!(probe.expect(SECOND).await, 1);
    assert_eq!(probe.drain(), [2, 4, 6]);
    assert!(probe.drain().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_is_given_up_loses_nothing() {
    let mut probe = Probe::new("probe");
    let (bed, relay) = relay_to(&probe).await;
    relay.try_send(1_000).unwrap();
    let given_up = tokio::time::timeout(MS * 500, probe.expect(SECOND * 9)).await;
    assert!(given_up.is_err());
    assert_eq!(probe.expect(MS * 500).await, 1_000);
    bed.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_probe_has_as_much_room_as_it_is_told() {
    let mut probe = Probe::with_capacity("probe", Capacity::new(1));
    let address = probe.address();
    address.try_send(1).unwrap();
    assert!(matches!(address.try_send(2), Err(TrySendError::Full(2))));
    assert_eq!(probe.expect(SECOND).await, 1);
    address.try_send(3).unwrap();
    probe.mailbox().close();
    assert!(matches!(address.try_send(4), Err(TrySendError::Closed(4))));
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_is_dropped_ends_like_a_process() {
    let mut watcher = Probe::<()>::new("watcher");
    let probe = Probe::<u64>::new("probe");
    let (process, address) = (probe.process(), probe.address());
    let registry = Registry::new();
    registry.register("key", 1, &process).unwrap().keep();
    watcher.watch(&process);
    assert!(process.is_alive());
    drop(probe);
    assert!(!process.is_alive() && address.is_closed() && registry.is_empty());
    let exit = watcher.expect_down(&process, Duration::ZERO).await;
    assert!(matches!(exit, Exit::Normal));
    assert!(matches!(process.ended().await, Exit::Normal));
}

#[tokio::test(start_paused = true)]
async fn sees_the_end_and_the_restart_of_what_it_watches() {
    let mut probe = Probe::new("probe");
    let (bed, relay) = relay_to(&probe).await;
    let process = bed.process("relay");
    probe.watch(&process);
    relay.try_send(0).unwrap();
    let down = probe.expect_down(&process, SECOND).await;
    assert!(down.to_string().starts_with("panic: told to at "), "{down}");
    assert_eq!(probe.expect_restart(&process, SECOND).await, 1);
    // The new incarnation is watched by that.
    process.exit(Exit::Shutdown);
    let down = probe.expect_down(&process, SECOND).await;
    assert!(matches!(down, Exit::Shutdown), "{down}");
    assert!(matches!(process.ended().await, Exit::Shutdown));
    bed.finish().await;
}

#[test]
fn an_end_or_a_restart_that_does_not_come_fails_the_test() {
    let no_end = async {
        let mut probe = Probe::new("probe");
        let (bed, _) = relay_to(&probe).await;
        let process = bed.process("relay");
        probe.watch(&process);
        probe.expect_down(&process, SECOND).await;
    };
    check_failure(
        no_end,
        &[
            "waited 1s for the end of relay<",
            "Running after 0 restarts",
        ],
    );
    let no_restart = async {
        let mut probe = Probe::new("probe");
        let (bed, _) = relay_to(&probe).await;
        let process = bed.process("relay");
        probe.watch(&process);
        probe.expect_restart(&process, SECOND).await;
    };
    check_failure(
        no_restart,
        &["for a restart of relay<", "it did not come in 1s"],
    );
    let ended = async {
        let mut probe = Probe::new("probe");
        let (bed, _) = relay_to(&probe).await;
        let process = bed.process("relay");
        probe.watch(&process);
        process.exit(Exit::Shutdown);
        probe.expect_restart(&process, SECOND).await;
    };
    check_failure(ended, &["it will not come; it is ended for good"]);
    let unwatched = async {
        let mut probe = Probe::new("probe");
        let (bed, _) = relay_to(&probe).await;
        probe.expect_down(&bed.process("relay"), SECOND).await;
    };
    check_failure(unwatched, &["does not watch relay<"]);
}

#[tokio::test(start_paused = true)]
async fn gets_exits_of_those_it_is_linked_to_and_from_outside() {
    let mut probe = Probe::new("probe");
    let (bed, relay) = relay_to(&probe).await;
    let process = bed.process("relay");
    probe.link(&process);
    relay.try_send(0).unwrap();
    let (from, exit) = probe.expect_exit(SECOND).await;
    assert_eq!(from, Some(process.pid()));
    assert!(exit.to_string().contains("told to"));
    probe.process().exit(Exit::error("from outside"));
    probe.process().kill();
    let exits = [
        probe.expect_exit(SECOND).await.1.to_string(),
        probe.expect_exit(SECOND).await.1.to_string(),
    ];
    assert!(
        exits.contains(&"error: from outside".to_owned()),
        "{exits:?}"
    );
    assert!(exits.contains(&"killed".to_owned()), "{exits:?}");
    bed.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_linked_process_gets_the_end_of_the_probe() {
    let mut probe = Probe::new("probe");
    let mut other = Probe::<()>::new("other");
    probe.link(&other.process());
    let pid = probe.process().pid();
    drop::<Probe<u64>>(probe);
    let (from, exit) = other.expect_exit(SECOND).await;
    assert!(from == Some(pid) && matches!(exit, Exit::Normal));
}

#[tokio::test(start_paused = true)]
async fn settling_runs_long_chains_and_does_not_move_the_clock() {
    const LINKS: usize = 1_000;
    let mut probe = Probe::<u64>::new("probe");
    let mut first = probe.address();
    let mut specs = Vec::new();
    for _ in 0..LINKS {
        let (mailbox, to) = (Mailbox::new(Capacity::new(1)), first);
        first = mailbox.address();
        let body = move |mut ctx: Context<u64>| {
            let to = to.clone();
            async move {
                while let Incoming::Message(number) = ctx.next().await {
                    tokio::task::yield_now().await;
                    drop(to.send(number + 1).await);
                }
                Ok(())
            }
        };
        specs.push(ChildSpec::body(
            format!("link {}", specs.len()),
            &mailbox,
            body,
        ));
    }
    let bed = test_kit::start(specs).await;
    let begun = Instant::now();
    first.try_send(0).unwrap();
    test_kit::settle().await;
    assert_eq!(probe.drain(), [LINKS as u64]);
    assert_eq!(begun, Instant::now());
    bed.finish().await;
}

#[tokio::test(start_paused = true)]
async fn advancing_stops_at_each_timer_on_the_way() {
    let ticks = Arc::new(AtomicU32::new(0));
    let mailbox = Mailbox::<()>::new(Capacity::new(1));
    let count = Arc::clone(&ticks);
    let body = move |mut ctx: Context<()>| {
        let count = Arc::clone(&count);
        async move {
            let mut due = ctx.now();
            loop {
                ctx.send_after(SECOND, ());
                match ctx.next().await {
                    Incoming::Timer(()) => count.fetch_add(1, Ordering::Relaxed),
                    Incoming::Message(_) | Incoming::Signal(_) | Incoming::Shutdown => {
                        return Ok(());
                    }
                };
                due += SECOND;
                assert_eq!(ctx.now(), due, "it sees the time at which it is due");
            }
        }
    };
    let bed = test_kit::start([ChildSpec::body("clock", &mailbox, body)]).await;
    test_kit::advance(SECOND * 100).await;
    assert_eq!(
        ticks.load(Ordering::Relaxed),
        100,
        "the last one is due at the end"
    );
    test_kit::advance(MS * 999).await;
    assert_eq!(ticks.load(Ordering::Relaxed), 100);
    test_kit::advance(MS).await;
    assert_eq!(ticks.load(Ordering::Relaxed), 101);
    bed.finish().await;
}

#[test]
fn settling_a_tree_that_is_never_quiet_fails_the_test() {
    let test = async {
        let mut mailboxes = [
            Mailbox::<()>::new(Capacity::new(1)),
            Mailbox::new(Capacity::new(1)),
        ];
        let mut specs = Vec::new();
        for name in ["ping", "pong"] {
            let to = mailboxes[1].address();
            let body = move |mut ctx: Context<()>| {
                let to = to.clone();
                async move {
                    while let Incoming::Message(()) = ctx.next().await {
                        drop(to.send(()).await);
                    }
                    Ok(())
                }
            };
            specs.push(ChildSpec::body(name, &mailboxes[0], body));
            mailboxes.swap(0, 1);
        }
        let _bed = test_kit::start(specs).await;
        mailboxes[0].address().try_send(()).unwrap();
        test_kit::settle().await;
    };
    check_failure(test, &["settle: still busy after"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn works_in_real_time_on_several_threads_too_but_for_settling() {
    let mut probe = Probe::new("probe");
    let (bed, relay) = relay_to(&probe).await;
    let process = bed.process("relay");
    probe.watch(&process);
    relay.try_send(0).unwrap();
    assert_eq!(probe.expect_restart(&process, SECOND * 30).await, 1);
    relay.try_send(1).unwrap();
    assert_eq!(probe.expect(SECOND * 30).await, 1);
    test_kit::until("it is empty", SECOND * 30, || relay.is_empty()).await;
    bed.finish().await;
}

#[test]
fn waits_until_a_condition_holds_and_fails_the_test_when_it_does_not() {
    test_kit::run(async {
        let begun = Instant::now();
        test_kit::until("5 s passed", SECOND * 9, || begun.elapsed() >= SECOND * 5).await;
        assert_eq!(begun.elapsed(), SECOND * 5);
        test_kit::until("it holds", Duration::ZERO, || true).await;
    });
    let test = test_kit::until("pigs fly", SECOND, || false);
    check_failure(test, &["waited 1s until pigs fly"]);
}

#[test]
fn a_journal_is_compared_in_order_and_shown() {
    let journal = Journal::new();
    ["a", "b", "c"]
        .iter()
        .for_each(|entry| journal.write(*entry));
    test_kit::run(async {
        journal.expect(SECOND, ["a", "b"]).await;
    });
    assert_eq!(journal.entries(), ["c"]);
    check_failure(journal.expect(SECOND, ["c", "d"]), &["\"d\"", "up to 1s"]);
    check_failure(journal.expect(SECOND, ["d"]), &["expected", "\"c\""]);
    assert_eq!(journal.take(), ["c"], "a failure takes nothing");
}

#[test]
fn a_bed_must_be_finished() {
    check_failure(
        async { drop(test_kit::start([]).await) },
        &["without `finish()"],
    );
    // A test that has failed already says what failed, not that.
    let said = failure(async {
        let _bed = test_kit::start([]).await;
        panic!("{}", "the first".to_owned());
    });
    assert_eq!(said, "the first");
}

#[test]
fn a_tree_that_does_not_stop_in_order_fails_the_test() {
    let hangs = async {
        let probe = Probe::new("probe");
        let (bed, relay) = relay_to(&probe).await;
        relay.try_send(u64::MAX).unwrap();
        test_kit::settle().await;
        bed.finish().await;
    };
    check_failure(hangs, &["relay<", "did not stop within its 5s"]);
    let crashes = async {
        let spec = ChildSpec::task("sore loser", |ctx| async move {
            ctx.stopping().await;
            panic!("over it")
        });
        test_kit::start([spec]).await.finish().await;
    };
    check_failure(
        crashes,
        &["sore loser<", "crashed while it stopped: panic: over it"],
    );
    let never = async {
        let spec = ChildSpec::task("rock", |_| std::future::pending());
        let bed = test_kit::start([spec.shutdown(Shutdown::Infinity)]).await;
        bed.finish().await;
    };
    check_failure(never, &["did not stop within 3600s: rock, bed"]);
    let ended = async {
        let bed = test_kit::start([]).await;
        let root = bed.node().root().clone();
        root.kill();
        root.ended().await;
        bed.finish().await;
    };
    check_failure(ended, &["the tree had ended by itself: killed"]);
}

#[tokio::test(start_paused = true)]
async fn a_brutal_stop_and_crashes_before_the_stop_are_in_order() {
    let rock = ChildSpec::task("rock", |_| std::future::pending()).shutdown(Shutdown::Brutal);
    let probe = Probe::new("probe");
    let (spec, relay) = relay(&probe.address());
    let bed = test_kit::start([rock, spec]).await;
    relay.try_send(0).unwrap();
    test_kit::settle().await;
    assert_eq!(bed.find("relay").restarts, 1);
    bed.finish().await;
}

#[test]
fn a_tree_that_does_not_start_or_lacks_a_name_is_shown() {
    let fails = async {
        let spec = ChildSpec::task("dud", |_| async { Err(Exit::error("no powder")) });
        drop(test_kit::start([spec]).await);
    };
    check_failure(fails, &["did not start", "no powder"]);
    let missing = async {
        let bed = test_kit::start([]).await;
        bed.find("nobody");
    };
    check_failure(missing, &["no nobody in", "bed <"]);
    let missing = async {
        let bed = test_kit::start([]).await;
        bed.process("nobody");
    };
    check_failure(missing, &["no nobody in", "bed <"]);
}
