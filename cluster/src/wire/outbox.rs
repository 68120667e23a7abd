//! `[process]` What waits for one wire: the mailbox of its process, bounded in messages and bytes.

use super::figures::LaneFigures;
use super::rules::Room;
use crate::limits::FRAME_BYTES_MAX;
use crate::transport::{Class, Lane, Unsent};
use belay_runtime::{Address, Capacity, Mailbox, TrySendError};
use bytes::Bytes;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use tokio::sync::Notify;

/// Why a wire is closed by this end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closed {
    /// Something that must not be dropped found no room.
    Overflow,
    /// A newer wire of the same node took its place.
    Replaced,
    /// The node is no member any more, or this life of it is over.
    NotAMember,
    /// This node begins another life.
    NewLife,
}

impl Closed {
    pub(crate) fn why(self) -> &'static str {
        match self {
            Self::Overflow => "the node does not keep up: its queue was full",
            Self::Replaced => "replaced by a newer connection",
            Self::NotAMember => "the node, or this life of it, is over",
            Self::NewLife => "this node begins another life",
        }
    }
}

/// The sending end of a wire.
#[derive(Debug)]
pub(crate) struct Outbox {
    lane: Lane,
    room: Room,
    address: Address<Bytes>,
    /// Messages that are queued, and not yet in the buffer that is written. The mailbox does not
    /// count those that its process has taken out and still holds.
    messages: AtomicUsize,
    /// Their bytes.
    bytes: AtomicUsize,
    closed: OnceLock<Closed>,
    wake: Notify,
    figures: Arc<LaneFigures>,
    /// Of the node at the other end, once it is known.
    peer: OnceLock<Arc<LaneFigures>>,
}

impl Outbox {
    /// With the mailbox for the process of the wire.
    pub(crate) fn new(
        lane: Lane,
        room: Room,
        figures: &Arc<LaneFigures>,
    ) -> (Arc<Self>, Mailbox<Bytes>) {
        let mailbox = Mailbox::new(Capacity {
            messages: room.messages,
            reserved: room.owed_messages,
        });
        let outbox = Self {
            lane,
            room,
            address: mailbox.address(),
            messages: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
            closed: OnceLock::new(),
            wake: Notify::new(),
            figures: Arc::clone(figures),
            peer: OnceLock::new(),
        };
        (Arc::new(outbox), mailbox)
    }

    /// Queues a message, or closes the wire when it must not be dropped and finds no room.
    pub(crate) fn send(&self, class: Class, body: Bytes) -> Result<(), Unsent> {
        if body.len() > FRAME_BYTES_MAX {
            return Err(Unsent::TooLong);
        }
        if self.closed.get().is_some() {
            return Err(Unsent::NoWire);
        }
        let droppable = self.lane == Lane::Play && class == Class::Ambient;
        let length = body.len();
        let sent = if self.enter(droppable, length) {
            // Owed to whoever sits at the mailbox in any case: what may enter was decided here.
            let sent = self.address.try_send_owed(body);
            sent.map_err(|error| match error {
                TrySendError::Full(_) => Unsent::Full,
                TrySendError::Closed(_) => Unsent::NoWire,
            })
        } else {
            Err(Unsent::Full)
        };
        if let Err(unsent) = sent {
            self.taken(length);
            match unsent {
                Unsent::Full if droppable => self.count(|it| it.dropped.add(1)),
                Unsent::Full => {
                    self.count(|it| it.overflows.add(1));
                    self.close(Closed::Overflow);
                }
                Unsent::NoWire | Unsent::TooLong => {}
            }
        }
        sent
    }

    /// Counts a message in, and says whether there was room for it.
    fn enter(&self, droppable: bool, length: usize) -> bool {
        let owed = usize::from(!droppable);
        let owed_messages = usize::try_from(self.room.owed_messages).unwrap_or(usize::MAX);
        let messages_max = usize::try_from(self.room.messages).unwrap_or(usize::MAX);
        let messages = self.messages.fetch_add(1, Ordering::Relaxed) + 1;
        let bytes = self.bytes.fetch_add(length, Ordering::Relaxed) + length;
        messages <= messages_max + owed * owed_messages
            && bytes <= self.room.bytes + owed * self.room.owed_bytes
    }

    /// A queued message is in the buffer that is written, or dropped.
    pub(crate) fn taken(&self, length: usize) {
        self.messages.fetch_sub(1, Ordering::Relaxed);
        self.bytes.fetch_sub(length, Ordering::Relaxed);
    }

    /// It leads to the node of which this is counted.
    pub(crate) fn leads_to(&self, peer: Arc<LaneFigures>) {
        let _first = self.peer.set(peer);
    }

    /// Counts, of all nodes and of the one at the other end.
    pub(crate) fn count(&self, what: impl Fn(&LaneFigures)) {
        what(&self.figures);
        if let Some(peer) = self.peer.get() {
            what(peer);
        }
    }

