//! `[process]` The one allocation behind a mailbox: its queue, its wakers, and the control block of
//! the process that lives on it.
//!
//! Two locks, never held together: `inbox` here (messages and wakers) and the one in
//! [`Core`](crate::slot::Core) (identity, signals, life cycle). Nothing of the user's runs under
//! either: wakers are woken and messages dropped after the lock is released, because both may
//! come back to this very mailbox.

use std::collections::{BTreeMap, VecDeque};
use std::task::{Context as TaskContext, Poll, Waker};

use smallvec::SmallVec;

use super::lane::{Capacity, Class, Lane, Refused};
use crate::guard;
use crate::kind::{self, Kinds};
use crate::slot::{Core, Slot};
use crate::sync::{Mutex, MutexGuard, PoisonError};

type Wakers = SmallVec<[Waker; 4]>;

/// What the tree shows of a mailbox.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Depth {
    pub(crate) len: usize,
    pub(crate) high_water: u32,
    pub(crate) refused: u32,
    pub(crate) capacity: Capacity,
    pub(crate) taken: u64,
}

pub(crate) struct Cell<M> {
    core: Core,
    kinds: Option<Kinds<M>>,
    inbox: Mutex<Inbox<M>>,
}

struct Inbox<M> {
    lane: Lane<M>,
    /// Of the task the process runs in.
    task: Option<Waker>,
    parked: Parked,
    rare: Option<Box<Rare>>,
}

/// Whether the process waits for messages, and how it wants to be woken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parked {
    No,
    /// By the waker of its task.
    Task,
    /// By a waker of its own, because it waits inside a combinator that brings one.
    Other,
}

/// What few mailboxes need. Kept once it is there, because a sender that was called keeps its
/// place, and a place must never be given to two.
#[derive(Default)]
struct Rare {
    /// The waker that [`Parked::Other`] speaks of.
    other: Option<Waker>,
    next: u64,
    /// Senders that wait for room, in order of arrival.
    waiting: BTreeMap<u64, Waker>,
}

/// The place in line of a sender that waits for room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place(u64);

impl<M: Send + 'static> Cell<M> {
    pub(crate) fn new(capacity: Capacity, kinds: Option<Kinds<M>>) -> Self {
        Self {
            core: Core::new(),
            kinds,
            inbox: Mutex::new(Inbox {
                lane: Lane::new(capacity),
                task: None,
                parked: Parked::No,
                rare: None,
            }),
        }
    }

    pub(crate) fn push(&self, message: M, class: Class) -> Result<(), Refused<M>> {
        wake(self.enqueue(message, class)?);
        Ok(())
    }

    /// Pushes without waking: the caller wakes, where it holds no lock.
    #[inline]
    pub(crate) fn enqueue(&self, message: M, class: Class) -> Result<Option<Waker>, Refused<M>> {
        let mut inbox = self.lock();
        inbox.lane.push(message, class)?;
        Ok(inbox.unpark())
    }

    /// Pushes `message`, or takes a place in line (keeping the one it has) and leaves it there.
    pub(crate) fn poll_push(
        &self,
        cx: &mut TaskContext<'_>,
        message: &mut Option<M>,
        place: &mut Option<Place>,
    ) -> Poll<Result<(), M>> {
        let waker = {
            let mut inbox = self.lock();
            let Some(taken) = message.take() else {
                return Poll::Ready(Ok(()));
            };
            match inbox.lane.push(taken, Class::Ambient) {
                Ok(()) => {
                    inbox.leave_line(place.take());
                    inbox.unpark()
                }
                Err(Refused::Closed(back)) => {
                    inbox.leave_line(place.take());
                    return Poll::Ready(Err(back));
                }
                Err(Refused::Full(back)) => {
                    *message = Some(back);
                    inbox.wait_in_line(place, cx.waker());
                    return Poll::Pending;
                }
            }
        };
        wake(waker);
        Poll::Ready(Ok(()))
    }

    /// Gives up a place in line. A sender that was woken and goes away hands its turn on.
    pub(crate) fn give_up(&self, place: Place) {
        let next = {
            let mut inbox = self.lock();
            if inbox.leave_line(Some(place)) {
                Wakers::new()
            } else {
                inbox.called(1)
            }
        };
        next.into_iter().for_each(Waker::wake);
    }

    /// Notes the kind of a message that is handed to the process.
    #[inline]
    pub(crate) fn note_kind(&self, message: &M) {
        if let Some(kinds) = &self.kinds {
            self.core.note_kind(kinds.index(message));
        }
    }

    /// Takes all that is queued, or arranges to be woken.
    pub(crate) fn poll_take(&self, cx: &mut TaskContext<'_>, batch: &mut VecDeque<M>) -> Poll<()> {
        let senders = {
            let mut inbox = self.lock();
            if !inbox.lane.take(batch) {
                inbox.park(cx.waker());
                return Poll::Pending;
            }
            inbox.parked = Parked::No;
            inbox.called(usize::MAX)
        };
        senders.into_iter().for_each(Waker::wake);
        Poll::Ready(())
    }

    /// Takes all that is queued; does not wait.
    pub(crate) fn try_take(&self, batch: &mut VecDeque<M>) {
        let senders = {
            let mut inbox = self.lock();
            inbox.lane.take(batch);
            inbox.called(usize::MAX)
        };
        senders.into_iter().for_each(Waker::wake);
    }

    /// Arranges to be woken by signals and messages; takes nothing.
    pub(crate) fn park(&self, cx: &mut TaskContext<'_>) {
        self.lock().park(cx.waker());
    }

    /// Drops what is left of a batch.
    pub(crate) fn discard(&self, batch: VecDeque<M>) {
        drop_messages(batch);
    }

    pub(crate) fn put_back(&self, batch: VecDeque<M>) {
        let refused = self.lock().lane.put_back(batch);
        drop_messages(refused.unwrap_or_default());
    }

    /// Remembers the waker of the task that the process runs in.
    pub(crate) fn set_task(&self, waker: Option<Waker>) {
        let old = std::mem::replace(&mut self.lock().task, waker);
        drop(old);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.lock().lane.is_closed()
    }

    fn lock(&self) -> MutexGuard<'_, Inbox<M>> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<M> Inbox<M> {
    fn park(&mut self, waker: &Waker) {
        self.parked = match &self.task {
            Some(task) if task.will_wake(waker) => Parked::Task,
            Some(_) | None => {
                self.rare.get_or_insert_default().other = Some(waker.clone());
                Parked::Other
            }
        };
    }

    fn unpark(&mut self) -> Option<Waker> {
        match std::mem::replace(&mut self.parked, Parked::No) {
            Parked::No => None,
            Parked::Task => self.task.clone(),
            Parked::Other => self.rare.as_mut().and_then(|rare| rare.other.take()),
        }
    }

    fn wait_in_line(&mut self, place: &mut Option<Place>, waker: &Waker) {
        let rare = self.rare.get_or_insert_default();
        let place = *place.get_or_insert_with(|| {
            rare.next += 1;
            Place(rare.next)
        });
        rare.waiting.insert(place.0, waker.clone());
    }

    /// True when the place was still waiting.
    fn leave_line(&mut self, place: Option<Place>) -> bool {
        let (Some(place), Some(rare)) = (place, &mut self.rare) else {
            return false;
        };
        rare.waiting.remove(&place.0).is_some()
    }

    /// The first in line, as many as there is room for, at most `most`.
    fn called(&mut self, most: usize) -> Wakers {
        let room = self.lane.room().min(most);
        let mut wakers = Wakers::new();
        let Some(rare) = &mut self.rare else {
            return wakers;
        };
        while wakers.len() < room
            && let Some((_, waker)) = rare.waiting.pop_first()
        {
            wakers.push(waker);
        }
        wakers
    }
}

