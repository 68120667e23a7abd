//! `[pure]` Many seeds: faults at random, and what must be when they are over.

use super::world::World;
use super::{ms, shard};
use crate::view::{NodePhase, Placement};
use rand::RngExt as _;

/// How long after the last fault every shard acts again, at most. An election, a whole lease, and
/// for a shard whose host fails in a move and hangs then, a move's deadline and two rounds more.
const RECOVERY: u64 = ms(20_000);

/// What is run with each change. `DUTY_SEEDS=FROM..TO` runs others.
const SEEDS: std::ops::Range<u64> = 0..100;

impl Drop for World {
    #[expect(
        clippy::print_stderr,
        reason = "a failed test says how to see it again"
    )]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("seed {} at {} ms", self.seed, self.now / 1_000);
            for line in self.trace.iter().flatten() {
                eprintln!("{line}");
            }
        }
    }
}

/// One life of a world. How many things happened in it.
fn live(seed: u64, traced: bool) -> World {
    let mut draw = World::new(seed, 1, 0);
    let (nodes, shards) = (draw.rng.random_range(2..=5), draw.rng.random_range(1..=8));
    let mut world = World::new(seed, nodes, shards);
    world.trace = traced.then(Default::default);
    let settled = world.until(ms(15_000), |world| world.idle(shards).is_empty());
    assert!(settled.is_some(), "shards act in a new cluster");
    let from = world.now;
    world.plan_faults(from, from + ms(15_000), shards);
    world.run_until(from + ms(15_000));
    world.all_is_well();
    let well = world.until(RECOVERY, |world| {
        world.idle(shards).is_empty() && all_are_up(world)
    });
    let idle = world.idle(shards);
    let of: Vec<_> = idle.iter().map(|id| world.view().shards[id]).collect();
    let nodes: Vec<_> = world.view().nodes.clone().into_iter().collect();
    assert!(
        well.is_some(),
        "idle: {idle:?} {of:?}, leader {:?}, {nodes:?}",
        world.raft.leader
    );
    // What goes on for the sake of balance comes to an end, and everything goes on acting.
    let still = world.until(ms(60_000), |world| moving(world) == 0);
    assert!(still.is_some(), "moves end");
    let from = world.now;
    world.run_for(ms(1_000));
    for shard in (0..shards).map(shard) {
        let last = world.facts.last.get(&shard).copied();
        assert!(last > Some(from) || moving(&world) > 0, "{shard} goes on");
    }
    world
}

fn all_are_up(world: &World) -> bool {
    let view = world.view();
    let mut nodes = view.nodes.values();
    nodes.all(|node| matches!(node.phase, NodePhase::Up | NodePhase::Draining))
}

fn moving(world: &World) -> usize {
    let view = world.view();
    let moving = |placement: &&Placement| matches!(placement, Placement::Moving { .. });
    view.shards.values().filter(moving).count()
}

#[test]
fn whatever_befalls_it_one_node_acts_and_in_the_end_one_does() {
    let asked = asked("DUTY_SEEDS");
    let asked = asked.as_deref().and_then(|range| {
        let (from, to) = range.split_once("..")?;
        Some(from.parse().ok()?..to.parse().ok()?)
    });
    let (mut moved, mut elections, mut lives) = (0, 0, 0);
    let seeds = asked.unwrap_or(SEEDS);
    for seed in seeds.clone() {
        let world = live(seed, false);
        moved += world.facts.moved;
        elections += world.raft.elections;
        lives += world.facts.lives;
    }
    let few = seeds.end - seeds.start < 100;
    assert!(
        few || moved > 100 && elections > 100 && lives > 400,
        "something happens: {moved} moves, {elections} elections, {lives} lives"
    );
}

#[test]
fn the_same_seed_is_the_same_world() {
    let trace = |seed| live(seed, true).trace.take();
    assert_eq!(trace(7), trace(7));
    assert_ne!(trace(7), trace(8));
}

/// `DUTY_SEED=N` tells what happened in the end, if that seed fails.
#[test]
fn the_seed_that_failed_last() {
    let seed = asked("DUTY_SEED").and_then(|seed| seed.parse().ok());
    live(seed.unwrap_or(0), true);
}

#[expect(clippy::disallowed_methods, reason = "other seeds are asked for")]
fn asked(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
