//! Goal: jobs are worked on in line, bounded, and each is told its outcome exactly once. Method:
//! a pool of one thread that is held up by a job until the test lets it go; deadlines by a clock
//! that stands still until the test turns it.

#![expect(clippy::unwrap_used, reason = "a test fails by it")]

#[cfg(test)]
#[expect(dead_code, reason = "uses a part of it")]
mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::time::Duration;

use belay_runtime::*;
use common::*;
use tokio::time::advance;

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
            JobOutcome::Expired => format!("{name}: expired"),
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
async fn the_tree_shows_the_line_and_who_is_at_work() {
    let held = held(3).await;
    let shown = || find(&held.node.tree(), "pool");
    held.pool.submit(|| 1, note(&held.outcomes, "a")).unwrap();
    let b = held.pool.submit(|| 2, note(&held.outcomes, "b")).unwrap();
    let (depth, high_water, capacity) = (2, 2, 3);
    let pool = shown();
    let queue = |depth| {
        Some(MailboxState {
            depth,
            high_water,
            capacity,
        })
    };
    assert_eq!(
        (pool.kind, pool.mailbox, pool.handled),
        ("worker pool", queue(depth), 1)
    );
    let text = pool.to_text();
    assert!(text.contains(", queue 2/3 (most 2), handled 1, "), "{text}");
    assert!(
        text.contains(", worker pool, 1 of 1 threads at work\n"),
        "{text}"
    );
    b.cancel();
    held.go.send(()).unwrap();
    until("all are over", || {
        shown()
            .detail
            .is_some_and(|detail| detail.contains("0 of 1"))
    })
    .await;
    assert_eq!((shown().mailbox, shown().handled), (queue(0), 2));
    stop(held.node).await;
}

