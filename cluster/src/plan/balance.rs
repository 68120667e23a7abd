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

/// The move that does most for the balance now, if one is worth it: off the fullest node that has
/// one to give, to the emptiest.
///
/// A node gives when it is fuller than the average by [`IMBALANCE_PERCENT`], or when the emptiest
/// carries less than half of the average (among many nodes, one that joins makes nobody that full).
/// A move must close a quarter of the gap between the two at least. So what moved does not move
/// back while loads are the same, and a shard that is heavier than the gap does not move at all.
pub(super) fn even_out(loads: &mut Loads<'_>) -> Option<Command> {
    let to = loads.emptiest(None, |_| true)?;
    let open = || loads.nodes().filter(|(_, load)| load.open);
    let total: u64 = open().map(|(_, load)| load.weight).sum();
    let count = open().count() as u64;
    let (_, least) = open().find(|(id, _)| *id == to)?;
    if !least.has_hands_free() {
        return None;
    }
    let starves = least.weight * count * 2 < total;
    let mut full: Vec<(NodeId, &Load<'_>)> = open()
        .filter(|(id, load)| {
            let too_full = load.weight * count * 100 > total * (100 + IMBALANCE_PERCENT);
            *id != to && (too_full || starves)
        })
        .collect();
    full.sort_by_key(|(id, load)| (Reverse(load.weight), *id));
    let mut givers = full.into_iter().filter(|(_, load)| load.has_hands_free());
    let (from, shard) = givers.find_map(|(from, load)| {
        let gap = load.weight.saturating_sub(least.weight);
        let shards = load.shards.iter();
        let shards = shards.filter(|(shard, weight)| {
            **weight * 4 <= gap * 3 && loads.observed.may_move(loads.view, shard, loads.now)
        });
        let best = shards.min_by_key(|(shard, weight)| {
            let busy = loads.observed.is_busy(shard);
            (busy, gap.abs_diff(**weight * 2), Reverse(**weight), **shard)
        });
        best.map(|(shard, _)| (from, *shard))
    })?;
    begin(loads, shard, from, to)
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
