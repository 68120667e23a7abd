//! `[pure]` What was seen in one run of a trial.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::table::Percentiles;

/// One run.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct RunSeen {
    /// What was done to whom.
    pub(crate) about: BTreeMap<&'static str, String>,
    /// What was measured, by name; times in milliseconds.
    pub(crate) values: BTreeMap<&'static str, f64>,
    /// Times until each zone played again, in milliseconds, where zones were lost.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) zones_ms: BTreeMap<String, f64>,
    /// What the crowd saw meanwhile.
    pub(crate) crowd: CrowdSeen,
}

/// What a crowd saw between two moments, as it is reported.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct CrowdSeen {
    /// Commands that were due.
    pub(crate) commands: u64,
    /// Commands that were never answered.
    pub(crate) unanswered: u64,
    /// From when they were due until they were answered, in milliseconds.
    pub(crate) latency_ms: Percentiles,
    /// Connections that were lost.
    pub(crate) lost: u64,
    /// Bots that came back with their token.
    pub(crate) by_token: u64,
    /// Bots that came back with name and password.
    pub(crate) by_password: u64,
    /// Bots that came back as somebody else.
    pub(crate) strangers: u64,
    /// Bots that are not back.
    pub(crate) not_back: u64,
    /// How long bots were out of the world, in milliseconds.
    pub(crate) outage_ms: Percentiles,
    /// How connections were lost.
    pub(crate) how: BTreeMap<String, u64>,
    /// Attempts to come back that failed.
    pub(crate) failed: BTreeMap<String, u64>,
    /// Commands that were refused.
    pub(crate) refused: BTreeMap<String, u64>,
}

/// A value of each run that has it.
pub(crate) fn each(runs: &[RunSeen], name: &str) -> Vec<f64> {
    let values = runs.iter().filter_map(|run| run.values.get(name));
    values.copied().collect()
}

/// The sum of a count over the runs.
pub(crate) fn sum(runs: &[RunSeen], count: impl Fn(&CrowdSeen) -> u64) -> u64 {
    runs.iter().map(|run| count(&run.crowd)).sum()
}

/// The sum of a value over the runs.
pub(crate) fn total(runs: &[RunSeen], name: &str) -> f64 {
    each(runs, name).iter().sum()
}
