//! `[pure]` Goal: our client and our hub understand each other, and what is said is heard exactly
//! once, whenever connections break. Method: both machines in one thread, with the frames between
//! them in queues that are lost when a connection breaks.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

use uuid::Uuid;

use crate::client::machine::*;
use crate::client::memory::Memory;
use crate::client::news::{News, Tell, TellAnswer, TellOutcome};
use crate::client::options::ClientOptions;
use crate::hub::core::{self, Hub, Moment, SocketId};
use crate::hub::directory::{Directory, Game, GameId, GameText, SecretHash, ShortName};
use crate::protocol::{ChannelName, Decoded};

const NAMES: [&str; 3] = ["Alpha", "Beta", "Gamma"];

struct Link {
    socket: SocketId,
    machine: Machine,
    /// From the hub, on its way.
    inbound: VecDeque<core::Frame>,
}

/// One game.
#[derive(Default)]
struct Side {
    link: Option<Link>,
    memory: Memory,
    players: Vec<String>,
    news: Vec<News>,
    answers: Vec<TellAnswer>,
    tells: u64,
    endings: Vec<Ending>,
}

struct Network {
    hub: Hub,
    begun: Instant,
    now: Instant,
    sides: Vec<Side>,
    sockets: u64,
}

fn id(number: usize) -> Uuid {
    Uuid::from_u128(u128::try_from(number).unwrap() + 1)
}

fn directory() -> Directory {
    let mut directory = Directory::new();
    for (number, name) in NAMES.iter().enumerate() {
        let game = Game {
            id: GameId(i64::try_from(number).unwrap()),
            client_id: id(number),
            secret: SecretHash::of(id(number)),
            short_name: ShortName::parse(name).unwrap(),
            display: true,
            display_players: true,
            disabled: false,
            text: GameText::named(name).unwrap(),
            achievements: Vec::new(),
        };
        directory.add_game(game).unwrap();
    }
    directory
}

impl Network {
    #[expect(clippy::disallowed_methods, reason = "any base does")]
    fn new() -> Self {
        let side = |name: &&str| Side {
            players: vec![format!("Ann of {name}")],
            ..Side::default()
        };
        let begun = Instant::now();
        Self {
            hub: Hub::new(core::Rules::default(), directory(), 1),
            begun,
            now: begun,
            sides: NAMES.iter().map(side).collect(),
            sockets: 0,
        }
    }

    fn hub(&mut self, input: core::Input) {
        let mut out = Vec::new();
        let passed = self.now.duration_since(self.begun).as_millis();
        let moment = Moment {
            at: self.now,
            unix_ms: 1_767_323_045_000 + i64::try_from(passed).unwrap(),
        };
        self.hub.step(input, moment, &mut out);
        for effect in out {
            match effect {
                core::Effect::Send(socket, frame) => self.to(socket, &frame),
                core::Effect::Broadcast(sockets, frame) => {
                    for socket in sockets {
                        self.to(socket, &frame);
                    }
                }
                core::Effect::Close(socket, with) => {
                    let side = self
                        .sides
                        .iter()
                        .position(|side| side.is_on(socket))
                        .unwrap();
                    self.deliver(side);
                    self.step(side, Input::Closed(Some(with.code)));
                }
                core::Effect::Store(_) | core::Effect::Note(_) => {}
            }
        }
    }

    fn to(&mut self, socket: SocketId, frame: &core::Frame) {
        let side = self.sides.iter_mut().find(|side| side.is_on(socket));
        if let Some(link) = side.and_then(|side| side.link.as_mut()) {
            link.inbound.push_back(frame.clone());
        }
    }

