//! `[edge]` A pretended node on port 0 that speaks the dialogue over telnet and WebSocket.
//!
//! A ring of rooms, accounts in memory, and faults on request. It shares no code with the bots.
#![expect(
    clippy::disallowed_methods,
    reason = "an outside player does not use the runtime"
)]

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard};

use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};

/// How the pretended node behaves.
#[derive(Debug, Clone)]
pub(crate) struct Manner {
    /// Rooms in the ring.
    pub(crate) rooms: usize,
    /// So many connections hear that it is busy, before any is served.
    pub(crate) busy_first: u32,
    /// So many connections never hear anything, before any is served.
    pub(crate) silent_first: u32,
    /// Greets only who has sent a telnet NOP, as a kernel that lost the client's ACK would.
    pub(crate) waits_for_nop: bool,
    /// Closes a connection instead of answering this command of it (1 is the first).
    pub(crate) drops_at: Option<u32>,
    /// Never answers a say.
    pub(crate) is_mute: bool,
    /// Refuses every move with this line.
    pub(crate) refusal: Option<&'static str>,
    /// Writes telnet byte by byte.
    pub(crate) is_slow: bool,
    /// Names a place in the queue before a password login.
    pub(crate) places: Vec<u32>,
    /// Asks which character.
    pub(crate) asks_character: bool,
}

impl Default for Manner {
    fn default() -> Self {
        Self {
            rooms: 5,
            busy_first: 0,
            silent_first: 0,
            waits_for_nop: false,
            drops_at: None,
            is_mute: false,
            refusal: None,
            is_slow: false,
            places: Vec::new(),
            asks_character: false,
        }
    }
}

/// The pretended node; everything ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Fake {
    pub(crate) telnet: SocketAddr,
    pub(crate) http: SocketAddr,
    pub(crate) world: Arc<World>,
    _tasks: JoinSet<()>,
}

#[derive(Debug)]
pub(crate) struct World {
    manner: Manner,
    rooms: Vec<Mutex<BTreeMap<u32, mpsc::Sender<Arc<str>>>>>,
    accounts: Mutex<BTreeMap<String, String>>,
    arrivals: AtomicU32,
    /// Connections that are open.
    pub(crate) open: AtomicU32,
    /// Telnet refusals that came in.
    pub(crate) refusals: Mutex<Vec<[u8; 2]>>,
    /// Where connections came from.
    pub(crate) sources: Mutex<Vec<SocketAddr>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no panic holds the lock")
}

impl World {
    /// Tells everybody.
    pub(crate) fn tell_all(&self, text: &str) {
        let text: Arc<str> = text.into();
        for room in &self.rooms {
            for sender in lock(room).values() {
                drop(sender.try_send(text.clone()));
            }
        }
    }
}

impl Fake {
    pub(crate) async fn start(manner: Manner) -> Self {
        let telnet = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let http = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let world = Arc::new(World {
            rooms: (0..manner.rooms).map(|_| Mutex::default()).collect(),
            manner,
            accounts: Mutex::default(),
            arrivals: AtomicU32::new(0),
            open: AtomicU32::new(0),
            refusals: Mutex::default(),
            sources: Mutex::default(),
        });
        let mut tasks = JoinSet::new();
        let addresses = [&telnet, &http].map(|listener| listener.local_addr().expect("bound"));
        for (listener, is_web) in [(telnet, false), (http, true)] {
            let world = world.clone();
            tasks.spawn(async move {
                let mut guests = JoinSet::new();
                loop {
                    let (stream, source) = listener.accept().await.expect("accept");
                    lock(&world.sources).push(source);
                    stream.set_nodelay(true).expect("nodelay");
                    guests.spawn(serve(stream, is_web, world.clone()));
                    while guests.try_join_next().is_some() {}
                }
            });
        }
        Self {
            telnet: addresses[0],
            http: addresses[1],
            world,
            _tasks: tasks,
        }
    }
}

/// One connection, whichever way it came.
enum Wire {
    Telnet(TcpStream, Vec<u8>, bool),
    Web(Box<WebSocketStream<TcpStream>>),
}

