//! `[pure]` A channel in use: who hears it, and what was said on it.

use std::collections::{BTreeMap, VecDeque};

use super::ears::{Ear, Ears};
use super::input::{Moment, SocketId};
use crate::hub::directory::GameId;
use crate::limits::{HISTORY_BYTES_MAX, HISTORY_RING_MAX};
use crate::protocol::Chat;

/// One channel.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) ears: Ears,
    /// How many sockets of each game hear it.
    games: BTreeMap<GameId, usize>,
    /// The number of the first message since this entry was made.
    seq_first: u64,
    /// The number of the next message.
    seq_next: u64,
    /// The last messages, oldest first, without gaps in their numbers.
    ring: VecDeque<Chat>,
    ring_bytes: usize,
}

impl Channel {
    /// A channel nobody hears. Its numbers start at the time in microseconds, so that they are
    /// greater than any before.
    pub(super) fn new(now: Moment) -> Self {
        let seq = u64::try_from(now.unix_ms)
            .unwrap_or(0)
            .saturating_mul(1_000);
        Self {
            ears: Ears::default(),
            games: BTreeMap::new(),
            seq_first: seq,
            seq_next: seq,
            ring: VecDeque::new(),
            ring_bytes: 0,
        }
    }

    pub(super) fn add(&mut self, ear: Ear) {
        if !self.ears.has(ear.socket) {
            self.ears.add(ear);
            *self.games.entry(ear.game).or_insert(0) += 1;
        }
    }

    pub(super) fn remove(&mut self, socket: SocketId, game: GameId) {
        if !self.ears.has(socket) {
            return;
        }
        self.ears.remove(socket);
        let left = self.games.get_mut(&game).map_or(0, |sockets| {
            *sockets = sockets.saturating_sub(1);
            *sockets
        });
        if left == 0 {
            self.games.remove(&game);
        }
    }

    /// Nobody hears it any more; what was said stays.
    pub(super) fn deafen(&mut self) {
        self.ears = Ears::default();
        self.games.clear();
    }

    /// Whether a socket of this game hears it.
    pub(super) fn is_heard_by(&self, game: GameId) -> bool {
        self.games.contains_key(&game)
    }

    /// How many other games hear it.
    pub(super) fn games_outside(&self, game: GameId) -> usize {
        self.games.len() - usize::from(self.is_heard_by(game))
    }

    /// Whether nobody hears it and nothing of it is kept.
    pub(super) fn is_spent(&self) -> bool {
        self.ears.is_empty() && self.ring.is_empty()
    }

    /// The number for a new message.
    pub(super) fn number(&mut self) -> u64 {
        let seq = self.seq_next;
        self.seq_next += 1;
        seq
    }

    /// Keeps a message with its number; drops the oldest for it.
    pub(super) fn keep(&mut self, chat: Chat, ring_max: usize) {
        self.ring_bytes += bytes(&chat);
        self.ring.push_back(chat);
        let ring_max = ring_max.min(HISTORY_RING_MAX);
        while self.ring.len() > ring_max || self.ring_bytes > HISTORY_BYTES_MAX {
            let Some(oldest) = self.ring.pop_front() else {
                break;
            };
            self.ring_bytes -= bytes(&oldest);
        }
        debug_assert!(self.ring.len() <= ring_max, "too much is kept");
    }

    /// The messages after the one of this number, or all that are kept.
    pub(super) fn past(&self, after: Option<u64>) -> impl DoubleEndedIterator<Item = &Chat> {
        let newer = move |chat: &&Chat| chat.seq > after;
        self.ring.iter().filter(newer)
    }

    /// How many messages after the one of this number are not kept, as far as it is known.
    pub(super) fn missed(&self, after: Option<u64>) -> u64 {
        let oldest = self.ring.front().and_then(|chat| chat.seq);
        let oldest = oldest.unwrap_or(self.seq_next);
        let first = after.map_or(oldest, |after| after.saturating_add(1).max(self.seq_first));
        oldest.saturating_sub(first)
    }
}

fn bytes(chat: &Chat) -> usize {
    let sent_at = chat.sent_at.as_ref().map_or(0, String::len);
    chat.game.len() + chat.name.len() + chat.message.len() + sent_at
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn channel() -> Channel {
        #[expect(clippy::disallowed_methods, reason = "any moment will do")]
        let at = Instant::now();
        Channel::new(Moment { at, unix_ms: 5 })
    }

    fn say(channel: &mut Channel, message: &str, ring_max: usize) {
        let seq = channel.number();
        let chat = Chat {
            message: message.to_owned(),
            seq: Some(seq),
            ..Chat::default()
        };
        channel.keep(chat, ring_max);
    }

    fn past(channel: &Channel, after: Option<u64>) -> Vec<u64> {
        channel.past(after).filter_map(|chat| chat.seq).collect()
    }

    #[test]
    fn numbers_only_grow_and_what_is_lost_is_counted() {
        let mut channel = channel();
        assert_eq!(channel.missed(Some(1)), 0);
        for _ in 0..5 {
            say(&mut channel, "x", 3);
        }
        assert_eq!(past(&channel, None), [5_002, 5_003, 5_004]);
        assert_eq!(past(&channel, Some(5_003)), [5_004]);
        assert_eq!(channel.missed(None), 0);
        assert_eq!(channel.missed(Some(5_004)), 0);
        assert_eq!(channel.missed(Some(5_001)), 0);
        assert_eq!(channel.missed(Some(5_000)), 1);
        assert_eq!(
            channel.missed(Some(17)),
            2,
            "of an earlier start of the hub"
        );
        assert_eq!(channel.missed(Some(u64::MAX)), 0);
    }

    #[test]
    fn the_ring_has_a_bound_in_bytes_too() {
        let mut channel = channel();
        let long = "x".repeat(4_000);
        for _ in 0..40 {
            say(&mut channel, &long, 100);
        }
        assert_eq!(past(&channel, None).len(), HISTORY_BYTES_MAX / 4_000);
        say(&mut channel, "x", 0);
        assert_eq!(past(&channel, None).len(), 0);
        assert_eq!(channel.ring_bytes, 0);
    }
}
