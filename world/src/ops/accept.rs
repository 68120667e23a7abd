//! `[edge]` Accepting that survives a process that has run out of file descriptors.

use std::future::Future;
use std::io;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// How long to wait after a failed accept: the cause (no descriptors left) takes a moment to go.
const RETRY: Duration = Duration::from_millis(200);

/// Accepts the next connection; a failure is logged and tried again, for an operator's listener
/// must come back by itself.
///
/// **Cancel safety**: as that of `next`; those of tokio's listeners are cancel safe.
pub(super) async fn accept<T, F>(next: impl Fn() -> F, name: &'static str) -> T
where
    F: Future<Output = io::Result<T>>,
{
    loop {
        match next().await {
            Ok(accepted) => return accepted,
            Err(error) => {
                tracing::warn!(name, reason = %error, "accept failed");
                sleep_until(Instant::now() + RETRY).await;
            }
        }
    }
}
