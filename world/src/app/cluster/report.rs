//! `[pure]` The status of a cluster as text: in columns of 80 characters, or one thing a line for
//! screen readers; and as figures.

use std::time::Duration;

use belay_cluster::{
    LaneCounts, NodePhase, NodeStatus, PeerCounts, Placement, ShardSpec, ShardStatus, Status,
};

use crate::app::config::duration_text;
use crate::ops::metrics::ClusterFigure;
use crate::ops::peer_figures::{Peer, PeerLane};

/// What a terminal shows of a line.
const WIDTH: usize = 80;

/// Characters of a node's name in a column; longer ones are cut, but for the last.
const NAME_WIDTH: usize = 20;

/// Characters of a shard's name in a column.
const SHARD_WIDTH: usize = 32;

/// Digits of an epoch in a column.
const EPOCH_WIDTH: std::ops::RangeInclusive<usize> = 6..=20;

/// In columns.
pub(super) fn columns(status: &Status) -> String {
    let mut out = heading(status);
    out.push('\n');
    let name_width = width(
        status.nodes.iter().map(|node| &node.name),
        NAME_WIDTH,
        "node",
    );
    push(
        &mut out,
        &format!(
            "  {:name_width$}  {:8}  {:>4}  {:5}  {:>8}  {:>5}  {:>6}  address",
            "node", "phase", "life", "votes", "lease", "lag", "shards"
        ),
    );
    for node in &status.nodes {
        let mark = if leads(status, node) { '*' } else { ' ' };
        let cells = format!(
            "{mark} {:name_width$}  {:8}  {:>4}  {:5}  {:>8}  {:>5}  {:>6}  {}",
            cut(&node.name, NAME_WIDTH),
            phase(node.phase),
            node.incarnation,
            if node.voter { "yes" } else { "no" },
            node.lease_ms_ago.map_or("-".to_owned(), age),
            node.lag.map_or("-".to_owned(), |lag| lag.to_string()),
            node.shards,
            node.address,
        );
        push(&mut out, &cells);
    }
    if status.leader.is_some() {
        push(&mut out, "* leads");
    }
    out.push('\n');
    shard_columns(status, &mut out);
    out
}

fn shard_columns(status: &Status, out: &mut String) {
    if status.shards.is_empty() {
        push(out, "no shards yet");
        return;
    }
    let shard_width = width(
        status.shards.iter().map(|it| &it.shard),
        SHARD_WIDTH,
        "shard",
    );
    let owners = status.shards.iter().filter_map(|it| it.owner.as_ref());
    let owner_width = width(owners, NAME_WIDTH, "owner");
    let epochs: Vec<String> = status.shards.iter().map(epoch).collect();
    let epoch_width = width(epochs.iter(), *EPOCH_WIDTH.end(), "epoch").max(*EPOCH_WIDTH.start());
    push(
        out,
        &format!(
            "  {:shard_width$}  {:owner_width$}  {:>epoch_width$}  {:>6}  {:>6}  state",
            "shard", "owner", "epoch", "tick", "weight"
        ),
    );
    for (it, epoch) in status.shards.iter().zip(epochs) {
        let cells = format!(
            "  {:shard_width$}  {:owner_width$}  {:>epoch_width$}  {:>6}  {:>6}  {}",
            cut(&it.shard, SHARD_WIDTH),
            it.owner
                .as_ref()
                .map_or("-".to_owned(), |name| cut(name, NAME_WIDTH)),
            epoch,
            it.ticked_ms_ago.map_or("-".to_owned(), age),
            weight(status, it).map_or("-".to_owned(), |weight| weight.to_string()),
            state(status, it),
        );
        push(out, &cells);
    }
}

