//! `[pure]` What a channel remembers: its last lines, and what its members are still to be told.

use super::line::{ChannelLine, Speaker};
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

/// The state of a channel. `P` names a session.
#[derive(Debug)]
pub struct ChannelState<P> {
    channel: ChannelId,
    history: VecDeque<(ChannelLine, Instant)>,
    waiting: Vec<Spoken<P>>,
}

impl<P> ChannelState<P> {
    /// A channel on which nobody has spoken.
    pub fn new(channel: ChannelId) -> Self {
        Self {
            channel,
            history: VecDeque::new(),
            waiting: Vec::new(),
        }
    }

    /// Which channel this is.
    pub fn channel(&self) -> ChannelId {
        self.channel
    }

    /// The last lines, the oldest first, and when each was heard here.
    pub fn history(&self) -> impl Iterator<Item = &(ChannelLine, Instant)> {
        self.history.iter()
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

    /// Remembers a line.
    pub(super) fn keep(&mut self, line: ChannelLine, now: Instant) {
        if self.history.len() >= limits::CHANNEL_HISTORY_MAX {
            self.history.pop_front();
        }
        self.history.push_back((line, now));
    }

    /// Forgets what players of this game said.
    pub(super) fn forget(&mut self, of: &str) {
        self.history.retain(|(line, _)| {
            !matches!(&line.speaker, Speaker::Foreign { game, .. } if same_name(game, of))
        });
    }

    /// Something is to be told; the caller has seen that there is room.
    pub(super) fn tell(&mut self, spoken: Spoken<P>) {
        self.waiting.push(spoken);
    }
}
