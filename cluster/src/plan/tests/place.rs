//! `[pure]` Shards that nobody owns.

use super::world::{World, brief};
use crate::command::Command;
use crate::ids::{Incarnation, NodeId, ShardId};
use crate::limits::LEASE_EVERY;
use crate::plan::observed::Observed;

#[test]
fn the_heaviest_shard_is_placed_first_and_each_on_the_node_with_the_least_load() {
    let mut world = World::new(3);
    world.declare(&[("a", 3), ("b", 9), ("c", 3), ("d", 4), ("e", 1), ("f", 4)]);
    let expected = [
        "place b #1",
        "place d #2",
        "place f #3",
        "place a #2",
        "place c #3",
        "place e #2",
    ];
    assert_eq!(brief(&world.think()), expected);
    assert!(world.think().is_empty());
}

#[test]
fn equal_shards_are_spread_by_number() {
    let mut world = World::new(4);
    world.declare_equal(10);
    world.think();
    let counts = [1, 2, 3, 4].map(|n| world.owned(n).len());
    assert_eq!(counts, [3, 3, 2, 2]);
}

#[test]
fn a_node_that_is_drained_or_not_heard_of_gets_nothing() {
    let mut world = World::new(3);
    world.drain(2, true);
    world.kill(3);
    world.declare_equal(4);
    world.beats(LEASE_EVERY * 4);
    world.think();
    assert_eq!([1, 2, 3].map(|n| world.owned(n).len()), [4, 0, 0]);
}

#[test]
fn while_no_node_is_heard_of_shards_wait() {
    let mut world = World::new(2);
    world.kill(1);
    world.kill(2);
    world.declare_equal(2);
    world.beats(LEASE_EVERY * 4);
    assert!(world.think().is_empty());
    world.start(2);
    assert!(world.think().is_empty(), "its new life was not heard of");
    world.beat();
    assert_eq!(brief(&world.think()), ["place z00 #2", "place z01 #2"]);
}

#[test]
fn a_shard_that_was_taken_from_a_living_node_waits_until_that_node_knows() {
    let mut world = World::new(2);
    world.declare_equal(1);
    world.think();
    world.beat();
    world.nodes.get_mut(&1).unwrap().lags = true;
    let (shard, epoch) = (ShardId::new("z00"), world.epoch("z00"));
    world.apply(Command::Release { shard, epoch });
    world.beats(LEASE_EVERY * 20);
    assert!(world.think().is_empty(), "node 1 may act for it yet");
    world.nodes.get_mut(&1).unwrap().lags = false;
    world.beat();
    assert_eq!(brief(&world.think()), ["place z00 #1"]);
}

#[test]
fn a_new_leader_that_does_not_know_the_last_owner_asks_all() {
    let mut world = World::new(3);
    world.declare_equal(1);
    world.think();
    world.beat();
    let (shard, epoch) = (ShardId::new("z00"), world.epoch("z00"));
    world.apply(Command::Release { shard, epoch });
    world.elect();
    world.kill(1);
    world.beats(LEASE_EVERY * 2);
    assert!(world.plan().is_empty(), "node 1 was not heard of");
    world.beats(LEASE_EVERY * 7);
    assert_eq!(brief(&world.think()), ["place z00 #2"]);
}

#[test]
fn a_view_that_was_not_followed_is_not_planned_by() {
    let mut world = World::new(1);
    world.declare_equal(1);
    let view = world.view();
    let mut observed = Observed::new();
    observed.renewed(NodeId(1), Incarnation(1), 9, world.now);
    let mut round = crate::plan::round::Round::open(&view);
    let commands = crate::plan::round::plan(&view, &observed, world.now, &mut round);
    assert!(commands.is_empty());
}
