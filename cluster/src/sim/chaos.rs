//! `[edge]` Random faults, many seeds.

use super::run::Sim;
use crate::ids::{NodeId, NodeName};
use crate::order::Order;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use std::time::Duration;

const SHARDS: usize = 10;

/// How long faults happen.
const FAULTS: Duration = Duration::from_secs(120);

/// What goes wrong next.
fn fault(sim: &mut Sim, rng: &mut StdRng) {
    let nodes = sim.nodes();
    let pick = |rng: &mut StdRng| *nodes.choose(rng).unwrap();
    let (one, other) = (pick(rng), pick(rng));
    match rng.random_range(0..14) {
        0 | 1 => sim.kill(one),
        2 => {
            if let Some(leader) = sim.leader() {
                sim.kill(leader);
            }
        }
        3 | 4 => sim.restart(one),
        5 => sim.pause(one),
        6 => sim.resume(one),
        7 => {
            sim.net.cut(one, other);
            sim.net.cut(other, one);
        }
        8 => sim.net.cut(one, other),
        9 => {
            if let Some(leader) = sim.leader() {
                for node in &nodes {
                    sim.net.cut(leader, *node);
                }
            }
        }
        10 => sim.net.heal(),
        11 => sim.skew(
            one,
            *[-100, 100, rng.random_range(-100..=100)]
                .choose(rng)
                .unwrap(),
        ),
        12 => sim.net.set_latency((200, rng.random_range(1_000..120_000))),
        _ => {
            let name = |node: NodeId| NodeName::new(&format!("n{}", node.0)).unwrap();
            let order = match rng.random_range(0..4) {
                0 => Order::Drain(name(one), rng.random()),
                1 => Order::Rebalance,
                _ => Order::Move(super::run::shard(rng.random_range(0..SHARDS)), name(one)),
            };
            drop(sim.order(other, order));
        }
    }
}

/// One run: faults for two minutes, then none; then everything must play again by itself.
fn run(seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut sim = Sim::new(seed);
    sim.found();
    for _ in 0..rng.random_range(2..5) {
        sim.join();
    }
    sim.declare(SHARDS);
    let end = sim.now() + FAULTS;
    while sim.now() < end {
        let pause = Duration::from_millis(rng.random_range(50..8_000));
        sim.run_for(pause);
        fault(&mut sim, &mut rng);
    }
    sim.net.heal();
    sim.net.set_latency((200, 3_000));
    for node in sim.nodes() {
        sim.resume(node);
        sim.skew(node, 0);
        if !sim.lives(node) {
            sim.restart(node);
        }
    }
    let lately = Duration::from_millis(200);
    let again = sim.run_until(Duration::from_secs(30), |sim| sim.all_act(SHARDS, lately));
    assert!(
        again,
        "seed {seed}: not all shards play 30 s after the last fault"
    );
}

/// A few seeds; `BELAY_SIM_SEEDS=FROM..TO` for others, `BELAY_SIM_SEED=N` for one.
#[test]
fn chaos() {
    for seed in super::run::seeds(0..8) {
        run(seed);
    }
}
