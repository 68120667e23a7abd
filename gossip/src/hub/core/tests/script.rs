//! `[pure]` Scripts of games that talk to one hub.
//!
//! One line is one step. `A`, `A2`, `B` are sockets; the letter is the game: `A` is `GameA` and so
//! on, `H` is hidden, `P` hides its players.
//!
//! ```text
//! A open                          the socket opens
//! A login players,games gossip    it opens and authenticates: flags besides channels, channels
//! A > EVENT REF PAYLOAD           the game sends; REF and PAYLOAD in JSON or - (none), or a word
//! A > {"event":"heartbeat"}       the game sends this text
//! A < EVENT REF PAYLOAD           the hub has sent, without a status
//! A < EVENT REF ok PAYLOAD        with status success, and a payload or none
//! A < EVENT REF no TEXT           with status failure, and this error
//! A < {"event":"x","ref":"*"}     this JSON; "*" is any string
//! A ! 4000                        the hub has closed
//! A drops                         the socket ends
//! A plays Ana Bo                  the game beats with these players, also from then on
//! A says gossip Ana Hello.        `channels/send` without a reference
//! B hears gossip GameA Ana Hello. `channels/broadcast`
//! + 15                            seconds pass
//! ~ 15                            seconds pass, and all games answer their beats
//! ```
//! What the hub sends has to be expected: at any line but `<` and `!` nothing may be left.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use uuid::Uuid;

use crate::hub::core::{Effect, Hub, Input, Moment, Note, Rules, SocketId};
use crate::hub::directory::{Channel, Directory, Game, GameId, GameText, SecretHash, ShortName};
use crate::hub::order::StoreOrder;
use crate::limits::FRAME_OUT_BYTES_MAX;
use crate::protocol::{ChannelName, Decoded};

/// What a socket was sent.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Got {
    Frame(Value),
    Closed(u16),
}

/// A hub and the games that play with it.
pub(super) struct Stage {
    pub(super) hub: Hub,
    pub(super) now: Moment,
    pub(super) stored: Vec<StoreOrder>,
    pub(super) noted: Vec<Note>,
    sockets: BTreeMap<String, SocketId>,
    got: BTreeMap<String, VecDeque<Got>>,
    players: BTreeMap<String, Vec<String>>,
    opened: u64,
}

/// Plays a script with a hub of the default rules.
pub(super) fn play(script: &str) -> Stage {
    play_with(Rules::default(), script)
}

/// Plays a script.
pub(super) fn play_with(rules: Rules, script: &str) -> Stage {
    let mut stage = Stage::new(rules, directory());
    stage.play(script);
    stage
}

pub(super) fn client_id(letter: char) -> Uuid {
    Uuid::from_u128(u128::from(u32::from(letter)))
}

pub(super) fn secret(letter: char) -> Uuid {
    Uuid::from_u128(u128::from(u32::from(letter)) << 64)
}

pub(super) fn game(letter: char) -> Game {
    let name = format!("Game{letter}");
    Game {
        id: GameId(i64::from(u32::from(letter))),
        client_id: client_id(letter),
        secret: SecretHash::of(secret(letter)),
        short_name: ShortName::parse(&name).unwrap(),
        display: letter != 'H',
        display_players: letter != 'P',
        disabled: false,
        text: GameText::named(&format!("The Game of {letter}")).unwrap(),
        achievements: Vec::new(),
    }
}

/// All games, and the listed channels `gossip` and `testing`.
pub(super) fn directory() -> Directory {
    let mut directory = Directory::new();
    for letter in 'A'..='Z' {
        directory.add_game(game(letter)).unwrap();
    }
    for name in ["gossip", "testing"] {
        let name = ChannelName::parse(name).unwrap();
        let channel = Channel {
            hidden: false,
            ..Channel::hidden(name)
        };
        directory.add_channel(channel).unwrap();
    }
    directory
}

/// The payload of a login.
pub(super) fn login(letter: char) -> Value {
    json!({
        "client_id": client_id(letter).to_string(),
        "client_secret": secret(letter).to_string(),
        "supports": ["channels"],
    })
}

impl Stage {
    pub(super) fn new(rules: Rules, directory: Directory) -> Self {
        #[expect(clippy::disallowed_methods, reason = "any moment will do")]
        let at = Instant::now();
        Self {
            hub: Hub::new(rules, directory, 7),
            now: Moment {
                at,
                // 2026-01-02T03:04:05Z
                unix_ms: 1_767_323_045_000,
            },
            stored: Vec::new(),
            noted: Vec::new(),
            sockets: BTreeMap::new(),
            got: BTreeMap::new(),
            players: BTreeMap::new(),
            opened: 0,
        }
    }

