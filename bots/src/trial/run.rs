//! `[edge]` A trial from begin to end: the stage is set, the scenario plays, all is stopped.

use super::error::TrialError;
use super::goals::figures;
use super::options::{Scenario, TrialOptions};
use super::report::TrialReport;
use super::seen::RunSeen;
use super::stage::Stage;
use super::{distance, join, kill, rolling, shift};

/// Starts a cluster with bots on it, does to it what the scenario says, measures, and stops all.
/// What was measured until it was told to stop, or something failed, is reported.
///
/// # Errors
/// What could not be started; what was, is stopped.
///
/// # Cancel safety
/// Dropping the future kills all nodes and the database.
pub async fn run_trial(
    options: TrialOptions,
    stop: impl Future<Output = ()>,
    mut tell: impl FnMut(&str) + Send,
) -> Result<TrialReport, TrialError> {
    let load_before = load_average();
    let (scenario, asked) = (options.scenario, options.runs);
    let (nodes, bots) = (options.launch.nodes, options.count);
    let mut stage = Stage::set(options, &mut tell).await?;
    let mut runs = Vec::new();
    let played = tokio::select! {
        played = play(&mut stage, scenario, &mut runs) => played.map_err(|error| told(&error)),
        () = stop => Err("stopped".to_owned()),
    };
    if let Err(why) = &played {
        stage.say(why);
    }
    let crowd = stage.field.ever.seen(stage.not_in());
    let load_after = load_average();
    stage.end().await;
    Ok(TrialReport {
        scenario,
        nodes,
        bots,
        runs_done: runs.len(),
        runs_asked: asked,
        ended: played.err(),
        load: (load_before, load_after),
        figures: figures(scenario, &runs),
        crowd,
        runs,
    })
}

async fn play(
    stage: &mut Stage<'_>,
    scenario: Scenario,
    runs: &mut Vec<RunSeen>,
) -> Result<(), TrialError> {
    match scenario {
        Scenario::FollowerKill | Scenario::LeaderKill | Scenario::Restart => {
            kill::play(stage, scenario, runs).await
        }
        Scenario::Move => shift::play(stage, runs).await,
        Scenario::Rolling => rolling::play(stage, runs).await,
        Scenario::Join => join::play(stage, runs).await,
        Scenario::Distance => distance::play(stage, runs).await,
    }
}

/// An error with its causes.
fn told(error: &TrialError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text += &format!(": {cause}");
        source = cause.source();
    }
    text
}

/// Load of the machine in the last minute; 0 when it cannot be read.
fn load_average() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let first = text.split_whitespace().next();
    first.and_then(|load| load.parse().ok()).unwrap_or(0.0)
}
