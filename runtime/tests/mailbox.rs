//! Goal: the bounds, the order and the ends of mailboxes hold, whoever waits, gives up or drops.
//! Method: mailboxes with and without a process behind them; time is paused where it matters.

#![expect(clippy::expect_used, reason = "a test fails by it")]

#[cfg(test)]
#[expect(dead_code, reason = "uses a part of it")]
mod common;

use std::pin::pin;
use std::time::Duration;

use belay_runtime::*;
use common::*;

fn full_of(numbers: std::ops::Range<u32>) -> (Mailbox<u32>, Address<u32>) {
    let mailbox = Mailbox::new(Capacity::new(numbers.end - numbers.start));
    let address = mailbox.address();
    numbers.for_each(|number| address.try_send(number).expect("there is room"));
    (mailbox, address)
}

/// Takes messages into a journal.
fn reader(mailbox: &Mailbox<u32>, journal: &Journal) -> ChildSpec {
    let journal = journal.clone();
    ChildSpec::body("reader", mailbox, move |mut ctx: Context<u32>| {
        let journal = journal.clone();
        async move {
            while let Incoming::Message(number) = ctx.next().await {
                journal.write(number.to_string());
            }
            Ok(())
        }
    })
}

#[tokio::test]
async fn gives_a_message_back_when_it_is_full_or_closed() {
    let (mailbox, address) = full_of(0..2);
    let refused = address.try_send(7).unwrap_err();
    assert!(matches!(refused, TrySendError::Full(7)));
    assert_eq!(refused.to_string(), "mailbox is full");
    mailbox.close();
    let refused = address.try_send(8).unwrap_err();
    assert_eq!(refused.to_string(), "mailbox is closed");
    assert_eq!(refused.into_inner(), 8);
    assert_eq!(address.send(9).await.unwrap_err().0, 9);
    assert!(address.is_closed() && address.is_empty());
    assert_eq!(address.high_water(), 2);
}

#[tokio::test]
async fn owed_messages_find_room_when_others_do_not() {
    let mailbox = Mailbox::new(Capacity {
        messages: 1,
        reserved: 2,
    });
    let address = mailbox.address();
    address.try_send(0).unwrap();
    assert!(matches!(address.try_send(1), Err(TrySendError::Full(1))));
    address.try_send_owed(2).unwrap();
    address.try_send_owed(3).unwrap();
    assert!(matches!(
        address.try_send_owed(4),
        Err(TrySendError::Full(4))
    ));
    assert_eq!(address.len(), 3);
}

#[tokio::test]
async fn what_was_sent_before_the_start_is_handled_in_order() {
    let (mailbox, address) = full_of(0..5);
    let journal = Journal::default();
    let bed = test_kit::start([reader(&mailbox, &journal)]).await;
    journal.expect(LONG, ["0", "1", "2", "3", "4"]).await;
    bed.finish().await;
    assert!(address.is_closed());
}

#[tokio::test]
async fn senders_that_wait_are_let_in_in_order() {
    let (mailbox, address) = full_of(0..1);
    let senders: Vec<_> = (1..6)
        .map(|number| {
            let address = address.clone();
            tokio_test_task(async move { address.send(number).await.expect("it is open") })
        })
        .collect();
    tokio::task::yield_now().await;
    let journal = Journal::default();
    let bed = test_kit::start([reader(&mailbox, &journal)]).await;
    for sender in senders {
        sender.await.unwrap();
    }
    journal.expect(LONG, ["0", "1", "2", "3", "4", "5"]).await;
    bed.finish().await;
}

#[tokio::test]
async fn a_sender_that_gives_up_hands_its_turn_on() {
    let (mailbox, address) = full_of(0..1);
    let mut first = Box::pin(address.send(1));
    let second = pin!(address.send(2));
    assert!(poll_once(first.as_mut()).await.is_none());
    let mut second = second;
    assert!(poll_once(second.as_mut()).await.is_none());
    let journal = Journal::default();
    let bed = test_kit::start([reader(&mailbox, &journal)]).await;
    until("the queue is drained", || address.is_empty()).await;
    // It was called and goes away without sending.
    drop(first);
    tokio::time::timeout(LONG, second)
        .await
        .expect("it is its turn")
        .expect("it is open");
    journal.expect(LONG, ["0", "2"]).await;
    bed.finish().await;
}

