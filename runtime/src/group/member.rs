//! `[process]` The members of a group, and sending to them.

use std::fmt;
use std::ptr::addr_eq;
use std::sync::Arc;
use std::task::Waker;

use super::hears::{Deaf, Hears};
use crate::mailbox::{Class, TrySendError};
use crate::pid::Pid;
use crate::process_ref::ProcessRef;
use crate::signal;
use crate::slot::Slot;

/// A process in a group.
pub struct Member<T> {
    pub(super) to: Arc<dyn Hears<T>>,
    pub(super) pid: Pid,
}

/// What became of a broadcast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use = "it says how many missed the value"]
pub struct Delivery {
    /// Members that have the value in their mailbox.
    pub delivered: usize,
    /// Members that missed it because their mailbox was full.
    pub full: usize,
    /// Members that missed it because they have ended for good.
    pub closed: usize,
}

/// Sends a clone to each.
pub(super) fn deliver<T: Clone + 'static>(
    members: &[Member<T>],
    value: T,
    without: Option<Pid>,
) -> Delivery {
    let mut delivery = Delivery::default();
    for member in members {
        if Some(member.pid) == without {
            continue;
        }
        match member.hear(value.clone()) {
            Ok(()) => delivery.delivered += 1,
            Err(Deaf::Full) => delivery.full += 1,
            Err(Deaf::Closed) => delivery.closed += 1,
        }
    }
    delivery
}

/// Sends to one: the one whose turn it is, or the next that has room.
pub(super) fn send_any<T: Clone + 'static>(
    members: &[Member<T>],
    turn: usize,
    value: T,
) -> Result<(), TrySendError<T>> {
    let first = turn.checked_rem(members.len()).unwrap_or(0);
    let (before, after) = members.split_at(first);
    let mut full = false;
    for member in after.iter().chain(before) {
        match member.hear(value.clone()) {
            Ok(()) => return Ok(()),
            Err(Deaf::Full) => full = true,
            Err(Deaf::Closed) => {}
        }
    }
    Err(if full {
        TrySendError::Full(value)
    } else {
        TrySendError::Closed(value)
    })
}

impl<T: 'static> Member<T> {
    fn hear(&self, value: T) -> Result<(), Deaf> {
        let waker = self.to.hear(value, Class::Ambient)?;
        waker.into_iter().for_each(Waker::wake);
        Ok(())
    }
}

impl<T: 'static> Member<T> {
    /// Its pid.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// The process, to monitor it, link to it, or end it.
    pub fn process(&self) -> ProcessRef {
        let slot: Arc<dyn Slot> = self.to.clone();
        signal::reference(&slot, self.pid).0
    }

    /// Sends it a clone of `value`, without waiting.
    ///
    /// # Errors
    /// As [`Address::try_send`](crate::Address::try_send).
    pub fn try_send(&self, value: T) -> Result<(), TrySendError<T>>
    where
        T: Clone,
    {
        match self.hear(value.clone()) {
            Ok(()) => Ok(()),
            Err(Deaf::Full) => Err(TrySendError::Full(value)),
            Err(Deaf::Closed) => Err(TrySendError::Closed(value)),
        }
    }
}

impl<T> Clone for Member<T> {
    fn clone(&self) -> Self {
        Self {
            to: Arc::clone(&self.to),
            pid: self.pid,
        }
    }
}

impl<T> fmt::Debug for Member<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Member({})", self.pid)
    }
}

impl<T> PartialEq for Member<T> {
    fn eq(&self, other: &Self) -> bool {
        self.pid == other.pid && addr_eq(Arc::as_ptr(&self.to), Arc::as_ptr(&other.to))
    }
}

impl<T> Eq for Member<T> {}

impl Delivery {
    /// Members that missed it.
    pub fn missed(self) -> usize {
        self.full + self.closed
    }
}
