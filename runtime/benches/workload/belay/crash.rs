//! Crashes and restarts among few and many siblings.

use std::time::{Duration, Instant};

use super::super::measure::{CRASHING, Figures, Gate, STORMS, TIME_OUT};
use super::{Address, Ask, Bed, Counter};

/// [`CRASHING`] of `count` children crash: all at once, then one after the other.
pub(super) async fn run(id: &str, count: usize) -> Figures {
    let bed = Bed::new().await;
    let started = Gate::new(count);
    let mut children = Vec::new();
    for _ in 0..count {
        let counter = Counter {
            started: Some(started.clone()),
            ..Counter::default()
        };
        children.push(bed.counter(64, counter).await);
    }
    started.wait().await;
    let crashing: Vec<_> = children.iter().step_by(count / CRASHING).collect();
    let mut storms = Duration::ZERO;
    for _ in 0..STORMS {
        storms += storm(&crashing, &started).await;
    }
    let mut took = Vec::with_capacity(CRASHING);
    started.arm(CRASHING);
    for child in crashing {
        let begun = Instant::now();
        child.try_send(Ask::Crash).expect("there is room");
        // Answered by the incarnation after the crash.
        child.call(TIME_OUT, Ask::Get).await.expect("it answers");
        took.push(begun.elapsed());
    }
    Figures::crashes(id, storms, took)
}

/// From the first crash to the last start after it.
async fn storm(children: &[&Address<Ask>], started: &Gate) -> Duration {
    started.arm(children.len());
    let begun = Instant::now();
    for child in children {
        child.try_send(Ask::Crash).expect("there is room");
    }
    started.wait().await;
    begun.elapsed()
}
