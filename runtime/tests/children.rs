//! Goal: children of a running static supervisor are stopped, started, deleted and added by name,
//! as OTP's supervisor does it. Method: obedient children, on a paused clock; typed errors.

#![expect(clippy::unwrap_used, reason = "a test fails by it")]

#[cfg(test)]
#[expect(dead_code, reason = "uses a part of it")]
mod common;

use std::time::Duration;

use belay_runtime::*;
use common::*;
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

async fn started(builder: SupervisorBuilder) -> (Node, SupervisorRef) {
    let node = Node::start(builder.intensity(Intensity::new(9, LONG)))
        .await
        .unwrap();
    let supervisor = node.supervisor();
    (node, supervisor)
}

fn names(supervisor: &SupervisorRef) -> Vec<String> {
    let children = supervisor.which_children();
    children
        .iter()
        .map(|child| child.name().to_owned())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_terminated_child_rests_until_it_is_restarted_or_deleted() {
    let journal = Journal::default();
    let (a, _) = obedient("a", &journal);
    let (b, b_address) = obedient("b", &journal);
    let (node, supervisor) = started(Supervisor::builder("node").child(a).child(b)).await;
    let child = supervisor.child("b").unwrap();
    journal.take();
    supervisor.terminate_child("b").await.unwrap();
    assert_eq!(journal.take(), ["b stops: shutdown"]);
    assert!(b_address.is_closed());
    assert_eq!(find(&node.tree(), "b").state, State::Ended);
    supervisor.terminate_child("b").await.unwrap();
    assert_eq!(names(&supervisor), ["a", "b"]);

    let again = supervisor.restart_child("b").await.unwrap();
    assert_eq!(again, child, "its pid goes on");
    assert_eq!(settled(&b_address).await, 1);
    let running = supervisor.restart_child("b").await.unwrap_err();
    assert!(matches!(running, ChildError::Running), "{running}");
    let running = supervisor.delete_child("b").await.unwrap_err();
    assert!(matches!(running, ChildError::Running), "{running}");

    supervisor.terminate_child("b").await.unwrap();
    supervisor.delete_child("b").await.unwrap();
    assert!(!child.is_alive());
    assert_eq!(names(&supervisor), ["a"]);
    for unknown in [
        supervisor.terminate_child("b").await.unwrap_err(),
        supervisor.restart_child("b").await.unwrap_err(),
        supervisor.delete_child("b").await.unwrap_err(),
    ] {
        assert!(matches!(unknown, ChildError::NotFound), "{unknown}");
    }
    stop(node).await;
    let stopped = supervisor.terminate_child("a").await.unwrap_err();
    assert!(matches!(stopped, ChildError::NotRunning), "{stopped}");
}

#[tokio::test(start_paused = true)]
async fn a_child_that_rests_is_not_brought_back_by_its_siblings() {
    let journal = Journal::default();
    let (a, a_address) = obedient("a", &journal);
    let (b, b_address) = obedient("b", &journal);
    let builder = Supervisor::builder("node").strategy(Strategy::OneForAll);
    let (node, supervisor) = started(builder.child(a).child(b)).await;
    supervisor.terminate_child("b").await.unwrap();
    order(&a_address, Order::Panic("breaks"));
    until("a is back", || find(&node.tree(), "a").restarts == 1).await;
    assert_eq!(settled(&a_address).await, 1);
    assert!(b_address.is_closed());
    supervisor.restart_child("b").await.unwrap();
    order(&a_address, Order::Panic("breaks"));
    until("b is back", || find(&node.tree(), "b").restarts == 2).await;
    assert_eq!(settled(&b_address).await, 2);
    stop(node).await;
}

#[tokio::test(start_paused = true)]
async fn children_are_added_after_those_that_are_there() {
    let journal = Journal::default();
    let (a, a_address) = obedient("a", &journal);
    let (b, b_address) = obedient("b", &journal);
    let (twin, _) = obedient("a", &journal);
    let builder = Supervisor::builder("node").strategy(Strategy::RestForOne);
    let (node, supervisor) = started(builder.child(a)).await;
    supervisor.start_child(b).await.unwrap();
    let twin = supervisor.start_child(twin).await.unwrap_err();
    assert_eq!(twin.to_string(), "two children are named a");
    order(&a_address, Order::Panic("breaks"));
    until("both are back", || find(&node.tree(), "b").restarts == 1).await;
    assert_eq!(settled(&b_address).await, 1);

    let (fails, _) = obedient_if("c", &journal, |_| false);
    let failed = supervisor.start_child(fails).await.unwrap_err();
    assert!(matches!(failed, StartError::Failed { .. }), "{failed}");
    assert_eq!(names(&supervisor), ["a", "b"]);
    journal.take();
    stop(node).await;
    assert_eq!(journal.take(), ["b stops: shutdown", "a stops: shutdown"]);
}

#[tokio::test(start_paused = true)]
async fn a_child_that_does_not_start_by_name_rests_again() {
    let journal = Journal::default();
    let (a, a_address) = obedient_if("a", &journal, |incarnation| incarnation != 1);
    let (node, supervisor) = started(Supervisor::builder("node").child(a)).await;
    supervisor.terminate_child("a").await.unwrap();
    let failed = supervisor.restart_child("a").await.unwrap_err();
    let expected = "child a did not start: error: told not to start";
    assert_eq!(failed.to_string(), expected);
    until("it rests", || a_address.is_closed()).await;
    supervisor.restart_child("a").await.unwrap();
    assert_eq!(settled(&a_address).await, 2);
    stop(node).await;
}

#[tokio::test(start_paused = true)]
async fn terminating_calls_a_back_off_off() {
    for strategy in [Strategy::OneForOne, Strategy::OneForAll] {
        let journal = Journal::default();
        let (a, a_address) = obedient("a", &journal);
        let builder = Supervisor::builder("node").strategy(strategy);
        let backoff = Backoff {
            jitter: 0.0,
            ..Backoff::default()
        };
        let (node, supervisor) = started(builder.child(a.backoff(backoff))).await;
        order(&a_address, Order::Panic("breaks"));
        until("it waits", || {
            find(&node.tree(), "a").state == State::Waiting
        })
        .await;
        let waits = supervisor.restart_child("a").await.unwrap_err();
        assert!(matches!(waits, ChildError::Restarting), "{waits}");
        let begun = Instant::now();
        supervisor.terminate_child("a").await.unwrap();
        assert_eq!(begun.elapsed(), Duration::ZERO);
        test_kit::advance(SECOND * 9).await;
        assert_eq!(find(&node.tree(), "a").state, State::Ended);
        assert_eq!(find(&node.tree(), "a").detail, None);
        supervisor.restart_child("a").await.unwrap();
        assert_eq!(settled(&a_address).await, 1);
        stop(node).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_temporary_child_leaves_the_list() {
    let journal = Journal::default();
    let (a, _) = obedient("a", &journal);
    let (b, b_address) = obedient("b", &journal);
    let (c, _) = obedient("c", &journal);
    let temporary = |spec: ChildSpec| spec.restart(Restart::Temporary);
    let builder = Supervisor::builder("node").child(temporary(a));
    let (node, supervisor) = started(builder.child(temporary(b))).await;
    supervisor.terminate_child("a").await.unwrap();
    assert_eq!(names(&supervisor), ["b"]);
    order(&b_address, Order::Stop);
    until("it has ended", || {
        find(&node.tree(), "b").state == State::Ended
    })
    .await;
    let ended = supervisor.restart_child("b").await.unwrap_err();
    assert!(matches!(ended, ChildError::Ended), "{ended}");
    supervisor.start_child(c).await.unwrap();
    assert_eq!(names(&supervisor), ["c"]);
    stop(node).await;
}

#[tokio::test(start_paused = true)]
async fn a_child_that_rests_does_not_keep_its_supervisor_from_stopping_by_itself() {
    let journal = Journal::default();
    let (a, _) = obedient("a", &journal);
    let (b, b_address) = obedient("b", &journal);
    let mark = |spec: ChildSpec| spec.restart(Restart::Transient).significant(true);
    let builder = Supervisor::builder("node").auto_shutdown(AutoShutdown::AllSignificant);
    let (node, supervisor) = started(builder.child(mark(a)).child(mark(b))).await;
    supervisor.terminate_child("a").await.unwrap();
    supervisor.restart_child("a").await.unwrap();
    supervisor.terminate_child("a").await.unwrap();
    assert_eq!(settled(&b_address).await, 0);
    order(&b_address, Order::Stop);
    assert!(matches!(node.finished().await, Exit::Shutdown));
}

#[tokio::test(start_paused = true)]
async fn what_does_not_stop_is_killed_and_what_is_no_supervisor_has_no_children() {
    let spec = ChildSpec::body(
        "stubborn",
        &Mailbox::<()>::new(Capacity::new(1)),
        |ctx: Context<()>| async move {
            ctx.stopping().await;
            std::future::pending().await
        },
    );
    let (node, supervisor) = started(Supervisor::builder("node").child(spec)).await;
    let child = supervisor.child("stubborn").unwrap();
    assert!(SupervisorRef::of(&child).is_none());
    assert!(SupervisorRef::of(supervisor.process()).is_some());
    let begun = Instant::now();
    supervisor.terminate_child("stubborn").await.unwrap();
    assert_eq!(begun.elapsed(), limits::SHUTDOWN_DEFAULT);
    supervisor.restart_child("stubborn").await.unwrap();
    node.root().kill();
    node.finished().await;
    until("it has ended", || !child.is_alive()).await;
}
