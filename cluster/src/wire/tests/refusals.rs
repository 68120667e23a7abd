//! `[edge]` Who is not let in, and what both ends are told. Nothing that is refused is seen by the
//! inbox, and the node goes on with others.

use super::hand::Hand;
use super::rig::{LANES, Peer, hello, name, pair, rules, setup};
use crate::ids::{ContentHash, Incarnation, NodeId};
use crate::transport::{Lane, Member, Transport as _};
use crate::wire::handshake::Versions;
use crate::wire::rules::Rules;
use crate::wire::{Hello, OpenError, WireConfig, Wires};

/// n1, to which n2 is known in its third life.
async fn one_that_knows_two() -> Peer {
    let one = setup(1).start().await;
    one.transport.members(&[Member {
        node: NodeId(2),
        name: name(2),
        address: "127.0.0.1:1".to_owned(),
        incarnation: Incarnation(3),
    }]);
    one
}

fn two() -> Hello {
    Hello {
        incarnation: Incarnation(3),
        ..hello(2)
    }
}

/// Shows this to n1, in both lanes.
async fn check(change: impl Fn(&mut Hello), expected: &str) {
    let mut one = one_that_knows_two().await;
    let mut changed = two();
    change(&mut changed);
    for lane in LANES {
        let told = Hand::new(changed.clone()).refused(&one, lane).await;
        assert!(told.contains(expected), "{lane:?}: {told}");
        assert_eq!(one.transport.figures(lane).connected, 0);
    }
    // Nothing of it was seen, and whoever may is let in.
    for lane in LANES {
        let _held = Hand::new(two()).dial(&one, lane).await.unwrap();
        one.expect_up(lane, 2, 3).await;
    }
    one.stop().await;
}

#[tokio::test]
async fn a_node_of_another_cluster_is_refused() {
    let change = |hello: &mut Hello| hello.cluster = "south".to_owned();
    check(change, "this is cluster \"north\", and node n2 belongs to").await;
}

#[tokio::test]
async fn a_node_without_a_cluster_is_refused() {
    check(|hello: &mut Hello| hello.cluster.clear(), "cannot be read").await;
}

#[tokio::test]
async fn a_node_that_reaches_itself_is_told_so() {
    let change = |hello: &mut Hello| {
        (hello.name, hello.boot_ms) = (name(1), 1_001);
        hello.node = Some(NodeId(1));
    };
    check(change, "node n1 reached itself; check \"--join\"").await;
}

#[tokio::test]
async fn a_node_with_the_number_or_the_name_of_this_one_is_refused() {
    let same = "is this node; two nodes have the same identity";
    check(|hello| hello.node = Some(NodeId(1)), same).await;
    check(|hello| hello.name = name(1), same).await;
}

#[tokio::test]
async fn a_node_that_is_no_member_is_refused() {
    let change = |hello: &mut Hello| {
        (hello.node, hello.name) = (Some(NodeId(9)), name(9));
    };
    check(change, "node n9 (#9) is no member of the cluster").await;
}

#[tokio::test]
async fn a_node_with_the_number_of_another_one_is_refused() {
    let change = |hello: &mut Hello| hello.name = name(9);
    check(change, "number #2 belongs to node n2, not to n9").await;
}

#[tokio::test]
async fn a_life_before_the_one_that_is_known_is_refused() {
    let change = |hello: &mut Hello| hello.incarnation = Incarnation(2);
    check(change, "a later start of node n2 is known (3 against 2)").await;
}

#[tokio::test]
async fn a_node_with_other_content_is_refused() {
    let change = |hello: &mut Hello| hello.content = ContentHash([9; 32]);
    check(change, "the content (areas) of node n2 is 090909").await;
}

#[tokio::test]
async fn other_content_is_let_in_where_it_is_accepted_by_both() {
    let mut one = one_that_knows_two().await;
    let hand = Hand::new(Hello {
        content: ContentHash([9; 32]),
        ..two()
    });
    one.transport.accept_contents(&[ContentHash([9; 32])]);
    let told = hand.refused(&one, Lane::Control).await;
    assert!(
        told.contains("is 070707"),
        "the hand itself does not: {told}"
    );
    hand.shared.accept_contents(&[ContentHash([7; 32])]);
    let _held = hand.dial(&one, Lane::Control).await.unwrap();
    one.expect_up(Lane::Control, 2, 3).await;
    one.transport.accept_contents(&[]);
    one.transport.set_content(ContentHash([9; 32]));
    hand.shared.accept_contents(&[]);
    let _held = hand.dial(&one, Lane::Play).await.unwrap();
    one.expect_up(Lane::Play, 2, 3).await;
    one.stop().await;
}

