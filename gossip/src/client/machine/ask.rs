//! `[pure]` Questions to a hub, and which answer belongs to which.

use std::time::{Duration, Instant};

use super::effect::{Effect, TellId};
use super::state::Machine;
use super::talk::Sent;
use crate::client::news::{Tell, TellAnswer};
use crate::limits::PENDING_MAX;
use crate::protocol::{ChannelName, Outgoing, Reference};

/// How long a game that came has to say who plays there.
const STATUS_SOON: Duration = Duration::from_secs(2);

/// Who plays is not asked more often than this, however many games come.
const STATUS_PAUSE: Duration = Duration::from_secs(10);

/// A question that waits for its answer.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) since: Instant,
    pub(super) until: Instant,
    pub(super) what: What,
}

/// What was asked.
#[derive(Debug)]
pub(super) enum What {
    Tell(TellId, Box<Tell>),
    Subscribe(ChannelName),
    Unsubscribe,
    /// Who plays elsewhere; how many games have answered.
    Players(usize),
    Games,
    /// A history of this channel; the first question only asks for the last number.
    History(ChannelName, Option<u64>),
}

/// Makes references: UUIDs of version 4, from a seed.
#[derive(Debug)]
pub(super) struct References(u64);

impl References {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> Reference {
        let number = u128::from(self.number()) << 64 | u128::from(self.number());
        let id = uuid::Builder::from_random_bytes(number.to_be_bytes()).into_uuid();
        Reference::text(&id.to_string())
    }

    /// A share from 0 to 1.
    pub(super) fn share(&mut self) -> f64 {
        let parts = u32::try_from(self.number() >> 32).unwrap_or(u32::MAX);
        f64::from(parts) / f64::from(u32::MAX)
    }

    /// SplitMix64.
    fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

impl Machine {
    /// Whether there is room for one more question.
    pub(super) fn has_room(&self) -> bool {
        self.asked.len() < PENDING_MAX
    }

    /// Sends a question that has been given room, and waits for its answer.
    pub(super) fn ask(
        &mut self,
        what: What,
        now: Instant,
        frame: impl FnOnce(&Reference) -> String,
        out: &mut Vec<Effect>,
    ) {
        let reference = self.references.next();
        out.push(Effect::Send(frame(&reference)));
        let until = now + self.rules.answer_within;
        let key = reference.as_json().to_owned();
        let since = now;
        self.asked.insert(key, Asked { since, until, what });
    }

    /// The question that an answer with this reference belongs to, if it is of that kind; one of
    /// another kind goes on waiting.
    pub(super) fn take_asked(
        &mut self,
        reference: Option<&Reference>,
        is_of_kind: impl FnOnce(&What) -> bool,
    ) -> Option<Asked> {
        let key = reference?.as_json();
        self.asked
            .get(key)
            .filter(|asked| is_of_kind(&asked.what))?;
        self.asked.remove(key)
    }

    /// A request was understood.
    pub(super) fn acked(&mut self, reference: Option<&Reference>, out: &mut Vec<Effect>) {
        let asked = self.take_asked(reference, |_any| true);
        match asked.map(|asked| asked.what) {
            Some(What::Tell(id, tell)) => {
                out.push(Effect::Answer(id, TellAnswer::Sent));
                self.expect_receipt(reference, *tell);
            }
            Some(What::Subscribe(channel)) => self.join(channel),
            Some(What::Unsubscribe | What::Players(_) | What::Games | What::History(..)) => {}
            None => self.memory.figures.ignored += 1,
        }
    }

    /// A request was refused.
    pub(super) fn failed(
        &mut self,
        reference: Option<&Reference>,
        error: &str,
        out: &mut Vec<Effect>,
    ) {
        self.memory.figures.refused += 1;
        let asked = self.take_asked(reference, |_any| true);
        match asked.map(|asked| asked.what) {
            Some(What::Tell(id, tell)) => {
                out.push(Effect::Answer(id, self.why_not(&tell, error)));
            }
            // It is tried again.
            Some(What::Subscribe(_)) if error.contains("rate limit") => {}
            Some(What::Subscribe(channel)) => {
                self.refused.insert(channel);
            }
            Some(What::History(channel, _)) => self.history_failed(&channel),
            Some(What::Unsubscribe | What::Players(_) | What::Games) | None => {}
        }
    }

