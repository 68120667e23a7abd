//! `[edge]` The same fault many times, and what clocks, wires and members do to it.

use super::run::{Sim, shard};
use super::scenes::{LATELY, SHARDS, follower, owner, silence, three};
use crate::ids::{Epoch, NodeId, NodeName};
use crate::limits::LEASE_EVERY;
use crate::order::Order;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// How often a node is killed, in all; `BELAY_SIM_TRIALS=N` for more.
const TRIALS: usize = 12;

fn apart(sim: &Sim, one: NodeId, other: NodeId) {
    sim.net.cut(one, other);
    sim.net.cut(other, one);
}

fn name(node: NodeId) -> NodeName {
    NodeName::new(&format!("n{}", node.0)).unwrap()
}

fn placed(sim: &Sim) -> Vec<(NodeId, Epoch)> {
    let history = sim.stage.history();
    let view = history.newest().unwrap();
    (0..SHARDS)
        .map(|number| view.owner(&shard(number)).unwrap())
        .collect()
}

#[expect(clippy::disallowed_methods, reason = "how many trials are wanted")]
fn trials() -> usize {
    let asked = std::env::var("BELAY_SIM_TRIALS").ok();
    asked.and_then(|count| count.parse().ok()).unwrap_or(TRIALS)
}

/// The nodes are killed one after the other, and are back before the next one is. Each time a
/// follower first, then the leader.
#[expect(clippy::print_stderr, reason = "what many trials came to")]
#[test]
fn no_failover_takes_longer_than_its_budget() {
    let (mut followers, mut leaders) = (Vec::new(), Vec::new());
    let count = trials();
    for seed in 0.. {
        let mut sim = three(100 + seed);
        for trial in 0..6 {
            let leads = trial % 2 == 1;
            let dead = if leads {
                sim.leader().unwrap()
            } else {
                follower(&sim)
            };
            assert!(
                placed(&sim).iter().any(|(node, _)| *node == dead),
                "it owns something"
            );
            sim.kill(dead);
            let took = silence(&mut sim, 12 * SECOND);
            if leads {
                leaders.push(took)
            } else {
                followers.push(took)
            };
            sim.restart(dead);
            // Until load is evened out again.
            let shares = |sim: &Sim| {
                let placed = placed(sim);
                sim.nodes()
                    .iter()
                    .all(|node| placed.iter().any(|(owner, _)| owner == node))
            };
            assert!(sim.run_until(150 * SECOND, shares), "seed {seed}");
            sim.run_for(2 * SECOND);
        }
        if followers.len() + leaders.len() >= count {
            break;
        }
    }
    for (who, took, median, worst) in [
        ("follower", &mut followers, 4 * SECOND, 5 * SECOND),
        ("leader", &mut leaders, 5 * SECOND, 6 * SECOND),
    ] {
        took.sort();
        let (half, last) = (took[took.len() / 2], took[took.len() - 1]);
        eprintln!(
            "{who}: {} trials, median {half:?}, worst {last:?}",
            took.len()
        );
        assert!(half <= median && last <= worst, "{who}: {took:?}");
    }
}

/// The run itself checks that never two act for one shard.
#[test]
fn clocks_a_tenth_off_either_way_let_no_two_nodes_act() {
    for seed in 110..116 {
        let mut sim = three(seed);
        let leader = sim.leader().unwrap();
        let off = if seed % 2 == 0 { 100 } else { -100 };
        for node in sim.nodes() {
            sim.skew(node, if node == leader { off } else { -off });
        }
        sim.run_for(SECOND * 5);
        let lost = if seed < 114 { follower(&sim) } else { leader };
        for other in sim.nodes() {
            apart(&sim, lost, other);
        }
        let took = silence(&mut sim, 12 * SECOND);
        // The leader's clock decides how long is waited.
        assert!(took <= SECOND * 13 / 2, "seed {seed}: {took:?}");
        sim.net.heal();
        sim.run_for(10 * SECOND);
        assert!(sim.all_act(SHARDS, LATELY), "seed {seed}");
    }
}

/// Answers that stay out for less than the lease cost nobody anything: no shard begins anew.
#[test]
fn a_follower_that_stands_still_for_a_second_keeps_its_shards() {
    let mut sim = three(120);
    let before = placed(&sim);
    for still in 1..=4_u32 {
        let node = follower(&sim);
        sim.pause(node);
        sim.run_for(LEASE_EVERY * still);
        sim.resume(node);
        sim.run_for(3 * SECOND);
    }
    assert_eq!(placed(&sim), before);
    assert!(sim.all_act(SHARDS, LATELY));
}

#[test]
fn a_death_moves_the_dead_nodes_shards_and_no_others() {
    for seed in 130..133 {
        let mut sim = three(seed);
        let before = placed(&sim);
        let dead = follower(&sim);
        sim.kill(dead);
        silence(&mut sim, 10 * SECOND);
        for (was, is) in before.iter().zip(placed(&sim)) {
            assert_eq!(*was == is, was.0 != dead, "seed {seed}: {was:?} {is:?}");
        }
    }
}

#[test]
fn all_nodes_restart_one_after_the_other_without_a_hand() {
    let mut sim = three(140);
    for node in sim.nodes() {
        sim.restart(node);
        let took = silence(&mut sim, 10 * SECOND);
        assert!(took <= 5 * SECOND, "{node}: {took:?}");
        sim.run_for(5 * SECOND);
    }
    assert!(sim.votes_are_settled());
}

