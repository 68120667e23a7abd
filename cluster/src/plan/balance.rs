//! `[pure]` Shards that run well, and should run elsewhere.

use super::loads::{Load, Loads};
use crate::command::Command;
use crate::ids::{NodeId, ShardId};
use crate::limits::IMBALANCE_PERCENT;
use crate::view::{NodePhase, Placement};
use std::cmp::Reverse;

/// Moves off nodes that are being emptied, as many at a time as may be.
pub(super) fn empty(loads: &mut Loads<'_>, commands: &mut Vec<Command>) {
    let nodes = loads.view.nodes.iter();
    let draining = nodes.filter(|(_, node)| node.phase == NodePhase::Draining);
    for (from, _) in draining {
        let Some((_, load)) = loads.nodes().find(|(id, _)| id == from) else {
            continue;
        };
        let mut shards: Vec<_> = load
            .shards
            .iter()
            .filter(|(shard, _)| loads.observed.may_move(loads.view, shard, loads.now))
            .map(|(shard, weight)| (loads.observed.is_busy(shard), Reverse(*weight), *shard))
            .collect();
        shards.sort_unstable();
        for (_, _, shard) in shards {
            let hands_free = loads
                .nodes()
                .any(|(id, load)| id == *from && load.has_hands_free());
            let Some(to) = loads.emptiest(None, Load::has_hands_free) else {
                return;
            };
            if !hands_free {
                break;
            }
            commands.extend(begin(loads, shard, *from, to));
        }
    }
}

/// What is to be done for the balance.
pub(super) enum Next {
    /// This move, which is worth it.
    Move(Command),
    /// There is one, but not now: hands are full, or the shards do not run or rest.
    Later,
    /// None is worth it.
    Even,
}

/// The move that does most for the balance now: off the fullest node that has one to give, to the
/// emptiest.
///
/// A node gives when it is fuller than the average by [`IMBALANCE_PERCENT`], or when the emptiest
/// carries less than half of the average (among many nodes, one that joins makes nobody that full).
/// A move must close a quarter of the gap between the two at least. So what moved does not move
/// back while loads are the same, and a shard that is heavier than the gap does not move at all.
pub(super) fn even_out(loads: &mut Loads<'_>) -> Next {
    let Some(to) = loads.emptiest(None, |_| true) else {
        return Next::Even;
    };
    let (mut later, mut best) = (false, None);
    for (from, gap) in givers(loads, to) {
        let Some((_, load)) = loads.nodes().find(|(id, _)| *id == from) else {
            continue;
        };
        let shards = load.shards.iter();
        let mut shards = shards
            .filter(|(_, weight)| **weight * 4 <= gap * 3)
            .peekable();
        later |= shards.peek().is_some();
        if load.has_hands_free() {
            let shards =
                shards.filter(|(shard, _)| loads.observed.may_move(loads.view, shard, loads.now));
            let shard = shards.min_by_key(|(shard, weight)| {
                let busy = loads.observed.is_busy(shard);
                (busy, gap.abs_diff(**weight * 2), Reverse(**weight), **shard)
            });
            best = shard.map(|(shard, _)| (*shard, from));
        }
        if best.is_some() {
            break;
        }
    }
    let free = loads
        .nodes()
        .any(|(id, load)| id == to && load.has_hands_free());
    let command = best
        .filter(|_| free)
        .and_then(|(shard, from)| begin(loads, shard, from, to));
    match command {
        Some(command) => Next::Move(command),
        None if later => Next::Later,
        None => Next::Even,
    }
}

/// The nodes that have too much beside the one that has least, the fullest first, and by how much
/// they have more than that one.
fn givers(loads: &Loads<'_>, to: NodeId) -> Vec<(NodeId, u64)> {
    let open = || loads.nodes().filter(|(_, load)| load.open);
    let total: u64 = open().map(|(_, load)| load.weight).sum();
    let count = open().count() as u64;
    let least = open().find(|(id, _)| *id == to);
    let least = least.map_or(0, |(_, load)| load.weight);
    let starves = least * count * 2 < total;
    let mut full: Vec<(NodeId, u64)> = open()
        .filter(|(id, load)| {
            let too_full = load.weight * count * 100 > total * (100 + IMBALANCE_PERCENT);
            *id != to && (too_full || starves)
        })
        .map(|(id, load)| (id, load.weight.saturating_sub(least)))
        .collect();
    full.sort_by_key(|(id, gap)| (Reverse(*gap), *id));
    full
}

fn begin<'a>(
    loads: &mut Loads<'a>,
    shard: &'a ShardId,
    from: NodeId,
    to: NodeId,
) -> Option<Command> {
    let Some(Placement::Placed { epoch, .. }) = loads.view.shards.get(shard) else {
        return None;
    };
    loads.shift(shard, from, to);
    let (shard, epoch) = (shard.clone(), *epoch);
    Some(Command::BeginMove { shard, epoch, to })
}
