//! `[edge]` Nodes that ask to join.

use super::hand::Hand;
use super::rig::{PATIENCE, Peer, TempDir, hello, name, rules, setup};
use crate::cert;
use crate::command::Candidate;
use crate::ids::{ContentHash, DirectoryMark, Incarnation, NodeId, NodeName};
use crate::transport::{Lane, Member};
use crate::wire::ask::ask_with;
use crate::wire::frame::Kind;
use crate::wire::greet::{self, Framed};
use crate::wire::handshake::{First, Versions};
use crate::wire::rules::Rules;
use crate::wire::{Door, Hello, JoinAnswer, JoinAsk, JoinError, JoinReply, ask_to_join, join};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc::{Receiver, channel};
use tokio::time::timeout;

fn ask(name: NodeName) -> JoinAsk {
    JoinAsk {
        candidate: Candidate {
            name,
            mark: DirectoryMark([3; 16]),
            incarnation: Incarnation(1),
            address: "192.0.2.7:7000".to_owned(),
            content: ContentHash([7; 32]),
        },
        boot_ms: 55,
    }
}

fn joined() -> JoinAnswer {
    JoinAnswer::Joined {
        number: NodeId(2),
        cluster: "north".to_owned(),
        members: vec![Member {
            node: NodeId(1),
            name: name(1),
            address: "192.0.2.1:7000".to_owned(),
            incarnation: Incarnation(4),
        }],
    }
}

async fn one_with(door: Door, rules: Rules) -> Peer {
    let mut setup = setup(1);
    (setup.door, setup.rules) = (door, rules);
    setup.start().await
}

/// A door whose replies the test gives.
fn waiting_door() -> (Door, Receiver<(JoinAsk, JoinReply)>) {
    let (rings, rung) = channel(64);
    let door = Arc::new(move |ask, reply| drop(rings.try_send((ask, reply))));
    (door, rung)
}

async fn asked(to: &Peer, ask: &JoinAsk) -> Result<JoinAnswer, JoinError> {
    ask_to_join(&to.address().to_string(), None, ask).await
}

#[tokio::test]
async fn whoever_asks_gets_the_answer_of_the_door() {
    let dir = TempDir::new();
    let ca = dir.ca("ca");
    let answers = [
        joined(),
        JoinAnswer::TryThere {
            address: "192.0.2.3:7000".to_owned(),
        },
        JoinAnswer::Refused {
            why: "the cluster is full".to_owned(),
        },
    ];
    let (door, mut rung) = waiting_door();
    let mut setup = dir.setup(&ca, 1);
    setup.door = door;
    let one = setup.start().await;
    let tls = cert::load(&dir.node(&ca, 2)).unwrap();
    for answer in answers {
        let (address, ask) = (one.address().to_string(), ask(name(2)));
        let answered = async {
            let (came, reply) = timeout(PATIENCE, rung.recv()).await.unwrap().unwrap();
            assert_eq!(came, ask);
            reply.answer(answer.clone());
        };
        let (got, ()) = tokio::join!(ask_to_join(&address, Some(&tls), &ask), answered);
        assert_eq!(got, Ok(answer));
    }
    one.stop().await;
}

#[tokio::test]
async fn without_an_answer_whoever_asks_is_told_to_come_again() {
    let (door, mut rung) = waiting_door();
    let short = Rules {
        join_within: Duration::from_millis(50),
        ..rules()
    };
    let one = one_with(door, short).await;
    // Too late.
    let late = asked(&one, &ask(name(2))).await;
    assert_eq!(late, Err(JoinError::NoAnswer));
    // Its reply has nobody left to hear it.
    rung.recv().await.unwrap().1.answer(joined());
    one.stop().await;
    // Dropped.
    let one = one_with(Arc::new(|_, reply| drop(reply)), rules()).await;
    let dropped = asked(&one, &ask(name(2))).await;
    assert_eq!(dropped, Err(JoinError::NoAnswer));
    one.stop().await;
}

#[tokio::test]
async fn too_many_that_ask_are_told_so() {
    let (door, mut rung) = waiting_door();
    let few = Rules {
        joins_max: 1,
        ..rules()
    };
    let one = one_with(door, few).await;
    let first = ask(name(2));
    let second = async {
        let (_, reply) = rung.recv().await.unwrap();
        let refused = asked(&one, &ask(name(3))).await.unwrap_err().to_string();
        assert!(refused.contains("too many nodes ask to join"), "{refused}");
        reply.answer(joined());
    };
    let (got, ()) = tokio::join!(asked(&one, &first), second);
    assert_eq!(got, Ok(joined()));
    one.stop().await;
}

