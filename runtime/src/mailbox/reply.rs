//! `[process]` Requests that are answered.

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::yield_now;
use tokio::time::{Instant, sleep_until};

use super::address::Address;

/// The right, and the duty, to answer one call.
///
/// Dropping it unanswered tells the caller [`CallError::Dropped`].
pub struct Reply<R> {
    sender: oneshot::Sender<R>,
}

impl<R> Reply<R> {
    /// Answers.
    ///
    /// # Errors
    /// Gives the value back when the caller does not wait any more.
    pub fn send(self, value: R) -> Result<(), R> {
        self.sender.send(value)
    }

    /// True when the caller does not wait any more, so that the work can be saved.
    pub fn is_abandoned(&self) -> bool {
        self.sender.is_closed()
    }
}

impl<R> fmt::Debug for Reply<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply").finish_non_exhaustive()
    }
}

/// Why a call has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// Busy: the deadline passed. The request may still be carried out.
    #[error("no answer within the deadline")]
    Timeout,
    /// Refused: the process ended for good before it took the request.
    #[error("mailbox is closed")]
    Closed,
    /// Bug: the process took the request and dropped it, usually because it crashed.
    #[error("request was dropped unanswered")]
    Dropped,
}

pub(crate) async fn call<M: Send + 'static, R: Send>(
    address: &Address<M>,
    deadline: Duration,
    make: impl FnOnce(Reply<R>) -> M,
) -> Result<R, CallError> {
    let (sender, answer) = oneshot::channel();
    let request = make(Reply { sender });
    let exchange = async {
        address.send(request).await.or(Err(CallError::Closed))?;
        answer.await.or(Err(CallError::Dropped))
    };
    // An answer usually comes before the timer is worth its price: the first time there is none,
    // the caller only asks to be looked at again after all that is ready has run.
    let (mut exchange, mut timer) = (pin!(exchange), pin!(None));
    let at = Instant::now().checked_add(deadline);
    let mut waited = false;
    poll_fn(|cx| {
        if let Poll::Ready(outcome) = exchange.as_mut().poll(cx) {
            return Poll::Ready(outcome);
        }
        if !std::mem::replace(&mut waited, true) && pin!(yield_now()).poll(cx).is_pending() {
            return Poll::Pending;
        }
        if timer.is_none() {
            timer.set(at.map(sleep_until));
        }
        match timer.as_mut().as_pin_mut() {
            Some(timer) => timer.poll(cx).map(|()| Err(CallError::Timeout)),
            None => Poll::Pending,
        }
    })
    .await
}