/// Wires that are half there: while they are, those who reach the leader play or the others do;
/// then everything does.
#[test]
fn half_a_network_splits_nothing_and_needs_no_hand() {
    for (what, seed) in [
        ("bridge", 150),
        ("one way", 151),
        ("deaf leader", 152),
        ("flaps", 153),
    ] {
        let mut sim = three(seed);
        let leader = sim.leader().unwrap();
        let other = follower(&sim);
        for second in 0..20 {
            match what {
                "bridge" => apart(&sim, leader, other),
                "one way" => sim.net.cut(other, leader),
                "deaf leader" => sim
                    .nodes()
                    .iter()
                    .for_each(|node| sim.net.cut(*node, leader)),
                _ if second % 2 == 0 => apart(&sim, leader, other),
                _ => sim.net.heal(),
            }
            sim.run_for(SECOND);
        }
        sim.net.heal();
        let again = sim.run_until(10 * SECOND, |sim| sim.all_act(SHARDS, LATELY));
        assert!(again, "{what}: not all play 10 s after");
        sim.run_for(5 * SECOND);
        assert!(sim.all_act(SHARDS, LATELY), "{what}: and go on");
    }
}

/// A voter is lost for good and another takes its place; the leader dies somewhere in it.
#[test]
fn a_change_of_voters_ends_whenever_the_leader_dies() {
    for trial in 0..6_u32 {
        let mut sim = three(160 + u64::from(trial));
        sim.join();
        sim.run_for(2 * SECOND);
        let dead = follower_that_votes(&sim);
        sim.destroy(dead);
        let leader = sim.leader().unwrap();
        let down = sim.run_until(10 * SECOND, |sim| {
            let view = sim.view(leader).unwrap();
            view.living().all(|node| node != dead)
        });
        assert!(down, "trial {trial}: it is given up");
        sim.run_for(Duration::from_millis(15) * trial);
        sim.kill(leader);
        sim.run_for(5 * SECOND);
        sim.restart(leader);
        let ended = sim.run_until(30 * SECOND, Sim::votes_are_settled);
        assert!(ended, "trial {trial}: between two sets of voters");
        let answer = sim.order(NodeId(1), Order::Forget(name(dead)));
        sim.run_for(5 * SECOND);
        assert!(matches!(answer.take(), Some(Ok(_))), "trial {trial}");
        assert!(
            sim.run_until(10 * SECOND, Sim::votes_are_settled),
            "trial {trial}"
        );
        assert!(sim.all_act(SHARDS, LATELY), "trial {trial}");
    }
}

/// A node that was away does not know whom it has missed. When one of those leads, it must be told
/// by others before it can hear the leader: it stayed behind for good.
#[test]
fn regression_a_node_that_was_away_while_its_leader_joined_catches_up() {
    for seed in 180..183 {
        let mut sim = three(seed);
        let away = follower_that_votes(&sim);
        sim.kill(away);
        let joined = [sim.join(), sim.join(), sim.join()];
        let settled = |sim: &Sim| {
            let leader = sim.leader().unwrap_or_default();
            let voters = sim.figures().remove(&leader).flatten();
            let voters = voters.map(|raft| raft.voters).unwrap_or_default();
            sim.votes_are_settled() && joined.iter().all(|new| voters.contains(new))
        };
        assert!(
            sim.run_until(20 * SECOND, settled),
            "seed {seed}: they vote"
        );
        // Until all know that they do.
        sim.run_for(2 * SECOND);
        let old = sim.nodes().into_iter();
        let old: Vec<_> = old
            .filter(|node| sim.lives(*node) && !joined.contains(node))
            .collect();
        old.iter().for_each(|node| sim.kill(*node));
        let leads = |sim: &Sim| sim.leader().is_some_and(|leader| joined.contains(&leader));
        assert!(
            sim.run_until(5 * SECOND, leads),
            "seed {seed}: one of those leads"
        );
        old.iter().for_each(|node| sim.restart(*node));
        sim.restart(away);
        let knows = |sim: &Sim| {
            joined
                .iter()
                .all(|new| sim.view(away).unwrap().nodes.contains_key(new))
        };
        assert!(
            sim.run_until(10 * SECOND, knows),
            "seed {seed}: it has the log"
        );
        assert!(
            sim.run_until(10 * SECOND, |sim| sim.all_act(SHARDS, LATELY)),
            "seed {seed}"
        );
    }
}

/// One of the first three, which vote; not the leader, and not node 1, which is asked later.
fn follower_that_votes(sim: &Sim) -> NodeId {
    let leader = sim.leader();
    let mut voters = [NodeId(2), NodeId(3)].into_iter();
    voters.find(|node| Some(*node) != leader).unwrap()
}

/// A node is lost for good while shards move to it.
#[test]
fn a_node_that_is_replaced_under_a_move_takes_nothing_with_it() {
    for seed in 170..174 {
        let mut sim = three(seed);
        let dead = follower(&sim);
        for number in 0..SHARDS {
            let on = owner(&sim, number);
            sim.order(on, Order::Move(shard(number), name(dead)));
        }
        sim.run_for(Duration::from_millis(5) * u32::try_from(seed % 10).unwrap());
        sim.destroy(dead);
        let new = sim.join();
        silence(&mut sim, 12 * SECOND);
        let forgotten = sim.order(new, Order::Forget(name(dead)));
        sim.run_for(5 * SECOND);
        assert!(matches!(forgotten.take(), Some(Ok(_))), "seed {seed}");
        assert!(
            sim.run_until(20 * SECOND, Sim::votes_are_settled),
            "seed {seed}"
        );
        assert!(sim.all_act(SHARDS, LATELY), "seed {seed}");
    }
}
