//! `[pure]` Nodes that are being emptied, and moves that do not end.

use super::world::{World, brief};
use crate::command::Outcome;
use crate::ids::ShardId;
use crate::limits::{LEASE_EVERY, MOVE_DEADLINE};

fn world(nodes: u16, shards: &[(&str, u32)]) -> World {
    let mut world = World::new(nodes);
    world.declare(shards);
    world.settle();
    world
}

#[test]
fn a_drained_node_gives_two_at_a_time_the_heaviest_first_and_the_busy_ones_last() {
    let mut world = world(1, &[("a", 5), ("b", 9), ("c", 7), ("d", 1)]);
    world.busy.insert(ShardId::new("b"));
    world.join(2);
    world.join(3);
    world.beat();
    world.drain(1, true);
    assert_eq!(brief(&world.think()), ["move c #2", "move a #3"]);
    assert!(world.think().is_empty(), "two are on their way");
    world.finish_moves();
    world.beat();
    assert_eq!(brief(&world.think()), ["move d #3", "move b #3"]);
    world.finish_moves();
    assert!(world.settle().is_empty());
    assert!(world.owned(1).is_empty());
}

#[test]
fn two_drained_nodes_share_the_hands_of_the_one_that_is_left() {
    let mut world = World::new(3);
    world.declare_equal(12);
    world.settle();
    world.drain(1, true);
    world.drain(2, true);
    assert_eq!(world.think().len(), 2);
    world.settle();
    assert_eq!([1, 2, 3].map(|n| world.owned(n).len()), [0, 0, 12]);
}

#[test]
fn where_nobody_can_take_them_shards_stay() {
    let mut world = World::new(2);
    world.declare_equal(4);
    world.settle();
    world.drain(1, true);
    world.drain(2, true);
    assert!(world.settle().is_empty());
    assert_eq!([1, 2].map(|n| world.owned(n).len()), [2, 2]);
    world.drain(2, false);
    world.settle();
    assert_eq!([1, 2].map(|n| world.owned(n).len()), [0, 4]);
}

#[test]
fn a_node_that_leaves_in_order_and_starts_again_is_used_again() {
    let mut world = World::new(3);
    world.declare_equal(9);
    world.settle();
    for n in 1..=3 {
        assert_eq!(world.drain(n, true), Outcome::Done);
        world.settle();
        assert!(world.owned(n).is_empty());
        world.kill(n);
        world.beats(LEASE_EVERY * 10);
        world.start(n);
        world.beat();
        world.round = crate::plan::round::Round::open(&world.view());
        world.settle();
        assert!(!world.owned(n).is_empty());
    }
    let placed =
        |command: &&crate::command::Command| brief(&[(*command).clone()])[0].contains("place");
    assert_eq!(
        world.done.iter().filter(placed).count(),
        9,
        "none lost its owner"
    );
}

#[test]
fn a_move_to_a_node_that_is_drained_meanwhile_is_called_off() {
    let mut world = world(1, &[("a", 1)]);
    world.join(2);
    world.join(3);
    world.beat();
    world.drain(1, true);
    assert_eq!(brief(&world.think()), ["move a #2"]);
    world.drain(2, true);
    assert_eq!(brief(&world.think()), ["abort a"]);
    assert_eq!(world.owner("a"), Some(1));
    let rest = brief(&world.settle());
    assert_eq!(rest, ["move a #3"]);
}

#[test]
fn a_move_that_hangs_is_called_off_and_tried_again_later() {
    let mut world = world(1, &[("a", 1)]);
    world.join(2);
    world.beat();
    world.drain(1, true);
    assert_eq!(brief(&world.think()), ["move a #2"]);
    world.beats(MOVE_DEADLINE * 4);
    assert!(world.think().is_empty());
    world.beat();
    assert_eq!(brief(&world.think()), ["abort a"]);
    assert!(world.think().is_empty(), "not at once again");
    world.beats(MOVE_DEADLINE);
    assert_eq!(brief(&world.think()), ["move a #2"]);
}
