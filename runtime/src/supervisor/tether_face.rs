//! `[pure]` What can be seen of a tether.

use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

/// Whether a tether holds its child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TetherState {
    /// Nothing is attached, and nothing failed: not attached yet, switched off by hand, or the
    /// child has finished.
    Slack,
    /// The child is attached: it runs, or is being restarted within the intensity.
    Taut,
    /// The child failed too often, or did not start; the next try has its time.
    Cut,
}

impl TetherState {
    /// The state in a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Slack => "slack",
            Self::Taut => "taut",
            Self::Cut => "cut",
        }
    }
}

/// What can be seen of a tether.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Face {
    pub(super) state: TetherState,
    pub(super) reason: Option<Arc<str>>,
    pub(super) code: Option<&'static str>,
    pub(super) next: Option<Instant>,
    pub(super) attempts: u32,
    pub(super) failures: u64,
}

impl Face {
    pub(super) fn slack(reason: &'static str) -> Self {
        Self {
            state: TetherState::Slack,
            reason: Some(Arc::from(reason)),
            code: None,
            next: None,
            attempts: 0,
            failures: 0,
        }
    }
}
