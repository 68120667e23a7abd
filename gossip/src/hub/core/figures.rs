//! `[pure]` What a hub counts.

use crate::protocol::EventName;

/// What a hub counted since its start, and how much there is of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Figures {
    /// Open sockets.
    pub sockets: usize,
    /// Those that are authenticated.
    pub sockets_active: usize,
    /// Games with at least one of them.
    pub games_online: usize,
    /// Channels that somebody hears or of which something is kept.
    pub channels: usize,
    /// Frames that came, by event.
    pub received: PerEvent,
    /// Frames that came and were no request: no JSON, no object, no event that there is.
    pub received_odd: u64,
    /// Frames sent, by event; a broadcast counts for each receiver.
    pub sent: PerEvent,
    /// Frames sent without an event.
    pub sent_eventless: u64,
    /// Messages on channels that were passed on.
    pub messages: u64,
    /// Messages on channels that were acknowledged and dropped, by why.
    pub dropped: Dropped,
    /// Frames over a limit.
    pub rate_limited: u64,
    /// Sockets closed for abuse of the limits.
    pub abused: u64,
    /// Failed authentications.
    pub auth_failed: u64,
    /// Those of them whose answer was delayed.
    pub auth_delayed: u64,
    /// Sockets closed because they answered no beats.
    pub silent: u64,
    /// Sockets refused or closed on the operator's word, or because there was no room.
    pub turned_away: u64,
    /// Tells handed to a game.
    pub tells: u64,
    /// Tells refused.
    pub tells_refused: u64,
}

/// Why a message on a channel was acknowledged and dropped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dropped {
    /// The socket does not hear the channel.
    pub not_subscribed: u64,
    /// The operator has paused the channel.
    pub paused: u64,
    /// The operator has banned the speaker.
    pub muted: u64,
    /// No name or no message.
    pub empty: u64,
}

/// A counter for each event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PerEvent([u64; EventName::ALL.len()]);

impl PerEvent {
    pub(super) fn add(&mut self, event: EventName, count: usize) {
        if let Some(counter) = self.0.get_mut(event as usize) {
            *counter += count as u64;
        }
    }

    /// How many of this event.
    #[must_use]
    pub fn of(&self, event: EventName) -> u64 {
        self.0.get(event as usize).copied().unwrap_or(0)
    }

    /// All counters.
    pub fn iter(&self) -> impl Iterator<Item = (EventName, u64)> {
        EventName::ALL
            .into_iter()
            .map(|event| (event, self.of(event)))
    }
}