#[tokio::test]
async fn whoever_asks_is_looked_at_like_a_member() {
    let rung = Arc::new(Mutex::new(0));
    let counts = Arc::clone(&rung);
    let door: Door = Arc::new(move |_, reply| {
        *counts.lock().unwrap() += 1;
        reply.answer(joined());
    });
    let one = one_with(door, rules()).await;
    let refused = async |change: &dyn Fn(&mut JoinAsk), versions, expected: &str| {
        let mut ask = ask(name(2));
        change(&mut ask);
        let asked = ask_with(&one.address().to_string(), None, &ask, versions).await;
        let told = asked.unwrap_err().to_string();
        assert!(told.contains(expected), "{told}");
    };
    let ours = Versions::ours();
    let same_name = |ask: &mut JoinAsk| ask.candidate.name = name(1);
    refused(&same_name, ours, "this node is called n1").await;
    let itself = |ask: &mut JoinAsk| {
        (ask.candidate.name, ask.boot_ms) = (name(1), 1_001);
    };
    refused(&itself, ours, "node n1 reached itself").await;
    let other_content = |ask: &mut JoinAsk| ask.candidate.content = ContentHash([1; 32]);
    refused(&other_content, ours, "the content (areas) of node n2").await;
    let newer = Versions { min: 2, max: 3 };
    refused(
        &|_| {},
        newer,
        "this node (version 1) and the other (versions 2 to 3)",
    )
    .await;
    let long = |ask: &mut JoinAsk| ask.candidate.address = "x".repeat(1_000);
    refused(&long, ours, "cannot be read").await;
    assert_eq!(*rung.lock().unwrap(), 0);
    assert_eq!(asked(&one, &ask(name(2))).await, Ok(joined()));
    one.stop().await;
}

#[tokio::test]
async fn nobody_answers_where_nobody_is() {
    let gone = setup(1).start().await;
    let address = gone.address().to_string();
    gone.stop().await;
    let error = ask_to_join(&address, None, &ask(name(2)))
        .await
        .unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with(&address), "{text}");
    assert!(text.contains("refused"), "{text}");
}

/// A node without a number that is through the first frames.
async fn knock(to: &Peer, lane: Lane) -> Result<Framed, greet::HandshakeError> {
    let ours = First {
        versions: Versions::ours(),
        lane,
        hello: Hello {
            cluster: String::new(),
            node: None,
            boot_ms: 55,
            ..hello(2)
        },
        address: String::new(),
    };
    let knocked = greet::knock(&to.address().to_string(), None, &ours).await;
    knocked.map(|(framed, _)| framed)
}

#[tokio::test]
async fn a_node_without_a_number_may_do_nothing_but_ask_once() {
    let (door, mut rung) = waiting_door();
    let one = one_with(door, rules()).await;
    let told = knock(&one, Lane::Play).await.err().unwrap().to_string();
    assert!(told.contains("nodes do not join here"), "{told}");
    // Anything but a question, or a question that is another node's.
    let other = join::encode(&ask(name(3)));
    let wrong = [
        (Kind::Ready, &b""[..]),
        (Kind::Message, b"hello"),
        (Kind::JoinAsk, b"garbage"),
        (Kind::JoinAsk, &other),
    ];
    for (kind, body) in wrong {
        let mut framed = knock(&one, Lane::Control).await.unwrap();
        framed.write(kind, body).await;
        let read = timeout(PATIENCE, framed.read(Kind::JoinAnswer)).await;
        assert!(read.expect("it is not closed").is_err(), "{kind:?}");
    }
    // Asked twice, it is answered once.
    let mut framed = knock(&one, Lane::Control).await.unwrap();
    let question = join::encode(&ask(name(2)));
    framed.write(Kind::JoinAsk, &question).await;
    framed.write(Kind::JoinAsk, &question).await;
    rung.recv().await.unwrap().1.answer(joined());
    let answer = framed.read(Kind::JoinAnswer).await.unwrap();
    assert_eq!(join::decode(&answer), Some(joined()));
    assert!(framed.read(Kind::JoinAnswer).await.is_err());
    assert!(rung.try_recv().is_err());
    one.stop().await;
}

#[tokio::test]
async fn a_member_that_is_given_the_door_of_another_cluster_is_refused() {
    let one = setup(1).start().await;
    let stranger = Hand::new(Hello {
        cluster: "south".to_owned(),
        ..hello(2)
    });
    let told = stranger.refused(&one, Lane::Control).await;
    assert!(told.contains("this is cluster \"north\""), "{told}");
    one.stop().await;
}

#[test]
fn questions_and_answers_keep_their_bytes() {
    let ask = join::encode(&ask(name(2)));
    let mut golden = vec![2, b'n', b'2'];
    golden.extend([3; 16]);
    golden.extend([1, 14]);
    golden.extend(b"192.0.2.7:7000");
    golden.extend([7; 32]);
    golden.push(55);
    assert_eq!(*ask, *golden);
    let answer = join::encode(&joined());
    assert_eq!(
        *answer,
        *b"\x00\x02\x05north\x01\x01\x02n1\x0e192.0.2.1:7000\x04"
    );
    for end in 0..answer.len() {
        assert_eq!(join::decode::<JoinAnswer>(&answer[..end]), None);
    }
    let there = JoinAnswer::TryThere {
        address: "a:1".to_owned(),
    };
    assert_eq!(*join::encode(&there), *b"\x01\x03a:1");
    let refused = JoinAnswer::Refused {
        why: "no".to_owned(),
    };
    assert_eq!(*join::encode(&refused), *b"\x02\x02no");
}
