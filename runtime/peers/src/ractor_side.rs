//! The workloads on ractor. Its supervisor is a few lines of its user's: it restarts who failed.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use ractor::{Actor, ActorProcessingErr, ActorRef, RpcReplyPort, SupervisionEvent};
use tokio::sync::{Notify, oneshot};

use crate::measure::*;

enum Ask {
    Count,
    Get(RpcReplyPort<usize>),
    Crash,
}

struct Counter;

struct State {
    count: usize,
    until: usize,
    gate: Option<Gate>,
    gone: Option<Gate>,
}

impl Drop for State {
    fn drop(&mut self) {
        if let Some(gone) = &self.gone {
            gone.come();
        }
    }
}

#[derive(Clone, Default)]
struct Arguments {
    until: usize,
    gate: Option<Gate>,
    started: Option<Gate>,
    gone: Option<Gate>,
}

impl Actor for Counter {
    type Msg = Ask;
    type State = State;
    type Arguments = Arguments;

    async fn pre_start(
        &self,
        _: ActorRef<Ask>,
        arguments: Arguments,
    ) -> Result<State, ActorProcessingErr> {
        if let Some(started) = &arguments.started {
            started.come();
        }
        let Arguments {
            until, gate, gone, ..
        } = arguments;
        Ok(State {
            count: 0,
            until,
            gate,
            gone,
        })
    }

    async fn handle(
        &self,
        _: ActorRef<Ask>,
        message: Ask,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            Ask::Count => {
                state.count += 1;
                if state.count == state.until
                    && let Some(gate) = &state.gate
                {
                    gate.come();
                }
            }
            Ask::Get(reply) => drop(reply.send(state.count)),
            Ask::Crash => panic!("told to"),
        }
        Ok(())
    }
}

/// The child that is restarted, and a notice of each new one.
type Current = Arc<(Mutex<Option<ActorRef<Ask>>>, Notify)>;

struct Parent;

impl Actor for Parent {
    type Msg = ();
    type State = Current;
    type Arguments = Current;

    async fn pre_start(
        &self,
        _: ActorRef<()>,
        current: Current,
    ) -> Result<Current, ActorProcessingErr> {
        Ok(current)
    }

    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<()>,
        event: SupervisionEvent,
        current: &mut Current,
    ) -> Result<(), ActorProcessingErr> {
        if let SupervisionEvent::ActorFailed(..) = event {
            let arguments = Arguments::default();
            let (child, _) =
                Actor::spawn_linked(None, Counter, arguments, myself.get_cell()).await?;
            *current.0.lock().unwrap() = Some(child);
            current.1.notify_one();
        }
        Ok(())
    }
}

async fn parent() -> (ActorRef<()>, Current) {
    let current = Current::default();
    (
        Actor::spawn(None, Parent, current.clone()).await.unwrap().0,
        current,
    )
}

async fn counter(parent: &ActorRef<()>, until: usize, gate: Option<Gate>) -> ActorRef<Ask> {
    let arguments = Arguments {
        until,
        gate,
        ..Arguments::default()
    };
    Actor::spawn_linked(None, Counter, arguments, parent.get_cell())
        .await
        .unwrap()
        .0
}

async fn end(parent: ActorRef<()>) {
    parent.stop_children_and_wait(None, None).await;
    parent.stop_and_wait(None, None).await.unwrap();
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
    let (parent, _) = parent().await;
    let (started, gone) = (Gate::new(CHILDREN), Gate::new(CHILDREN));
    let (bytes, pages) = (allocated(), resident());
    let begun = Instant::now();
    let arguments = Arguments {
        started: Some(started.clone()),
        gone: Some(gone.clone()),
        ..Arguments::default()
    };
    for _ in 0..CHILDREN {
        Actor::spawn_linked(None, Counter, arguments.clone(), parent.get_cell())
            .await
            .unwrap();
    }
    started.wait().await;
    figures.spawn = rate(CHILDREN, begun.elapsed());
    figures.idle_bytes = (allocated() - bytes) as f64 / CHILDREN as f64;
    figures.idle_rss = resident().saturating_sub(pages) as f64 / CHILDREN as f64;
    let begun = Instant::now();
    parent.stop_children_and_wait(None, None).await;
    gone.wait().await;
    figures.stop = rate(CHILDREN, begun.elapsed());
    end(parent).await;
}

async fn calls(pairs: usize, each: usize) -> f64 {
    let (parent, _) = parent().await;
    let gate = Gate::new(pairs);
    let begun = Instant::now();
    for _ in 0..pairs {
        let (callee, gate) = (counter(&parent, 0, None).await, gate.clone());
        tokio::spawn(async move {
            for _ in 0..each {
                callee.call(Ask::Get, None).await.unwrap().unwrap();
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
    let (parent, _) = parent().await;
    let gate = Gate::new(1);
    let receiver = counter(&parent, SENDERS * MESSAGES_OF_SENDER, Some(gate.clone())).await;
    let begun = Instant::now();
    for _ in 0..SENDERS {
        let receiver = receiver.clone();
        tokio::spawn(async move {
            for _ in 0..MESSAGES_OF_SENDER {
                receiver.cast(Ask::Count).unwrap();
            }
        });
    }
    gate.wait().await;
    let rate = rate(SENDERS * MESSAGES_OF_SENDER, begun.elapsed());
    end(parent).await;
    rate
}

async fn fan_out() -> f64 {
    let (parent, _) = parent().await;
    let gate = Gate::new(RECEIVERS);
    let mut receivers = Vec::new();
    for _ in 0..RECEIVERS {
        receivers.push(counter(&parent, MESSAGES_TO_RECEIVER, Some(gate.clone())).await);
    }
    let begun = Instant::now();
    tokio::spawn(async move {
        for _ in 0..MESSAGES_TO_RECEIVER {
            for receiver in &receivers {
                receiver.cast(Ask::Count).unwrap();
            }
        }
    });
    gate.wait().await;
    let rate = rate(RECEIVERS * MESSAGES_TO_RECEIVER, begun.elapsed());
    end(parent).await;
    rate
}

async fn restarts(figures: &mut Figures) {
    let (parent, current) = parent().await;
    let first = counter(&parent, 0, None).await;
    *current.0.lock().unwrap() = Some(first);
    let (done, measured) = oneshot::channel();
    tokio::spawn(async move {
        let mut took = Vec::with_capacity(CRASHES);
        for _ in 0..CRASHES {
            let begun = Instant::now();
            let child = current.0.lock().unwrap().clone().unwrap();
            child.cast(Ask::Crash).unwrap();
            current.1.notified().await;
            took.push(begun.elapsed());
        }
        done.send(took).unwrap();
    });
    figures.set_restarts(measured.await.unwrap());
    end(parent).await;
}

async fn lookups() -> f64 {
    let (parent, _) = parent().await;
    for number in 0..NAMES {
        let name = Some(format!("name:{number}"));
        let arguments = Arguments::default();
        Actor::spawn_linked(name, Counter, arguments, parent.get_cell())
            .await
            .unwrap();
    }
    let gate = Gate::new(2);
    let begun = Instant::now();
    for first in [0, NAMES / 2] {
        let gate = gate.clone();
        let names: Vec<_> = (0..NAMES).map(|number| format!("name:{number}")).collect();
        tokio::spawn(async move {
            for name in names.iter().cycle().skip(first).take(LOOKUPS) {
                assert!(ActorRef::<Ask>::where_is(name).is_some());
            }
            gate.come();
        });
    }
    gate.wait().await;
    let rate = rate(2 * LOOKUPS, begun.elapsed());
    end(parent).await;
    rate
}
