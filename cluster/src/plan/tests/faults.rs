//! `[pure]` The five faults that ExVenture had on many nodes, as far as they are decided here.

use super::world::{World, brief};
use crate::command::Command;
use crate::ids::{NodeId, ShardId};
use crate::limits::{LEASE_EVERY, START_MAX};
use crate::plan::voters::voters;
use std::collections::BTreeSet;

fn world() -> World {
    let mut world = World::new(3);
    world.declare_equal(9);
    world.settle();
    world
}

/// The first: nobody was told, and its zones were not rebalanced.
#[test]
fn a_dead_followers_zones_are_placed_again() {
    let mut world = world();
    let lost = world.owned(3);
    world.kill(3);
    world.beats(LEASE_EVERY * 5);
    assert!(world.think().is_empty(), "its lease may hold");
    world.beats(LEASE_EVERY * 4);
    let placed = world.think();
    let shards: BTreeSet<ShardId> = lost.into_iter().collect();
    let places = placed.iter().filter_map(|command| {
        let Command::Place { shard, to, .. } = command else {
            return None;
        };
        (to.0 != 3).then(|| shard.clone())
    });
    assert_eq!(places.collect::<BTreeSet<_>>(), shards);
    assert_eq!(placed.len(), shards.len(), "and nothing else moves");
    assert!(world.settle().is_empty());
}

/// The second: every node that came back disturbed who led and what ran where.
#[test]
fn a_node_that_comes_back_changes_neither_voters_nor_owners() {
    let mut world = world();
    let voting: BTreeSet<NodeId> = [1, 2, 3].map(NodeId).into();
    assert_eq!(voters(&world.view(), &voting), voting);
    world.kill(3);
    world.beats(LEASE_EVERY * 10);
    assert_eq!(
        voters(&world.view(), &voting),
        voting,
        "nobody could stand in"
    );
    world.settle();
    let owners = world.view().shards.clone();
    world.start(3);
    assert_eq!(voters(&world.view(), &voting), voting);
    assert!(world.settle().is_empty());
    assert_eq!(world.view().shards, owners);
}

/// The third: a zone that did not come up was down until somebody looked, and one node at which
/// the round failed ended it for all others.
#[test]
fn a_zone_that_did_not_come_up_is_tried_elsewhere_and_holds_up_no_other() {
    let mut world = world();
    let bad = world.owned(1)[0].clone();
    for n in [1, 2] {
        world.silent.insert((bad.clone(), Some(n)));
    }
    world.kill(3);
    world.beats(LEASE_EVERY * 10);
    let placed = world.think();
    assert!(placed.len() >= 3, "{:?}", brief(&placed));
    world.start(3);
    let tries = brief(&world.settle());
    assert_eq!(world.owner(bad.as_str()), Some(3));
    assert!(
        tries.iter().all(|what| what.contains(bad.as_str())),
        "{tries:?}"
    );
}

/// The fourth: a node that was dead was in the list yet, and was called.
#[test]
fn a_dead_node_is_given_nothing_and_waited_for_by_nobody() {
    let mut world = world();
    world.kill(3);
    world.beats(LEASE_EVERY * 4);
    world.declare(&[("new1", 1), ("new2", 1), ("new3", 1)]);
    let placed = brief(&world.think());
    assert_eq!(placed.len(), 3, "placed though node 3 is up by the log");
    assert!(placed.iter().all(|what| !what.ends_with("#3")));
    world.beats(LEASE_EVERY * 8);
    assert_eq!(world.think().len(), 3);
    world.beats(START_MAX * 2);
    assert!(world.think().is_empty());
    assert!(world.owned(3).is_empty());
}

/// The fifth: a player was in two lists at once. Who keeps the list of a part of the accounts is
/// its shard's owner, and that is one node in each epoch, whatever leaders come and go.
#[test]
fn a_part_of_the_accounts_has_one_owner_at_a_time() {
    let mut world = World::new(3);
    world.declare(&[("accounts:0", 1), ("accounts:1", 1)]);
    world.settle();
    let (node, first) = (
        world.owner("accounts:0").unwrap(),
        world.epoch("accounts:0"),
    );
    world.kill(node);
    world.elect();
    world.beats(LEASE_EVERY * 10);
    world.settle();
    let (other, second) = (
        world.owner("accounts:0").unwrap(),
        world.epoch("accounts:0"),
    );
    assert!(other != node && second > first);
    world.start(node);
    world.settle();
    assert_eq!(world.owner("accounts:0"), Some(other));
    assert_eq!(world.epoch("accounts:0"), second, "it has no claim to it");
}
