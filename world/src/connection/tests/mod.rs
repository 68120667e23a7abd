//! `[edge]` Telnet connections over real sockets, with a session that the test plays. Method: a
//! connected client, messages put into the connection's mailbox, and exact bytes or messages
//! awaited; order is checked with messages that overtake nothing, never with time.

pub(crate) mod rig;

use super::ConnectionSettings;
use crate::event::{Event, LoginEvent, SystemEvent};
use crate::ring::{ConnectionMessage, Input};
use crate::text::{Depth, ViewerClass};
use rig::{Client, NEVER, Rig, notice};
use std::net::Shutdown;
use std::time::Duration;
use tokio::io::AsyncBufReadExt;
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::Instant;

/// The mark behind each prompt, until EOR is agreed.
const PROMPT: &[u8] = b"\xff\xf9";

fn gap(output_gap: Duration) -> ConnectionSettings {
    ConnectionSettings {
        output_gap,
        ..ConnectionSettings::default()
    }
}

fn future_bytes<A, B, F: Future>(_: fn(A, B) -> F) -> usize {
    size_of::<F>()
}

#[test]
fn an_idle_connection_is_small() {
    let (state, future) = (
        size_of::<super::Connection>(),
        future_bytes(super::Connection::run),
    );
    assert!(state + future <= 1_024, "{state} + {future} bytes");
}

#[tokio::test]
async fn offers_come_first_and_login_prompts_end_with_the_mark() {
    let mut rig = Rig::telnet(gap(NEVER)).await;
    let (mut client, line) = rig.connect().await;
    client.opening().await;
    line.ask_name();
    let text = String::from_utf8_lossy(&client.until(PROMPT).await).into_owned();
    assert!(
        text.contains("Name") && !text.contains('\n'),
        "an open line: {text:?}"
    );
    client.write(b"Ann\r\n").await;
    assert_eq!(rig.session.line().await, "Ann");
    client.write(b"\xff\xfd\x19").await;
    client.write(b"x\n").await;
    assert_eq!(rig.session.line().await, "x");
    line.show(Event::Login(LoginEvent::AskPassword), 2, false);
    line.send(ConnectionMessage::Hide(true));
    assert!(client.until(b"\xff\xef").await.starts_with(b"\xff\xfb\x01"));
    client.write(b"\xff\xfd\x01secret\r\n").await;
    assert_eq!(rig.session.line().await, "secret");
    line.show(Event::Login(LoginEvent::AskRepeat), 1, false);
    let text = client.until(b"\xff\xef").await;
    assert!(
        text.starts_with(b"\r\n"),
        "the hidden Enter left the cursor behind the prompt"
    );
    client.write(b"secret\r\n").await;
    assert_eq!(rig.session.line().await, "secret");
    line.send(ConnectionMessage::Hide(false));
    line.say("in", 1);
    let text = client.until(b"\xff\xef").await;
    assert!(
        text.starts_with(b"\xff\xfc\x01\r\nYou"),
        "one line end, not two: {text:?}"
    );
}

#[tokio::test]
async fn own_answers_take_what_waits_with_them() {
    let mut rig = Rig::telnet(gap(NEVER)).await;
    let (mut client, line) = rig.connect().await;
    client.opening().await;
    line.send(ConnectionMessage::LoggedIn);
    line.say("a", 0);
    client.until(PROMPT).await;
    line.notice("early");
    line.say("b", 0);
    let text = String::from_utf8_lossy(&client.until(PROMPT).await).into_owned();
    assert!(
        text.starts_with("\r\n"),
        "a fresh line after the prompt: {text:?}"
    );
    let early = text.find("early").unwrap();
    assert!(text.get(early..).unwrap().contains('b') && text.matches("> ").count() == 1);
}

#[tokio::test]
async fn ambient_text_waits_for_the_gap_and_gathers() {
    let wait = Duration::from_millis(60);
    let mut rig = Rig::telnet(gap(wait)).await;
    let (mut client, line) = rig.connect().await;
    client.opening().await;
    line.send(ConnectionMessage::LoggedIn);
    // Asked before the answer is written, so the gap begins later still.
    let start = Instant::now();
    line.say("x", 0);
    client.until(PROMPT).await;
    line.notice("one");
    line.notice("two");
    let text = client.until(PROMPT).await;
    assert!(start.elapsed() >= wait, "written too early");
    let text = String::from_utf8_lossy(&text);
    assert!(text.contains("one") && text.contains("two"), "{text:?}");
}

#[tokio::test]
async fn no_prompt_stands_in_the_way_of_an_answer_that_is_due() {
    let mut rig = Rig::telnet(gap(Duration::ZERO)).await;
    let (mut client, line) = rig.connect().await;
    client.opening().await;
    line.send(ConnectionMessage::LoggedIn);
    client.write(b"say x\r\n").await;
    assert_eq!(rig.session.line().await, "say x");
    line.notice("meanwhile");
    client.until(b"\r\n").await;
    line.say("x", 1);
    let text = String::from_utf8_lossy(&client.until(PROMPT).await).into_owned();
    assert!(
        text.starts_with("You say"),
        "neither a prompt nor an empty line: {text:?}"
    );
}

