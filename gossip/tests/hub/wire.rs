//! `[edge]` The hub on the wire: HTTP, the WebSocket, and what a socket may not do.

use futures_util::SinkExt as _;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use crate::stand::{
    Credentials, Directory, Ended, Game, Hub, PATIENCE, add_game, authenticate, request, say, soon,
    until,
};

/// A hub with one game.
async fn hub(flags: &[&str]) -> (Directory, Hub, Credentials) {
    let directory = Directory::new();
    let credentials = add_game(directory.path(), "GameA", &[]).await;
    let hub = Hub::start(directory.path(), flags).await;
    (directory, hub, credentials)
}

#[tokio::test]
async fn a_handshake_grants_nothing_extra_and_nothing_is_said_before_authenticating() {
    let (_directory, hub, _) = hub(&[]).await;
    let mut stream = TcpStream::connect(&hub.address).await.unwrap();
    let ask = "GET /socket HTTP/1.1\r\nHost: elsewhere.example\r\nConnection: Upgrade\r\n\
        Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nOrigin: https://evil.example\r\n\
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: chat, gossip\r\n\
        Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n\r\n";
    // An empty PING, masked with zeros; its answer is the first that comes behind the head.
    let ping = [0x89, 0x80, 0, 0, 0, 0];
    stream
        .write_all(&[ask.as_bytes(), &ping].concat())
        .await
        .unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(&[0x8a, 0]) {
        answer.push(soon(stream.read_u8()).await.unwrap());
    }
    let head = String::from_utf8_lossy(&answer).to_lowercase();
    assert!(head.starts_with("http/1.1 101 "), "{head}");
    assert!(
        head.contains("sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo="),
        "{head}"
    );
    assert!(!head.contains("sec-websocket-protocol"), "{head}");
    assert!(!head.contains("sec-websocket-extensions"), "{head}");
    let behind = answer.len() - (head.find("\r\n\r\n").unwrap() + 4);
    assert_eq!(behind, 2, "only the answer to the PING");
}

#[tokio::test]
async fn every_path_has_its_answer() {
    let (_directory, hub, _) = hub(&[]).await;
    let health = hub.get("/_health").await;
    assert!(
        health.starts_with("HTTP/1.1 200 OK") && health.ends_with("\r\n\r\n"),
        "{health}"
    );
    assert!(
        hub.get("/")
            .await
            .contains("<h1>Games on this network</h1>")
    );
    for path in [
        "/socket/",
        "/socket/websocket",
        "/Socket",
        "/metrics",
        "/x",
        "//",
    ] {
        let answer = hub.get(path).await;
        assert!(answer.starts_with("HTTP/1.1 404 "), "{path}: {answer}");
    }
    assert!(hub.get("/socket").await.starts_with("HTTP/1.1 426 "));
    let post = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n";
    assert!(
        request(&hub.address, post)
            .await
            .starts_with("HTTP/1.1 405 ")
    );
    assert!(
        request(&hub.address, "hello\r\n\r\n")
            .await
            .starts_with("HTTP/1.1 400 ")
    );
    assert!(hub.health().await.ends_with("\r\n\r\nok\n"));
}

#[tokio::test]
async fn regression_the_page_is_made_once_for_all_who_look_at_it_meanwhile() {
    let (_directory, hub, _) = hub(&[]).await;
    let began = tokio::time::Instant::now();
    for _ in 0..40 {
        let page = hub.get("/").await;
        assert!(page.ends_with("</html>\n"), "{page}");
    }
    // One at the beginning, and one for each two seconds that this took.
    let most = 2.0 + began.elapsed().as_secs_f64() / 2.0;
    let made = hub.figure("pages_total").await;
    assert!(made >= 1.0 && made <= most, "made {made} times");
}

