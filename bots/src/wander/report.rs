//! `[pure]` The result of a run: a table for people, JSON for programs.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::table::{Percentiles, causes, row, times};

/// Traffic of one player, bytes per second.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct BytesPerPlayer {
    /// From the node.
    #[serde(rename = "in")]
    pub incoming: f64,
    /// To the node.
    #[serde(rename = "out")]
    pub outgoing: f64,
}

/// What the node's process used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct NodeFigures {
    /// CPU during the window, percent of one core.
    pub cpu_percent: f64,
    /// Resident memory: the largest seen during the window.
    pub rss_kb: u64,
    /// What it grew by since before the ramp, over the most bots online. Players of other processes
    /// that came in the same time count in.
    pub rss_kb_per_player: f64,
}

/// The result of a run. All but logins and drops is about the measuring window.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Report {
    /// Bots that were to come.
    pub asked: u32,
    /// Most in the world at once.
    pub online_peak: u32,
    /// In the world at the end of the window.
    pub online_end: u32,
    /// Bots that never got in, by the last cause.
    pub login_failed: BTreeMap<String, u64>,
    /// Bots that lost their connection in the world, by cause.
    pub dropped: BTreeMap<String, u64>,
    /// Commands without an answer within 10 s.
    pub unanswered: u64,
    /// Commands typed.
    pub commands: u64,
    /// Commands per second.
    pub commands_per_s: f64,
    /// From typing to the actor's own answer; an unanswered command counts as 10 s.
    pub latency_ms: Percentiles,
    /// Traffic.
    pub bytes_per_player_s: BytesPerPlayer,
    /// The node's process, when its number was given.
    pub node: Option<NodeFigures>,
    /// From a say to the moment another bot of this process has it (some bots listen).
    pub heard_ms: Percentiles,
    /// Bots in per second, from the first connect to the last entry.
    pub logins_per_s: f64,
    /// From a bot's first connect to its first prompt in the world, repeated attempts included.
    pub login_ms: Percentiles,
    /// CPU of the bots' process during the window, percent of one core.
    pub own_cpu_percent: f64,
    /// What only the table shows.
    #[serde(skip)]
    pub details: Details,
}

/// Counts that are in the table but not in the JSON.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Details {
    /// Length of the window, seconds.
    pub window_s: f64,
    /// Whether it was ended early.
    pub ended_early: bool,
    /// Login attempts that were repeated, by cause.
    pub retried: BTreeMap<String, u64>,
    /// Refused commands, by cause.
    pub refused: BTreeMap<String, u64>,
    /// Bots that were told a place in the login queue.
    pub in_line: u32,
    /// Times a told place was worse than the one before.
    pub place_rises: u32,
    /// Rooms crashed on request.
    pub crashed_rooms: u64,
    /// Requests to crash a room that failed, by cause.
    pub crash_failed: BTreeMap<String, u64>,
    /// Bots' tasks that did not end in time; must be 0.
    pub zombies: u32,
}

impl Report {
    /// 0 when somebody played and nobody was dropped, else 1.
    #[must_use]
    pub fn exit_status(&self) -> u8 {
        u8::from(self.online_peak == 0 || !self.dropped.is_empty() || self.details.zombies > 0)
    }

