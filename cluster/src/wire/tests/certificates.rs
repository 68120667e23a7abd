//! `[edge]` Who is let in under which certificate, and what changes while nodes run.

use super::hand::Hand;
use super::rig::{LANES, Peer, Setup, TempDir, hello, introduce, name, pair, rules, setup};
use crate::cert::{self, CA_FILE, NODE_FILE, NODE_KEY_FILE, Tls, Validity};
use crate::transport::{Lane, Transport as _};
use crate::wire::{OpenError, WireConfig, Wires};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// n1 with a certificate of this authority; it knows n2.
async fn one_of(dir: &TempDir, ca: &Path) -> Peer {
    let one = dir.setup(ca, 1).start().await;
    one.transport.members(&[Hand::new(hello(2)).member()]);
    one
}

fn hand(tls: Option<Tls>) -> Hand {
    Hand::with(hello(2), rules(), tls)
}

async fn is_let_in(one: &mut Peer, tls: &Tls) {
    let _held = hand(Some(tls.clone()))
        .dial(one, Lane::Control)
        .await
        .unwrap();
    one.expect_up(Lane::Control, 2, 1).await;
    drop(_held);
    one.expect_down(Lane::Control, 2).await;
}

#[tokio::test]
async fn a_certificate_of_another_authority_is_refused_by_both_ends() {
    let dir = TempDir::new();
    let (ca, other) = (dir.ca("ca"), dir.ca("other"));
    let mut one = one_of(&dir, &ca).await;
    let foreign = dir.node(&other, 2);
    let told = hand(Some(cert::load(&foreign).unwrap()));
    let told = told.refused(&one, Lane::Control).await;
    assert_eq!(told, "its certificate is signed by none of our authorities");
    // One that trusts ours is told by ours.
    let both = [ca.join(CA_FILE), other.join(CA_FILE)].map(|file| fs::read(file).unwrap());
    fs::write(foreign.join(CA_FILE), both.concat()).unwrap();
    let told = hand(Some(cert::load(&foreign).unwrap()));
    let told = told.refused(&one, Lane::Control).await;
    let expected = "it trusts none of the authorities that signed our certificate";
    assert_eq!(told, expected);
    let good = dir.join("good");
    cert::new_certificate(&ca, &name(2), &good).unwrap();
    is_let_in(&mut one, &cert::load(&good).unwrap()).await;
    one.stop().await;
}

#[tokio::test]
async fn the_certificate_of_another_node_is_refused_by_both_ends() {
    let dir = TempDir::new();
    let ca = dir.ca("ca");
    let one = one_of(&dir, &ca).await;
    let third = cert::load(&dir.node(&ca, 3)).unwrap();
    let told = hand(Some(third.clone())).refused(&one, Lane::Play).await;
    assert!(
        told.contains("node n2 shows a certificate for n3"),
        "{told}"
    );
    // A node that answers with a certificate that is not its own cannot be opened.
    let config = WireConfig {
        me: hello(2),
        listen: "0.0.0.0:0".parse().unwrap(),
        advertise: None,
        seeds: Vec::new(),
        tls: Some(third),
    };
    match Wires::open(config).unwrap_err() {
        OpenError::OtherCertificate { node, certificate } => {
            assert_eq!((node, &*certificate), (name(2), "n3"));
        }
        other => panic!("{other}"),
    }
    one.stop().await;
}

#[tokio::test]
async fn whoever_answers_with_the_certificate_of_another_node_is_refused() {
    let dir = TempDir::new();
    let ca = dir.ca("ca");
    // Its certificate is exchanged for that of another node while it runs.
    let mut setup = dir.setup(&ca, 1);
    let own = dir.join("n1");
    setup.tls = Some(cert::load(&own).unwrap());
    let one = setup.start().await;
    one.transport.members(&[Hand::new(hello(2)).member()]);
    let third = dir.node(&ca, 3);
    for file in [NODE_KEY_FILE, NODE_FILE] {
        fs::rename(third.join(file), own.join(file)).unwrap();
    }
    let told = hand(Some(cert::load(&dir.node(&ca, 2)).unwrap()));
    let told = told.refused(&one, Lane::Control).await;
    assert_eq!(told, "refused: node n1 shows a certificate for n3");
    one.stop().await;
}

#[tokio::test]
async fn an_expired_certificate_is_refused() {
    let dir = TempDir::new();
    let ca = dir.ca("ca");
    let one = one_of(&dir, &ca).await;
    let old = dir.join("old");
    let now = Validity::from_now(Duration::ZERO).until;
    let over = Validity {
        from: now - Duration::days(9),
        until: now - Duration::days(2),
    };
    cert::issue(&ca, &name(2), &old, over).unwrap();
    // It cannot even be loaded; whoever takes it all the same is told.
    let text = cert::load(&old).unwrap_err().to_string();
    assert!(text.contains("node.pem: expired on 20"), "{text}");
    let told = hand(Some(cert::load_as_of_days_ago(&old, 5).unwrap()));
    let told = told.refused(&one, Lane::Control).await;
    assert_eq!(told, "our certificate has expired, it says");
    one.stop().await;
}