    fn connect(&mut self, number: usize) {
        if self.sides[number].link.is_some() {
            return;
        }
        self.sockets += 1;
        let socket = SocketId(self.sockets);
        let identity = Identity {
            client_id: id(number).to_string(),
            client_secret: id(number).to_string(),
            game: None,
            user_agent: "Test".to_owned(),
            seed: self.sockets,
        };
        let memory = std::mem::take(&mut self.sides[number].memory);
        let wished = BTreeSet::from([ChannelName::parse("gossip").unwrap()]);
        let rules = ClientOptions::default().rules();
        let (machine, login) = Machine::open(rules, identity, memory, wished, self.now);
        self.sides[number].link = Some(Link {
            socket,
            machine,
            inbound: VecDeque::new(),
        });
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        self.hub(core::Input::Opened { socket, address });
        self.carry_out(number, vec![login]);
    }

    /// The connection breaks; what is on its way is lost.
    fn sever(&mut self, number: usize) {
        let side = &mut self.sides[number];
        if let Some(link) = side.link.take() {
            side.memory = link.machine.into_memory();
            let socket = link.socket;
            self.hub(core::Input::Closed { socket });
        }
    }

    fn step(&mut self, number: usize, input: Input<'_>) {
        let mut out = Vec::new();
        if let Some(link) = &mut self.sides[number].link {
            link.machine.step(input, self.now, &mut out);
        }
        self.carry_out(number, out);
    }

    fn carry_out(&mut self, number: usize, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Send(text) => self.send(number, &text),
                Effect::Beat => self.send(number, &beat(self.sides[number].players.clone())),
                Effect::Deliver(news) => self.sides[number].news.push(news),
                Effect::Answer(_, answer) => self.sides[number].answers.push(answer),
                Effect::Online | Effect::Proven => {}
                Effect::End(ending) => {
                    self.sides[number].endings.push(ending);
                    self.sever(number);
                }
            }
        }
    }

    fn send(&mut self, number: usize, text: &str) {
        if let Some(link) = &self.sides[number].link {
            let (socket, frame) = (link.socket, Decoded::of(text));
            self.hub(core::Input::Frame { socket, frame });
        }
    }

    /// What is on its way to a game arrives.
    fn deliver(&mut self, number: usize) {
        while let Some(link) = &mut self.sides[number].link
            && let Some(frame) = link.inbound.pop_front()
        {
            self.step(number, Input::Text(&frame));
        }
    }

    fn settle(&mut self) {
        while self.sides.iter().any(Side::is_busy) {
            for number in 0..self.sides.len() {
                self.deliver(number);
            }
        }
    }

    /// Time passes, in steps that leave nobody late.
    fn pass(&mut self, seconds: u64) {
        for _ in 0..seconds * 4 {
            self.now += Duration::from_millis(250);
            self.hub(core::Input::Tick);
            for number in 0..self.sides.len() {
                self.step(number, Input::Time);
            }
            self.settle();
        }
    }

    fn say(&mut self, number: usize, message: String) {
        self.step(
            number,
            Input::Order(Order::Say {
                channel: "gossip".to_owned(),
                name: "Ann".to_owned(),
                message,
            }),
        );
    }

    fn tell(&mut self, from: usize, to_name: &str, to_game: &str) -> TellAnswer {
        let side = &mut self.sides[from];
        side.tells += 1;
        let tell = Tell {
            from_name: side.players[0].clone(),
            to_name: to_name.to_owned(),
            to_game: to_game.to_owned(),
            message: "psst".to_owned(),
        };
        let order = TellOrder {
            id: TellId(side.tells),
            tell,
            sent_at: "2026-01-02T03:04:05Z".to_owned(),
        };
        self.step(from, Input::Order(Order::Tell(order)));
        self.settle();
        self.sides[from].answers.pop().unwrap()
    }

    fn all_online() -> Self {
        let mut network = Self::new();
        for number in 0..NAMES.len() {
            network.connect(number);
        }
        network.settle();
        // Who came first asks again for those who came later.
        network.pass(11);
        for side in &mut network.sides {
            side.news.clear();
        }
        network
    }
}