#[tokio::test]
async fn sixty_four_lines_ahead_and_then_the_socket_waits() {
    let mut rig = Rig::telnet(gap(NEVER)).await;
    let (mut client, line) = rig.connect().await;
    client.opening().await;
    let lines: String = (0..200).map(|n| format!("{n}\r\n")).collect();
    client.write(lines.as_bytes()).await;
    for n in 0..64 {
        assert_eq!(rig.session.line().await, n.to_string());
    }
    line.say("fifteen", 15);
    client.until(PROMPT).await;
    rig.session.nothing_more().await;
    line.nothing(1);
    for n in 64..80 {
        assert_eq!(rig.session.line().await, n.to_string());
    }
    line.say("none", 0);
    client.until(PROMPT).await;
    rig.session.nothing_more().await;
    line.nothing(16);
    for n in 80..200 {
        assert_eq!(rig.session.line().await, n.to_string());
        line.nothing(1);
    }
}

#[tokio::test]
async fn a_reader_that_never_reads_loses_ambient_text_and_then_the_socket() {
    let mut rig = Rig::telnet(gap(Duration::ZERO)).await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(128 * 1_024).unwrap();
    let mut client = Client::over(socket.connect(rig.address).await.unwrap());
    let line = rig.line().await;
    let words = "w".repeat(900);
    let sent = 12_000;
    for _ in 0..sent {
        line.0.send(notice(&words)).await.unwrap();
    }
    // The mailbox is in order: when the session is told, all notices were handled.
    line.send(ConnectionMessage::Color(Some(Depth::None)));
    assert_eq!(rig.session.terminal().await.depth, Depth::None);
    line.say("end", 0);
    let text = client.until(PROMPT).await;
    let text = String::from_utf8_lossy(&text);
    let came = text.matches(&words).count();
    assert!(came < sent && came > 60, "{came} of {sent}");
    let lost = render(&Event::System(SystemEvent::LostTrack));
    assert!(text.contains(&lost), "the player is told");

    for _ in 0..20_000 {
        if line.0.send(show(&words)).await.is_err() {
            break;
        }
    }
    rig.session.closed().await;
    client.rest().await;
}

fn show(text: &str) -> ConnectionMessage {
    ConnectionMessage::Show(Box::new(crate::ring::Shown {
        event: Event::Did(crate::event::Did::Say(text.into())),
        lines_done: 0,
        prompt: false,
    }))
}

fn render(event: &Event) -> String {
    let mut out = Vec::new();
    let viewer = ViewerClass {
        depth: Depth::None,
        ..ViewerClass::default()
    };
    super::pen::Pen {
        viewer,
        world: &rig::world(),
    }
    .event(event, &mut out);
    String::from_utf8(out).unwrap().trim().to_owned()
}

#[tokio::test]
async fn a_half_closed_client_gets_its_answers() {
    let mut rig = Rig::telnet(gap(NEVER)).await;
    let (mut client, line) = rig.connect().await;
    client.write(b"look\r\n").await;
    socket2::SockRef::from(client.0.get_ref())
        .shutdown(Shutdown::Write)
        .unwrap();
    assert_eq!(rig.session.line().await, "look");
    rig.session.nothing_more().await;
    line.say("answer", 1);
    let text = client.rest().await;
    assert!(String::from_utf8_lossy(&text).contains("answer"));
    rig.session.closed().await;
}

#[tokio::test]
async fn a_reset_ends_the_connection() {
    let mut rig = Rig::telnet(gap(NEVER)).await;
    let (mut client, _line) = rig.connect().await;
    client.opening().await;
    socket2::SockRef::from(client.0.get_ref())
        .set_linger(Some(Duration::ZERO))
        .unwrap();
    drop(client);
    rig.session.closed().await;
}

#[tokio::test]
async fn last_words_are_written_before_the_end() {
    let mut rig = Rig::telnet(gap(NEVER)).await;
    let (mut client, line) = rig.connect().await;
    // More than is read: it must not reset the socket under our last words.
    client.write("more\r\n".repeat(10_000).as_bytes()).await;
    for _ in 0..64 {
        assert_eq!(rig.session.line().await, "more");
    }
    line.notice("seen");
    let goodbye = SystemEvent::Goodbye("Come back soon.".into());
    line.send(ConnectionMessage::Close(Box::new(Event::System(goodbye))));
    let text = String::from_utf8_lossy(&client.clean_rest().await).into_owned();
    assert!(
        text.contains("seen") && text.contains("Come back soon."),
        "{text:?}"
    );
    assert!(!text.contains("> "), "no prompt after the end: {text:?}");
    rig.session.closed().await;
}

