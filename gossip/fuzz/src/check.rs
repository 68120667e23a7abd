//! `[pure]` What must hold for any frame and any games. Shared by the fuzz targets and by the
//! tests of the hub's core; it needs `crate::hub` and `crate::protocol` of whoever includes it.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::time::{Duration, Instant};

use serde_json::Value;
use uuid::Uuid;

use crate::hub::core::{Effect, Figures, Hub, Input, Moment, Replies, Rules, SocketId};
use crate::hub::directory::{Directory, Game, GameId, GameText, SecretHash, ShortName};
use crate::limits::FRAME_OUT_BYTES_MAX;
use crate::protocol::{Body, Decoded, EventName, Heard};

/// Whatever was read can be written, and reads the same again.
pub fn frames(text: &str) {
    let _read = Decoded::of(text);
    let Heard::Event(event) = Heard::of(text) else {
        return;
    };
    let written = event.encode();
    if written.len() < FRAME_OUT_BYTES_MAX {
        let Heard::Event(again) = Heard::of(&written) else {
            panic!("not read again: {written}");
        };
        assert_eq!(written, again.encode(), "read differently");
    }
}

/// Plays games against a hub; the bytes say who does what. Any `now` will do. Gives what the hub
/// counted.
pub fn hub(data: &[u8], now: Instant) -> Figures {
    let (replies, bytes) = match data.split_first() {
        Some((first, rest)) if *first >= 250 => (Replies::Reference, rest),
        Some((_, rest)) => (Replies::Safe, rest),
        None => return Figures::default(),
    };
    let rules = Rules {
        replies,
        ..Rules::default()
    };
    let mut play = Play {
        hub: Hub::new(rules, directory(0), 1),
        replies,
        now: Moment {
            at: now,
            unix_ms: 1_767_323_045_000,
        },
        sockets: BTreeMap::new(),
        next: 1,
        references: BTreeSet::new(),
        bytes,
    };
    while !play.bytes.is_empty() {
        play.act();
    }
    play.hub.figures()
}

/// What the model knows of an open socket.
#[derive(Debug, Default)]
struct Open {
    /// The game, once it is authenticated.
    game: Option<String>,
    /// It asked for answers without references.
    debug: bool,
}

/// A hub, and what is known of its games.
struct Play<'a> {
    hub: Hub,
    replies: Replies,
    now: Moment,
    sockets: BTreeMap<SocketId, Open>,
    next: u64,
    /// All references the hub has made.
    references: BTreeSet<String>,
    bytes: &'a [u8],
}

/// What an input may be answered with.
struct Allowed {
    /// Who sent it.
    asker: Option<SocketId>,
    /// Whether the asker may get an answer that has an event.
    answer: bool,
    /// Whether every socket may be told.
    all: bool,
}

