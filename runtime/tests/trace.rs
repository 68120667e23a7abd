//! Goal: a trace records what a process is handed and how long it took over it, and ends when it
//! should. Method: a process that moves a paused clock itself, so that all times are exact.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by it")]

#[cfg(test)]
#[expect(dead_code, reason = "uses a part of it")]
mod common;

use std::time::Duration;

use belay_runtime::*;
use common::*;

enum Work {
    /// Takes so many milliseconds.
    Take(u64),
    /// Has the same done by a timer, at once.
    TakeLater(u64),
    Crash,
    Monitor(ProcessRef),
    Stop,
}

impl Kind for Work {
    const KINDS: &'static [&'static str] = &["take", "later", "crash", "monitor", "stop"];

    fn kind(&self) -> u8 {
        match self {
            Self::Take(_) => 0,
            Self::TakeLater(_) => 1,
            Self::Crash => 2,
            Self::Monitor(_) => 3,
            Self::Stop => 4,
        }
    }
}

struct Worker;

impl Process for Worker {
    type Message = Work;

    async fn handle(&mut self, ctx: &mut Context<Work>, work: Work) -> Result<Flow, Exit> {
        match work {
            Work::Take(ms) => tokio::time::advance(Duration::from_millis(ms)).await,
            Work::TakeLater(ms) => drop(ctx.send_after(Duration::ZERO, Work::Take(ms))),
            Work::Crash => panic!("told to"),
            Work::Monitor(other) => drop(ctx.monitor(&other)),
            Work::Stop => return Ok(Flow::Stop),
        }
        Ok(Flow::Continue)
    }
}

struct Place {
    node: Node,
    worker: ProcessRef,
    address: Address<Work>,
}

impl Place {
    async fn new() -> Self {
        let mailbox = Mailbox::with_kinds(Capacity::new(8));
        let spec = ChildSpec::process("worker", &mailbox, || Worker).restart(Restart::Transient);
        let workers = DynamicSupervisor::new("workers", DynamicOptions::default());
        let node = Node::start(Supervisor::builder("node").child(workers.spec()))
            .await
            .unwrap();
        let worker = workers.start_child(spec).await.unwrap();
        let address = mailbox.address();
        Self {
            node,
            worker,
            address,
        }
    }

    fn send(&self, work: impl IntoIterator<Item = Work>) {
        for work in work {
            self.address.try_send(work).unwrap();
        }
    }
}