#[tokio::test]
async fn an_authentication_succeeds_with_a_beat_or_fails_with_words_and_4000() {
    let (_directory, hub, credentials) = hub(&[]).await;
    let mut game = hub.connect().await;
    game.send(authenticate(&credentials, &["gossip"])).await;
    let first = soon(futures_util::StreamExt::next(&mut game.web)).await;
    let first = first.unwrap().unwrap().into_text().unwrap();
    assert!(
        first.contains(r#""status":"success""#) && first.contains("\u{2714}\u{fe0f}"),
        "{first}"
    );
    let second = soon(futures_util::StreamExt::next(&mut game.web)).await;
    assert_eq!(
        second.unwrap().unwrap().into_text().unwrap(),
        r#"{"event":"heartbeat"}"#
    );

    let mut stranger = hub.connect().await;
    let wrong = Credentials {
        client_secret: credentials.client_id.clone(),
        ..credentials
    };
    stranger.send(authenticate(&wrong, &[])).await;
    let frame = stranger.frame().await;
    assert_eq!(frame["error"], "invalid credentials", "{frame}");
    assert_eq!(
        stranger.ended().await,
        Ended::Closed(4000, "goodbye".into())
    );
}

#[tokio::test]
async fn odd_frames_are_answered_or_ignored_and_the_socket_stays() {
    let (_directory, hub, credentials) = hub(&[]).await;
    let mut game = hub.join(&credentials, &[]).await;
    game.say(Message::Binary(vec![0xff; 100].into())).await;
    game.say(Message::Pong(b"nobody asked".to_vec().into()))
        .await;
    game.say(Message::Ping(Vec::new().into())).await;
    assert_eq!(
        game.message().await.unwrap().unwrap(),
        Message::Pong(Vec::new().into())
    );
    game.say(Message::Ping(b"hello".to_vec().into())).await;
    assert_eq!(
        game.message().await.unwrap().unwrap(),
        Message::Pong(b"hello".to_vec().into())
    );
    game.say(Message::text("{")).await;
    assert_eq!(
        game.frame().await,
        json!({"status": "failure", "error": "unknown"})
    );
    // In two fragments, with a PING in between.
    let text = br#"{"event":"channels/subscribe","ref":1,"payload":{"channel":"moo"}}"#;
    let (first, second) = text.split_at(20);
    let data = |opcode, bytes: &[u8], last| {
        Message::Frame(Frame::message(bytes.to_vec(), OpCode::Data(opcode), last))
    };
    game.say(data(Data::Text, first, false)).await;
    game.say(Message::Ping(Vec::new().into())).await;
    game.say(data(Data::Continue, second, true)).await;
    assert!(game.message().await.unwrap().unwrap().is_pong());
    let ack = json!({"event": "channels/subscribe", "ref": 1, "status": "success"});
    assert_eq!(game.frame().await, ack);
}

#[tokio::test]
async fn regression_a_flood_of_frames_without_text_ends_the_socket_with_1008() {
    let (_directory, hub, credentials) = hub(&[]).await;
    let mut game = hub.join(&credentials, &[]).await;
    let mut flood = hub.connect().await;
    for _ in 0..1_000 {
        flood
            .web
            .feed(Message::Pong(Vec::new().into()))
            .await
            .unwrap();
    }
    flood
        .say(Message::Ping(b"still here".to_vec().into()))
        .await;
    assert!(matches!(flood.ended().await, Ended::Closed(1008, _)));
    game.settle().await;
}

#[tokio::test]
async fn regression_a_flood_of_texts_that_are_no_json_ends_the_socket_with_1008() {
    let (_directory, hub, credentials) = hub(&[]).await;
    let mut game = hub.join(&credentials, &[]).await;
    let mut flood = hub.connect().await;
    for _ in 0..1_000 {
        flood.web.feed(Message::text("{")).await.unwrap();
    }
    flood.say(Message::text("{")).await;
    assert!(matches!(flood.ended().await, Ended::Closed(1008, _)));
    game.settle().await;
}

#[tokio::test]
async fn a_frame_of_64_kib_is_read_and_a_larger_one_ends_the_socket_with_1009() {
    let (_directory, hub, credentials) = hub(&[]).await;
    let mut game = hub.join(&credentials, &[]).await;
    game.say(Message::text(" ".repeat(64 * 1024))).await;
    assert_eq!(game.frame().await["error"], "unknown");
    game.say(Message::text(" ".repeat(64 * 1024 + 1))).await;
    assert!(matches!(game.ended().await, Ended::Closed(1009, _)));
    // Also in fragments, and with much more behind it.
    let mut game = hub.connect().await;
    let part = |opcode| {
        let bytes = vec![b' '; 40 * 1024];
        Message::Frame(Frame::message(bytes, OpCode::Data(opcode), false))
    };
    game.say(part(Data::Text)).await;
    // The hub may close while this is sent.
    for _ in 0..50 {
        drop(game.web.feed(part(Data::Continue)).await);
    }
    drop(game.web.flush().await);
    assert!(matches!(game.ended().await, Ended::Closed(1009, _)));
    assert_eq!(hub.figure("too_large_total").await, 2.0);
}

#[tokio::test]
async fn text_that_is_no_utf8_ends_the_socket_with_1007() {
    let (_directory, hub, _) = hub(&[]).await;
    let mut game = hub.connect().await;
    let frame = Frame::message(vec![0xff, 0xfe], OpCode::Data(Data::Text), true);
    game.say(Message::Frame(frame)).await;
    assert!(matches!(game.ended().await, Ended::Closed(1007, _)));
}

#[tokio::test]
async fn a_silent_socket_is_closed_with_1000() {
    let (_directory, hub, credentials) = hub(&["--idle", "300ms"]).await;
    let mut game = hub.connect().await;
    game.send(authenticate(&credentials, &[])).await;
    // Not through `message`, which answers beats.
    let closed = loop {
        match soon(futures_util::StreamExt::next(&mut game.web)).await {
            Some(Ok(Message::Close(Some(close)))) => break u16::from(close.code),
            Some(Ok(_)) => {}
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(closed, 1000);
    assert_eq!(hub.figure("idle_total").await, 1.0);
}

#[tokio::test]
async fn whoever_speaks_and_leaves_at_once_is_still_heard() {
    let directory = Directory::new();
    let credentials = add_game(directory.path(), "GameA", &[]).await;
    let other = add_game(directory.path(), "GameB", &[]).await;
    let hub = Hub::start(directory.path(), &[]).await;
    let mut listener = hub.join(&other, &["gossip"]).await;
    for number in 0..20 {
        let mut speaker = hub.join(&credentials, &["gossip"]).await;
        let words = format!("number {number}");
        speaker.send(say("gossip", &words)).await;
        drop(speaker);
        let heard = listener.event("channels/broadcast").await;
        assert_eq!(heard["payload"]["message"], words);
        assert_eq!(heard["payload"]["game"], "GameA");
    }
}

#[tokio::test]
async fn a_burst_arrives_whole_and_in_order() {
    let directory = Directory::new();
    let first = add_game(directory.path(), "GameA", &[]).await;
    let second = add_game(directory.path(), "GameB", &[]).await;
    let rates = [
        "--rate-all",
        "100000/100000",
        "--rate-send",
        "100000/100000",
    ];
    let hub = Hub::start(directory.path(), &rates).await;
    let mut speaker = hub.join(&first, &["gossip"]).await;
    let mut listener = hub.join(&second, &["gossip"]).await;
    listener.settle().await;
    for number in 0..2_000 {
        let frame = say("gossip", &number.to_string()).to_string();
        speaker.web.feed(Message::text(frame)).await.unwrap();
    }
    soon(speaker.web.flush()).await.unwrap();
    for number in 0..2_000 {
        let heard = listener.event("channels/broadcast").await;
        assert_eq!(heard["payload"]["message"], number.to_string());
        assert_eq!(speaker.event("channels/send").await["status"], "success");
    }
    let (frames, writes) = (
        hub.figure("frames_written_total").await,
        hub.figure("writes_total").await,
    );
    assert!(writes * 4.0 < frames, "{writes} writes for {frames} frames");
}

#[tokio::test]
async fn a_game_that_does_not_read_is_cut_and_the_others_go_on() {
    let directory = Directory::new();
    let first = add_game(directory.path(), "GameA", &[]).await;
    let second = add_game(directory.path(), "GameB", &[]).await;
    let third = add_game(directory.path(), "GameC", &[]).await;
    let rates = [
        "--rate-all",
        "100000/100000",
        "--rate-send",
        "100000/100000",
    ];
    let hub = Hub::start(directory.path(), &rates).await;
    let mut speaker = hub.join(&first, &["gossip"]).await;
    let mut deaf = hub.join(&second, &["gossip"]).await;
    let mut listener = hub.join(&third, &["gossip"]).await;
    deaf.settle().await;
    listener.settle().await;
    let words = "x".repeat(4_000);
    let mut spoken = 0;
    let flood = async {
        while hub.figure("sockets_cut_total").await < 1.0 {
            for _ in 0..100 {
                let frame = Message::text(say("gossip", &words).to_string());
                speaker.web.feed(frame).await.unwrap();
            }
            speaker.web.flush().await.unwrap();
            for _ in 0..100 {
                assert_eq!(speaker.event("channels/send").await["status"], "success");
                listener.event("channels/broadcast").await;
                spoken += 1;
            }
        }
    };
    tokio::time::timeout(PATIENCE * 3, flood)
        .await
        .expect("is cut at last");
    assert!(spoken >= 1_000, "cut after {spoken}");
    assert_eq!(hub.figure("sockets_cut_total").await, 1.0);
    speaker.send(say("gossip", "still here")).await;
    assert_eq!(
        listener.event("channels/broadcast").await["payload"]["message"],
        "still here"
    );
    // What the kernel had for it is still there; then comes the end, without a close frame.
    assert_eq!(deaf.ended().await, Ended::Dropped);
}

#[tokio::test]
async fn an_address_has_only_so_many_connections() {
    let (_directory, hub, _) = hub(&["--per-loopback", "2"]).await;
    let first = hub.connect().await;
    let _second = hub.connect().await;
    assert!(hub.get("/").await.starts_with("HTTP/1.1 503 "));
    drop(first);
    until(
        || hub.get("/"),
        |answer| answer.starts_with("HTTP/1.1 200 "),
    )
    .await;
}

#[tokio::test]
async fn garbage_ends_only_its_own_connection() {
    let (_directory, hub, credentials) = hub(&[]).await;
    let mut game = hub.join(&credentials, &[]).await;
    for byte in 0..=255_u8 {
        let mut stream = TcpStream::connect(&hub.address).await.unwrap();
        // The hub may close before all is sent.
        drop(stream.write_all(&[byte; 300]).await);
        drop(stream.shutdown().await);
    }
    for bytes in [[0xff_u8; 64], [0x81; 64], [0x00; 64], [0x7f; 64]] {
        let other = Game::connect(&hub.address).await;
        let mut raw = other.web.into_inner();
        drop(raw.write_all(&bytes).await);
        drop(raw.shutdown().await);
        let mut answer = Vec::new();
        drop(soon(raw.read_to_end(&mut answer)).await);
    }
    game.settle().await;
    assert_eq!(hub.figure("crashes_total").await, 0.0);
    assert!(hub.figure("core_queue_messages_max").await >= 1.0);
}
