//! `[pure]` Who should vote.

use crate::ids::NodeId;
use crate::limits::VOTERS_MAX;
use crate::view::{NodePhase, View};
use std::collections::BTreeSet;

/// Who should vote, when these do now: what differs is one change, to be asked for at once, and to
/// be asked about again when it is done. If it is the same, all is well.
///
/// - One voter until three nodes live, then three, and five when five live.
/// - Who votes goes on voting, also before it was ever up: who founds a cluster may come up after
///   the first that joins it. Voters that are no members go; a voter that is down is exchanged
///   for a node that lives, if there is one that does not vote, and else kept: it may come back.
///   At most one is exchanged in a change.
/// - There are fewer voters only when there are fewer members, and never fewer than a majority of
///   the nodes that live.
/// - From one to three and from three to five is one change: an even number between would bear no
///   more losses than the odd one below it, and stand still at more.
pub(crate) fn voters(view: &View, current: &BTreeSet<NodeId>) -> BTreeSet<NodeId> {
    let phase = |id: &NodeId| view.nodes.get(id).map(|node| node.phase);
    let lives = |id: &NodeId| {
        let phase = phase(id);
        matches!(phase, Some(NodePhase::Up | NodePhase::Draining))
    };
    let members = current.iter().copied().filter(|id| phase(id).is_some());
    let mut next: BTreeSet<NodeId> = members.collect();
    if next.is_empty() {
        return current.clone();
    }
    let mut spare: Vec<NodeId> = view.living().filter(|id| !next.contains(id)).collect();
    spare.sort_by_key(|id| (phase(id) == Some(NodePhase::Draining), *id));
    let mut spare = spare.into_iter();

    let wanted = wanted(view, current.len());
    while next.len() < wanted {
        let Some(one) = spare.next() else { break };
        next.insert(one);
    }
    while next.len() > wanted {
        let rank = |id: &NodeId| {
            let draining = phase(id) == Some(NodePhase::Draining);
            (!lives(id), draining, *id)
        };
        let Some(least) = next.iter().copied().max_by_key(rank) else {
            break;
        };
        next.remove(&least);
    }
    let is_down = |id: &NodeId| phase(id) == Some(NodePhase::Down);
    if next == *current
        && let Some(dead) = current.iter().copied().find(is_down)
        && let Some(one) = spare.next()
    {
        next.remove(&dead);
        next.insert(one);
    }
    next
}

/// How many should vote, when this many do.
fn wanted(view: &View, current: usize) -> usize {
    let living = view.living().count();
    let kept = current.min(odd(view.nodes.len()));
    let majority = living / 2 + 1;
    odd(living).max(kept).max(current.min(majority))
}

/// How many voters so many nodes have.
fn odd(nodes: usize) -> usize {
    match nodes {
        0..=2 => 1,
        3..=4 => 3,
        _ => VOTERS_MAX,
    }
}
