//! The workloads on kameo.

use std::time::{Duration, Instant};

use kameo::actor::{Actor, ActorRef, Spawn};
use kameo::error::Infallible;
use kameo::mailbox;
use kameo::message::{Context, Message};
use kameo::supervision::RestartPolicy;
use tokio::sync::oneshot;

use crate::measure::*;

struct Parent;

impl Actor for Parent {
    type Args = ();
    type Error = Infallible;

    async fn on_start((): (), _: ActorRef<Self>) -> Result<Self, Infallible> {
        Ok(Self)
    }
}

#[derive(Clone, Default)]
struct Arguments {
    until: usize,
    gate: Option<Gate>,
    started: Option<Gate>,
    gone: Option<Gate>,
}

struct Counter {
    count: usize,
    arguments: Arguments,
}

impl Drop for Counter {
    fn drop(&mut self) {
        if let Some(gone) = &self.arguments.gone {
            gone.come();
        }
    }
}

impl Actor for Counter {
    type Args = Arguments;
    type Error = Infallible;

    async fn on_start(arguments: Arguments, _: ActorRef<Self>) -> Result<Self, Infallible> {
        if let Some(started) = &arguments.started {
            started.come();
        }
        Ok(Self {
            count: 0,
            arguments,
        })
    }
}

struct Count;
struct Get;
struct Crash;

impl Message<Count> for Counter {
    type Reply = ();

    async fn handle(&mut self, _: Count, _: &mut Context<Self, ()>) {
        self.count += 1;
        if self.count == self.arguments.until
            && let Some(gate) = &self.arguments.gate
        {
            gate.come();
        }
    }
}

impl Message<Get> for Counter {
    type Reply = usize;

    async fn handle(&mut self, _: Get, _: &mut Context<Self, usize>) -> usize {
        self.count
    }
}

impl Message<Crash> for Counter {
    type Reply = ();

    async fn handle(&mut self, _: Crash, _: &mut Context<Self, ()>) {
        panic!("told to")
    }
}

async fn child(parent: &ActorRef<Parent>, bound: usize, arguments: Arguments) -> ActorRef<Counter> {
    Counter::supervise_with(parent, move || arguments.clone())
        .restart_policy(RestartPolicy::Permanent)
        .restart_limit(u32::MAX, Duration::from_secs(1))
        .spawn_with_mailbox(mailbox::bounded(bound))
        .await
}

async fn counter(
    parent: &ActorRef<Parent>,
    bound: usize,
    until: usize,
    gate: Option<Gate>,
) -> ActorRef<Counter> {
    child(
        parent,
        bound,
        Arguments {
            until,
            gate,
            ..Arguments::default()
        },
    )
    .await
}

async fn end(parent: ActorRef<Parent>) {
    parent.stop_gracefully().await.unwrap();
    parent.wait_for_shutdown().await;
}

pub async fn all() -> Figures {
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
    let parent = Parent::spawn(());
    let (started, gone) = (Gate::new(CHILDREN), Gate::new(CHILDREN));
    let (bytes, pages) = (allocated(), resident());
    let begun = Instant::now();
    let arguments = Arguments {
        started: Some(started.clone()),
        gone: Some(gone.clone()),
        ..Arguments::default()
    };
    for _ in 0..CHILDREN {
        child(&parent, 64, arguments.clone()).await;
    }
    started.wait().await;
    figures.spawn = rate(CHILDREN, begun.elapsed());
    figures.idle_bytes = (allocated() - bytes) as f64 / CHILDREN as f64;
    figures.idle_rss = resident().saturating_sub(pages) as f64 / CHILDREN as f64;
    let begun = Instant::now();
    end(parent).await;
    gone.wait().await;
    figures.stop = rate(CHILDREN, begun.elapsed());
}

async fn calls(pairs: usize, each: usize) -> f64 {
    let parent = Parent::spawn(());
    let gate = Gate::new(pairs);
    let begun = Instant::now();
    for _ in 0..pairs {
        let (callee, gate) = (counter(&parent, 64, 0, None).await, gate.clone());
        tokio::spawn(async move {
            for _ in 0..each {
                callee.ask(Get).await.unwrap();
            }
            gate.come();
        });
    }
    gate.wait().await;
    let rate = rate(pairs * each, begun.elapsed());
    end(parent).await;
    rate
}

async fn fan_in() -> f64 {
    let parent = Parent::spawn(());
    let gate = Gate::new(1);
    let all = SENDERS * MESSAGES_OF_SENDER;
    let receiver = counter(&parent, BOUND, all, Some(gate.clone())).await;
    let begun = Instant::now();
    for _ in 0..SENDERS {
        let receiver = receiver.clone();
        tokio::spawn(async move {
            for _ in 0..MESSAGES_OF_SENDER {
                receiver.tell(Count).await.unwrap();
            }
        });
    }
    gate.wait().await;
    let rate = rate(all, begun.elapsed());
    end(parent).await;
    rate
}

async fn fan_out() -> f64 {
    let parent = Parent::spawn(());
    let gate = Gate::new(RECEIVERS);
    let mut receivers = Vec::new();
    for _ in 0..RECEIVERS {
        let gate = Some(gate.clone());
        receivers.push(counter(&parent, BOUND, MESSAGES_TO_RECEIVER, gate).await);
    }
    let begun = Instant::now();
    tokio::spawn(async move {
        for _ in 0..MESSAGES_TO_RECEIVER {
            for receiver in &receivers {
                receiver.tell(Count).await.unwrap();
            }
        }
    });
    gate.wait().await;
    let rate = rate(RECEIVERS * MESSAGES_TO_RECEIVER, begun.elapsed());
    end(parent).await;
    rate
}

async fn restarts(figures: &mut Figures) {
    let parent = Parent::spawn(());
    let child = counter(&parent, 64, 0, None).await;
    let (done, measured) = oneshot::channel();
    tokio::spawn(async move {
        let mut took = Vec::with_capacity(CRASHES);
        for _ in 0..CRASHES {
            let begun = Instant::now();
            child.tell(Crash).await.unwrap();
            // Answered by the incarnation after the crash.
            // Now and then it says that the child has stopped, while it is being restarted.
            while child.ask(Get).await.is_err() {}
            took.push(begun.elapsed());
        }
        done.send(took).unwrap();
    });
    figures.set_restarts(measured.await.unwrap());
    end(parent).await;
}

async fn lookups() -> f64 {
    let parent = Parent::spawn(());
    for number in 0..NAMES {
        counter(&parent, 1, 0, None)
            .await
            .register(format!("name:{number}"))
            .unwrap();
    }
    let gate = Gate::new(2);
    let begun = Instant::now();
    for first in [0, NAMES / 2] {
        let gate = gate.clone();
        let names: Vec<_> = (0..NAMES).map(|number| format!("name:{number}")).collect();
        tokio::spawn(async move {
            for name in names.iter().cycle().skip(first).take(LOOKUPS) {
                assert!(
                    ActorRef::<Counter>::lookup(name.as_str())
                        .unwrap()
                        .is_some()
                );
            }
            gate.come();
        });
    }
    gate.wait().await;
    let rate = rate(2 * LOOKUPS, begun.elapsed());
    end(parent).await;
    rate
}
