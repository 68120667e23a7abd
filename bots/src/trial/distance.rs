//! `[edge]` Players whose room is on their own node beside players whose room is on another: how
//! much later are the answers, and how many frames does an event cost?
//!
//! Pairs of probes stand in the same room, one on the node of the room and one on the next, and
//! look at the same beats. Frames are counted before the crowd plays: many listeners on one node
//! hear a speaker in a room of another, after the same time of quiet.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::counters::{Desk, count};
use super::error::TrialError;
use super::metrics::{Metrics, growth};
use super::placing::{Owners, ZONE};
use super::probes::{Board, Order, Stand};
use super::seen::RunSeen;
use super::stage::{CALM, Stage, wait_until};
use super::stats::{milliseconds, quantile};
use crate::values::as_number;

/// Between two looks of a probe.
const EVERY: Duration = Duration::from_millis(200);

/// A look without an answer is typed again after this.
const AGAIN: Duration = Duration::from_secs(10);

/// How long a run measures.
const WINDOW: Duration = Duration::from_secs(10);

/// Listeners of the frames that are counted; with few bots, fewer.
const LISTENERS: u32 = 30;

/// How often a speaker says something while frames are counted, and for how long.
const SAY_EVERY: Duration = Duration::from_millis(100);

/// What comes to a node from others, of all kinds.
const PLAY_FRAMES: &str = "belay_cluster_received_frames_total{lane=\"play\"}";

/// Events in rooms of other nodes that came to a node.
const EVENTS_IN: &str = "belay_cluster_room_events_in_total";

/// Players of a node who were told of them.
const FAN_OUT: &str = "belay_cluster_room_fan_out_total";

/// Plays all runs.
///
/// # Errors
/// See [`TrialError`].
pub(super) async fn play(stage: &mut Stage<'_>, runs: &mut Vec<RunSeen>) -> Result<(), TrialError> {
    let stands = stands(stage);
    let board = stage.probes(&stands).await?;
    let frames = frames(stage).await?;
    let there = listeners(stage) * u32::from(stage.options.launch.nodes);
    stage
        .crowd(stage.options.count.saturating_sub(there))
        .await?;
    stage.let_type(true);
    for number in 0..stage.options.runs {
        stage.restore().await?;
        stage.placed(&board).await?;
        let mut run = one(stage, &board, &stands).await?;
        run.values.extend(frames.iter().copied());
        let value = |name| run.values.get(name).copied().unwrap_or(0.0);
        stage.say(&format!(
            "run {}: near p50 {:.2} ms, p99 {:.2} ms; far p50 {:.2} ms, p99 {:.2} ms",
            number + 1,
            value("near_p50_ms"),
            value("near_p99_ms"),
            value("far_p50_ms"),
            value("far_p99_ms"),
        ));
        runs.push(run);
    }
    Ok(())
}

/// In each zone a probe on every node, all in the same room.
fn stands(stage: &Stage<'_>) -> Vec<Stand> {
    let nodes = stage.field.places.len();
    let mut stands = Vec::new();
    for (number, zone) in stage.torus.zones().enumerate() {
        let Some(room) = stage.torus.room(zone, number) else {
            continue;
        };
        stands.extend((0..nodes).map(|node| Stand {
            zone: zone.to_owned(),
            room,
            node,
        }));
    }
    stands
}

async fn one(
    stage: &mut Stage<'_>,
    board: &Board,
    stands: &[Stand],
) -> Result<RunSeen, TrialError> {
    let before = stage.owners().await?;
    let window = stage.field.open();
    sleep_until(Instant::now() + CALM).await;
    board.take();
    let since = Instant::now();
    board.order(Order::Look {
        since,
        every: EVERY,
        again: AGAIN,
    });
    sleep_until(since + WINDOW).await;
    board.order(Order::Rest);
    let after = stage.owners().await?;
    let (mut near, mut far) = (Vec::new(), Vec::new());
    for beat in board.take() {
        let Some(stand) = stands.get(beat.probe) else {
            continue;
        };
        // A zone that moved meanwhile was on more than one node.
        let owner = owner(&before, &stand.zone);
        if owner != self::owner(&after, &stand.zone) {
            continue;
        }
        let took = milliseconds(beat.answered.saturating_duration_since(beat.typed));
        let own = u16::try_from(stand.node).map(|node| stage.launcher.name(node));
        if own.is_ok_and(|own| owner == Some(&own)) {
            near.push(took);
        } else {
            far.push(took);
        }
    }
    let mut run = RunSeen {
        crowd: stage.close(&window).await,
        ..RunSeen::default()
    };
    near.sort_by(f64::total_cmp);
    far.sort_by(f64::total_cmp);
    if let (Some(near_p50), Some(near_p99), Some(far_p50), Some(far_p99)) = (
        quantile(&near, 50),
        quantile(&near, 99),
        quantile(&far, 50),
        quantile(&far, 99),
    ) {
        run.values.extend([
            ("near_p50_ms", near_p50),
            ("near_p99_ms", near_p99),
            ("far_p50_ms", far_p50),
            ("far_p99_ms", far_p99),
            ("added_p50_ms", far_p50 - near_p50),
            ("added_p99_ms", far_p99 - near_p99),
        ]);
    }
    let count = |number: usize| as_number(u64::try_from(number).unwrap_or(u64::MAX));
    run.values.insert("near_looks", count(near.len()));
    run.values.insert("far_looks", count(far.len()));
    Ok(run)
}

