//! `[edge]` The real client gossiphaus (npm, unmodified) lives with the hub. Each game is a process
//! of node that takes orders and tells what it hears.
//!
//! It wants node, and `npm ci` in `tests/gossiphaus`; without them the tests say so and pass.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::stand::{Credentials, Directory, Hub, add_game, soon};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gossiphaus")
}

/// Whether the client can run here.
fn is_installed() -> bool {
    let node = std::process::Command::new("node")
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    let client = folder().join("node_modules/gossiphaus/index.js");
    let installed = node.is_ok_and(|status| status.success()) && client.is_file();
    if !installed {
        // Past the capture of the test runner, so that it is seen.
        let told = "SKIPPED: gossiphaus wants node, and `npm ci` in gossip/tests/gossiphaus\n";
        drop(std::io::Write::write_all(
            &mut std::io::stderr(),
            told.as_bytes(),
        ));
    }
    installed
}

/// A game that plays through gossiphaus.
#[derive(Debug)]
struct NodeGame {
    _process: Child,
    orders: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    /// Told and not yet asked for.
    told: VecDeque<Value>,
    next: u64,
}

impl NodeGame {
    async fn start(hub: &Hub, credentials: &Credentials) -> Self {
        let mut process = Command::new("node")
            .arg("play.js")
            .current_dir(folder())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("node runs");
        let mut game = Self {
            orders: process.stdin.take().expect("piped"),
            lines: BufReader::new(process.stdout.take().expect("piped")).lines(),
            _process: process,
            told: VecDeque::new(),
            next: 0,
        };
        let config = json!({
            "url": format!("ws://{}/socket", hub.address),
            "client_id": credentials.client_id,
            "client_secret": credentials.client_secret,
        });
        game.order("init", config).await.expect("init");
        game
    }

    /// The first thing told that fits.
    async fn hears(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        soon(self.reads(fits)).await
    }

    async fn reads(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Some(at) = self.told.iter().position(&fits) {
                return self.told.remove(at).expect("it is there");
            }
            let line = self.lines.next_line().await.expect("text");
            let line = line.unwrap_or_else(|| panic!("node ended; it told {:?}", self.told));
            self.told
                .push_back(serde_json::from_str(&line).expect("JSON"));
        }
    }

    /// Gives an order without waiting for what comes of it.
    async fn begin(&mut self, order: &str, argument: Value) -> u64 {
        self.next += 1;
        let line = json!({"id": self.next, "order": order, "argument": argument});
        let line = format!("{line}\n");
        soon(self.orders.write_all(line.as_bytes()))
            .await
            .expect("node reads");
        self.next
    }

    /// What came of an order.
    async fn outcome(&mut self, id: u64) -> Result<Value, String> {
        let mut told = self.hears(|told| told["id"] == id).await;
        if let Value::String(error) = told["error"].take() {
            return Err(error);
        }
        Ok(told["result"].take())
    }

    async fn order(&mut self, order: &str, argument: Value) -> Result<Value, String> {
        let id = self.begin(order, argument).await;
        self.outcome(id).await
    }

    async fn send(&mut self, event: &str, payload: Value) -> Result<Value, String> {
        let argument = json!({"event": event, "payload": payload});
        self.order("send", argument).await
    }

    /// The payload of the next event of this name.
    async fn event(&mut self, name: &str) -> Value {
        self.hears(|told| told["event"] == name).await["payload"].take()
    }

    /// The next error that gossiphaus reports.
    async fn error(&mut self) -> Value {
        self.hears(|told| told["event"] == "error").await["error"].take()
    }

    /// Asks gossiphaus until the answer is right.
    async fn comes_to(
        &mut self,
        order: &str,
        argument: Value,
        right: impl Fn(&Value) -> bool,
    ) -> Value {
        let mut pace = tokio::time::interval(std::time::Duration::from_millis(20));
        let asking = async {
            loop {
                pace.tick().await;
                let answer = self.order(order, argument.clone()).await.expect(order);
                if right(&answer) {
                    return answer;
                }
            }
        };
        soon(asking).await
    }
}

/// A hub and two games that are connected and know each other. The client does not hold itself for
/// connected until it was told of another game.
async fn two_games(directory: &Directory, flags: &[&str]) -> (Hub, NodeGame, NodeGame) {
    let first = add_game(directory.path(), "Alpha", &[]).await;
    let second = add_game(directory.path(), "Beta", &[]).await;
    let hub = Hub::start(directory.path(), flags).await;
    let mut alpha = NodeGame::start(&hub, &first).await;
    alpha.begin("connect", Value::Null).await;
    alpha
        .comes_to("isAlive", Value::Null, |alive| *alive == true)
        .await;
    let mut beta = NodeGame::start(&hub, &second).await;
    beta.order("connect", Value::Null).await.expect("connects");
    alpha
        .send("games/status", json!({"game": "Beta"}))
        .await
        .expect("beta is there");
    (hub, alpha, beta)
}

