//! Goal: static supervisors start, restart, stop and give up as OTP's do. Method: obedient
//! children that journal, under each strategy and policy; the clock is paused for deadlines.

#![expect(clippy::unwrap_used, reason = "a test fails by it")]

#[cfg(test)]
#[expect(dead_code, reason = "uses a part of it")]
mod common;

use std::time::Duration;

use belay_runtime::*;
use common::*;

const SECOND: Duration = Duration::from_secs(1);

/// Three children a, b, c under a strategy.
async fn three(strategy: Strategy) -> (Journal, Node, Vec<Address<Order>>) {
    let journal = Journal::default();
    let (specs, addresses): (Vec<_>, Vec<_>) = ["a", "b", "c"]
        .map(|name| obedient(name, &journal))
        .into_iter()
        .unzip();
    let builder = Supervisor::builder("node")
        .strategy(strategy)
        .children(specs);
    let node = Node::start(builder.intensity(Intensity::new(3, SECOND)))
        .await
        .unwrap();
    (journal, node, addresses)
}

async fn restarts(of: &[Address<Order>]) -> Vec<u32> {
    let mut all = Vec::new();
    for address in of {
        all.push(settled(address).await);
    }
    all
}

#[tokio::test]
async fn starts_in_order_and_stops_in_reverse() {
    let (journal, node, _) = three(Strategy::OneForOne).await;
    assert_eq!(journal.take(), ["a starts", "b starts", "c starts"]);
    stop(node).await;
    assert_eq!(
        journal.take(),
        [
            "c stops: shutdown",
            "b stops: shutdown",
            "a stops: shutdown"
        ]
    );
}

#[tokio::test]
async fn one_for_one_restarts_the_child_alone() {
    let (journal, node, abc) = three(Strategy::OneForOne).await;
    order(&abc[1], Order::Panic("b breaks"));
    assert_eq!(restarts(&abc).await, [0, 1, 0]);
    assert_eq!(journal.entries()[3..], ["b starts"]);
    stop(node).await;
}

#[tokio::test]
async fn rest_for_one_restarts_those_after_it() {
    let (journal, node, abc) = three(Strategy::RestForOne).await;
    order(&abc[1], Order::Panic("b breaks"));
    until("the restart", || journal.entries().len() == 6).await;
    assert_eq!(
        journal.entries()[3..],
        ["c stops: shutdown", "b starts", "c starts"]
    );
    assert_eq!(restarts(&abc).await, [0, 1, 1]);
    stop(node).await;
}

#[tokio::test]
async fn one_for_all_restarts_all_of_them() {
    let (journal, node, abc) = three(Strategy::OneForAll).await;
    order(&abc[1], Order::Panic("b breaks"));
    until("the restart", || journal.entries().len() == 8).await;
    let expected = [
        "c stops: shutdown",
        "a stops: shutdown",
        "a starts",
        "b starts",
        "c starts",
    ];
    assert_eq!(journal.entries()[3..], expected);
    assert_eq!(restarts(&abc).await, [1, 1, 1]);
    stop(node).await;
}

#[tokio::test]
async fn queues_survive_a_restart_with_siblings() {
    let (journal, node, abc) = three(Strategy::OneForAll).await;
    order(&abc[0], Order::Panic("a breaks"));
    order(&abc[0], Order::Note(1));
    order(&abc[2], Order::Note(2));
    until("both are handled", || {
        let entries = journal.entries();
        ["a notes 1", "c notes 2"]
            .iter()
            .all(|note| entries.iter().any(|entry| entry == note))
    })
    .await;
    stop(node).await;
}

#[tokio::test]
async fn a_child_that_fails_to_start_stops_those_before_it() {
    let journal = Journal::default();
    let (a, _) = obedient("a", &journal);
    let (b, _) = obedient_if("b", &journal, |_| false);
    let (c, _) = obedient("c", &journal);
    let started = Node::start(Supervisor::builder("node").child(a).child(b).child(c)).await;
    let StartError::Failed { name, exit } = started.expect_err("b does not start") else {
        panic!("another error")
    };
    assert_eq!(&*name, "node");
    assert!(
        exit.to_string()
            .contains("child b did not start: error: told not to"),
        "{exit}"
    );
    assert_eq!(
        journal.entries(),
        ["a starts", "b fails to start", "a stops: shutdown"]
    );
}

