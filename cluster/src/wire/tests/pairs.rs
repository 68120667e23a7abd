//! `[edge]` Two nodes, and three, that have nothing against each other.

use super::rig::{LANES, TempDir, introduce, pair, setup};
use crate::ids::NodeId;
use crate::limits::FRAME_BYTES_MAX;
use crate::transport::{Class, Inbound, Lane, Transport as _, Unsent};
use bytes::Bytes;

#[tokio::test]
async fn messages_arrive_in_order_in_both_lanes_and_both_directions() {
    let (mut one, mut two) = pair([setup(1), setup(2)]).await;
    for lane in LANES {
        for number in 0..2_000 {
            one.say(lane, 2, &format!("one {number}"));
            two.say(lane, 1, &format!("two {number}"));
        }
    }
    for lane in LANES {
        for number in 0..2_000 {
            two.expect(lane, 1, &format!("one {number}")).await;
            one.expect(lane, 2, &format!("two {number}")).await;
        }
    }
    one.stop().await;
    for lane in LANES {
        two.expect_down(lane, 1).await;
    }
    two.stop().await;
}

#[tokio::test]
async fn three_nodes_with_certificates_reach_each_other() {
    let dir = TempDir::new();
    let ca = dir.ca("ca");
    let mut nodes = Vec::new();
    for number in 1..=3 {
        nodes.push(dir.setup(&ca, number).start().await);
    }
    introduce(&nodes.iter().collect::<Vec<_>>());
    for lane in LANES {
        for node in &mut nodes {
            let mut others = Vec::new();
            for _ in 0..2 {
                match node.next(lane).await {
                    Inbound::Up { from, .. } => others.push(from.0),
                    other => panic!("{other:?}"),
                }
            }
            others.sort_unstable();
            let mut expected = vec![1, 2, 3];
            expected.retain(|number| *number != node.id().0);
            assert_eq!(others, expected);
        }
    }
    for lane in LANES {
        for from in 0..3_u16 {
            let to = (from + 1) % 3;
            nodes[usize::from(from)].say(lane, to + 1, "hello");
            nodes[usize::from(to)].expect(lane, from + 1, "hello").await;
        }
    }
    for node in nodes {
        node.stop().await;
    }
}

#[tokio::test]
async fn the_longest_message_arrives_whole_and_a_longer_one_is_refused() {
    let dir = TempDir::new();
    let ca = dir.ca("ca");
    let (one, mut two) = pair([dir.setup(&ca, 1), dir.setup(&ca, 2)]).await;
    for lane in LANES {
        let body = Bytes::from(vec![lane as u8; FRAME_BYTES_MAX]);
        let send = |body| one.transport.send(NodeId(2), lane, Class::Owed, body);
        assert_eq!(send(body.clone()), Ok(()));
        match two.next(lane).await {
            Inbound::Message { body: came, .. } => assert!(came == body),
            other => panic!("{other:?}"),
        }
        let longer = Bytes::from(vec![0; FRAME_BYTES_MAX + 1]);
        assert_eq!(send(longer), Err(Unsent::TooLong));
    }
    one.stop().await;
    two.stop().await;
}

#[tokio::test]
async fn without_a_wire_nothing_is_sent() {
    let one = setup(1).start().await;
    let send = |to| {
        let (lane, class) = (Lane::Control, Class::Owed);
        one.transport.send(NodeId(to), lane, class, Bytes::new())
    };
    assert_eq!(send(2), Err(Unsent::NoWire));
    assert_eq!(send(1), Err(Unsent::NoWire));
    one.stop().await;
}

#[tokio::test]
async fn what_is_sent_is_counted_and_gathered() {
    let (one, mut two) = pair([setup(1), setup(2)]).await;
    for _ in 0..5_000 {
        one.say(Lane::Play, 2, "0123456789");
    }
    for _ in 0..5_000 {
        two.expect(Lane::Play, 1, "0123456789").await;
    }
    let (sent, came) = (
        one.transport.figures(Lane::Play),
        two.transport.figures(Lane::Play),
    );
    assert_eq!((sent.frames_out, came.frames_in), (5_000, 5_000));
    assert_eq!((sent.standing, sent.queued, sent.connected), (1, 0, 1));
    assert!(sent.bytes_out >= 75_000 && came.bytes_in >= 75_000);
    assert!(sent.writes < 2_500, "{} writes", sent.writes);
    let (by, of) = (
        one.transport.counts(Lane::Play),
        two.transport.counts(Lane::Play),
    );
    assert_eq!((by.total.sent, of.total.received), (5_000, 5_000));
    let (by, of) = (by.peers[&two.id()], of.peers[&one.id()]);
    assert_eq!((by.frames.sent, of.frames.received), (5_000, 5_000));
    assert_eq!((by.connected, by.up, by.queued), (1, true, 0));
    // A peer that is a member no more is not told of any more.
    one.transport.members(&[]);
    two.expect_down(Lane::Play, 1).await;
    let after = one.transport.counts(Lane::Play);
    assert_eq!((after.total.sent, after.peers.len()), (5_000, 0));
    one.stop().await;
    two.stop().await;
}
