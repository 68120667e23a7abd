//! Goal: a child with a back-off is started again after it, no sooner and no later, holds nobody
//! up, and can be stopped while it waits. Method: obedient children with back-offs without jitter,
//! under each strategy, on a paused clock.

#![expect(clippy::unwrap_used, reason = "a test fails by it")]

#[cfg(test)]
#[expect(dead_code, reason = "uses a part of it")]
mod common;

use std::time::Duration;

use belay_runtime::*;
use common::*;
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

/// 10, 20, 40, 40, … seconds.
fn tens() -> Backoff {
    Backoff {
        first: SECOND * 10,
        factor: 2.0,
        max: SECOND * 40,
        jitter: 0.0,
    }
}

/// Children a, b, c; b backs off.
async fn three(strategy: Strategy) -> (Journal, Node, Vec<Address<Order>>) {
    let journal = Journal::default();
    let (a, a_address) = obedient("a", &journal);
    let (b, b_address) = obedient("b", &journal);
    let (c, c_address) = obedient("c", &journal);
    let builder = Supervisor::builder("node")
        .strategy(strategy)
        .intensity(Intensity::new(9, LONG * 99))
        .children([a, b.backoff(tens()), c]);
    let node = Node::start(builder).await.unwrap();
    journal.take();
    (journal, node, vec![a_address, b_address, c_address])
}

fn states(node: &Node) -> Vec<State> {
    node.tree()
        .children
        .iter()
        .map(|child| child.state)
        .collect()
}

/// Breaks `child` and waits until it answers again; how long that took.
async fn time_to_come_back(child: &Address<Order>) -> Duration {
    let begun = Instant::now();
    order(child, Order::Panic("breaks"));
    child.call(LONG * 9, Order::Incarnation).await.unwrap();
    begun.elapsed()
}

fn about(found: Duration, expected: Duration) -> bool {
    found >= expected && found < expected + SECOND / 10
}

#[tokio::test(start_paused = true)]
async fn delays_grow_and_start_anew_after_a_good_run() {
    let (_, node, abc) = three(Strategy::OneForOne).await;
    for expected in [10, 20, 40, 40] {
        let took = time_to_come_back(&abc[1]).await;
        assert!(about(took, SECOND * expected), "{took:?} for {expected}");
    }
    tokio::time::advance(SECOND * 39).await;
    assert!(about(time_to_come_back(&abc[1]).await, SECOND * 40));
    tokio::time::advance(SECOND * 40).await;
    assert!(about(time_to_come_back(&abc[1]).await, SECOND * 10));
    stop(node).await;
}

#[tokio::test(start_paused = true)]
async fn others_restart_at_once_meanwhile() {
    let (journal, node, abc) = three(Strategy::OneForOne).await;
    order(&abc[1], Order::Panic("breaks"));
    until("b waits", || states(&node)[1] == State::Waiting).await;
    let begun = Instant::now();
    order(&abc[0], Order::Panic("breaks"));
    assert_eq!(settled(&abc[0]).await, 1);
    assert_eq!(begun.elapsed(), Duration::ZERO);
    assert_eq!(journal.entries(), ["a starts"]);
    assert_eq!(states(&node)[1], State::Waiting);
    tokio::time::advance(SECOND * 4).await;
    let shown = find(&node.tree(), "b").detail;
    assert_eq!(shown.as_deref(), Some("next try in 6 s"));
    assert_eq!(settled(&abc[1]).await, 1);
    assert_eq!(find(&node.tree(), "b").detail, None);
    stop(node).await;
}