#[tokio::test]
async fn a_sibling_that_fails_to_start_again_counts_as_a_failure() {
    let journal = Journal::default();
    let (a, a_address) = obedient("a", &journal);
    let (b, _) = obedient_if("b", &journal, |incarnation| incarnation == 0);
    let builder = Supervisor::builder("node")
        .strategy(Strategy::OneForAll)
        .child(a)
        .child(b);
    let node = Node::start(builder.intensity(Intensity::new(2, LONG)))
        .await
        .unwrap();
    order(&a_address, Order::Panic("a breaks"));
    let Exit::Crash(crash) = node.finished().await else {
        panic!("it gave up")
    };
    assert_eq!(crash.kind, CrashKind::Intensity);
    assert!(crash.text.starts_with("child b ended with"), "{crash}");
    let attempts = journal
        .entries()
        .iter()
        .filter(|entry| *entry == "b fails to start")
        .count();
    assert_eq!(attempts, 2);
}

#[tokio::test]
async fn restarts_by_policy_and_kind_of_exit() {
    let journal = Journal::default();
    let (permanent, p) = obedient("p", &journal);
    let (transient, t) = obedient("t", &journal);
    let (temporary, x) = obedient("x", &journal);
    let builder = Supervisor::builder("node")
        .intensity(Intensity::new(9, LONG))
        .child(permanent)
        .child(transient.restart(Restart::Transient))
        .child(temporary.restart(Restart::Temporary));
    let node = Node::start(builder).await.unwrap();
    order(&p, Order::Stop);
    assert_eq!(settled(&p).await, 1);
    order(&t, Order::Fail("broken"));
    assert_eq!(settled(&t).await, 1);
    order(&t, Order::Stop);
    order(&x, Order::Panic("broken"));
    until("both ended", || t.is_closed() && x.is_closed()).await;
    until("both are shown so", || {
        let tree = node.tree();
        ["t", "x"]
            .iter()
            .all(|name| find(&tree, name).state == State::Ended)
    })
    .await;
    stop(node).await;
}

#[tokio::test]
async fn a_transient_child_comes_back_with_its_siblings() {
    let journal = Journal::default();
    let (a, a_address) = obedient("a", &journal);
    let (b, b_address) = obedient("b", &journal);
    let builder = Supervisor::builder("node")
        .strategy(Strategy::OneForAll)
        .child(a)
        .child(b.restart(Restart::Transient));
    let node = Node::start(builder).await.unwrap();
    order(&b_address, Order::Stop);
    until("b is closed", || b_address.is_closed()).await;
    order(&a_address, Order::Panic("a breaks"));
    until("b is open", || !b_address.is_closed()).await;
    assert_eq!(settled(&b_address).await, 1);
    stop(node).await;
}

#[tokio::test]
async fn too_many_restarts_climb_to_the_next_supervisor() {
    let journal = Journal::default();
    let mailbox = Mailbox::new(Capacity::new(64));
    let (inner_journal, inner_mailbox) = (journal.clone(), mailbox.clone());
    let inner = ChildSpec::supervisor("inner", move || {
        let journal = inner_journal.clone();
        let spec = ChildSpec::process("leaf", &inner_mailbox, move || Obedient {
            journal: journal.clone(),
            starts: |_| true,
        });
        Supervisor::builder("inner")
            .intensity(Intensity::new(1, LONG))
            .child(spec)
    });
    let builder = Supervisor::builder("node")
        .intensity(Intensity::new(1, LONG))
        .child(inner);
    let node = Node::start(builder).await.unwrap();
    let leaf = mailbox.address();
    order(&leaf, Order::Panic("1"));
    assert_eq!(settled(&leaf).await, 1);
    order(&leaf, Order::Panic("2"));
    until("inner restarts", || {
        find(&node.tree(), "inner").restarts == 1
    })
    .await;
    until("the leaf is open again", || !leaf.is_closed()).await;
    assert_eq!(settled(&leaf).await, 0, "it is a new child");
    let last = find(&node.tree(), "inner").last_exit.unwrap();
    assert!(last.starts_with("restart intensity reached: child leaf ended with panic: 2"));
    order(&leaf, Order::Panic("3"));
    assert_eq!(settled(&leaf).await, 1);
    order(&leaf, Order::Panic("4"));
    let Exit::Crash(crash) = node.finished().await else {
        panic!("it gave up")
    };
    assert!(crash.text.starts_with("child inner ended with"), "{crash}");
}