impl Side {
    fn is_on(&self, socket: SocketId) -> bool {
        self.link.as_ref().is_some_and(|link| link.socket == socket)
    }

    fn is_busy(&self) -> bool {
        self.link
            .as_ref()
            .is_some_and(|link| !link.inbound.is_empty())
    }

    fn machine(&mut self) -> &mut Machine {
        &mut self.link.as_mut().unwrap().machine
    }

    /// How often each message was heard.
    fn heard(&self) -> BTreeMap<String, u32> {
        let mut heard = BTreeMap::new();
        for news in &self.news {
            if let News::Channel { message, .. } = news {
                *heard.entry(message.clone()).or_default() += 1;
            }
        }
        heard
    }
}

#[test]
fn our_client_and_our_hub_talk_both_ways() {
    let mut network = Network::all_online();
    network.say(0, "hello".to_owned());
    network.say(1, "and hello".to_owned());
    network.settle();
    assert_eq!(
        network.sides[1].heard(),
        BTreeMap::from([("hello".to_owned(), 1)])
    );
    assert_eq!(
        network.sides[0].heard(),
        BTreeMap::from([("and hello".to_owned(), 1)])
    );
    assert_eq!(network.sides[2].heard().len(), 2);

    let roster = network.sides[0].machine().take_roster().unwrap();
    assert_eq!(roster.game("beta").unwrap().players, ["Ann of Beta"]);
    assert_eq!(network.sides[0].machine().book.count(), (2, 2));
    assert_eq!(network.tell(0, "ann of beta", "beta"), TellAnswer::Sent);
    let told = network.sides[1].news.pop().unwrap();
    let News::Tell {
        from_game,
        from_name,
        receipt: Some(receipt),
        ..
    } = told
    else {
        panic!("no tell: {told:?}");
    };
    assert_eq!(
        (from_game.as_str(), from_name.as_str()),
        ("Alpha", "Ann of Alpha")
    );
    network.step(
        1,
        Input::Order(Order::Receipt(receipt, TellOutcome::Ignored)),
    );
    network.settle();
    let News::TellReceipt { outcome, .. } = network.sides[0].news.pop().unwrap() else {
        panic!("no receipt");
    };
    assert_eq!(outcome, TellOutcome::Ignored);
    assert_eq!(
        network.tell(1, "nobody", "Alpha"),
        TellAnswer::PlayerOffline
    );
    assert_eq!(network.tell(1, "x", "Nowhere"), TellAnswer::UnknownGame);

    network.step(0, Input::Order(Order::SignIn("Zoe".to_owned())));
    network.settle();
    let (game, name) = ("Alpha".to_owned(), "Zoe".to_owned());
    assert_eq!(
        network.sides[2].news.pop(),
        Some(News::SignIn { game, name })
    );
    assert_eq!(network.tell(2, "zoe", "ALPHA"), TellAnswer::Sent);
}

#[test]
fn an_hour_of_talk_leaves_everybody_connected_and_nobody_limited() {
    let mut network = Network::all_online();
    for minute in 0..60 {
        for number in 0..NAMES.len() {
            for line in 0..30 {
                network.say(number, format!("{minute} {number} {line}"));
            }
            let order = Order::SignIn(format!("P{minute}"));
            network.step(number, Input::Order(order));
        }
        network.pass(60);
    }
    for side in &mut network.sides {
        assert_eq!(side.endings, []);
        let heard = side.heard();
        assert_eq!(heard.len(), 2 * 60 * 30);
        assert!(heard.values().all(|count| *count == 1));
        let figures = side.machine().figures();
        assert_eq!(
            (figures.refused, figures.timeouts, figures.dropped_out),
            (0, 0, 0)
        );
        assert_eq!((figures.garbage, figures.flood_dropped), (0, 0));
        assert!(figures.beats >= 240, "{figures:?}");
    }
}