#[tokio::test]
async fn closing_wakes_those_who_wait_for_room() {
    let (mailbox, address) = full_of(0..1);
    let mut sending = pin!(address.send(1));
    assert!(poll_once(sending.as_mut()).await.is_none());
    mailbox.close();
    assert_eq!(
        tokio::time::timeout(LONG, sending)
            .await
            .unwrap()
            .unwrap_err()
            .0,
        1
    );
}

#[tokio::test(start_paused = true)]
async fn a_send_with_a_deadline_gives_the_message_back() {
    let mailbox = Mailbox::new(Capacity::new(1));
    let address = mailbox.address();
    let second = Duration::from_secs(1);
    address.send_within(1, second).await.unwrap();
    let begun = tokio::time::Instant::now();
    let late = address.send_within(2, second).await.unwrap_err();
    assert!(matches!(late, SendWithinError::TimedOut(2)), "{late}");
    assert_eq!(begun.elapsed(), second);
    let waiting = address.send_within(3, Duration::MAX);
    let closing = async {
        tokio::task::yield_now().await;
        mailbox.close();
    };
    let (waited, ()) = tokio::join!(waiting, closing);
    let closed = waited.unwrap_err();
    assert!(matches!(closed, SendWithinError::Closed(3)), "{closed}");
    assert_eq!(closed.into_inner(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_send_that_ran_out_of_time_gives_its_turn_to_the_next() {
    let mailbox = Mailbox::new(Capacity::new(1));
    let address = mailbox.address();
    address.try_send(0).unwrap();
    let (short, long) = (Duration::from_secs(1), Duration::from_secs(2));
    let journal = Journal::default();
    let reading = async {
        // The time of a send begins when all that was ready has run.
        test_kit::settle().await;
        tokio::time::advance(short).await;
        tokio::task::yield_now().await;
        test_kit::start([reader(&mailbox, &journal)]).await
    };
    let late = address.send_within(1, short);
    let next = address.send_within(2, long);
    let (late, next, bed) = tokio::join!(late, next, reading);
    assert!(matches!(late, Err(SendWithinError::TimedOut(1))));
    next.unwrap();
    bed.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_call_ends_in_each_documented_way() {
    let mailbox = Mailbox::<Reply<u32>>::new(Capacity::new(1));
    let address = mailbox.address();
    let second = Duration::from_secs(1);
    // Nobody reads: the first waits for its answer, the second for room.
    assert_eq!(
        address.call(second, |reply| reply).await,
        Err(CallError::Timeout)
    );
    assert_eq!(
        address.call(second, |reply| reply).await,
        Err(CallError::NoRoom)
    );
    assert_eq!(address.len(), 1, "the second was never taken");
    let spec = ChildSpec::body(
        "callee",
        &mailbox,
        |mut ctx: Context<Reply<u32>>| async move {
            let mut calls = 0;
            while let Incoming::Message(reply) = ctx.next().await {
                calls += 1;
                match calls {
                    1 => assert!(reply.is_abandoned()),
                    2 => assert_eq!(reply.send(42), Ok(())),
                    _ => drop(reply),
                }
            }
            Ok(())
        },
    );
    let bed = test_kit::start([spec]).await;
    assert_eq!(address.call(second, |reply| reply).await, Ok(42));
    assert_eq!(
        address.call(second, |reply| reply).await,
        Err(CallError::Dropped)
    );
    assert_eq!(
        address.call(Duration::MAX, |reply| reply).await,
        Err(CallError::Dropped)
    );
    bed.finish().await;
    assert_eq!(
        address.call(second, |reply| reply).await,
        Err(CallError::Closed)
    );
}

/// Sends to its own mailbox when it is dropped, and panics if told to.
struct Boomerang(Address<Option<Boomerang>>, bool);

impl Drop for Boomerang {
    fn drop(&mut self) {
        assert!(self.0.try_send(None).is_err(), "the mailbox is closed");
        assert!(!self.1, "dropped");
    }
}

#[tokio::test]
async fn dropping_queued_messages_may_come_back_to_the_mailbox_or_panic() {
    let mailbox = Mailbox::new(Capacity::new(4));
    let address = mailbox.address();
    for panics in [true, false, true] {
        let message = Some(Boomerang(address.clone(), panics));
        assert!(address.try_send(message).is_ok(), "there is room");
    }
    mailbox.close();
    assert!(address.is_empty());
}

#[tokio::test]
#[expect(
    clippy::mutable_key_type,
    reason = "an address is hashed by its identity"
)]
async fn addresses_are_equal_when_they_are_of_one_mailbox() {
    let (one, other) = (
        Mailbox::<u8>::new(Capacity::new(1)),
        Mailbox::new(Capacity::new(1)),
    );
    assert_eq!(one.address(), one.clone().address());
    assert_ne!(one.address(), other.address());
    let set: std::collections::HashSet<_> = [one.address(), one.address()].into();
    assert_eq!(set.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_senders_lose_and_double_nothing() {
    const SENDERS: u64 = 16;
    const EACH: u64 = 5_000;
    let mailbox = Mailbox::new(Capacity::new(64));
    let (done, sum) = tokio::sync::oneshot::channel();
    let spec = ChildSpec::once_body("sum", &mailbox, |mut ctx: Context<u64>| async move {
        let (mut sum, mut count) = (0, 0);
        while count < SENDERS * EACH {
            if let Incoming::Message(number) = ctx.next().await {
                (sum, count) = (sum + number, count + 1);
            }
        }
        done.send(sum)
            .map_err(|sum| Exit::error(format!("nobody waits for {sum}")))
    });
    let bed = test_kit::start([spec]).await;
    for sender in 0..SENDERS {
        let address = mailbox.address();
        drop(tokio_test_task(async move {
            for number in 0..EACH {
                address
                    .send(sender * EACH + number)
                    .await
                    .expect("it is open");
            }
        }));
    }
    let all = SENDERS * EACH;
    let sum = tokio::time::timeout(LONG, sum)
        .await
        .expect("all arrive")
        .unwrap();
    assert_eq!(sum, all * (all - 1) / 2);
    bed.finish().await;
}

#[tokio::test]
async fn a_busy_process_lets_others_run() {
    let mailbox = Mailbox::new(Capacity::new(1_000));
    let journal = Journal::default();
    let bed = test_kit::start([reader(&mailbox, &journal)]).await;
    for number in 0..1_000 {
        mailbox.address().try_send(number).expect("there is room");
    }
    // A task beside it: the test itself is looked at less often by tokio.
    let read = journal.clone();
    let watcher = tokio_test_task(async move {
        let mut looks = 0;
        while read.entries().len() < 1_000 {
            tokio::task::yield_now().await;
            looks += 1;
        }
        looks
    });
    let looks = watcher.await.unwrap();
    assert!(
        looks >= 1_000 / limits::MESSAGES_PER_TURN,
        "it took all in {looks} turns"
    );
    bed.finish().await;
}

#[expect(clippy::disallowed_methods, reason = "a plain task that is no process")]
fn tokio_test_task<F>(future: F) -> tokio::task::JoinHandle<F::Output>
where
    F: Future<Output: Send> + Send + 'static,
{
    tokio::spawn(future)
}

async fn poll_once<F: Future>(mut future: std::pin::Pin<&mut F>) -> Option<F::Output> {
    std::future::poll_fn(|cx| match future.as_mut().poll(cx) {
        std::task::Poll::Ready(output) => std::task::Poll::Ready(Some(output)),
        std::task::Poll::Pending => std::task::Poll::Ready(None),
    })
    .await
}
