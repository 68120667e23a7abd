//! `[edge]` Players who take, carry, drop, look and talk, and write down what they asked for and
//! what came of it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use belay_bots::history::{Answer, Claim, Ended, Moment, Speech, What};
use belay_bots::{Bot, Target};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use tokio::time::{Instant, sleep, timeout};

use super::rig::PASSWORD;

/// The zones, the names of their rooms, and the things that were there first.
pub(super) const PLACES: [(&str, &str, &str); 3] = [
    ("zone:field", "The Green", "crown"),
    ("zone:wood", "The Glade", "sceptre"),
    ("zone:shore", "The Beach", "orb"),
];

/// Who plays, and near which node.
pub(super) const PLAYERS: [(&str, usize); 4] = [("Ann", 0), ("Bob", 1), ("Cid", 2), ("Dan", 0)];

/// What every view of a room has.
const EXITS: &str = "Exits: ";

/// How long an answer may take: longer than a session waits itself. A node that says nothing at
/// all is left then.
const ANSWER: Duration = Duration::from_secs(8);

/// How long coming in may take.
const ENTER: Duration = Duration::from_secs(5);

/// The node says that nothing happened.
const REFUSED: [&str; 5] = [
    "It slips away: somebody else has it by now",
    "is out of reach just now.",
    "could not be saved, so it did not happen",
    "Too crowded to act just now",
    "The way is closed just now",
];

/// The node does not know what happened.
const UNCLEAR: [&str; 2] = ["that did not get through", "Nothing came of that in time"];

/// What players know together.
#[derive(Default)]
pub(super) struct Board {
    /// Where players reach each node.
    pub(super) doors: Vec<Option<Target>>,
    pub(super) claims: Vec<Claim>,
    pub(super) answers: Vec<Answer>,
    pub(super) speech: Vec<Speech>,
    /// Where each thing was seen last: with players and in rooms.
    pub(super) seen: BTreeSet<(&'static str, &'static str)>,
    /// Nodes may not reach each other. A room cannot know then that who stood in it has gone on by
    /// way of a node that it does not hear of: what it shows of others is no claim.
    pub(super) is_hurt: bool,
    /// It is time to stop.
    pub(super) over: bool,
}

impl Board {
    fn note(&mut self, at: (&'static str, &'static str), is_there: bool) {
        if is_there {
            self.seen.insert(at);
        } else {
            self.seen.remove(&at);
        }
    }

    /// Where a thing is, now that everybody has looked everywhere; nothing if it lies in several
    /// rooms, in all but one of which it only seems to.
    pub(super) fn place_of(&self, thing: &str) -> Option<&'static str> {
        let places = self.seen.iter().filter(|(seen, _)| *seen == thing);
        let places: Vec<&'static str> = places.map(|(_, place)| *place).collect();
        assert!(!places.is_empty(), "the {thing} is nowhere");
        let is_held = |place: &&str| PLAYERS.iter().any(|(name, _)| name == place);
        let holder = places.iter().copied().find(is_held);
        holder.or(places.first().copied().filter(|_| places.len() == 1))
    }

    /// Whether each zone has answered what it was asked after this moment.
    pub(super) fn plays_since(&self, moment: Moment) -> bool {
        let plays = |zone: &str| {
            let mut own = self.answers.iter().rev().filter(|it| it.zone == zone);
            own.any(|it| it.asked >= moment)
        };
        PLACES.iter().all(|(zone, ..)| plays(zone))
    }
}

/// What came of a line.
enum Came {
    /// One of the texts that were waited for, by its number, with all that came with it.
    Answer(usize, String),
    Refused,
    Unclear,
    /// The connection is gone, or as good as.
    Lost,
}

