//! Goal: dynamic supervisors start, bound, restart and stop children, many of them in linear
//! time. Method: obedient children, and plain bodies by the hundred thousand.

#![expect(clippy::expect_used, reason = "a test fails by it")]

#[cfg(test)]
#[expect(dead_code, reason = "uses a part of it")]
mod common;

use std::time::Duration;

use belay_runtime::test_kit::{Bed, Probe};
use belay_runtime::*;
use common::*;

async fn running(options: DynamicOptions) -> (Bed, DynamicSupervisor) {
    let children = DynamicSupervisor::new("children", options);
    (test_kit::start([children.spec()]).await, children)
}

/// A child that waits to be stopped.
fn quiet(number: usize) -> ChildSpec {
    ChildSpec::task(number.to_string(), |ctx| async move {
        ctx.stopping().await;
        Ok(())
    })
}

#[tokio::test]
async fn starts_counts_and_stops_children() {
    let (bed, children) = running(DynamicOptions::default()).await;
    let journal = Journal::default();
    let (spec, address) = obedient("a", &journal);
    let a = children.start_child(spec).await.unwrap();
    assert_eq!((children.count(), a.name(), a.is_alive()), (1, "a", true));
    let twin = children.start_child(quiet(1)).await.unwrap();
    assert_eq!(children.children(), [a.clone(), twin.clone()]);
    assert_eq!(children.stop_child(twin.pid()).await, Ok(()));
    assert_eq!(children.children(), std::slice::from_ref(&a));
    assert_eq!(children.stop_child(a.pid()).await, Ok(()));
    assert_eq!((children.count(), a.is_alive()), (0, false));
    assert!(address.is_closed());
    assert_eq!(children.stop_child(a.pid()).await, Err(StopError::NotFound));
    assert_eq!(journal.entries(), ["a starts", "a stops: shutdown"]);
    bed.finish().await;
}

#[tokio::test]
async fn refuses_children_before_it_runs_and_after_it_stopped() {
    let children = DynamicSupervisor::new("children", DynamicOptions::default());
    assert!(matches!(
        children.spawn_child(quiet(1)),
        Err(StartError::NotRunning)
    ));
    let bed = test_kit::start([children.spec()]).await;
    let child = children.spawn_child(quiet(2)).unwrap();
    bed.finish().await;
    assert!(!child.is_alive());
    assert!(matches!(
        children.start_child(quiet(3)).await,
        Err(StartError::NotRunning)
    ));
    assert_eq!(children.count(), 0);
}

#[tokio::test]
async fn refuses_more_children_than_it_may_have() {
    let options = DynamicOptions {
        max_children: 2,
        ..Default::default()
    };
    let (bed, children) = running(options).await;
    let one = children.spawn_child(quiet(1)).unwrap();
    children.spawn_child(quiet(2)).unwrap();
    let refused = children.spawn_child(quiet(3)).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "supervisor has 2 children and may have no more"
    );
    children.stop_child(one.pid()).await.unwrap();
    children.spawn_child(quiet(4)).unwrap();
    bed.finish().await;
}

#[tokio::test]
async fn refuses_two_children_on_one_mailbox() {
    let (bed, children) = running(DynamicOptions::default()).await;
    let mailbox = Mailbox::<()>::new(Capacity::new(1));
    let spec = || {
        ChildSpec::once_body("one", &mailbox, |ctx: Context<()>| async move {
            ctx.stopping().await;
            Ok(())
        })
    };
    let first = children.start_child(spec()).await.unwrap();
    assert!(matches!(
        children.spawn_child(spec()),
        Err(StartError::MailboxInUse)
    ));
    assert_eq!(children.count(), 1);
    children.stop_child(first.pid()).await.unwrap();
    assert!(mailbox.address().is_closed());
    let second = children.start_child(spec()).await.unwrap();
    assert!(!mailbox.address().is_closed(), "a start opens it again");
    assert_ne!(first.pid(), second.pid());
    assert!(!first.is_alive() && second.is_alive());
    first.kill();
    assert!(
        second.is_alive(),
        "an old reference does not reach the new child"
    );
    bed.finish().await;
}

