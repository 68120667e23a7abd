//! Messages between few and many, and look-ups of names.

use std::sync::Arc;
use std::time::Instant;

use super::super::measure::*;
use super::super::memory;
use super::{Ask, Bed, Counter};
use belay_runtime::*;

pub(super) async fn call_pair() -> Figures {
    Figures::one("call-pair", calls(1, CALLS).await)
}

pub(super) async fn call_pairs() -> Figures {
    Figures::one("call-pairs", calls(PAIRS, CALLS_OF_PAIR).await)
}

async fn calls(pairs: usize, each: usize) -> f64 {
    let bed = Bed::new().await;
    let gate = Gate::new(pairs);
    let mut callees = Vec::new();
    for _ in 0..pairs {
        callees.push(bed.counter(64, Counter::default()).await);
    }
    let begun = Instant::now();
    for callee in callees {
        let gate = gate.clone();
        bed.task(async move {
            for _ in 0..each {
                callee.call(TIME_OUT, Ask::Get).await.expect("it answers");
            }
            gate.come();
        });
    }
    gate.wait().await;
    rate(pairs * each, begun.elapsed())
}

pub(super) async fn fan_in() -> Figures {
    let bed = Bed::new().await;
    let gate = Gate::new(1);
    let all = SENDERS * MESSAGES_OF_SENDER;
    let receiver = bed.counter(BOUND, Counter::until(all, &gate)).await;
    let begun = Instant::now();
    for _ in 0..SENDERS {
        let receiver = receiver.clone();
        bed.task(async move {
            for _ in 0..MESSAGES_OF_SENDER {
                receiver.send(Ask::Count).await.expect("it is open");
            }
        });
    }
    gate.wait().await;
    Figures::one("fan-in", rate(all, begun.elapsed())).and("fan-in-peak", memory::peak())
}

async fn receivers(bed: &Bed, gate: &Gate) -> Vec<Address<Ask>> {
    let mut receivers = Vec::new();
    for _ in 0..RECEIVERS {
        let counter = Counter::until(MESSAGES_TO_RECEIVER, gate);
        receivers.push(bed.counter(BOUND, counter).await);
    }
    receivers
}

pub(super) async fn fan_out() -> Figures {
    let (bed, gate) = (Bed::new().await, Gate::new(RECEIVERS));
    let receivers = receivers(&bed, &gate).await;
    let begun = Instant::now();
    bed.task(async move {
        for _ in 0..MESSAGES_TO_RECEIVER {
            let value: Shared = Arc::new([7; SHARED_BYTES]);
            for receiver in &receivers {
                let message = Ask::Shared(Arc::clone(&value));
                receiver.send(message).await.expect("it is open");
            }
        }
    });
    gate.wait().await;
    let rate = rate(RECEIVERS * MESSAGES_TO_RECEIVER, begun.elapsed());
    Figures::one("fan-out", rate)
}

impl From<Shared> for Ask {
    fn from(value: Shared) -> Self {
        Self::Shared(value)
    }
}

pub(super) async fn group_out() -> Figures {
    let (bed, gate) = (Bed::new().await, Gate::new(RECEIVERS));
    let groups = Groups::new();
    for receiver in receivers(&bed, &gate).await {
        groups.join("all", &receiver).expect("it runs");
    }
    let begun = Instant::now();
    for _ in 0..MESSAGES_TO_RECEIVER {
        let value: Shared = Arc::new([7; SHARED_BYTES]);
        assert_eq!(groups.broadcast(&"all", value).delivered, RECEIVERS);
    }
    gate.wait().await;
    let rate = rate(RECEIVERS * MESSAGES_TO_RECEIVER, begun.elapsed());
    Figures::one("fan-out-group", rate)
}

pub(super) async fn look_up() -> Figures {
    let bed = Bed::new().await;
    let registry = Registry::new();
    for number in 0..NAMES {
        let mailbox: Mailbox<Ask> = Mailbox::new(Capacity::new(64));
        let spec = ChildSpec::process("counter", &mailbox, Counter::default);
        let owner = bed.children.start_child(spec).await.expect("it starts");
        let held = registry.register(format!("name:{number}"), mailbox.address(), &owner);
        held.expect("it is free").keep();
    }
    let gate = Gate::new(2);
    let names: Arc<[String]> = (0..NAMES).map(|number| format!("name:{number}")).collect();
    let begun = Instant::now();
    for first in [0, NAMES / 2] {
        let (registry, gate, names) = (registry.clone(), gate.clone(), Arc::clone(&names));
        bed.task(async move {
            for name in names.iter().cycle().skip(first).take(LOOKUPS) {
                assert!(registry.lookup(name).is_some());
            }
            gate.come();
        });
    }
    gate.wait().await;
    Figures::one("look-up", rate(2 * LOOKUPS, begun.elapsed()))
}
