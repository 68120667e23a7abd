//! `[edge]` Hubs that are unwell, one way each.

use std::time::Duration;

use belay_gossip::client::{ClientOptions, ClientStatus, News};
use belay_gossip::protocol::ChannelName;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;

use crate::hub::{Hub, credentials, soon};
use crate::scene::{Scene, options};

/// What a WebSocket frame of so many bytes begins with, unmasked.
fn header(kind: u8, bytes: u64) -> Vec<u8> {
    let mut header = vec![0x80 | kind, 127];
    header.extend(bytes.to_be_bytes());
    header
}

fn chat(message: &str) -> String {
    let start =
        r#"{"event":"channels/broadcast","payload":{"channel":"gossip","game":"A","name":"B""#;
    format!(r#"{start},"message":"{message}"}}}}"#)
}

/// Reads the request for a WebSocket.
async fn request(stream: &mut TcpStream) {
    let mut bytes = [0; 4096];
    let count = soon("a request", stream.read(&mut bytes)).await.unwrap();
    let text = str::from_utf8(&bytes[..count]).unwrap();
    assert!(text.starts_with("GET /socket HTTP/1.1\r\n"), "{text}");
    assert!(text.contains("user-agent: Belay"), "{text}");
}

#[tokio::test]
async fn one_that_does_not_listen() {
    let hub = Hub::new().await;
    let (port, credentials) = (hub.port(), hub.credentials());
    drop(hub);
    let mut scene = Scene::new(options(), credentials).await;
    scene
        .fails(&format!("127.0.0.1:{port}: connection refused"))
        .await;
    let hub = Hub::at(&format!("127.0.0.1:{port}")).await;
    scene.recovers(&hub).await;
}

#[tokio::test]
async fn one_whose_name_is_gone() {
    let mut scene = Scene::new(options(), credentials("ws://hub.invalid")).await;
    let reason = scene.status("waiting").await;
    let reasons = [
        "the name hub.invalid is not known",
        "the name service does not answer",
    ];
    assert!(reasons.contains(&reason.as_str()), "{reason}");
    let hub = Hub::new().await;
    scene.client.configure(Some(hub.credentials()));
    scene.recovers(&hub).await;
}

#[tokio::test]
async fn one_that_hangs_at_any_point() {
    let hub = Hub::new().await;
    let silence = Duration::from_millis(200);
    let options = ClientOptions {
        silence,
        ..options()
    };
    let mut scene = Scene::new(options, hub.credentials()).await;
    let _held = hub.raw().await;
    scene
        .fails("the hub took the connection but does not answer")
        .await;

    scene.client.retry();
    let mut peer = hub.accept().await;
    peer.login().await;
    scene.fails("the hub does not answer our login").await;

    scene.client.retry();
    let mut peer = hub.accept().await;
    peer.login().await;
    peer.let_in("").await;
    scene.status("online").await;
    scene.fails("the hub was silent for 0 seconds").await;
    scene.recovers(&hub).await;
}

#[tokio::test]
async fn one_that_answers_something_else_than_a_websocket() {
    let hub = Hub::new().await;
    let mut scene = Scene::new(options(), hub.credentials()).await;
    let else_than = "the hub answers something else than a WebSocket (or wants wss://)";
    let headers = format!(
        "HTTP/1.1 101 Switching Protocols\r\n{}",
        "X: y\r\n".repeat(50_000)
    );
    let table = [
        ("", "the hub closed the connection at once"),
        (
            "HTTP/1.1 101 Switch",
            "the hub closed the connection at once",
        ),
        ("SSH-2.0-OpenSSH_9.2\r\n", else_than),
        ("\x15\x03\x01\x00\x02\x02\x46", else_than),
        (
            "HTTP/1.1 404 Not Found\r\n\r\n",
            "the hub has no path /socket (HTTP 404)",
        ),
        (
            "HTTP/1.1 301 Moved Permanently\r\nLocation: http://127.0.0.1:1/\r\n\r\n",
            "the hub points elsewhere (HTTP 301); mend the url",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n<html>hi!",
            "the hub answers HTTP 200 instead of a WebSocket",
        ),
        (
            "HTTP/1.1 502 Bad Gateway\r\n\r\n",
            "the hub answers HTTP 502 instead of a WebSocket",
        ),
        (
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\
             Sec-WebSocket-Accept: bm9uc2Vuc2U=\r\n\r\n",
            else_than,
        ),
        (&headers, else_than),
    ];
    for (answer, reason) in table {
        let mut stream = hub.raw().await;
        request(&mut stream).await;
        // The client may have had enough before the end.
        drop(soon("a write", stream.write_all(answer.as_bytes())).await);
        drop(soon("a write", stream.shutdown()).await);
        scene.fails(reason).await;
        scene.client.retry();
    }
    drop(hub.raw().await);
    assert_ne!(scene.status("waiting").await, "");
    assert_eq!(scene.client.figures().failures, 11);
    scene.recovers(&hub).await;
}

#[tokio::test]
async fn one_that_closes() {
    let hub = Hub::new().await;
    let mut scene = Scene::new(options(), hub.credentials()).await;
    let table = [
        (1000, "the hub closed the connection"),
        (1001, "the hub shuts down"),
        (1011, "the hub closed the connection (code 1011)"),
        (4000, "the hub says that we are too fast"),
    ];
    for (code, reason) in table {
        let mut peer = hub.accept().await;
        peer.close(code).await;
        scene.fails(reason).await;
        scene.client.retry();
    }
    let mut peer = hub.welcome("").await;
    scene.status("online").await;
    peer.close(4001).await;
    scene.fails("the hub missed our heartbeats").await;
    scene.client.retry();
    let peer = hub.welcome("").await;
    scene.status("online").await;
    drop(peer);
    let reason = scene.status("waiting").await;
    assert!(reason.starts_with("the hub closed the") || reason.starts_with("the connection broke"));
    scene.recovers(&hub).await;
}

#[tokio::test]
async fn one_that_refuses_us() {
    let hub = Hub::new().await;
    let mut scene = Scene::new(options(), hub.credentials()).await;
    let error = "the hub refused the credentials: invalid credentials";
    for round in 0..3 {
        let mut peer = hub.accept().await;
        peer.login().await;
        peer.send(r#"{"event":"authenticate","status":"failure","error":"invalid credentials"}"#)
            .await;
        peer.close(4000).await;
        assert_eq!(scene.status("rejected").await, error);
        let ClientStatus::Rejected { next_try_ms, .. } = scene.client.status() else {
            panic!("{:?}", scene.client.status());
        };
        assert!((590_000..=600_000).contains(&next_try_ms), "{next_try_ms}");
        let detail = scene.tether().detail.unwrap();
        assert!(detail.contains(error), "{detail}");
        match round {
            0 => scene.client.retry(),
            // The same once more is no news; others are tried at once.
            _ => {
                scene.client.configure(Some(hub.credentials()));
                let mut credentials = hub.credentials();
                credentials.client_secret = format!("hush{round}");
                scene.client.configure(Some(credentials));
            }
        }
    }
    let mut peer = hub.accept().await;
    assert_eq!(peer.login().await["payload"]["client_secret"], "hush2");
    peer.let_in("").await;
    scene.status("online").await;
    scene.end().await;
}

#[tokio::test]
async fn one_that_finds_us_too_fast() {
    let hub = Hub::new().await;
    let short = options();
    let options = ClientOptions {
        backoff: belay_runtime::Backoff::default(),
        ..short
    };
    let mut scene = Scene::new(options, hub.credentials()).await;
    let mut peer = hub.welcome("").await;
    scene.status("online").await;
    peer.send(r#"{"status":"failure","error":"rate limit exceeded, goodbye"}"#)
        .await;
    peer.close(4000).await;
    scene.fails("the hub says that we are too fast").await;
    let ClientStatus::Waiting { next_try_ms, .. } = scene.client.status() else {
        panic!("{:?}", scene.client.status());
    };
    assert!((50_000..=60_000).contains(&next_try_ms), "{next_try_ms}");
    scene.recovers(&hub).await;
}

#[tokio::test]
async fn one_that_restarts() {
    let hub = Hub::new().await;
    let short = options();
    let backoff = belay_runtime::Backoff {
        first: Duration::from_millis(10),
        factor: 1.0,
        ..belay_runtime::Backoff::default()
    };
    let mut scene = Scene::new(ClientOptions { backoff, ..short }, hub.credentials()).await;
    let table = [
        ("0", 900..=1_200),
        ("3", 2_900..=3_600),
        ("99999999999", 119_000..=144_000),
        ("null", 900..=1_200),
    ];
    for (downtime, expected) in table {
        let mut peer = hub.welcome("").await;
        scene.status("online").await;
        let text =
            format!(r#"{{"event":"restart","ref":"1","payload":{{"downtime":{downtime}}}}}"#);
        peer.send(&text).await;
        peer.close(1001).await;
        scene.fails("the hub restarts").await;
        let ClientStatus::Waiting { next_try_ms, .. } = scene.client.status() else {
            panic!("{:?}", scene.client.status());
        };
        assert!(expected.contains(&next_try_ms), "{downtime}: {next_try_ms}");
        scene.client.retry();
    }
    let _peer = hub.welcome("").await;
    scene.status("online").await;
    assert_eq!(scene.client.figures().restarts, 4);
    scene.end().await;
}

#[tokio::test]
async fn one_that_breaks_the_rules_of_websockets() {
    let hub = Hub::new().await;
    let mut scene = Scene::new(options(), hub.credentials()).await;
    let broke = "the hub broke the WebSocket protocol";
    let masked = [vec![0x81, 0x85], vec![7; 9]].concat();
    let no_utf8 = [vec![0x81, 2], vec![0xff, 0xfe]].concat();
    let table = [
        (header(1, 1 << 40), "the hub sent a frame that is too big"),
        (header(2, 70_000), "the hub sent a frame that is too big"),
        (vec![0xff, 0x00], broke),
        (vec![0x83, 0x00], broke),
        (vec![0x80, 0x00], broke),
        ([vec![0x89, 126, 1, 0], vec![0; 256]].concat(), broke),
        (masked, broke),
        (no_utf8, "the hub sent text that is no UTF-8"),
    ];
    for (bytes, reason) in table {
        let mut peer = hub.welcome("").await;
        scene.status("online").await;
        let stream = peer.0.get_mut();
        soon("a write", stream.write_all(&bytes)).await.unwrap();
        scene.fails(reason).await;
        scene.client.retry();
    }
    let mut peer = hub.welcome("").await;
    scene.status("online").await;
    // Fragments without an end are bounded as well.
    let mut fragment = vec![0x01, 126, 0x40, 0x00];
    fragment.extend(vec![b'x'; 0x4000]);
    let stream = peer.0.get_mut();
    while stream.write_all(&fragment).await.is_ok() {
        fragment[0] = 0x00;
    }
    scene.fails("the hub sent a frame that is too big").await;
    scene.recovers(&hub).await;
}

#[tokio::test]
async fn one_that_stops_in_the_middle_of_a_frame() {
    let hub = Hub::new().await;
    let silence = Duration::from_millis(300);
    let options = ClientOptions {
        silence,
        ..options()
    };
    let mut scene = Scene::new(options, hub.credentials()).await;
    let mut peer = hub.welcome("").await;
    scene.status("online").await;
    let half = [header(1, 1_000), b"{\"event\":".to_vec()].concat();
    soon("a write", peer.0.get_mut().write_all(&half))
        .await
        .unwrap();
    scene.fails("the hub was silent for 0 seconds").await;
    scene.recovers(&hub).await;
}

#[tokio::test]
async fn one_that_talks_nonsense_is_borne() {
    let hub = Hub::new().await;
    let mut scene = Scene::unconfigured(options()).await;
    scene
        .client
        .subscribe(&ChannelName::parse("gossip").unwrap());
    scene.client.configure(Some(hub.credentials()));
    let mut peer = hub.accept().await;
    // Before it was asked anything.
    peer.send(r#"{"event":"heartbeat"}"#).await;
    peer.send(&chat("early")).await;
    peer.login().await;
    peer.let_in("").await;
    peer.prove().await;
    scene.status("online").await;
    let deep = format!(
        "{{\"event\":\"heartbeat\",\"payload\":{}",
        "[".repeat(60_000)
    );
    let texts = [
        "",
        "nonsense",
        "[1,2",
        "null",
        &deep,
        r#"{"event":"mystery","payload":{}}"#,
        r#"{"status":"failure","error":"unknown"}"#,
        r#"{"event":"players/sign-in","status":"success","ref":"never asked"}"#,
        r#"{"event":"channels/subscribe","status":"failure","error":"Could not subscribe to 'x'"}"#,
        r#"{"event":["heartbeat"],"ref":{"a":[]},"status":7}"#,
    ];
    for text in texts {
        peer.send(text).await;
    }
    for message in [
        Message::binary(vec![0; 1_000]),
        Message::Ping(vec![1, 2].into()),
        Message::Pong(vec![].into()),
    ] {
        assert!(peer.try_send(message).await);
    }
    peer.send(&chat("still here")).await;
    let news = scene
        .sees("a message", |news| matches!(news, News::Channel { .. }))
        .await;
    assert!(matches!(news, News::Channel { message, .. } if message == "still here"));
    assert!(scene.client.status().is_online());
    let figures = scene.client.figures();
    assert!(
        figures.garbage >= 8 && figures.ignored >= 3 && figures.refused == 2,
        "{figures:?}"
    );
    scene.end().await;
}

#[tokio::test]
async fn one_that_floods() {
    let hub = Hub::new().await;
    let mut scene = Scene::unconfigured(options()).await;
    scene
        .client
        .subscribe(&ChannelName::parse("gossip").unwrap());
    scene.client.configure(Some(hub.credentials()));
    let mut peer = hub.welcome("").await;
    scene.status("online").await;
    let text = chat("flood");
    let mut sent = 0_u64;
    while peer.try_send(Message::text(text.as_str())).await {
        sent += 1;
    }
    assert_eq!(scene.status("waiting").await, "the hub floods us");
    let ClientStatus::Waiting { next_try_ms, .. } = scene.client.status() else {
        panic!("{:?}", scene.client.status());
    };
    assert!(next_try_ms > 50_000, "{next_try_ms}");
    let said = scene
        .seen
        .iter()
        .filter(|news| matches!(news, News::Channel { .. }))
        .count();
    assert!((60..=300).contains(&said), "{said} of {sent}");
    let figures = scene.client.figures();
    assert_eq!(figures.flood_cuts, 1);
    assert!(figures.flood_dropped > 1_000, "{figures:?}");
    scene.recovers(&hub).await;
}

#[tokio::test]
async fn one_that_does_not_read() {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4_096).unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let hub = Hub {
        listener: socket.listen(8).unwrap(),
    };
    let mut scene = Scene::new(options(), hub.credentials()).await;
    *scene.game.players.lock().unwrap() = (0..2_000)
        .map(|n| format!("A name that is rather long, {n}"))
        .collect();
    let mut peer = hub.accept().await;
    peer.login().await;
    peer.let_in("").await;
    scene.status("online").await;
    // Each is answered with all the players.
    for _ in 0..10 {
        peer.send(r#"{"event":"heartbeat"}"#).await;
    }
    scene.fails("the hub does not read what we send").await;
    drop((peer, hub));
    scene.end().await;
}