    /// Messages that wait.
    pub(crate) fn len(&self) -> usize {
        self.messages.load(Ordering::Relaxed)
    }

    /// Has the process of the wire end it. The first reason stands.
    pub(crate) fn close(&self, why: Closed) {
        if self.closed.set(why).is_ok() {
            self.wake.notify_one();
        }
    }

    /// Why it is to end.
    pub(crate) fn is_closed(&self) -> Option<Closed> {
        self.closed.get().copied()
    }

    /// Waits until it is to end.
    pub(crate) async fn closed(&self) -> Closed {
        loop {
            if let Some(why) = self.is_closed() {
                return why;
            }
            self.wake.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::rules::Rules;

    const ROOM: Room = Room {
        messages: 2,
        bytes: 10,
        owed_messages: 2,
        owed_bytes: 10,
    };

    fn outbox(lane: Lane) -> Arc<Outbox> {
        Outbox::new(lane, ROOM, &Arc::default()).0
    }

    fn send(outbox: &Outbox, class: Class, length: usize) -> Result<(), Unsent> {
        outbox.send(class, vec![0; length].into())
    }

    #[test]
    fn ambient_messages_are_dropped_and_counted_when_there_are_too_many() {
        let outbox = outbox(Lane::Play);
        assert_eq!(send(&outbox, Class::Ambient, 1), Ok(()));
        assert_eq!(send(&outbox, Class::Ambient, 1), Ok(()));
        assert_eq!(send(&outbox, Class::Ambient, 1), Err(Unsent::Full));
        assert_eq!(
            (outbox.figures.dropped.get(), outbox.is_closed()),
            (1, None)
        );
    }

    #[test]
    fn ambient_messages_are_dropped_when_they_are_too_long_together() {
        let outbox = outbox(Lane::Play);
        assert_eq!(send(&outbox, Class::Ambient, 6), Ok(()));
        assert_eq!(send(&outbox, Class::Ambient, 5), Err(Unsent::Full));
        assert_eq!(send(&outbox, Class::Ambient, 4), Ok(()));
        assert_eq!(outbox.figures.dropped.get(), 1);
        assert_eq!(outbox.len(), 2);
        outbox.taken(6);
        assert_eq!(outbox.len(), 1);
        assert_eq!(send(&outbox, Class::Ambient, 6), Ok(()));
    }

    #[test]
    fn what_is_owed_has_room_of_its_own_and_closes_the_wire_when_that_is_full() {
        let outbox = outbox(Lane::Play);
        for _ in 0..2 {
            assert_eq!(send(&outbox, Class::Ambient, 5), Ok(()));
        }
        for _ in 0..2 {
            assert_eq!(send(&outbox, Class::Owed, 5), Ok(()));
        }
        assert_eq!(outbox.is_closed(), None);
        assert_eq!(send(&outbox, Class::Owed, 0), Err(Unsent::Full));
        assert_eq!(outbox.is_closed(), Some(Closed::Overflow));
        assert_eq!(send(&outbox, Class::Owed, 0), Err(Unsent::NoWire));
        assert_eq!(outbox.figures.overflows.get(), 1);
    }

    #[test]
    fn what_is_owed_is_bounded_in_bytes() {
        let outbox = outbox(Lane::Play);
        assert_eq!(send(&outbox, Class::Owed, 20), Ok(()));
        assert_eq!(send(&outbox, Class::Owed, 1), Err(Unsent::Full));
        assert_eq!(outbox.is_closed(), Some(Closed::Overflow));
    }

    #[test]
    fn a_control_wire_is_closed_by_what_finds_no_room_whatever_its_class() {
        for class in [Class::Ambient, Class::Owed] {
            let room = Room {
                owed_messages: 0,
                owed_bytes: 0,
                ..ROOM
            };
            for (length, fits) in [(1, 2), (6, 1)] {
                let (outbox, _) = Outbox::new(Lane::Control, room, &Arc::default());
                for _ in 0..fits {
                    assert_eq!(send(&outbox, class, length), Ok(()));
                }
                assert_eq!(send(&outbox, class, length), Err(Unsent::Full));
                assert_eq!(outbox.is_closed(), Some(Closed::Overflow));
            }
        }
    }

    #[test]
    fn a_message_over_the_length_of_a_frame_is_refused_and_nothing_else_happens() {
        let (outbox, _) = Outbox::new(Lane::Play, Rules::default().play.room, &Arc::default());
        for class in [Class::Ambient, Class::Owed] {
            assert_eq!(send(&outbox, class, FRAME_BYTES_MAX), Ok(()));
            let longer = send(&outbox, class, FRAME_BYTES_MAX + 1);
            assert_eq!(longer, Err(Unsent::TooLong));
        }
        assert_eq!(outbox.is_closed(), None);
    }
}