impl Wire {
    /// Text, then a prompt; false when the connection is gone.
    async fn say(&mut self, text: &str, prompt: &str) -> bool {
        let text = format!("{}{prompt}", text.replace('\n', "\r\n"));
        match self {
            Self::Telnet(stream, _, is_slow) => {
                let mut bytes = text.into_bytes();
                if !prompt.is_empty() {
                    bytes.extend_from_slice(&[255, 249]);
                }
                let step = if *is_slow { 1 } else { bytes.len().max(1) };
                for part in bytes.chunks(step) {
                    if stream.write_all(part).await.is_err() {
                        return false;
                    }
                    if *is_slow {
                        tokio::task::yield_now().await;
                    }
                }
                true
            }
            Self::Web(stream) => stream.send(Message::Binary(text.into())).await.is_ok(),
        }
    }

    /// The next line; `None` at the end.
    async fn line(&mut self, world: &World) -> Option<String> {
        loop {
            match self {
                Self::Telnet(stream, unread, _) => {
                    while unread.starts_with(&[255, 241]) {
                        unread.drain(..2);
                    }
                    while unread.first() == Some(&255) && unread.len() >= 3 {
                        let refusal: Vec<u8> = unread.drain(..3).collect();
                        lock(&world.refusals).push([refusal[1], refusal[2]]);
                    }
                    if let Some(end) = unread.iter().position(|byte| *byte == b'\n') {
                        let line: Vec<u8> = unread.drain(..=end).collect();
                        return Some(String::from_utf8_lossy(&line).trim_end().to_owned());
                    }
                    let mut part = [0; 512];
                    match stream.read(&mut part).await {
                        Ok(0) | Err(_) => return None,
                        Ok(read) => unread.extend_from_slice(&part[..read]),
                    }
                }
                Self::Web(stream) => match stream.next().await {
                    Some(Ok(Message::Binary(bytes))) => {
                        return Some(String::from_utf8_lossy(&bytes).trim_end().to_owned());
                    }
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                    Some(Ok(_)) => {}
                },
            }
        }
    }
}

/// Takes the first subprotocol, as the node does.
#[expect(
    clippy::result_large_err,
    reason = "the shape that tungstenite asks for"
)]
fn choose(
    request: &Request,
    mut response: Response,
) -> Result<Response, tokio_tungstenite::tungstenite::handshake::server::ErrorResponse> {
    assert_eq!(request.uri().path(), "/ws");
    let name = request
        .headers()
        .get("sec-websocket-protocol")
        .expect("asked for")
        .clone();
    assert_eq!(name, "terminal.mudstandards.org");
    response
        .headers_mut()
        .insert("sec-websocket-protocol", name);
    Ok(response)
}

async fn serve(stream: TcpStream, is_web: bool, world: Arc<World>) {
    let number = world.arrivals.fetch_add(1, SeqCst);
    world.open.fetch_add(1, SeqCst);
    let wire = if is_web {
        accept_hdr_async(stream, choose)
            .await
            .ok()
            .map(|stream| Wire::Web(Box::new(stream)))
    } else {
        Some(Wire::Telnet(stream, Vec::new(), world.manner.is_slow))
    };
    if let Some(wire) = wire {
        visit(wire, number, &world).await;
    }
    world.open.fetch_sub(1, SeqCst);
}

/// From the greeting to the end.
async fn visit(mut wire: Wire, number: u32, world: &World) -> Option<()> {
    if number < world.manner.busy_first {
        wire.say("Busy, try again later.\n", "").await;
        return None;
    }
    if number < world.manner.silent_first {
        while wire.line(world).await.is_some() {}
        return None;
    }
    if let Wire::Telnet(stream, ..) = &mut wire
        && world.manner.waits_for_nop
    {
        let mut nop = [0; 2];
        stream.read_exact(&mut nop).await.ok()?;
        assert_eq!(nop, [255, 241]);
    }
    if let Wire::Telnet(stream, ..) = &mut wire {
        // WILL ECHO twice, DO TTYPE; each is to be refused once.
        stream
            .write_all(&[255, 251, 1, 255, 253, 24, 255, 251, 1])
            .await
            .ok()?;
    }
    wire.say("\x1B[1mWelcome to the pretended node.\x1B[0m\n\n", "")
        .await;
    let (name, back) = log_in(&mut wire, number, world).await?;
    let room = usize::try_from(number).ok()? % world.rooms.len();
    let (sender, mut notices) = mpsc::channel(1024);
    lock(&world.rooms[room]).insert(number, sender.clone());
    let welcome = if back { "Welcome back" } else { "Welcome" };
    wire.say(&format!("{welcome}, {name}.\n{}", describe(room)), "> ")
        .await;
    let mut who = Visitor {
        name,
        number,
        room,
        sender,
    };
    let mut commands = 0;
    loop {
        let line = tokio::select! {
            line = wire.line(world) => line,
            Some(notice) = notices.recv() => {
                let mut text = notice.to_string();
                while let Ok(notice) = notices.try_recv() {
                    text.push_str(&notice);
                }
                if !wire.say(&text, "> ").await {
                    break;
                }
                continue;
            }
        };
        let Some(line) = line else { break };
        commands += 1;
        if world.manner.drops_at == Some(commands) {
            break;
        }
        let answer = act(&line, &mut who, world);
        if !answer.is_empty() && !wire.say(&answer, "> ").await {
            break;
        }
        if line == "quit" {
            break;
        }
    }
    lock(&world.rooms[who.room]).remove(&number);
    Some(())
}

