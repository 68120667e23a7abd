//! `[pure]` What a hub says.

use std::time::Instant;

use super::effect::Effect;
use super::state::{Machine, Stage};
use crate::client::clean;
use crate::client::news::{News, Receipt, TellOutcome};
use crate::client::roster::RemoteGame;
use crate::protocol::{Chat, Connection, Event, EventName, Extension, GameStatus, Reference, Tell};

impl Machine {
    /// Takes one event. Before the hub has let us in, only its word on that counts, and a restart.
    pub(super) fn hear(&mut self, event: Event, now: Instant, out: &mut Vec<Effect>) {
        match event {
            Event::Welcome(welcome) => self.welcomed(&welcome, now, out),
            Event::Restart { downtime_s, .. } => self.announced(downtime_s, now),
            Event::Failure {
                event,
                reference,
                error,
            } => self.failure(event, reference.as_ref(), &error, out),
            event if self.stage == Stage::Online => self.hear_online(event, now, out),
            Event::Beat
            | Event::Broadcast { .. }
            | Event::Sign { .. }
            | Event::Players { .. }
            | Event::Tell { .. }
            | Event::Game { .. }
            | Event::Presence { .. }
            | Event::Achievements { .. }
            | Event::Achievement { .. }
            | Event::AchievementDeleted { .. }
            | Event::AchievementFailed { .. }
            | Event::Ack { .. }
            | Event::StatusEnd { .. }
            | Event::History { .. }
            | Event::ChannelReceipt { .. }
            | Event::TellReceipt { .. } => self.memory.figures.ignored += 1,
        }
    }

    fn hear_online(&mut self, event: Event, now: Instant, out: &mut Vec<Effect>) {
        match event {
            Event::Beat => self.beat(out),
            Event::Broadcast { reference, chat } => self.broadcast(reference, chat, out),
            Event::Sign {
                event,
                reference,
                game,
                name,
            } => {
                let signed_in = event == EventName::PlayersSignIn;
                let what = (signed_in, game.as_str(), name.as_str());
                if self.is_new(reference.as_ref(), what) {
                    self.sign(what, now, out);
                } else {
                    self.memory.figures.duplicates += 1;
                }
            }
            Event::Players {
                reference,
                game,
                players,
            } => {
                self.count_answer(reference.as_ref());
                self.players(&game, &players, now);
            }
            Event::Tell { reference, tell } => self.told(reference, &tell, out),
            Event::Game { status, .. } => self.game(&status, now),
            Event::Presence { event, game, .. } => self.presence(event, &game, now, out),
            Event::Ack { reference, .. } => self.acked(reference.as_ref(), out),
            Event::StatusEnd {
                reference, games, ..
            } => self.all_answered(reference.as_ref(), games),
            Event::History { reference, past } => self.history(reference.as_ref(), past, out),
            Event::TellReceipt { reference, status } => {
                self.receipt(reference.as_ref(), &status, out);
            }
            // How many games hear a channel is of no use here.
            Event::ChannelReceipt { .. } => {}
            Event::Welcome(_)
            | Event::Restart { .. }
            | Event::Failure { .. }
            | Event::Achievements { .. }
            | Event::Achievement { .. }
            | Event::AchievementDeleted { .. }
            | Event::AchievementFailed { .. } => self.memory.figures.ignored += 1,
        }
    }

    fn failure(
        &mut self,
        event: Option<EventName>,
        reference: Option<&Reference>,
        error: &str,
        out: &mut Vec<Effect>,
    ) {
        self.limited |= error.contains("rate limit");
        if event == Some(EventName::Authenticate) {
            self.memory.figures.refused += 1;
            return self.refused_entrance(error, out);
        }
        if event == Some(EventName::ChannelsSubscribe) && reference.is_none() {
            self.refuse_channel(error);
        }
        self.failed(reference, error, out);
    }

    /// Some hubs tell of a bad name at the entrance in a frame of its own: the name is in quotes.
    fn refuse_channel(&mut self, error: &str) {
        let quoted = error.split(['\'', '"']).nth(1).unwrap_or_default();
        if let Some(channel) = self.joined.take(quoted) {
            self.refused.insert(channel);
            self.joined_changed = true;
        }
    }

    fn beat(&mut self, out: &mut Vec<Effect>) {
        self.memory.figures.beats += 1;
        out.push(Effect::Beat);
        if !std::mem::replace(&mut self.proven, true) {
            out.push(Effect::Proven);
        }
    }

    fn broadcast(&mut self, reference: Option<Reference>, chat: Chat, out: &mut Vec<Effect>) {
        let Some(channel) = self.joined.get(chat.channel.as_str()).cloned() else {
            self.memory.figures.ignored += 1;
            return;
        };
        if self.is_own(&chat.game) {
            self.memory.figures.ignored += 1;
            return;
        }
        let what = (&chat.channel, &chat.game, &chat.name, &chat.message);
        if !self.is_new(reference.as_ref(), what) || !self.is_new_number(&chat) {
            self.memory.figures.duplicates += 1;
            return;
        }
        self.note_number(&channel, &chat);
        self.deliver_chat(&chat, Missed::No, out);
    }

