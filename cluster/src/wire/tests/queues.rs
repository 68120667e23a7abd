//! `[edge]` Those that do not keep up, and what becomes of what waits for them.

use super::hand::{Hand, Held};
use super::rig::{Peer, hello, pair, rules, setup};
use crate::ids::NodeId;
use crate::transport::{Class, Inbound, Lane, Transport as _, Unsent};
use crate::wire::rules::{Room, Rules};
use bytes::Bytes;

const SMALL: Room = Room {
    messages: 8,
    bytes: 1024 * 1024,
    owed_messages: 0,
    owed_bytes: 0,
};

/// n1 with a wire to n2, which does not read.
async fn one_and_who_does_not_read(lane: Lane, room: Room) -> (Peer, Held) {
    let mut rules: Rules = rules();
    match lane {
        Lane::Control => rules.control.room = room,
        Lane::Play => rules.play.room = room,
    }
    let mut setup = setup(1);
    setup.rules = rules;
    let mut one = setup.start().await;
    let hand = Hand::new(hello(2));
    one.transport.members(&[hand.member()]);
    let held = hand.dial(&one, lane).await.unwrap();
    one.expect_up(lane, 2, 1).await;
    (one, held)
}

/// Sends until there is no room; how many found some.
async fn fill(one: &Peer, lane: Lane, class: Class) -> (usize, Unsent) {
    let body = Bytes::from(vec![b'x'; 16 * 1024]);
    for sent in 0..100_000 {
        if let Err(unsent) = one.transport.send(NodeId(2), lane, class, body.clone()) {
            return (sent, unsent);
        }
        // What the system takes meanwhile is not in the queue.
        tokio::task::yield_now().await;
    }
    panic!("there is room without end");
}

#[tokio::test]
async fn ambient_messages_for_a_node_that_does_not_read_are_dropped_and_the_wire_stays() {
    let (mut one, mut held) = one_and_who_does_not_read(Lane::Play, SMALL).await;
    let (sent, unsent) = fill(&one, Lane::Play, Class::Ambient).await;
    assert_eq!(unsent, Unsent::Full);
    let figures = one.transport.figures(Lane::Play);
    assert_eq!(
        (figures.dropped, figures.overflows, figures.standing),
        (1, 0, 1)
    );
    // All that found room arrives when it reads again.
    let mut read = 0;
    while read < sent {
        let body = held.read(crate::wire::frame::Kind::Message).await;
        read += usize::from(body.len() == 16 * 1024);
    }
    held.say("there I am again").await;
    one.expect(Lane::Play, 2, "there I am again").await;
    one.stop().await;
}

#[tokio::test]
async fn what_is_owed_has_room_of_its_own_and_closes_the_wire_when_that_is_full() {
    let room = Room {
        owed_messages: 8,
        owed_bytes: 1024 * 1024,
        ..SMALL
    };
    let (mut one, mut held) = one_and_who_does_not_read(Lane::Play, room).await;
    let (_, unsent) = fill(&one, Lane::Play, Class::Ambient).await;
    assert_eq!(unsent, Unsent::Full);
    let (sent, unsent) = fill(&one, Lane::Play, Class::Owed).await;
    assert_eq!(unsent, Unsent::Full);
    assert!(sent >= 8, "only {sent}");
    one.expect_down(Lane::Play, 2).await;
    let figures = one.transport.figures(Lane::Play);
    assert_eq!((figures.overflows, figures.standing), (1, 0));
    held.ended().await;
    one.stop().await;
}

#[tokio::test]
async fn a_control_wire_that_is_full_is_closed() {
    for class in [Class::Ambient, Class::Owed] {
        let (mut one, mut held) = one_and_who_does_not_read(Lane::Control, SMALL).await;
        let (_, unsent) = fill(&one, Lane::Control, class).await;
        assert_eq!(unsent, Unsent::Full);
        one.expect_down(Lane::Control, 2).await;
        let body = Bytes::from_static(b"x");
        let after = one.transport.send(NodeId(2), Lane::Control, class, body);
        assert_eq!(after, Err(Unsent::NoWire));
        held.ended().await;
        one.stop().await;
    }
}

#[tokio::test]
async fn a_fat_play_queue_does_not_delay_control_messages() {
    let (mut one, held) = one_and_who_does_not_read(Lane::Play, rules().play.room).await;
    let body = Bytes::from(vec![b'x'; 1024 * 1024]);
    for _ in 0..64 {
        let send = |body| one.transport.send(NodeId(2), Lane::Play, Class::Owed, body);
        assert_eq!(send(body.clone()), Ok(()));
    }
    // Nobody reads these 64 MiB, and beside them all goes as ever.
    let hand = Hand::new(hello(2));
    let mut control = hand.dial(&one, Lane::Control).await.unwrap();
    one.expect_up(Lane::Control, 2, 1).await;
    for _ in 0..100 {
        control.say("to").await;
        one.expect(Lane::Control, 2, "to").await;
        one.say(Lane::Control, 2, "fro");
        assert_eq!(
            *control.read(crate::wire::frame::Kind::Message).await,
            *b"fro"
        );
    }
    assert!(one.transport.figures(Lane::Play).queued > 50);
    drop(held);
    one.expect_down(Lane::Play, 2).await;
    one.stop().await;
}

#[tokio::test]
async fn what_waits_when_a_node_stops_is_written_first() {
    let (one, mut two) = pair([setup(1), setup(2)]).await;
    for number in 0..1_000 {
        one.say(Lane::Play, 2, &number.to_string());
        one.say(Lane::Control, 2, &number.to_string());
    }
    one.stop().await;
    for lane in [Lane::Play, Lane::Control] {
        for number in 0..1_000 {
            two.expect(lane, 1, &number.to_string()).await;
        }
        assert!(matches!(two.next(lane).await, Inbound::Down { .. }));
    }
    two.stop().await;
}

#[tokio::test]
async fn what_waited_for_a_lost_wire_is_not_sent_over_the_next() {
    let (mut one, held) = one_and_who_does_not_read(Lane::Play, rules().play.room).await;
    let body = Bytes::from(vec![b'x'; 1024 * 1024]);
    for _ in 0..8 {
        let send = |body| one.transport.send(NodeId(2), Lane::Play, Class::Owed, body);
        assert_eq!(send(body.clone()), Ok(()));
    }
    drop(held);
    one.expect_down(Lane::Play, 2).await;
    let mut held = Hand::new(hello(2)).dial(&one, Lane::Play).await.unwrap();
    one.expect_up(Lane::Play, 2, 1).await;
    one.say(Lane::Play, 2, "fresh");
    assert_eq!(
        *held.read(crate::wire::frame::Kind::Message).await,
        *b"fresh"
    );
    one.stop().await;
}
