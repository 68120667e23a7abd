//! `[edge]` HTTP and WebSocket over real sockets: a hand-made client, so that what no library would
//! send can be sent, and a session that the test plays.

use super::WebDoor;
use super::limits::FRAME_BYTES_MAX;
use crate::connection::tests::rig::{Client, NEVER, Rig};
use crate::connection::{ConnectionSettings, Door};
use crate::event::{Event, SystemEvent};
use crate::ring::{ConnectionMessage, Input};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;

const TEXT: u8 = 0x81;
const BINARY: u8 = 0x82;

async fn start(settings: ConnectionSettings) -> Rig {
    let door = WebDoor {
        page: "Connect with telnet.\n".into(),
        origins: vec!["https://play.example".into()],
    };
    Rig::start(settings, Door::Web(Arc::new(door))).await
}

fn settings() -> ConnectionSettings {
    ConnectionSettings {
        output_gap: NEVER,
        ..ConnectionSettings::default()
    }
}

async fn request(rig: &Rig, path: &str, headers: &str) -> Client {
    let mut client = Client::connect(rig.address).await;
    let host = rig.address;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n");
    client.write(request.as_bytes()).await;
    client
}

const UPGRADE: &str = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/// A client after the handshake, and the head of the answer.
async fn shake(rig: &Rig, headers: &str) -> (Client, String) {
    let mut client = request(rig, "/ws", &format!("{UPGRADE}{headers}")).await;
    let head = String::from_utf8(client.until(b"\r\n\r\n").await).unwrap();
    (client, head)
}

/// A client's frame with mask 0, which leaves the payload as it is.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let length = u16::try_from(payload.len()).unwrap();
    let mut bytes = vec![first];
    if length < 126 {
        bytes.push(0x80 | u8::try_from(length).unwrap());
    } else {
        bytes.push(0x80 | 126);
        bytes.extend_from_slice(&length.to_be_bytes());
    }
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(payload);
    bytes
}

/// The next frame of the server.
async fn receive(client: &mut Client) -> (u8, Vec<u8>) {
    let first = client.0.read_u8().await.unwrap();
    let length = match client.0.read_u8().await.unwrap() {
        126 => usize::from(client.0.read_u16().await.unwrap()),
        127 => panic!("a frame that long was not expected"),
        short => usize::from(short),
    };
    let mut payload = vec![0; length];
    client.0.read_exact(&mut payload).await.unwrap();
    (first, payload)
}

async fn check_close(client: &mut Client, expected: u16) {
    let (first, payload) = receive(client).await;
    assert_eq!(first, 0x88, "a close frame, not {payload:?}");
    assert_eq!(payload.get(..2).unwrap(), expected.to_be_bytes());
    assert!(client.rest().await.is_empty(), "nothing follows a close");
}

fn future_bytes<A, B, C, D, E, F: Future>(_: fn(A, B, C, D, E) -> F) -> usize {
    size_of::<F>()
}

#[test]
fn a_websocket_carries_nothing_of_http() {
    let bytes = future_bytes(super::serve);
    assert!(bytes <= 1_024, "{bytes} bytes");
}

#[tokio::test]
async fn without_a_subprotocol_text_goes_in_text_frames() {
    let mut rig = start(settings()).await;
    let (mut client, head) = shake(&rig, "").await;
    assert!(head.starts_with("HTTP/1.1 101"), "{head}");
    assert!(
        head.to_lowercase()
            .contains("sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo=")
    );
    let line = rig.line().await;
    line.ask_name();
    let (first, text) = receive(&mut client).await;
    assert_eq!(first, TEXT);
    assert!(!text.contains(&0xff), "no telnet mark: {text:?}");
    client.write(&frame(TEXT, b"Ann")).await;
    assert_eq!(rig.session.line().await, "Ann");
    client.write(&frame(BINARY, b"one\r\ntwo\r\n")).await;
    assert_eq!(rig.session.line().await, "one");
    assert_eq!(rig.session.line().await, "two");
    line.send(ConnectionMessage::LoggedIn);
    line.say("hello", 3);
    let (_, text) = receive(&mut client).await;
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("hello") && text.contains("> "), "{text:?}");
}

#[tokio::test]
async fn the_terminal_subprotocol_uses_binary_frames() {
    let mut rig = start(settings()).await;
    let offer = "Sec-WebSocket-Protocol: gmcp.mudstandards.org, terminal.mudstandards.org\r\n";
    let (mut client, head) = shake(&rig, offer).await;
    assert!(
        head.contains("terminal.mudstandards.org") && !head.contains("gmcp"),
        "{head}"
    );
    rig.line().await.ask_name();
    assert_eq!(receive(&mut client).await.0, BINARY);
}