    /// Delivers a message, cleaned.
    pub(super) fn deliver_chat(&mut self, chat: &Chat, missed: Missed, out: &mut Vec<Effect>) {
        let parts = (
            clean::name(&chat.game),
            clean::name(&chat.name),
            clean::message(&chat.message),
        );
        let (Some(game), Some(name), Some(message)) = parts else {
            self.memory.figures.unclean += 1;
            return;
        };
        match missed {
            Missed::No => self.memory.figures.heard += 1,
            Missed::Yes => self.memory.figures.missed += 1,
        }
        out.push(Effect::Deliver(News::Channel {
            channel: chat.channel.clone(),
            game,
            name,
            message,
            missed: missed == Missed::Yes,
        }));
    }

    fn sign(
        &mut self,
        (signed_in, game, name): (bool, &str, &str),
        now: Instant,
        out: &mut Vec<Effect>,
    ) {
        if self.is_own(game) {
            self.memory.figures.ignored += 1;
            return;
        }
        let (Some(game), Some(name)) = (clean::name(game), clean::name(name)) else {
            self.memory.figures.unclean += 1;
            return;
        };
        if signed_in && self.book.sign_in(&game, &name, now) {
            out.push(Effect::Deliver(News::SignIn { game, name }));
        } else if !signed_in && self.book.sign_out(&game, &name, now) {
            out.push(Effect::Deliver(News::SignOut { game, name }));
        }
    }

    fn players(&mut self, game: &str, players: &[String], now: Instant) {
        let Some(game) = self.foreign(game) else {
            return;
        };
        let names = players
            .iter()
            .filter_map(|name| clean::name(name))
            .collect();
        self.book.set_players(&game, names, now);
    }

    fn game(&mut self, status: &GameStatus, now: Instant) {
        let Some(name) = self.foreign(&status.game) else {
            return;
        };
        let text = |text: &Option<String>| text.as_deref().and_then(clean::reason);
        let address = status
            .connections
            .first()
            .map(|connection| match connection {
                Connection::Telnet { host, port } => format!("telnet {host} {port}"),
                Connection::SecureTelnet { host, port } => format!("telnet (TLS) {host} {port}"),
                Connection::Web { url } => url.clone(),
            });
        let about = RemoteGame {
            name,
            display_name: clean::name(&status.display_name),
            homepage: text(&status.homepage_url),
            address: text(&address),
            players: Vec::new(),
            count: status.players,
        };
        self.book.describe(about, now);
    }

    fn presence(&mut self, event: EventName, game: &str, now: Instant, out: &mut Vec<Effect>) {
        let Some(game) = self.foreign(game) else {
            return;
        };
        if event == EventName::GamesConnect {
            if self.book.up(&game, now) {
                self.ask_players_soon(now);
                out.push(Effect::Deliver(News::GameUp(game)));
            }
        } else if self.book.down(&game) {
            out.push(Effect::Deliver(News::GameDown(game)));
        }
    }

    fn told(&mut self, reference: Option<Reference>, tell: &Tell, out: &mut Vec<Effect>) {
        let what = (
            &tell.from_game,
            &tell.from_name,
            &tell.to_name,
            &tell.message,
        );
        if !self.is_new(reference.as_ref(), what) {
            self.memory.figures.duplicates += 1;
            return;
        }
        let names = [&tell.from_game, &tell.from_name, &tell.to_name].map(|name| clean::name(name));
        let ([Some(from_game), Some(from_name), Some(to_name)], Some(message)) =
            (names, clean::message(&tell.message))
        else {
            self.memory.figures.unclean += 1;
            return;
        };
        let receipts = self.extensions.has(Extension::Receipts);
        let receipt = reference
            .filter(|_| receipts)
            .and_then(|reference| serde_json::from_str(reference.as_json()).ok().map(Receipt));
        self.memory.figures.tells_in += 1;
        out.push(Effect::Deliver(News::Tell {
            from_game,
            from_name,
            to_name,
            message,
            sent_at: clean::reason(&tell.sent_at).unwrap_or_default(),
            receipt,
        }));
    }

    fn receipt(&mut self, reference: Option<&Reference>, status: &str, out: &mut Vec<Effect>) {
        let key = reference.map(Reference::as_json);
        let place = self
            .sent
            .iter()
            .position(|sent| Some(sent.reference.as_str()) == key);
        let sent = place.and_then(|place| self.sent.remove(place));
        let (Some(sent), Some(outcome)) = (sent, TellOutcome::of(status)) else {
            self.memory.figures.ignored += 1;
            return;
        };
        out.push(Effect::Deliver(News::TellReceipt {
            from_name: sent.tell.from_name,
            to_name: sent.tell.to_name,
            to_game: sent.tell.to_game,
            outcome,
        }));
    }

    /// The clean name of a game that is not our own.
    fn foreign(&mut self, game: &str) -> Option<String> {
        let name = clean::name(game).filter(|_| !self.is_own(game));
        if name.is_none() {
            self.memory.figures.unclean += 1;
        }
        name
    }

    pub(super) fn is_own(&self, game: &str) -> bool {
        let own = self
            .identity
            .game
            .as_ref()
            .or(self.memory.own_game.as_ref());
        own.is_some_and(|own| own.to_lowercase() == game.to_lowercase())
    }

    /// Notes something that came with a reference; whether it comes for the first time. Without a
    /// reference nobody can tell. The same reference with something else in it is new: there are
    /// hubs that make none of their own.
    fn is_new(&mut self, reference: Option<&Reference>, what: impl std::hash::Hash) -> bool {
        match reference.filter(|reference| !reference.is_null()) {
            Some(reference) => self.memory.seen.note((reference.as_json(), what)),
            None => true,
        }
    }
}

/// Whether a message was said while the connection was away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missed {
    Yes,
    No,
}
