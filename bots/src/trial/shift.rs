//! `[edge]` A zone moves with players in it, all of whom say numbers: how long does the longest
//! answer take beyond the usual, and is each number answered once and in order?
//!
//! They type at fixed times, answered or not, so somebody types just when the zone begins to stand
//! still, and waits for as long as it does.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::counters::{Desk, count};
use super::error::TrialError;
use super::seen::RunSeen;
use super::stage::{Stage, wait_until};
use super::stats::milliseconds;
use crate::values::as_number;

/// Players in the zone that moves; with fewer bots, half of them.
const PLAYERS: u32 = 200;

/// Each of them says a number so often: a gap is seen to within a few milliseconds.
const EVERY: Duration = Duration::from_millis(500);

/// How long is counted before the move, and after it.
const ASIDE: Duration = Duration::from_secs(3);

/// Plays all runs.
///
/// # Errors
/// See [`TrialError`].
pub(super) async fn play(stage: &mut Stage<'_>, runs: &mut Vec<RunSeen>) -> Result<(), TrialError> {
    let players = PLAYERS.min(stage.options.count.div_ceil(2));
    stage.crowd(stage.options.count - players).await?;
    let Some(zone) = stage.torus.zones().next().map(str::to_owned) else {
        return Ok(());
    };
    let desk = Arc::new(Desk::new());
    let (torus, shared) = (stage.torus.clone(), desk.clone());
    let within = zone.clone();
    stage
        .enter(players, move |life, index| {
            let room = torus.room(&within, index);
            let (desk, torus) = (shared.clone(), torus.clone());
            async move {
                if let Some(room) = room {
                    count(life, room, desk, torus).await;
                }
            }
        })
        .await?;
    wait_until("all players in the zone", || desk.placed() == players).await?;
    stage.say(&format!("{players} players stand in {zone}"));
    stage.let_type(true);
    for number in 0..stage.options.runs {
        stage.restore().await?;
        wait_until("all players in the zone", || desk.placed() == players).await?;
        let run = one(stage, &zone, &desk).await?;
        let value = |name| run.values.get(name).copied().unwrap_or(0.0);
        stage.say(&format!(
            "run {}: {} moved in {:.0} ms, frozen {:.0} ms; {} numbers, {} lost, {} twice",
            number + 1,
            zone,
            value("order_ms"),
            value("frozen_ms"),
            value("typed"),
            value("lost"),
            value("doubled"),
        ));
        runs.push(run);
    }
    Ok(())
}

async fn one(stage: &mut Stage<'_>, zone: &str, desk: &Desk) -> Result<RunSeen, TrialError> {
    let owners = stage.owners().await?;
    let from = owners.get(zone).cloned().flatten().unwrap_or_default();
    let names = stage.names();
    let at = names.iter().position(|name| *name == from).unwrap_or(0);
    let to = names.get((at + 1) % names.len().max(1)).cloned();
    let to = to.unwrap_or_default();
    desk.clear();
    let window = stage.field.open();
    desk.every.send_replace(Some(EVERY));
    // Everybody has begun after one turn; the usual is what comes then.
    sleep_until(Instant::now() + EVERY * 2).await;
    let begun = desk.start.elapsed();
    sleep_until(Instant::now() + ASIDE).await;
    let ordered = desk.start.elapsed();
    stage.order_move(zone, &to).await?;
    loop {
        let owners = stage.owners().await?;
        if owners.get(zone).cloned().flatten().as_deref() == Some(&*to) {
            break;
        }
    }
    let over = desk.start.elapsed();
    sleep_until(Instant::now() + ASIDE).await;
    let end = desk.start.elapsed();
    desk.every.send_replace(None);
    // What was typed last is still on its way; what does not come is lost, and counted below.
    let waiting = || desk.read(|ledger| ledger.waiting() == 0);
    let answered = wait_until("all numbers answered", waiting).await;
    let (gaps, (usual, _), (_, longest), verdict) = desk.read(|ledger| {
        (
            (
                ledger.longest_gap(begun, ordered).unwrap_or(ASIDE),
                ledger.longest_gap(ordered, end).unwrap_or(ASIDE),
            ),
            ledger.answer_times(begun, ordered).unwrap_or_default(),
            ledger.answer_times(ordered, end).unwrap_or((ASIDE, ASIDE)),
            ledger.verdict(),
        )
    });
    let mut run = RunSeen {
        crowd: stage.close(&window).await,
        ..RunSeen::default()
    };
    run.about.insert("zone", zone.to_owned());
    run.about.insert("from", from);
    run.about.insert("to", to);
    if let Err(error) = answered {
        run.about.insert("numbers", error.to_string());
    }
    run.values.extend([
        ("gap_ms", milliseconds(gaps.1)),
        ("usual_gap_ms", milliseconds(gaps.0)),
        ("longest_ms", milliseconds(longest)),
        ("usual_ms", milliseconds(usual)),
        ("frozen_ms", milliseconds(longest.saturating_sub(usual))),
        ("order_ms", milliseconds(over.saturating_sub(ordered))),
        ("typed", as_number(verdict.typed)),
        ("once", as_number(verdict.once)),
        ("lost", as_number(verdict.lost)),
        ("doubled", as_number(verdict.doubled)),
        ("disordered", as_number(verdict.disordered)),
    ]);
    Ok(run)
}
