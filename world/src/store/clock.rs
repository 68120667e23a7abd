//! `[edge]` The wall clock, which stamps what is stored.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::port::Clock;
use super::record::UnixMillis;

/// The system's clock.
pub fn system_clock() -> Clock {
    Arc::new(|| {
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the place that reads the clock"
        )]
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        UnixMillis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    })
}
