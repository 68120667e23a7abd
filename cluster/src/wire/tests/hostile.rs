//! `[edge]` Garbage, silence, and those that do not read. The node notices, and goes on.

use super::hand::Hand;
use super::rig::{LANES, PATIENCE, Peer, hello, rules, setup};
use crate::transport::{Lane, Transport as _};
use crate::wire::frame::{Kind, encode};
use crate::wire::limits::HANDSHAKE_BYTES_MAX;
use crate::wire::rules::Rules;
use bytes::BytesMut;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

async fn open(to: &Peer) -> TcpStream {
    TcpStream::connect(to.address()).await.unwrap()
}

/// Reads until the other end closes, and returns what it said.
async fn closed(socket: &mut TcpStream) -> Vec<u8> {
    let mut said = Vec::new();
    let read = timeout(PATIENCE, socket.read_to_end(&mut said)).await;
    // Closed in the middle of what we said is closed as well.
    drop(read.expect("it is not closed"));
    said
}

/// n1, which knows n2, whom a hand plays.
async fn one_and_hand(rules: Rules) -> (Peer, Hand) {
    let mut setup = setup(1);
    setup.rules = rules;
    let one = setup.start().await;
    let hand = Hand::new(hello(2));
    one.transport.members(&[hand.member()]);
    (one, hand)
}

fn frame(kind: Kind, body: &[u8]) -> Vec<u8> {
    let mut bytes = BytesMut::new();
    encode(kind, body, &mut bytes);
    bytes.to_vec()
}

#[tokio::test]
async fn garbage_before_the_handshake_is_closed_and_harms_nobody() {
    let (mut one, hand) = one_and_hand(rules()).await;
    let longest = u32::try_from(HANDSHAKE_BYTES_MAX + 2).unwrap();
    let garbage = [
        b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        b"C\x00\x00\x00\x00".to_vec(),
        b"C\x00\x00\x00\x01\x63".to_vec(),
        [b"P".to_vec(), longest.to_be_bytes().to_vec()].concat(),
        [b"P".to_vec(), frame(Kind::Message, b"hello")].concat(),
        [b"C".to_vec(), frame(Kind::Hello, b"hello")].concat(),
        [b"C".to_vec(), frame(Kind::Hello, b"belay\x00\x01\x00\x01")].concat(),
        [
            b"C".to_vec(),
            frame(Kind::Hello, b"belay\x00\x01\x00\x01C\xff\xff"),
        ]
        .concat(),
        b"C\x16\x03\x01\x02\x00".to_vec(),
        vec![0xff; 100_000],
    ];
    for bytes in garbage {
        let mut socket = open(&one).await;
        drop(socket.write_all(&bytes).await);
        closed(&mut socket).await;
    }
    // Closed in the middle of a handshake.
    let mut socket = open(&one).await;
    let (half, _) = b"C\x00\x00\x00\x09\x01belay".split_at(7);
    socket.write_all(half).await.unwrap();
    drop(socket);
    let mut held = hand.dial(&one, Lane::Control).await.unwrap();
    one.expect_up(Lane::Control, 2, 1).await;
    held.say("all is well").await;
    one.expect(Lane::Control, 2, "all is well").await;
    one.stop().await;
}

#[tokio::test]
async fn what_is_wrong_with_the_first_frame_is_told_in_a_frame() {
    let (one, _) = one_and_hand(rules()).await;
    let mut socket = open(&one).await;
    let bytes = [b"C".to_vec(), frame(Kind::Hello, b"hello")].concat();
    socket.write_all(&bytes).await.unwrap();
    let said = closed(&mut socket).await;
    let text = "what it says of itself cannot be read";
    assert_eq!(said, frame(Kind::Refused, text.as_bytes()));
    one.stop().await;
}

#[tokio::test]
async fn one_lane_cannot_be_opened_under_the_name_of_the_other() {
    let (one, hand) = one_and_hand(rules()).await;
    for (byte, lane) in [(b'C', Lane::Play), (b'P', Lane::Control)] {
        let mut socket = open(&one).await;
        socket.write_all(&[byte]).await.unwrap();
        let first = hand.shared.first(lane).encode();
        socket.write_all(&frame(Kind::Hello, &first)).await.unwrap();
        let said = closed(&mut socket).await;
        assert!(String::from_utf8_lossy(&said).contains("speaks of the other"));
    }
    one.stop().await;
}

#[tokio::test]
async fn garbage_after_the_handshake_closes_the_wire_and_the_next_one_is_welcome() {
    let (mut one, hand) = one_and_hand(rules()).await;
    let garbage = [
        vec![0; 4],
        vec![0xff; 5],
        vec![0, 0, 0, 1, 77],
        frame(Kind::Hello, b"again"),
        frame(Kind::Ready, b""),
        frame(Kind::JoinAsk, b""),
        frame(Kind::JoinAnswer, b""),
        frame(Kind::Ping, b"short"),
        frame(Kind::Pong, b"too long for a pong"),
        frame(Kind::Refused, b"\xff\x00 I do not like you"),
    ];
    for lane in LANES {
        for bytes in &garbage {
            let mut held = hand.dial(&one, lane).await.unwrap();
            one.expect_up(lane, 2, 1).await;
            held.say("before").await;
            held.framed.stream.write_all(bytes).await.unwrap();
            one.expect(lane, 2, "before").await;
            one.expect_down(lane, 2).await;
            held.ended().await;
        }
    }
    one.stop().await;
}

