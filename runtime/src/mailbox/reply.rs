//! `[process]` Requests that are answered.

use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use tokio::sync::oneshot;

use super::address::Address;
use crate::patience::Patience;

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
    /// Busy: there was no room in the mailbox before the deadline. The request was never taken:
    /// it can be repeated.
    #[error("no room within the deadline")]
    NoRoom,
    /// Busy: the request was taken, and the deadline passed before the answer. It may still be
    /// carried out: repeat it only when carrying it out twice does no harm.
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
    let (sender, mut answer) = oneshot::channel();
    let request = make(Reply { sender });
    let mut patience = Patience::new(deadline);
    let mut sending = address.sending(request);
    match patience.wait(Pin::new(&mut sending)).await {
        Some(sent) => sent.or(Err(CallError::Closed))?,
        None => return Err(CallError::NoRoom),
    }
    match patience.wait(Pin::new(&mut answer)).await {
        Some(answer) => answer.or(Err(CallError::Dropped)),
        None => Err(CallError::Timeout),
    }
}
