//! `[process]` Mailboxes seen by what can be sent to them.

use std::task::Waker;

use crate::mailbox::{Cell, Class, Refused};
use crate::slot::Slot;

/// A mailbox whose messages can be made from `T`, whatever else they are.
pub(crate) trait Hears<T>: Slot {
    /// Queues a message made from `value`; the caller wakes the receiver, where it holds no lock.
    fn hear(&self, value: T, class: Class) -> Result<Option<Waker>, Deaf>;
}

/// Why a message was not queued. It is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deaf {
    Full,
    Closed,
}

impl<T, M: From<T> + Send + 'static> Hears<T> for Cell<M> {
    fn hear(&self, value: T, class: Class) -> Result<Option<Waker>, Deaf> {
        match self.enqueue(M::from(value), class) {
            Ok(waker) => Ok(waker),
            Err(Refused::Full(_)) => Err(Deaf::Full),
            Err(Refused::Closed(_)) => Err(Deaf::Closed),
        }
    }
}
