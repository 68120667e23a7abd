//! `[edge]` Disks that are slow or full, and deaths while something is being written.

use super::run::Sim;
use super::scenes::{LATELY, SHARDS, follower, owner, silence, three};
use crate::command::ShardSpec;
use crate::ids::{NodeId, ShardId};
use crate::log::{Change, Health};
use crate::order::Order;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// Gives the log so many more entries, each of which declares a shard; those that were
/// acknowledged within that time.
fn declare(sim: &mut Sim, (name, count): (&str, usize), within: Duration) -> Vec<ShardId> {
    let leader = sim.leader().unwrap();
    let shards = (0..count).map(|number| ShardId::new(&format!("zone:{name}{number}")));
    let asked = shards.map(|shard| {
        let spec = ShardSpec {
            shard: shard.clone(),
            weight: 1,
        };
        (shard, sim.order(leader, Order::Declare(vec![spec])))
    });
    let asked: Vec<_> = asked.collect();
    sim.run_for(within);
    let said = asked.into_iter();
    let said = said.filter(|(_, answer)| matches!(answer.take(), Some(Ok(_))));
    said.map(|(shard, _)| shard).collect()
}

/// Everything acts again by itself, and every node that lives knows these shards.
fn check_well(sim: &mut Sim, acknowledged: &[ShardId]) {
    let well = |sim: &Sim| {
        let nodes = sim.nodes().into_iter().filter(|node| sim.lives(*node));
        let mut views = nodes.map(|node| sim.view(node).unwrap());
        sim.all_known_act(LATELY)
            && views.all(|view| {
                acknowledged
                    .iter()
                    .all(|shard| view.shards.contains_key(shard))
            })
    };
    let (seed, now) = (sim.seed(), sim.now());
    let again = sim.run_until(20 * SECOND, well);
    assert!(again, "seed {seed} at {now:?}: not all is well 20 s later");
}

fn snapshot(change: &Change) -> bool {
    matches!(change, Change::Snapshot(_))
}

#[test]
fn a_disk_that_takes_seconds_loses_nothing_and_holds_up_nobody_for_long() {
    for leads in [false, true] {
        let mut sim = three(31);
        let slow = if leads {
            sim.leader().unwrap()
        } else {
            follower(&sim)
        };
        sim.set_health(slow, Health::Slow(3 * SECOND));
        let known = declare(&mut sim, ("slow", 10), 12 * SECOND);
        assert!(leads || known.len() == 10, "two of three are a majority");
        check_well(&mut sim, &[]);
        sim.set_health(slow, Health::Well);
        check_well(&mut sim, &known);
        assert!(sim.lives(slow), "it stood still at most");
    }
}

#[test]
fn a_node_whose_disk_is_full_ends_and_plays_again_after_a_restart() {
    for (leads, most) in [(false, 5 * SECOND), (true, 6 * SECOND)] {
        let mut sim = three(32);
        let full = if leads {
            sim.leader().unwrap()
        } else {
            follower(&sim)
        };
        sim.set_health(full, Health::Full);
        let mut known = declare(&mut sim, ("full", 4), SECOND / 5);
        let took = silence(&mut sim, 10 * SECOND);
        assert!(took <= most, "{took:?}");
        assert!(!sim.lives(full), "it ended itself");
        assert!((0..SHARDS).all(|number| owner(&sim, number) != full));
        sim.restart(full);
        assert!(!sim.lives(full), "its disk is full still");
        known.extend(declare(&mut sim, ("without", 4), 2 * SECOND));
        sim.set_health(full, Health::Well);
        sim.restart(full);
        check_well(&mut sim, &known);
        let up = sim.run_until(10 * SECOND, |sim| {
            let view = sim.view(full).unwrap();
            view.living().any(|node| node == full)
        });
        assert!(up, "it is back");
    }
}

/// All die while a commit is under way, which of the disks keep or lose as chance has it.
#[test]
fn what_was_acknowledged_survives_torn_last_commits_of_all_disks() {
    for seed in 40..45_u32 {
        let mut sim = three(seed.into());
        for node in sim.nodes() {
            sim.set_health(node, Health::Slow(SECOND / 10));
        }
        let mut known = declare(&mut sim, ("kept", 5), SECOND);
        known.extend(declare(&mut sim, ("torn", 5), SECOND / 20 * (1 + seed % 5)));
        let torn =
            |sim: &Sim, node: &NodeId| sim.disks.get(node).unwrap().store.is_writing(|_| true);
        assert!(
            sim.nodes().iter().any(|node| torn(&sim, node)),
            "seed {seed}"
        );
        for node in sim.nodes() {
            sim.kill(node);
        }
        for node in sim.nodes() {
            sim.set_health(node, Health::Well);
            sim.restart(node);
        }
        assert!(known.len() >= 5, "seed {seed}: {known:?}");
        check_well(&mut sim, &known);
    }
}

#[test]
fn a_node_that_dies_while_it_builds_a_snapshot_starts_again() {
    for seed in 50..54 {
        let mut sim = three(seed);
        let node = if seed % 2 == 0 {
            sim.leader().unwrap()
        } else {
            follower(&sim)
        };
        sim.set_health(node, Health::Slow(SECOND / 10));
        sim.dies_at_snapshot.insert(node);
        let mut known = Vec::new();
        for round in 0..12 {
            if sim.lives(node) {
                known.extend(declare(&mut sim, (&format!("r{round}-"), 4), SECOND));
            }
        }
        assert!(!sim.lives(node), "seed {seed}: no snapshot was built");
        sim.set_health(node, Health::Well);
        sim.restart(node);
        check_well(&mut sim, &known);
    }
}

/// The entries before a snapshot of another node must not go before that snapshot is kept: the
/// node died in between, and could not start again.
#[test]
fn regression_a_node_that_dies_while_it_takes_in_a_snapshot_starts_again() {
    for seed in 60..66_u32 {
        let mut sim = three(seed.into());
        let node = follower(&sim);
        sim.kill(node);
        let known = declare(&mut sim, ("missed", 60), 5 * SECOND);
        assert_eq!(known.len(), 60, "seed {seed}");
        sim.set_health(node, Health::Slow(SECOND / 10));
        sim.restart(node);
        let store = sim.disks.get(&node).unwrap().store.clone();
        let taken = |_: &Sim| store.is_writing(snapshot);
        assert!(
            sim.run_until(10 * SECOND, taken),
            "seed {seed}: it gets a snapshot"
        );
        sim.run_for(SECOND / 25 * (seed % 6));
        sim.kill(node);
        sim.set_health(node, Health::Well);
        sim.restart(node);
        check_well(&mut sim, &known);
    }
}
