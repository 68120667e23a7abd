//! `[pure]` Achievements, which a game keeps at its hub.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One achievement of a game, as it stands on the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Achievement {
    /// The hub's key, a UUID.
    pub key: String,
    /// What it is called.
    pub title: String,
    /// More about it.
    pub description: Option<String>,
    /// What it is worth, 0 to 100.
    pub points: u32,
    /// Whether it is shown before it is reached.
    pub display: bool,
    /// Whether it can be reached by degrees.
    pub partial_progress: bool,
    /// How many degrees there are; set when it can.
    pub total_progress: Option<u32>,
}

/// What is wrong with the fields of an achievement: texts by field.
pub type AchievementErrors = BTreeMap<&'static str, Vec<&'static str>>;
