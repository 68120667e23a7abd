//! Goal: a process keeps its mailbox and loses only the poison message over a crash; its life
//! runs in the documented order. Method: one process under a supervisor, told what to do.

#[cfg(test)]
#[expect(dead_code, reason = "uses a part of it")]
mod common;

use belay_runtime::test_kit::Bed;
use belay_runtime::*;
use common::*;

async fn alone(journal: &Journal) -> (Bed, Address<Order>) {
    let (spec, address) = obedient("one", journal);
    (test_kit::start([spec]).await, address)
}

#[tokio::test]
async fn a_panic_loses_only_the_poison_message() {
    let journal = Journal::default();
    let (bed, one) = alone(&journal).await;
    for number in 1..4 {
        order(&one, Order::Note(number));
    }
    order(&one, Order::Panic("poison"));
    for number in 4..7 {
        order(&one, Order::Note(number));
    }
    assert_eq!(settled(&one).await, 1);
    let expected = [
        "one starts",
        "one notes 1",
        "one notes 2",
        "one notes 3",
        "one starts",
        "one notes 4",
        "one notes 5",
        "one notes 6",
    ];
    assert_eq!(journal.entries(), expected);
    let child = bed.find("one");
    assert_eq!((child.restarts, child.state), (1, State::Running));
    assert!(
        child
            .last_exit
            .expect("it crashed")
            .starts_with("panic: poison at ")
    );
    bed.finish().await;
}

#[tokio::test]
async fn discards_the_queue_when_told_to() {
    let journal = Journal::default();
    let (spec, one) = obedient("one", &journal);
    let spec = spec.queue(MailboxPolicy::Discard);
    let bed = test_kit::start([spec]).await;
    order(&one, Order::Note(1));
    order(&one, Order::Panic("poison"));
    order(&one, Order::Note(2));
    until("the restart", || bed.find("one").restarts == 1).await;
    settled(&one).await;
    assert_eq!(
        journal.entries(),
        ["one starts", "one notes 1", "one starts"]
    );
    bed.finish().await;
}

#[tokio::test]
async fn an_error_stops_the_process_with_its_stop_callback() {
    let journal = Journal::default();
    let (bed, one) = alone(&journal).await;
    order(&one, Order::Fail("no disk"));
    assert_eq!(settled(&one).await, 1);
    assert_eq!(
        journal.entries(),
        ["one starts", "one stops: error: no disk", "one starts"]
    );
    bed.finish().await;
}

#[tokio::test]
async fn a_caller_whose_request_kills_is_told() {
    let mailbox = Mailbox::new(Capacity::new(4));
    let spec = ChildSpec::body("one", &mailbox, |mut ctx: Context<Reply<()>>| async move {
        let Incoming::Message(_reply) = ctx.next().await else {
            return Ok(());
        };
        panic!("poison")
    });
    let bed = test_kit::start([spec]).await;
    let answer = mailbox.address().call(LONG, |reply| reply).await;
    assert_eq!(answer, Err(CallError::Dropped));
    bed.finish().await;
}

#[tokio::test]
async fn an_address_names_the_process_that_runs_on_its_mailbox() {
    let journal = Journal::default();
    let (spec, address) = obedient("a", &journal);
    assert_eq!(address.process(), None);
    let bed = test_kit::start([spec]).await;
    let process = address.process();
    assert_eq!(process, Some(bed.process("a")));
    order(&address, Order::Panic("broken"));
    assert_eq!(settled(&address).await, 1);
    assert_eq!(address.process(), process);
    bed.finish().await;
    assert_eq!(address.process(), None);
}
