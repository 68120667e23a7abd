//! `[process]` Models of the queue: nothing is lost or doubled, and nobody waits for ever.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use loom::future::block_on;
use loom::thread;

use super::{Seat, check, poll_once};
use crate::mailbox::{Capacity, Mailbox, TrySendError};
use crate::slot::Slot;

#[test]
fn what_is_pushed_is_taken_once_and_in_order() {
    check(3, || {
        let seat = Seat::new(Capacity::new(4));
        let senders = [10, 20].map(|first| {
            let address = seat.address();
            thread::spawn(move || {
                address.try_send(first).unwrap();
                address.try_send(first + 1).unwrap();
            })
        });
        let mut ctx = seat.context();
        let mut messages = seat.messages(&mut ctx, 4);
        for sender in senders {
            sender.join().unwrap();
        }
        messages.sort_by_key(|message| message / 10);
        assert_eq!(messages, [10, 11, 20, 21]);
        assert!(ctx.try_next().is_none());
    });
}

#[test]
fn a_sender_that_waits_for_room_gets_in() {
    check(3, || {
        let seat = Seat::new(Capacity::new(1));
        let address = seat.address();
        let sender = thread::spawn(move || {
            for message in 1..=3 {
                block_on(address.send(message)).unwrap();
            }
        });
        let messages = seat.messages(&mut seat.context(), 3);
        sender.join().unwrap();
        assert_eq!(messages, [1, 2, 3]);
    });
}

#[test]
fn two_senders_that_wait_for_room_both_get_in() {
    check(2, || {
        let seat = Seat::new(Capacity::new(1));
        seat.address().try_send(0).unwrap();
        let senders = [1, 2].map(|message| {
            let address = seat.address();
            thread::spawn(move || block_on(address.send(message)).unwrap())
        });
        let mut messages = seat.messages(&mut seat.context(), 3);
        for sender in senders {
            sender.join().unwrap();
        }
        messages.sort_unstable();
        assert_eq!(messages, [0, 1, 2]);
    });
}

#[test]
fn a_sender_that_gives_up_hands_its_turn_on() {
    check(2, || {
        let seat = Seat::new(Capacity::new(1));
        seat.address().try_send(0).unwrap();
        let (leaving, staying) = (seat.address(), seat.address());
        // Sent if there is room at once, else dropped while in line, called or not.
        let leaves = thread::spawn(move || poll_once(leaving.send(1)).is_ready());
        let stays = thread::spawn(move || block_on(staying.send(2)).unwrap());
        let mut ctx = seat.context();
        let first = seat.messages(&mut ctx, 1);
        let left = leaves.join().unwrap();
        let rest = seat.messages(&mut ctx, if left { 2 } else { 1 });
        stays.join().unwrap();
        assert_eq!(first, [0]);
        assert_eq!((rest.contains(&1), rest.contains(&2)), (left, true));
    });
}

/// Counts that it is dropped.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn closing_lets_everybody_go_and_drops_each_message_once() {
    check(3, || {
        let dropped = Arc::new(AtomicUsize::new(0));
        let message = || Counted(Arc::clone(&dropped));
        let mailbox = Mailbox::new(Capacity::new(1));
        let address = mailbox.address();
        address.try_send(message()).unwrap();
        let waiting = (address.clone(), message());
        let waits = thread::spawn(move || {
            // Nobody takes anything, so there is room only once the mailbox is closed.
            drop(block_on(waiting.0.send(waiting.1)).unwrap_err());
        });
        let pushing = (address.clone(), message());
        let pushes = thread::spawn(move || {
            let refused = pushing.0.try_send(pushing.1).unwrap_err();
            matches!(refused, TrySendError::Closed(_))
        });
        mailbox.close();
        assert!(address.is_closed());
        waits.join().unwrap();
        pushes.join().unwrap();
        assert_eq!((address.len(), dropped.load(Ordering::Relaxed)), (0, 3));
    });
}

#[test]
fn senders_that_wait_over_a_close_and_a_reopening_are_let_go_or_in() {
    check(2, || {
        let seat = Seat::new(Capacity::new(2));
        seat.address().try_send(0).unwrap();
        seat.address().try_send(0).unwrap();
        let senders = [1, 2].map(|message| {
            let address = seat.address();
            thread::spawn(move || block_on(address.send(message)).is_ok())
        });
        seat.cell().close();
        seat.cell().open();
        let sent = senders.map(|sender| sender.join().unwrap());
        let count = sent.into_iter().filter(|sent| *sent).count();
        assert_eq!(seat.address().len(), count);
    });
}

#[test]
fn what_is_pushed_while_the_queue_is_cleared_is_kept_or_dropped_and_room_is_given() {
    check(3, || {
        let seat = Seat::new(Capacity::new(1));
        seat.address().try_send(1).unwrap();
        let address = seat.address();
        let sender = thread::spawn(move || block_on(address.send(2)).unwrap());
        seat.cell().clear();
        let messages = seat.messages(&mut seat.context(), 1);
        sender.join().unwrap();
        assert_eq!(messages, [2]);
    });
}

#[test]
fn what_is_put_back_after_a_panic_is_before_what_came_meanwhile() {
    check(4, || {
        let seat = Seat::new(Capacity::new(8));
        for message in [1, 2, 3] {
            seat.address().try_send(message).unwrap();
        }
        let mut ctx = seat.context();
        assert_eq!(seat.messages(&mut ctx, 1), [1]);
        let address = seat.address();
        let sender = thread::spawn(move || {
            address.try_send(4).unwrap();
            address.try_send(5).unwrap();
        });
        // The incarnation ends over 1.
        drop(ctx);
        let messages = seat.messages(&mut seat.context(), 4);
        sender.join().unwrap();
        assert_eq!(messages, [2, 3, 4, 5]);
    });
}

#[test]
fn there_is_always_room_for_what_is_owed() {
    check(3, || {
        let seat = Seat::new(Capacity {
            messages: 1,
            reserved: 1,
        });
        let (ambient, owed) = (seat.address(), seat.address());
        let ambient = thread::spawn(move || {
            let sent = [10, 11].map(|message| ambient.try_send(message).is_ok());
            sent.into_iter().filter(|sent| *sent).count()
        });
        let owed = thread::spawn(move || owed.try_send_owed(20).unwrap());
        let mut taken = 0;
        let mut ctx = seat.context();
        taken += usize::from(ctx.try_next().is_some());
        owed.join().unwrap();
        let sent = ambient.join().unwrap();
        while ctx.try_next().is_some() {
            taken += 1;
        }
        assert_eq!(taken, sent + 1);
        assert!(seat.address().high_water() <= 2);
    });
}