    /// The node's CPU time for one command, in milliseconds.
    #[must_use]
    pub fn node_ms_per_command(&self) -> Option<f64> {
        let node = self.node.as_ref()?;
        (self.commands_per_s > 0.0).then(|| node.cpu_percent * 10.0 / self.commands_per_s)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let details = &self.details;
        let early = if details.ended_early {
            ", ended early"
        } else {
            ""
        };
        row(f, "window", &format!("{:.1} s{early}", details.window_s))?;
        let bots = format!(
            "{} asked, {} online at most, {} at the end",
            self.asked, self.online_peak, self.online_end
        );
        row(f, "bots", &bots)?;
        let logins = format!("{}   {:.0}/s", times(&self.login_ms), self.logins_per_s);
        row(f, "login ms", &logins)?;
        causes(f, "login failed", &self.login_failed)?;
        causes(f, "login repeated", &details.retried)?;
        if details.in_line > 0 {
            let line = format!(
                "{}, place got worse {}",
                details.in_line, details.place_rises
            );
            row(f, "waited in line", &line)?;
        }
        causes(f, "dropped", &self.dropped)?;
        row(
            f,
            "commands",
            &format!("{}   {:.1}/s", self.commands, self.commands_per_s),
        )?;
        row(f, "unanswered", &self.unanswered.to_string())?;
        causes(f, "refused", &details.refused)?;
        row(f, "answer ms", &times(&self.latency_ms))?;
        row(f, "heard ms", &times(&self.heard_ms))?;
        let bytes = &self.bytes_per_player_s;
        let traffic = format!("in {:.1}   out {:.1}", bytes.incoming, bytes.outgoing);
        row(f, "bytes/s a player", &traffic)?;
        if let Some(node) = &self.node {
            let cost = self.node_ms_per_command().unwrap_or(0.0);
            let cpu = format!(
                "{:.1} % of a core, {cost:.3} ms a command",
                node.cpu_percent
            );
            row(f, "node CPU", &cpu)?;
            let memory = format!(
                "{} KB, {:.1} KB a player",
                node.rss_kb, node.rss_kb_per_player
            );
            row(f, "node memory", &memory)?;
        }
        row(
            f,
            "bots' own CPU",
            &format!("{:.1} % of a core", self.own_cpu_percent),
        )?;
        if details.crashed_rooms > 0 || !details.crash_failed.is_empty() {
            row(f, "rooms crashed", &details.crashed_rooms.to_string())?;
            causes(f, "crash failed", &details.crash_failed)?;
        }
        if details.zombies > 0 {
            row(f, "ZOMBIES", &details.zombies.to_string())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_has_exactly_the_agreed_keys() {
        let report = Report {
            node: Some(NodeFigures::default()),
            ..Report::default()
        };
        let json = serde_json::to_value(&report).unwrap();
        let keys = |value: &serde_json::Value| -> Vec<String> {
            value.as_object().unwrap().keys().cloned().collect()
        };
        let mut expected = vec![
            "asked",
            "online_peak",
            "online_end",
            "login_failed",
            "dropped",
            "unanswered",
            "commands",
            "commands_per_s",
            "latency_ms",
            "bytes_per_player_s",
            "node",
            "heard_ms",
            "logins_per_s",
            "login_ms",
            "own_cpu_percent",
        ];
        expected.sort_unstable();
        let mut found = keys(&json);
        found.sort_unstable();
        assert_eq!(found, expected);
        assert_eq!(keys(&json["bytes_per_player_s"]), ["in", "out"]);
        assert_eq!(json["latency_ms"].as_object().unwrap().len(), 4);
        assert_eq!(json["node"].as_object().unwrap().len(), 3);
    }

    #[test]
    fn fails_when_anyone_was_dropped_or_nobody_came() {
        let fine = Report {
            online_peak: 1,
            ..Report::default()
        };
        assert_eq!(fine.exit_status(), 0);
        let dropped = BTreeMap::from([("closed".to_owned(), 1)]);
        assert_eq!(
            Report {
                dropped,
                ..fine.clone()
            }
            .exit_status(),
            1
        );
        assert_eq!(
            Report {
                online_peak: 0,
                ..fine
            }
            .exit_status(),
            1
        );
    }

    #[test]
    fn the_table_tells_cost_per_command_and_causes() {
        let node = NodeFigures {
            cpu_percent: 25.0,
            rss_kb: 9000,
            rss_kb_per_player: 2.0,
        };
        let report = Report {
            node: Some(node),
            commands_per_s: 1000.0,
            dropped: BTreeMap::from([("closed".to_owned(), 3)]),
            ..Report::default()
        };
        let table = report.to_string();
        assert!(table.contains("0.250 ms a command"), "{table}");
        assert!(table.contains("dropped           closed 3"), "{table}");
    }
}
