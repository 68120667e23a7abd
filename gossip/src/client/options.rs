//! `[pure]` How a client behaves.

use std::time::Duration;

use belay_runtime::Backoff;

use super::machine::Rules;

/// How a client behaves. The defaults are right for a game; tests have less patience.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientOptions {
    /// What the game runs, for the hub's list of games.
    pub user_agent: String,
    /// How long to wait before the next try. Begins anew once the hub has let us in and one
    /// heartbeat was answered.
    pub backoff: Backoff,
    /// How long name look-up, connection, TLS and the WebSocket's beginning may take together.
    pub connect_within: Duration,
    /// How long the hub may take to let us in.
    pub authenticate_within: Duration,
    /// After so long without any frame the connection is given up.
    pub silence: Duration,
    /// How long the hub may take to read what we send.
    pub write_within: Duration,
    /// How long the hub may take to answer a question, such as a tell.
    pub answer_within: Duration,
    /// How often is asked who plays elsewhere.
    pub status_every: Duration,
    /// How often is asked which games there are.
    pub games_every: Duration,
    /// A game that was not heard of for so long is dropped from the roster.
    pub stale: Duration,
    /// How long not to try again after the hub refused the credentials.
    pub rejected_wait: Duration,
    /// How long not to try again after the hub said that we are too fast.
    pub limited_wait: Duration,
    /// How long not to try again after the hub flooded us.
    pub flood_wait: Duration,
    /// The longest that an announced restart is waited for.
    pub restart_wait_max: Duration,
}

impl Default for ClientOptions {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            user_agent: concat!("Belay ", env!("CARGO_PKG_VERSION")).to_owned(),
            // A hub that was away for five seconds has us back in two: no delay up to there is
            // longer. It takes longer to grow to the minute than by doubling.
            backoff: Backoff {
                first: Duration::from_millis(500),
                factor: 1.3,
                max: seconds(60),
                jitter: 0.2,
            },
            connect_within: seconds(10),
            authenticate_within: seconds(10),
            silence: seconds(50),
            write_within: seconds(10),
            answer_within: seconds(5),
            status_every: seconds(60),
            games_every: seconds(300),
            stale: seconds(180),
            rejected_wait: seconds(600),
            limited_wait: seconds(60),
            flood_wait: seconds(60),
            restart_wait_max: seconds(120),
        }
    }
}

impl ClientOptions {
    pub(super) const fn rules(&self) -> Rules {
        Rules {
            authenticate_within: self.authenticate_within,
            silence: self.silence,
            answer_within: self.answer_within,
            status_every: self.status_every,
            games_every: self.games_every,
            stale: self.stale,
            rejected_wait: self.rejected_wait,
            limited_wait: self.limited_wait,
            flood_wait: self.flood_wait,
            restart_wait_max: self.restart_wait_max,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hub_that_was_away_for_five_seconds_has_us_back_in_two() {
        let backoff = ClientOptions::default().backoff;
        for chance in [0.0, 0.5, 1.0] {
            let mut at = Duration::ZERO;
            for attempt in 0..20 {
                let delay = backoff.delay(attempt, chance);
                if at <= Duration::from_secs(5) {
                    assert!(delay < Duration::from_secs(2), "{attempt}: {delay:?}");
                }
                at += delay;
            }
        }
    }
}
