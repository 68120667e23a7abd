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
    limit: Duration,
    /// Known when there was something to wait for.
    until: Option<Instant>,
    waited: bool,
    /// What is waited for comes from another thread.
    elsewhere: bool,
}

impl Patience {
    pub(crate) fn new(limit: Duration) -> Self {
        Self {
            limit,
            until: None,
            waited: false,
            elsewhere: false,
        }
    }

    /// For what is only late when another thread is, which no clock knows that a test paused: such
    /// a clock would jump to the end of the time. Then there is no limit.
    pub(crate) fn with_threads(limit: Duration) -> Self {
        Self {
            elsewhere: true,
            ..Self::new(limit)
        }
    }

    /// Waits for `future`; `None` when the time is over before.
    ///
    /// The first time there is nothing, the caller only asks to be looked at again after all that
    /// is ready has run; the time begins, and a timer is made, when there still is nothing then.
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
            if std::mem::take(&mut self.elsewhere) && stands_still() {
                // No clock reaches that.
                self.limit = Duration::MAX;
            }
            if timer.is_none() {
                if self.until.is_none() {
                    self.until = Instant::now().checked_add(self.limit);
                }
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

/// Whether tokio's clock is paused, for which it has no question.
#[cold]
#[expect(
    clippy::disallowed_methods,
    reason = "only the real clock can tell whether the other one stands still"
)]
fn stands_still() -> bool {
    let ours = Instant::now();
    let real = std::time::Instant::now();
    while std::time::Instant::now() <= real {
        std::hint::spin_loop();
    }
    Instant::now() == ours
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn tells_a_clock_that_stands_still_from_one_that_goes() {
        assert!(!stands_still());
        tokio::time::pause();
        assert!(stands_still());
        tokio::time::resume();
        assert!(!stands_still());
    }

    #[tokio::test(start_paused = true)]
    async fn ends_at_its_time_but_not_for_another_thread_when_the_clock_is_paused() {
        let begun = Instant::now();
        let limit = Duration::from_secs(5);
        let mut nothing = std::future::pending::<()>();
        let waited = Patience::new(limit).wait(Pin::new(&mut nothing)).await;
        assert_eq!((waited, begun.elapsed()), (None, limit));
        let answer = async {
            // More than any jump of the clock would leave.
            sleep_until(begun + limit * 99).await;
        };
        let waited = Patience::with_threads(limit).wait(pin!(answer)).await;
        assert_eq!(waited, Some(()));
    }
}