#[tokio::test(start_paused = true)]
async fn restarts_spread_over_time_are_borne() {
    let (_, node, abc) = three(Strategy::OneForOne).await;
    for count in 1..20 {
        order(&abc[0], Order::Panic("again"));
        assert_eq!(settled(&abc[0]).await, count);
        tokio::time::advance(SECOND * 2 / 5).await;
    }
    stop(node).await;
}

#[tokio::test]
async fn a_child_over_its_own_limit_is_abandoned_and_the_rest_goes_on() {
    let journal = Journal::default();
    let (a, a_address) = obedient("a", &journal);
    let (b, b_address) = obedient("b", &journal);
    let told = journal.clone();
    let closed = a_address.clone();
    let a = a
        .intensity(Intensity::new(2, LONG))
        .on_abandoned(move |name, exit| {
            told.write(format!(
                "{name} abandoned: {}, closed {}",
                short(exit),
                closed.is_closed()
            ));
        });
    // Its restarts do not count against this one: it would bear none.
    let builder = Supervisor::builder("node")
        .intensity(Intensity::new(1, LONG))
        .child(a)
        .child(b);
    let node = Node::start(builder).await.unwrap();
    for count in 1..3 {
        order(&a_address, Order::Panic("again"));
        assert_eq!(settled(&a_address).await, count);
    }
    order(&a_address, Order::Panic("last"));
    order(&a_address, Order::Note(7));
    until("it is abandoned", || {
        find(&node.tree(), "a").state == State::Abandoned
    })
    .await;
    assert!(a_address.is_closed());
    assert!(
        journal
            .entries()
            .contains(&"a abandoned: panic: last, closed true".into())
    );
    assert_eq!(settled(&b_address).await, 0);
    stop(node).await;
}

#[tokio::test]
async fn several_abandoned_children_climb() {
    let journal = Journal::default();
    let (a, a_address) = obedient("a", &journal);
    let (b, b_address) = obedient("b", &journal);
    let limit = Intensity::new(0, LONG);
    let builder = Supervisor::builder("node")
        .intensity(Intensity::new(1, LONG))
        .child(a.intensity(limit))
        .child(b.intensity(limit));
    let node = Node::start(builder).await.unwrap();
    order(&a_address, Order::Panic("once"));
    until("a is abandoned", || {
        find(&node.tree(), "a").state == State::Abandoned
    })
    .await;
    order(&b_address, Order::Panic("once"));
    assert!(matches!(node.finished().await, Exit::Crash(_)));
}

/// A body that notices the request to stop and does not heed it.
fn stubborn(name: &str) -> ChildSpec {
    ChildSpec::task(name.to_owned(), |ctx| async move {
        ctx.stopping().await;
        std::future::pending().await
    })
}

