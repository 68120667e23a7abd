//! Goal: under a key stand the entries that were registered and not given up, in order, and those
//! of an owner go with it. Method: owners under a dynamic supervisor; random steps from proptest
//! against a plain list; a race of ends with registrations on several threads.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test fails by it"
)]

#[cfg(test)]
#[expect(dead_code, reason = "uses a part of it")]
mod common;

use belay_runtime::*;
use common::*;
use proptest::prelude::*;
use proptest::strategy::Strategy as _;

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
async fn several_stand_under_one_key_and_follow_their_owners() {
    let owners = Owners::new().await;
    let registry = DuplicateRegistry::new();
    let (ann, address) = owners.start("ann").await;
    let (bob, _) = owners.start("bob").await;
    registry.register("fish", 1, &ann).unwrap().keep();
    registry.register("fish", 2, &bob).unwrap().keep();
    registry.register("fish", 3, &ann).unwrap().keep();
    registry.register("fowl", 4, &ann).unwrap().keep();
    order(&address, Order::Panic("broken"));
    assert_eq!(settled(&address).await, 1);
    assert_eq!(registry.lookup_all(&"fish"), [1, 2, 3]);
    assert_eq!(registry.values_of(&"fish", &ann), [1, 3]);
    assert_eq!((registry.count(&"fish"), registry.len()), (3, 4));
    let mut keys = registry.keys_of(&ann);
    keys.sort_unstable();
    assert_eq!(keys, ["fish", "fish", "fowl"]);
    let mut seen = Vec::new();
    let count = registry.dispatch(&"fish", |owner, value| {
        // It may come back.
        assert_eq!(registry.count(&"fish"), 3);
        seen.push((owner, *value));
    });
    assert_eq!(
        (count, seen),
        (3, vec![(ann.pid(), 1), (bob.pid(), 2), (ann.pid(), 3)])
    );
    assert_eq!(registry.unregister(&"fish", &ann), 2);
    assert_eq!(registry.unregister(&"fish", &ann), 0);
    owners.children.stop_child(ann.pid()).await.unwrap();
    assert_eq!(registry.lookup_all(&"fowl"), [0; 0]);
    assert_eq!((registry.lookup_all(&"fish"), registry.len()), (vec![2], 1));
    stop(owners.node).await;
    assert!(registry.is_empty());
}

#[tokio::test]
async fn an_owner_that_has_ended_holds_nothing() {
    let owners = Owners::new().await;
    let registry = DuplicateRegistry::new();
    let (ann, _) = owners.start("ann").await;
    owners.children.stop_child(ann.pid()).await.unwrap();
    registry.register(1, "late", &ann).unwrap().keep();
    assert!(registry.is_empty());
    stop(owners.node).await;
}

#[tokio::test]
async fn gives_the_value_back_when_there_is_no_room() {
    let owners = Owners::new().await;
    let registry = DuplicateRegistry::new();
    let (ann, _) = owners.start("ann").await;
    let (bob, _) = owners.start("bob").await;
    for number in 0..limits::RELATIONS_MAX {
        registry.register(1, number, &ann).unwrap().keep();
    }
    let refused = registry.register(1, 7, &bob).unwrap_err();
    assert!(matches!(refused, RegisterError::KeyFull(7)));
    let refused = registry.register(2, 8, &ann).unwrap_err();
    assert!(matches!(refused, RegisterError::OwnerFull(8)));
    assert_eq!(refused.into_inner(), 8);
    stop(owners.node).await;
    assert!(registry.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[expect(
    clippy::disallowed_methods,
    reason = "waits beside a thread of the test"
)]
async fn whatever_races_nothing_of_an_ended_owner_stays() {
    let owners = Owners::new().await;
    let registry = DuplicateRegistry::new();
    for round in 0..100 {
        let (ann, _) = owners.start("ann").await;
        let stopping = owners.children.stop_child(ann.pid());
        std::thread::scope(|scope| {
            let registering = scope.spawn(|| {
                for number in 0..20 {
                    let held = registry.register(number % 3, number, &ann).unwrap();
                    if number % 2 == 0 {
                        held.keep();
                    }
                }
            });
            let stopped = tokio::task::block_in_place(|| {
                tokio::runtime::Handle::current().block_on(stopping)
            });
            assert!(stopped.is_ok());
            registering.join().expect("it does not panic");
        });
        assert!(registry.is_empty(), "in round {round}");
    }
    stop(owners.node).await;
}

const OWNERS: usize = 3;
const KEYS: u8 = 2;

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Registers, for as long as it is not dropped.
    Hold(usize, u8),
    Keep(usize, u8),
    DropOne(usize),
    Unregister(usize, u8),
    /// Ends, and another comes in its place.
    End(usize),
}

fn step() -> impl proptest::strategy::Strategy<Value = Step> {
    let (owner, key) = (0..OWNERS, 0..KEYS);
    prop_oneof![
        3 => (owner.clone(), key.clone()).prop_map(|(owner, key)| Step::Hold(owner, key)),
        3 => (owner.clone(), key.clone()).prop_map(|(owner, key)| Step::Keep(owner, key)),
        2 => (0usize..8).prop_map(Step::DropOne),
        1 => (owner.clone(), key).prop_map(|(owner, key)| Step::Unregister(owner, key)),
        1 => owner.prop_map(Step::End),
    ]
}

async fn agrees_with_a_list(steps: &[Step]) {
    let all = Owners::new().await;
    let registry = DuplicateRegistry::new();
    // Entries in order: owner, key, number.
    let mut model: Vec<(usize, u8, usize)> = Vec::new();
    let mut held = Vec::new();
    let mut owners = Vec::new();
    for owner in 0..OWNERS {
        owners.push(all.start(&owner.to_string()).await.0);
    }
    for (number, step) in steps.iter().enumerate() {
        match *step {
            Step::Hold(owner, key) => {
                held.push((
                    number,
                    registry.register(key, number, &owners[owner]).unwrap(),
                ));
                model.push((owner, key, number));
            }
            Step::Keep(owner, key) => {
                registry
                    .register(key, number, &owners[owner])
                    .unwrap()
                    .keep();
                model.push((owner, key, number));
            }
            Step::DropOne(at) if at < held.len() => {
                let (number, registration) = held.remove(at);
                drop(registration);
                model.retain(|entry| entry.2 != number);
            }
            Step::DropOne(_) => {}
            Step::Unregister(owner, key) => {
                let before = model.len();
                model.retain(|entry| (entry.0, entry.1) != (owner, key));
                let gone = registry.unregister(&key, &owners[owner]);
                assert_eq!(gone, before - model.len());
            }
            Step::End(owner) => {
                all.children.stop_child(owners[owner].pid()).await.unwrap();
                model.retain(|entry| entry.0 != owner);
                owners[owner] = all.start(&owner.to_string()).await.0;
            }
        }
        for key in 0..KEYS {
            let expected = model.iter().filter(|entry| entry.1 == key);
            let expected: Vec<usize> = expected.map(|entry| entry.2).collect();
            assert_eq!(registry.lookup_all(&key), expected);
            assert_eq!(registry.count(&key), expected.len());
        }
        assert_eq!(registry.len(), model.len());
    }
    stop(all.node).await;
    assert!(registry.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn entries_agree_with_a_list(steps in prop::collection::vec(step(), 0..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(agrees_with_a_list(&steps));
    }
}
