//! `[pure]` The state of one connection.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use super::ask::{Asked, References};
use super::effect::{Effect, Ending, Input};
use super::history::Page;
use super::rules::{Identity, Rules};
use super::talk::{Saying, Sent};
use crate::client::bucket::Bucket;
use crate::client::figures::ClientFigures;
use crate::client::flood::{Guard, Verdict};
use crate::client::memory::Memory;
use crate::client::roster::{Book, Roster};
use crate::limits::{
    CHANNELS_HEARD_MAX, PENDING_MAX, RECEIPTS_MAX, REQUEST_RATE, SAY_QUEUE_MAX, SAY_RATE,
    SUBSCRIBE_RATE,
};
use crate::protocol::{ChannelName, Extensions, Heard, Ignored};

/// How far the connection has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// `authenticate` was sent; until when an answer has to come.
    Asking(Instant),
    Online,
    Ended,
}

/// An announced restart of the hub.
#[derive(Clone, Copy, Debug)]
pub(super) struct Restart {
    pub(super) at: Instant,
    pub(super) downtime: Duration,
}

/// One connection.
#[derive(Debug)]
pub(in crate::client) struct Machine {
    pub(super) rules: Rules,
    pub(super) identity: Identity,
    pub(super) stage: Stage,
    pub(super) extensions: Extensions,
    pub(super) references: References,
    pub(super) memory: Memory,
    pub(super) book: Book,
    guard: Guard,
    /// When a frame came last.
    pub(super) heard_at: Instant,
    /// A beat was answered.
    pub(super) proven: bool,
    pub(super) restart: Option<Restart>,
    /// The hub spoke of its rate limit.
    pub(super) limited: bool,

    /// The channels that are to be heard, are heard, and cannot be heard.
    pub(super) wished: BTreeSet<ChannelName>,
    pub(super) joined: BTreeSet<ChannelName>,
    pub(super) refused: BTreeSet<ChannelName>,
    pub(super) joined_changed: bool,
    /// What is asked and not yet answered, by reference.
    pub(super) asked: BTreeMap<String, Asked>,
    /// The pages of histories that are to be asked for.
    pub(super) pages: BTreeMap<ChannelName, Page>,
    pub(super) sayings: VecDeque<Saying>,
    /// Tells that were sent, by reference, while a receipt may come.
    pub(super) sent: VecDeque<Sent>,
    pub(super) players_asked: Instant,
    pub(super) players_due: Instant,
    pub(super) games_due: Instant,
    pub(super) sweep_due: Instant,

    pub(super) say_bucket: Bucket,
    pub(super) subscribe_bucket: Bucket,
    pub(super) request_bucket: Bucket,
}

impl Machine {
    /// A connection that was just opened: asks the hub to let it in.
    pub(in crate::client) fn open(
        rules: Rules,
        identity: Identity,
        memory: Memory,
        wished: BTreeSet<ChannelName>,
        now: Instant,
    ) -> (Self, Effect) {
        let mut machine = Self {
            stage: Stage::Asking(now + rules.authenticate_within),
            extensions: Extensions::NONE,
            references: References::new(identity.seed),
            memory,
            book: Book::default(),
            guard: Guard::new(now),
            heard_at: now,
            proven: false,
            restart: None,
            limited: false,
            wished: BTreeSet::new(),
            joined: BTreeSet::new(),
            refused: BTreeSet::new(),
            joined_changed: false,
            asked: BTreeMap::new(),
            pages: BTreeMap::new(),
            sayings: VecDeque::new(),
            sent: VecDeque::new(),
            players_asked: now,
            players_due: now,
            games_due: now,
            sweep_due: now,
            say_bucket: Bucket::new(SAY_RATE, now),
            subscribe_bucket: Bucket::new(SUBSCRIBE_RATE, now),
            request_bucket: Bucket::new(REQUEST_RATE, now),
            rules,
            identity,
        };
        machine.wish(wished);
        // Until the hub answers: what was asked for.
        machine.joined = machine.wished.clone();
        let effect = Effect::Send(machine.login());
        (machine, effect)
    }

