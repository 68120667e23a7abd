//! `[pure]` Channels: who hears them, and what is said on them.

use super::answer::{Ask, TRY_AGAIN};
use super::bucket::Poured;
use super::channel::Channel;
use super::ears::Ear;
use super::effect::Effect;
use super::entrance::shown;
use super::hub::{Hub, Turn};
use super::input::{Moment, SocketId};
use super::players::clean_name;
use crate::hub::directory::GameId;
use crate::hub::order::StoreOrder;
use crate::limits::{
    CHANNELS_LIVE_MAX, CHANNELS_PER_GAME_MAX, CHANNELS_PER_SOCKET_MAX, MESSAGE_BYTES_MAX,
};
use crate::protocol::ChannelName;
use crate::protocol::{
    Chat, Event, Extension, Field, Named, Said, cut_to_bytes, format_time, strip_controls,
    strip_markup,
};

/// One message, cleaned.
#[derive(Debug)]
pub(super) struct Words {
    pub(super) name: String,
    pub(super) message: String,
}

impl Words {
    /// `None` without a name or a message.
    fn of(name: &str, message: &str) -> Option<Self> {
        let name = clean_name(strip_markup(name));
        let mut message = strip_markup(message);
        strip_controls(&mut message);
        cut_to_bytes(&mut message, MESSAGE_BYTES_MAX);
        (!name.is_empty() && !message.is_empty()).then_some(Self { name, message })
    }
}

impl Hub {
    /// `channels/subscribe`
    pub(super) fn subscribe(&mut self, ask: &Ask, named: Option<Named>, turn: &mut Turn<'_>) {
        let name = match named {
            None => return self.fail(ask, TRY_AGAIN, turn),
            Some(Named(Field::Missing)) => return self.ack(ask, turn),
            Some(Named(Field::Null | Field::Wrong)) => String::new(),
            Some(Named(Field::Is(name))) => name,
        };
        let Ok(channel) = ChannelName::parse(&name) else {
            return self.fail(ask, &could_not(&name), turn);
        };
        if self.hears(ask.socket, &name) {
            return self.ack(ask, turn);
        }
        let rules = self.rules;
        let poured = self.member_bucket(ask, |member| {
            member.subscribe.pour(rules.subscribe, &rules, turn.now.at)
        });
        if !self.fits(poured, ask, turn) {
            return;
        }
        if self.hear(ask.socket, &channel, turn) {
            self.ack(ask, turn);
        } else {
            self.fail(ask, &could_not(&name), turn);
        }
    }

    /// `channels/unsubscribe`: anything goes, also what is no channel.
    pub(super) fn unsubscribe(&mut self, ask: &Ask, named: Option<Named>, turn: &mut Turn<'_>) {
        let Some(Named(name)) = named else {
            return self.fail(ask, TRY_AGAIN, turn);
        };
        let name = name.value().unwrap_or_default();
        if !self.hears(ask.socket, &name) {
            return self.ack(ask, turn);
        }
        let rules = self.rules;
        let poured = self.member_bucket(ask, |member| {
            member
                .unsubscribe
                .pour(rules.unsubscribe, &rules, turn.now.at)
        });
        if !self.fits(poured, ask, turn) {
            return;
        }
        if let Ok(channel) = ChannelName::parse(&name) {
            self.unhear(ask.socket, ask.game, &channel);
            let member = self
                .sockets
                .get_mut(&ask.socket)
                .and_then(|open| open.member_mut());
            if let Some(member) = member {
                member.channels.remove(&channel);
            }
            if let Some(game) = self.online.get_mut(&ask.game) {
                game.forget_status();
            }
        }
        self.ack(ask, turn);
    }

    /// `channels/send`: acknowledged when it was understood, whatever becomes of it.
    pub(super) fn say(&mut self, ask: &Ask, said: Option<Said>, turn: &mut Turn<'_>) {
        let Some(said) = said else {
            return self.fail(ask, TRY_AGAIN, turn);
        };
        let name = said.channel.value().unwrap_or_default();
        if !self.hears(ask.socket, &name) {
            self.figures.dropped.not_subscribed += 1;
            return self.ack_said(ask, 0, turn);
        }
        if self.directory.is_paused(&name, turn.now.unix_ms) {
            self.figures.dropped.paused += 1;
            return self.ack_said(ask, 0, turn);
        }
        let rules = self.rules;
        let poured = self.member_bucket(ask, |member| {
            member.send.pour(rules.send, &rules, turn.now.at)
        });
        if !self.fits(poured, ask, turn) {
            return;
        }
        let speaker = said.name.value().unwrap_or_default();
        let message = said.message.value().unwrap_or_default();
        let Some(words) = Words::of(&speaker, &message) else {
            self.figures.dropped.empty += 1;
            return self.ack_said(ask, 0, turn);
        };
        if self.is_muted(ask.game, &words.name, turn.now) {
            self.figures.dropped.muted += 1;
            return self.ack_said(ask, 0, turn);
        }
        let channel = self.channels.get(name.as_str());
        let games = channel.map_or(0, |channel| channel.games_outside(ask.game));
        self.ack_said(ask, games, turn);
        let game = self
            .online
            .get(&ask.game)
            .map(|game| game.short_name.clone());
        if let Some(game) = game {
            self.pass_on(&name, (ask.game, game.as_str()), words, turn);
        }
    }

