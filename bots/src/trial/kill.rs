//! `[edge]` A node is killed, and started again: when do its zones play again?
//!
//! Of each zone a probe stands on every node. After the kill those on the surviving nodes look, and
//! look again when there is no answer; a zone plays again when every one of them was answered.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::error::TrialError;
use super::options::Scenario;
use super::placing::zones_of;
use super::probes::{Board, Order, Stand};
use super::seen::RunSeen;
use super::stage::{CALM, Stage};
use super::stats::milliseconds;
use crate::values::as_number;

/// Between two looks of a probe that is answered.
const EVERY: Duration = Duration::from_millis(60);

/// A look without an answer is typed again after this.
const AGAIN: Duration = Duration::from_millis(250);

/// A zone that does not play again within this counts as lost, and with this time.
const GIVEN_UP: Duration = Duration::from_secs(30);

/// Between two looks at what was answered.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Plays all runs.
///
/// # Errors
/// See [`TrialError`].
pub(super) async fn play(
    stage: &mut Stage<'_>,
    scenario: Scenario,
    runs: &mut Vec<RunSeen>,
) -> Result<(), TrialError> {
    stage.crowd(stage.options.count).await?;
    let stands = stands(stage);
    let board = stage.probes(&stands).await?;
    stage.let_type(true);
    for number in 0..stage.options.runs {
        stage.restore().await?;
        stage.placed(&board).await?;
        let Some(victim) = victim(stage, scenario, number).await? else {
            continue;
        };
        let run = one(stage, (scenario, victim), (&board, &stands)).await?;
        let value = |name| run.values.get(name).copied().unwrap_or(0.0);
        stage.say(&format!(
            "run {}: {} killed, first zone after {:.0} ms, all after {:.0} ms; {} bots lost it, \
             {} back by token, {} by password",
            number + 1,
            stage.launcher.name(victim),
            value("first_ms"),
            value("last_ms"),
            run.crowd.lost,
            run.crowd.by_token,
            run.crowd.by_password,
        ));
        runs.push(run);
    }
    Ok(())
}

/// A probe of each zone on each node.
fn stands(stage: &Stage<'_>) -> Vec<Stand> {
    let nodes = stage.field.places.len();
    let of_zone = |zone: &str| {
        let zone = zone.to_owned();
        let torus = stage.torus.clone();
        (0..nodes).filter_map(move |node| {
            Some(Stand {
                room: torus.room(&zone, node)?,
                zone: zone.clone(),
                node,
            })
        })
    };
    stage.torus.zones().flat_map(of_zone).collect()
}

/// Whom it hits: the leader, one of the others in turn, or any in turn.
async fn victim(
    stage: &mut Stage<'_>,
    scenario: Scenario,
    run: u32,
) -> Result<Option<u16>, TrialError> {
    let summary = stage.whole().await?;
    let leader = summary.leader().and_then(|name| stage.number(name));
    let fits = |number: &u16| match scenario {
        Scenario::LeaderKill => Some(*number) == leader,
        Scenario::FollowerKill => Some(*number) != leader,
        Scenario::Restart
        | Scenario::Move
        | Scenario::Rolling
        | Scenario::Join
        | Scenario::Distance => true,
    };
    let fitting: Vec<u16> = stage.launcher.nodes.keys().copied().filter(fits).collect();
    let turn = usize::try_from(run).unwrap_or(0) % fitting.len().max(1);
    Ok(fitting.get(turn).copied())
}

async fn one(
    stage: &mut Stage<'_>,
    (scenario, victim): (Scenario, u16),
    (board, stands): (&Board, &[Stand]),
) -> Result<RunSeen, TrialError> {
    let name = stage.launcher.name(victim);
    let owners = stage.owners().await?;
    let leader = stage.whole().await?.leader().map(str::to_owned);
    let zones: Vec<&str> = zones_of(&owners, &name).collect();
    let waits =
        |stand: &Stand| stand.node != usize::from(victim) && zones.contains(&stand.zone.as_str());
    let waiting: Vec<usize> = (0..stands.len())
        .filter(|index| stands.get(*index).is_some_and(waits))
        .collect();
    let window = stage.field.open();
    sleep_until(Instant::now() + CALM).await;
    board.take();
    let killed = Instant::now();
    if let Some(node) = stage.launcher.nodes.remove(&victim) {
        // A node that is gone already is as good as killed.
        drop(node.kill().await);
    }
    board.order(Order::Look {
        since: killed,
        every: EVERY,
        again: AGAIN,
    });
    if scenario == Scenario::Restart {
        stage.launcher.start(victim).await?;
    }
    let up = killed.elapsed();
    let seen = answers(board, &waiting, killed).await;
    board.order(Order::Rest);
    if scenario != Scenario::Restart {
        stage.launcher.start(victim).await?;
    }
    // Who does not come back is counted by the next line, not waited for without end.
    let back = stage.all_in().await;
    let crowd = stage.close(&window).await;
    let mut run = RunSeen {
        crowd,
        ..RunSeen::default()
    };
    run.about.insert("killed", name.clone());
    run.about.insert("led", leader.unwrap_or_default());
    if let Err(error) = back {
        run.about.insert("bots", error.to_string());
    }
    if scenario == Scenario::Restart {
        run.values.insert("up_ms", milliseconds(up));
    }
    for index in &waiting {
        if let Some(stand) = stands.get(*index) {
            let after = seen.get(index).copied().unwrap_or(GIVEN_UP);
            let zone = run.zones_ms.entry(stand.zone.clone()).or_default();
            *zone = zone.max(milliseconds(after));
        }
    }
    let given_up = milliseconds(GIVEN_UP);
    let times: Vec<f64> = run.zones_ms.values().copied().collect();
    let missing = times.iter().filter(|ms| **ms >= given_up).count();
    let missing = u64::try_from(missing).unwrap_or(u64::MAX);
    run.values.insert("zones_missing", as_number(missing));
    if let (Some(first), Some(last)) = (
        times.iter().copied().reduce(f64::min),
        times.iter().copied().reduce(f64::max),
    ) {
        run.values.insert("first_ms", first);
        run.values.insert("last_ms", last);
    }
    Ok(run)
}

/// When each of these probes was first answered after the kill, by its index.
async fn answers(board: &Board, waiting: &[usize], killed: Instant) -> BTreeMap<usize, Duration> {
    let mut seen = BTreeMap::new();
    let until = killed + GIVEN_UP;
    while seen.len() < waiting.len() && Instant::now() < until {
        for beat in board.take() {
            if waiting.contains(&beat.probe) && beat.typed >= killed {
                let after = beat.answered.saturating_duration_since(killed);
                seen.entry(beat.probe).or_insert(after);
            }
        }
        sleep_until(Instant::now() + LOOK_EVERY).await;
    }
    seen
}
