//! `[process]` The timers of one incarnation: messages to itself, later.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use crate::guard;
use crate::limits::TIMERS_MAX;

/// A timer that was set; good for cancelling it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimerId {
    at: Instant,
    number: u64,
}

/// Pending timers, earliest first; one tokio timer for all of them.
///
/// Timers due at the same instant fire in the order in which they were set.
pub(crate) struct Timers<M> {
    pending: BTreeMap<TimerId, M>,
    next: u64,
    sleep: Pin<Box<Sleep>>,
}

impl<M> Timers<M> {
    pub(crate) fn new() -> Self {
        Self {
            pending: BTreeMap::new(),
            next: 0,
            sleep: Box::pin(sleep_until(Instant::now())),
        }
    }

    pub(crate) fn set(&mut self, delay: Duration, message: M) -> TimerId {
        assert!(
            self.pending.len() < TIMERS_MAX,
            "a process has too many timers"
        );
        let now = Instant::now();
        // Thirty years stand for ever, as in tokio.
        let at = now
            .checked_add(delay)
            .unwrap_or(now + Duration::from_secs(86_400 * 365 * 30));
        self.next += 1;
        let id = TimerId {
            at,
            number: self.next,
        };
        self.pending.insert(id, message);
        id
    }

    pub(crate) fn cancel(&mut self, id: TimerId) -> Option<M> {
        self.pending.remove(&id)
    }

    /// The message of a timer that is due now.
    pub(crate) fn due(&mut self) -> Option<M> {
        let first = self.pending.first_entry()?;
        (first.key().at <= Instant::now()).then(|| first.remove())
    }

    /// The message of the next timer that is due, or arranges to be woken for it.
    pub(crate) fn poll(&mut self, cx: &mut TaskContext<'_>) -> Poll<M> {
        loop {
            if let Some(message) = self.due() {
                return Poll::Ready(message);
            }
            let Some((id, _)) = self.pending.first_key_value() else {
                return Poll::Pending;
            };
            if self.sleep.deadline() != id.at || self.sleep.is_elapsed() {
                self.sleep.as_mut().reset(id.at);
            }
            if self.sleep.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
        }
    }
}

/// Drops the messages one by one: it may be a panic that ends the incarnation, and a message whose
/// drop panics would then end the program.
impl<M> Drop for Timers<M> {
    fn drop(&mut self) {
        while let Some((_, message)) = self.pending.pop_first() {
            drop(guard::call(|| drop(message)));
        }
    }
}