    /// Acknowledges a message, and says to how many games it goes if that was asked for.
    fn ack_said(&mut self, ask: &Ask, games: usize, turn: &mut Turn<'_>) {
        self.ack(ask, turn);
        let member = self.sockets.get(&ask.socket).and_then(|open| open.member());
        let wanted = member.is_some_and(|member| member.extends(Extension::Receipts));
        if let Some(reference) = ask.real_reference().filter(|_| wanted) {
            let event = Event::ChannelReceipt {
                reference: Some(reference.clone()),
                games,
            };
            self.send(ask.socket, &event, turn);
        }
    }

    /// Sends a message to everyone who hears the channel, except in the game that it comes from.
    pub(super) fn pass_on(
        &mut self,
        channel: &str,
        (id, game): (GameId, &str),
        words: Words,
        turn: &mut Turn<'_>,
    ) {
        let reference = self.new_reference();
        let history = self.rules.history;
        let Some(heard) = self.channels.get_mut(channel) else {
            return;
        };
        let (plain, numbered) = heard.ears.outside_by_kind(id);
        let seq = heard.number();
        let mut chat = Chat {
            channel: channel.to_owned(),
            game: game.to_owned(),
            name: words.name,
            message: words.message,
            seq: None,
            sent_at: None,
        };
        let told = Event::Broadcast {
            reference: reference.clone(),
            chat: chat.clone(),
        };
        chat.seq = Some(seq);
        chat.sent_at = Some(time_of(turn.now));
        if history > 0 {
            heard.keep(chat.clone(), history);
        }
        self.figures.messages += 1;
        self.broadcast(plain, &told, turn);
        self.broadcast(numbered, &Event::Broadcast { reference, chat }, turn);
    }

    /// Subscribes a socket; `true` when it hears the channel, `false` when there is no room.
    pub(super) fn hear(
        &mut self,
        socket: SocketId,
        name: &ChannelName,
        turn: &mut Turn<'_>,
    ) -> bool {
        let Some(member) = self.sockets.get(&socket).and_then(|open| open.member()) else {
            return false;
        };
        if member.channels.contains(name) {
            return true;
        }
        let full = member.channels.len() >= CHANNELS_PER_SOCKET_MAX;
        if full || !self.has_place(name, member.game) {
            return false;
        }
        let member = self
            .sockets
            .get_mut(&socket)
            .and_then(|open| open.member_mut());
        let Some(member) = member else {
            return false;
        };
        member.channels.insert(name.clone());
        let ear = Ear {
            socket,
            game: member.game,
            numbered: member.extends(Extension::History),
        };
        if !self.channels.contains_key(name) && self.directory.channel(name.as_str()).is_none() {
            turn.out
                .push(Effect::Store(StoreOrder::ChannelUsed(name.clone())));
        }
        let now = turn.now;
        let channel = self.channels.entry(name.clone());
        channel.or_insert_with(|| Channel::new(now)).add(ear);
        if let Some(game) = self.online.get_mut(&ear.game) {
            game.forget_status();
        }
        true
    }

    /// Takes a socket out of the list of a channel.
    pub(super) fn unhear(&mut self, socket: SocketId, game: GameId, name: &ChannelName) {
        if let Some(channel) = self.channels.get_mut(name) {
            channel.remove(socket, game);
            if channel.is_spent() {
                self.channels.remove(name);
            }
        }
    }

    /// Whether a channel is in use, or there is room for it: no game may take that of all others.
    fn has_place(&mut self, name: &ChannelName, game: GameId) -> bool {
        if self.channels.contains_key(name) {
            return true;
        }
        let channels = self.channels.values();
        let heard = channels.filter(|channel| channel.is_heard_by(game));
        heard.count() < CHANNELS_PER_GAME_MAX && self.make_room()
    }

    /// Whether there is room for one channel more; one that nobody hears goes for it.
    fn make_room(&mut self) -> bool {
        if self.channels.len() < CHANNELS_LIVE_MAX {
            return true;
        }
        let mut unheard = self
            .channels
            .iter()
            .filter(|(_, channel)| channel.ears.is_empty());
        let Some(name) = unheard.next().map(|(name, _)| name.clone()) else {
            return false;
        };
        self.channels.remove(&name);
        true
    }

    pub(super) fn hears(&self, socket: SocketId, channel: &str) -> bool {
        let member = self.sockets.get(&socket).and_then(|open| open.member());
        member.is_some_and(|member| member.channels.contains(channel))
    }

    /// Whether the operator has banned this player of an online game.
    pub(super) fn is_muted(&self, game: GameId, name: &str, now: Moment) -> bool {
        let game = self.online.get(&game);
        game.is_some_and(|game| self.directory.is_muted(name, &game.short_name, now.unix_ms))
    }

    fn member_bucket(
        &mut self,
        ask: &Ask,
        pour: impl FnOnce(&mut super::socket::Member) -> Poured,
    ) -> Poured {
        let member = self
            .sockets
            .get_mut(&ask.socket)
            .and_then(|open| open.member_mut());
        member.map_or(Poured::Over, pour)
    }
}

fn could_not(name: &str) -> String {
    format!("Could not subscribe to \"{}\"", shown(name))
}

/// A moment as it stands on the wire.
pub(super) fn time_of(now: Moment) -> String {
    let nanos = i128::from(now.unix_ms) * 1_000_000;
    let time = time::OffsetDateTime::from_unix_timestamp_nanos(nanos);
    format_time(time.unwrap_or(time::OffsetDateTime::UNIX_EPOCH))
}