#[tokio::test]
async fn strangers_are_answered_in_their_own_words() {
    let mut rig = Rig::telnet(gap(NEVER)).await;
    let (mut client, _line) = rig.connect().await;
    client.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    let answer = client.rest().await;
    assert!(String::from_utf8_lossy(&answer).contains("HTTP/1.1 400"));
    rig.session.closed().await;
    let (mut client, _line) = rig.connect().await;
    client.write(b"\x16\x03\x01\x02\x00\x01").await;
    client.rest().await;
    rig.session.closed().await;
}

#[tokio::test]
async fn a_login_that_takes_too_long_is_ended() {
    let login_deadline = Duration::from_millis(30);
    let mut rig = Rig::telnet(ConnectionSettings {
        login_deadline,
        ..gap(NEVER)
    })
    .await;
    let (mut client, _line) = rig.connect().await;
    let text = client.rest().await;
    let late = render(&Event::Login(LoginEvent::TooSlow));
    assert!(String::from_utf8_lossy(&text).contains(&late));
    rig.session.closed().await;
}

#[tokio::test]
async fn a_player_whose_session_ended_is_told() {
    let mut rig = Rig::telnet(gap(NEVER)).await;
    let (mut client, _line) = rig.connect().await;
    client.opening().await;
    rig.session.mailbox.close();
    client.write(b"look\r\n").await;
    let text = client.rest().await;
    assert!(String::from_utf8_lossy(&text).contains("session has ended"));
}

#[tokio::test]
async fn input_follows_the_session_that_adopts() {
    let mut rig = Rig::telnet(gap(NEVER)).await;
    let mut other = Rig::telnet(gap(NEVER)).await;
    let (mut client, line) = rig.connect().await;
    client.write("one\r\n".repeat(64).as_bytes()).await;
    for _ in 0..64 {
        assert_eq!(rig.session.line().await, "one");
    }
    line.send(ConnectionMessage::Adopt(other.session.port.clone()));
    other.session.terminal().await;
    client.write(b"two\r\n").await;
    assert_eq!(other.session.line().await, "two");
    drop(client);
    other.session.closed().await;
    rig.session.nothing_more().await;
}

#[tokio::test]
async fn each_address_has_its_share_and_gets_it_back() {
    let settings = ConnectionSettings {
        per_loopback_max: Some(1),
        ..gap(NEVER)
    };
    let mut rig = Rig::telnet(settings).await;
    let (client, _line) = rig.connect().await;
    let mut second = Client::connect(rig.address).await;
    let text = second.rest().await;
    assert_eq!(text, b"Too many connections from your address.\r\n");
    assert!(rig.has_no_line());
    drop(client);
    rig.session.closed().await;
    // The seat is free a moment after the session heard of it.
    loop {
        let mut third = Client::connect(rig.address).await;
        if third.0.fill_buf().await.unwrap().starts_with(&[0xff]) {
            break third.opening().await;
        }
    }
}

#[tokio::test]
async fn a_full_node_says_so() {
    let settings = ConnectionSettings {
        connections_max: 0,
        ..gap(NEVER)
    };
    let rig = Rig::telnet(settings).await;
    let mut client = Client::connect(rig.address).await;
    assert_eq!(client.rest().await, b"Busy, try again later.\r\n");
    let mut rig = Rig::telnet(gap(NEVER)).await;
    rig.fill();
    let mut client = Client::connect(rig.address).await;
    assert_eq!(client.rest().await, b"Busy, try again later.\r\n");
}

#[tokio::test]
async fn a_stopped_node_writes_what_it_was_told_and_listens_no_more() {
    let mut rig = Rig::telnet(gap(NEVER)).await;
    let (mut client, line) = rig.connect().await;
    client.opening().await;
    line.notice("pending");
    let address = rig.address;
    let (report, text) = tokio::join!(rig.node.stop(Duration::from_secs(10)), async move {
        client.rest().await
    });
    assert!(report.not_stopped.is_empty(), "{report:?}");
    assert!(String::from_utf8_lossy(&text).contains("pending"));
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn a_refusal_to_hide_and_an_interrupt_are_passed_on() {
    let mut rig = Rig::telnet(gap(NEVER)).await;
    let (mut client, line) = rig.connect().await;
    client.opening().await;
    line.send(ConnectionMessage::Hide(true));
    client.until(b"\xff\xfb\x01").await;
    client.write(b"\xff\xfe\x01\xff\xf4").await;
    assert!(matches!(rig.session.input().await, Input::Echoes));
    assert!(matches!(rig.session.input().await, Input::Interrupt));
    client.write(b"\xff\xf6").await;
    let alive = render(&Event::System(SystemEvent::Alive));
    client.until(alive.as_bytes()).await;
}