    pub(super) fn play(&mut self, script: &str) {
        for (number, line) in script.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (who, what) = line.split_once(' ').expect("two words");
            let (verb, rest) = what.split_once(' ').unwrap_or((what, ""));
            let at = format!("line {number}: {line}");
            if !matches!(verb, "<" | "!" | "hears") {
                self.assert_silence(&at);
            }
            match (who, verb) {
                ("+", seconds) => self.pass(seconds.parse().expect(&at), false),
                ("~", seconds) => self.pass(seconds.parse().expect(&at), true),
                (_, "open") => self.open(who, rest),
                (_, "login") => self.login(who, rest, &at),
                (_, ">") => self.send(who, &sent(rest, &at)),
                (_, "<") => self.expect(who, &wanted(rest, &at), &at),
                (_, "says") => self.send(who, &says(rest)),
                (_, "hears") => self.expect(who, &hears(rest), &at),
                (_, "!") => {
                    let code = rest.parse().expect(&at);
                    assert_eq!(self.next(who), Some(Got::Closed(code)), "{at}");
                }
                (_, "drops") => {
                    let socket = self.socket(who);
                    self.step(Input::Closed { socket });
                }
                (_, "plays") => {
                    let names = rest.split(' ').filter(|name| !name.is_empty());
                    let names = names.map(str::to_owned).collect();
                    self.players.insert(who.to_owned(), names);
                    self.beat(who);
                }
                _ => panic!("{at}"),
            }
        }
        self.assert_silence("the end");
    }

    /// One input, and what comes of it.
    pub(super) fn step(&mut self, input: Input) {
        let mut out = Vec::new();
        self.hub.step(input, self.now, &mut out);
        for effect in out {
            match effect {
                Effect::Send(to, frame) => self.keep(to, &frame),
                Effect::Broadcast(to, frame) => {
                    for to in to {
                        self.keep(to, &frame);
                    }
                }
                Effect::Close(to, with) => {
                    let name = self.name(to);
                    self.got
                        .entry(name)
                        .or_default()
                        .push_back(Got::Closed(with.code));
                }
                Effect::Store(order) => self.stored.push(order),
                Effect::Note(note) => self.noted.push(note),
            }
        }
    }

    /// Opens a socket from an address; without one, from one of its own.
    pub(super) fn open(&mut self, who: &str, address: &str) {
        self.opened += 1;
        let socket = SocketId(self.opened);
        self.sockets.insert(who.to_owned(), socket);
        let own = IpAddr::from(u32::try_from(self.opened).unwrap().to_be_bytes());
        let address = if address.is_empty() {
            own
        } else {
            address.parse().unwrap()
        };
        self.step(Input::Opened { socket, address });
    }

    pub(super) fn send(&mut self, who: &str, text: &str) {
        let socket = self.socket(who);
        let frame = Decoded::of(text);
        self.step(Input::Frame { socket, frame });
    }

    pub(super) fn socket(&self, who: &str) -> SocketId {
        *self
            .sockets
            .get(who)
            .unwrap_or_else(|| panic!("{who} has not opened"))
    }

    /// The next that a socket got.
    pub(super) fn next(&mut self, who: &str) -> Option<Got> {
        self.got.get_mut(who).and_then(VecDeque::pop_front)
    }

    /// All that a socket got, frames only.
    pub(super) fn frames(&mut self, who: &str) -> Vec<Value> {
        let got = self.got.remove(who).unwrap_or_default();
        let frames = got.into_iter().map(|got| match got {
            Got::Frame(frame) => frame,
            Got::Closed(code) => panic!("{who} was closed with {code}"),
        });
        frames.collect()
    }

    /// Authenticates with more in the payload than a login has.
    pub(super) fn authenticate(&mut self, who: &str, more: &Value) {
        let mut payload = login(who.chars().next().unwrap());
        for (key, value) in more.as_object().unwrap() {
            payload[key] = value.clone();
        }
        let frame = json!({"event": "authenticate", "payload": payload});
        self.send(who, &frame.to_string());
    }

    /// Seconds pass, one tick each.
    pub(super) fn pass(&mut self, seconds: u64, answer: bool) {
        for _ in 0..seconds {
            self.now.at += Duration::from_secs(1);
            self.now.unix_ms += 1_000;
            self.step(Input::Tick);
            if answer {
                self.answer_beats();
            }
        }
    }

    fn answer_beats(&mut self) {
        let beat = Got::Frame(json!({"event": "heartbeat"}));
        let mut beaten = Vec::new();
        for (who, got) in &mut self.got {
            let before = got.len();
            got.retain(|got| *got != beat);
            if got.len() < before {
                beaten.push(who.clone());
            }
        }
        for who in beaten {
            self.beat(&who);
        }
    }

    fn beat(&mut self, who: &str) {
        let players = self.players.get(who).cloned().unwrap_or_default();
        let beat = json!({"event": "heartbeat", "payload": {"players": players}});
        self.send(who, &beat.to_string());
    }

    fn login(&mut self, who: &str, rest: &str, at: &str) {
        self.open(who, "");
        let (flags, channels) = rest.split_once(' ').unwrap_or((rest, ""));
        let words = |text: &str| {
            let words = text.split([',', ' ']).filter(|word| !word.is_empty());
            words.map(str::to_owned).collect::<Vec<_>>()
        };
        let mut supports = vec!["channels".to_owned()];
        supports.extend(words(flags).into_iter().filter(|flag| flag != "-"));
        self.authenticate(
            who,
            &json!({"supports": supports, "channels": words(channels)}),
        );
        let welcome = json!({
            "event": "authenticate",
            "status": "success",
            "payload": {"unicode": "\u{2714}\u{fe0f}", "version": "2.3.0"},
        });
        self.expect(who, &welcome.to_string(), at);
        self.expect(who, r#"{"event":"heartbeat"}"#, at);
    }

    fn expect(&mut self, who: &str, text: &str, at: &str) {
        let wanted: Value = serde_json::from_str(text).expect(at);
        match self.next(who) {
            Some(Got::Frame(frame)) if matches(&wanted, &frame) => {}
            got => panic!("{at}\n  got {got:?}"),
        }
    }

    fn assert_silence(&self, at: &str) {
        for (who, got) in &self.got {
            assert!(got.is_empty(), "{at}\n  before it {who} got {got:?}");
        }
    }

    fn keep(&mut self, to: SocketId, text: &str) {
        assert!(
            text.len() < FRAME_OUT_BYTES_MAX,
            "{} bytes to {to:?}",
            text.len()
        );
        let frame = serde_json::from_str(text).expect("JSON");
        let name = self.name(to);
        self.got
            .entry(name)
            .or_default()
            .push_back(Got::Frame(frame));
    }

    fn name(&self, socket: SocketId) -> String {
        let mut names = self.sockets.iter().filter(|(_, id)| **id == socket);
        names.next().expect("a socket of the script").0.clone()
    }
}