/// A player of a run.
pub(super) struct Player {
    name: &'static str,
    /// The node that is tried next.
    node: usize,
    dice: StdRng,
    bot: Option<Bot>,
    session: u64,
    /// Where the character stands, if that is certain.
    place: Option<usize>,
    /// When it last was.
    seen: Moment,
    /// How many rooms were shown, asked for or not.
    shown: usize,
    said: Vec<u64>,
    answered: Vec<u64>,
    /// By session and speaker.
    heard: BTreeMap<(u64, &'static str), Vec<u64>>,
}

/// Now, by the clock that all processes of this machine share.
pub(super) fn now() -> Moment {
    Moment::of(Instant::now().into_std()).expect("the standard library shows it like this")
}

impl Player {
    pub(super) fn new((name, node): (&'static str, usize), seed: u64) -> Self {
        Self {
            name,
            node,
            dice: StdRng::seed_from_u64(seed),
            bot: None,
            session: 0,
            place: None,
            seen: now(),
            shown: 0,
            said: Vec::new(),
            answered: Vec::new(),
            heard: BTreeMap::new(),
        }
    }

    /// Plays until it is time to stop.
    pub(super) async fn play(&mut self, board: &RefCell<Board>) {
        while !board.borrow().over {
            let Some(place) = self.stand(board).await else {
                continue;
            };
            match self.dice.random_range(0..10) {
                0..3 => self.walk(board, place).await,
                3..5 => self.get(board, place).await,
                5..7 => self.put_down(board, place).await,
                7 => self.count(board).await,
                8 => self.look(board).await,
                _ => self.talk(board, place).await,
            }
            pause(self.dice.random_range(10..60)).await;
        }
    }

    /// Tells where each thing is, at last, and leaves the game.
    pub(super) async fn end(&mut self, board: &RefCell<Board>, rounds: usize) {
        let mut seen = 0;
        for _ in 0..50 {
            let Some(place) = self.stand(board).await else {
                continue;
            };
            if seen >= rounds {
                break;
            }
            self.count(board).await;
            self.look(board).await;
            self.walk(board, place).await;
            seen += usize::from(self.place.is_some_and(|now| now != place));
        }
        assert!(seen >= rounds, "{} walks at last", self.name);
        if let Some(mut bot) = self.bot.take() {
            bot.send_line("quit").await;
            let left = bot.closed().await;
            assert!(left.is_ok(), "{left:?}");
            self.listen(&bot);
        }
        for (session, speaker) in self.heard.keys().cloned().collect::<Vec<_>>() {
            let heard = self.heard[&(session, speaker)].clone();
            let own = |lines: &Vec<u64>| match speaker == self.name {
                true => lines
                    .iter()
                    .filter(|it| heard.contains(it))
                    .copied()
                    .collect(),
                false => Vec::new(),
            };
            board.borrow_mut().speech.push(Speech {
                speaker: speaker.to_owned(),
                listener: self.name.to_owned(),
                said: Vec::new(),
                answered: own(&self.answered),
                heard,
            });
        }
    }

    /// What was said by this player.
    pub(super) fn said(&self) -> (&'static str, &[u64]) {
        (self.name, &self.said)
    }

    /// In the world, at a place that is known. Nothing if that did not come about just now.
    async fn stand(&mut self, board: &RefCell<Board>) -> Option<usize> {
        if self.bot.is_none() && !self.enter(board).await {
            pause(100).await;
            return None;
        }
        // What came unasked may have been another room.
        if self
            .bot
            .as_ref()
            .is_some_and(|bot| title(&bot.unread()).is_some())
        {
            self.lose_place();
        }
        if self.place.is_none() {
            self.look(board).await;
        }
        self.place
    }

    async fn enter(&mut self, board: &RefCell<Board>) -> bool {
        let node = self.node;
        self.node = (node + 1) % board.borrow().doors.len();
        let Some(door) = board.borrow().doors[node] else {
            return false;
        };
        let entering = timeout(ENTER, Bot::account(door, self.name, PASSWORD)).await;
        let Ok(Ok((mut bot, _))) = entering else {
            return false;
        };
        bot.set_deadline(ANSWER);
        self.node = node;
        self.session += 1;
        self.bot = Some(bot);
        true
    }

    /// Types a line and waits for what comes of it.
    async fn ask(&mut self, line: &str, wanted: &[&str]) -> Came {
        let Some(bot) = &mut self.bot else {
            return Came::Lost;
        };
        self.shown += views(&bot.unread());
        bot.discard_unread();
        bot.send_line(line).await;
        let texts = [wanted, &REFUSED, &UNCLEAR].concat();
        if let Ok((which, mut text)) = bot.expect_any(&texts).await
            && let Ok(rest) = bot.prompt().await
        {
            text.push_str(&rest);
            self.shown += views(&text);
            return match which {
                it if it < wanted.len() => Came::Answer(it, text),
                it if it < wanted.len() + REFUSED.len() => Came::Refused,
                _ => Came::Unclear,
            };
        }
        if let Some(bot) = self.bot.take() {
            self.listen(&bot);
        }
        self.node = (self.node + 1) % 3;
        self.lose_place();
        Came::Lost
    }

    /// Where the character stands is not certain any more, since it was last seen.
    fn lose_place(&mut self) {
        self.place = None;
    }

    /// Writes down what was heard in a session that is over.
    fn listen(&mut self, bot: &Bot) {
        for line in bot.transcript().lines() {
            let told = |(speaker, start): (&'static str, String)| {
                let number = line.strip_prefix(&start)?.strip_suffix(".\"")?;
                Some((speaker, number.parse().ok()?))
            };
            let others = PLAYERS
                .iter()
                .map(|(name, _)| (*name, format!("< {name} says, \"")));
            let own = (self.name, "< You say, \"".to_owned());
            if let Some((speaker, number)) = others.chain([own]).find_map(told) {
                let heard = self.heard.entry((self.session, speaker)).or_default();
                heard.push(number);
            }
        }
    }

    fn claim(&self, board: &RefCell<Board>, thing: &str, when: (Moment, Ended), what: What) {
        board.borrow_mut().claims.push(Claim {
            who: self.name.to_owned(),
            session: self.session,
            thing: thing.to_owned(),
            begun: when.0,
            ended: when.1,
            what,
        });
    }

    fn answered(board: &RefCell<Board>, place: usize, asked: Moment) -> (Moment, Ended) {
        let answered = now();
        board.borrow_mut().answers.push(Answer {
            zone: PLACES[place].0.to_owned(),
            asked,
            answered,
        });
        (asked, Ended::At(answered))
    }

    /// The character stands there since some moment after it was last certain where.
    fn arrive(&mut self, board: &RefCell<Board>, place: usize, (begun, ended): (Moment, Ended)) {
        let begun = if self.place.is_none() {
            self.seen
        } else {
            begun
        };
        self.place = Some(place);
        self.seen = now();
        let here = What::Put(PLACES[place].1.to_owned());
        self.claim(board, self.name, (begun, ended), here);
    }

    async fn walk(&mut self, board: &RefCell<Board>, place: usize) {
        let begun = now();
        let (way, to) = match self.dice.random() {
            true => ("east", (place + 1) % 3),
            false => ("west", (place + 2) % 3),
        };
        match self.see(board, way).await {
            Came::Answer(_, text) => match title(&text) {
                Some(found) => {
                    let when = Self::answered(board, found, begun);
                    self.arrive(board, found, when);
                }
                None => self.lose_place(),
            },
            // Who was let in and does not hear of it goes back, and is there for a while.
            Came::Refused | Came::Unclear | Came::Lost => {
                let there = What::Put(PLACES[to].1.to_owned());
                self.claim(board, self.name, (begun, Ended::Unknown), there);
                self.lose_place();
            }
        }
    }

    async fn look(&mut self, board: &RefCell<Board>) {
        let begun = now();
        let Came::Answer(_, text) = self.see(board, "look").await else {
            // Not so often that it drowns the rest.
            return pause(100).await;
        };
        let Some(place) = title(&text) else {
            return self.lose_place();
        };
        let when = Self::answered(board, place, begun);
        self.arrive(board, place, when);
        let room = PLACES[place].1;
        for (_, _, thing) in PLACES {
            // What lies in sight may be somebody else's on record, and then slips away from who
            // reaches for it; what does not is not there.
            let lies = text.contains(&format!("A silver {thing} lies here."));
            if !lies {
                self.claim(board, thing, when, What::IsNot(room.to_owned()));
            }
            board.borrow_mut().note((thing, room), lies);
        }
        if board.borrow().is_hurt {
            return;
        }
        let people = text.lines().filter(|line| line.ends_with(" here."));
        let people: Vec<&str> = people.filter(|line| !line.contains("lies")).collect();
        for (name, _) in PLAYERS.iter().filter(|(name, _)| *name != self.name) {
            if people.iter().any(|line| line.contains(name)) {
                self.claim(board, name, when, What::Is(room.to_owned()));
            }
        }
    }

    /// Types a line that shows a room, and a word after it. A room may also be shown unasked, when
    /// a zone is somewhere else of a sudden; only if there is just one between the two answers, it
    /// is that of the line. Else the answer is a text without a room, and the place is not certain.
    async fn see(&mut self, board: &RefCell<Board>, line: &str) -> Came {
        let begun = now();
        let before = self.shown;
        let came = self.ask(line, &[EXITS]).await;
        let Came::Answer(_, seen) = came else {
            return came;
        };
        match self.speak().await {
            Came::Answer(..) if self.shown == before + 1 => Came::Answer(0, seen),
            Came::Lost => Came::Lost,
            Came::Answer(..) | Came::Refused | Came::Unclear => {
                let known = PLACES.iter().filter(|(_, name, _)| seen.contains(name));
                for (_, name, _) in known {
                    let there = What::Put((*name).to_owned());
                    self.claim(board, self.name, (begun, Ended::Unknown), there);
                }
                self.lose_place();
                Came::Answer(0, String::new())
            }
        }
    }

    async fn count(&mut self, board: &RefCell<Board>) {
        let begun = now();
        let Came::Answer(_, text) = self.ask("inventory", &["You carry"]).await else {
            return;
        };
        let when = (begun, Ended::At(now()));
        let carried = text.split("You carry").last().unwrap_or_default();
        for (_, _, thing) in PLACES {
            let own = format!("A silver {thing}");
            let has = carried.lines().any(|line| line.trim() == own);
            self.claim(board, thing, when, is_there(has, self.name));
            board.borrow_mut().note((thing, self.name), has);
        }
    }

    async fn get(&mut self, board: &RefCell<Board>, place: usize) {
        let room = PLACES[place].1.to_owned();
        let thing = self.a_thing();
        let texts = [
            format!("You get a silver {thing}."),
            format!("There is no {thing} here."),
        ];
        let to = self.name.to_owned();
        let line = format!("get {thing}");
        self.hand(board, (place, thing), (&line, &texts), (room, to))
            .await;
    }

    async fn put_down(&mut self, board: &RefCell<Board>, place: usize) {
        let room = PLACES[place].1.to_owned();
        let thing = self.a_thing();
        let texts = [
            format!("You drop a silver {thing}."),
            format!("You carry no {thing}."),
        ];
        let from = self.name.to_owned();
        let line = format!("drop {thing}");
        self.hand(board, (place, thing), (&line, &texts), (from, room))
            .await;
    }

    fn a_thing(&mut self) -> &'static str {
        PLACES.choose(&mut self.dice).expect("there are some").2
    }

