//! `[pure]` The report of a trial: each figure beside its goal, each run, what the crowd saw.

use std::fmt;

use serde::Serialize;

use super::figures::{Figure, all_hold};
use super::options::Scenario;
use super::seen::{CrowdSeen, RunSeen};
use crate::table::{causes, row, times};

/// What a trial measured.
#[derive(Debug, Serialize)]
pub struct TrialReport {
    /// What was done.
    pub scenario: Scenario,
    /// How many nodes.
    pub nodes: u16,
    /// How many bots, without probes.
    pub bots: u32,
    /// Runs that were done, of those that were asked for.
    pub runs_done: usize,
    /// Runs that were asked for.
    pub runs_asked: u32,
    /// Why it ended early, if it did.
    pub ended: Option<String>,
    /// Load of the machine in the last minute, at begin and end.
    pub load: (f64, f64),
    pub(super) figures: Vec<Figure>,
    /// All bots, from the beginning to the end; without latencies, which are of the runs.
    pub(super) crowd: CrowdSeen,
    /// Each run.
    pub(super) runs: Vec<RunSeen>,
}

impl TrialReport {
    /// 0 when every goal was reached in all runs, 1 otherwise.
    #[must_use]
    pub fn exit_status(&self) -> u8 {
        let is_whole = self.ended.is_none() && all_hold(&self.figures);
        let is_lost = self.crowd.strangers > 0 || self.crowd.not_back > 0;
        u8::from(!is_whole || is_lost)
    }
}

impl fmt::Display for TrialReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            nodes, bots, load, ..
        } = self;
        writeln!(f, "{nodes} nodes, {bots} bots, {} runs", self.runs_done)?;
        let longest = |of: fn(&Figure) -> usize, least| {
            let lengths = self.figures.iter().map(of);
            lengths.fold(least, usize::max)
        };
        let name = longest(|it| it.name.len(), "figure".len());
        let goal = longest(|it| it.goal.len(), "goal".len());
        let reached = longest(|it| it.reached.len(), "reached".len());
        writeln!(
            f,
            "{:<name$}  {:<goal$}  {:<reached$}",
            "figure", "goal", "reached"
        )?;
        for figure in &self.figures {
            let verdict = match figure.holds {
                Some(true) => "  yes",
                Some(false) => "  MISSED",
                None => "",
            };
            let Figure {
                name: what,
                goal: wanted,
                reached: value,
                ..
            } = figure;
            let line = format!("{what:<name$}  {wanted:<goal$}  {value:<reached$}{verdict}");
            writeln!(f, "{}", line.trim_end())?;
        }
        let CrowdSeen {
            lost,
            by_token,
            by_password,
            strangers,
            not_back,
            ..
        } = &self.crowd;
        let seen = format!(
            "{lost} connections lost; back {by_token} by token, {by_password} by password, \
             {strangers} as somebody else; {not_back} not back"
        );
        row(f, "bots", &seen)?;
        row(f, "out of the world", &times(&self.crowd.outage_ms))?;
        causes(f, "lost how", &self.crowd.how)?;
        causes(f, "attempts failed", &self.crowd.failed)?;
        row(
            f,
            "load average",
            &format!("{:.2} at begin, {:.2} at end", load.0, load.1),
        )?;
        if let Some(why) = &self.ended {
            row(f, "ended early", why)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(figures: Vec<Figure>) -> TrialReport {
        TrialReport {
            scenario: Scenario::Restart,
            nodes: 3,
            bots: 12,
            runs_done: 1,
            runs_asked: 1,
            ended: None,
            load: (0.5, 1.25),
            figures,
            crowd: CrowdSeen::default(),
            runs: vec![],
        }
    }

    #[test]
    fn the_table_shows_goals_beside_what_was_reached() {
        let figures = vec![
            Figure::at_most("zones play again, worst", (2000.0, "ms"), Some(2500.0)),
            Figure::told("first zone", "900.0 ms"),
        ];
        let report = report(figures);
        let table = report.to_string();
        assert!(
            table.contains("zones play again, worst  <= 2000 ms  2500.0 ms  MISSED"),
            "{table}"
        );
        assert!(table.contains("0.50 at begin, 1.25 at end"), "{table}");
        assert_eq!(report.exit_status(), 1);
    }

    #[test]
    fn the_status_tells_missed_goals_lost_bots_and_missing_runs() {
        assert_eq!(report(vec![]).exit_status(), 0);
        let mut lost = report(vec![]);
        lost.crowd.not_back = 1;
        assert_eq!(lost.exit_status(), 1);
        let mut early = report(vec![]);
        early.ended = Some("a node did not come up".to_owned());
        assert_eq!(early.exit_status(), 1);
        assert!(early.to_string().contains("a node did not come up"));
    }
}
