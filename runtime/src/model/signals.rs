//! `[process]` Models of the lane beside the queue: a signal is seen however the process waits.

use loom::future::block_on;
use loom::thread;

use super::{Seat, check};
use crate::context::{Context, Incoming};
use crate::exit::Exit;
use crate::grace::Grace;
use crate::mailbox::Capacity;
use crate::slot::Purpose;

type Next = fn(&Seat, &mut Context<u32>) -> Incoming<u32>;

/// In its task, and within something that brings a waker of its own.
const WAYS: [Next; 2] = [Seat::next_in_task, Seat::next_within];

fn trapping() -> (Seat, Context<u32>) {
    let seat = Seat::new(Capacity::new(4));
    let mut ctx = seat.context();
    ctx.trap_exits(true);
    (seat, ctx)
}

#[test]
fn a_signal_and_a_message_both_arrive() {
    for next in WAYS {
        check(2, move || {
            let (seat, mut ctx) = trapping();
            let (process, address) = (seat.process.clone(), seat.address());
            let exits = thread::spawn(move || process.exit(Exit::Shutdown));
            let sends = thread::spawn(move || address.try_send(1).unwrap());
            let (mut signals, mut messages) = (0, 0);
            for _ in 0..2 {
                match next(&seat, &mut ctx) {
                    Incoming::Signal(_) => signals += 1,
                    Incoming::Message(_) => messages += 1,
                    Incoming::Timer(_) | Incoming::Shutdown => {}
                }
            }
            exits.join().unwrap();
            sends.join().unwrap();
            assert_eq!((signals, messages), (1, 1));
        });
    }
}

#[test]
fn of_two_signals_none_is_forgotten() {
    for next in WAYS {
        check(2, move || {
            let (seat, mut ctx) = trapping();
            let exits = [0, 1].map(|_| {
                let process = seat.process.clone();
                thread::spawn(move || process.exit(Exit::Shutdown))
            });
            for _ in 0..2 {
                let incoming = next(&seat, &mut ctx);
                assert!(matches!(incoming, Incoming::Signal(_)), "{incoming:?}");
            }
            for exit in exits {
                exit.join().unwrap();
            }
            assert!(ctx.try_next().is_none());
        });
    }
}

#[test]
fn a_stop_is_seen_by_who_waits_for_anything() {
    for next in WAYS {
        check(3, move || {
            let (seat, mut ctx) = trapping();
            let process = seat.process.clone();
            let stops = thread::spawn(move || process.request_stop(Grace::INFINITY, Purpose::End));
            let incoming = next(&seat, &mut ctx);
            assert!(matches!(incoming, Incoming::Shutdown), "{incoming:?}");
            stops.join().unwrap();
            assert!(ctx.try_next().is_none());
        });
    }
}

#[test]
fn a_stop_is_seen_by_who_waits_for_it_only() {
    check(3, || {
        let (seat, ctx) = trapping();
        let process = seat.process.clone();
        let stops = thread::spawn(move || process.request_stop(Grace::INFINITY, Purpose::End));
        block_on(ctx.stopping());
        stops.join().unwrap();
    });
}