#[tokio::test]
async fn whoever_shows_no_certificate_is_refused_and_sees_that_of_the_node() {
    let dir = TempDir::new();
    let ca = dir.ca("ca");
    let one = one_of(&dir, &ca).await;
    let authority = fs::read(ca.join(CA_FILE)).unwrap();
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_slice(&authority).unwrap())
        .unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let mut socket = TcpStream::connect(one.address()).await.unwrap();
    socket.write_all(b"C").await.unwrap();
    // Any client finds that the certificate is that of n1.
    let name = ServerName::try_from("n1.belay.cluster").unwrap();
    let connector = TlsConnector::from(Arc::new(config));
    let mut stream = connector.connect(name, socket).await.unwrap();
    let refused = stream.read_u8().await.unwrap_err().to_string();
    assert!(refused.contains("CertificateRequired"), "{refused}");
    let trouble = one.trouble_with("127.0.0.1").await;
    assert_eq!(trouble, "it shows no certificate");
    one.stop().await;
}

#[tokio::test]
async fn nodes_with_and_without_certificates_do_not_speak_and_say_why() {
    let dir = TempDir::new();
    let ca = dir.ca("ca");
    let with = one_of(&dir, &ca).await;
    let told = hand(None).refused(&with, Lane::Control).await;
    let by_who_has_none = "garbage: it speaks TLS, and this node has no certificates";
    assert_eq!(told, by_who_has_none);
    let by_who_has_some = "it does not speak TLS; does it have certificates?";
    assert_eq!(with.trouble_with("127.0.0.1").await, by_who_has_some);
    let without = setup(1).start().await;
    without.transport.members(&[Hand::new(hello(2)).member()]);
    let tls = cert::load(&dir.node(&ca, 2)).unwrap();
    let told = hand(Some(tls)).refused(&without, Lane::Control).await;
    assert!(!told.is_empty());
    assert_eq!(without.trouble_with("127.0.0.1").await, by_who_has_none);
    with.stop().await;
    without.stop().await;
}

#[tokio::test]
async fn changed_certificates_are_used_without_a_restart_and_bad_ones_are_not() {
    let dir = TempDir::new();
    let (old_ca, new_ca) = (dir.ca("old"), dir.ca("new"));
    let mut one = one_of(&dir, &old_ca).await;
    let [old_two, new_two] = [("two-old", &old_ca), ("two-new", &new_ca)].map(|(place, ca)| {
        let place = dir.join(place);
        cert::new_certificate(ca, &name(2), &place).unwrap();
        // Both trust both: this test is about what n1 trusts and shows.
        cert::new_certificate(&old_ca, &name(9), &dir.join("nine")).unwrap();
        let both = [&old_ca, &new_ca].map(|ca| fs::read(ca.join(CA_FILE)).unwrap());
        fs::write(place.join(CA_FILE), both.concat()).unwrap();
        cert::load(&place).unwrap()
    });
    is_let_in(&mut one, &old_two).await;
    hand(Some(new_two.clone()))
        .refused(&one, Lane::Control)
        .await;
    // Both authorities are trusted in the middle of the roll.
    let own = dir.join("n1");
    let both = [&old_ca, &new_ca].map(|ca| fs::read(ca.join(CA_FILE)).unwrap());
    fs::write(own.join(CA_FILE), both.concat()).unwrap();
    is_let_in(&mut one, &old_two).await;
    is_let_in(&mut one, &new_two).await;
    // A certificate of the new authority, made in place.
    cert::new_certificate(&new_ca, &name(1), &own).unwrap();
    is_let_in(&mut one, &old_two).await;
    is_let_in(&mut one, &new_two).await;
    // Files that are bad change nothing.
    let key = fs::read(own.join(NODE_KEY_FILE)).unwrap();
    fs::write(own.join(NODE_KEY_FILE), "no key").unwrap();
    is_let_in(&mut one, &new_two).await;
    fs::write(own.join(NODE_KEY_FILE), key).unwrap();
    // The end of the roll.
    fs::write(own.join(CA_FILE), &both[1]).unwrap();
    is_let_in(&mut one, &new_two).await;
    let told = hand(Some(old_two)).refused(&one, Lane::Control).await;
    assert!(told.contains("it trusts none of the authorities"), "{told}");
    one.stop().await;
}

#[tokio::test]
async fn wires_that_stand_outlive_a_change_of_certificates() {
    let dir = TempDir::new();
    let ca = dir.ca("ca");
    let (one, two) = (dir.setup(&ca, 1), dir.setup(&ca, 2));
    let (mut one, mut two): (Peer, Peer) = pair([one, two]).await;
    cert::new_certificate(&ca, &name(1), &dir.join("n1")).unwrap();
    for lane in LANES {
        one.say(lane, 2, "still here");
        two.expect(lane, 1, "still here").await;
    }
    // A third one is let in under the new certificate.
    let three: Setup = dir.setup(&ca, 3);
    let mut three = three.start().await;
    introduce(&[&one, &two, &three]);
    for lane in LANES {
        one.expect_up(lane, 3, 1).await;
        two.expect_up(lane, 3, 1).await;
        three.next(lane).await;
        three.next(lane).await;
    }
    for node in [one, two, three] {
        node.stop().await;
    }
}