fn describe(room: usize) -> String {
    format!("Room {room}\nA room in a ring.\nExits: east and west.\nA lamp is here.\n")
}

/// Somebody in the world.
struct Visitor {
    name: String,
    number: u32,
    room: usize,
    sender: mpsc::Sender<Arc<str>>,
}

fn act(line: &str, who: &mut Visitor, world: &World) -> String {
    let Visitor {
        name,
        number,
        room,
        sender,
    } = who;
    let tell = |room: usize, text: String| {
        let text: Arc<str> = text.into();
        for (other, sender) in lock(&world.rooms[room]).iter() {
            if other != number {
                drop(sender.try_send(text.clone()));
            }
        }
    };
    if let Some(words) = line.strip_prefix("say ") {
        if world.manner.is_mute {
            return String::new();
        }
        tell(*room, format!("{name} says, \"{words}\"\n"));
        return format!("You say, \"{words}\"\n");
    }
    let count = world.rooms.len();
    let to = match line {
        "look" => return describe(*room),
        "quit" => return "Goodbye.\n".to_owned(),
        "east" => (*room + 1) % count,
        "west" => (*room + count - 1) % count,
        _ => return "I do not know that word.\n".to_owned(),
    };
    if let Some(refusal) = world.manner.refusal {
        return format!("{refusal}\n");
    }
    lock(&world.rooms[*room]).remove(number);
    tell(*room, format!("{name} leaves {line}.\n"));
    tell(to, format!("{name} arrives.\n"));
    lock(&world.rooms[to]).insert(*number, sender.clone());
    *room = to;
    describe(to)
}

/// The name in the world, and whether it is a return.
async fn log_in(wire: &mut Wire, number: u32, world: &World) -> Option<(String, bool)> {
    loop {
        wire.say("", "Name (or \"guest\"): ").await;
        let name = wire.line(world).await?;
        if name == "guest" {
            return Some((format!("Guest{number}"), false));
        }
        if name == "Admin" {
            wire.say("That name is reserved.\n", "").await;
            continue;
        }
        let known = lock(&world.accounts).get(&name).cloned();
        let Some(password) = known else {
            let ask = format!("There is no account named {name}. Create it? (yes/no): ");
            wire.say("", &ask).await;
            if wire.line(world).await? != "yes" {
                continue;
            }
            wire.say("", "New password: ").await;
            let password = wire.line(world).await?;
            wire.say("", "Repeat the password: ").await;
            assert_eq!(password, wire.line(world).await?);
            places(wire, world).await;
            wire.say("", "Character name: ").await;
            assert_eq!(wire.line(world).await?, "");
            lock(&world.accounts).insert(name.clone(), password);
            return Some((name, false));
        };
        wire.say("", "Password: ").await;
        let is_right = wire.line(world).await? == password;
        places(wire, world).await;
        if !is_right {
            wire.say("That name or password is wrong.\n", "").await;
            continue;
        }
        if world.manner.asks_character {
            let list = format!("Characters: 1. {name}  2. Other\n");
            wire.say(&list, "Which (number or name, or \"new\"): ")
                .await;
            assert_eq!(wire.line(world).await?, "1");
        }
        return Some((name, true));
    }
}

async fn places(wire: &mut Wire, world: &World) {
    for place in &world.manner.places {
        wire.say(&format!("You are number {place} in line.\n"), "")
            .await;
    }
}