#[tokio::test]
async fn a_failed_start_is_told_and_leaves_no_child() {
    let (bed, children) = running(DynamicOptions::default()).await;
    let journal = Journal::default();
    let (spec, _) = obedient_if("a", &journal, |_| false);
    let error = children.start_child(spec).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "child a did not start: error: told not to start"
    );
    until("it is gone", || children.count() == 0).await;
    assert_eq!(journal.entries(), ["a fails to start"]);
    let panics = ChildSpec::task("b", |_| async { panic!("at once") });
    let error = children.start_child(panics).await.unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("child b did not start: panic: at once"),
        "{error}"
    );
    let constructor = ChildSpec::process("c", &Mailbox::new(Capacity::new(1)), || -> Obedient {
        panic!("while made")
    });
    let error = children.start_child(constructor).await.unwrap_err();
    assert!(error.to_string().contains("while made"), "{error}");
    bed.finish().await;
}

#[tokio::test]
async fn a_body_that_returns_at_once_did_start() {
    let (bed, children) = running(DynamicOptions::default()).await;
    let child = children
        .start_child(ChildSpec::task("a", |_| async { Ok(()) }))
        .await
        .unwrap();
    child.ended().await;
    bed.finish().await;
}

#[tokio::test]
async fn a_child_that_starts_only_the_second_time_is_restarted() {
    let (bed, children) = running(DynamicOptions::default()).await;
    let journal = Journal::default();
    let (spec, address) = obedient_if("a", &journal, |incarnation| incarnation > 0);
    children.spawn_child(spec).unwrap();
    assert_eq!(settled(&address).await, 1);
    bed.finish().await;
}

#[tokio::test]
async fn too_many_restarts_end_it_and_all_children_and_it_starts_empty() {
    let options = DynamicOptions {
        intensity: Intensity::new(0, LONG),
        ..Default::default()
    };
    let (bed, children) = running(options).await;
    let journal = Journal::default();
    let (spec, address) = obedient("a", &journal);
    children.spawn_child(quiet(1)).unwrap();
    children.spawn_child(spec).unwrap();
    let (process, mut probe) = (bed.process("children"), Probe::<()>::new("probe"));
    probe.watch(&process);
    order(&address, Order::Panic("once"));
    assert_eq!(probe.expect_restart(&process, LONG).await, 1);
    assert_eq!(children.count(), 0);
    assert!(address.is_closed());
    children.start_child(quiet(2)).await.unwrap();
    bed.finish().await;
}

#[tokio::test]
async fn runs_in_one_place_at_a_time() {
    let (bed, children) = running(DynamicOptions::default()).await;
    let error = children.start_child(children.spec()).await.unwrap_err();
    assert!(matches!(error, StartError::MailboxInUse), "{error}");
    children.start_child(quiet(1)).await.unwrap();
    bed.finish().await;
}

#[tokio::test]
async fn the_drop_of_a_child_that_panics_is_its_crash() {
    struct Grenade;
    impl Drop for Grenade {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }
    let (bed, children) = running(DynamicOptions::default()).await;
    let child = children.spawn_child(ChildSpec::task("a", |_| async {
        let _grenade = Grenade;
        std::future::pending().await
    }));
    let child = child.unwrap();
    until("it runs", || bed.find("a").state == State::Running).await;
    child.kill();
    child.ended().await;
    assert_eq!(children.count(), 0);
    bed.finish().await;
}

#[tokio::test(start_paused = true)]
async fn all_children_stop_at_once() {
    let options = DynamicOptions {
        partitions: 4,
        ..Default::default()
    };
    let (bed, children) = running(options).await;
    for number in 0..100_usize {
        let slow = ChildSpec::task(number.to_string(), |ctx| async move {
            ctx.stopping().await;
            tokio::time::sleep_until(ctx.now() + Duration::from_secs(2)).await;
            Ok(())
        });
        children.spawn_child(slow).unwrap();
    }
    let begun = tokio::time::Instant::now();
    bed.finish().await;
    assert_eq!(begun.elapsed().as_secs(), 2, "not one after the other");
}

