//! `[edge]` Single faults, with the time that the world may stand still for each; and the faults
//! that the seed of this project met on its first nodes, each by its name.

use super::run::{Sim, shard};
use crate::ids::{NodeId, NodeName};
use crate::order::Order;
use crate::view::NodePhase;
use std::collections::BTreeSet;
use std::time::Duration;

pub(super) const SHARDS: usize = 12;

/// A shard that acted so lately plays.
pub(super) const LATELY: Duration = Duration::from_millis(100);

/// Three nodes whose shards all play.
pub(super) fn three(seed: u64) -> Sim {
    let mut sim = Sim::new(seed);
    sim.found();
    sim.join();
    sim.join();
    sim.declare(SHARDS);
    let all = sim.run_until(Duration::from_secs(20), |sim| sim.all_act(SHARDS, LATELY));
    assert!(all, "seed {seed}: not all shards play at first");
    // Whoever came late gets its share.
    sim.run_for(Duration::from_secs(70));
    let owners: BTreeSet<NodeId> = (0..SHARDS).map(|number| owner(&sim, number)).collect();
    assert_eq!(owners.len(), 3, "seed {seed}: spread over all");
    sim
}

pub(super) fn owner(sim: &Sim, number: usize) -> NodeId {
    let history = sim.stage.history();
    history.newest().unwrap().owner(&shard(number)).unwrap().0
}

pub(super) fn follower(sim: &Sim) -> NodeId {
    let leader = sim.leader().unwrap();
    let others = sim.nodes().into_iter();
    others.filter(|node| *node != leader).max().unwrap()
}

/// How long until all shards play again, counted from now.
pub(super) fn silence(sim: &mut Sim, most: Duration) -> Duration {
    let began = sim.now();
    // What acted before does not count.
    sim.run_for(Duration::from_millis(200));
    let again = sim.run_until(most, |sim| sim.all_act(SHARDS, LATELY));
    let took = sim.now() - began;
    assert!(again, "not all shards play after {took:?}");
    took
}

fn check_within(most: Duration, took: &[Duration]) {
    let worst = took.iter().max().unwrap();
    assert!(*worst <= most, "worst {worst:?} of {took:?}");
}

#[test]
fn a_dead_followers_shards_play_again_within_5_s() {
    let took: Vec<Duration> = (0..5)
        .map(|seed| {
            let mut sim = three(seed);
            let dead = follower(&sim);
            sim.kill(dead);
            silence(&mut sim, Duration::from_secs(10))
        })
        .collect();
    check_within(Duration::from_secs(5), &took);
}

#[test]
fn a_dead_leaders_shards_play_again_within_6_s() {
    let took: Vec<Duration> = (0..5)
        .map(|seed| {
            let mut sim = three(seed);
            let dead = sim.leader().unwrap();
            sim.kill(dead);
            silence(&mut sim, Duration::from_secs(12))
        })
        .collect();
    check_within(Duration::from_secs(6), &took);
}

#[test]
fn a_node_that_restarts_at_once_plays_within_2_s() {
    let took: Vec<Duration> = (0..5)
        .map(|seed| {
            let mut sim = three(seed);
            let node = follower(&sim);
            sim.restart(node);
            silence(&mut sim, Duration::from_secs(10))
        })
        .collect();
    check_within(Duration::from_secs(2), &took);
}

#[test]
fn an_owner_that_was_stopped_does_no_harm_when_it_wakes() {
    let mut sim = three(1);
    let node = follower(&sim);
    sim.pause(node);
    let took = silence(&mut sim, Duration::from_secs(10));
    assert!(took <= Duration::from_secs(5), "{took:?}");
    sim.resume(node);
    // The checker of the run would find an act under an older epoch.
    sim.run_for(Duration::from_secs(20));
    assert!(sim.all_act(SHARDS, LATELY));
    let view = sim.view(node).unwrap();
    assert_eq!(view.nodes.get(&node).unwrap().phase, NodePhase::Up);
}

