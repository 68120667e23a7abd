//! `[edge]` The wall clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now, in Unix milliseconds.
#[must_use]
pub fn unix_ms() -> i64 {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the place that reads the wall clock"
    )]
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