#[tokio::test(start_paused = true)]
async fn a_hundred_thousand_children_take_one_turn_each_to_stop() {
    const COUNT: usize = 100_000;
    let options = DynamicOptions {
        partitions: 2,
        ..Default::default()
    };
    let (bed, children) = running(options).await;
    for number in 0..COUNT {
        children.spawn_child(quiet(number)).unwrap();
    }
    assert_eq!(children.count(), COUNT);
    test_kit::settle().await;
    let before = test_kit::turns();
    bed.finish().await;
    assert_eq!(children.count(), 0);
    // The rest is for their supervisors. One that stopped them one by one, or looked at them at
    // each end, would have a turn for each child too.
    let rest = test_kit::turns() - before - COUNT as u64;
    assert!(rest < 10, "{rest} turns more than there are children");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn children_may_be_started_and_crash_on_many_threads() {
    const THREADS: usize = 4;
    const EACH: usize = 500;
    let options = DynamicOptions {
        partitions: 4,
        intensity: Intensity::UNLIMITED,
        max_children: THREADS * EACH,
    };
    let (bed, children) = running(options).await;
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for number in 0..EACH {
                    let mailbox = Mailbox::<()>::new(Capacity::new(1));
                    let body = |ctx: Context<()>| async move {
                        assert!(ctx.incarnation() >= 3, "the first three crash");
                        ctx.stopping().await;
                        Ok(())
                    };
                    let spec = ChildSpec::body(number.to_string(), &mailbox, body);
                    children.spawn_child(spec).unwrap();
                }
            });
        }
    });
    until("all have settled", || {
        let tree = bed.find("children");
        tree.children
            .iter()
            .all(|child| child.restarts == 3 && child.state == State::Running)
    })
    .await;
    assert_eq!(children.count(), THREADS * EACH);
    bed.finish().await;
    assert_eq!(children.count(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_child_that_never_awaits_is_left_behind() {
    let (bed, children) = running(DynamicOptions::default()).await;
    let (unblock, blocked) = std::sync::mpsc::sync_channel::<()>(0);
    let wedged = ChildSpec::task("wedged", move |_| async move {
        assert!(blocked.recv().is_err(), "it is only ever dropped");
        Ok(())
    });
    // On a thread of its own, so that only the child is held up.
    let child = children
        .spawn_child(wedged.on_thread().shutdown(Shutdown::Brutal))
        .unwrap();
    assert_eq!(
        children.stop_child(child.pid()).await,
        Err(StopError::LeftBehind)
    );
    assert!(child.is_alive());
    drop(unblock);
    child.ended().await;
    assert_eq!(children.count(), 0);
    bed.finish().await;
}

/// Runs a body that goes over a limit and returns what it crashed of.
async fn crash_of<F>(body: impl FnOnce(Context<u32>) -> F + Send + 'static) -> String
where
    F: Future<Output = Result<(), Exit>> + Send + 'static,
{
    let (bed, children) = running(DynamicOptions::default()).await;
    let mailbox = Mailbox::new(Capacity::new(1));
    let spec = ChildSpec::once_body("greedy", &mailbox, body);
    let error = children
        .start_child(spec)
        .await
        .expect_err("it goes over the limit");
    bed.finish().await;
    error.to_string()
}

#[tokio::test]
async fn more_timers_than_the_limit_crash_the_process() {
    let text = crash_of(|mut ctx| async move {
        for number in 0..u32::MAX {
            ctx.send_after(LONG, number);
        }
        Ok(())
    })
    .await;
    assert!(text.contains("too many timers"), "{text}");
}

#[tokio::test]
async fn more_monitors_than_the_limit_crash_the_process() {
    let text = crash_of(|mut ctx| async move {
        let itself = ctx.process();
        loop {
            ctx.monitor(&itself);
        }
    })
    .await;
    assert!(text.contains("too many monitors"), "{text}");
}