/// An entry as (kind, source, incarnation, milliseconds at, milliseconds taken).
type Row = (&'static str, TraceSource, u32, u128, Option<u128>);

fn rows(entries: &[TraceEntry]) -> Vec<Row> {
    let row = |entry: &TraceEntry| {
        let took = entry.took.map(|took| took.as_millis());
        let (kind, source) = (entry.kind, entry.source);
        (kind, source, entry.incarnation, entry.at.as_millis(), took)
    };
    entries.iter().map(row).collect()
}

#[tokio::test(start_paused = true)]
async fn records_messages_timers_and_how_long_each_took() {
    use TraceSource::{Mailbox, Timer};
    let place = Place::new().await;
    let trace = place.worker.trace(4).unwrap();
    assert_eq!(trace.entries(), []);
    place.send([
        Work::Take(3),
        Work::Take(0),
        Work::TakeLater(7),
        Work::Take(9),
    ]);
    let entries = trace.complete().await;
    let expected = [
        ("take", Mailbox, 0, 0, Some(3)),
        ("take", Mailbox, 0, 3, Some(0)),
        ("later", Mailbox, 0, 3, Some(0)),
        ("take", Mailbox, 0, 3, Some(9)),
    ];
    assert_eq!(rows(&entries), expected);
    assert_eq!(entries[3].to_string(), "at 3000 us: take, took 9000 us");
    // It was complete; what came after is of the next one.
    let trace = place.worker.trace(2).unwrap();
    place.send([Work::TakeLater(5)]);
    let entries = trace.complete().await;
    assert_eq!(rows(&entries)[0], ("later", Mailbox, 0, 0, Some(0)));
    let (kind, source, _, _, took) = rows(&entries)[1];
    assert_eq!((kind, source, took), ("take", Timer, Some(5)));
    assert!(
        entries[1]
            .to_string()
            .contains(": take by a timer, took 5000 us")
    );
    stop(place.node).await;
}

#[tokio::test(start_paused = true)]
async fn one_trace_at_a_time_and_dropping_it_ends_it() {
    let place = Place::new().await;
    let trace = place.worker.trace(10).unwrap();
    assert_eq!(place.worker.trace(1).unwrap_err(), TraceError::Busy);
    place.send([Work::Take(1)]);
    until("it is recorded", || trace.entries().len() == 1).await;
    assert!(!trace.is_complete());
    drop(trace);
    let trace = place.worker.trace(1).unwrap();
    place.send([Work::Take(2), Work::Take(3)]);
    let expected = [("take", TraceSource::Mailbox, 0, 0, Some(2))];
    assert_eq!(rows(&trace.complete().await), expected);
    // Still there when asked again, and nothing was added.
    until("all is done", || place.address.is_empty()).await;
    assert_eq!(rows(&trace.complete().await), expected);
    stop(place.node).await;
}

#[tokio::test(start_paused = true)]
async fn goes_on_over_a_restart() {
    let place = Place::new().await;
    let trace = place.worker.trace(3).unwrap();
    place.send([Work::Take(1), Work::Crash, Work::Take(2)]);
    let source = TraceSource::Mailbox;
    assert_eq!(
        rows(&trace.complete().await),
        [
            ("take", source, 0, 0, Some(1)),
            ("crash", source, 0, 1, None),
            ("take", source, 1, 1, Some(2)),
        ]
    );
    stop(place.node).await;
}

#[tokio::test(start_paused = true)]
async fn a_crash_over_the_last_entry_completes_it() {
    let place = Place::new().await;
    let trace = place.worker.trace(1).unwrap();
    place.send([Work::Crash]);
    let expected = [("crash", TraceSource::Mailbox, 0, 0, None)];
    assert_eq!(rows(&trace.complete().await), expected);
    assert!(place.worker.trace(1).is_ok());
    stop(place.node).await;
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_process_completes_it() {
    let place = Place::new().await;
    let trace = place.worker.trace(100).unwrap();
    place.send([Work::Stop]);
    let expected = [("stop", TraceSource::Mailbox, 0, 0, None)];
    assert_eq!(rows(&trace.complete().await), expected);
    assert_eq!(place.worker.trace(1).unwrap_err(), TraceError::Ended);
    stop(place.node).await;
}

#[tokio::test(start_paused = true)]
async fn records_signals_and_the_request_to_stop() {
    let place = Place::new().await;
    let other = Place::new().await;
    let trace = place.worker.trace(100).unwrap();
    place.send([Work::Monitor(other.worker.clone())]);
    until("it monitors", || place.address.is_empty()).await;
    other.send([Work::Stop]);
    until("it is told", || trace.entries().len() == 2).await;
    stop(place.node).await;
    let entries = trace.complete().await;
    assert_eq!(
        rows(&entries),
        [
            ("monitor", TraceSource::Mailbox, 0, 0, Some(0)),
            ("signal", TraceSource::Signal, 0, 0, Some(0)),
            ("stop", TraceSource::Stop, 0, 0, None),
        ]
    );
    stop(other.node).await;
}

#[tokio::test(start_paused = true)]
async fn a_trace_has_a_bound_and_at_least_one_entry() {
    let place = Place::new().await;
    let trace = place.worker.trace(usize::MAX).unwrap();
    let most = limits::TRACE_MESSAGES_MAX;
    for _ in 0..most {
        place.address.send(Work::Take(0)).await.unwrap();
    }
    assert_eq!(trace.complete().await.len(), most);
    let trace = place.worker.trace(0).unwrap();
    place.send([Work::Take(0)]);
    assert_eq!(trace.complete().await.len(), 1);
    stop(place.node).await;
}
