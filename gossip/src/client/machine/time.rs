//! `[pure]` What time brings.

use std::time::Instant;

use super::effect::{Effect, Ending};
use super::state::{Machine, Stage};

impl Machine {
    /// When time is to be told at the latest.
    pub(in crate::client) fn wake_at(&self, now: Instant) -> Option<Instant> {
        match self.stage {
            Stage::Ended => return None,
            Stage::Asking(until) => return Some(until),
            Stage::Online => {}
        }
        let silent = self.heard_at + self.rules.silence;
        let mut at = silent
            .min(self.players_due)
            .min(self.games_due)
            .min(self.sweep_due);
        if let Some(until) = self.asked.values().map(|asked| asked.until).min() {
            at = at.min(until);
        }
        if !self.sayings.is_empty() {
            at = at.min(now + self.say_bucket.wait(now));
        }
        if self.next_unsettled().is_some() {
            at = at.min(now + self.subscribe_bucket.wait(now));
        }
        if self.pages.values().any(|page| !page.asked) {
            at = at.min(now + self.request_bucket.wait(now));
        }
        // What is due and cannot be done is put off a little, for nobody to turn in a circle.
        Some(at.max(now + std::time::Duration::from_millis(10)))
    }

    /// Does what is due.
    pub(super) fn time(&mut self, now: Instant, out: &mut Vec<Effect>) {
        match self.stage {
            Stage::Ended => return,
            Stage::Asking(until) => {
                if until <= now {
                    let reason = "the hub does not answer our login";
                    self.end(Ending::new("silent", reason), out);
                }
                return;
            }
            Stage::Online => {}
        }
        let silent = now.saturating_duration_since(self.heard_at);
        if silent >= self.rules.silence {
            let reason = format!("the hub was silent for {} seconds", silent.as_secs());
            return self.end(Ending::new("silent", reason), out);
        }
        self.give_up(now, out);
        self.sweep(now);
        self.ask_statuses(now, out);
        self.settle_channels(now, out);
        self.ask_pages(now, out);
        self.send_sayings(now, out);
    }

    /// Drops the games that were not heard of for long, and finds out when to look again.
    fn sweep(&mut self, now: Instant) {
        if self.sweep_due <= now {
            self.book.sweep(self.rules.stale, now);
            let oldest = self.book.oldest().unwrap_or(now);
            self.sweep_due = oldest + self.rules.stale;
        }
    }
}
