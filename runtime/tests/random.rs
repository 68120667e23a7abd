//! Goal: whatever the order of crashes, kills and stops, restarts are as the strategy says and
//! nothing is left over. Method: random steps from proptest against a simple model, and chaos on
//! several threads with an account at the end.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test fails by it"
)]

#[cfg(test)]
#[expect(dead_code, reason = "uses a part of it")]
mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use belay_runtime::{Strategy, *};
use common::*;
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
enum Blow {
    Panic,
    Fail,
    Stop,
    Kill,
}

fn blow() -> impl proptest::strategy::Strategy<Value = Blow> + use<> {
    prop_oneof![
        Just(Blow::Panic),
        Just(Blow::Fail),
        Just(Blow::Stop),
        Just(Blow::Kill)
    ]
}

fn strategy_of(number: u8) -> Strategy {
    match number {
        0 => Strategy::OneForOne,
        1 => Strategy::OneForAll,
        _ => Strategy::RestForOne,
    }
}

/// How often each child was restarted after `blows`.
async fn restarts_after(strategy: Strategy, count: usize, blows: &[(usize, Blow)]) -> Vec<u32> {
    let journal = Journal::default();
    let (specs, addresses): (Vec<_>, Vec<_>) = (0..count)
        .map(|number| obedient(&number.to_string(), &journal))
        .unzip();
    let builder = Supervisor::builder("node")
        .strategy(strategy)
        .children(specs);
    let node = Node::start(builder.intensity(Intensity::UNLIMITED))
        .await
        .unwrap();
    for (child, blow) in blows {
        let child = child % count;
        let before = settled(&addresses[child]).await;
        match blow {
            Blow::Panic => order(&addresses[child], Order::Panic("told to")),
            Blow::Fail => order(&addresses[child], Order::Fail("told to")),
            Blow::Stop => order(&addresses[child], Order::Stop),
            Blow::Kill => order(&addresses[child], Order::KillYourself),
        }
        until("it is back", || {
            let tree = node.tree();
            let back = find(&tree, &child.to_string()).restarts == before + 1;
            back && tree
                .children
                .iter()
                .all(|child| child.state == State::Running)
        })
        .await;
    }
    let restarts: Vec<u32> = node
        .tree()
        .children
        .iter()
        .map(|child| child.restarts)
        .collect();
    stop(node).await;
    let starts = journal
        .entries()
        .iter()
        .filter(|entry| entry.ends_with("starts"))
        .count();
    let all: u32 = restarts.iter().sum();
    assert_eq!(starts, count + all as usize);
    restarts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn restarts_are_as_the_strategy_says(
        strategy in 0u8..3,
        count in 1usize..5,
        blows in prop::collection::vec((0usize..5, blow()), 0..8),
    ) {
        let mut expected = vec![0_u32; count];
        for (child, _) in &blows {
            let child = child % count;
            let group = match strategy_of(strategy) {
                Strategy::OneForOne => child..child + 1,
                Strategy::OneForAll => 0..count,
                Strategy::RestForOne => child..count,
            };
            expected[group].iter_mut().for_each(|restarts| *restarts += 1);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let found = runtime.block_on(restarts_after(strategy_of(strategy), count, &blows));
        prop_assert_eq!(found, expected);
    }
}

/// Counts itself while it is.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(all: &Arc<AtomicUsize>) -> Self {
        all.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(all))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn chaos_leaves_nothing_behind() {
    const THREADS: usize = 4;
    const EACH: usize = 300;
    let options = DynamicOptions {
        intensity: Intensity::UNLIMITED,
        partitions: 3,
        max_children: THREADS * EACH,
    };
    let children = DynamicSupervisor::new("children", options);
    let node = Node::start(Supervisor::builder("node").child(children.spec()))
        .await
        .unwrap();
    let (states, messages) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let registry = Registry::new();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (states, messages, registry) = (&states, &messages, &registry);
            let children = &children;
            scope.spawn(move || {
                for number in 0..EACH {
                    let mailbox = Mailbox::new(Capacity::new(8));
                    let states = Arc::clone(states);
                    let body = move |mut ctx: Context<(u32, Counted)>| {
                        let state = Counted::new(&states);
                        async move {
                            while let Incoming::Message((number, _message)) = ctx.next().await {
                                assert!(!number.is_multiple_of(3), "every third is poison");
                            }
                            drop(state);
                            Ok(())
                        }
                    };
                    let name = format!("{thread}:{number}");
                    let spec = ChildSpec::body(name.clone(), &mailbox, body);
                    let child = children.spawn_child(spec).unwrap();
                    registry
                        .register(name, mailbox.address(), &child)
                        .unwrap()
                        .keep();
                    for number in 0..12 {
                        // Full now and then: then the message is dropped here.
                        drop(mailbox.address().try_send((number, Counted::new(messages))));
                        if number == 5 && child.pid().number().is_multiple_of(2) {
                            child.kill();
                        }
                    }
                }
            });
        }
    });
    assert_eq!(children.count(), THREADS * EACH);
    assert_eq!(registry.len(), THREADS * EACH);
    until("all is handled", || messages.load(Ordering::Acquire) == 0).await;
    stop(node).await;
    assert_eq!(children.count(), 0);
    assert_eq!(states.load(Ordering::Acquire), 0);
    assert!(registry.is_empty());
}