#[tokio::test]
async fn older_and_newer_versions_are_told_which_versions_are_spoken() {
    let one = one_that_knows_two().await;
    let ranges = [(0, 0, "version 0"), (2, 4, "versions 2 to 4")];
    for (min, max, theirs) in ranges {
        let rules = Rules {
            versions: Versions { min, max },
            ..rules()
        };
        let told = Hand::with(two(), rules, None)
            .refused(&one, Lane::Play)
            .await;
        let expected = format!("this node (version 1) and the other ({theirs}) share no version");
        assert!(told.contains(&expected), "{told}");
    }
    one.stop().await;
}

#[tokio::test]
async fn the_highest_version_that_both_speak_is_enough() {
    let mut one = one_that_knows_two().await;
    let rules = Rules {
        versions: Versions { min: 0, max: 7 },
        ..rules()
    };
    let hand = Hand::with(two(), rules, None);
    let _held = hand.dial(&one, Lane::Play).await.unwrap();
    one.expect_up(Lane::Play, 2, 3).await;
    one.stop().await;
}

#[tokio::test]
async fn a_second_process_that_takes_itself_for_the_same_life_is_refused() {
    let (mut one, two) = pair([setup(1), setup(2)]).await;
    let twin = Hello {
        boot_ms: 77,
        ..two.hello.clone()
    };
    let told = Hand::new(twin).refused(&one, Lane::Control).await;
    assert!(told.contains("node n2 runs already"), "{told}");
    two.say(Lane::Control, 1, "here I am");
    one.expect(Lane::Control, 2, "here I am").await;
    one.stop().await;
    two.stop().await;
}

#[tokio::test]
async fn whoever_dials_sees_that_another_node_answers_and_tells_it() {
    let three = setup(3).start().await;
    let hand = Hand::new(hello(5));
    let mut wrong = three.member();
    wrong.node = NodeId(1);
    wrong.name = name(1);
    let error = hand.dial_member(&wrong, Lane::Control).await.err().unwrap();
    let text = error.to_string();
    // n3 looks first, and does not know n5.
    assert!(text.contains("n5 (#5) is no member"), "{text}");
    let five = Member {
        node: NodeId(5),
        name: name(5),
        address: "127.0.0.1:1".to_owned(),
        incarnation: Incarnation(1),
    };
    three.transport.members(&[five]);
    let error = hand.dial_member(&wrong, Lane::Control).await.err().unwrap();
    let text = error.to_string();
    assert!(
        text.contains("refused: node n1 was expected at 127.0.0.1:"),
        "{text}"
    );
    assert!(text.ends_with("and n3 answers there"), "{text}");
    three.stop().await;
}

#[tokio::test]
async fn without_certificates_only_loopback_is_listened_at() {
    let open = |listen: &str, me: Hello| {
        Wires::open(WireConfig {
            me,
            listen: listen.parse().unwrap(),
            advertise: None,
            seeds: Vec::new(),
            tls: None,
        })
    };
    for listen in ["0.0.0.0:0", "[::]:0", "192.0.2.1:7000"] {
        let error = open(listen, hello(1)).unwrap_err();
        assert!(matches!(error, OpenError::NotLoopback(_)), "{error}");
        assert!(error.to_string().contains("that needs certificates"));
    }
    let wires = open("127.0.0.1:0", hello(1)).unwrap();
    let again = open(&wires.address().to_string(), hello(1)).unwrap_err();
    assert!(matches!(again, OpenError::Listen { .. }), "{again}");
    for change in [
        |hello: &mut Hello| hello.node = None,
        |hello: &mut Hello| hello.cluster.clear(),
    ] {
        let mut me = hello(1);
        change(&mut me);
        let error = open("127.0.0.1:0", me).unwrap_err();
        assert!(matches!(error, OpenError::NoNumber), "{error}");
    }
}
