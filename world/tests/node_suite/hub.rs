//! A hub of the network that does what a test says, on a real socket; the test also plays the other
//! games.

use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use super::operator::Scratch;

/// How long a frame may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// A listening hub, and the credentials file for it.
pub(super) struct Hub {
    scratch: Scratch,
    listener: Option<TcpListener>,
    port: u16,
}

/// A node's connection to the hub.
pub(super) struct Wire(WebSocketStream<TcpStream>);

impl Hub {
    /// A hub that takes connections; nothing answers them until [`Hub::accept`].
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let hub = Self {
            scratch: Scratch::new(),
            listener: Some(listener),
            port,
        };
        hub.write("good");
        hub
    }

    /// The credentials file.
    pub(super) fn file(&self) -> PathBuf {
        self.scratch.join("credentials.toml")
    }

    /// The setting that names it.
    pub(super) fn setting(&self) -> String {
        format!("gossip.credentials={}", self.file().display())
    }

    /// Writes the file, with this secret.
    pub(super) fn write(&self, secret: &str) {
        let text = format!(
            "url = \"ws://127.0.0.1:{}/socket\"\n\
             client_id = \"id\"\nclient_secret = \"{secret}\"\n",
            self.port
        );
        replace(&self.file(), &text);
    }

    /// Takes no more connections; those there are stay.
    pub(super) fn close(&mut self) {
        self.listener = None;
    }

    /// Listens again where it did.
    pub(super) async fn open(&mut self) {
        let listener = TcpListener::bind(("127.0.0.1", self.port)).await;
        self.listener = Some(listener.unwrap());
    }

    /// The next TCP connection, before a word was said.
    pub(super) async fn tcp(&self) -> TcpStream {
        let listener = self.listener.as_ref().unwrap();
        let accepted = timeout(PATIENCE, listener.accept()).await;
        accepted.expect("the node connects").unwrap().0
    }

    /// The next connection, let in.
    pub(super) async fn accept(&self) -> Wire {
        let mut wire = self.handshake().await;
        wire.let_in().await;
        wire
    }

    /// The next connection, which waits to be let in.
    pub(super) async fn handshake(&self) -> Wire {
        let stream = self.tcp().await;
        Wire(tokio_tungstenite::accept_async(stream).await.unwrap())
    }
}

impl Wire {
    /// Lets the node in when it asks; gives what it asked with.
    pub(super) async fn let_in(&mut self) -> Value {
        let asked = self.hear("authenticate").await;
        self.send(json!({
            "event": "authenticate", "status": "success",
            "payload": {"unicode": "\u{2714}\u{fe0f}", "version": "2.3.0"},
        }))
        .await;
        self.send(json!({"event": "heartbeat"})).await;
        self.hear("heartbeat").await;
        asked["payload"].clone()
    }

    /// Refuses the node, as a hub refuses a wrong secret.
    pub(super) async fn refuse(mut self) {
        self.hear("authenticate").await;
        let error = "invalid credentials";
        self.send(json!({"event": "authenticate", "status": "failure", "error": error}))
            .await;
        drop(self.0.close(None).await);
    }

    /// Sends a frame.
    pub(super) async fn send(&mut self, frame: Value) {
        self.0.send(Message::text(frame.to_string())).await.unwrap();
    }

    /// Sends any text.
    pub(super) async fn send_text(&mut self, text: &str) {
        self.0.send(Message::text(text.to_owned())).await.unwrap();
    }

    /// Waits for a frame of this event; others are skipped, but for requests, which are taken.
    pub(super) async fn hear(&mut self, event: &str) -> Value {
        let heard = async {
            loop {
                let message = self.0.next().await.expect("the node is there").unwrap();
                let Message::Text(text) = message else {
                    continue;
                };
                let frame: Value = serde_json::from_str(&text).unwrap();
                if frame["event"] == event {
                    return frame;
                }
            }
        };
        let waited = timeout(PATIENCE, heard).await;
        waited.unwrap_or_else(|_| panic!("the node says {event} in time"))
    }

    /// Waits until the node ended the connection.
    pub(super) async fn ended(mut self) {
        let end = async { while let Some(Ok(_)) = self.0.next().await {} };
        timeout(PATIENCE, end).await.expect("the node ends it");
    }

    /// Somebody elsewhere speaks on a channel.
    pub(super) async fn says(&mut self, channel: &str, who: &str, message: &str) {
        let (name, game) = who.rsplit_once('@').unwrap();
        let payload = json!({
            "channel": channel, "name": name, "game": game, "message": message,
        });
        self.send(json!({"event": "channels/broadcast", "ref": "r", "payload": payload}))
            .await;
    }

    /// Somebody elsewhere tells a player here something.
    pub(super) async fn tells(&mut self, who: &str, to: &str, message: &str) {
        let (name, game) = who.rsplit_once('@').unwrap();
        let payload = json!({
            "from_name": name, "from_game": game, "to_name": to, "message": message,
            "sent_at": "2026-01-02T03:04:05Z",
        });
        self.send(json!({"event": "tells/receive", "ref": "t", "payload": payload}))
            .await;
    }

    /// Waits for a tell of a player here and answers it: `None` is an ack, else an error.
    pub(super) async fn takes_tell(&mut self, error: Option<&str>) -> Value {
        let tell = self.hear("tells/send").await;
        let mut answer = json!({"event": "tells/send", "ref": tell["ref"], "status": "success"});
        if let Some(error) = error {
            answer["status"] = json!("failure");
            answer["error"] = json!(error);
        }
        self.send(answer).await;
        tell["payload"].clone()
    }

    /// Answers the next question who plays elsewhere.
    pub(super) async fn shows_players(&mut self, games: &[(&str, &[&str])]) {
        let asked = self.hear("players/status").await;
        for (game, players) in games {
            let payload = json!({"game": game, "players": players});
            let frame = json!({
                "event": "players/status", "ref": asked["ref"], "payload": payload,
            });
            self.send(frame).await;
        }
    }

    /// Somebody elsewhere comes or goes.
    pub(super) async fn sign(&mut self, event: &str, who: &str) {
        let (name, game) = who.rsplit_once('@').unwrap();
        let payload = json!({"name": name, "game": game});
        self.send(json!({"event": event, "ref": "s", "payload": payload}))
            .await;
    }
}

/// Puts a file in place in one go.
fn replace(file: &Path, text: &str) {
    let new = file.with_extension("new");
    std::fs::write(&new, text).unwrap();
    std::fs::rename(&new, file).unwrap();
}