#[tokio::test(start_paused = true)]
async fn a_child_that_waits_is_stopped_at_once() {
    for strategy in [
        Strategy::OneForOne,
        Strategy::RestForOne,
        Strategy::OneForAll,
    ] {
        let (journal, node, abc) = three(strategy).await;
        order(&abc[1], Order::Panic("breaks"));
        until("b waits", || states(&node)[1] == State::Waiting).await;
        let begun = Instant::now();
        stop(node).await;
        assert_eq!(begun.elapsed(), Duration::ZERO, "{strategy:?}");
        assert!(abc[1].is_closed());
        assert!(!journal.entries().contains(&"b starts".into()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_kill_of_the_supervisor_ends_a_child_that_waits() {
    let (_, node, abc) = three(Strategy::OneForOne).await;
    order(&abc[1], Order::Panic("breaks"));
    until("b waits", || states(&node)[1] == State::Waiting).await;
    let begun = Instant::now();
    node.root().kill();
    until("b has ended", || abc[1].is_closed()).await;
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_dynamic_child_that_waits_can_be_stopped() {
    let children = DynamicSupervisor::new("children", DynamicOptions::default());
    let node = Node::start(Supervisor::builder("node").child(children.spec()))
        .await
        .unwrap();
    let (spec, address) = obedient("a", &Journal::default());
    let child = children.start_child(spec.backoff(tens())).await.unwrap();
    let begun = Instant::now();
    order(&address, Order::Panic("breaks"));
    until("it waits", || {
        find(&node.tree(), "a").state == State::Waiting
    })
    .await;
    child.kill();
    assert_eq!(children.count(), 1, "there is no incarnation to kill");
    assert_eq!(children.stop_child(child.pid()).await, Ok(()));
    assert_eq!((children.count(), begun.elapsed()), (0, Duration::ZERO));
    stop(node).await;
}

#[tokio::test(start_paused = true)]
async fn a_group_stops_at_once_and_starts_after_the_delay() {
    let (journal, node, abc) = three(Strategy::OneForAll).await;
    let begun = Instant::now();
    order(&abc[1], Order::Panic("breaks"));
    until("all wait", || states(&node) == [State::Waiting; 3]).await;
    assert_eq!(begun.elapsed(), Duration::ZERO);
    assert_eq!(journal.take(), ["c stops: shutdown", "a stops: shutdown"]);
    assert_eq!(settled(&abc[2]).await, 1);
    assert!(about(begun.elapsed(), SECOND * 10));
    assert_eq!(journal.take(), ["a starts", "b starts", "c starts"]);
    stop(node).await;
}

#[tokio::test(start_paused = true)]
async fn regression_the_longest_delay_of_those_that_failed_at_once_is_kept() {
    for strategy in [Strategy::RestForOne, Strategy::OneForAll] {
        let (_, node, abc) = three(strategy).await;
        let begun = Instant::now();
        // Both before their supervisor sees either.
        order(&abc[0], Order::Panic("breaks"));
        order(&abc[1], Order::Panic("breaks too"));
        until("all wait", || states(&node) == [State::Waiting; 3]).await;
        assert_eq!(settled(&abc[2]).await, 1);
        let took = begun.elapsed();
        assert!(about(took, SECOND * 10), "{strategy:?}: {took:?}");
        stop(node).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_older_child_that_fails_meanwhile_joins_the_group() {
    let (journal, node, abc) = three(Strategy::RestForOne).await;
    let begun = Instant::now();
    order(&abc[1], Order::Panic("breaks"));
    let expected = [State::Running, State::Waiting, State::Waiting];
    until("b and c wait", || states(&node) == expected).await;
    tokio::time::advance(SECOND * 4).await;
    assert_eq!(settled(&abc[0]).await, 0, "a is served");
    order(&abc[0], Order::Panic("breaks too"));
    until("all wait", || states(&node) == [State::Waiting; 3]).await;
    assert_eq!(settled(&abc[2]).await, 1);
    assert!(about(begun.elapsed(), SECOND * 10), "b's delay is kept");
    assert_eq!(
        journal.take(),
        ["c stops: shutdown", "a starts", "b starts", "c starts"]
    );
    stop(node).await;
}

#[tokio::test]
async fn regression_an_older_child_that_fails_while_its_juniors_stop_is_restarted() {
    let journal = Journal::default();
    let (a, a_address) = obedient("a", &journal);
    let (b, b_address) = obedient("b", &journal);
    let breaking = a_address.clone();
    let mailbox = Mailbox::<()>::new(Capacity::new(1));
    let c = ChildSpec::body("c", &mailbox, move |ctx: Context<()>| {
        let breaking = breaking.clone();
        async move {
            ctx.stopping().await;
            if ctx.incarnation() == 0 {
                order(&breaking, Order::Panic("while c stops"));
            }
            // So long that a has failed before c has stopped.
            for _ in 0..99 {
                tokio::task::yield_now().await;
            }
            Ok(())
        }
    });
    let builder = Supervisor::builder("node")
        .strategy(Strategy::RestForOne)
        .intensity(Intensity::new(9, LONG))
        .children([a, b, c]);
    let node = Node::start(builder).await.unwrap();
    order(&b_address, Order::Panic("breaks"));
    until("all run again", || {
        states(&node) == [State::Running; 3] && node.tree().children[0].restarts == 1
    })
    .await;
    assert_eq!(settled(&a_address).await, 1);
    stop(node).await;
}