impl<M: Send + 'static> Slot for Cell<M> {
    fn core(&self) -> &Core {
        &self.core
    }

    fn wake(&self) {
        let (task, other) = {
            let mut inbox = self.lock();
            let other = match inbox.parked {
                Parked::No | Parked::Task => None,
                Parked::Other => inbox.unpark(),
            };
            inbox.parked = Parked::No;
            (inbox.task.clone(), other)
        };
        wake(other);
        wake(task);
    }

    fn open(&self) {
        self.lock().lane.reopen();
    }

    fn close(&self) {
        let (messages, senders) = {
            let mut inbox = self.lock();
            let senders = inbox
                .rare
                .as_mut()
                .map(|rare| std::mem::take(&mut rare.waiting));
            (inbox.lane.close(), senders)
        };
        for waker in senders.into_iter().flat_map(BTreeMap::into_values) {
            waker.wake();
        }
        drop_messages(messages);
    }

    fn clear(&self) {
        let (messages, senders) = {
            let mut inbox = self.lock();
            (inbox.lane.clear(), inbox.called(usize::MAX))
        };
        senders.into_iter().for_each(Waker::wake);
        drop_messages(messages);
    }

    fn last_kind(&self) -> Option<&'static str> {
        match &self.kinds {
            Some(kinds) => kinds.name(self.core.kind()),
            None => (self.lock().lane.taken() > 0).then(kind::of_type::<M>),
        }
    }

    fn depth(&self) -> Depth {
        let inbox = self.lock();
        Depth {
            len: inbox.lane.len(),
            high_water: inbox.lane.high_water(),
            refused: inbox.lane.refused(),
            capacity: inbox.lane.capacity(),
            taken: inbox.lane.taken(),
        }
    }
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// Drops messages one by one, so that one whose drop panics does not take the others' caller down.
fn drop_messages<M>(messages: VecDeque<M>) {
    for message in messages {
        // A crash here is the message's, not the process's: there is nobody to restart.
        drop(guard::call(|| drop(message)));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;

    /// A sender that waits for room, and how often it was woken.
    #[derive(Default)]
    struct Waiting(AtomicUsize);

    impl Wake for Waiting {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::AcqRel);
        }
    }

    #[test]
    fn regression_a_place_in_line_is_not_given_to_two_after_a_close() {
        let cell = Cell::new(Capacity::new(1), None);
        let senders = [0, 1].map(|_| Arc::new(Waiting::default()));
        let mut places = [None, None];
        let mut wait = |number: usize| {
            let waker = Waker::from(Arc::clone(&senders[number]));
            let mut cx = TaskContext::from_waker(&waker);
            let polled = cell.poll_push(&mut cx, &mut Some(number), &mut places[number]);
            assert_eq!(polled, Poll::Pending);
        };
        assert_eq!(cell.push(7, Class::Ambient), Ok(()));
        wait(0);
        cell.close();
        cell.open();
        assert_eq!(cell.push(8, Class::Ambient), Ok(()));
        wait(1);
        wait(0);
        for sender in &senders {
            sender.0.store(0, Ordering::Release);
        }
        let mut batch = VecDeque::new();
        cell.try_take(&mut batch);
        // One of them gets the room; when it goes away, the other's turn has come.
        cell.give_up(places[0].take().expect("it waits"));
        let woken = senders
            .each_ref()
            .map(|sender| sender.0.load(Ordering::Acquire));
        assert_eq!(woken, [1, 1]);
    }
}