    /// Moves a thing from one place to another, if it is there.
    async fn hand(
        &mut self,
        board: &RefCell<Board>,
        (place, thing): (usize, &str),
        (line, texts): (&str, &[String; 2]),
        (from, to): (String, String),
    ) {
        let (begun, before) = (now(), self.shown);
        match self.ask(line, &texts.each_ref().map(String::as_str)).await {
            Came::Answer(which, _) if self.shown == before => {
                let when = Self::answered(board, place, begun);
                let what = match which {
                    0 => What::Move { from, to },
                    _ => What::IsNot(from),
                };
                self.claim(board, thing, when, what);
            }
            // Another room was shown in between: in which it happened is not certain.
            Came::Answer(which, _) => {
                self.lose_place();
                if which == 0 {
                    let when = (begun, Ended::At(now()));
                    self.claim(board, thing, when, What::Put(to));
                }
            }
            Came::Refused => {}
            Came::Unclear | Came::Lost => {
                let what = What::Move { from, to };
                self.claim(board, thing, (begun, Ended::Unknown), what);
            }
        }
    }

    async fn talk(&mut self, board: &RefCell<Board>, place: usize) {
        let (begun, before) = (now(), self.shown);
        if let Came::Answer(..) = self.speak().await
            && self.shown == before
        {
            Self::answered(board, place, begun);
        }
    }

    /// Says the next number.
    async fn speak(&mut self) -> Came {
        let number = self.said.len() as u64 + 1;
        self.said.push(number);
        let answer = format!("You say, \"{number}.\"");
        let came = self.ask(&format!("say {number}."), &[&answer]).await;
        if let Came::Answer(..) = came {
            self.answered.push(number);
        }
        came
    }
}

fn is_there(is: bool, place: &str) -> What {
    match is {
        true => What::Is(place.to_owned()),
        false => What::IsNot(place.to_owned()),
    }
}

/// How many rooms are shown in a text.
fn views(text: &str) -> usize {
    text.matches(EXITS).count()
}

/// The room that is shown last in a text.
fn title(text: &str) -> Option<usize> {
    let shown = |line: &str| PLACES.iter().position(|(_, name, _)| line.trim() == *name);
    text.lines().rev().find_map(shown)
}

/// A player's own time between two lines.
#[expect(clippy::disallowed_methods, reason = "nothing is waited for but time")]
pub(super) async fn pause(ms: u64) {
    sleep(Duration::from_millis(ms)).await;
}
