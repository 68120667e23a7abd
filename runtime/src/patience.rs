//! `[process]` Waiting with a deadline, for what usually comes before a timer is worth its price.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use tokio::task::yield_now;
use tokio::time::{Instant, sleep_until};

/// How long to wait for one thing, or for several one after the other.
#[derive(Debug)]
pub(crate) struct Patience {
    until: Option<Instant>,
    waited: bool,
}

impl Patience {
    pub(crate) fn new(limit: Duration) -> Self {
        Self {
            until: Instant::now().checked_add(limit),
            waited: false,
        }
    }

    /// Waits for `future`; `None` when the time is over before.
    ///
    /// The first time there is nothing, the caller only asks to be looked at again after all that
    /// is ready has run; a timer is made when there still is nothing then.
    pub(crate) async fn wait<F: Future>(&mut self, mut future: Pin<&mut F>) -> Option<F::Output> {
        let mut timer = pin!(None);
        poll_fn(|cx| {
            if let Poll::Ready(output) = future.as_mut().poll(cx) {
                return Poll::Ready(Some(output));
            }
            let waited = std::mem::replace(&mut self.waited, true);
            if !waited && pin!(yield_now()).poll(cx).is_pending() {
                return Poll::Pending;
            }
            if timer.is_none() {
                timer.set(self.until.map(sleep_until));
            }
            match timer.as_mut().as_pin_mut() {
                Some(timer) => timer.poll(cx).map(|()| None),
                None => Poll::Pending,
            }
        })
        .await
    }
}
