//! `[pure]` The numbers of a hub that an operator may choose.

use std::time::Duration;

use crate::limits::HISTORY_RING_DEFAULT;

/// How a hub behaves. The default is what the protocol says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// Frames of a socket, each that is JSON.
    pub all: BucketRule,
    /// Frames of a socket that are no JSON, or come while it is not listened to. The protocol does
    /// not limit them; without a limit any stranger could keep the hub busy with them.
    pub garbage: BucketRule,
    /// `channels/send` that would be delivered.
    pub send: BucketRule,
    /// `channels/subscribe` that would change something.
    pub subscribe: BucketRule,
    /// `channels/unsubscribe` that would change something.
    pub unsubscribe: BucketRule,
    /// `players/status` and `games/status` of all games, and `achievements/sync`. One too many is
    /// refused and is no offence; the protocol has no such bucket.
    pub status: BucketRule,
    /// So many limited frames of one bucket, and the socket is closed.
    pub offences_max: u32,
    /// A bucket that was quiet for so long forgets its offences.
    pub forgiven_after: Duration,
    /// Failed authentications of an address (of IPv6, of its first 64 bits) that are answered at
    /// once; those over it are answered after [`Rules::refusal_delay`].
    pub failures: BucketRule,
    /// How long the answer to one failure too many waits.
    pub refusal_delay: Duration,
    /// Answers exactly like the reference hub, even where that ends known clients.
    pub replies: Replies,
    /// Messages of each channel that are kept for the extension `history`; at most
    /// [`HISTORY_RING_MAX`](crate::limits::HISTORY_RING_MAX).
    pub history: usize,
}

/// A leaky bucket.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BucketRule {
    /// What it holds.
    pub limit: f64,
    /// What leaves it each second.
    pub leak_per_s: f64,
}

/// Whose answers a hub gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Replies {
    /// Those that no known client breaks on.
    #[default]
    Safe,
    /// Those of the reference hub, for comparison.
    Reference,
}

impl BucketRule {
    /// A bucket that holds `limit` and loses `leak_per_s` a second.
    #[must_use]
    pub const fn new(limit: f64, leak_per_s: f64) -> Self {
        Self { limit, leak_per_s }
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            all: BucketRule::new(100.0, 20.0),
            garbage: BucketRule::new(200.0, 20.0),
            send: BucketRule::new(10.0, 2.0),
            subscribe: BucketRule::new(5.0, 1.0),
            unsubscribe: BucketRule::new(5.0, 1.0),
            status: BucketRule::new(10.0, 1.0),
            offences_max: 10,
            forgiven_after: Duration::from_secs(600),
            failures: BucketRule::new(5.0, 1.0 / 30.0),
            refusal_delay: Duration::from_secs(5),
            replies: Replies::Safe,
            history: HISTORY_RING_DEFAULT,
        }
    }
}