#[test]
fn a_game_that_goes_is_gone_from_the_roster_within_a_minute_and_announced_later() {
    let mut network = Network::all_online();
    network.sever(2);
    network.pass(61);
    let book = &network.sides[0].machine().book;
    assert_eq!(book.count(), (1, 1));
    network.connect(2);
    network.settle();
    network.pass(11);
    assert_eq!(network.sides[0].machine().book.count(), (2, 2));
}

#[test]
fn a_wrong_secret_and_a_restart_are_understood() {
    let mut network = Network::all_online();
    let mut changed = Directory::new();
    for (number, game) in directory().games().enumerate() {
        let mut game = game.clone();
        if number == 1 {
            game.secret = SecretHash::of(id(77));
        }
        changed.add_game(game).unwrap();
    }
    network.hub(core::Input::Directory(Box::new(changed)));
    network.settle();
    assert_eq!(network.sides[1].endings.len(), 1, "thrown out");
    network.connect(1);
    network.settle();
    network.pass(6);
    let ending = network.sides[1].endings.pop().unwrap();
    assert_eq!(ending.code, BAD_CREDENTIALS, "{ending:?}");
    network.hub(core::Input::Restart { downtime_s: 20 });
    network.settle();
    network.step(0, Input::Closed(Some(1001)));
    let ending = network.sides[0].endings.pop().unwrap();
    let wait = ending.wait.unwrap();
    let expected = Duration::from_secs(15)..=Duration::from_secs(30);
    assert!(
        ending.code == "restart" && expected.contains(&wait),
        "{ending:?}"
    );
}

mod random {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Act {
        Say(usize),
        Sever(usize),
        Connect(usize),
        /// So many frames arrive.
        Arrive(usize, usize),
        Pass(u64),
    }

    fn act() -> impl Strategy<Value = Act> {
        let side = || 0..NAMES.len();
        prop_oneof![
            6 => side().prop_map(Act::Say),
            2 => side().prop_map(Act::Sever),
            3 => side().prop_map(Act::Connect),
            4 => (side(), 1_usize..6).prop_map(|(side, count)| Act::Arrive(side, count)),
            2 => (1_u64..5).prop_map(Act::Pass),
        ]
    }

    proptest! {
        /// However connections break, everybody hears each message of the others exactly once,
        /// in the end: what was lost on its way is fetched.
        #[test]
        fn each_hears_each_message_exactly_once(acts in prop::collection::vec(act(), 1..80)) {
            let mut network = Network::all_online();
            let mut said = vec![BTreeSet::new(); NAMES.len()];
            for (number, act) in acts.into_iter().enumerate() {
                match act {
                    Act::Say(side) => {
                        let online = network.sides[side].link.as_ref();
                        // Words to a hub that has not let us in are refused.
                        let heard = online.is_some_and(|link| {
                            link.machine.is_online() && link.machine.say_bucket
                                .wait(network.now).is_zero()
                        });
                        if heard {
                            let message = format!("message {number}");
                            network.say(side, message.clone());
                            said[side].insert(message);
                        }
                    }
                    Act::Sever(side) => network.sever(side),
                    Act::Connect(side) => network.connect(side),
                    Act::Arrive(side, count) => {
                        for _ in 0..count {
                            let link = network.sides[side].link.as_mut();
                            if let Some(frame) = link.and_then(|link| link.inbound.pop_front()) {
                                network.step(side, Input::Text(&frame));
                            }
                        }
                    }
                    Act::Pass(seconds) => network.pass(seconds),
                }
            }
            for side in 0..NAMES.len() {
                network.connect(side);
            }
            network.settle();
            network.pass(10);
            for (number, side) in network.sides.iter().enumerate() {
                let others = said.iter().enumerate().filter(|(other, _)| *other != number);
                let expected: BTreeMap<_, _> = others
                    .flat_map(|(_, said)| said)
                    .map(|message| (message.clone(), 1))
                    .collect();
                prop_assert_eq!(side.heard(), expected, "by {}", NAMES[number]);
            }
        }
    }
}
