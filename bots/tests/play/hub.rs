//! `[edge]` A pretended hub that passes messages on between games, with faults on request. It
//! shares no code with the bots.
#![expect(
    clippy::disallowed_methods,
    reason = "an outside hub does not use the runtime"
)]

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, frame::coding::CloseCode};
use tokio_tungstenite::{WebSocketStream, accept_async};

/// What becomes of the messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Habit {
    /// Each comes to all others once.
    Good,
    /// Each comes twice.
    Doubles,
    /// Every second one is lost.
    Loses,
    /// Every second one comes after the one behind it.
    Swaps,
    /// The sender hears itself.
    Echoes,
    /// A sender is thrown out with code 4000 at its third message.
    ThrowsOut,
    /// Nobody is let in.
    Refuses,
    /// Messages are refused.
    Limits,
}

/// The pretended hub; everything ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Hub {
    pub(crate) address: SocketAddr,
    pub(crate) state: Arc<State>,
    _tasks: JoinSet<()>,
}

#[derive(Debug)]
pub(crate) struct State {
    habit: Habit,
    games: Mutex<BTreeMap<u32, mpsc::Sender<String>>>,
    kept: Mutex<Option<String>>,
    arrivals: AtomicU32,
    messages: AtomicU32,
    /// Beats that were answered.
    pub(crate) beats: AtomicU32,
}

impl Hub {
    pub(crate) async fn start(habit: Habit, address: &str) -> Self {
        let listener = TcpListener::bind(address).await.expect("a port");
        let state = Arc::new(State {
            habit,
            games: Mutex::default(),
            kept: Mutex::default(),
            arrivals: AtomicU32::new(0),
            messages: AtomicU32::new(0),
            beats: AtomicU32::new(0),
        });
        let address = listener.local_addr().expect("bound");
        let mut tasks = JoinSet::new();
        let shared = state.clone();
        tasks.spawn(async move {
            let mut games = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                games.spawn(serve(stream, shared.clone()));
            }
        });
        Self {
            address,
            state,
            _tasks: tasks,
        }
    }

    /// A new folder with so many credentials files of this hub.
    pub(crate) fn credentials(&self, count: usize) -> Folder {
        let number = FOLDERS.fetch_add(1, SeqCst);
        let name = format!("belay-bots-{}-games-{number}", std::process::id());
        let folder = Folder(std::env::temp_dir().join(name));
        std::fs::create_dir(&folder.0).unwrap();
        for game in 0..count {
            let text = format!(
                "url = \"ws://{}/socket\"\nclient_id = \"{game}\"\nclient_secret = \"s\"\n",
                self.address
            );
            std::fs::write(folder.0.join(format!("game{game:04}.toml")), text).unwrap();
        }
        folder
    }
}

static FOLDERS: AtomicU32 = AtomicU32::new(0);

/// A folder that goes when it is dropped.
#[derive(Debug)]
pub(crate) struct Folder(pub(crate) PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

type Socket = WebSocketStream<TcpStream>;

async fn serve(stream: TcpStream, state: Arc<State>) {
    let Ok(mut socket) = accept_async(stream).await else {
        return;
    };
    let number = state.arrivals.fetch_add(1, SeqCst);
    let (sender, mut heard) = mpsc::channel(100_000);
    loop {
        tokio::select! {
            Some(text) = heard.recv() => {
                if socket.send(Message::text(text)).await.is_err() {
                    break;
                }
            }
            frame = socket.next() => {
                let Some(Ok(Message::Text(text))) = frame else { break };
                let frame: Value = serde_json::from_str(&text).expect("JSON");
                if hear(&state, number, &frame, &sender, &mut socket).await.is_none() {
                    break;
                }
            }
        }
    }
    state.games.lock().unwrap().remove(&number);
}

/// One frame of a game; `None` at the end.
async fn hear(
    state: &State,
    number: u32,
    frame: &Value,
    sender: &mpsc::Sender<String>,
    socket: &mut Socket,
) -> Option<()> {
    let mut answers = Vec::new();
    match frame["event"].as_str().unwrap() {
        "authenticate" if state.habit == Habit::Refuses => {
            let refusal = json!({"event": "authenticate", "status": "failure",
                                 "error": "invalid credentials"});
            say(socket, &refusal).await?;
            return close(socket, 4000).await;
        }
        "authenticate" => {
            assert_eq!(frame["payload"]["client_secret"], "s");
            assert_eq!(frame["payload"]["channels"], json!(["gossip"]));
            answers.push(json!({"event": "authenticate", "status": "success",
                                "payload": {"unicode": "x", "version": "2.3.0"}}));
            answers.push(json!({"event": "heartbeat"}));
            state.games.lock().unwrap().insert(number, sender.clone());
        }
        "heartbeat" => drop(state.beats.fetch_add(1, SeqCst)),
        "channels/send" if state.habit == Habit::Limits => {
            answers.push(json!({"event": "channels/send", "ref": frame["ref"],
                                "status": "failure", "error": "rate limit exceeded"}));
        }
        "channels/send" => {
            let count = state.messages.fetch_add(1, SeqCst);
            if state.habit == Habit::ThrowsOut && count == 2 {
                return close(socket, 4000).await;
            }
            answers.push(json!({"event": "channels/send", "ref": frame["ref"],
                                "status": "success"}));
            let payload = &frame["payload"];
            let text = json!({"event": "channels/broadcast", "ref": format!("hub-{count}"),
                "payload": {"channel": payload["channel"], "game": format!("Game{number}"),
                            "name": payload["name"], "message": payload["message"]}});
            pass_on(state, number, count, text.to_string());
        }
        other => panic!("unexpected {other}"),
    }
    for answer in answers {
        say(socket, &answer).await?;
    }
    Some(())
}

/// A message to those who are to hear it.
fn pass_on(state: &State, from: u32, count: u32, text: String) {
    let is_second = count % 2 == 1;
    let mut texts = vec![text];
    match state.habit {
        Habit::Doubles => texts.push(texts[0].clone()),
        Habit::Loses if is_second => return,
        Habit::Swaps if is_second => texts.extend(state.kept.lock().unwrap().take()),
        Habit::Swaps => {
            *state.kept.lock().unwrap() = texts.pop();
            return;
        }
        Habit::Good
        | Habit::Loses
        | Habit::Echoes
        | Habit::ThrowsOut
        | Habit::Refuses
        | Habit::Limits => {}
    }
    for (number, sender) in state.games.lock().unwrap().iter() {
        if *number != from || state.habit == Habit::Echoes {
            for text in &texts {
                drop(sender.try_send(text.clone()));
            }
        }
    }
}

async fn say(socket: &mut Socket, frame: &Value) -> Option<()> {
    socket.send(Message::text(frame.to_string())).await.ok()
}

async fn close(socket: &mut Socket, code: u16) -> Option<()> {
    let frame = CloseFrame {
        code: CloseCode::from(code),
        reason: "goodbye".into(),
    };
    drop(socket.close(Some(frame)).await);
    None
}