/// The text of a frame that a game sends.
fn sent(text: &str, at: &str) -> String {
    if !text.starts_with(|first: char| first.is_ascii_lowercase()) {
        return text.to_owned();
    }
    let mut words = text.splitn(3, ' ');
    let mut frame = json!({"event": words.next()});
    put_reference(&mut frame, words.next());
    if let Some(payload) = words.next() {
        frame["payload"] = serde_json::from_str(payload).expect(at);
    }
    frame.to_string()
}

/// The text of a frame that the hub has sent.
fn wanted(text: &str, at: &str) -> String {
    if text.starts_with('{') {
        return text.to_owned();
    }
    let mut words = text.splitn(3, ' ');
    let mut frame = json!({});
    if let Some(event) = words.next().filter(|event| *event != "-") {
        frame["event"] = event.into();
    }
    put_reference(&mut frame, words.next());
    let rest = words.next().unwrap_or_default();
    let payload = match rest.split_once(' ').unwrap_or((rest, "")) {
        ("ok", payload) => {
            frame["status"] = "success".into();
            payload
        }
        ("no", error) => {
            frame["status"] = "failure".into();
            frame["error"] = error.into();
            ""
        }
        _ => rest,
    };
    if !payload.is_empty() {
        frame["payload"] = serde_json::from_str(payload).expect(at);
    }
    frame.to_string()
}

fn put_reference(frame: &mut Value, text: Option<&str>) {
    if let Some(text) = text.filter(|text| *text != "-") {
        frame["ref"] = serde_json::from_str(text).unwrap_or_else(|_| text.into());
    }
}

fn says(text: &str) -> String {
    let mut words = text.splitn(3, ' ');
    let payload = json!({
        "channel": words.next(),
        "name": words.next(),
        "message": words.next().unwrap_or_default(),
    });
    json!({"event": "channels/send", "payload": payload}).to_string()
}

fn hears(text: &str) -> String {
    let mut words = text.splitn(4, ' ');
    let payload = json!({
        "channel": words.next(),
        "game": words.next(),
        "name": words.next(),
        "message": words.next().unwrap_or_default(),
    });
    json!({"event": "channels/broadcast", "ref": "*", "payload": payload}).to_string()
}

/// Whether a frame is what was wanted, where "*" is any string.
fn matches(wanted: &Value, got: &Value) -> bool {
    match (wanted, got) {
        (Value::String(any), Value::String(_)) if any == "*" => true,
        (Value::Object(wanted), Value::Object(got)) => {
            let same = |(key, value)| got.get(key).is_some_and(|got| matches(value, got));
            wanted.len() == got.len() && wanted.iter().all(same)
        }
        (Value::Array(wanted), Value::Array(got)) => {
            let mut pairs = wanted.iter().zip(got);
            wanted.len() == got.len() && pairs.all(|(wanted, got)| matches(wanted, got))
        }
        (wanted, got) => wanted == got,
    }
}
