//! `[edge]` One more node joins, and leaves again: how much moves, how long does it take, and what
//! do players notice?

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::error::TrialError;
use super::placing::{Owners, ZONE, moved};
use super::seen::RunSeen;
use super::stage::{CALM, Stage};
use super::stats::milliseconds;
use crate::values::as_number;

/// Between two looks at who owns what.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// The load is even when nothing has moved for so long.
const STILL_FOR: Duration = Duration::from_secs(8);

/// Longest look at a join: the load is evened out once a minute if nothing else asks for it.
const LOOK_WITHIN: Duration = Duration::from_secs(75);

/// What moves away from a node that is drained has done so within this.
const DRAINED_WITHIN: Duration = Duration::from_secs(60);

/// Plays all runs.
///
/// # Errors
/// See [`TrialError`].
pub(super) async fn play(stage: &mut Stage<'_>, runs: &mut Vec<RunSeen>) -> Result<(), TrialError> {
    stage.crowd(stage.options.count).await?;
    stage.let_type(true);
    for number in 0..stage.options.runs {
        stage.restore().await?;
        let added = stage.launcher.add();
        let run = one(stage, added).await?;
        let value = |name| run.values.get(name).copied().unwrap_or(0.0);
        stage.say(&format!(
            "run {}: {} shards moved, {} of them zones, done after {:.0} ms; answers p99 {:.1} ms",
            number + 1,
            value("shards_moved"),
            value("zones_moved"),
            value("done_ms"),
            run.crowd.latency_ms.p99,
        ));
        runs.push(run);
        leave(stage, added).await?;
    }
    Ok(())
}

async fn one(stage: &mut Stage<'_>, added: u16) -> Result<RunSeen, TrialError> {
    let name = stage.launcher.name(added);
    let mut before = still(stage).await?;
    let first = before.clone();
    let window = stage.field.open();
    let began = Instant::now();
    stage.launcher.start(added).await?;
    let (mut done, mut moves, mut zones) = (None, 0, 0);
    while began.elapsed() < LOOK_WITHIN {
        let after = stage.owners().await?;
        let changed = moved(&before, &after);
        if !changed.is_empty() {
            done = Some(Instant::now());
            moves += changed.len();
            zones += changed
                .iter()
                .filter(|shard| shard.starts_with(ZONE))
                .count();
        }
        before = after;
        if done.is_some_and(|done| done.elapsed() >= STILL_FOR) {
            break;
        }
        sleep_until(Instant::now() + LOOK_EVERY).await;
    }
    let mut run = RunSeen {
        crowd: stage.close(&window).await,
        ..RunSeen::default()
    };
    let count = |number: usize| as_number(u64::try_from(number).unwrap_or(u64::MAX));
    let nodes = stage.launcher.nodes.len().max(1);
    let all_zones = first.keys().filter(|shard| shard.starts_with(ZONE)).count();
    let got = before
        .values()
        .filter(|owner| owner.as_deref() == Some(&*name))
        .count();
    let took = done.map_or(LOOK_WITHIN, |done| done.saturating_duration_since(began));
    run.about.insert("joined", name);
    run.values.extend([
        ("shards_moved", count(moves)),
        ("zones_moved", count(zones)),
        ("shards_budget", count(first.len().div_ceil(nodes))),
        ("zones_budget", count(all_zones.div_ceil(nodes))),
        ("shards_there", count(got)),
        ("empty", count(usize::from(got == 0))),
        ("done_ms", milliseconds(took)),
    ]);
    Ok(run)
}

/// Who owns what once nothing has moved for a while.
async fn still(stage: &mut Stage<'_>) -> Result<Owners, TrialError> {
    let began = Instant::now();
    let mut before = stage.owners().await?;
    let mut since = Instant::now();
    while since.elapsed() < CALM * 2 && began.elapsed() < LOOK_WITHIN {
        sleep_until(Instant::now() + LOOK_EVERY).await;
        let after = stage.owners().await?;
        if after != before {
            since = Instant::now();
            before = after;
        }
    }
    Ok(before)
}

/// Empties the node, stops it, and has the cluster forget it.
async fn leave(stage: &mut Stage<'_>, added: u16) -> Result<(), TrialError> {
    let name = stage.launcher.name(added);
    stage.order(&["cluster", "drain", &name]).await?;
    let until = Instant::now() + DRAINED_WITHIN;
    loop {
        let summary = stage.launcher.status().await;
        let is_empty = summary.is_some_and(|summary| {
            summary
                .owners()
                .values()
                .all(|owner| owner.is_some_and(|owner| owner != name))
        });
        if is_empty {
            break;
        }
        if Instant::now() >= until {
            let what = format!("{name} empty");
            return Err(TrialError::Late { what });
        }
        sleep_until(Instant::now() + LOOK_EVERY).await;
    }
    if let Some(node) = stage.launcher.nodes.remove(&added) {
        let how = node.stop().await;
        stage.say(&format!("{name} {how}"));
    }
    // Its lease has to run out before it counts as down.
    loop {
        match stage.order(&["cluster", "forget", &name]).await {
            Ok(()) => return Ok(()),
            Err(error) if Instant::now() >= until => return Err(error),
            Err(_) => sleep_until(Instant::now() + LOOK_EVERY * 5).await,
        }
    }
}