#[tokio::test]
async fn says_busy_when_the_line_is_full_or_it_does_not_run() {
    let held = held(1).await;
    held.pool.submit(|| 1, note(&held.outcomes, "a")).unwrap();
    let refused = held.pool.submit(|| 2, note(&held.outcomes, "b"));
    let refused = refused.unwrap_err();
    assert_eq!(refused.to_string(), "worker pool is full or does not run");
    held.go.send(()).unwrap();
    until("it has room", || held.pool.waiting() == 0).await;
    // What it gave back can be submitted again.
    held.pool.submit(refused.job, refused.done).unwrap();
    until("all are over", || held.outcomes.entries().len() == 3).await;
    stop(held.node).await;
    let refused = held.pool.submit(|| 3, note(&held.outcomes, "c"));
    assert_eq!((refused.unwrap_err().job)(), 3);
    assert_eq!(held.outcomes.entries(), ["first: true", "a: 1", "b: 2"]);
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

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn a_job_that_waits_until_its_deadline_is_told_at_once_and_not_started() {
    let held = held(2).await;
    let late = held
        .pool
        .submit_within(2 * SECOND, || 1, note(&held.outcomes, "late"))
        .unwrap();
    let sooner = held
        .pool
        .submit_within(SECOND, || 2, note(&held.outcomes, "sooner"));
    assert_eq!(sooner.unwrap().position(), Some(2));
    advance(SECOND).await;
    until("it expired", || {
        held.outcomes.entries() == ["sooner: expired"]
    })
    .await;
    let patient = held.pool.submit(|| 3, note(&held.outcomes, "patient"));
    assert_eq!(patient.unwrap().position(), Some(2), "there is room again");
    advance(SECOND).await;
    until("both expired", || late.position().is_none()).await;
    held.go.send(()).unwrap();
    until("all are over", || held.outcomes.entries().len() == 4).await;
    let expected = [
        "sooner: expired",
        "late: expired",
        "first: true",
        "patient: 3",
    ];
    assert_eq!(held.outcomes.entries(), expected);
    until("all are counted", || held.pool.stats().done == 2).await;
    let expected = PoolStats {
        high_water: 2,
        done: 2,
        expired: 2,
        ..PoolStats::default()
    };
    assert_eq!(held.pool.stats(), expected);
    stop(held.node).await;
}

#[tokio::test(start_paused = true)]
async fn a_job_that_runs_beyond_its_deadline_is_counted_and_finished() {
    let held = held(1).await;
    held.go.send(()).unwrap();
    let (go, wait) = mpsc::sync_channel::<()>(1);
    let slow = held.pool.submit_within(
        SECOND,
        move || wait.recv().is_ok(),
        note(&held.outcomes, "slow"),
    );
    let slow = slow.unwrap();
    until("it is worked on", || slow.position() == Some(0)).await;
    advance(SECOND).await;
    until("it is counted", || held.pool.stats().overran == 1).await;
    assert_eq!(held.pool.stats().working, 1);
    go.send(()).unwrap();
    until("it is over", || slow.position().is_none()).await;
    assert_eq!(held.outcomes.entries(), ["first: true", "slow: true"]);
    let stats = held.pool.stats();
    assert_eq!((stats.done, stats.overran, stats.expired), (2, 1, 0));
    stop(held.node).await;
}

fn told<R>(outcome: Result<R, JobError>) -> Result<R, String> {
    outcome.map_err(|error| match error {
        JobError::Crashed(exit) => short(&exit),
        JobError::Busy | JobError::Expired | JobError::Overran | JobError::Cancelled => {
            error.to_string()
        }
    })
}

#[tokio::test(start_paused = true)]
async fn a_job_can_be_awaited() {
    let held = held(1).await;
    held.go.send(()).unwrap();
    assert_eq!(told(held.pool.run(|| 6 * 7).await), Ok(42));
    let crash = held.pool.run(|| -> u8 { panic!("in a job") }).await;
    assert_eq!(told(crash), Err("panic: in a job".to_owned()));
    let in_time = held.pool.run_within(LONG, || 7);
    // The clock would turn by itself if nothing of tokio's was to be done meanwhile.
    let in_time = tokio::select! {
        outcome = in_time => outcome,
        () = until("it is over", || false) => panic!("it is never over"),
    };
    assert_eq!(told(in_time), Ok(7));

    let (go, wait) = mpsc::sync_channel::<()>(1);
    let slow = held.pool.run_within(SECOND, move || wait.recv().is_ok());
    let turn_the_clock = async {
        until("it is worked on", || held.pool.stats().working == 1).await;
        advance(SECOND).await;
    };
    let (outcome, ()) = tokio::join!(slow, turn_the_clock);
    assert_eq!(told(outcome), Err("job ran until its deadline".to_owned()));

    let behind = held.pool.run_within(SECOND, || 8);
    let turn_the_clock = async {
        until("it waits", || held.pool.waiting() == 1).await;
        assert_eq!(
            told(held.pool.run(|| 9).await),
            Err("worker pool is full or does not run".to_owned())
        );
        advance(SECOND).await;
    };
    let (outcome, ()) = tokio::join!(behind, turn_the_clock);
    assert_eq!(
        told(outcome),
        Err("job waited until its deadline".to_owned())
    );
    go.send(()).unwrap();
    stop(held.node).await;
    assert_eq!(
        told(held.pool.run(|| 9).await),
        Err("worker pool is full or does not run".to_owned())
    );
}

#[tokio::test(start_paused = true)]
async fn a_job_that_nobody_awaits_any_more_is_taken_out_of_the_line() {
    let held = held(1).await;
    let mut waits = Box::pin(held.pool.run(|| 1));
    let poll = std::future::poll_fn(|cx| std::task::Poll::Ready(waits.as_mut().poll(cx)));
    assert!(poll.await.is_pending());
    assert_eq!(held.pool.waiting(), 1);
    drop(waits);
    assert_eq!((held.pool.waiting(), held.pool.stats().cancelled), (0, 1));

    let waits = held.pool.run(|| 2);
    let stopping = async {
        until("it waits", || held.pool.waiting() == 1).await;
        let stopping = stop(held.node);
        let go = async {
            until("it is cancelled", || held.pool.waiting() == 0).await;
            held.go.send(()).unwrap();
        };
        tokio::join!(stopping, go);
    };
    let (outcome, ()) = tokio::join!(waits, stopping);
    assert_eq!(told(outcome), Err("worker pool stopped".to_owned()));
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "threads that are no processes")]
async fn each_job_is_told_its_outcome_exactly_once_whoever_comes_in_between() {
    const JOBS: usize = 400;
    let options = PoolOptions {
        threads: 3,
        queue_max: 16,
    };
    let pool = WorkerPool::new("pool", options);
    let node = Node::start(Supervisor::builder("node").child(pool.spec()))
        .await
        .unwrap();
    let told: Arc<[AtomicUsize]> = (0..4 * JOBS).map(|_| AtomicUsize::new(0)).collect();
    let submitters: Vec<_> = (0..4)
        .map(|submitter| {
            let (pool, told) = (pool.clone(), Arc::clone(&told));
            let submit = move || {
                let mut taken = 0_u64;
                for job in submitter * JOBS..(submitter + 1) * JOBS {
                    let told = Arc::clone(&told);
                    let done = move |_: JobOutcome<()>| {
                        told[job].fetch_add(1, Ordering::Relaxed);
                    };
                    let work = move || assert_ne!(job % 7, 3, "poison");
                    let submitted = match job % 3 {
                        0 => pool.submit_within(Duration::ZERO, work, done),
                        1 => pool.submit_within(LONG, work, done),
                        _ => pool.submit(work, done),
                    };
                    if let Ok(ticket) = submitted {
                        taken += 1;
                        if job % 5 == 0 {
                            ticket.cancel();
                        }
                    }
                }
                taken
            };
            std::thread::Builder::new().spawn(submit).unwrap()
        })
        .collect();
    until("all are submitted", || {
        submitters.iter().all(std::thread::JoinHandle::is_finished)
    })
    .await;
    let taken: u64 = submitters
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .sum();
    stop(node).await;
    let stats = pool.stats();
    let outcomes: usize = told.iter().map(|told| told.load(Ordering::Relaxed)).sum();
    assert!(told.iter().all(|told| told.load(Ordering::Relaxed) <= 1));
    assert_eq!(outcomes as u64, taken);
    assert_eq!(
        stats.done + stats.crashed + stats.cancelled + stats.expired,
        taken
    );
    assert_eq!(stats.refused, 4 * JOBS as u64 - taken);
    assert!(stats.high_water <= 16 && stats.waiting == 0 && stats.working == 0);
}
