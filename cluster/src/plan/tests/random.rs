//! `[pure]` Random misfortunes: nodes die, lag, come back and are drained; shards fall silent;
//! leaders change. Whatever happens, nobody is given what another may act for, and when it ends
//! all shards run.

use super::world::World;
use crate::command::{Command, Outcome};
use crate::ids::{NodeId, ShardId};
use crate::limits::MOVES_PER_NODE;
use crate::plan::round::Round;
use crate::view::{NodePhase, Placement};
use proptest::prelude::*;
use std::collections::BTreeMap;

const SHARDS: usize = 12;

fn shard(n: u8) -> ShardId {
    ShardId::new(&format!("z{:02}", usize::from(n) % SHARDS))
}

fn happens(world: &mut World, (kind, a, b): (u8, u8, u8)) {
    let count = u8::try_from(world.nodes.len()).unwrap();
    let n = u16::from(a % count) + 1;
    match kind % 20 {
        0 | 1 => world.kill(n),
        2 | 3 if !world.nodes[&n].alive => world.start(n),
        // A process that restarts at once.
        4 => world.start(n),
        5 if count < 6 => world.join(u16::from(count) + 1),
        6 | 7 => {
            world.drain(n, b % 2 == 0);
        }
        8 => {
            world.silent.insert((shard(b), Some(n)));
        }
        9 => {
            world.silent.insert((shard(b), None));
        }
        10 => world.silent.clear(),
        11 => {
            world.weights.insert(shard(b), u32::from(a) + 1);
        }
        12 => world.nodes.get_mut(&n).unwrap().lags = true,
        13 => world.nodes.values_mut().for_each(|node| node.lags = false),
        14 => world.elect(),
        15 => world.round = Round::open(&world.view()),
        16 => {
            let ended = [(shard(b), world.epoch(shard(b).as_str()))];
            world.observed.ended(NodeId(n), &ended);
        }
        17 => end_moves(world, false),
        18 if b % 2 == 0 => world.busy.clear(),
        _ => {
            world.busy.insert(shard(b));
        }
    }
}

/// Moves whose source and target know of them are finished, or all called off.
fn end_moves(world: &mut World, finish: bool) {
    for (shard, placement) in &world.view().shards {
        let Placement::Moving {
            from, to, moving, ..
        } = *placement
        else {
            continue;
        };
        let shard = shard.clone();
        let knows = |node: NodeId| {
            let node = &world.nodes[&node.0];
            node.alive && node.view.shards.get(&shard) == Some(placement)
        };
        if !finish {
            world.apply(Command::AbortMove { shard, moving });
        } else if knows(from) && knows(to) {
            world.apply(Command::FinishMove { shard, moving });
        }
    }
}

/// Nothing that the leader commits gives a shard to two, or too much to one.
fn think(world: &mut World) -> Result<(), TestCaseError> {
    let before = world.view();
    for command in world.think() {
        let Command::Place { shard, to, .. } = &command else {
            continue;
        };
        prop_assert_eq!(before.nodes[to].phase, NodePhase::Up);
        for (n, node) in &world.nodes {
            let known = &before.nodes[&NodeId(*n)];
            let may_act = node.alive
                && known.phase != NodePhase::Down
                && known.incarnation.0 == node.life
                && node.view.nodes.contains_key(&NodeId(*n))
                && node.view.nodes[&NodeId(*n)].incarnation == known.incarnation;
            let believes = match node.view.shards.get(shard) {
                Some(Placement::Placed { node, .. }) => node.0 == *n,
                // It stands still.
                Some(Placement::Moving { .. } | Placement::Unplaced { .. }) | None => false,
            };
            prop_assert!(
                !(may_act && believes),
                "{:?} while #{} acts for it",
                command,
                n
            );
        }
    }
    let mut moves: BTreeMap<NodeId, usize> = BTreeMap::new();
    for placement in world.view().shards.values() {
        if let Placement::Moving { from, to, .. } = *placement {
            *moves.entry(from).or_default() += 1;
            *moves.entry(to).or_default() += 1;
        }
    }
    prop_assert!(moves.values().all(|moves| *moves <= MOVES_PER_NODE));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn nobody_is_given_what_another_may_act_for_and_in_the_end_all_runs(
        draws in prop::collection::vec(any::<(u8, u8, u8)>(), 1..80),
    ) {
        let mut world = World::new(3);
        world.declare_equal(SHARDS);
        for draw in draws {
            happens(&mut world, draw);
            think(&mut world)?;
            if draw.2 % 3 > 0 {
                end_moves(&mut world, true);
            }
            world.beat();
        }

        world.silent.clear();
        for n in 1..=u16::try_from(world.nodes.len()).unwrap() {
            world.nodes.get_mut(&n).unwrap().lags = false;
            if !world.nodes[&n].alive {
                world.start(n);
            }
            prop_assert_eq!(world.drain(n, false), Outcome::Done);
        }
        world.settle();
        for n in 0..12 {
            let owner = world.owner(shard(n).as_str()).unwrap();
            prop_assert!(world.nodes[&owner].alive);
        }
        world.round = Round::open(&world.view());
        world.settle();
        prop_assert!(world.plan().is_empty());
    }

    #[test]
    fn the_same_knowledge_gives_the_same_plan_and_what_is_done_is_not_planned_again(
        weights in prop::collection::vec(1_u32..1_000, 1..60),
        nodes in 1_u16..7,
        joins in 0_u16..3,
    ) {
        let names: Vec<String> = (0..weights.len()).map(|n| format!("s{n}")).collect();
        let shards = names.iter().map(String::as_str).zip(weights);
        let shards: Vec<(&str, u32)> = shards.collect();
        let mut world = World::new(nodes);
        world.declare(&shards);
        prop_assert_eq!(world.plan(), world.plan());
        prop_assert_eq!(world.think().len(), shards.len());
        world.beat();
        prop_assert!(world.think().is_empty());
        for n in 0..joins {
            world.join(nodes + n + 1);
        }
        world.beat();
        world.round = Round::open(&world.view());
        let most = shards.len().div_ceil(usize::from(nodes + joins));
        let moved = world.settle_for(2);
        prop_assert!(moved.len() <= most, "{} moves of {}", moved.len(), most);
        let before = world.loads().values().copied().max();
        for _ in 0..10 {
            world.round = Round::open(&world.view());
            world.settle_for(2);
        }
        world.round = Round::open(&world.view());
        prop_assert!(world.settle_for(2).is_empty(), "it has an end");
        prop_assert!(world.loads().values().copied().max() <= before);
    }
}