#[test]
fn a_minority_acts_on_nothing_after_its_lease() {
    let mut sim = three(2);
    let alone = sim.leader().unwrap();
    for other in sim.nodes() {
        if other != alone {
            sim.net.cut(alone, other);
            sim.net.cut(other, alone);
        }
    }
    sim.run_for(Duration::from_secs(4));
    let at = sim.now();
    sim.run_for(Duration::from_secs(10));
    let history = sim.stage.history();
    let late = history.acts_of(alone).filter(|act| act.at > at).count();
    assert_eq!(late, 0, "the cut-off leader went on acting");
    drop(history);
    assert!(sim.all_act(SHARDS, LATELY), "the majority plays");
    // Nor does it promise anything.
    let name = |node: NodeId| NodeName::new(&format!("n{}", node.0)).unwrap();
    let answer = sim.order(alone, Order::Drain(name(alone), true));
    sim.run_for(Duration::from_secs(12));
    assert!(!matches!(answer.take(), Some(Ok(_))), "it was promised");
    sim.net.heal();
    sim.run_for(Duration::from_secs(15));
    assert!(sim.all_act(SHARDS, LATELY), "healed without a hand");
}

#[test]
fn a_drained_node_owns_nothing_and_no_shard_stands_still() {
    let mut sim = three(3);
    let node = follower(&sim);
    let name = NodeName::new(&format!("n{}", node.0)).unwrap();
    let answer = sim.order(NodeId(1), Order::Drain(name, true));
    let empty = sim.run_until(Duration::from_secs(30), |sim| {
        (0..SHARDS).all(|number| owner(sim, number) != node)
    });
    assert!(empty, "the node still owns shards");
    assert!(matches!(answer.take(), Some(Ok(_))));
    assert!(sim.all_act(SHARDS, Duration::from_millis(500)));
}

#[test]
fn a_join_moves_at_most_its_share() {
    let mut sim = three(4);
    let before: Vec<NodeId> = (0..SHARDS).map(|number| owner(&sim, number)).collect();
    let new = sim.join();
    sim.run_for(Duration::from_secs(120));
    let after: Vec<NodeId> = (0..SHARDS).map(|number| owner(&sim, number)).collect();
    let moved = before
        .iter()
        .zip(&after)
        .filter(|(was, is)| was != is)
        .count();
    assert!(moved <= SHARDS.div_ceil(4), "{moved} moved: {after:?}");
    assert!(after.contains(&new), "the new node has nothing: {after:?}");
}

#[test]
fn exventure_1_a_follower_that_dies_has_its_zones_placed_again() {
    let mut sim = three(5);
    let dead = follower(&sim);
    sim.kill(dead);
    silence(&mut sim, Duration::from_secs(10));
    assert!((0..SHARDS).all(|number| owner(&sim, number) != dead));
}

#[test]
fn exventure_2_a_node_that_returns_forces_no_election() {
    let mut sim = three(6);
    let leader = sim.leader().unwrap();
    let term = sim.term(leader);
    let node = follower(&sim);
    for _ in 0..5 {
        sim.restart(node);
        sim.run_for(Duration::from_secs(5));
        assert_eq!(sim.leader(), Some(leader));
        assert_eq!(sim.term(leader), term);
    }
}

#[test]
fn exventure_3_a_zone_that_does_not_tick_is_started_anew() {
    let mut sim = three(7);
    let wedged = owner(&sim, 0);
    sim.toy(wedged).unwrap().wedge(&shard(0));
    sim.run_for(Duration::from_secs(1));
    assert!(!sim.all_act(SHARDS, LATELY), "it is wedged");
    let again = sim.run_until(Duration::from_secs(15), |sim| sim.all_act(SHARDS, LATELY));
    assert!(again, "the wedged zone was not started anew");
}

#[test]
fn exventure_4_a_dead_node_is_listed_by_nobody_and_called_by_nobody() {
    let mut sim = three(8);
    let dead = follower(&sim);
    sim.kill(dead);
    silence(&mut sim, Duration::from_secs(10));
    for node in sim.nodes().into_iter().filter(|node| *node != dead) {
        let view = sim.view(node).unwrap();
        assert!(
            view.living().all(|living| living != dead),
            "{node} lists it"
        );
    }
}
