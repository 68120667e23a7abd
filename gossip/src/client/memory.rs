//! `[pure]` What a client remembers over a reconnect.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::figures::ClientFigures;
use crate::limits::{CHANNELS_HEARD_MAX, SEEN_MAX};
use crate::protocol::ChannelName;

/// What outlives a connection.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub(super) figures: ClientFigures,
    /// Which hub it is about, and as which game.
    pub(super) hub: String,
    pub(super) seen: Seen,
    /// The number of the last message on each channel after which nothing was missed.
    pub(super) numbers: Numbers,
    /// There was a connection before.
    pub(super) was_online: bool,
    /// What was said by us, to know it again in a history.
    pub(super) said: Seen,
    /// Our own name on the network, learned from a history.
    pub(super) own_game: Option<String>,
}

/// What came lately: the last [`SEEN_MAX`] of it.
#[derive(Debug, Default)]
pub(super) struct Seen {
    order: VecDeque<u64>,
    marks: HashSet<u64>,
}

impl Memory {
    /// For a connection to this hub: of another hub only the figures are kept.
    pub(super) fn of(self, hub: &str) -> Self {
        if self.hub == hub {
            return self;
        }
        Self {
            figures: self.figures,
            hub: hub.to_owned(),
            ..Self::default()
        }
    }
}

impl Seen {
    /// Notes it; `false` when it had come before.
    pub(super) fn note(&mut self, what: impl Hash) -> bool {
        let mark = mark(what);
        if !self.marks.insert(mark) {
            return false;
        }
        if self.order.len() >= SEEN_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.marks.remove(&oldest);
        }
        self.order.push_back(mark);
        true
    }

    /// Whether it came before.
    pub(super) fn has(&self, what: impl Hash) -> bool {
        self.marks.contains(&mark(what))
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        assert_eq!(self.order.len(), self.marks.len());
        self.order.len()
    }
}

fn mark(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

/// Numbers of messages by channel, at most [`CHANNELS_HEARD_MAX`]; one beyond is not kept.
#[derive(Debug, Default)]
pub(super) struct Numbers(BTreeMap<ChannelName, u64>);

impl Numbers {
    pub(super) fn get(&self, channel: &str) -> Option<u64> {
        self.0.get(channel).copied()
    }

    pub(super) fn set(&mut self, channel: &ChannelName, number: u64) {
        if self.0.len() < CHANNELS_HEARD_MAX || self.0.contains_key(channel) {
            self.0.insert(channel.clone(), number);
        }
    }

    pub(super) fn forget(&mut self, channel: &str) {
        self.0.remove(channel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_another_hub_only_the_figures_are_kept() {
        let mut memory = Memory::default().of("a");
        memory.figures.heard = 7;
        memory.was_online = true;
        let memory = memory.of("a");
        assert!(memory.was_online);
        let memory = memory.of("b");
        assert_eq!((memory.was_online, memory.figures.heard), (false, 7));
    }

    #[test]
    fn what_came_is_known_until_much_else_came() {
        let mut seen = Seen::default();
        assert!(seen.note(("a", 1)) && !seen.note(("a", 1)));
        for number in 0..SEEN_MAX {
            assert!(seen.note(("b", number)));
        }
        assert_eq!(seen.len(), SEEN_MAX);
        assert!(seen.note(("a", 1)), "forgotten");
    }
}
