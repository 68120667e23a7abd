//! Pretended games and hubs of the Gossip network: what is counted against a pretended hub with
//! each fault, what a flooded client sees, and a hub that is killed between a talker and a
//! listener.

use std::future::pending;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use belay_bots::{
    ChopFlags, ChopOptions, ChopReport, FloodOptions, LoadOptions, LoadReport, run_chop, run_flood,
    run_load,
};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::fake::{Fake, Manner, World};
use crate::hub::{Folder, Habit, Hub};

const LOCAL: &str = "127.0.0.1:0";

fn quick(credentials: &Folder, games: usize) -> LoadOptions {
    LoadOptions {
        rate: 400.0,
        ramp: 10_000.0,
        warmup: Duration::from_millis(50),
        duration: Duration::from_millis(300),
        drain: Duration::from_secs(1),
        ..LoadOptions::new(credentials.0.clone(), games)
    }
}

/// Loads a hub of this habit with five games, of which this many send.
async fn load(habit: Habit, senders: usize) -> (Hub, LoadReport) {
    let hub = Hub::start(habit, LOCAL).await;
    let folder = hub.credentials(5);
    let mut options = quick(&folder, 5);
    options.senders = senders;
    let report = run_load(options, pending()).await.expect("a report");
    (hub, report)
}

#[tokio::test]
async fn a_good_hub_has_everything_delivered_once_and_measured() {
    let hub = Hub::start(Habit::Good, LOCAL).await;
    let folder = hub.credentials(12);
    let mut options = quick(&folder, 10);
    options.first = 2;
    options.gather = Duration::from_millis(1);
    options.sources = vec!["127.0.0.2".parse().unwrap()];
    options.hub_pid = Some(std::process::id());
    let report = run_load(options, pending()).await.expect("a report");
    assert_eq!(
        (report.asked, report.entered, report.online_end),
        (10, 10, 10)
    );
    assert!(report.sent > 50, "{report}");
    assert_eq!(report.acked, report.sent, "{report}");
    assert_eq!(report.expected, report.sent * 9, "{report}");
    assert_eq!(report.delivered, report.expected, "{report}");
    assert_eq!(
        report.doubled + report.missed + report.out_of_order,
        0,
        "{report}"
    );
    assert!(
        report.latency_ms.p50 > 0.0 && report.latency_ms.max < 1000.0,
        "{report}"
    );
    assert!(
        report.deliveries_per_s > 1000.0 && report.bytes_per_game_s > 1.0,
        "{report}"
    );
    assert!(
        report.hub.unwrap().rss_kb > 0 && report.login_ms.p50 > 0.0,
        "{report}"
    );
    assert!(
        report.dropped.is_empty() && report.login_failed.is_empty(),
        "{report}"
    );
    assert_eq!(report.exit_status(), 0, "{report}");
    assert_eq!(hub.state.beats.load(SeqCst), 10);
}

#[tokio::test]
async fn what_is_doubled_lost_or_swapped_is_counted() {
    let (_hub, doubles) = load(Habit::Doubles, 3).await;
    assert_eq!(doubles.doubled, doubles.expected, "{doubles}");
    assert_eq!((doubles.missed, doubles.out_of_order), (0, 0), "{doubles}");
    let (_hub, swaps) = load(Habit::Swaps, 1).await;
    assert!(swaps.out_of_order > 100 && swaps.doubled == 0, "{swaps}");
    assert!(swaps.missed <= 4, "the last one may be kept: {swaps}");
    let (_hub, echoes) = load(Habit::Echoes, 2).await;
    assert!(echoes.doubled.abs_diff(echoes.sent) <= 1, "{echoes}");
    assert_eq!(echoes.delivered, echoes.expected, "{echoes}");
    for report in [doubles, swaps, echoes] {
        assert_eq!(report.exit_status(), 1, "{report}");
    }
}

#[tokio::test]
async fn what_is_lost_is_missed() {
    let (_hub, report) = load(Habit::Loses, 2).await;
    let half = report.sent / 2 * 4;
    assert_eq!(report.missed, half, "{report}");
    assert!(
        report.delivered_ratio < 0.55 && report.exit_status() == 1,
        "{report}"
    );
}

#[tokio::test]
async fn who_is_thrown_out_or_refused_is_counted_with_the_cause() {
    let (_hub, report) = load(Habit::ThrowsOut, 1).await;
    assert_eq!(
        report.dropped.get("closed with code 4000"),
        Some(&1),
        "{report}"
    );
    assert_eq!((report.entered, report.online_end), (5, 4), "{report}");
    assert_eq!(report.exit_status(), 1);
    let (_hub, report) = load(Habit::Refuses, 1).await;
    assert_eq!(
        report.login_failed.get("invalid credentials"),
        Some(&5),
        "{report}"
    );
    assert_eq!((report.entered, report.sent), (0, 0), "{report}");
    assert_eq!(report.exit_status(), 1);
}

