//! Goal: there are no more threads for blocking processes than may be, and each is free again when
//! its process has ended. Method: a test alone in its program, which takes all of them.

use std::time::Duration;

use belay_runtime::limits::BLOCKING_THREADS_MAX;
use belay_runtime::*;

fn idle() -> ChildSpec {
    let body = |mut ctx: BlockingContext<()>| {
        while !matches!(ctx.recv()?, Incoming::Shutdown) {}
        Ok(())
    };
    ChildSpec::blocking("idle", &Mailbox::new(Capacity::new(1)), body)
}

#[tokio::test]
async fn one_more_than_may_be_is_refused() {
    let children = DynamicSupervisor::new("children", DynamicOptions::default());
    let node = Node::start(Supervisor::builder("node").child(children.spec()))
        .await
        .unwrap();
    let mut last = None;
    for _ in 0..BLOCKING_THREADS_MAX {
        last = Some(children.start_child(idle()).await.unwrap());
    }
    let refused = children.start_child(idle()).await.unwrap_err();
    assert!(matches!(refused, StartError::TooManyThreads { max } if max == BLOCKING_THREADS_MAX));
    assert_eq!(children.count(), BLOCKING_THREADS_MAX);
    children.stop_child(last.unwrap().pid()).await.unwrap();
    // Its thread is about to end, after the supervisor was told.
    while children.start_child(idle()).await.is_err() {
        tokio::task::yield_now().await;
    }
    let report = node.stop(Duration::from_secs(30)).await;
    assert_eq!(report, StopReport::default());
}
