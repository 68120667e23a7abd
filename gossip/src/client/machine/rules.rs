//! `[pure]` What a connection is told before it begins.

use std::fmt;
use std::time::Duration;

/// How long what may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::client) struct Rules {
    pub(in crate::client) authenticate_within: Duration,
    pub(in crate::client) silence: Duration,
    pub(in crate::client) answer_within: Duration,
    pub(in crate::client) status_every: Duration,
    pub(in crate::client) games_every: Duration,
    pub(in crate::client) stale: Duration,
    pub(in crate::client) rejected_wait: Duration,
    pub(in crate::client) limited_wait: Duration,
    pub(in crate::client) flood_wait: Duration,
    pub(in crate::client) restart_wait_max: Duration,
}

/// Who the game is. The secret does not print.
#[derive(Clone)]
pub(in crate::client) struct Identity {
    pub(in crate::client) client_id: String,
    pub(in crate::client) client_secret: String,
    /// The game's own name on the network, if it is known.
    pub(in crate::client) game: Option<String>,
    pub(in crate::client) user_agent: String,
    /// From it come the references of questions, and what is left to chance.
    pub(in crate::client) seed: u64,
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity")
            .field("client_id", &self.client_id)
            .field("game", &self.game)
            .finish_non_exhaustive()
    }
}
