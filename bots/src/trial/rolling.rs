//! `[edge]` All nodes are stopped and started again, one after the other, the leader last: is a
//! session lost, and how long do commands take meanwhile?

use tokio::time::{Instant, sleep_until};

use super::error::TrialError;
use super::seen::RunSeen;
use super::stage::{CALM, Stage};
use super::stats::milliseconds;

/// Plays all runs.
///
/// # Errors
/// See [`TrialError`].
pub(super) async fn play(stage: &mut Stage<'_>, runs: &mut Vec<RunSeen>) -> Result<(), TrialError> {
    stage.crowd(stage.options.count).await?;
    stage.let_type(true);
    for number in 0..stage.options.runs {
        stage.restore().await?;
        let run = one(stage).await?;
        stage.say(&format!(
            "run {}: {} commands, answers p50 {:.1} ms, p99 {:.1} ms, longest {:.0} ms; \
             {} connections lost, {} resumed by token, {} by password, {} not back",
            number + 1,
            run.crowd.commands,
            run.crowd.latency_ms.p50,
            run.crowd.latency_ms.p99,
            run.crowd.latency_ms.max,
            run.crowd.lost,
            run.crowd.by_token,
            run.crowd.by_password,
            run.crowd.not_back,
        ));
        runs.push(run);
    }
    Ok(())
}

async fn one(stage: &mut Stage<'_>) -> Result<RunSeen, TrialError> {
    let mut run = RunSeen::default();
    let window = stage.field.open();
    let began = Instant::now();
    sleep_until(Instant::now() + CALM).await;
    let mut left: Vec<u16> = stage.launcher.nodes.keys().copied().collect();
    let (mut order, mut ends) = (Vec::new(), Vec::new());
    let mut away_ms: f64 = 0.0;
    while !left.is_empty() {
        let summary = stage.whole().await?;
        let leader = summary.leader().and_then(|name| stage.number(name));
        let next = left.iter().position(|number| Some(*number) != leader);
        let number = left.remove(next.unwrap_or(0));
        let name = stage.launcher.name(number);
        let told = Instant::now();
        if let Some(node) = stage.launcher.nodes.remove(&number) {
            ends.push(format!("{name} {}", node.stop().await));
        }
        stage.launcher.start(number).await?;
        away_ms = away_ms.max(milliseconds(told.elapsed()));
        order.push(name);
        stage.whole().await?;
        // Nobody is so quick as to take the next one in the same moment.
        sleep_until(Instant::now() + CALM).await;
    }
    if let Err(error) = stage.all_in().await {
        run.about.insert("bots", error.to_string());
    }
    run.values
        .insert("window_ms", milliseconds(began.elapsed()));
    run.values.insert("away_ms", away_ms);
    run.about.insert("order", order.join(", "));
    run.about.insert("ends", ends.join(", "));
    run.crowd = stage.close(&window).await;
    Ok(run)
}
