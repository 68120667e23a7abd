//! `[pure]` What the game says to the network.

use std::time::Instant;

use super::ask::What;
use super::effect::{Effect, Order, TellOrder};
use super::history::said_key;
use super::state::{Machine, Stage};
use crate::client::clean;
use crate::client::news::{Tell, TellAnswer};
use crate::limits::SAY_QUEUE_MAX;
use crate::protocol::Outgoing;

/// Words that wait to be sent.
#[derive(Debug)]
pub(super) struct Saying {
    channel: String,
    name: String,
    message: String,
}

/// A tell that was sent.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) reference: String,
    pub(super) tell: Tell,
}

impl Machine {
    pub(super) fn order(&mut self, order: Order, now: Instant, out: &mut Vec<Effect>) {
        match order {
            Order::Tell(order) => self.tell(order, now, out),
            _ if self.stage != Stage::Online => self.memory.figures.dropped_out += 1,
            Order::Say {
                channel,
                name,
                message,
            } => self.say(channel, &name, &message),
            Order::SignIn(name) => {
                self.send_if_room(now, out, || Outgoing::SignIn(&name).encode());
            }
            Order::SignOut(name) => {
                self.send_if_room(now, out, || Outgoing::SignOut(&name).encode());
            }
            Order::Receipt(receipt, outcome) => {
                let frame = || Outgoing::TellReceipt(&receipt.0, outcome.as_str()).encode();
                self.send_if_room(now, out, frame);
            }
        }
    }

    /// Sends the words that wait, not too fast.
    pub(super) fn send_sayings(&mut self, now: Instant, out: &mut Vec<Effect>) {
        while self.say_bucket.wait(now).is_zero() {
            let Some(saying) = self.sayings.pop_front() else {
                return;
            };
            self.say_bucket.take(now);
            let (channel, name) = (&saying.channel, &saying.name);
            self.memory
                .said
                .note(said_key(channel, name, &saying.message));
            self.memory.figures.said += 1;
            let frame = Outgoing::Send {
                reference: None,
                channel,
                name,
                message: &saying.message,
            };
            out.push(Effect::Send(frame.encode()));
        }
    }

    fn say(&mut self, channel: String, name: &str, message: &str) {
        let clean = (clean::name(name), clean::message(message));
        let (Some(name), Some(message)) = clean else {
            self.memory.figures.unclean += 1;
            return;
        };
        if !self.joined.contains(channel.as_str()) {
            self.memory.figures.dropped_out += 1;
            return;
        }
        if self.sayings.len() >= SAY_QUEUE_MAX {
            self.sayings.pop_front();
            self.memory.figures.dropped_out += 1;
        }
        self.sayings.push_back(Saying {
            channel,
            name,
            message,
        });
    }

    fn tell(&mut self, order: TellOrder, now: Instant, out: &mut Vec<Effect>) {
        let TellOrder { id, tell, sent_at } = order;
        if self.stage != Stage::Online {
            return out.push(Effect::Answer(id, TellAnswer::Offline));
        }
        let Some(message) = clean::message(&tell.message) else {
            let reason = "there is nothing to tell".to_owned();
            return out.push(Effect::Answer(id, TellAnswer::Refused(reason)));
        };
        if !self.has_room() || !self.request_bucket.take(now) {
            self.memory.figures.dropped_out += 1;
            let reason = "too many tells at once".to_owned();
            return out.push(Effect::Answer(id, TellAnswer::Refused(reason)));
        }
        self.memory.figures.tells_out += 1;
        let tell = Tell { message, ..tell };
        let kept = Box::new(tell.clone());
        let frame = |reference: &_| {
            let frame = Outgoing::Tell {
                reference,
                from_name: &tell.from_name,
                to_game: &tell.to_game,
                to_name: &tell.to_name,
                sent_at: &sent_at,
                message: &tell.message,
            };
            frame.encode()
        };
        self.ask(What::Tell(id, kept), now, frame, out);
    }

    /// Sends what the next heartbeat says as well, if not too much is sent already.
    fn send_if_room(
        &mut self,
        now: Instant,
        out: &mut Vec<Effect>,
        frame: impl FnOnce() -> String,
    ) {
        if self.request_bucket.take(now) {
            out.push(Effect::Send(frame()));
        } else {
            self.memory.figures.dropped_out += 1;
        }
    }
}

/// A heartbeat with these players; those that do not fit the frame are left out.
pub(in crate::client) fn beat(mut players: Vec<String>) -> String {
    let mut bytes = 64;
    let fits = |name: &&String| {
        // Quotes, a comma, and at worst six bytes for one.
        bytes += name.len() + name.bytes().filter(|byte| needs_escape(*byte)).count() * 5 + 3;
        bytes <= crate::limits::BEAT_BYTES_MAX
    };
    let count = players
        .iter()
        .take(crate::limits::LIST_MAX)
        .take_while(fits)
        .count();
    players.truncate(count);
    Outgoing::Beat(&players).encode()
}

const fn needs_escape(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}
