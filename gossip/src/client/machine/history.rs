//! `[pure]` What was said on channels while the connection was away (extension `history`).
//!
//! The number of the last message after which nothing was missed is kept for each channel, also
//! over a reconnect. After one, the messages after that number are asked for, page by page, until
//! one is empty. What comes live meanwhile is delivered, and known again when it is in a page.

use std::time::Instant;

use super::ask::What;
use super::effect::Effect;
use super::hear::Missed;
use super::state::Machine;
use crate::client::news::News;
use crate::limits::{HISTORY_PAGE, HISTORY_PAGES_MAX};
use crate::protocol::{ChannelName, Chat, Extension, Outgoing, Past, Reference, strip_markup};

/// The next page of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// After this number; `None` to ask for the last number only.
    pub(super) after: Option<u64>,
    /// Pages that came already.
    pub(super) pages: u32,
    /// It is being asked for.
    pub(super) asked: bool,
    /// The greatest number that was seen meanwhile.
    pub(super) newest: u64,
}

impl Machine {
    /// A channel is heard again, or for the first time: finds out what was missed.
    pub(super) fn catch_up(&mut self, channel: &ChannelName) {
        if self.extensions.has(Extension::History) {
            let page = Page {
                after: self.memory.numbers.get(channel.as_str()),
                pages: 0,
                asked: false,
                newest: 0,
            };
            self.pages.insert(channel.clone(), page);
        }
    }

    /// Asks for the pages that are due.
    pub(super) fn ask_pages(&mut self, now: Instant, out: &mut Vec<Effect>) {
        while self.has_room() && self.request_bucket.wait(now).is_zero() {
            let Some((channel, page)) = self.pages.iter_mut().find(|(_, page)| !page.asked) else {
                return;
            };
            page.asked = true;
            let (channel, after) = (channel.clone(), page.after);
            self.request_bucket.take(now);
            let limit = after.map_or(1, |_| HISTORY_PAGE as u64);
            let what = What::History(channel.clone(), after);
            let frame = |reference: &_| {
                let history = Outgoing::History {
                    reference,
                    channel: channel.as_str(),
                    after,
                    limit: Some(limit),
                };
                history.encode()
            };
            self.ask(what, now, frame, out);
        }
    }

    /// A page came; one that was not asked for is of no use, nor is what is beyond the page.
    pub(super) fn history(
        &mut self,
        reference: Option<&Reference>,
        mut past: Past,
        out: &mut Vec<Effect>,
    ) {
        let is_history = |what: &What| matches!(what, What::History(..));
        let asked = self.take_asked(reference, is_history);
        let Some(What::History(channel, after)) = asked.map(|asked| asked.what) else {
            self.memory.figures.ignored += 1;
            return;
        };
        if !self.joined.contains(&channel) {
            return;
        }
        past.messages.truncate(HISTORY_PAGE);
        let numbers = past.messages.iter().filter_map(|chat| chat.seq);
        let last = numbers.max();
        let Some(after) = after else {
            return self.caught_up(&channel, last.unwrap_or(0));
        };
        self.count_lost(&channel, past.missed, out);
        for chat in past.messages {
            self.deliver_past(&channel, chat, out);
        }
        let pages = self.pages.get(&channel).map_or(0, |page| page.pages) + 1;
        match last.filter(|last| *last > after) {
            None => self.caught_up(&channel, after),
            Some(last) if pages >= HISTORY_PAGES_MAX => {
                self.memory.figures.gaps += 1;
                self.caught_up(&channel, last);
            }
            Some(last) => {
                self.memory.numbers.set(&channel, last);
                if let Some(page) = self.pages.get_mut(&channel) {
                    *page = Page {
                        after: Some(last),
                        pages,
                        asked: false,
                        ..*page
                    };
                }
            }
        }
    }

    /// The hub does not tell what was missed.
    pub(super) fn history_failed(&mut self, channel: &ChannelName) {
        if let Some(page) = self.pages.remove(channel) {
            self.memory.figures.gaps += 1;
            if page.newest > 0 {
                self.memory.numbers.set(channel, page.newest);
            }
        }
    }

    /// Notes the number of a live message; whether it comes for the first time.
    pub(super) fn is_new_number(&mut self, chat: &Chat) -> bool {
        let Some(number) = chat.seq else {
            return true;
        };
        let key = (
            "number",
            number,
            &chat.channel,
            &chat.game,
            &chat.name,
            &chat.message,
        );
        self.memory.seen.note(key)
    }

    pub(super) fn note_number(&mut self, channel: &ChannelName, chat: &Chat) {
        let Some(number) = chat.seq else {
            return;
        };
        match self.pages.get_mut(channel) {
            // What is before it may be missing yet.
            Some(page) => page.newest = page.newest.max(number),
            None => self.memory.numbers.set(channel, number),
        }
    }

    fn deliver_past(&mut self, channel: &ChannelName, chat: Chat, out: &mut Vec<Effect>) {
        let chat = Chat {
            channel: channel.as_str().to_owned(),
            ..chat
        };
        if self.is_ours(&chat) || !self.is_new_number(&chat) || chat.seq.is_none() {
            return;
        }
        self.deliver_chat(&chat, Missed::Yes, out);
    }

    /// A history has our own words in it, which tell our own name if it is not known.
    fn is_ours(&mut self, chat: &Chat) -> bool {
        if self.is_own(&chat.game) {
            return true;
        }
        let said = said_key(&chat.channel, &chat.name, &chat.message);
        let ours = self.identity.game.is_none() && self.memory.said.has(said);
        if ours {
            self.memory.own_game = Some(chat.game.clone());
        }
        ours
    }

    fn count_lost(&mut self, channel: &ChannelName, count: u64, out: &mut Vec<Effect>) {
        if count > 0 {
            self.memory.figures.lost = self.memory.figures.lost.saturating_add(count);
            let channel = channel.as_str().to_owned();
            out.push(Effect::Deliver(News::Missed { channel, count }));
        }
    }

    fn caught_up(&mut self, channel: &ChannelName, number: u64) {
        let newest = self.pages.remove(channel).map_or(0, |page| page.newest);
        self.memory.numbers.set(channel, number.max(newest));
    }
}

/// What a message of ours is known by in a history; hubs take the markup out of it.
pub(super) fn said_key(channel: &str, name: &str, message: &str) -> (String, String, String) {
    (
        channel.to_owned(),
        strip_markup(name),
        strip_markup(message),
    )
}