    /// Takes one input and says what is to be done. After [`Effect::End`] it does nothing more.
    ///
    /// # Panics
    /// When an invariant is broken.
    pub(in crate::client) fn step(
        &mut self,
        input: Input<'_>,
        now: Instant,
        out: &mut Vec<Effect>,
    ) {
        let before = out.len();
        match input {
            _ if self.stage == Stage::Ended => return,
            Input::Text(text) => self.text(text, now, out),
            Input::Other(bytes) => self.other(bytes, now, out),
            Input::Closed(code) => self.closed(code, None, now, out),
            Input::Lost(reason) => self.closed(None, Some(reason), now, out),
            Input::Order(order) => self.order(order, now, out),
            Input::Wish(wished) => self.wish(wished),
            Input::Time => {}
        }
        self.time(now, out);
        let sent = out.iter().skip(before);
        let sent = sent.filter(|effect| matches!(effect, Effect::Send(_) | Effect::Beat));
        self.memory.figures.sent += u64::try_from(sent.count()).unwrap_or(u64::MAX);
        self.check();
    }

    pub(in crate::client) fn is_online(&self) -> bool {
        self.stage == Stage::Online
    }

    pub(in crate::client) fn figures(&self) -> ClientFigures {
        self.memory.figures
    }

    /// The roster, if it changed.
    pub(in crate::client) fn take_roster(&mut self) -> Option<Roster> {
        self.memory.figures.roster_full += self.book.take_left_out();
        self.book.take_changed()
    }

    /// The channels that are heard, if they changed.
    pub(in crate::client) fn take_joined(&mut self) -> Option<BTreeSet<ChannelName>> {
        std::mem::take(&mut self.joined_changed).then(|| self.joined.clone())
    }

    /// What outlives the connection.
    pub(in crate::client) fn into_memory(self) -> Memory {
        self.memory
    }

    /// The end; nothing after it.
    pub(super) fn end(&mut self, ending: Ending, out: &mut Vec<Effect>) {
        if self.stage != Stage::Ended {
            self.stage = Stage::Ended;
            // Words that were taken and now go nowhere.
            let unsaid = std::mem::take(&mut self.sayings).len();
            self.memory.figures.dropped_out += u64::try_from(unsaid).unwrap_or(u64::MAX);
            out.push(Effect::End(ending));
        }
    }

    fn text(&mut self, text: &str, now: Instant, out: &mut Vec<Effect>) {
        self.count(text.len(), now);
        match self.guard.judge(text, now) {
            Verdict::Cut => return self.cut(out),
            Verdict::Drop => {
                self.memory.figures.flood_dropped += 1;
                return;
            }
            Verdict::Read => {}
        }
        match Heard::of(text) {
            Heard::Event(event) => self.hear(*event, now, out),
            Heard::Ignored(Ignored::Garbage) => self.memory.figures.garbage += 1,
            Heard::Ignored(Ignored::Unknown | Ignored::Incomplete) => {
                self.memory.figures.ignored += 1;
            }
        }
    }

    fn other(&mut self, bytes: usize, now: Instant, out: &mut Vec<Effect>) {
        self.count(bytes, now);
        self.memory.figures.garbage += 1;
        if self.guard.is_flood(bytes, now) {
            self.cut(out);
        }
    }

    fn count(&mut self, bytes: usize, now: Instant) {
        self.heard_at = self.heard_at.max(now);
        self.memory.figures.received += 1;
        self.memory.figures.received_bytes += u64::try_from(bytes).unwrap_or(u64::MAX);
    }

    fn cut(&mut self, out: &mut Vec<Effect>) {
        self.memory.figures.flood_cuts += 1;
        let ending = Ending::new("flood", "the hub floods us");
        self.end(ending.wait(self.rules.flood_wait), out);
    }

    fn check(&self) {
        assert!(self.asked.len() <= PENDING_MAX, "too much is asked");
        assert!(
            self.sayings.len() <= SAY_QUEUE_MAX,
            "too much is to be said"
        );
        assert!(self.sent.len() <= RECEIPTS_MAX, "too many receipts");
        assert!(
            self.joined.len() <= 2 * CHANNELS_HEARD_MAX,
            "too many channels"
        );
        assert!(self.wished.len() <= CHANNELS_HEARD_MAX, "too many wishes");
        let online = self.stage == Stage::Online;
        assert!(online || self.stage == Stage::Ended || self.asked.is_empty());
    }
}
