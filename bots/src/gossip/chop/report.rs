//! `[pure]` The result of a chopped hub: a table for people, JSON for programs.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::table::{Percentiles, causes, row, times};

/// The result of a chopped hub.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ChopReport {
    /// How often the hub was killed.
    pub kills: u64,
    /// How often it had ended before, by how.
    pub hub_ended: BTreeMap<String, u64>,
    /// Messages that the talker said.
    pub sent: u64,
    /// Messages that the hub acknowledged.
    pub acked: u64,
    /// Messages that the listener heard.
    pub heard: u64,
    /// Times a message was heard again.
    pub doubled: u64,
    /// Messages that were heard after a newer one.
    pub out_of_order: u64,
    /// Messages that were not heard.
    pub missed: u64,
    /// Of these, those that the hub had acknowledged.
    pub missed_acked: u64,
    /// Of these, those said before the first one heard since the hub was back.
    pub missed_before_back: u64,
    /// From the moment the hub could be reached again to the first message heard on the node.
    pub back_ms: Percentiles,
    /// Lives of the hub in which nothing was heard.
    pub not_back: u64,
    /// From saying to hearing.
    pub latency_ms: Percentiles,
    /// How the talker's connections ended, or did not come about while the hub was there.
    pub talker_lost: BTreeMap<String, u64>,
    /// What the hub refused.
    pub refused: BTreeMap<String, u64>,
    /// How the listener's connection ended, if it did.
    pub listener_lost: Option<String>,
    /// How long it ran, seconds.
    pub ran_s: f64,
    /// Whether it was ended early.
    pub ended_early: bool,
}

impl ChopReport {
    /// 0 when the listener stayed and heard of each life, nothing twice and all in order, and the
    /// hub ended only when killed; else 1.
    #[must_use]
    pub fn exit_status(&self) -> u8 {
        let is_fine = self.heard > 0
            && self.doubled + self.out_of_order + self.not_back == 0
            && self.listener_lost.is_none()
            && self.hub_ended.is_empty();
        u8::from(!is_fine)
    }
}

impl fmt::Display for ChopReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let early = if self.ended_early {
            ", ended early"
        } else {
            ""
        };
        row(f, "ran", &format!("{:.1} s{early}", self.ran_s))?;
        row(f, "kills", &self.kills.to_string())?;
        causes(f, "hub ended itself", &self.hub_ended)?;
        causes(f, "talker lost", &self.talker_lost)?;
        causes(f, "refused", &self.refused)?;
        let sent = format!("{}, {} acknowledged", self.sent, self.acked);
        row(f, "sent", &sent)?;
        let heard = format!(
            "{}, {} doubled, {} out of order",
            self.heard, self.doubled, self.out_of_order
        );
        row(f, "heard", &heard)?;
        let missed = format!(
            "{}, {} of them before the node was back, {} acknowledged",
            self.missed, self.missed_before_back, self.missed_acked
        );
        row(f, "missed", &missed)?;
        let back = format!("{}   never {}", times(&self.back_ms), self.not_back);
        row(f, "back ms", &back)?;
        row(f, "delivery ms", &times(&self.latency_ms))?;
        let lost = self.listener_lost.as_deref().unwrap_or("no");
        row(f, "listener lost", lost)
    }
}