#[tokio::test]
async fn messages_that_come_with_the_end_of_the_handshake_are_not_lost() {
    let (mut one, hand) = one_and_hand(rules()).await;
    let mut held = hand.dial(&one, Lane::Play).await.unwrap();
    held.say("a").await;
    held.say("b").await;
    one.expect_up(Lane::Play, 2, 1).await;
    one.expect(Lane::Play, 2, "a").await;
    one.expect(Lane::Play, 2, "b").await;
    one.stop().await;
}

#[tokio::test]
async fn whoever_says_nothing_is_not_waited_for() {
    let short = Duration::from_millis(50);
    let (one, _) = one_and_hand(Rules {
        preface_within: short,
        handshake_within: short,
        ..rules()
    })
    .await;
    for start in ["", "C", "P"] {
        let mut socket = open(&one).await;
        socket.write_all(start.as_bytes()).await.unwrap();
        assert_eq!(closed(&mut socket).await, b"");
    }
    one.stop().await;
}

#[tokio::test]
async fn a_place_that_does_not_answer_is_given_up_soon() {
    // A listener that accepts nothing, until its queue is full.
    let full = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    let any: std::net::SocketAddr = "127.0.0.1:0".parse().unwrap();
    full.bind(&any.into()).unwrap();
    full.listen(1).unwrap();
    let address = full.local_addr().unwrap().as_socket().unwrap();
    let rules = Rules {
        connect_within: Duration::from_millis(50),
        ..rules()
    };
    let mut member = Hand::new(hello(1)).member();
    member.address = address.to_string();
    let hand = Hand::with(hello(2), rules, None);
    let mut waiting = Vec::new();
    let late = Duration::from_millis(200);
    while let Ok(Ok(socket)) = timeout(late, TcpStream::connect(address)).await {
        waiting.push(socket);
    }
    let told = hand
        .dial_member(&member, Lane::Control)
        .await
        .err()
        .unwrap();
    assert_eq!(told.to_string(), format!("{address}: timed out"));
}

#[tokio::test]
async fn too_many_that_say_nothing_are_closed_at_once_and_make_room_again() {
    let (mut one, hand) = one_and_hand(Rules {
        handshakes_max: 2,
        preface_within: PATIENCE,
        handshake_within: PATIENCE,
        ..rules()
    })
    .await;
    let silent = [open(&one).await, open(&one).await];
    let mut third = open(&one).await;
    assert_eq!(closed(&mut third).await, b"");
    assert_eq!(one.transport.figures(Lane::Control).refused, 1);
    drop(silent);
    // The places are free once their ends are noticed.
    let held = loop {
        if let Ok(held) = hand.dial(&one, Lane::Control).await {
            break held;
        }
    };
    one.expect_up(Lane::Control, 2, 1).await;
    // A wire that stands takes no such place.
    let others = [open(&one).await, open(&one).await];
    let mut fifth = open(&one).await;
    assert_eq!(closed(&mut fifth).await, b"");
    drop((others, held));
    one.stop().await;
}

#[tokio::test]
async fn a_node_that_neither_reads_nor_writes_is_noticed_in_time() {
    let usual = Rules::default();
    let (mut one, hand) = one_and_hand(usual).await;
    for (lane, within) in [(Lane::Control, 1_500), (Lane::Play, 3_000)] {
        let began = Instant::now();
        let _held = hand.dial(&one, lane).await.unwrap();
        one.expect_up(lane, 2, 1).await;
        one.expect_down(lane, 2).await;
        let took = began.elapsed();
        // Some time for a machine that has other things to do.
        assert!(took < Duration::from_millis(within + 500), "{took:?}");
        assert!(took > Duration::from_millis(within / 2), "{took:?}");
    }
    one.stop().await;
}

#[tokio::test]
async fn a_node_that_writes_but_does_not_read_is_noticed_as_well() {
    let mut rules = rules();
    rules.control.pace.every = Duration::from_millis(20);
    rules.control.pace.within = Duration::from_millis(100);
    let (mut one, hand) = one_and_hand(rules).await;
    let mut held = hand.dial(&one, Lane::Control).await.unwrap();
    one.expect_up(Lane::Control, 2, 1).await;
    let mut said = 0;
    // It never sees a ping, so it never answers one, however much it has to say.
    while held.try_say("blah").await {
        said += 1;
    }
    let mut heard = 0;
    while let crate::transport::Inbound::Message { .. } = one.next(Lane::Control).await {
        heard += 1;
    }
    assert!(heard > 0 && heard <= said + 1, "{heard} of {said}");
    one.stop().await;
}

#[tokio::test]
async fn a_node_that_answers_pings_keeps_its_wire() {
    let mut rules = rules();
    rules.control.pace.every = Duration::from_millis(5);
    let (mut one, hand) = one_and_hand(rules).await;
    let mut held = hand.dial(&one, Lane::Control).await.unwrap();
    one.expect_up(Lane::Control, 2, 1).await;
    for number in 1..=20_u64 {
        let ping = held.read(Kind::Ping).await;
        assert_eq!(*ping, number.to_be_bytes());
        held.write(Kind::Pong, &ping).await;
    }
    // And is answered itself.
    held.write(Kind::Ping, b"01234567").await;
    assert_eq!(*held.read(Kind::Pong).await, *b"01234567");
    held.say("still here").await;
    one.expect(Lane::Control, 2, "still here").await;
    one.stop().await;
}
