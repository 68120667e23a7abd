//! `[pure]` What a channel remembers: its last lines, and what its members are still to be told.

use super::line::{ChannelLine, Mark, Past, Speaker};
use crate::ids::ChannelId;
use crate::limits;
use crate::text::same_name;
use crate::view::Notice;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

/// Something that the members are to be told.
#[derive(Clone, Debug)]
pub struct Spoken<P> {
    /// Who had an answer of their own, and is not told.
    pub by: Option<P>,
    /// What all others are shown.
    pub notice: Arc<Notice>,
}

/// A line that is remembered.
#[derive(Clone, Debug)]
struct Kept {
    mark: Mark,
    line: ChannelLine,
    heard: Instant,
}

/// The state of a channel. `P` names a session.
#[derive(Debug)]
pub struct ChannelState<P> {
    channel: ChannelId,
    history: VecDeque<Kept>,
    /// The place of the last line that was told.
    last: Mark,
    waiting: Vec<Spoken<P>>,
}

impl<P> ChannelState<P> {
    /// A channel on which nobody has spoken.
    pub fn new(channel: ChannelId) -> Self {
        Self {
            channel,
            history: VecDeque::new(),
            last: Mark::default(),
            waiting: Vec::new(),
        }
    }

    /// Which channel this is.
    pub fn channel(&self) -> ChannelId {
        self.channel
    }

    /// The last lines, the oldest first, each with its age.
    pub fn history(&self, now: Instant) -> impl Iterator<Item = Past> {
        self.history.iter().map(move |kept| Past {
            mark: kept.mark,
            line: kept.line.clone(),
            age_s: now.saturating_duration_since(kept.heard).as_secs(),
        })
    }

    /// The place of the next line, in this term.
    pub(super) fn next(&mut self, term: u64) -> Mark {
        let number = if self.last.term == term {
            self.last.number.saturating_add(1)
        } else {
            1
        };
        self.last = Mark { term, number };
        self.last
    }

    /// Whether a line comes at its place: after all that were told. From then on it is the last.
    pub(super) fn comes(&mut self, mark: Mark) -> bool {
        let next = mark > self.last;
        self.last = self.last.max(mark);
        next
    }

    /// The place of the last line.
    pub fn last(&self) -> Mark {
        self.last
    }

    /// Whether no more can wait to be told.
    pub fn is_full(&self) -> bool {
        self.waiting.len() >= limits::CHANNEL_WAITING_MAX
    }

    /// Whether no more of other games can wait to be told: the rest is for players here.
    pub fn is_full_for_others(&self) -> bool {
        self.waiting.len() >= limits::CHANNEL_WAITING_FOREIGN_MAX
    }

    /// Whether something waits to be told.
    pub fn waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// What waits, which is taken to be told.
    pub fn take_waiting(&mut self) -> Vec<Spoken<P>> {
        std::mem::take(&mut self.waiting)
    }

    /// Remembers a line at its place; whether it was not known.
    pub(super) fn keep(&mut self, mark: Mark, line: ChannelLine, heard: Instant) -> bool {
        let at = self.history.partition_point(|kept| kept.mark < mark);
        if self.history.get(at).is_some_and(|kept| kept.mark == mark) {
            return false;
        }
        self.history.insert(at, Kept { mark, line, heard });
        let full = self.history.len() > limits::CHANNEL_HISTORY_MAX;
        if full {
            self.history.pop_front();
        }
        // The oldest of many is forgotten again at once.
        !full || at > 0
    }

    /// Forgets what players of this game said.
    pub(super) fn forget(&mut self, of: &str) {
        self.history.retain(|kept| {
            !matches!(&kept.line.speaker, Speaker::Foreign { game, .. } if same_name(game, of))
        });
    }

    /// Something is to be told; the caller has seen that there is room.
    pub(super) fn tell(&mut self, spoken: Spoken<P>) {
        self.waiting.push(spoken);
    }
}
