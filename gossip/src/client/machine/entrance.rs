//! `[pure]` The beginning and the end of a connection.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::ask::What;
use super::effect::{BAD_CREDENTIALS, Effect, Ending};
use super::state::{Machine, Restart, Stage};
use crate::client::clean;
use crate::limits::CHANNELS_HEARD_MAX;
use crate::protocol::{ChannelName, Extension, Extensions, Flag, Flags, Login, Outgoing, Welcome};

/// How long an announcement of a restart is believed.
const RESTART_BELIEVED: Duration = Duration::from_secs(300);

impl Machine {
    /// The frame that asks the hub to let us in.
    pub(super) fn login(&self) -> String {
        let supports = [Flag::Channels, Flag::Players, Flag::Tells, Flag::Games];
        let login = Login {
            client_id: &self.identity.client_id,
            client_secret: &self.identity.client_secret,
            supports: supports.into_iter().collect::<Flags>(),
            channels: self.wished.iter().map(ChannelName::as_str).collect(),
            user_agent: &self.identity.user_agent,
            extensions: Extension::ALL.into_iter().collect::<Extensions>(),
        };
        Outgoing::Authenticate(login).encode()
    }

    /// Which channels are to be heard; those beyond the bound are not.
    pub(super) fn wish(&mut self, wished: BTreeSet<ChannelName>) {
        self.wished = wished.into_iter().take(CHANNELS_HEARD_MAX).collect();
        self.refused.retain(|channel| self.wished.contains(channel));
    }

    /// The hub let us in: say who plays, ask who plays elsewhere, and for what was missed.
    pub(super) fn welcomed(&mut self, welcome: &Welcome, now: Instant, out: &mut Vec<Effect>) {
        if !matches!(self.stage, Stage::Asking(_)) {
            self.memory.figures.ignored += 1;
            return;
        }
        self.stage = Stage::Online;
        self.memory.figures.connects += 1;
        let granted = welcome.extensions.iter();
        self.extensions = granted.filter_map(|name| Extension::of(name)).collect();
        out.extend([Effect::Online, Effect::Beat]);
        self.ask_statuses(now, out);
        let history = self.extensions.has(Extension::History);
        if std::mem::replace(&mut self.memory.was_online, true) && !history {
            self.memory.figures.gaps += 1;
        }
        self.joined_changed = true;
        for channel in self.asked_at_login() {
            if welcome
                .rejected_channels
                .iter()
                .any(|name| name == channel.as_str())
            {
                self.refused.insert(channel);
            } else {
                self.join(channel);
            }
        }
    }

    /// A channel is heard from here on.
    pub(super) fn join(&mut self, channel: ChannelName) {
        if self.joined.len() < CHANNELS_HEARD_MAX {
            self.catch_up(&channel);
            self.joined.insert(channel);
            self.joined_changed = true;
        }
    }

    /// The hub refused to let us in, or throws us out.
    pub(super) fn refused_entrance(&mut self, error: &str, out: &mut Vec<Effect>) {
        if error.contains("rate limit") {
            return self.end(self.too_fast(), out);
        }
        let error = clean::reason(error).unwrap_or_else(|| "no reason given".to_owned());
        let ending = match self.stage {
            Stage::Asking(_) => {
                let reason = format!("the hub refused the credentials: {error}");
                Ending::new(BAD_CREDENTIALS, reason).wait(self.rules.rejected_wait)
            }
            // Whether that is because of the credentials, the next try shows.
            Stage::Online | Stage::Ended => {
                Ending::new("closed", format!("the hub sent us away: {error}"))
            }
        };
        self.end(ending, out);
    }

    /// The hub goes down soon.
    pub(super) fn announced(&mut self, downtime_s: u64, now: Instant) {
        self.memory.figures.restarts += 1;
        self.restart = Some(Restart {
            at: now,
            downtime: Duration::from_secs(downtime_s.max(1)),
        });
    }

    /// The hub closed the connection, or it broke for a reason.
    pub(super) fn closed(
        &mut self,
        code: Option<u16>,
        reason: Option<String>,
        now: Instant,
        out: &mut Vec<Effect>,
    ) {
        let announced = self
            .restart
            .filter(|restart| now.saturating_duration_since(restart.at) <= RESTART_BELIEVED);
        let asking = matches!(self.stage, Stage::Asking(_));
        let ending = match (code, announced) {
            (Some(4000), _) if self.limited || asking => self.too_fast(),
            (_, Some(restart)) => {
                let longer = 1.0 + 0.2 * self.references.share();
                let wait = restart.downtime.min(self.rules.restart_wait_max);
                Ending::new("restart", "the hub restarts").wait(wait.mul_f64(longer))
            }
            (Some(4001), None) => Ending::new("closed", "the hub missed our heartbeats"),
            (Some(1001), None) => Ending::new("closed", "the hub shuts down"),
            (Some(1013), None) => Ending::new("closed", "the hub has no room for us now"),
            (Some(1009), None) => Ending::new("closed", "the hub found a frame too big"),
            (Some(1000 | 1005) | None, None) => {
                let reason = reason.as_deref();
                Ending::new("closed", reason.unwrap_or("the hub closed the connection"))
            }
            (Some(code), None) => Ending::new(
                "closed",
                format!("the hub closed the connection (code {code})"),
            ),
        };
        self.end(ending, out);
    }

    /// Subscribes to what is wished and ends what is not, not too fast.
    pub(super) fn settle_channels(&mut self, now: Instant, out: &mut Vec<Effect>) {
        while self.has_room() && self.subscribe_bucket.wait(now).is_zero() {
            let Some((channel, wanted)) = self.next_unsettled() else {
                return;
            };
            self.subscribe_bucket.take(now);
            if wanted {
                let what = What::Subscribe(channel.clone());
                let frame =
                    |reference: &_| Outgoing::Subscribe(reference, channel.as_str()).encode();
                self.ask(what, now, frame, out);
            } else {
                self.joined.remove(&channel);
                self.joined_changed = true;
                self.pages.remove(&channel);
                self.memory.numbers.forget(channel.as_str());
                let frame =
                    |reference: &_| Outgoing::Unsubscribe(reference, channel.as_str()).encode();
                self.ask(What::Unsubscribe, now, frame, out);
            }
        }
    }

    /// A channel that is not as it is wished, and whether it is to be heard.
    pub(super) fn next_unsettled(&self) -> Option<(ChannelName, bool)> {
        let being_joined = |channel: &ChannelName| {
            let mut asked = self.asked.values();
            asked.any(|asked| matches!(&asked.what, What::Subscribe(name) if name == channel))
        };
        let mut extra = self.joined.difference(&self.wished);
        if let Some(channel) = extra.next() {
            return Some((channel.clone(), false));
        }
        let mut missing = self.wished.difference(&self.joined);
        let channel =
            missing.find(|channel| !self.refused.contains(*channel) && !being_joined(channel))?;
        Some((channel.clone(), true))
    }

    fn asked_at_login(&mut self) -> BTreeSet<ChannelName> {
        std::mem::take(&mut self.joined)
    }

    fn too_fast(&self) -> Ending {
        let ending = Ending::new("rate-limited", "the hub says that we are too fast");
        ending.wait(self.rules.limited_wait)
    }
}