#[tokio::test]
async fn gossiphaus_talks_tells_and_signs_in_and_out() {
    if !is_installed() {
        return;
    }
    let directory = Directory::new();
    let (_hub, mut alpha, mut beta) = two_games(&directory, &[]).await;
    let say =
        |name: &str, message: &str| json!({"channel": "gossip", "name": name, "message": message});
    alpha
        .send("channels/send", say("Ana", "Hello \u{2714}"))
        .await
        .expect("is acked");
    let expected = json!({
        "channel": "gossip", "game": "Alpha", "name": "Ana", "message": "Hello \u{2714}",
    });
    assert_eq!(beta.event("channels/broadcast").await, expected);
    beta.send("channels/send", say("Bo", "Hi."))
        .await
        .expect("is acked");
    assert_eq!(alpha.event("channels/broadcast").await["name"], "Bo");

    alpha
        .order("addPlayer", json!("Ana"))
        .await
        .expect("is acked");
    beta.order("addPlayer", json!("Bo"))
        .await
        .expect("is acked");
    let found = beta
        .comes_to("findPlayer", json!("ana@alpha"), Value::is_object)
        .await;
    assert_eq!(found, json!({"game": "Alpha", "name": "Ana"}));
    let tell = |from: &str, game: &str, to: &str| {
        json!({
            "from_name": from, "to_game": game, "to_name": to,
            "sent_at": "2026-01-02T03:04:05Z", "message": "psst",
        })
    };
    alpha
        .send("tells/send", tell("Ana", "beta", "bo"))
        .await
        .expect("is acked");
    let heard = beta.event("tells/receive").await;
    assert_eq!(
        (&heard["from_game"], &heard["from_name"]),
        (&json!("Alpha"), &json!("Ana"))
    );
    beta.send("tells/send", tell("Bo", "Alpha", "Ana"))
        .await
        .expect("is acked");
    assert_eq!(alpha.event("tells/receive").await["message"], "psst");
    let refused = alpha
        .send("tells/send", tell("Ana", "Beta", "Nobody"))
        .await;
    assert_eq!(refused.unwrap_err(), "receiving player offline");
    let refused = alpha.send("tells/send", tell("Ana", "Gamma", "Bo")).await;
    assert_eq!(refused.unwrap_err(), "game offline");

    alpha
        .order("removePlayer", json!("Ana"))
        .await
        .expect("is acked");
    let alone = |games: &Value| {
        let games = games.as_array().expect("a list");
        let alpha = games.iter().find(|game| game["game"] == "Alpha");
        alpha.is_some_and(|game| game["players"] == json!([]))
    };
    beta.comes_to("games", Value::Null, alone).await;
}

#[tokio::test]
async fn gossiphaus_survives_an_unknown_event_and_a_restart_of_the_hub() {
    if !is_installed() {
        return;
    }
    let directory = Directory::new();
    let (mut hub, mut alpha, mut beta) = two_games(&directory, &["--downtime", "1s"]).await;
    // The answer has no event and no ref; the client reports it and goes on.
    alpha
        .begin("send", json!({"event": "moo/milk", "payload": {}}))
        .await;
    assert_eq!(alpha.error().await, "unknown");
    let say = json!({"channel": "gossip", "name": "Ana", "message": "still here"});
    alpha
        .send("channels/send", say.clone())
        .await
        .expect("is acked");
    assert_eq!(
        beta.event("channels/broadcast").await["message"],
        "still here"
    );

    hub.signal("TERM");
    assert_eq!(hub.ended().await, Some(0));
    let hub = Hub::start_at(&hub.address, directory.path(), &[]).await;
    crate::stand::until(|| hub.figure("sockets_active"), |active| *active == 2.0).await;
    alpha.send("channels/send", say).await.expect("is acked");
    assert_eq!(
        beta.event("channels/broadcast").await["message"],
        "still here"
    );
}

#[tokio::test]
async fn gossiphaus_is_told_that_its_secret_is_wrong() {
    if !is_installed() {
        return;
    }
    let directory = Directory::new();
    let wrong = Credentials {
        client_secret: "00000000-0000-4000-8000-000000000000".to_owned(),
        ..add_game(directory.path(), "Alpha", &[]).await
    };
    let hub = Hub::start(directory.path(), &[]).await;
    let mut game = NodeGame::start(&hub, &wrong).await;
    // It does not tell who waits for the connection, but reports an error.
    game.begin("connect", Value::Null).await;
    assert_eq!(game.error().await, "invalid credentials");
    assert_eq!(game.order("isAlive", Value::Null).await, Ok(json!(false)));
}