#[tokio::test]
async fn refused_messages_are_counted_with_the_hubs_text() {
    let hub = Hub::start(Habit::Limits, LOCAL).await;
    let folder = hub.credentials(2);
    let report = run_load(quick(&folder, 2), pending())
        .await
        .expect("a report");
    assert_eq!(
        report.refused.get("rate limit exceeded"),
        Some(&report.sent),
        "{report}"
    );
    assert_eq!((report.acked, report.missed), (0, report.sent), "{report}");
}

#[tokio::test]
async fn credentials_that_cannot_be_had_are_told() {
    let hub = Hub::start(Habit::Good, LOCAL).await;
    let folder = hub.credentials(3);
    let load = async |folder: &Folder, games| {
        let error = run_load(quick(folder, games), pending())
            .await
            .expect_err("no run");
        error.to_string()
    };
    assert_eq!(
        load(&folder, 4).await,
        "4 games need as many credentials files, and there are 3"
    );
    let first = folder.0.join("game0000.toml");
    std::fs::copy(folder.0.join("game0001.toml"), &first).unwrap();
    assert!(load(&folder, 3).await.contains("of the same game"));
    std::fs::write(
        &first,
        "url = \"wss://x/socket\"\nclient_id = \"a\"\nclient_secret = \"b\"",
    )
    .unwrap();
    let told = load(&folder, 3).await;
    assert!(told.contains("wss://x"), "{told}");
    std::fs::write(&first, "url = 1").unwrap();
    assert!(load(&folder, 3).await.contains("is no credentials file"));
    let mut options = quick(&folder, 2);
    options.first = 1;
    options.hub_pid = Some(u32::MAX - 1);
    assert!(run_load(options, pending()).await.is_err());
}

/// A client of the protocol with its own eyes.
struct Client(WebSocketStream<TcpStream>);

impl Client {
    async fn connect(address: SocketAddr) -> Option<Self> {
        let stream = TcpStream::connect(address).await.ok()?;
        let (mut socket, _) = client_async("ws://hub/socket", stream).await.ok()?;
        let login = json!({"event": "authenticate", "payload": {"client_id": "1",
            "client_secret": "s", "supports": ["channels"], "channels": ["gossip"]}});
        socket.send(Message::text(login.to_string())).await.ok()?;
        Some(Self(socket))
    }

    async fn next(&mut self) -> Option<Value> {
        match self.0.next().await {
            Some(Ok(Message::Text(text))) => serde_json::from_str(&text).ok(),
            _ => None,
        }
    }

    async fn say(&mut self, frame: Value) {
        self.0
            .send(Message::text(frame.to_string()))
            .await
            .expect("a hub");
    }
}

#[tokio::test]
async fn a_flood_welcomes_answers_and_floods_until_the_game_goes() {
    let options = FloodOptions {
        rate: 20_000.0,
        calm: Duration::from_millis(20),
        ..FloodOptions::default()
    };
    let (tell, told) = oneshot::channel();
    let (stop, stopped) = oneshot::channel::<()>();
    let stopped = async move { drop(stopped.await) };
    let flood = run_flood(options, stopped, |address| tell.send(address).unwrap());
    let play = async {
        let mut client = Client::connect(told.await.unwrap()).await.unwrap();
        let welcome = client.next().await.unwrap();
        assert_eq!(welcome["status"], "success");
        assert_eq!(client.next().await.unwrap(), json!({"event": "heartbeat"}));
        client
            .say(json!({"event": "heartbeat", "payload": {"players": []}}))
            .await;
        let sign_in = json!({"event": "players/sign-in", "ref": 7, "payload": {"name": "Ann"}});
        client.say(sign_in).await;
        client
            .say(json!({"event": "players/status", "ref": "r"}))
            .await;
        let (mut broadcasts, mut acks, mut statuses) = (Vec::new(), Vec::new(), 0);
        while broadcasts.len() < 1000 {
            let frame = client.next().await.unwrap();
            match frame["event"].as_str().unwrap() {
                "players/status" => statuses += 1,
                "players/sign-in" => acks.push(frame),
                "channels/broadcast" => broadcasts.push(frame),
                other => panic!("unexpected {other}"),
            }
        }
        let ack = json!({"event": "players/sign-in", "ref": 7, "status": "success"});
        assert_eq!(acks, [ack]);
        assert_eq!(statuses, 10);
        assert_eq!(broadcasts[0]["payload"]["channel"], "gossip");
        let game = |frame: &Value| frame["payload"]["game"].as_str().unwrap().to_owned();
        assert_eq!(game(&broadcasts[0]), game(&broadcasts[10]));
        assert_ne!(broadcasts[0]["ref"], broadcasts[10]["ref"]);
        client.0.close(None).await.unwrap();
        while client.next().await.is_some() {}
        stop.send(()).unwrap();
    };
    let (report, ()) = tokio::join!(flood, play);
    let report = report.expect("a report");
    assert_eq!(
        (report.connected, report.welcomed, report.flooded),
        (1, 1, 1),
        "{report}"
    );
    assert!(
        report.written >= 1000 && report.beats_answered == 1,
        "{report}"
    );
    assert_eq!(report.ended.values().sum::<u64>(), 1, "{report}");
    assert_eq!(report.exit_status(), 0);
}

