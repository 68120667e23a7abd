//! `[pure]` What operators ask for, and what they are told.

use super::faults::Fault;
use super::named::{SHARDS, follower, leader, owned, settled, up};
use super::world::World;
use super::{ms, n, shard};
use crate::command::ShardSpec;
use crate::ids::{NodeId, NodeName, ShardId};
use crate::limits::{DECLARED_MAX, ORDERS_MAX};
use crate::order::{Order, OrderError};
use crate::view::NodePhase;

fn name(id: NodeId) -> NodeName {
    NodeName::new(&format!("n{}", id.0)).expect("a name")
}

/// What is answered to an order given on this node.
fn answer(world: &mut World, on: NodeId, order: Order) -> Result<String, OrderError> {
    let id = world.order(on, order);
    let answered = world.until(ms(11_000), |world| world.facts.answers.contains_key(&id));
    assert!(answered.is_some(), "every order is answered in time");
    world.facts.answers[&id].clone()
}

fn told(world: &mut World, order: Order, words: &str) {
    for on in [leader(world), follower(world)] {
        let told = match answer(world, on, order.clone()) {
            Ok(done) => done,
            Err(OrderError::Refused(why)) => why,
            Err(OrderError::NoLeader) => panic!("no answer to {order:?}"),
        };
        assert_eq!(told, words, "{order:?} on {on}");
    }
}

/// A shard, its owner, and a node that does not own it.
fn to_move(world: &World) -> (ShardId, NodeId, NodeId) {
    let shard = shard(0);
    let (owner, _) = world.view().owner(&shard).expect("it is owned");
    let others = world.nodes.keys().copied();
    let other = others.clone().find(|id| *id != owner).expect("another");
    (shard, owner, other)
}

#[test]
fn a_shard_is_moved_from_any_node_and_told_when_it_is_there() {
    for seed in 0..3 {
        let mut world = settled(seed, 3);
        for on in 1..=3 {
            let (shard, _, to) = to_move(&world);
            let value = world.facts.value[&shard];
            let told = answer(&mut world, n(on), Order::Move(shard.clone(), name(to)));
            assert_eq!(told, Ok(format!("{shard} is on n{} now", to.0)), "{seed}");
            assert_eq!(world.view().owner(&shard).expect("owned").0, to);
            world.until(ms(1_000), |world| world.idle(SHARDS).is_empty());
            assert!(world.facts.value[&shard] >= value, "with all that is in it");
        }
    }
}

#[test]
fn moves_that_cannot_be_are_refused_in_words() {
    let mut world = settled(1, 3);
    let (zone, owner, other) = to_move(&world);
    let gone = ShardId::new("zone:gone");
    let cases = [
        (
            Order::Move(gone, name(other)),
            "no shard is called \"zone:gone\"".to_owned(),
        ),
        (
            Order::Move(zone.clone(), NodeName::new("x").expect("a name")),
            "no node is called \"x\"".to_owned(),
        ),
        (
            Order::Move(zone.clone(), name(owner)),
            format!("zone:00 is on n{} already", owner.0),
        ),
    ];
    for (order, words) in cases {
        told(&mut world, order, &words);
    }
    let drained = answer(&mut world, n(1), Order::Drain(name(other), true));
    assert!(drained.is_ok());
    let told = answer(&mut world, n(1), Order::Move(zone, name(other)));
    let why = "the node is being drained".to_owned();
    assert_eq!(told, Err(OrderError::Refused(why)));
}

#[test]
fn a_move_that_fails_is_told_with_the_reason() {
    let mut world = settled(2, 3);
    let (zone, owner, to) = to_move(&world);
    let on = n((1..=3)
        .find(|id| n(*id) != owner && n(*id) != to)
        .expect("a third"));
    let id = world.order(on, Order::Move(zone.clone(), name(to)));
    world.until(ms(1_000), |world| world.facts.moves > 0);
    world.befall(Fault::Cut(owner, to));
    world.befall(Fault::Cut(to, owner));
    world.until(ms(11_000), |world| world.facts.answers.contains_key(&id));
    let told = world.facts.answers[&id].clone();
    let reasons = [
        "its state did not arrive in time",
        "its node did not hand it over in time",
        "one of the two nodes was lost",
    ];
    let reason = |why: &str| format!("{zone} did not move to n{}: {why}", to.0);
    assert!(
        reasons
            .iter()
            .any(|why| told == Err(OrderError::Refused(reason(why)))),
        "{told:?}"
    );
}

#[test]
fn a_node_is_emptied_and_may_own_shards_again() {
    let mut world = settled(3, 3);
    let id = follower(&world);
    let owns = owned(&world, id);
    let on = leader(&world);
    let told = answer(&mut world, on, Order::Drain(name(id), true));
    let words = format!("n{} is being emptied: {owns} shards to go", id.0);
    assert_eq!(told, Ok(words));
    let empty = world.until(ms(20_000), |world| owned(world, id) == 0);
    assert!(empty.is_some(), "two moves after the other");
    world.run_for(ms(200));
    assert_eq!(world.idle(SHARDS), []);
    assert_eq!(world.view().nodes[&id].phase, NodePhase::Draining);
    let told = answer(&mut world, id, Order::Drain(name(id), false));
    assert_eq!(told, Ok(format!("n{} may own shards again", id.0)));
    let again = world.until(ms(20_000), |world| owned(world, id) > 1);
    assert!(again.is_some());
}

