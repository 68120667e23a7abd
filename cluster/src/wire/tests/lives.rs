//! `[edge]` Lives of nodes, wires that replace each other, and members that come and go.

use super::hand::Hand;
use super::rig::{LANES, Setup, hello, introduce, pair, setup};
use crate::ids::Incarnation;
use crate::transport::{Class, Inbound, Lane, Transport as _};
use crate::wire::Hello;
use bytes::Bytes;
use std::net::TcpListener;
use std::sync::Arc;

#[tokio::test]
async fn a_node_that_was_killed_and_comes_back_has_its_wires_again() {
    // An address that no other test listens at, so that nobody takes the port meanwhile.
    let alone = |number| Setup {
        listen: "127.0.0.2:0".parse().unwrap(),
        ..setup(number)
    };
    for restarted in [1, 2] {
        let (one, two) = pair([alone(1), alone(2)]).await;
        let (stays, killed) = if restarted == 1 {
            (two, one)
        } else {
            (one, two)
        };
        let mut stays = stays;
        let (address, from) = (killed.address(), killed.id().0);
        killed.kill().await;
        for lane in LANES {
            stays.expect_down(lane, from).await;
        }
        // Killed, it lets go of the port when its thread comes to that.
        while TcpListener::bind(address).is_err() {
            tokio::task::yield_now().await;
        }
        let next = Setup {
            hello: Hello {
                incarnation: Incarnation(2),
                boot_ms: 9_999,
                ..hello(from)
            },
            listen: address,
            ..setup(from)
        };
        let mut next = next.start().await;
        next.transport.members(&[stays.member()]);
        for lane in LANES {
            stays.expect_up(lane, from, 2).await;
            let other = stays.id().0;
            next.expect_up(lane, other, 1).await;
            next.say(lane, other, "back again");
            stays.expect(lane, from, "back again").await;
        }
        stays.stop().await;
        next.stop().await;
    }
}

#[tokio::test]
async fn a_second_wire_of_the_same_life_replaces_the_first() {
    let mut one = setup(1).start().await;
    let two = Hand::new(hello(2));
    one.transport.members(&[two.member()]);
    for lane in LANES {
        let mut first = two.dial(&one, lane).await.unwrap();
        one.expect_up(lane, 2, 1).await;
        first.say("first").await;
        one.expect(lane, 2, "first").await;
        let mut second = two.dial(&one, lane).await.unwrap();
        one.expect_down(lane, 2).await;
        one.expect_up(lane, 2, 1).await;
        first.ended().await;
        first.say("too late").await;
        second.say("second").await;
        one.expect(lane, 2, "second").await;
        assert_eq!(one.transport.figures(lane).standing, 1);
    }
    one.stop().await;
}

#[tokio::test]
async fn a_later_life_replaces_the_wire_of_an_earlier_one_which_is_refused_from_then_on() {
    let mut one = setup(1).start().await;
    let old = Hand::new(hello(2));
    let new = Hand::new(Hello {
        incarnation: Incarnation(2),
        boot_ms: 9_999,
        ..hello(2)
    });
    one.transport.members(&[old.member()]);
    let mut first = old.dial(&one, Lane::Control).await.unwrap();
    one.expect_up(Lane::Control, 2, 1).await;
    let _second = new.dial(&one, Lane::Control).await.unwrap();
    one.expect_down(Lane::Control, 2).await;
    one.expect_up(Lane::Control, 2, 2).await;
    first.ended().await;
    for lane in LANES {
        let told = old.refused(&one, lane).await;
        assert!(told.contains("a later start of node n2 is known"), "{told}");
    }
    one.stop().await;
}

#[tokio::test]
async fn wires_to_nodes_that_are_no_members_any_more_are_closed() {
    let (mut one, mut two) = pair([setup(1), setup(2)]).await;
    one.transport.members(&[]);
    for lane in LANES {
        one.expect_down(lane, 2).await;
        two.expect_down(lane, 1).await;
    }
    introduce(&[&one, &two]);
    for lane in LANES {
        one.expect_up(lane, 2, 1).await;
        two.expect_up(lane, 1, 1).await;
    }
    // By the one who dials.
    two.transport.members(&[]);
    for lane in LANES {
        one.expect_down(lane, 2).await;
        two.expect_down(lane, 1).await;
    }
    one.stop().await;
    two.stop().await;
}

