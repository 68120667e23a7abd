//! Goal: links, monitors, exits and timers do what OTP's do. Method: two obedient processes that
//! journal what reaches them; the clock is paused for timers.

#[cfg(test)]
#[expect(dead_code, reason = "uses a part of it")]
mod common;

use std::time::Duration;

use belay_runtime::test_kit::Bed;
use belay_runtime::*;
use common::*;

struct Pair {
    journal: Journal,
    bed: Bed,
    a: (ProcessRef, Address<Order>),
    b: (ProcessRef, Address<Order>),
}

async fn pair(restart: Restart) -> Pair {
    let journal = Journal::default();
    let (a_spec, a) = obedient("a", &journal);
    let (b_spec, b) = obedient("b", &journal);
    let builder = Supervisor::builder("bed")
        .intensity(Intensity::UNLIMITED)
        .children([a_spec.restart(restart), b_spec.restart(restart)]);
    let bed = test_kit::start_with(builder).await;
    journal.take();
    let (a, b) = ((bed.process("a"), a), (bed.process("b"), b));
    Pair { journal, bed, a, b }
}

#[tokio::test]
async fn a_crash_takes_the_linked_process_along() {
    let pair = pair(Restart::Temporary).await;
    order(&pair.a.1, Order::Link(pair.b.0.clone()));
    settled(&pair.a.1).await;
    order(&pair.b.1, Order::Fail("broken"));
    pair.a.0.ended().await;
    // The linked one has no say in it: its stop callback does not run.
    assert_eq!(pair.journal.entries(), ["b stops: error: broken"]);
    assert!(!pair.a.0.is_alive() && !pair.b.0.is_alive());
    pair.bed.finish().await;
}

#[tokio::test]
async fn a_normal_exit_leaves_the_linked_process_alone() {
    let pair = pair(Restart::Temporary).await;
    order(&pair.a.1, Order::Link(pair.b.0.clone()));
    settled(&pair.a.1).await;
    order(&pair.b.1, Order::Stop);
    pair.b.0.ended().await;
    assert_eq!(settled(&pair.a.1).await, 0);
    pair.bed.finish().await;
}

#[tokio::test]
async fn an_unlinked_process_is_left_alone() {
    let pair = pair(Restart::Temporary).await;
    order(&pair.a.1, Order::Link(pair.b.0.clone()));
    order(&pair.a.1, Order::Unlink(pair.b.0.clone()));
    settled(&pair.a.1).await;
    order(&pair.b.1, Order::Fail("broken"));
    pair.b.0.ended().await;
    assert_eq!(settled(&pair.a.1).await, 0);
    pair.bed.finish().await;
}

#[tokio::test]
async fn who_traps_exits_gets_them_as_signals() {
    let pair = pair(Restart::Temporary).await;
    order(&pair.a.1, Order::Trap);
    order(&pair.a.1, Order::Link(pair.b.0.clone()));
    settled(&pair.a.1).await;
    order(&pair.b.1, Order::Fail("broken"));
    pair.b.0.ended().await;
    pair.a.0.exit(Exit::Shutdown);
    assert_eq!(settled(&pair.a.1).await, 0);
    let expected = [
        "b stops: error: broken",
        "a gets exit by link: error: broken",
        "a gets exit by outside: shutdown",
    ];
    assert_eq!(pair.journal.take(), expected);
    // The link to one that has ended already gives its last exit at once.
    order(&pair.a.1, Order::Link(pair.b.0.clone()));
    let expected = ["a gets exit by link: error: broken"];
    pair.journal.expect(LONG, expected).await;
    // A kill is not to be trapped.
    pair.a.0.kill();
    assert!(matches!(pair.a.0.ended().await, Exit::Killed));
    assert!(pair.journal.entries().is_empty());
    pair.bed.finish().await;
}

#[tokio::test]
async fn exit_signals_from_outside_are_bounded() {
    let pair = pair(Restart::Temporary).await;
    let (told, tell) = tokio::sync::oneshot::channel();
    order(&pair.a.1, Order::Trap);
    order(&pair.a.1, Order::Wait(tell));
    until("it waits", || pair.a.1.is_empty()).await;
    for _ in 0..limits::EXIT_SIGNALS_MAX + 10 {
        pair.a.0.exit(Exit::Shutdown);
    }
    told.send(()).expect("it waits");
    settled(&pair.a.1).await;
    assert_eq!(pair.journal.entries().len(), limits::EXIT_SIGNALS_MAX);
    pair.bed.finish().await;
}

#[tokio::test]
async fn an_exit_from_outside_ends_who_does_not_trap() {
    let pair = pair(Restart::Permanent).await;
    pair.a.0.exit(Exit::Normal);
    assert_eq!(settled(&pair.a.1).await, 0);
    pair.a.0.exit(Exit::Shutdown);
    assert_eq!(settled(&pair.a.1).await, 1);
    pair.a.0.kill();
    assert_eq!(settled(&pair.a.1).await, 2);
    let child = pair.bed.find("a");
    assert_eq!(child.last_exit.as_deref(), Some("killed"));
    pair.bed.finish().await;
}

