//! `[pure]` Shards that do not run: begin them anew, or give them to somebody.

use super::loads::Loads;
use crate::command::Command;
use crate::ids::{Epoch, ShardId};
use crate::limits::MOVE_DEADLINE;
use crate::view::{NodePhase, Placement};
use std::cmp::Reverse;

/// Moves to a node that is being emptied meanwhile, and moves that whoever drives them has let
/// hang longer than all their steps together may take.
pub(super) fn call_off(loads: &Loads<'_>, commands: &mut Vec<Command>) {
    let phase = |id| loads.view.nodes.get(&id).map(|node| node.phase);
    for (shard, placement) in &loads.view.shards {
        let Placement::Moving { to, moving, .. } = *placement else {
            continue;
        };
        let seen = loads.observed.shard(shard);
        let hangs = seen.is_some_and(|seen| {
            seen.placement == *placement && loads.now > seen.since + MOVE_DEADLINE * 4
        });
        if hangs || phase(to) == Some(NodePhase::Draining) {
            let shard = shard.clone();
            commands.push(Command::AbortMove { shard, moving });
        }
    }
}

/// Shards that stand still: once on the same node, then away from it if there is another.
pub(super) fn begin_anew(loads: &Loads<'_>, commands: &mut Vec<Command>) {
    for (shard, placement) in &loads.view.shards {
        let Placement::Placed { node, epoch } = *placement else {
            continue;
        };
        let Some(seen) = loads.observed.shard(shard) else {
            continue;
        };
        if seen.placement != *placement || !loads.observed.stands_still(loads.view, shard) {
            continue;
        }
        let shard = shard.clone();
        let elsewhere = loads.emptiest(Some(node), |_| true).is_some();
        commands.push(if seen.ended || seen.restarts == 0 || !elsewhere {
            Command::Restart { shard, epoch }
        } else {
            Command::Release { shard, epoch }
        });
    }
}

/// Shards that nobody owns, and whose last owner has let go of them.
pub(super) fn place<'a>(loads: &mut Loads<'a>, commands: &mut Vec<Command>) {
    let free = |(shard, placement): (&'a ShardId, &Placement)| match *placement {
        Placement::Unplaced { last } => {
            let free = loads.observed.is_let_go(loads.view, shard);
            free.then(|| (Reverse(loads.load_of(shard)), shard, last))
        }
        Placement::Placed { .. } | Placement::Moving { .. } => None,
    };
    let mut waiting: Vec<(Reverse<u64>, &ShardId, Epoch)> =
        loads.view.shards.iter().filter_map(free).collect();
    waiting.sort_unstable();
    for (_, shard, last) in waiting {
        let seen = loads.observed.shard(shard);
        let failed = seen.filter(|seen| seen.restarts > 0);
        let failed_on = failed.and_then(|seen| seen.owner).map(|(node, _)| node);
        let elsewhere = loads.emptiest(failed_on, |_| true);
        let Some(to) = elsewhere.or_else(|| loads.emptiest(None, |_| true)) else {
            return;
        };
        loads.add(shard, to);
        let shard = shard.clone();
        commands.push(Command::Place { shard, last, to });
    }
}
