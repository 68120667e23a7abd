//! Goal: jobs are worked on in line, bounded, and each is told its outcome exactly once. Method:
//! a pool of one thread that is held up by a job until the test lets it go.

#![expect(clippy::unwrap_used, reason = "a test fails by it")]

#[cfg(test)]
#[expect(dead_code, reason = "uses a part of it")]
mod common;

use std::sync::mpsc::{self, SyncSender};

use belay_runtime::*;
use common::*;

struct Held {
    node: Node,
    pool: WorkerPool,
    outcomes: Journal,
    /// Lets the job that holds the thread up go.
    go: SyncSender<()>,
    first: Ticket,
}

/// A pool whose only thread is held up.
async fn held(queue_max: usize) -> Held {
    let pool = WorkerPool::new(
        "pool",
        PoolOptions {
            threads: 1,
            queue_max,
        },
    );
    let node = Node::start(Supervisor::builder("node").child(pool.spec()))
        .await
        .unwrap();
    let outcomes = Journal::default();
    let (go, wait) = mpsc::sync_channel(1);
    let journal = outcomes.clone();
    let first = pool
        .submit(move || wait.recv().is_ok(), note(&journal, "first"))
        .unwrap();
    until("it is worked on", || first.position() == Some(0)).await;
    Held {
        node,
        pool,
        outcomes,
        go,
        first,
    }
}

fn note<R: std::fmt::Debug>(
    journal: &Journal,
    name: &'static str,
) -> impl FnOnce(JobOutcome<R>) + Send + use<R> {
    let journal = journal.clone();
    move |outcome| {
        journal.write(match outcome {
            JobOutcome::Done(value) => format!("{name}: {value:?}"),
            JobOutcome::Crashed(exit) => format!("{name}: {}", short(&exit)),
            JobOutcome::Cancelled => format!("{name}: cancelled"),
        });
    }
}

#[tokio::test]
async fn jobs_are_worked_on_in_line_and_know_their_place() {
    let held = held(10).await;
    let tickets: Vec<_> = ["a", "b", "c"]
        .map(|name| {
            held.pool
                .submit(move || name, note(&held.outcomes, name))
                .unwrap()
        })
        .into();
    let places = |tickets: &[Ticket]| tickets.iter().map(Ticket::position).collect::<Vec<_>>();
    assert_eq!(places(&tickets), [Some(1), Some(2), Some(3)]);
    assert!(tickets[1].cancel());
    assert!(!tickets[1].cancel());
    assert_eq!(places(&tickets), [Some(1), None, Some(2)]);
    assert_eq!(held.pool.waiting(), 2);
    assert!(!held.first.cancel(), "it is being worked on");
    held.go.send(()).unwrap();
    until("all are over", || held.outcomes.entries().len() == 4).await;
    let expected = ["b: cancelled", "first: true", r#"a: "a""#, r#"c: "c""#];
    assert_eq!(held.outcomes.entries(), expected);
    until("none has a place", || {
        places(&tickets) == [None, None, None]
    })
    .await;
    stop(held.node).await;
}

#[tokio::test]
async fn says_busy_when_the_line_is_full_or_it_does_not_run() {
    let held = held(1).await;
    held.pool.submit(|| 1, note(&held.outcomes, "a")).unwrap();
    let refused = held.pool.submit(|| 2, note(&held.outcomes, "b"));
    assert_eq!(refused.unwrap_err().to_string(), "worker pool is busy");
    held.go.send(()).unwrap();
    until("it has room", || held.pool.waiting() == 0).await;
    until("all are over", || held.outcomes.entries().len() == 2).await;
    stop(held.node).await;
    assert_eq!(
        held.pool
            .submit(|| 3, note(&held.outcomes, "c"))
            .unwrap_err(),
        Busy
    );
    assert_eq!(held.outcomes.entries(), ["first: true", "a: 1"]);
}

#[tokio::test]
async fn a_job_that_panics_leaves_the_thread_working() {
    let held = held(10).await;
    held.pool
        .submit(|| panic!("in a job"), note::<()>(&held.outcomes, "a"))
        .unwrap();
    held.pool.submit(|| (), |_| panic!("in done")).unwrap();
    held.pool.submit(|| 3, note(&held.outcomes, "c")).unwrap();
    held.go.send(()).unwrap();
    until("all are over", || held.outcomes.entries().len() == 3).await;
    assert_eq!(
        held.outcomes.entries(),
        ["first: true", "a: panic: in a job", "c: 3"]
    );
    stop(held.node).await;
}

#[tokio::test]
async fn a_stop_finishes_the_job_at_work_and_cancels_the_rest() {
    let held = held(10).await;
    held.pool.submit(|| 1, note(&held.outcomes, "a")).unwrap();
    let (go, outcomes) = (held.go.clone(), held.outcomes.clone());
    let stopping = async {
        until("the rest is cancelled", || {
            outcomes.entries() == ["a: cancelled"]
        })
        .await;
        go.send(()).unwrap();
    };
    tokio::join!(stop(held.node), stopping);
    assert_eq!(held.outcomes.entries(), ["a: cancelled", "first: true"]);
}

#[tokio::test]
async fn works_again_after_a_restart() {
    let pool = WorkerPool::new(
        "pool",
        PoolOptions {
            threads: 2,
            queue_max: 4,
        },
    );
    let node = Node::start(Supervisor::builder("node").child(pool.spec()))
        .await
        .unwrap();
    let supervisors_view = find(&node.tree(), "pool");
    assert_eq!(supervisors_view.state, State::Running);
    let outcomes = Journal::default();
    pool.submit(|| 1, note(&outcomes, "a")).unwrap();
    until("it is over", || outcomes.entries().len() == 1).await;
    stop(node).await;
    let node = Node::start(Supervisor::builder("node").child(pool.spec()))
        .await
        .unwrap();
    pool.submit(|| 2, note(&outcomes, "b")).unwrap();
    until("it is over", || outcomes.entries().len() == 2).await;
    stop(node).await;
}
