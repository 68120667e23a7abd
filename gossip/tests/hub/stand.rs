//! `[edge]` A hub for a test: the executable, its directory, and games that connect to it.

use std::ffi::OsStr;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{Error, Message};

/// Longer than anything takes here on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Waits for something that must come.
pub(crate) async fn soon<T>(what: impl Future<Output = T>) -> T {
    timeout(PATIENCE, what)
        .await
        .expect("it did not come in time")
}

/// Asks again and again until the answer is right.
pub(crate) async fn until<T, F: Future<Output = T>>(
    mut ask: impl FnMut() -> F,
    right: impl Fn(&T) -> bool,
) where
    T: Debug,
{
    let mut last = None;
    let asking = async {
        let mut pace = tokio::time::interval(Duration::from_millis(20));
        loop {
            pace.tick().await;
            let answer = ask().await;
            if right(&answer) {
                return;
            }
            last = Some(answer);
        }
    };
    if timeout(PATIENCE, asking).await.is_err() {
        panic!("the last answer was {last:?}");
    }
}

/// A directory that is gone after the test.
#[derive(Debug)]
pub(crate) struct Directory(PathBuf);

impl Directory {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("belay-hub-test-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).expect("a directory");
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

fn program() -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_belay-hub"));
    program.kill_on_drop(true);
    program
}

/// Runs a command to its end.
pub(crate) async fn run(data: &Path, arguments: &[&str]) -> Output {
    let mut program = program();
    program
        .args(arguments)
        .arg("--data")
        .arg(data)
        .stdin(Stdio::null());
    soon(program.output()).await.expect("the program runs")
}

/// What a run said, and how it ended.
pub(crate) fn said(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().unwrap_or(-1);
    (code, text(&output.stdout), text(&output.stderr))
}

/// Runs a command that must succeed, and gives what it printed.
pub(crate) async fn well(data: &Path, arguments: &[&str]) -> String {
    let (code, out, err) = said(&run(data, arguments).await);
    assert_eq!(code, 0, "{arguments:?}: {err}");
    out
}

/// What a game signs in with.
#[derive(Debug, Clone)]
pub(crate) struct Credentials {
    pub(crate) url: String,
    pub(crate) client_id: String,
    pub(crate) client_secret: String,
}

impl Credentials {
    /// As `game add` prints them.
    pub(crate) fn printed(text: &str) -> Self {
        let value = |key: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(key));
            line.expect("the line is there").trim().to_owned()
        };
        Self {
            url: value("url:"),
            client_id: value("client id:"),
            client_secret: value("client secret:"),
        }
    }

    pub(crate) fn file(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).expect("a credentials file");
        let credentials = belay_gossip::Credentials::parse(&text).expect("is good");
        Self {
            url: credentials.url.to_string(),
            client_id: credentials.client_id,
            client_secret: credentials.client_secret,
        }
    }
}

/// Registers a game.
pub(crate) async fn add_game(data: &Path, name: &str, flags: &[&str]) -> Credentials {
    let arguments = [&["game", "add", name], flags].concat();
    Credentials::printed(&well(data, &arguments).await)
}

/// A running hub.
#[derive(Debug)]
pub(crate) struct Hub {
    pub(crate) child: Child,
    pub(crate) address: String,
    pub(crate) ops: String,
}

impl Hub {
    pub(crate) async fn start(data: &Path, flags: &[&str]) -> Self {
        Self::start_at("127.0.0.1:0", data, flags).await
    }

    /// At an address that another hub had before.
    pub(crate) async fn start_at(address: &str, data: &Path, flags: &[&str]) -> Self {
        let mut program = program();
        program.args(["serve", "--listen", address, "--ops", "127.0.0.1:0"]);
        program.args(flags).arg("--data").arg(data);
        program
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit());
        let mut child = program.spawn().expect("the hub runs");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let mut next = async || {
            let line = soon(lines.next_line()).await.expect("text");
            line.expect("the hub says where it is")
        };
        let address = next().await;
        let (_, address) = address.split_once("://").expect("a URL");
        let address = address
            .strip_suffix("/socket")
            .expect("the path")
            .to_owned();
        let ops = next().await;
        let (_, ops) = ops.split_once("http://").expect("a URL");
        let ops = ops.strip_suffix("/metrics").expect("the path").to_owned();
        Self {
            child,
            address,
            ops,
        }
    }

    /// Sends a signal by its name.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().expect("it runs").to_string();
        let arguments = [OsStr::new("-s"), OsStr::new(name), OsStr::new(&pid)];
        let status = std::process::Command::new("kill").args(arguments).status();
        assert!(status.expect("there is kill").success());
    }

    pub(crate) async fn ended(&mut self) -> Option<i32> {
        soon(self.child.wait()).await.expect("it ends").code()
    }

    /// The whole answer to a request.
    pub(crate) async fn get(&self, path: &str) -> String {
        request(
            &self.address,
            &format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n"),
        )
        .await
    }

    /// One figure.
    pub(crate) async fn figure(&self, name: &str) -> f64 {
        let answer = request(&self.ops, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").await;
        let start = format!("belay_hub_{name} ");
        let line = answer.lines().find_map(|line| line.strip_prefix(&start));
        line.expect("the figure is there")
            .parse()
            .expect("a number")
    }

    pub(crate) async fn health(&self) -> String {
        request(&self.ops, "GET /_health HTTP/1.1\r\nHost: x\r\n\r\n").await
    }

    pub(crate) async fn connect(&self) -> Game {
        Game::connect(&self.address).await
    }

    /// A game that is in, with all flags and some channels.
    pub(crate) async fn join(&self, credentials: &Credentials, channels: &[&str]) -> Game {
        let mut game = self.connect().await;
        game.authenticate(credentials, channels).await;
        game
    }
}

