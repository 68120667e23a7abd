//! `[process]` Mailboxes and the addresses of them.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use super::cell::Cell;
use super::lane::{Capacity, Class, Refused};
use super::reply::{self, CallError, Reply};
use super::send::Sending;
use crate::kind::{Kind, Kinds};
use crate::patience::Patience;
use crate::process_ref::ProcessRef;
use crate::slot::Slot;

/// The receiving end of a process: a bounded queue that outlives its incarnations.
///
/// A mailbox is made first and handed to the [`ChildSpec`](crate::ChildSpec) of the process that
/// will read it, so that addresses can be given out before the process runs, and stay good when
/// it restarts. What is sent before the start, or between two incarnations, waits in the queue.
/// When the child ends for good, the mailbox is closed; starting a child on it opens it again.
///
/// One allocation holds everything; the queue itself allocates nothing before the first message.
/// The process takes the whole queue at once and handles it message by message. The messages of
/// a taken batch do not count against the capacity, so at most twice the capacity is in memory.
pub struct Mailbox<M> {
    cell: Arc<Cell<M>>,
}

impl<M: Send + 'static> Mailbox<M> {
    /// An empty, open mailbox.
    pub fn new(capacity: Capacity) -> Self {
        Self {
            cell: Arc::new(Cell::new(capacity, None)),
        }
    }

    /// An empty, open mailbox that notes the [kind](Kind) of each message handed to the process,
    /// for reports.
    pub fn with_kinds(capacity: Capacity) -> Self
    where
        M: Kind,
    {
        Self {
            cell: Arc::new(Cell::new(capacity, Some(Kinds::of_type()))),
        }
    }

    /// Where to send to.
    pub fn address(&self) -> Address<M> {
        Address {
            cell: Arc::clone(&self.cell),
        }
    }

    /// Refuses messages from now on and drops those that are queued.
    ///
    /// A process that is running on it goes on running; nothing will come any more.
    pub fn close(&self) {
        self.cell.close();
    }

    pub(crate) fn cell(&self) -> &Arc<Cell<M>> {
        &self.cell
    }
}

impl<M> Clone for Mailbox<M> {
    fn clone(&self) -> Self {
        Self {
            cell: Arc::clone(&self.cell),
        }
    }
}

impl<M> fmt::Debug for Mailbox<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mailbox").finish_non_exhaustive()
    }
}

/// Where to send messages to.
///
/// Cheap to clone. Names the mailbox, not the incarnation: after a restart the same address
/// reaches the new one. Two addresses are equal when they are of the same mailbox.
///
/// ```
/// use belay_runtime::{Capacity, Mailbox, TrySendError};
///
/// let mailbox = Mailbox::new(Capacity { messages: 1, reserved: 1 });
/// let address = mailbox.address();
/// address.try_send("ambient").unwrap();
/// assert!(matches!(address.try_send("more"), Err(TrySendError::Full("more"))));
/// address.try_send_owed("an answer").unwrap();
/// mailbox.close();
/// assert!(matches!(address.try_send("late"), Err(TrySendError::Closed("late"))));
/// ```
pub struct Address<M> {
    cell: Arc<Cell<M>>,
}

