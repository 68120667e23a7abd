//! `[process]` Faults as they come, each run from one number, which a failure prints.

use super::net::{Net, declare, n, pass};
use crate::raft::random::mix;
use futures_util::future::join;
use std::cell::Cell;
use std::time::Duration;
use tokio::time::timeout;

/// As many as take seconds; 40 have been run.
const SEEDS: u64 = 6;

/// A run that takes longer stands still.
const PATIENCE: Duration = Duration::from_secs(300);

/// A number below `below`, then another.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0) % below
    }

    fn node(&mut self) -> crate::ids::NodeId {
        n(u16::try_from(self.roll(3) + 1).unwrap())
    }
}

async fn faults(net: &Net, dice: &mut Dice) {
    net.record();
    for _ in 0..40 {
        match dice.roll(9) {
            0 | 1 => {
                let node = dice.node();
                let alive = net.living();
                if alive.len() == 3 {
                    net.kill(node);
                }
            }
            2 | 3 => {
                for node in [1, 2, 3].map(n) {
                    if !net.living().contains(&node) {
                        net.start(node).await;
                    }
                }
            }
            4 => net.isolate(dice.node()),
            5 => net.cut(dice.node(), dice.node()),
            6 => net.deafen(dice.node(), dice.node()),
            7 => net.heal(),
            _ => net.repeat(),
        }
        pass(Duration::from_millis(dice.roll(1_500))).await;
    }
    net.heal();
    for node in [1, 2, 3].map(n) {
        if !net.living().contains(&node) {
            net.start(node).await;
        }
    }
}

async fn clients(net: &Net, over: &Cell<bool>) -> Vec<String> {
    let mut acknowledged = Vec::new();
    let mut number = 0;
    while !over.get() {
        pass(Duration::from_millis(10)).await;
        let Some(leader) = net.leader() else { continue };
        let name = format!("zone:{number}");
        number += 1;
        if net.raft(leader).propose(declare(&name)).await.is_ok() {
            acknowledged.push(name);
        }
    }
    acknowledged
}

async fn run(seed: u64) -> u64 {
    let net = Net::with_cuts(60, 20).three().await;
    let over = Cell::new(false);
    let mut dice = Dice(seed);
    let script = async {
        faults(&net, &mut dice).await;
        over.set(true);
    };
    let (mut acknowledged, ()) = join(clients(&net, &over), script).await;
    net.commit(declare("last")).await;
    acknowledged.push("last".to_owned());
    net.agree(&acknowledged).await;
    acknowledged.len() as u64
}

#[test]
fn whatever_happens_nothing_acknowledged_is_lost_and_all_agree() {
    let mut acknowledged: u64 = 0;
    for seed in 0..SEEDS {
        let run = std::panic::catch_unwind(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_time()
                .start_paused(true)
                .build()
                .unwrap();
            let ended = async { timeout(PATIENCE, run(seed)).await.unwrap() };
            runtime.block_on(ended)
        });
        match run {
            Ok(some) => acknowledged += some,
            Err(_) => panic!("seed {seed}"),
        }
    }
    assert!(
        acknowledged > 50 * SEEDS,
        "{acknowledged} commands are too few to show anything"
    );
}