#[tokio::test]
async fn handshakes_that_cannot_be_met_are_refused() {
    let mut rig = start(settings()).await;
    for (headers, expected) in [
        (
            "Sec-WebSocket-Protocol: telnet.mudstandards.org\r\n",
            "HTTP/1.1 400",
        ),
        ("Origin: https://evil.example\r\n", "HTTP/1.1 403"),
    ] {
        let (_client, head) = shake(&rig, headers).await;
        assert!(head.starts_with(expected), "{head}");
    }
    let mut client = request(&rig, "/ws", "").await;
    assert!(client.until(b"\r\n\r\n").await.starts_with(b"HTTP/1.1 426"));
    assert!(rig.has_no_line(), "none of them got a session");
    let own = format!("Origin: http://{}\r\n", rig.address);
    assert!(shake(&rig, &own).await.1.starts_with("HTTP/1.1 101"));
    let listed = "Origin: https://play.example\r\n";
    assert!(shake(&rig, listed).await.1.starts_with("HTTP/1.1 101"));
}

#[tokio::test]
async fn the_page_says_how_to_connect() {
    let rig = start(settings()).await;
    let mut client = request(&rig, "/", "").await;
    let answer = String::from_utf8(client.rest().await).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("Connect with telnet.\n"));
    let mut client = request(&rig, "/else", "").await;
    assert!(client.rest().await.starts_with(b"HTTP/1.1 404"));
}

#[tokio::test]
async fn a_head_that_is_too_long_is_refused() {
    let rig = start(settings()).await;
    let mut client = request(&rig, "/", &format!("X: {}\r\n", "x".repeat(20_000))).await;
    let answer = client.rest().await;
    assert!(
        answer.is_empty() || answer.starts_with(b"HTTP/1.1 431"),
        "{answer:?}"
    );
}

#[tokio::test]
async fn broken_frames_are_closed_with_their_code() {
    let mut rig = start(settings()).await;
    for (bytes, expected) in [
        (b"\x81\x04look".to_vec(), 1002),
        (frame(0xc1, b"compressed"), 1002),
        (frame(TEXT, b"\xff\xfe\xfd"), 1007),
        (frame(TEXT, &vec![b'x'; FRAME_BYTES_MAX + 1]), 1009),
    ] {
        let (mut client, _) = shake(&rig, "").await;
        client.write(&bytes).await;
        check_close(&mut client, expected).await;
        rig.session.closed().await;
    }
}

#[tokio::test]
async fn closes_tell_why() {
    let mut rig = start(settings()).await;
    for (event, expected) in [
        (SystemEvent::Kicked("rude".into()), 1008),
        (SystemEvent::ShuttingDown, 1001),
        (SystemEvent::NodeStops, 1001),
        (SystemEvent::Goodbye("bye".into()), 1000),
    ] {
        let (mut client, _) = shake(&rig, "").await;
        let line = rig.line().await;
        line.send(ConnectionMessage::Close(Box::new(Event::System(event))));
        assert_eq!(receive(&mut client).await.0, TEXT);
        check_close(&mut client, expected).await;
        rig.session.closed().await;
    }
}

#[tokio::test]
async fn a_node_that_stops_goes_away() {
    let mut rig = start(settings()).await;
    let (mut client, _) = shake(&rig, "").await;
    rig.line().await;
    let stop = rig.node.stop(Duration::from_secs(10));
    let (report, ()) = tokio::join!(stop, async move { check_close(&mut client, 1001).await });
    assert!(report.not_stopped.is_empty(), "{report:?}");
}

#[tokio::test]
async fn a_client_that_closes_gets_its_close_back() {
    let mut rig = start(settings()).await;
    let (mut client, _) = shake(&rig, "").await;
    client.write(&frame(0x88, &1000_u16.to_be_bytes())).await;
    check_close(&mut client, 1000).await;
    assert!(matches!(rig.session.input().await, Input::Closed));
}

#[tokio::test]
async fn frames_that_come_with_the_handshake_are_read() {
    let mut rig = start(settings()).await;
    let mut client = Client::connect(rig.address).await;
    let mut bytes = format!("GET /ws HTTP/1.1\r\nHost: x\r\n{UPGRADE}\r\n").into_bytes();
    bytes.extend(frame(TEXT, b"early"));
    client.write(&bytes).await;
    assert_eq!(rig.session.line().await, "early");
}

#[tokio::test]
async fn a_full_node_says_so_in_http() {
    let rig = start(ConnectionSettings {
        connections_max: 0,
        ..settings()
    })
    .await;
    let mut client = Client::connect(rig.address).await;
    assert!(client.rest().await.starts_with(b"HTTP/1.1 503"));
    let mut rig = start(settings()).await;
    rig.fill();
    let (mut client, _) = shake(&rig, "").await;
    assert_eq!(
        receive(&mut client).await,
        (TEXT, b"Busy, try again later.\r\n".to_vec())
    );
    check_close(&mut client, 1008).await;
}
