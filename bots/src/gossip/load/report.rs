//! `[pure]` The result of a load: a table for people, JSON for programs.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::table::{Percentiles, causes, row, times};

/// What the hub's process used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct HubFigures {
    /// CPU during the window, percent of one core.
    pub cpu_percent: f64,
    /// Resident memory: the largest seen during the window.
    pub rss_kb: u64,
    /// What it grew by since before the ramp, over the games that got in. Games of other processes
    /// that came in the same time count in.
    pub rss_kb_per_game: f64,
}

/// The result of a load. Messages are counted from the first to the last; rates, times and CPU are
/// about the measuring window.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LoadReport {
    /// Games that were to come.
    pub asked: usize,
    /// Games that got in.
    pub entered: usize,
    /// Games still in at the end.
    pub online_end: usize,
    /// Games that never got in, by the last cause.
    pub login_failed: BTreeMap<String, u64>,
    /// Games that lost their connection, by cause; with the code of the close.
    pub dropped: BTreeMap<String, u64>,
    /// Messages written.
    pub sent: u64,
    /// Messages written per second.
    pub sent_per_s: f64,
    /// Messages that the hub acknowledged.
    pub acked: u64,
    /// Requests that the hub refused, by its text.
    pub refused: BTreeMap<String, u64>,
    /// How often messages were to be heard: each by every other game that got in.
    pub expected: u64,
    /// How often they were heard; a second time does not count.
    pub delivered: u64,
    /// The one over the other.
    pub delivered_ratio: f64,
    /// Messages heard per second.
    pub deliveries_per_s: f64,
    /// Messages that came again, or to their own sender.
    pub doubled: u64,
    /// Messages that did not come.
    pub missed: u64,
    /// Messages that came after a newer one of the same sender.
    pub out_of_order: u64,
    /// From writing to hearing.
    pub latency_ms: Percentiles,
    /// Bytes per second from the hub to one game.
    pub bytes_per_game_s: f64,
    /// The hub's process, when its number was given.
    pub hub: Option<HubFigures>,
    /// Games in per second, from the first connect to the last entry.
    pub logins_per_s: f64,
    /// From a game's first connect to its welcome, repeated attempts included.
    pub login_ms: Percentiles,
    /// CPU of the games' process during the window, percent of one core.
    pub own_cpu_percent: f64,
    /// Length of the window, seconds.
    pub window_s: f64,
    /// Whether it was ended early.
    pub ended_early: bool,
    /// Attempts to get in that were repeated, by cause.
    pub retried: BTreeMap<String, u64>,
    /// Messages of other runs that came.
    pub foreign: u64,
}

impl LoadReport {
    /// 0 when all asked got in and stayed, and each message came everywhere once and in order.
    #[must_use]
    pub fn exit_status(&self) -> u8 {
        let is_fine = self.online_end == self.asked
            && self.sent > 0
            && self.delivered == self.expected
            && self.doubled + self.out_of_order == 0;
        u8::from(!is_fine)
    }
}

impl fmt::Display for LoadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let early = if self.ended_early {
            ", ended early"
        } else {
            ""
        };
        row(f, "window", &format!("{:.1} s{early}", self.window_s))?;
        let games = format!(
            "{} asked, {} got in, {} at the end",
            self.asked, self.entered, self.online_end
        );
        row(f, "games", &games)?;
        let logins = format!("{}   {:.0}/s", times(&self.login_ms), self.logins_per_s);
        row(f, "login ms", &logins)?;
        causes(f, "login failed", &self.login_failed)?;
        causes(f, "login repeated", &self.retried)?;
        causes(f, "dropped", &self.dropped)?;
        let sent = format!(
            "{}   {:.1}/s, {} acknowledged",
            self.sent, self.sent_per_s, self.acked
        );
        row(f, "sent", &sent)?;
        causes(f, "refused", &self.refused)?;
        let delivered = format!(
            "{} of {} ({:.4} %)   {:.0}/s",
            self.delivered,
            self.expected,
            self.delivered_ratio * 100.0,
            self.deliveries_per_s
        );
        row(f, "delivered", &delivered)?;
        let faults = format!(
            "{} missed, {} doubled, {} out of order",
            self.missed, self.doubled, self.out_of_order
        );
        row(f, "faults", &faults)?;
        row(f, "delivery ms", &times(&self.latency_ms))?;
        let traffic = format!("{:.1}", self.bytes_per_game_s);
        row(f, "bytes/s a game", &traffic)?;
        if let Some(hub) = &self.hub {
            row(f, "hub CPU", &format!("{:.1} % of a core", hub.cpu_percent))?;
            let memory = format!("{} KB, {:.1} KB a game", hub.rss_kb, hub.rss_kb_per_game);
            row(f, "hub memory", &memory)?;
        }
        let own = format!("{:.1} % of a core", self.own_cpu_percent);
        row(f, "games' own CPU", &own)?;
        if self.foreign > 0 {
            row(f, "of other runs", &self.foreign.to_string())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fails_when_anything_is_lost_doubled_or_out_of_order() {
        let fine = LoadReport {
            asked: 2,
            online_end: 2,
            sent: 3,
            expected: 3,
            delivered: 3,
            ..LoadReport::default()
        };
        assert_eq!(fine.exit_status(), 0);
        let faulty: [fn(&mut LoadReport); 5] = [
            |report| report.online_end = 1,
            |report| report.delivered = 2,
            |report| report.doubled = 1,
            |report| report.out_of_order = 1,
            |report| (report.sent, report.expected, report.delivered) = (0, 0, 0),
        ];
        for change in faulty {
            let mut report = fine.clone();
            change(&mut report);
            assert_eq!(report.exit_status(), 1, "{report}");
        }
    }
}