#[tokio::test]
async fn a_flood_tells_when_its_address_is_taken() {
    let taken = TcpListener::bind(LOCAL).unwrap();
    let options = FloodOptions {
        listen: taken.local_addr().unwrap(),
        ..FloodOptions::default()
    };
    let error = run_flood(options, pending(), |_| panic!("not listening")).await;
    assert!(error.unwrap_err().to_string().contains("cannot listen"));
}

/// Not a test by itself: the executable that is killed, when it is started with an address.
#[tokio::test]
async fn hub_process() {
    let mut arguments = std::env::args();
    if let Some(address) = arguments.find_map(|it| it.strip_prefix("listen=").map(str::to_owned)) {
        let _hub = Hub::start(Habit::Good, &address).await;
        pending::<()>().await;
    }
}

/// A node's side of the network: whatever is said there goes to all guests, so many times.
async fn bridge(hub: SocketAddr, world: Arc<World>, times: usize) {
    loop {
        if let Some(mut client) = Client::connect(hub).await {
            while let Some(frame) = client.next().await {
                let payload = &frame["payload"];
                if let Some(message) = payload["message"].as_str() {
                    let game = payload["game"].as_str().unwrap();
                    for _ in 0..times {
                        world.tell_all(&format!("[gossip] Talker@{game}: {message}\n"));
                    }
                }
            }
        }
        tokio::task::yield_now().await;
    }
}

async fn chop(times: usize) -> ChopReport {
    // The hub comes back at the same address, which is free now.
    let address = TcpListener::bind(LOCAL).unwrap().local_addr().unwrap();
    let node = Fake::start(Manner::default()).await;
    let folder = Hub::start(Habit::Good, LOCAL).await.credentials(1);
    let credentials = folder.0.join("game0000.toml");
    let text = format!("url = \"ws://{address}\"\nclient_id = \"0\"\nclient_secret = \"s\"\n");
    std::fs::write(&credentials, text).unwrap();
    let flags = ChopFlags {
        hub: std::env::current_exe().unwrap(),
        credentials,
        node: node.telnet.to_string(),
        join: "channel join gossip".to_owned(),
        channel: "gossip".to_owned(),
        every: "1500ms".to_owned(),
        away: "100ms".to_owned(),
        duration: "3100ms".to_owned(),
        rate: "20".to_owned(),
        patience: "20s".to_owned(),
        hub_log: None,
        hub_args: vec![
            "--exact".to_owned(),
            "gossip::hub_process".to_owned(),
            "--nocapture".to_owned(),
            format!("listen={address}"),
        ],
    };
    let options = ChopOptions::check(&flags).expect("options");
    tokio::select! {
        report = run_chop(options, pending()) => report.expect("a report"),
        () = bridge(address, node.world.clone(), times) => unreachable!("it does not end"),
    }
}

#[tokio::test]
async fn a_chopped_hub_is_back_each_time_and_nothing_is_doubled() {
    let report = chop(1).await;
    assert_eq!(report.kills, 2, "{report}");
    assert!(report.hub_ended.is_empty(), "{report}");
    assert!(report.heard > 10 && report.sent >= report.heard, "{report}");
    assert_eq!(
        (report.doubled, report.out_of_order, report.not_back),
        (0, 0, 0),
        "{report}"
    );
    assert!(
        report.back_ms.max > 0.0 && report.back_ms.max < 1500.0,
        "{report}"
    );
    assert_eq!(report.missed, report.sent - report.heard, "{report}");
    assert_eq!(
        (report.listener_lost.as_ref(), report.exit_status()),
        (None, 0),
        "{report}"
    );
}

#[tokio::test]
async fn what_a_node_doubles_is_counted() {
    let report = chop(2).await;
    assert_eq!(report.doubled, report.heard, "{report}");
    assert_eq!(report.exit_status(), 1);
}

#[tokio::test]
async fn a_hub_that_cannot_be_started_is_told() {
    let folder = Hub::start(Habit::Good, LOCAL).await.credentials(1);
    let flags = ChopFlags {
        hub: PathBuf::from("/no/such/hub"),
        credentials: folder.0.join("game0000.toml"),
        node: "127.0.0.1:1".to_owned(),
        channel: "gossip".to_owned(),
        every: "1s".to_owned(),
        away: "0s".to_owned(),
        duration: "1s".to_owned(),
        rate: "2".to_owned(),
        patience: "1s".to_owned(),
        ..ChopFlags::default()
    };
    let options = ChopOptions::check(&flags).expect("options");
    let error = run_chop(options, pending()).await.expect_err("no hub");
    assert!(error.to_string().contains("cannot start"), "{error}");
}