/// One thing a line, nothing cut.
pub(super) fn lines(status: &Status) -> String {
    let mut out = heading(status);
    for node in &status.nodes {
        let mut line = format!("Node {}: {}", node.name, phase(node.phase));
        if leads(status, node) {
            line.push_str(", leads");
        }
        line.push_str(if node.voter {
            ", votes"
        } else {
            ", does not vote"
        });
        add(&mut line, format_args!(", life {}", node.incarnation));
        if let Some(ms) = node.lease_ms_ago {
            add(&mut line, format_args!(", lease renewed {} ago", age(ms)));
        }
        if let Some(lag) = node.lag {
            add(&mut line, format_args!(", lacks {lag} entries"));
        }
        let shards = counted(node.shards, "shard");
        add(
            &mut line,
            format_args!(", {shards}, at {}.\n", node.address),
        );
        out.push_str(&line);
    }
    for it in &status.shards {
        let owner = it.owner.as_deref().unwrap_or("nobody");
        let mut line = format!("Shard {}: on {owner}, {}", it.shard, state(status, it));
        add(&mut line, format_args!(", epoch {}", epoch(it)));
        if let Some(ms) = it.ticked_ms_ago {
            add(&mut line, format_args!(", ticked {} ago", age(ms)));
        }
        if let Some(weight) = weight(status, it) {
            add(&mut line, format_args!(", weight {weight}"));
        }
        line.push_str(".\n");
        out.push_str(&line);
    }
    out
}

/// Shards that nobody can run, since this node's content does not have them: a line for each.
pub(super) fn strays(status: &Status, own: &[ShardSpec]) -> String {
    let known = |it: &&ShardStatus| own.iter().any(|spec| spec.shard.as_str() == it.shard);
    let strays = status.shards.iter().filter(|it| !known(it));
    let told = strays.map(|ShardStatus { shard, .. }| {
        format!(
            "{shard} is in no areas of this node; if they are as they should be: belay cluster \
             retire {shard}\n"
        )
    });
    told.collect()
}

fn heading(status: &Status) -> String {
    let leader = match &status.leader {
        Some(name) => format!("{name} leads"),
        None => "no leader is known".to_owned(),
    };
    let lease = if status.leased {
        "with its lease"
    } else {
        "without a lease: out of reach of the leader"
    };
    let (last, applied) = status.log;
    let elsewhere = match &status.leader {
        Some(name) if *name != status.node => {
            format!("Leases, lags, ticks and weights are known to {name} alone.\n")
        }
        _ => String::new(),
    };
    format!(
        "Cluster {}: {leader}, term {}, {}, {}.\nThis is {}, {lease}; entry {applied} of {last} \
         is applied.\n{elsewhere}",
        status.cluster,
        status.term,
        counted(status.nodes.len(), "node"),
        counted(status.shards.len(), "shard"),
        status.node,
    )
}

fn leads(status: &Status, node: &NodeStatus) -> bool {
    status.leader.as_ref() == Some(&node.name)
}

/// How a node is, in a word.
pub(super) fn phase(phase: NodePhase) -> &'static str {
    match phase {
        NodePhase::Joining => "joining",
        NodePhase::Up => "up",
        NodePhase::Draining => "draining",
        NodePhase::Down => "down",
    }
}

/// How heavy a shard is: the leader alone is told.
fn weight(status: &Status, it: &ShardStatus) -> Option<u32> {
    (status.leader.as_ref() == Some(&status.node)).then_some(it.weight)
}

fn epoch(it: &ShardStatus) -> String {
    match it.placement {
        Placement::Unplaced { last } => last,
        Placement::Placed { epoch, .. } | Placement::Moving { epoch, .. } => epoch,
    }
    .to_string()
}

fn state(status: &Status, it: &ShardStatus) -> String {
    match it.placement {
        Placement::Unplaced { .. } => "not placed".to_owned(),
        Placement::Placed { .. } => "placed".to_owned(),
        Placement::Moving { to, .. } => {
            let mut nodes = status.nodes.iter();
            let target = nodes.find(|node| node.number == to.0);
            let name = target.map_or_else(|| to.to_string(), |node| node.name.clone());
            format!("moves to {name}")
        }
    }
}

fn age(ms: u64) -> String {
    if ms < 60_000 {
        return format!("{}.{} s", ms / 1_000, ms % 1_000 / 100);
    }
    duration_text(Duration::from_secs(ms / 60_000 * 60))
}

fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}