/// Sends bytes and reads to the end.
pub(crate) async fn request(address: &str, text: &str) -> String {
    let mut stream = TcpStream::connect(address).await.expect("connects");
    stream.write_all(text.as_bytes()).await.expect("is sent");
    let mut answer = Vec::new();
    // A reset, too, ends what there is to read.
    drop(soon(stream.read_to_end(&mut answer)).await);
    String::from_utf8_lossy(&answer).into_owned()
}

/// How a socket ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// With a close frame.
    Closed(u16, String),
    /// Without.
    Dropped,
}

/// A WebSocket of a game.
#[derive(Debug)]
pub(crate) struct Game {
    pub(crate) web: WebSocketStream<TcpStream>,
}

impl Game {
    pub(crate) async fn connect(address: &str) -> Self {
        let stream = TcpStream::connect(address).await.expect("connects");
        let url = format!("ws://{address}/socket");
        let (web, _) = soon(tokio_tungstenite::client_async(url, stream))
            .await
            .expect("opens");
        Self { web }
    }

    pub(crate) async fn send(&mut self, frame: Value) {
        self.say(Message::text(frame.to_string())).await;
    }

    pub(crate) async fn say(&mut self, message: Message) {
        soon(self.web.send(message)).await.expect("is sent");
    }

    /// The next message that is not a beat; beats are answered.
    pub(crate) async fn message(&mut self) -> Option<Result<Message, Error>> {
        // Over all: beats come more often than patience ends.
        soon(async {
            loop {
                let message = self.web.next().await;
                let Some(Ok(Message::Text(text))) = &message else {
                    return message;
                };
                if text.as_str() != r#"{"event":"heartbeat"}"# {
                    return message;
                }
                let beat = json!({"event": "heartbeat", "payload": {"players": ["Ana"]}});
                self.send(beat).await;
            }
        })
        .await
    }

    /// The next frame that is not a beat.
    pub(crate) async fn frame(&mut self) -> Value {
        match self.message().await {
            Some(Ok(Message::Text(text))) => serde_json::from_str(&text).expect("JSON"),
            other => panic!("no frame but {other:?}"),
        }
    }

    /// The next frame of an event; others are passed over.
    pub(crate) async fn event(&mut self, event: &str) -> Value {
        loop {
            let frame = self.frame().await;
            if frame["event"] == event {
                return frame;
            }
        }
    }

    pub(crate) async fn authenticate(&mut self, credentials: &Credentials, channels: &[&str]) {
        self.send(authenticate(credentials, channels)).await;
        let frame = self.frame().await;
        assert_eq!(frame["status"], "success", "{frame}");
    }

    /// Reads to the end.
    pub(crate) async fn ended(&mut self) -> Ended {
        loop {
            match self.message().await {
                Some(Ok(Message::Close(Some(close)))) => {
                    return Ended::Closed(close.code.into(), close.reason.to_string());
                }
                Some(Ok(Message::Close(None)) | Err(_)) | None => return Ended::Dropped,
                Some(Ok(_)) => {}
            }
        }
    }

    /// Answered after all that was sent before.
    pub(crate) async fn settle(&mut self) {
        self.send(json!({"event": "channels/subscribe", "ref": "settle"}))
            .await;
        while self.frame().await["ref"] != "settle" {}
    }
}

pub(crate) fn authenticate(credentials: &Credentials, channels: &[&str]) -> Value {
    json!({"event": "authenticate", "payload": {
        "client_id": credentials.client_id,
        "client_secret": credentials.client_secret,
        "supports": ["channels", "players", "tells", "games"],
        "channels": channels,
        "user_agent": "Test 1",
    }})
}

pub(crate) fn say(channel: &str, message: &str) -> Value {
    json!({"event": "channels/send", "ref": "say", "payload": {
        "channel": channel, "name": "Ana", "message": message,
    }})
}
