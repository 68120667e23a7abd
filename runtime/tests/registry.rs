//! Goal: keys are unique, follow their owner over restarts, and go with it. Method: owners under
//! a dynamic supervisor; races on several threads.

#![expect(clippy::unwrap_used, reason = "a test fails by it")]

#[cfg(test)]
#[expect(dead_code, reason = "uses a part of it")]
mod common;

use std::collections::BTreeSet;

use belay_runtime::*;
use common::*;

struct Owners {
    node: Node,
    children: DynamicSupervisor,
    journal: Journal,
}

impl Owners {
    async fn new() -> Self {
        let options = DynamicOptions {
            intensity: Intensity::UNLIMITED,
            ..Default::default()
        };
        let children = DynamicSupervisor::new("owners", options);
        let builder = Supervisor::builder("node").child(children.spec());
        Self {
            node: Node::start(builder).await.unwrap(),
            children,
            journal: Journal::default(),
        }
    }

    async fn start(&self, name: &str) -> (ProcessRef, Address<Order>) {
        let (spec, address) = obedient(name, &self.journal);
        (self.children.start_child(spec).await.unwrap(), address)
    }
}

#[tokio::test]
async fn an_entry_follows_its_owner_over_a_restart_and_goes_with_it() {
    let owners = Owners::new().await;
    let registry = Registry::new();
    let (ann, address) = owners.start("ann").await;
    registry
        .register("ann".to_owned(), address, &ann)
        .unwrap()
        .keep();
    let found = registry.lookup(&"ann".to_owned()).unwrap();
    order(&found, Order::Panic("broken"));
    assert_eq!(settled(&found).await, 1);
    assert_eq!(registry.lookup(&"ann".to_owned()), Some(found));
    owners.children.stop_child(ann.pid()).await.unwrap();
    assert_eq!(registry.lookup(&"ann".to_owned()), None);
    assert!(registry.is_empty());
    stop(owners.node).await;
}

#[tokio::test]
async fn a_key_that_is_taken_is_refused_with_its_value() {
    let owners = Owners::new().await;
    let registry = Registry::new();
    let (ann, _) = owners.start("ann").await;
    let (bob, _) = owners.start("bob").await;
    let held = registry.register(1, "ann's", &ann).unwrap();
    let refused = registry.register(1, "bob's", &bob).unwrap_err();
    assert_eq!(refused.to_string(), "key is registered already");
    let (existing, value) = ("ann's", "bob's");
    assert_eq!(refused, ClaimError::Taken { existing, value });
    assert_eq!(refused.into_inner(), "bob's");
    drop(held);
    let _held = registry.register(1, "bob's", &bob).unwrap();
    assert_eq!(registry.lookup(&1), Some("bob's"));
    stop(owners.node).await;
}

#[tokio::test]
async fn gives_the_value_back_when_its_owner_holds_too_many() {
    let owners = Owners::new().await;
    let registry = Registry::new();
    let (ann, _) = owners.start("ann").await;
    for key in 0..limits::RELATIONS_MAX {
        registry.register(key, "ann's", &ann).unwrap().keep();
    }
    let key = limits::RELATIONS_MAX;
    let refused = registry.register(key, "more", &ann).unwrap_err();
    assert_eq!(refused, ClaimError::OwnerFull("more"));
    assert_eq!(refused.to_string(), "owner holds too many entries");
    assert_eq!(registry.lookup(&key), None);
    // What it holds it can replace, and what it gives up makes room.
    registry.register(7, "new", &ann).unwrap().keep();
    assert_eq!(registry.unregister(&7, &ann), Some("new"));
    registry.register(key, "more", &ann).unwrap().keep();
    stop(owners.node).await;
    assert!(registry.is_empty());
}

#[tokio::test]
async fn the_same_owner_replaces_its_entry() {
    let owners = Owners::new().await;
    let registry = Registry::new();
    let (ann, _) = owners.start("ann").await;
    let first = registry.register(1, "old", &ann).unwrap();
    let second = registry.register(1, "new", &ann).unwrap();
    drop(first);
    assert_eq!(registry.lookup(&1), Some("new"));
    drop(second);
    assert_eq!(registry.lookup(&1), None);
    stop(owners.node).await;
}

#[tokio::test]
async fn an_owner_that_has_ended_holds_nothing() {
    let owners = Owners::new().await;
    let registry = Registry::new();
    let (ann, _) = owners.start("ann").await;
    owners.children.stop_child(ann.pid()).await.unwrap();
    registry.register(1, "late", &ann).unwrap().keep();
    assert_eq!(registry.lookup(&1), None);
    stop(owners.node).await;
}

#[tokio::test]
async fn all_entries_can_be_seen() {
    let owners = Owners::new().await;
    let registry = Registry::new();
    let (ann, _) = owners.start("ann").await;
    for key in 0..100 {
        registry.register(key, key * 2, &ann).unwrap().keep();
    }
    assert_eq!(registry.len(), 100);
    let seen: BTreeSet<_> = registry.snapshot().into_iter().collect();
    assert_eq!(seen, (0..100).map(|key| (key, key * 2)).collect());
    stop(owners.node).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_those_who_race_for_a_key_one_gets_it() {
    const OWNERS: usize = 8;
    let owners = Owners::new().await;
    let registry = Registry::new();
    let mut all = Vec::new();
    for number in 0..OWNERS {
        all.push(owners.start(&number.to_string()).await.0);
    }
    for round in 0..200 {
        let won: usize = std::thread::scope(|scope| {
            let racers: Vec<_> = all
                .iter()
                .map(|owner| {
                    scope.spawn(|| match registry.register(round, owner.pid(), owner) {
                        Ok(held) => {
                            held.keep();
                            1
                        }
                        Err(_taken) => 0,
                    })
                })
                .collect();
            racers
                .into_iter()
                .map(|racer| racer.join().expect("it does not panic"))
                .sum()
        });
        assert_eq!(won, 1, "in round {round}");
    }
    stop(owners.node).await;
    assert!(registry.is_empty());
}

#[tokio::test]
async fn an_owner_changes_gives_up_and_lists_its_own_keys_only() {
    let owners = Owners::new().await;
    let registry = Registry::new();
    let (ann, _) = owners.start("ann").await;
    let (bob, _) = owners.start("bob").await;
    let held = registry.register("ann", 1, &ann).unwrap();
    registry.register("queen", 2, &ann).unwrap().keep();
    assert_eq!(
        registry.update(&"ann", &ann, |value| *value += 10),
        Some(())
    );
    assert_eq!(registry.update(&"ann", &bob, |value| *value = 0), None);
    assert_eq!(registry.lookup(&"ann"), Some(11));
    let mut keys = registry.keys_of(&ann);
    keys.sort_unstable();
    assert_eq!(
        (keys, registry.keys_of(&bob)),
        (vec!["ann", "queen"], vec![])
    );
    assert_eq!(registry.unregister(&"ann", &bob), None);
    assert_eq!(registry.unregister(&"ann", &ann), Some(11));
    registry.register("ann", 3, &bob).unwrap().keep();
    drop(held);
    assert_eq!(registry.whereis(&"ann"), Some(bob.clone()));
    assert_eq!(registry.whereis(&"nobody"), None);
    owners.children.stop_child(ann.pid()).await.unwrap();
    assert_eq!((registry.keys_of(&ann), registry.len()), (vec![], 1));
    assert_eq!(registry.update(&"queen", &ann, |_| ()), None);
    stop(owners.node).await;
}