#[tokio::test]
async fn wires_of_a_life_that_is_over_are_closed() {
    let (mut one, mut two) = pair([setup(1), setup(2)]).await;
    let mut later = two.member();
    later.incarnation = Incarnation(2);
    one.transport.members(&[later]);
    for lane in LANES {
        one.expect_down(lane, 2).await;
        two.expect_down(lane, 1).await;
    }
    two.transport.live_as(Incarnation(2));
    for lane in LANES {
        one.expect_up(lane, 2, 2).await;
        two.expect_up(lane, 1, 1).await;
    }
    one.stop().await;
    two.stop().await;
}

#[tokio::test]
async fn a_node_that_begins_another_life_has_new_wires() {
    let (mut one, mut two) = pair([setup(1), setup(2)]).await;
    // The one who dials, and the one who is dialled.
    two.transport.live_as(Incarnation(7));
    for lane in LANES {
        for inbound in [one.next(lane).await, two.next(lane).await] {
            assert!(matches!(inbound, Inbound::Down { .. }), "{inbound:?}");
        }
        one.expect_up(lane, 2, 7).await;
        two.expect_up(lane, 1, 1).await;
    }
    one.transport.live_as(Incarnation(5));
    for lane in LANES {
        for inbound in [one.next(lane).await, two.next(lane).await] {
            assert!(matches!(inbound, Inbound::Down { .. }), "{inbound:?}");
        }
        one.expect_up(lane, 2, 7).await;
        two.expect_up(lane, 1, 5).await;
    }
    // The same life again is no other.
    one.transport.live_as(Incarnation(5));
    one.say(Lane::Play, 2, "still here");
    two.expect(Lane::Play, 1, "still here").await;
    one.stop().await;
    two.stop().await;
}

#[tokio::test]
async fn an_inbox_may_send_and_may_change_the_members() {
    let mut one = setup(1);
    one.hook = Arc::new(|transport, inbound| match inbound {
        Inbound::Up { from, lane, .. } => {
            let body = Bytes::from_static(b"welcome");
            transport.send(*from, *lane, Class::Owed, body).unwrap();
        }
        Inbound::Message { .. } => transport.members(&[]),
        Inbound::Down { .. } => transport.live_as(Incarnation(3)),
    });
    let (mut one, mut two) = (one.start().await, setup(2).start().await);
    introduce(&[&one, &two]);
    for lane in LANES {
        one.expect_up(lane, 2, 1).await;
        two.expect_up(lane, 1, 1).await;
        two.expect(lane, 1, "welcome").await;
    }
    two.say(Lane::Play, 1, "go away");
    one.expect(Lane::Play, 2, "go away").await;
    for lane in LANES {
        one.expect_down(lane, 2).await;
        two.expect_down(lane, 1).await;
    }
    one.stop().await;
    two.stop().await;
}

#[tokio::test]
async fn a_wire_whose_inbox_panics_is_lost_and_another_one_comes() {
    let mut one = setup(1);
    one.hook = Arc::new(|_, inbound| match inbound {
        Inbound::Message { body, .. } => assert_ne!(&**body, b"poison", "as the test wants"),
        Inbound::Up { .. } | Inbound::Down { .. } => {}
    });
    let (mut one, mut two) = pair([one, setup(2)]).await;
    for lane in LANES {
        two.say(lane, 1, "poison");
        one.expect_down(lane, 2).await;
        two.expect_down(lane, 1).await;
        one.expect_up(lane, 2, 1).await;
        two.expect_up(lane, 1, 1).await;
        two.say(lane, 1, "better");
        one.expect(lane, 2, "better").await;
    }
    one.stop().await;
    two.stop().await;
}