#[tokio::test]
async fn a_monitor_sees_the_incarnation_end_once() {
    let pair = pair(Restart::Permanent).await;
    order(&pair.a.1, Order::Monitor(pair.b.0.clone()));
    settled(&pair.a.1).await;
    order(&pair.b.1, Order::Panic("one"));
    assert_eq!(settled(&pair.b.1).await, 1);
    order(&pair.b.1, Order::Panic("two"));
    assert_eq!(settled(&pair.b.1).await, 2);
    settled(&pair.a.1).await;
    let seen = pair.journal.entries();
    assert_eq!(
        seen.iter()
            .filter(|entry| entry.starts_with("a sees"))
            .count(),
        1,
        "{seen:?}"
    );
    assert!(
        seen.contains(&"a sees down: panic: one".to_owned()),
        "{seen:?}"
    );
    pair.bed.finish().await;
}

#[tokio::test]
async fn a_monitor_of_an_ended_process_tells_at_once() {
    let pair = pair(Restart::Temporary).await;
    pair.b.0.kill();
    pair.b.0.ended().await;
    order(&pair.a.1, Order::Monitor(pair.b.0.clone()));
    pair.journal.expect(LONG, ["a sees down: killed"]).await;
    pair.bed.finish().await;
}

#[tokio::test]
async fn a_monitoring_that_was_ended_tells_nothing() {
    let pair = pair(Restart::Temporary).await;
    order(&pair.a.1, Order::MonitorBriefly(pair.b.0.clone()));
    settled(&pair.a.1).await;
    pair.b.0.kill();
    pair.b.0.ended().await;
    order(&pair.a.1, Order::MonitorBriefly(pair.b.0.clone()));
    settled(&pair.a.1).await;
    assert!(pair.journal.entries().is_empty());
    pair.bed.finish().await;
}

#[tokio::test]
async fn links_end_with_the_incarnation() {
    let pair = pair(Restart::Permanent).await;
    order(&pair.a.1, Order::Link(pair.b.0.clone()));
    settled(&pair.a.1).await;
    order(&pair.a.1, Order::Panic("first"));
    assert_eq!(settled(&pair.a.1).await, 1);
    assert_eq!(
        settled(&pair.b.1).await,
        1,
        "it was linked to the first incarnation"
    );
    order(&pair.b.1, Order::Panic("second"));
    assert_eq!(settled(&pair.b.1).await, 2);
    assert_eq!(
        settled(&pair.a.1).await,
        1,
        "the second incarnation was never linked"
    );
    pair.bed.finish().await;
}

#[tokio::test(start_paused = true)]
async fn timers_fire_in_order_and_end_with_the_incarnation() {
    let pair = pair(Restart::Permanent).await;
    for (ms, number) in [(30, 3), (10, 1), (20, 2), (10, 11)] {
        order(&pair.a.1, Order::After(Duration::from_millis(ms), number));
    }
    test_kit::advance(Duration::from_millis(29)).await;
    assert_eq!(
        pair.journal.take(),
        ["a notes 1", "a notes 11", "a notes 2"]
    );
    test_kit::advance(Duration::from_millis(1)).await;
    assert_eq!(pair.journal.take(), ["a notes 3"]);
    order(&pair.a.1, Order::After(Duration::from_millis(10), 4));
    order(&pair.a.1, Order::Panic("before it fires"));
    assert_eq!(settled(&pair.a.1).await, 1);
    test_kit::advance(Duration::from_secs(1)).await;
    assert_eq!(pair.journal.entries(), ["a starts"]);
    pair.bed.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_timer_gives_its_message_back() {
    let mailbox = Mailbox::<u32>::new(Capacity::new(1));
    let (done, passed) = tokio::sync::oneshot::channel();
    let spec = ChildSpec::once_body("one", &mailbox, |mut ctx: Context<u32>| async move {
        let one = ctx.send_after(Duration::from_secs(1), 1);
        let two = ctx.send_after(Duration::from_secs(2), 2);
        let _never = ctx.send_after(Duration::MAX, 9);
        assert_eq!(ctx.cancel(one), Some(1));
        assert_eq!(ctx.cancel(one), None);
        let begun = ctx.now();
        assert!(matches!(ctx.next().await, Incoming::Timer(2)));
        assert_eq!((ctx.now() - begun).as_secs(), 2);
        assert_eq!(ctx.cancel(two), None);
        assert!(ctx.try_next().is_none());
        done.send(()).map_err(|()| Exit::error("nobody waits"))
    });
    let bed = test_kit::start([spec]).await;
    passed.await.expect("all assertions in the body hold");
    bed.finish().await;
}
