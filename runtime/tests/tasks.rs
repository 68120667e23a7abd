//! Goal: a task's result reaches whoever waits for it, its failure nobody but those who are tied to
//! it, and there are never more than may be. Method: tasks that wait until the test lets them go;
//! random ones through the bounded map, against a plain list.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by it"
)]

#[cfg(test)]
#[expect(dead_code, reason = "uses a part of it")]
mod common;

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use belay_runtime::*;
use common::*;
use proptest::prelude::*;
use proptest::strategy::Strategy as _;
use tokio::sync::oneshot;
use tokio::time::{Instant, Sleep, sleep_until};

const SECOND: Duration = Duration::from_secs(1);

fn pause(span: Duration) -> Sleep {
    sleep_until(Instant::now() + span)
}

async fn node_with(tasks: &TaskSupervisor) -> Node {
    Node::start(Supervisor::builder("node").child(tasks.spec()))
        .await
        .unwrap()
}

async fn supervisor(tasks_max: usize) -> (Node, TaskSupervisor) {
    let options = TaskOptions {
        tasks_max,
        ..TaskOptions::default()
    };
    let tasks = TaskSupervisor::new("tasks", options);
    (node_with(&tasks).await, tasks)
}

/// Notes that it was dropped.
struct Farewell(Journal, &'static str);

impl Drop for Farewell {
    fn drop(&mut self) {
        self.0.write(self.1);
    }
}

fn waits_for_ever(journal: &Journal) -> impl Future<Output = ()> + Send + use<> {
    let farewell = Farewell(journal.clone(), "dropped");
    async move {
        pending::<()>().await;
        drop(farewell);
    }
}

fn told<R>(outcome: Result<R, Exit>) -> Result<R, String> {
    outcome.map_err(|exit| short(&exit))
}

#[tokio::test(start_paused = true)]
async fn a_result_or_an_exit_reaches_whoever_waits() {
    let (node, tasks) = supervisor(10).await;
    let sum = tasks.spawn_task("sum", async { 40 + 2 }).unwrap();
    assert_eq!(sum.process().name(), "sum");
    assert_eq!(told(sum.await), Ok(42));

    let crash = tasks.spawn_task("crash", async { panic!("no floor") });
    let outcome: Result<(), Exit> = crash.unwrap().await;
    assert_eq!(told(outcome), Err("panic: no floor".to_owned()));

    let killed = tasks.spawn_task("killed", pending::<()>()).unwrap();
    killed.process().kill();
    assert_eq!(told(killed.await), Err("killed".to_owned()));
    until("all are gone", || tasks.count() == 0).await;
    stop(node).await;
}

#[tokio::test(start_paused = true)]
async fn a_result_is_taken_once_and_then_the_task_has_ended_normally() {
    let (node, tasks) = supervisor(10).await;
    let mut sum = tasks.spawn_task("sum", async { 1 + 1 }).unwrap();
    until("it is there", || sum.is_finished()).await;
    assert_eq!(told((&mut sum).await), Ok(2));
    assert_eq!(told((&mut sum).await), Err("normal".to_owned()));
    assert_eq!(
        told(sum.yield_within(LONG).await.unwrap()),
        Err("normal".to_owned())
    );
    stop(node).await;
}

#[tokio::test(start_paused = true)]
async fn a_task_that_is_slow_can_be_asked_again() {
    let (node, tasks) = supervisor(10).await;
    let mut slow = tasks
        .spawn_task("slow", async {
            pause(3 * SECOND).await;
            7
        })
        .unwrap();
    let begin = Instant::now();
    assert!(slow.yield_within(SECOND).await.is_none());
    assert!(slow.yield_within(SECOND).await.is_none());
    assert!(!slow.is_finished());
    assert_eq!(begin.elapsed(), 2 * SECOND);
    assert_eq!(told(slow.yield_within(LONG).await.unwrap()), Ok(7));
    stop(node).await;
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_gives_the_result_that_comes_in_time() {
    let (node, tasks) = supervisor(10).await;
    let after = async |span| {
        let begun = Journal::default();
        let note = begun.clone();
        let task = tasks.spawn_task("t", async move {
            note.write("begun");
            pause(span).await;
            7
        });
        until("it has begun", || !begun.entries().is_empty()).await;
        (task.unwrap(),)
    };
    let in_time = after(SECOND).await.0.shutdown(2 * SECOND).await;
    assert_eq!(told(in_time), Ok(7));
    let late = after(3 * SECOND).await.0.shutdown(2 * SECOND).await;
    assert_eq!(told(late), Err("killed".to_owned()));
    let (before,) = after(Duration::ZERO).await;
    until("it is there", || before.is_finished()).await;
    assert_eq!(told(before.shutdown(Duration::ZERO).await), Ok(7));
    let not_begun = tasks.spawn_task("late", async { 7 }).unwrap();
    let outcome = not_begun.shutdown(LONG).await;
    assert_eq!(told(outcome), Err("killed".to_owned()));
    assert_eq!(tasks.count(), 0);
    stop(node).await;
}

#[tokio::test(start_paused = true)]
async fn a_task_that_is_dropped_is_killed_and_a_detached_one_runs_on() {
    let (node, tasks) = supervisor(10).await;
    let journal = Journal::default();
    drop(
        tasks
            .spawn_task("dropped", waits_for_ever(&journal))
            .unwrap(),
    );
    until("it is dropped", || journal.entries() == ["dropped"]).await;
    until("it is gone", || tasks.count() == 0).await;

    let (go, gone) = oneshot::channel::<()>();
    let (note, farewell) = (journal.clone(), Farewell(journal.clone(), "dropped too"));
    let detached = tasks.spawn_task("detached", async move {
        drop(gone.await);
        note.write("done");
        drop(farewell);
    });
    let process = detached.unwrap().detach();
    assert!(process.is_alive());
    go.send(()).unwrap();
    process.ended().await;
    assert_eq!(journal.entries(), ["dropped", "done", "dropped too"]);
    let process = tasks.spawn_detached("own", async { 1 }).unwrap();
    process.ended().await;
    stop(node).await;
}

#[tokio::test(start_paused = true)]
async fn a_future_that_there_is_no_room_for_comes_back() {
    let (node, tasks) = supervisor(1).await;
    let holds = tasks.spawn_task("holds", pending::<()>()).unwrap();
    let refused = tasks.spawn_task("more", async { 7 }).unwrap_err();
    assert!(matches!(
        refused.reason,
        StartError::TooManyChildren { max: 1 }
    ));
    assert_eq!(refused.future.await, 7);
    drop(holds);
    until("there is room", || tasks.count() == 0).await;
    assert_eq!(
        told(tasks.spawn_task("more", async { 8 }).unwrap().await),
        Ok(8)
    );
    stop(node).await;
    let refused = tasks.spawn_detached("late", async { 9 }).unwrap_err();
    assert!(matches!(refused.reason, StartError::NotRunning));
    assert_eq!(refused.to_string(), "task was not started");
    assert_eq!(refused.future.await, 9);
}

#[tokio::test(start_paused = true)]
async fn crashes_of_tasks_cost_their_supervisor_nothing() {
    let (node, tasks) = supervisor(10).await;
    for _ in 0..50 {
        let crash = tasks.spawn_task("crash", async { panic!("again") });
        let outcome: Result<(), Exit> = crash.unwrap().await;
        assert!(outcome.is_err());
    }
    let view = find(&node.tree(), "tasks");
    assert_eq!((view.state, view.restarts), (State::Running, 0));
    stop(node).await;
}

#[tokio::test(start_paused = true)]
async fn a_stop_lets_tasks_finish_within_their_limit() {
    let options = TaskOptions {
        shutdown: Shutdown::Timeout(2 * SECOND),
        ..TaskOptions::default()
    };
    let tasks = TaskSupervisor::new("tasks", options);
    let node = node_with(&tasks).await;
    let quick = tasks.spawn_task("quick", pause(SECOND)).unwrap();
    let slow = tasks.spawn_task("slow", pause(3 * SECOND)).unwrap();
    let begin = Instant::now();
    stop(node).await;
    assert!(begin.elapsed() >= 2 * SECOND && begin.elapsed() < 3 * SECOND);
    assert_eq!(told(quick.await), Ok(()));
    assert_eq!(told(slow.await), Err("killed".to_owned()));
}

/// A process that starts a linked task, tells of it, and then does as `trap` says.
fn starter(tasks: &TaskSupervisor, trap: bool, journal: &Journal) -> (ChildSpec, Arc<Gate>) {
    let gate = Arc::new(Gate::default());
    let (tasks, journal, opened) = (tasks.clone(), journal.clone(), Arc::clone(&gate));
    let body = move |mut ctx: Context<()>| {
        let (tasks, journal, gate) = (tasks.clone(), journal.clone(), Arc::clone(&opened));
        async move {
            journal.write(format!("incarnation {}", ctx.incarnation()));
            ctx.trap_exits(trap);
            let task = tasks.spawn_linked(&mut ctx, "linked", async move {
                gate.0.notified().await;
                Option::expect(None, "a linked crash")
            });
            let mut task: Task<()> = task.map_err(|refused| Exit::error(refused.to_string()))?;
            if let Incoming::Signal(Signal::Exit { exit, .. }) = ctx.next().await {
                journal.write(short(&exit));
            }
            journal.write(format!("{:?}", told((&mut task).await)));
            Ok(())
        }
    };
    let spec = ChildSpec::body("starter", &Mailbox::new(Capacity::new(1)), body);
    (spec.restart(Restart::Transient), gate)
}

#[derive(Default)]
struct Gate(tokio::sync::Notify);

#[tokio::test(start_paused = true)]
async fn a_linked_task_takes_its_starter_along() {
    let (tasks, journal) = (
        TaskSupervisor::new("tasks", TaskOptions::default()),
        Journal::default(),
    );
    let (spec, gate) = starter(&tasks, false, &journal);
    let tree = Supervisor::builder("node").child(tasks.spec()).child(spec);
    let node = Node::start(tree).await.unwrap();
    gate.0.notify_one();
    until("it starts again", || journal.entries().len() == 2).await;
    assert_eq!(journal.entries(), ["incarnation 0", "incarnation 1"]);
    let view = find(&node.tree(), "starter");
    assert_eq!(
        view.last_exit.map(|exit| exit.contains("a linked crash")),
        Some(true)
    );
    // The second incarnation holds a task; it ends with its starter.
    until("one task", || tasks.count() == 1).await;
    stop(node).await;
    assert_eq!(tasks.count(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_starter_that_traps_exits_lives_on() {
    let (tasks, journal) = (
        TaskSupervisor::new("tasks", TaskOptions::default()),
        Journal::default(),
    );
    let (spec, gate) = starter(&tasks, true, &journal);
    let tree = Supervisor::builder("node").child(tasks.spec()).child(spec);
    let node = Node::start(tree).await.unwrap();
    gate.0.notify_one();
    until("it is told", || journal.entries().len() == 3).await;
    let expected = [
        "incarnation 0",
        "panic: a linked crash",
        r#"Err("panic: a linked crash")"#,
    ];
    assert_eq!(journal.entries(), expected);
    stop(node).await;
}

fn options(concurrency_max: usize, deadline: Duration) -> MapOptions {
    MapOptions {
        concurrency_max,
        deadline,
    }
}

/// An outcome in a word, with its value.
fn word(outcome: Result<u32, TaskError>) -> String {
    match outcome {
        Ok(value) => value.to_string(),
        Err(TaskError::Ended(exit)) => short(&exit),
        Err(TaskError::Expired) => "expired".to_owned(),
        Err(TaskError::Refused(reason)) => reason.to_string(),
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_starts_nothing_before_it_is_asked_and_no_more_than_it_may() {
    let (node, tasks) = supervisor(100).await;
    let made = AtomicUsize::new(0);
    let mut stream = tasks.map_bounded("square", 0_u32.., options(3, LONG), |item| {
        made.fetch_add(1, Ordering::Relaxed);
        async move { item * item }
    });
    assert_eq!(made.load(Ordering::Relaxed), 0);
    for (item, made_by_then) in (0..10_u32).zip(3..) {
        assert_eq!(
            word(stream.next().await.unwrap()),
            (item * item).to_string()
        );
        assert_eq!(made.load(Ordering::Relaxed), made_by_then);
    }
    drop(stream);
    until("none is left", || tasks.count() == 0).await;
    stop(node).await;
}

#[tokio::test(start_paused = true)]
async fn a_stream_waits_for_room_and_says_so_when_there_is_none_to_come() {
    let (node, tasks) = supervisor(2).await;
    let holds = tasks.spawn_task("holds", pending::<()>()).unwrap();
    let map = |item| async move { item };
    let stream = tasks.map_bounded("one", 0_u32..5, options(4, LONG), map);
    let results: Vec<_> = stream.collect().await.into_iter().map(word).collect();
    assert_eq!(results, ["0", "1", "2", "3", "4"]);

    let holds_too = tasks.spawn_task("holds too", pending::<()>()).unwrap();
    let stream = tasks.map_bounded("none", 0_u32..2, options(4, LONG), map);
    let results: Vec<_> = stream.collect().await.into_iter().map(word).collect();
    assert_eq!(
        results,
        ["supervisor has 2 children and may have no more"; 2]
    );
    drop((holds, holds_too));
    stop(node).await;
}

#[derive(Clone, Copy, Debug)]
enum Plan {
    Finish { after_s: u64 },
    Crash { after_s: u64 },
    Hang,
}

fn plan() -> impl proptest::strategy::Strategy<Value = Plan> {
    prop_oneof![
        4 => (0_u64..8).prop_map(|after_s| Plan::Finish { after_s }),
        2 => (0_u64..8).prop_map(|after_s| Plan::Crash { after_s }),
        1 => Just(Plan::Hang),
    ]
}

const DEADLINE_S: u64 = 4;

#[expect(clippy::panic, reason = "it is what is planned")]
async fn carry_out(
    number: u32,
    plan: Plan,
    running: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
) -> u32 {
    struct Leave(Arc<AtomicUsize>);
    impl Drop for Leave {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
    }
    let now = running.fetch_add(1, Ordering::Relaxed) + 1;
    most.fetch_max(now, Ordering::Relaxed);
    let _leave = Leave(running);
    match plan {
        Plan::Finish { after_s } => pause(Duration::from_secs(after_s) + SECOND / 2).await,
        Plan::Crash { after_s } => {
            pause(Duration::from_secs(after_s) + SECOND / 2).await;
            panic!("planned");
        }
        Plan::Hang => pending().await,
    }
    number
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn random_tasks_give_what_a_plain_list_gives(
        plans in prop::collection::vec(plan(), 0..24), limit in 1_usize..6, room in 1_usize..8,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let (results, most, left) = runtime.block_on(async {
            let (node, tasks) = supervisor(room).await;
            let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
            let items: Vec<_> = (0_u32..).zip(plans.clone()).collect();
            let deadline = Duration::from_secs(DEADLINE_S);
            let stream = tasks.map_bounded("t", items, options(limit, deadline), |(number, plan)| {
                carry_out(number, plan, Arc::clone(&running), Arc::clone(&most))
            });
            let results: Vec<_> = stream.collect().await.into_iter().map(word).collect();
            stop(node).await;
            (results, most.load(Ordering::Relaxed), running.load(Ordering::Relaxed))
        });
        let expected: Vec<_> = (0_u32..).zip(plans).map(|(number, plan)| match plan {
            Plan::Finish { after_s } if after_s < DEADLINE_S => number.to_string(),
            Plan::Crash { after_s } if after_s < DEADLINE_S => "panic: planned".to_owned(),
            Plan::Finish { .. } | Plan::Crash { .. } | Plan::Hang => "expired".to_owned(),
        }).collect();
        prop_assert_eq!(results, expected);
        prop_assert!(most <= limit.min(room));
        prop_assert_eq!(left, 0);
    }
}