    /// Gives up the questions whose time is over.
    pub(super) fn give_up(&mut self, now: Instant, out: &mut Vec<Effect>) {
        let over = self.asked.extract_if(.., |_, asked| asked.until <= now);
        for what in over.map(|(_, asked)| asked.what).collect::<Vec<_>>() {
            match what {
                // Unless nobody else plays, these are answered; and an end is not marked by all.
                What::Players(_) | What::Games => continue,
                What::Tell(id, _) => out.push(Effect::Answer(id, TellAnswer::TimedOut)),
                What::History(channel, _) => self.history_failed(&channel),
                // It is tried again.
                What::Subscribe(_) | What::Unsubscribe => {}
            }
            self.memory.figures.timeouts += 1;
        }
    }

    /// Asks who plays and which games there are, when it is time.
    pub(super) fn ask_statuses(&mut self, now: Instant, out: &mut Vec<Effect>) {
        if self.players_due <= now && self.has_room() && self.request_bucket.take(now) {
            self.players_asked = now;
            self.players_due = now + self.rules.status_every;
            let frame = |reference: &_| Outgoing::PlayersStatus(reference, None).encode();
            self.ask(What::Players(0), now, frame, out);
        }
        if self.games_due <= now && self.has_room() && self.request_bucket.take(now) {
            self.games_due = now + self.rules.games_every;
            let frame = |reference: &_| Outgoing::GamesStatus(reference, None).encode();
            self.ask(What::Games, now, frame, out);
        }
    }

    /// A game came, which will say in a moment who plays there.
    pub(super) fn ask_players_soon(&mut self, now: Instant) {
        let soon = (now + STATUS_SOON).max(self.players_asked + STATUS_PAUSE);
        self.players_due = self.players_due.min(soon);
    }

    /// A game answered the question who plays.
    pub(super) fn count_answer(&mut self, reference: Option<&Reference>) {
        let key = reference.map(Reference::as_json).unwrap_or_default();
        if let Some(Asked {
            what: What::Players(answers),
            ..
        }) = self.asked.get_mut(key)
        {
            *answers += 1;
        }
    }

    /// All games have answered (extension `marks`): those that did not are gone, if all answers
    /// came through.
    pub(super) fn all_answered(&mut self, reference: Option<&Reference>, games: usize) {
        let is_status = |what: &What| matches!(what, What::Players(_) | What::Games);
        let Some(asked) = self.take_asked(reference, is_status) else {
            self.memory.figures.ignored += 1;
            return;
        };
        if matches!(asked.what, What::Players(answers) if answers == games) {
            self.book.drop_before(asked.since);
        }
    }

    fn expect_receipt(&mut self, reference: Option<&Reference>, tell: Tell) {
        let Some(reference) = reference else {
            return;
        };
        if self.sent.len() >= crate::limits::RECEIPTS_MAX {
            self.sent.pop_front();
        }
        self.sent.push_back(Sent {
            reference: reference.as_json().to_owned(),
            tell,
        });
    }

    fn why_not(&self, tell: &Tell, error: &str) -> TellAnswer {
        match error {
            "game offline" if self.book.has(&tell.to_game) => TellAnswer::GameOffline,
            "game offline" | "unknown game" => TellAnswer::UnknownGame,
            "not supported" => TellAnswer::NotSupported,
            "receiving player offline" | "player offline" => TellAnswer::PlayerOffline,
            "sending player offline" => TellAnswer::SenderOffline,
            _ if error.contains("missing support") => {
                TellAnswer::Refused("this game may not send tells".to_owned())
            }
            _ if error.contains("rate limit") => {
                TellAnswer::Refused("too many tells at once".to_owned())
            }
            _ => {
                let reason = crate::client::clean::reason(error);
                TellAnswer::Refused(reason.unwrap_or_else(|| "no reason given".to_owned()))
            }
        }
    }
}
