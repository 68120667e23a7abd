//! `[process]` Waiting for room in a mailbox.

use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use super::address::SendError;
use super::cell::{Cell, Place};

/// The future of [`Address::send`](crate::Address::send).
pub(crate) struct Sending<'a, M: Send + 'static> {
    cell: &'a Cell<M>,
    message: Option<M>,
    place: Option<Place>,
}

impl<'a, M: Send + 'static> Sending<'a, M> {
    pub(crate) fn new(cell: &'a Cell<M>, message: M) -> Self {
        Self {
            cell,
            message: Some(message),
            place: None,
        }
    }

    /// The message, when it was not sent; gives up the place in line.
    pub(crate) fn take_back(mut self) -> Option<M> {
        self.message.take()
    }
}

/// Nothing in it is pinned: the message is moved, never polled.
impl<M: Send + 'static> Unpin for Sending<'_, M> {}

impl<M: Send + 'static> Future for Sending<'_, M> {
    type Output = Result<(), SendError<M>>;

    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        this.cell
            .poll_push(cx, &mut this.message, &mut this.place)
            .map_err(SendError)
    }
}

impl<M: Send + 'static> Drop for Sending<'_, M> {
    fn drop(&mut self) {
        if let Some(place) = self.place.take() {
            self.cell.give_up(place);
        }
    }
}
