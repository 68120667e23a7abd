//! `[pure]` Shards that have an owner and do not run.

use super::world::{World, brief};
use crate::ids::{NodeId, ShardId};
use crate::limits::{LEASE_EVERY, REBALANCE_EVERY, START_MAX, TICK_MAX};

fn world(nodes: u16) -> World {
    let mut world = World::new(nodes);
    world.declare_equal(usize::from(nodes));
    world.think();
    world.beats(START_MAX * 2);
    assert!(world.think().is_empty());
    world
}

fn silence(world: &mut World, shard: &str, node: Option<u16>) {
    world.silent.insert((ShardId::new(shard), node));
}

#[test]
fn a_shard_that_does_not_tick_is_begun_anew_once_and_then_elsewhere() {
    let mut world = world(2);
    silence(&mut world, "z00", Some(1));
    world.beats(TICK_MAX - LEASE_EVERY);
    assert!(world.think().is_empty(), "it has its time");
    world.beats(LEASE_EVERY * 2);
    assert_eq!(brief(&world.think()), ["restart z00"]);
    world.beats(START_MAX);
    assert!(world.think().is_empty(), "it has its time to start");
    world.beat();
    assert_eq!(brief(&world.think()), ["release z00"]);
    world.beat();
    assert_eq!(brief(&world.think()), ["place z00 #2"]);
    world.beats(START_MAX * 2);
    assert!(world.think().is_empty());
}

#[test]
fn a_shard_that_ticks_nowhere_goes_round_without_haste() {
    let mut world = world(2);
    silence(&mut world, "z00", None);
    let before = world.done.len();
    for _ in 0..120 {
        world.beat();
        world.think();
    }
    let tried = world.done.len() - before;
    assert!((10..40).contains(&tried), "{tried} commands in a minute");
}

#[test]
fn a_lone_node_begins_it_anew_again_and_again() {
    let mut world = world(1);
    silence(&mut world, "z00", None);
    for _ in 0..3 {
        world.beats(START_MAX + LEASE_EVERY);
        assert_eq!(brief(&world.think()), ["restart z00"]);
    }
}

#[test]
fn a_shard_that_came_to_itself_has_its_one_restart_again() {
    let mut world = world(2);
    for _ in 0..2 {
        silence(&mut world, "z00", None);
        world.beats(START_MAX);
        assert_eq!(brief(&world.think()), ["restart z00"]);
        world.silent.clear();
        world.beats(REBALANCE_EVERY + LEASE_EVERY);
        assert!(world.think().is_empty());
    }
}

#[test]
fn a_tick_under_another_epoch_is_none() {
    let mut world = world(2);
    world.nodes.get_mut(&1).unwrap().lags = true;
    let (shard, epoch) = (ShardId::new("z00"), world.epoch("z00"));
    world.apply(crate::command::Command::Restart { shard, epoch });
    assert!(world.think().is_empty());
    world.beats(START_MAX + LEASE_EVERY);
    assert_eq!(brief(&world.think()), ["release z00"]);
}

#[test]
fn a_new_leader_gives_every_shard_its_time() {
    let mut world = world(2);
    world.elect();
    assert!(world.think().is_empty());
    silence(&mut world, "z01", None);
    world.beats(START_MAX - LEASE_EVERY);
    assert!(world.think().is_empty());
    world.beats(LEASE_EVERY * 2);
    assert_eq!(brief(&world.think()), ["restart z01"]);
}

#[test]
fn a_node_that_is_heard_of_again_after_a_gap_gets_time_to_tick() {
    let mut world = world(2);
    world.kill(1);
    world.beats(LEASE_EVERY * 6);
    assert!(world.think().is_empty(), "its lease is not counted out");
    world.nodes.get_mut(&1).unwrap().alive = true;
    silence(&mut world, "z00", None);
    world.beat();
    assert!(world.think().is_empty());
    world.beats(TICK_MAX);
    assert!(world.think().is_empty());
    world.beat();
    assert_eq!(brief(&world.think()), ["restart z00"]);
}

#[test]
fn what_a_node_had_to_stop_is_begun_anew_at_once_and_that_is_no_failure_of_it() {
    let mut world = world(2);
    for _ in 0..3 {
        let ended = [(ShardId::new("z00"), world.epoch("z00"))];
        world.observed.ended(NodeId(2), &ended);
        assert!(world.think().is_empty(), "it is not node 2's");
        world.observed.ended(NodeId(1), &ended);
        assert_eq!(brief(&world.think()), ["restart z00"]);
        world.observed.ended(NodeId(1), &ended);
        assert!(world.think().is_empty(), "that epoch is over");
        world.beat();
    }
}

#[test]
fn a_shard_on_its_way_stands_still_on_purpose_and_has_time_when_the_move_is_off() {
    let mut world = world(2);
    world.drain(1, true);
    assert_eq!(brief(&world.think()), ["move z00 #2"]);
    silence(&mut world, "z00", None);
    world.beats(START_MAX * 2);
    assert!(world.think().is_empty());
    world.drain(2, true);
    assert_eq!(brief(&world.think()), ["abort z00"]);
    world.think();
    world.beats(START_MAX);
    assert!(world.think().is_empty());
    world.beat();
    assert_eq!(brief(&world.think()), ["restart z00"]);
}

#[test]
fn a_node_that_renews_and_reports_nothing_is_not_believed_to_run_anything() {
    let mut world = world(2);
    for shard in ["z00", "z01"] {
        silence(&mut world, shard, Some(1));
    }
    world.beats(START_MAX);
    assert_eq!(brief(&world.think()), ["restart z00"]);
}
