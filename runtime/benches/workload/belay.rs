//! The workloads on belay-runtime.

use std::time::{Duration, Instant};

use super::measure::*;
use belay_runtime::*;

const LONG: Duration = Duration::from_secs(60);

/// Waits for a message, for ever.
struct Idle(Gate);

impl Process for Idle {
    type Message = u64;

    async fn init(&mut self, _: &mut Context<u64>) -> Result<(), Exit> {
        self.0.come();
        Ok(())
    }

    async fn handle(&mut self, _: &mut Context<u64>, _: u64) -> Result<Flow, Exit> {
        Ok(Flow::Continue)
    }
}

enum Ask {
    Count,
    Get(Reply<usize>),
    Crash,
}

/// Counts, answers, crashes.
struct Counter {
    count: usize,
    until: usize,
    gate: Option<Gate>,
}

impl Process for Counter {
    type Message = Ask;

    async fn init(&mut self, _: &mut Context<Ask>) -> Result<(), Exit> {
        Ok(())
    }

    async fn handle(&mut self, _: &mut Context<Ask>, message: Ask) -> Result<Flow, Exit> {
        match message {
            Ask::Count => {
                self.count += 1;
                if self.count == self.until
                    && let Some(gate) = &self.gate
                {
                    gate.come();
                }
            }
            Ask::Get(reply) => drop(reply.send(self.count)),
            Ask::Crash => panic!("told to"),
        }
        Ok(Flow::Continue)
    }
}

struct Bed {
    node: Node,
    children: DynamicSupervisor,
}

impl Bed {
    async fn new() -> Self {
        let options = DynamicOptions {
            intensity: Intensity::UNLIMITED,
            partitions: 2,
            ..DynamicOptions::default()
        };
        let children = DynamicSupervisor::new("children", options);
        let node = Node::start(Supervisor::builder("node").child(children.spec())).await;
        Self {
            node: node.expect("the node starts"),
            children,
        }
    }

    fn counter(&self, bound: usize, until: usize, gate: Option<Gate>) -> Address<Ask> {
        let bound = u32::try_from(bound).expect("it is small");
        let mailbox = Mailbox::new(Capacity::new(bound));
        let spec = ChildSpec::process("counter", &mailbox, move || Counter {
            count: 0,
            until,
            gate: gate.clone(),
        });
        self.children.spawn_child(spec).expect("there is room");
        mailbox.address()
    }

    fn task(&self, future: impl Future<Output = ()> + Send + 'static) {
        let spec = ChildSpec::task("task", |_| async move {
            future.await;
            Ok(())
        });
        self.children.spawn_child(spec).expect("there is room");
    }

    async fn end(self) {
        self.node.stop(LONG).await;
    }
}

pub(crate) async fn all() -> Figures {
    let mut figures = Figures::default();
    population(&mut figures).await;
    figures.call_pair = calls(1, CALLS).await;
    figures.call_pairs = calls(PAIRS, CALLS_OF_PAIR).await;
    figures.fan_in = fan_in().await;
    figures.fan_out = fan_out().await;
    restarts(&mut figures).await;
    figures.lookups = lookups().await;
    figures
}

async fn population(figures: &mut Figures) {
    let bed = Bed::new().await;
    let gate = Gate::new(CHILDREN);
    let (bytes, pages) = (allocated(), resident());
    let begun = Instant::now();
    for number in 0..CHILDREN {
        let mailbox = Mailbox::new(Capacity::new(64));
        let gate = gate.clone();
        let name = format!("idle:{number}");
        let spec = ChildSpec::process(name, &mailbox, move || Idle(gate.clone()));
        bed.children.spawn_child(spec).expect("there is room");
    }
    gate.wait().await;
    figures.spawn = rate(CHILDREN, begun.elapsed());
    figures.idle_bytes = (allocated() - bytes) as f64 / CHILDREN as f64;
    figures.idle_rss = resident().saturating_sub(pages) as f64 / CHILDREN as f64;
    let begun = Instant::now();
    bed.end().await;
    figures.stop = rate(CHILDREN, begun.elapsed());
}

async fn calls(pairs: usize, each: usize) -> f64 {
    let bed = Bed::new().await;
    let gate = Gate::new(pairs);
    let begun = Instant::now();
    for _ in 0..pairs {
        let (callee, gate) = (bed.counter(64, 0, None), gate.clone());
        bed.task(async move {
            for _ in 0..each {
                callee.call(LONG, Ask::Get).await.expect("it answers");
            }
            gate.come();
        });
    }
    gate.wait().await;
    let rate = rate(pairs * each, begun.elapsed());
    bed.end().await;
    rate
}

async fn fan_in() -> f64 {
    let bed = Bed::new().await;
    let gate = Gate::new(1);
    let receiver = bed.counter(BOUND, SENDERS * MESSAGES_OF_SENDER, Some(gate.clone()));
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
    let rate = rate(SENDERS * MESSAGES_OF_SENDER, begun.elapsed());
    bed.end().await;
    rate
}

async fn fan_out() -> f64 {
    let bed = Bed::new().await;
    let gate = Gate::new(RECEIVERS);
    let receivers: Vec<_> = (0..RECEIVERS)
        .map(|_| bed.counter(BOUND, MESSAGES_TO_RECEIVER, Some(gate.clone())))
        .collect();
    let begun = Instant::now();
    bed.task(async move {
        for _ in 0..MESSAGES_TO_RECEIVER {
            for receiver in &receivers {
                receiver.send(Ask::Count).await.expect("it is open");
            }
        }
    });
    gate.wait().await;
    let rate = rate(RECEIVERS * MESSAGES_TO_RECEIVER, begun.elapsed());
    bed.end().await;
    rate
}

async fn restarts(figures: &mut Figures) {
    let bed = Bed::new().await;
    let child = bed.counter(64, 0, None);
    let (done, measured) = tokio::sync::oneshot::channel();
    bed.task(async move {
        let mut took = Vec::with_capacity(CRASHES);
        for _ in 0..CRASHES {
            let begun = Instant::now();
            child.try_send(Ask::Crash).expect("there is room");
            // Answered by the incarnation after the crash.
            child.call(LONG, Ask::Get).await.expect("it answers");
            took.push(begun.elapsed());
        }
        done.send(took).expect("it is waited for");
    });
    figures.set_restarts(measured.await.expect("it is measured"));
    bed.end().await;
}

async fn lookups() -> f64 {
    let bed = Bed::new().await;
    let registry = Registry::new();
    let owner = bed
        .children
        .spawn_child(ChildSpec::task("owner", |ctx| async move {
            ctx.stopping().await;
            Ok(())
        }));
    let owner = owner.expect("there is room");
    for number in 0..NAMES {
        let address = bed.counter(1, 0, None);
        let held = registry.register(format!("name:{number}"), address, &owner);
        held.expect("it is free").keep();
    }
    let gate = Gate::new(2);
    let begun = Instant::now();
    for first in [0, NAMES / 2] {
        let (registry, gate) = (registry.clone(), gate.clone());
        let names: Vec<_> = (0..NAMES).map(|number| format!("name:{number}")).collect();
        bed.task(async move {
            for name in names.iter().cycle().skip(first).take(LOOKUPS) {
                assert!(registry.lookup(name).is_some());
            }
            gate.come();
        });
    }
    gate.wait().await;
    let rate = rate(2 * LOOKUPS, begun.elapsed());
    bed.end().await;
    rate
}