impl Play<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.bytes.split_first().unwrap_or((&0, &[]));
        self.bytes = rest;
        *first
    }

    fn pick<T: Copy>(&mut self, among: &[T]) -> T {
        let at = usize::from(self.byte()) % among.len();
        among[at]
    }

    fn act(&mut self) {
        let none = Allowed {
            asker: None,
            answer: false,
            all: false,
        };
        match self.byte() % 32 {
            0 | 1 => self.open(),
            2 => {
                if let Some(socket) = self.some_socket() {
                    self.sockets.remove(&socket);
                    self.step(Input::Closed { socket }, &none);
                }
            }
            3..=5 => {
                let seconds = self.pick(&[0_u8, 1, 1, 2, 15, 20]);
                self.now.at += Duration::from_secs(u64::from(seconds));
                self.now.unix_ms += i64::from(seconds) * 1_000;
                self.step(Input::Tick, &none);
            }
            6 => {
                let directory = directory(self.byte());
                self.step(Input::Directory(Box::new(directory)), &none);
            }
            7 => {
                let downtime_s = u64::from(self.byte() % 30);
                let all = Allowed { all: true, ..none };
                self.step(Input::Restart { downtime_s }, &all);
            }
            8 => {
                let length = usize::from(self.byte());
                let (text, rest) = self.bytes.split_at(length.min(self.bytes.len()));
                self.bytes = rest;
                let text = String::from_utf8_lossy(text);
                self.say(&text);
            }
            9..=12 => self.log_in(),
            13 => self.flood(),
            14 => self.hammer(),
            15..=17 => {
                let text = self.pick(&GOOD);
                self.say(text);
            }
            _ => {
                let text = self.frame();
                self.say(&text);
            }
        }
    }

    fn open(&mut self) {
        let socket = SocketId(self.next);
        self.next += 1;
        let address = IpAddr::from([192, 0, 2, self.byte() % 2]);
        self.sockets.insert(socket, Open::default());
        let none = Allowed {
            asker: None,
            answer: false,
            all: false,
        };
        self.step(Input::Opened { socket, address }, &none);
    }

    /// One frame many times.
    fn flood(&mut self) {
        let socket = self.some_socket();
        let times = self.byte() % 128;
        let text = self.frame();
        for _ in 0..times {
            self.say_as(socket, &text);
        }
    }

    /// Bad logins from one address.
    fn hammer(&mut self) {
        for _ in 0..6 {
            self.open();
            let socket = self.sockets.keys().next_back().copied();
            self.say_as(socket, r#"{"event":"authenticate","payload":{}}"#);
        }
    }

    fn some_socket(&mut self) -> Option<SocketId> {
        let byte = usize::from(self.byte());
        let count = self.sockets.len().max(1);
        self.sockets.keys().nth(byte % count).copied()
    }

    /// A login, mostly a good one.
    fn log_in(&mut self) {
        let number = self.byte() % 5;
        let supports = self.pick(&[
            r#"["channels"]"#,
            r#"["channels","players","tells","games","achievements"]"#,
            r#"["channels","players"]"#,
            r#"["channels","tells","players"]"#,
            r#"["players"]"#,
            "[]",
            "7",
        ]);
        let more = self.pick(&[
            "",
            r#","channels":["gossip","x y","gossip"]"#,
            r#","channels":["gossip","testing"],"extensions":["history","receipts","marks"]"#,
            r#","channels":null,"players":null,"debug":true"#,
            r#","players":["Ana","Bo"],"extensions":["receipts"]"#,
            r#","user_agent":7"#,
            r#","channels":["gossip"],"debug":true,"user_agent":"x","version":"2.3.0""#,
        ]);
        let (id, secret) = (id_of(number), secret_of(number));
        let text = format!(
            r#"{{"event":"authenticate","payload":{{"client_id":"{id}","client_secret":"{secret}","#
        );
        self.say(&format!(r#"{text}"supports":{supports}{more}}}}}"#));
    }

    /// A frame from a pool of parts, good and bad.
    fn frame(&mut self) -> String {
        let event = self.pick(&EventName::ALL).as_str();
        let reference = self.pick(&[
            "",
            r#","ref":"r""#,
            r#","ref":null"#,
            r#","ref":[1,{"a":2}]"#,
        ]);
        let mut payload = String::new();
        for _ in 0..self.byte() % 7 {
            let key = self.pick(&KEYS);
            let value = self.pick(&VALUES);
            let before = if payload.is_empty() { "" } else { "," };
            payload.push_str(&format!(r#"{before}"{key}":{value}"#));
        }
        let payload = match self.byte() % 8 {
            0 => String::new(),
            1 => r#","payload":null"#.to_owned(),
            2 => r#","payload":[1]"#.to_owned(),
            3 => format!(r#","payload":{{{SPOKEN}}}"#),
            4 => format!(r#","payload":{{{TOLD}}}"#),
            _ => format!(r#","payload":{{{payload}}}"#),
        };
        format!(r#"{{"event":"{event}"{reference}{payload}}}"#)
    }

    fn say(&mut self, text: &str) {
        let socket = self.some_socket();
        self.say_as(socket, text);
    }

    fn say_as(&mut self, socket: Option<SocketId>, text: &str) {
        let Some(socket) = socket.filter(|socket| self.sockets.contains_key(socket)) else {
            return;
        };
        let frame = Decoded::of(text);
        let open = self.sockets.entry(socket).or_default();
        let answer = match &frame {
            Decoded::Request(request) => {
                let login = open.game.is_none() && matches!(request.body, Body::Authenticate(_));
                if let (Body::Authenticate(Some(asked)), true) = (&request.body, login) {
                    open.debug = asked.debug;
                }
                login || open.debug || request.reference.is_some()
            }
            Decoded::NotJson | Decoded::NotAnObject | Decoded::Unknown => false,
        };
        let allowed = Allowed {
            asker: Some(socket),
            answer,
            all: false,
        };
        self.step(Input::Frame { socket, frame }, &allowed);
    }

    fn step(&mut self, input: Input, allowed: &Allowed) {
        let mut out = Vec::new();
        self.hub.step(input, self.now, &mut out);
        let mut closed = BTreeSet::new();
        for (at, effect) in out.iter().enumerate() {
            match effect {
                Effect::Send(to, frame) => {
                    assert!(!closed.contains(to), "sent after the close: {frame}");
                    let closes = matches!(out.get(at + 1), Some(Effect::Close(id, _)) if id == to);
                    self.sent(*to, &read(frame), closes, allowed);
                }
                Effect::Broadcast(to, frame) => self.broadcast(to, &read(frame)),
                Effect::Close(to, with) => {
                    assert!(self.sockets.remove(to).is_some(), "closed twice");
                    assert!(matches!(with.code, 4000 | 4001), "{with:?}");
                    closed.insert(*to);
                }
                Effect::Store(_) | Effect::Note(_) => {}
            }
        }
    }

    /// A frame to one socket.
    fn sent(&mut self, to: SocketId, frame: &Value, closes: bool, allowed: &Allowed) {
        let open = self.sockets.get_mut(&to).expect("an open socket");
        let event = frame.get("event").and_then(Value::as_str);
        let asked = allowed.asker == Some(to);
        match (event, &frame["error"]) {
            (None, error) => {
                let odd = error == "unknown" || error == "unauthenticated";
                let limit = error
                    .as_str()
                    .is_some_and(|error| error.starts_with("rate limit"));
                let reference = self.replies == Replies::Reference;
                assert!(asked && (odd || limit && reference), "{frame}");
                assert!(frame.get("ref").is_none(), "{frame}");
            }
            (Some("restart"), _) => assert!(allowed.all && frame["payload"]["downtime"] != 0),
            (Some("heartbeat"), _) => assert!(open.game.is_some(), "a beat before the welcome"),
            (Some("authenticate"), Value::Null) => {
                assert!(asked && open.game.is_none(), "{frame}");
                open.game = Some(String::new());
            }
            (Some("tells/receipt"), Value::Null) if !asked => assert!(open.game.is_some()),
            (Some("channels/subscribe"), error) if self.replies == Replies::Reference => {
                assert!(
                    asked && (allowed.answer || error != &Value::Null),
                    "{frame}"
                );
            }
            (Some(_), _) => assert!(closes || asked && allowed.answer, "nobody asked: {frame}"),
        }
    }

    /// A frame to many sockets.
    fn broadcast(&mut self, to: &[SocketId], frame: &Value) {
        let each: BTreeSet<&SocketId> = to.iter().collect();
        assert!(!to.is_empty() && each.len() == to.len(), "twice: {frame}");
        assert!(frame.get("status").is_none(), "{frame}");
        let payload = &frame["payload"];
        let game = payload["game"].as_str().or(payload["from_game"].as_str());
        let game = game.expect("a game");
        let event = frame["event"].as_str().unwrap_or_default();
        for socket in to {
            let open = self.sockets.get(socket).expect("an open socket");
            assert!(open.game.is_some(), "told before the welcome");
            let own = self
                .hub
                .game_of(*socket)
                .is_some_and(|own| own.as_str() == game);
            assert!(
                event == "tells/receive" || !own,
                "told of its own game: {frame}"
            );
        }
        let reference = frame["ref"].as_str().expect("a reference").to_owned();
        let uuid = Uuid::try_parse(&reference).expect("a UUID");
        assert_eq!(uuid.get_version_num(), 4);
        // The numbered form of a broadcast has the reference of the plain one.
        let numbered = payload.get("seq").is_some();
        assert!(
            self.references.insert(reference) || numbered,
            "used before: {frame}"
        );
    }
}

fn read(frame: &str) -> Value {
    assert!(frame.len() < FRAME_OUT_BYTES_MAX, "{} bytes", frame.len());
    serde_json::from_str(frame).expect("JSON")
}

fn id_of(number: u8) -> Uuid {
    Uuid::from_u128(u128::from(number) + 1)
}

fn secret_of(number: u8) -> Uuid {
    Uuid::from_u128((u128::from(number) + 1) << 64)
}

/// Four games; the bits of `change` hide, mute and ban.
fn directory(change: u8) -> Directory {
    let mut directory = Directory::new();
    for number in 0..4_u8 {
        let name = ["GameA", "GameB", "Hidden", "Private"][usize::from(number)];
        let game = Game {
            id: GameId(i64::from(number)),
            client_id: id_of(number),
            secret: SecretHash::of(secret_of(number)),
            short_name: ShortName::parse(name).expect("a name"),
            display: number != 2,
            display_players: number != 3 || change & 1 != 0,
            disabled: number == 0 && change & 2 != 0,
            text: GameText::named(name).expect("a name"),
            achievements: Vec::new(),
        };
        directory.add_game(game).expect("fits");
    }
    directory
}

/// Frames as good games send them.
const GOOD: [&str; 4] = [
    r#"{"event":"heartbeat","payload":{"players":["Ana","Bo"]}}"#,
    r#"{"event":"channels/send","payload":{"channel":"gossip","name":"Ana","message":"hi"}}"#,
    concat!(
        r#"{"event":"tells/send","ref":1,"payload":{"from_name":"Ana","#,
        r#""to_game":"GameB","to_name":"Bo","message":"hi"}}"#
    ),
    r#"{"event":"players/sign-in","payload":{"name":"Cy"}}"#,
];

const SPOKEN: &str = r#""channel":"gossip","name":"Ana","message":"a <b> \u0007c""#;
const TOLD: &str = r#""from_name":"ana","to_game":"gameb","to_name":"BO","message":"hi""#;

const KEYS: [&str; 20] = [
    "channel",
    "name",
    "message",
    "players",
    "game",
    "from_name",
    "to_game",
    "to_name",
    "sent_at",
    "key",
    "title",
    "description",
    "points",
    "display",
    "partial_progress",
    "total_progress",
    "after",
    "limit",
    "tell",
    "status",
];

const VALUES: [&str; 22] = [
    "null",
    "true",
    "7",
    "-1.5e300",
    "[]",
    "[null,7,\"Ana\",\"Bo\",\"\"]",
    "{\"a\":{}}",
    "\"\"",
    "\"gossip\"",
    "\"testing\"",
    "\"x y\"",
    "\"All\"",
    "\"Ana\"",
    "\"Bo\"",
    "\"GameA\"",
    "\"gameb\"",
    "\"Hidden\"",
    "\"2026-01-02T03:04:05Z\"",
    "\"\\u0000\\u001b<b>\\ud83d\\ude00\"",
    "\"00000000-0000-4000-8000-000000000000\"",
    "\"shown\"",
    "100",
];
