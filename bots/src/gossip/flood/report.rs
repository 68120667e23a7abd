//! `[pure]` The result of a flood: a table for people, JSON for programs.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::table::{Percentiles, causes, row, times};

/// The result of a flood.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FloodReport {
    /// Connections that came.
    pub connected: u64,
    /// Connections that were welcomed.
    pub welcomed: u64,
    /// Connections that were flooded.
    pub flooded: u64,
    /// Messages written.
    pub written: u64,
    /// Messages that were due while the game did not read, and were left out.
    pub left_out: u64,
    /// Messages written per second of flooding.
    pub written_per_s: f64,
    /// How connections ended, by cause.
    pub ended: BTreeMap<String, u64>,
    /// From the first message of a flood to the end of its connection.
    pub held_ms: Percentiles,
    /// Beats that were answered.
    pub beats_answered: u64,
    /// Messages that games sent.
    pub heard: u64,
    /// How long it ran, seconds.
    pub ran_s: f64,
}

impl FloodReport {
    /// 0 when a game was flooded, else 1.
    #[must_use]
    pub fn exit_status(&self) -> u8 {
        u8::from(self.flooded == 0)
    }
}

impl fmt::Display for FloodReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        row(f, "ran", &format!("{:.1} s", self.ran_s))?;
        let connections = format!(
            "{} came, {} welcomed, {} flooded",
            self.connected, self.welcomed, self.flooded
        );
        row(f, "connections", &connections)?;
        let written = format!(
            "{}   {:.0}/s of flooding, {} left out",
            self.written, self.written_per_s, self.left_out
        );
        row(f, "messages", &written)?;
        causes(f, "ended", &self.ended)?;
        row(f, "held ms", &times(&self.held_ms))?;
        let answers = format!("{} beats, {} messages", self.beats_answered, self.heard);
        row(f, "heard", &answers)
    }
}