#[test]
fn load_is_evened_out_until_it_is_even() {
    let mut world = settled(4, 3);
    let words = "nothing to begin: load is even, or shards are moving already, or none may move";
    told(&mut world, Order::Rebalance, words);
    // What one node has turns out to be much heavier than was thought.
    let id = follower(&world);
    if let Some(process) = world.process(id) {
        process.host.weight = 400;
    }
    world.run_for(ms(1_000));
    let uneven = answer(&mut world, id, Order::Rebalance);
    let words = "load is being evened out: 2 shards move first";
    assert_eq!(uneven.as_deref(), Ok(words));
    let owns = owned(&world, id);
    world.run_for(ms(10_000));
    assert!(owned(&world, id) < owns);
}

#[test]
fn a_node_is_forgotten_when_it_owns_nothing_and_stops() {
    let mut world = settled(5, 4);
    let (first, id) = (leader(&world), follower(&world));
    let words = format!("n{} leads just now; stop it, and forget it then", first.0);
    told(&mut world, Order::Forget(name(first)), &words);
    let owns = owned(&world, id);
    let words = format!(
        "n{} still owns {owns} shards; drain it or stop it first",
        id.0
    );
    let on = leader(&world);
    let told = answer(&mut world, on, Order::Forget(name(id)));
    assert_eq!(told, Err(OrderError::Refused(words)));
    world.kill(id);
    world.until(ms(6_000), |world| up(world) == 3);
    world.run_for(ms(200));
    let told = answer(&mut world, on, Order::Forget(name(id)));
    assert_eq!(told, Ok(format!("n{} is no member any more", id.0)));
    let forgotten = world.until(ms(5_000), |world| {
        !world.raft.voters.contains(&id) && !world.raft.learners.contains(&id)
    });
    assert!(forgotten.is_some(), "raft sends it nothing any more");
}

#[test]
fn a_living_node_that_is_forgotten_stops() {
    let mut world = settled(6, 4);
    let id = follower(&world);
    let on = leader(&world);
    answer(&mut world, on, Order::Drain(name(id), true)).expect("it is emptied");
    world.until(ms(30_000), |world| owned(world, id) == 0);
    world.run_for(ms(200));
    answer(&mut world, on, Order::Forget(name(id))).expect("it is forgotten");
    let stopped = world.until(ms(3_000), |world| world.run_of(id).is_none());
    assert!(stopped.is_some());
    assert_eq!(world.idle(SHARDS), []);
}

#[test]
fn many_shards_are_declared_in_pieces_and_told_as_one() {
    let mut world = settled(7, 3);
    let count = DECLARED_MAX + 500;
    let specs = (0..count).map(|number| ShardSpec {
        shard: ShardId::new(&format!("channel:{number}")),
        weight: 1,
    });
    let specs: Vec<_> = specs.collect();
    let on = follower(&world);
    let told = answer(&mut world, on, Order::Declare(specs));
    assert_eq!(told, Ok(format!("{count} shards are declared")));
    assert_eq!(world.view().shards.len(), SHARDS + count);
}

#[test]
fn without_a_leader_an_order_is_answered_at_its_deadline() {
    let mut world = settled(8, 3);
    let on = follower(&world);
    world.befall(Fault::Isolate(on));
    let told = answer(&mut world, on, Order::Rebalance);
    assert_eq!(told, Err(OrderError::NoLeader));
}

#[test]
fn an_order_outlives_its_leader() {
    let mut done = 0;
    for seed in 0..5 {
        let mut world = settled(seed, 3);
        let (old, on) = (leader(&world), follower(&world));
        let id = world.order(on, Order::Drain(name(on), true));
        world.kill(old);
        world.until(ms(11_000), |world| world.facts.answers.contains_key(&id));
        done += usize::from(world.facts.answers[&id].is_ok());
    }
    assert!(done >= 4, "the next leader has carried it out: {done}");
}

#[test]
fn one_order_too_many_is_refused_at_once() {
    let mut world = settled(9, 3);
    let on = follower(&world);
    world.befall(Fault::Isolate(on));
    let ids: Vec<_> = (0..=ORDERS_MAX)
        .map(|_| world.order(on, Order::Rebalance))
        .collect();
    let why = "too many orders wait for an answer; try again".to_owned();
    assert_eq!(
        world.facts.answers[&ids[ORDERS_MAX]],
        Err(OrderError::Refused(why))
    );
    world.run_for(ms(12_000));
    assert_eq!(
        world.facts.answers.len(),
        ORDERS_MAX + 1,
        "each is answered"
    );
}

#[test]
fn a_shard_that_is_retired_runs_nowhere_and_runs_again_when_it_is_declared_again() {
    let mut world = settled(10, 3);
    let (shard, owner, _) = to_move(&world);
    let none = format!("no shard is called \"{}\"", "zone:none");
    told(&mut world, Order::Retire(ShardId::new("zone:none")), &none);
    let on = follower(&world);
    let told = answer(&mut world, on, Order::Retire(shard.clone()));
    assert_eq!(told, Ok(format!("{shard} is no shard any more")));
    world.run_for(ms(12_000));
    assert_eq!(world.view().shards.len(), SHARDS - 1);
    let process = world.process(owner).expect("it runs");
    assert!(!process.host.shards.contains_key(&shard), "it was stopped");
    let spec = ShardSpec {
        shard: shard.clone(),
        weight: 1,
    };
    answer(&mut world, on, Order::Declare(vec![spec])).expect("it is declared");
    let runs = world.until(ms(10_000), |world| world.idle(SHARDS).is_empty());
    assert!(runs.is_some());
}