fn listeners(stage: &Stage<'_>) -> u32 {
    let nodes = u32::from(stage.options.launch.nodes.max(1));
    LISTENERS.min(stage.options.count / (2 * nodes)).max(1)
}

fn owner<'a>(owners: &'a Owners, zone: &str) -> Option<&'a String> {
    owners.get(zone)?.as_ref()
}

/// Counts the frames of events in a room of one node with listeners on another.
async fn frames(stage: &mut Stage<'_>) -> Result<Vec<(&'static str, f64)>, TrialError> {
    let owners = stage.owners().await?;
    let first = stage.launcher.name(0);
    let is_first = |shard: &&str| {
        owners
            .get(*shard)
            .is_some_and(|it| it.as_ref() == Some(&first))
    };
    let zone = owners
        .keys()
        .map(String::as_str)
        .filter(|shard| shard.starts_with(ZONE));
    let Some(room) = zone
        .into_iter()
        .find(is_first)
        .and_then(|zone| stage.torus.room(zone, 0))
    else {
        return Ok(Vec::new());
    };
    // Bots go round over the nodes: those of the room's node speak, those of the next one listen,
    // and the others listen on theirs.
    let nodes = u32::from(stage.options.launch.nodes);
    let desk = Arc::new(Desk::new());
    let silent = Arc::new(Desk::new());
    let (torus, speaking, listening) = (stage.torus.clone(), desk.clone(), silent.clone());
    let places = stage.field.places.len().max(1);
    let listeners = listeners(stage);
    stage
        .enter(listeners * nodes, move |life, index| {
            let desk = if index == 0 { &speaking } else { &listening };
            let (desk, torus) = (desk.clone(), torus.clone());
            async move {
                // Only the speaker and the listeners of the next node go to the room.
                if index == 0 || index % places == 1 {
                    count(life, room, desk, torus).await;
                } else {
                    super::wanderer::wander(life).await;
                }
            }
        })
        .await?;
    let placed = || desk.placed() == 1 && silent.placed() == listeners;
    wait_until("speaker and listeners in the room", placed).await?;
    sleep_until(Instant::now() + CALM).await;
    let start = stage.metrics(1).await?;
    sleep_until(Instant::now() + WINDOW).await;
    let quiet = stage.metrics(1).await?;
    desk.every.send_replace(Some(SAY_EVERY));
    sleep_until(Instant::now() + WINDOW - CALM / 4).await;
    desk.every.send_replace(None);
    sleep_until(Instant::now() + CALM / 4).await;
    let spoken = stage.metrics(1).await?;
    let events = desk.read(|ledger| ledger.verdict().typed);
    let grew = |from: &Metrics, to: &Metrics, name: &str| as_number(growth(from, to, name));
    let of_events = grew(&quiet, &spoken, PLAY_FRAMES) - grew(&start, &quiet, PLAY_FRAMES);
    let seen = vec![
        ("events", as_number(events)),
        ("listeners", f64::from(listeners)),
        ("quiet_frames", grew(&start, &quiet, PLAY_FRAMES)),
        ("frames", grew(&quiet, &spoken, PLAY_FRAMES)),
        ("frames_per_event", of_events / as_number(events.max(1))),
        ("events_in", grew(&quiet, &spoken, EVENTS_IN)),
        ("fan_out", grew(&quiet, &spoken, FAN_OUT)),
    ];
    stage.say(&format!(
        "{events} events with {listeners} listeners on another node: {:.0} frames came to it, \
         {:.0} in the same time of quiet",
        seen.get(3).map_or(0.0, |(_, frames)| *frames),
        seen.get(2).map_or(0.0, |(_, frames)| *frames),
    ));
    Ok(seen)
}