/// How wide a column is: as its widest cell, up to a bound.
fn width<'a>(cells: impl Iterator<Item = &'a String>, most: usize, title: &str) -> usize {
    let widest = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
    widest.min(most).max(title.len())
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept = text.chars().take(most.saturating_sub(2));
    kept.chain("..".chars()).collect()
}

fn push(out: &mut String, line: &str) {
    out.push_str(cut(line, WIDTH).trim_end());
    out.push('\n');
}

fn add(line: &mut String, text: std::fmt::Arguments<'_>) {
    line.push_str(&text.to_string());
}

/// As figures.
pub(crate) fn figures(status: &Status) -> Vec<(ClusterFigure, u64)> {
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let mine = |it: &&ShardStatus| it.owner.as_ref() == Some(&status.node);
    let lives = |node: &&NodeStatus| matches!(node.phase, NodePhase::Up | NodePhase::Draining);
    let living = || status.nodes.iter().filter(lives);
    let shards = || status.shards.iter();
    let unplaced = |it: &&ShardStatus| it.placement.owner().is_none();
    let moving = |it: &&ShardStatus| matches!(it.placement, Placement::Moving { .. });
    let counts = &status.counts;
    let mut figures = vec![
        (ClusterFigure::Member, 1),
        (ClusterFigure::Leased, u64::from(status.leased)),
        (
            ClusterFigure::IsLeader,
            u64::from(status.leader.as_ref() == Some(&status.node)),
        ),
        (ClusterFigure::Term, status.term),
        (ClusterFigure::LogIndex, status.log.0),
        (ClusterFigure::AppliedIndex, status.log.1),
        (ClusterFigure::Nodes, count(status.nodes.len())),
        (ClusterFigure::NodesUp, count(living().count())),
        (
            ClusterFigure::LeaseAge,
            living()
                .filter_map(|node| node.lease_ms_ago)
                .max()
                .unwrap_or(0),
        ),
        (ClusterFigure::Shards, count(status.shards.len())),
        (
            ClusterFigure::ShardsHere,
            count(shards().filter(mine).count()),
        ),
        (
            ClusterFigure::ShardsUnplaced,
            count(shards().filter(unplaced).count()),
        ),
        (
            ClusterFigure::ShardsMoving,
            count(shards().filter(moving).count()),
        ),
        (ClusterFigure::Elections, counts.elections),
        (ClusterFigure::MovesBegun, counts.moves_begun),
        (ClusterFigure::MovesFinished, counts.moves_finished),
        (ClusterFigure::MovesAborted, counts.moves_aborted),
        (ClusterFigure::Expired, counts.expired),
    ];
    let control = [
        ClusterFigure::ControlSent,
        ClusterFigure::ControlReceived,
        ClusterFigure::ControlDropped,
    ];
    let play = [
        ClusterFigure::PlaySent,
        ClusterFigure::PlayReceived,
        ClusterFigure::PlayDropped,
    ];
    figures.extend(
        lane(control, counts.control)
            .into_iter()
            .chain(lane(play, counts.play)),
    );
    figures
}

/// What there is to tell of each other node.
pub(crate) fn peers(status: &Status) -> Vec<Peer> {
    let lag = |name: &str| status.nodes.iter().find(|node| node.name == name)?.lag;
    let told = status.peers.iter().map(|peer| Peer {
        name: peer.name.clone(),
        lag: lag(&peer.name),
        lanes: vec![
            ("control", peer_lane(&peer.control)),
            ("play", peer_lane(&peer.play)),
        ],
    });
    told.collect()
}

fn peer_lane(counts: &PeerCounts) -> PeerLane {
    let round_trip = counts.round_trip_us.map(Duration::from_micros);
    PeerLane {
        up: counts.up,
        sent: counts.frames.sent,
        received: counts.frames.received,
        dropped: counts.frames.dropped,
        queued: counts.queued,
        connected: counts.connected,
        round_trip_s: round_trip.map(|took| took.as_secs_f64()),
    }
}

fn lane(
    [sent, received, dropped]: [ClusterFigure; 3],
    counts: LaneCounts,
) -> [(ClusterFigure, u64); 3] {
    [
        (sent, counts.sent),
        (received, counts.received),
        (dropped, counts.dropped),
    ]
}

#[cfg(test)]
mod tests;