#[tokio::test(start_paused = true)]
async fn a_child_that_does_not_stop_is_killed_at_its_deadline() {
    for (shutdown, expected) in [
        (Shutdown::Brutal, Duration::ZERO),
        (Shutdown::Timeout(SECOND), SECOND),
        (Shutdown::default(), limits::SHUTDOWN_DEFAULT),
    ] {
        let spec = stubborn("stubborn").shutdown(shutdown);
        let node = Node::start(Supervisor::builder("node").child(spec))
            .await
            .unwrap();
        let begun = tokio::time::Instant::now();
        stop(node).await;
        let took = begun.elapsed();
        assert!(
            took >= expected && took < expected + SECOND / 10,
            "{shutdown:?} took {took:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn infinity_waits_and_the_report_names_who_is_left() {
    let spec = stubborn("stubborn").shutdown(Shutdown::Infinity);
    let node = Node::start(Supervisor::builder("node").child(spec))
        .await
        .unwrap();
    let begun = tokio::time::Instant::now();
    let report = node.stop(SECOND * 100).await;
    assert_eq!(report.not_stopped, ["stubborn", "node"]);
    assert_eq!(begun.elapsed().as_secs(), 100);
}

#[tokio::test]
async fn significant_children_end_their_supervisor() {
    let journal = Journal::default();
    for (auto, ends_after) in [
        (AutoShutdown::AnySignificant, 1),
        (AutoShutdown::AllSignificant, 2),
    ] {
        let (a, a_address) = obedient("a", &journal);
        let (b, b_address) = obedient("b", &journal);
        let (c, c_address) = obedient("c", &journal);
        let mark = |spec: ChildSpec| spec.restart(Restart::Transient).significant(true);
        let builder = Supervisor::builder("node").auto_shutdown(auto);
        let node = Node::start(builder.child(mark(a)).child(mark(b)).child(c))
            .await
            .unwrap();
        for address in [&a_address, &b_address].into_iter().take(ends_after) {
            assert!(!c_address.is_closed());
            assert_eq!(settled(&c_address).await, 0);
            order(address, Order::Stop);
            until("it ended", || address.is_closed()).await;
        }
        assert!(matches!(node.finished().await, Exit::Shutdown));
        assert!(c_address.is_closed());
    }
}

#[tokio::test]
async fn a_stop_during_a_slow_start_is_heeded() {
    let mailbox = Mailbox::<()>::new(Capacity::new(1));
    let never_ready = ChildSpec::body("slow", &mailbox, |ctx: Context<()>| async move {
        ctx.stopping().await;
        Ok(())
    });
    let slow = ChildSpec::supervisor("slow start", {
        let spec = std::sync::Mutex::new(Some(never_ready.acknowledged()));
        move || Supervisor::builder("slow start").children(spec.lock().unwrap().take())
    });
    let children = DynamicSupervisor::new("children", DynamicOptions::default());
    let node = Node::start(Supervisor::builder("node").child(children.spec()))
        .await
        .unwrap();
    children.spawn_child(slow).unwrap();
    until("it starts", || node.tree().to_text().contains("slow <")).await;
    stop(node).await;
}

#[tokio::test]
async fn killing_a_supervisor_takes_its_children_along() {
    let (journal, node, abc) = three(Strategy::OneForOne).await;
    node.root().kill();
    assert!(matches!(node.finished().await, Exit::Killed));
    until("its children end", || abc.iter().all(Address::is_closed)).await;
    assert_eq!(journal.entries().len(), 3, "none was asked to stop");
}

#[tokio::test]
async fn a_killed_supervisor_starts_again_on_the_same_mailboxes() {
    let journal = Journal::default();
    let mailbox = Mailbox::new(Capacity::new(64));
    let (inner_journal, inner_mailbox) = (journal.clone(), mailbox.clone());
    let inner = ChildSpec::supervisor("inner", move || {
        let journal = inner_journal.clone();
        let spec = ChildSpec::process("leaf", &inner_mailbox, move || Obedient {
            journal: journal.clone(),
            starts: |_| true,
        });
        Supervisor::builder("inner").child(spec)
    });
    let children = DynamicSupervisor::new("children", DynamicOptions::default());
    let node = Node::start(Supervisor::builder("node").child(children.spec()))
        .await
        .unwrap();
    let inner = children.start_child(inner).await.unwrap();
    inner.kill();
    until("the leaf runs again", || {
        journal.entries() == ["leaf starts", "leaf starts"]
    })
    .await;
    assert_eq!(settled(&mailbox.address()).await, 0);
    assert!(inner.is_alive());
    stop(node).await;
}

#[tokio::test]
async fn a_child_that_crashes_while_its_supervisor_stops_is_not_restarted() {
    let journal = Journal::default();
    let (a, a_address) = obedient("a", &journal);
    let crashing = a_address.clone();
    let b = ChildSpec::task("b", |ctx| async move {
        ctx.stopping().await;
        order(&crashing, Order::Panic("while b stops"));
        until("a has ended", || crashing.is_closed()).await;
        Ok(())
    });
    let node = Node::start(Supervisor::builder("node").child(a).child(b))
        .await
        .unwrap();
    stop(node).await;
    assert_eq!(journal.entries(), ["a starts"]);
}
