//! `[edge]` Nodes that come back at other addresses, and how the others come to know.

use super::hand::Hand;
use super::rig::{LANES, Peer, Setup, TempDir, hello, introduce, pair, rules, setup};
use crate::cert;
use crate::ids::{Incarnation, NodeId};
use crate::transport::{Member, Transport as _};
use crate::wire::Hello;
use crate::wire::greet::HandshakeError;
use crate::wire::handshake::Whom;
use crate::wire::knock;

/// The same node, in its second life.
fn second(number: u16) -> Setup {
    Setup {
        hello: Hello {
            incarnation: Incarnation(2),
            boot_ms: 9_000 + u64::from(number),
            ..hello(number)
        },
        ..setup(number)
    }
}

/// Wires stand between all of them, after whatever came down.
async fn all_meet(peers: &mut [&mut Peer]) {
    let all: Vec<_> = peers.iter().map(|peer| peer.id()).collect();
    for peer in peers {
        for lane in LANES {
            let mut missing: Vec<_> = all.iter().filter(|id| **id != peer.id()).collect();
            while !missing.is_empty() {
                if let crate::transport::Inbound::Up { from, .. } = peer.next(lane).await {
                    missing.retain(|id| **id != from);
                }
            }
        }
    }
}

/// Three nodes, n1 to n3, with wires.
async fn three() -> [Peer; 3] {
    let (mut one, mut two) = (setup(1).start().await, setup(2).start().await);
    let mut three = setup(3).start().await;
    introduce(&[&one, &two, &three]);
    all_meet(&mut [&mut one, &mut two, &mut three]).await;
    [one, two, three]
}

#[tokio::test]
async fn regression_a_node_with_a_lower_number_that_comes_back_elsewhere_is_dialled_there() {
    let (one, mut two) = pair([setup(1), setup(2)]).await;
    one.kill().await;
    for lane in LANES {
        two.expect_down(lane, 1).await;
    }
    let mut one = second(1).start().await;
    one.transport.members(&[two.member()]);
    for lane in LANES {
        two.expect_up(lane, 1, 2).await;
        one.expect_up(lane, 2, 1).await;
        two.say(lane, 1, "found you");
        one.expect(lane, 2, "found you").await;
    }
    one.stop().await;
    two.stop().await;
}

#[tokio::test]
async fn a_majority_that_comes_back_elsewhere_finds_itself_through_who_stayed() {
    let [one, two, mut three] = three().await;
    let was = [one.member(), two.member(), three.member()];
    one.kill().await;
    two.kill().await;
    let (mut one, mut two) = (second(1).start().await, second(2).start().await);
    for peer in [&one, &two] {
        peer.transport.members(&was);
    }
    all_meet(&mut [&mut one, &mut two, &mut three]).await;
    one.kill().await;
    two.kill().await;
    three.kill().await;
}

#[tokio::test]
async fn nodes_that_all_come_back_elsewhere_find_each_other_through_one_address() {
    let nodes = three().await;
    let was = [0, 1, 2].map(|at: usize| nodes[at].member());
    for node in nodes {
        node.kill().await;
    }
    let mut one = second(1).start().await;
    let seeded = |number| Setup {
        seeds: vec![one.address().to_string()],
        ..second(number)
    };
    let (mut two, mut three) = (seeded(2).start().await, seeded(3).start().await);
    for peer in [&one, &two, &three] {
        peer.transport.members(&was);
    }
    all_meet(&mut [&mut one, &mut two, &mut three]).await;
    one.kill().await;
    two.kill().await;
    three.kill().await;
}

/// Knocks as this node, which says that it is at this address.
async fn knock_as(hand: &Hand, at: &Peer, address: &str) -> Result<(), HandshakeError> {
    let member: Member = at.member();
    hand.shared.set_members(std::slice::from_ref(&member));
    hand.shared.reached_at(address.to_owned());
    let whom = Whom::Dialled(member.clone());
    let shown = knock::show(&hand.shared, hand.tls.as_ref(), &member.address, &whom);
    shown.await.map(drop)
}

fn believed(peer: &Peer, node: u16) -> String {
    peer.wires.shared.member(NodeId(node)).unwrap().address
}

#[tokio::test]
async fn an_earlier_life_that_knocks_late_moves_nothing() {
    let one = setup(1).start().await;
    let late = Hand::new(hello(2));
    let now = Hand::new(second(2).hello);
    one.transport.members(&[late.member()]);
    knock_as(&late, &one, "127.0.0.1:2").await.unwrap();
    assert_eq!(believed(&one, 2), "127.0.0.1:2");
    knock_as(&now, &one, "127.0.0.1:3").await.unwrap();
    assert_eq!(believed(&one, 2), "127.0.0.1:3");
    let told = knock_as(&late, &one, "127.0.0.1:2").await.unwrap_err();
    assert!(
        told.to_string()
            .contains("a later start of node n2 is known"),
        "{told}"
    );
    assert_eq!(believed(&one, 2), "127.0.0.1:3");
    // Nor does a log that lags.
    one.transport.members(&[late.member()]);
    assert_eq!(believed(&one, 2), "127.0.0.1:3");
    one.stop().await;
}

#[tokio::test]
async fn who_cannot_show_that_it_is_the_member_moves_nothing() {
    let dir = TempDir::new();
    let (ca, strange) = (dir.ca("ca"), dir.ca("strange"));
    let one = dir.setup(&ca, 1).start().await;
    let member = Hand::new(hello(2)).member();
    one.transport.members(std::slice::from_ref(&member));
    let third = cert::load(&dir.node(&ca, 3)).unwrap();
    let stranger = cert::load(&dir.node(&strange, 2)).unwrap();
    let fallen = |change: fn(&mut Hello)| {
        let mut hello = second(2).hello;
        change(&mut hello);
        hello
    };
    let own = || cert::load(&dir.node(&ca, 4)).unwrap();
    let liars = [
        (fallen(|_| {}), third),
        (fallen(|_| {}), stranger),
        (fallen(|hello| hello.cluster = "south".to_owned()), own()),
        (fallen(|hello| hello.node = Some(NodeId(9))), own()),
    ];
    for (hello, tls) in liars {
        let liar = Hand::with(hello.clone(), rules(), Some(tls));
        let told = knock_as(&liar, &one, "127.0.0.1:2").await;
        assert!(told.is_err(), "{hello:?} was believed");
        assert_eq!(believed(&one, 2), member.address);
    }
    one.stop().await;
}