impl<M: Send + 'static> Address<M> {
    pub(crate) fn of(cell: &Arc<Cell<M>>) -> Self {
        Self {
            cell: Arc::clone(cell),
        }
    }

    pub(crate) fn cell(&self) -> &Arc<Cell<M>> {
        &self.cell
    }

    /// Sends without waiting.
    ///
    /// # Errors
    /// [`TrySendError::Full`] (busy) when all slots for messages of any kind are taken;
    /// [`TrySendError::Closed`] (refused) when the process ended for good. Both give the message
    /// back.
    pub fn try_send(&self, message: M) -> Result<(), TrySendError<M>> {
        self.cell
            .push(message, Class::Ambient)
            .map_err(TrySendError::from)
    }

    /// Sends without waiting, and may use the reserved slots.
    ///
    /// For what the process is owed: answers to its own requests. It must have no more requests
    /// outstanding than [`Capacity::reserved`], then this never fails for lack of room.
    ///
    /// # Errors
    /// As [`Address::try_send`]; [`TrySendError::Full`] when the reserved slots are taken as well.
    pub fn try_send_owed(&self, message: M) -> Result<(), TrySendError<M>> {
        self.cell
            .push(message, Class::Owed)
            .map_err(TrySendError::from)
    }

    /// Sends, waiting for room.
    ///
    /// Waiting senders are let in in order, but a [`try_send`](Address::try_send) may come first.
    ///
    /// # Errors
    /// [`SendError`] (refused) with the message when the process ended for good, also while
    /// waiting.
    ///
    /// # Cancel safety
    /// When the future is dropped before it is ready, the message was not sent and is dropped;
    /// the next in line is let in instead.
    pub async fn send(&self, message: M) -> Result<(), SendError<M>> {
        Sending::new(&self.cell, message).await
    }

    /// Sends, waiting for room no longer than `deadline`.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use belay_runtime::{Capacity, Mailbox, SendWithinError};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let mailbox = Mailbox::new(Capacity::new(1));
    /// let (address, soon) = (mailbox.address(), Duration::from_millis(20));
    /// assert!(address.send_within("first", soon).await.is_ok());
    /// let refused = address.send_within("second", soon).await;
    /// assert!(matches!(refused, Err(SendWithinError::TimedOut("second"))));
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`SendWithinError::TimedOut`] (busy) when there was no room before the deadline,
    /// [`SendWithinError::Closed`] (refused) when the process ended for good. Both give the message
    /// back.
    ///
    /// # Cancel safety
    /// As [`Address::send`].
    pub async fn send_within(
        &self,
        message: M,
        deadline: Duration,
    ) -> Result<(), SendWithinError<M>> {
        let mut sending = self.sending(message);
        match Patience::new(deadline).wait(Pin::new(&mut sending)).await {
            Some(sent) => sent.map_err(|SendError(back)| SendWithinError::Closed(back)),
            None => match sending.take_back() {
                Some(back) => Err(SendWithinError::TimedOut(back)),
                None => Ok(()),
            },
        }
    }

    pub(super) fn sending(&self, message: M) -> Sending<'_, M> {
        Sending::new(&self.cell, message)
    }

    /// Sends a request made around a [`Reply`] and waits for the answer.
    ///
    /// The deadline covers both, waiting for room and waiting for the answer. Call only towards
    /// processes that do not call back: two that call each other wait until their deadlines, and so
    /// does one that calls itself.
    ///
    /// # Errors
    /// [`CallError::NoRoom`] (busy: the request was never taken), [`CallError::Timeout`] (busy: it
    /// was), [`CallError::Closed`] (refused), or [`CallError::Dropped`] (bug in the callee, or it
    /// crashed over this very request).
    ///
    /// # Cancel safety
    /// Dropping the future before it is ready gives up the answer; the request may have been
    /// sent, and its [`Reply::is_abandoned`] says so.
    pub async fn call<R: Send>(
        &self,
        deadline: Duration,
        make: impl FnOnce(Reply<R>) -> M,
    ) -> Result<R, CallError> {
        reply::call(self, deadline, make).await
    }

    /// The process that runs on the mailbox, to monitor it, link to it, trace it, or end it;
    /// `None` before it was started and after it has ended for good.
    ///
    /// What `GenServer.whereis` is for who has a name, and the way to a child of a static
    /// supervisor from outside. Between two incarnations the process is there as well.
    ///
    /// ```
    /// # use belay_runtime::*;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let mailbox = Mailbox::<()>::new(Capacity::new(1));
    /// let address = mailbox.address();
    /// assert_eq!(address.process(), None);
    /// let quiet = |ctx: Context<()>| async move {
    ///     ctx.stopping().await;
    ///     Ok(())
    /// };
    /// let spec = ChildSpec::body("quiet", &mailbox, quiet);
    /// let node = Node::start(Supervisor::builder("node").child(spec)).await.unwrap();
    /// let process = address.process().unwrap();
    /// assert_eq!(process.name(), "quiet");
    /// node.stop(std::time::Duration::from_secs(1)).await;
    /// assert!(!process.is_alive());
    /// assert_eq!(address.process(), None);
    /// # }
    /// ```
    pub fn process(&self) -> Option<ProcessRef> {
        ProcessRef::living_on(Arc::<Cell<M>>::clone(&self.cell))
    }

    /// Messages queued now, without those of the batch that is being handled.
    pub fn len(&self) -> usize {
        self.cell.depth().len
    }

    /// True when nothing is queued.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The most messages that were ever queued.
    pub fn high_water(&self) -> usize {
        self.cell.depth().high_water as usize
    }

    /// Messages that were refused for lack of room since the beginning, also attempts of senders
    /// that then waited; stays at `u32::MAX` once it is there. A receiver that sees it grow knows
    /// that it missed something.
    pub fn refused(&self) -> u32 {
        self.cell.depth().refused
    }

    /// True when messages are refused because the process ended for good.
    pub fn is_closed(&self) -> bool {
        self.cell.is_closed()
    }
}

impl<M> Clone for Address<M> {
    fn clone(&self) -> Self {
        Self {
            cell: Arc::clone(&self.cell),
        }
    }
}

impl<M> fmt::Debug for Address<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({:p})", Arc::as_ptr(&self.cell))
    }
}

impl<M> PartialEq for Address<M> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.cell, &other.cell)
    }
}

impl<M> Eq for Address<M> {}

impl<M> Hash for Address<M> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.cell).hash(state);
    }
}

/// A message that was not sent, given back.
#[derive(thiserror::Error)]
pub enum TrySendError<M> {
    /// Busy: there is no room now.
    #[error("mailbox is full")]
    Full(M),
    /// Refused: the process ended for good.
    #[error("mailbox is closed")]
    Closed(M),
}

/// A message that was not sent before its deadline, given back.
#[derive(thiserror::Error)]
pub enum SendWithinError<M> {
    /// Busy: there was no room before the deadline.
    #[error("no room within the deadline")]
    TimedOut(M),
    /// Refused: the process ended for good.
    #[error("mailbox is closed")]
    Closed(M),
}

impl<M> SendWithinError<M> {
    /// The message.
    pub fn into_inner(self) -> M {
        match self {
            Self::TimedOut(message) | Self::Closed(message) => message,
        }
    }
}

impl<M> fmt::Debug for SendWithinError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TimedOut(_) => "TimedOut(..)",
            Self::Closed(_) => "Closed(..)",
        })
    }
}

impl<M> TrySendError<M> {
    /// The message.
    pub fn into_inner(self) -> M {
        match self {
            Self::Full(message) | Self::Closed(message) => message,
        }
    }
}

impl<M> From<Refused<M>> for TrySendError<M> {
    fn from(refused: Refused<M>) -> Self {
        match refused {
            Refused::Full(message) => Self::Full(message),
            Refused::Closed(message) => Self::Closed(message),
        }
    }
}

impl<M> fmt::Debug for TrySendError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "Full(..)",
            Self::Closed(_) => "Closed(..)",
        })
    }
}

/// Refused: the process ended for good. Gives the message back.
#[derive(thiserror::Error)]
#[error("mailbox is closed")]
pub struct SendError<M>(pub M);

impl<M> fmt::Debug for SendError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SendError(..)")
    }
}
