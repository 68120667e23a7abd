//! `[pure]` What was said on a channel before (extension `history`).

use super::answer::{Ask, TRY_AGAIN};
use super::hub::{Hub, Turn};
use crate::limits::PAYLOAD_BYTES_MAX;
use crate::protocol::{Chat, Event, HistoryAsked, Past};

impl Hub {
    /// `channels/history`: with `after`, the oldest messages after that one, so that a client can
    /// go on from the last it got; without, the newest. As many as are asked for and fit a frame,
    /// oldest first, those of the asking game among them.
    pub(super) fn history(&mut self, ask: &Ask, asked: Option<HistoryAsked>, turn: &mut Turn<'_>) {
        let Some(asked) = asked else {
            return self.fail(ask, TRY_AGAIN, turn);
        };
        let name = asked.channel.value().unwrap_or_default();
        let channel = self.channels.get(name.as_str());
        let Some(channel) = channel.filter(|_| self.hears(ask.socket, &name)) else {
            return self.fail(ask, "not subscribed", turn);
        };
        let limit = asked.limit.and_then(|limit| usize::try_from(limit).ok());
        let limit = limit.unwrap_or(usize::MAX);
        let past = channel.past(asked.after);
        let messages = if asked.after.is_some() {
            that_fit(past.take(limit))
        } else {
            let mut newest_first = that_fit(past.rev().take(limit));
            newest_first.reverse();
            newest_first
        };
        let event = Event::History {
            reference: ask.reference.clone(),
            past: Past {
                missed: channel.missed(asked.after),
                channel: name,
                messages,
            },
        };
        self.send(ask.socket, &event, turn);
    }
}

/// The first messages that fit a frame together; one always does.
fn that_fit<'a>(chats: impl Iterator<Item = &'a Chat>) -> Vec<Chat> {
    let mut bytes = 64;
    let fits = |chat: &&Chat| {
        bytes += serde_json::to_string(chat).map_or(0, |text| text.len() + 1);
        bytes <= PAYLOAD_BYTES_MAX
    };
    chats.take_while(fits).cloned().collect()
}
