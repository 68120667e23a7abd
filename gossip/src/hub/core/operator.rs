//! `[pure]` What the operator does: another directory, a restart.

use super::effect::CloseWith;
use super::entrance::{INVALID_CREDENTIALS, granted};
use super::hub::{Hub, Turn};
use super::input::SocketId;
use super::talk::Words;
use crate::hub::directory::{Directory, Game, GameId};
use crate::limits::RESTART_JITTER_S;
use crate::protocol::Event;

/// Under which name and game the hub itself speaks; no game can have it.
const SYSTEM: (&str, &str) = ("system", "Grapevine");

/// A game that is none.
const NO_GAME: GameId = GameId(i64::MIN);

impl Hub {
    /// Takes another directory: whoever may not stay is closed, the others are as it says.
    pub(super) fn change(&mut self, directory: Directory, turn: &mut Turn<'_>) {
        self.take_achievements(&directory);
        let before = std::mem::replace(&mut self.directory, directory);
        self.close_refused_games(&before, turn);
        self.close_refused_addresses(turn);
        self.refresh_games();
        self.tell_of_pauses(&before, turn);
    }

    /// Closes the sockets of games that are no more, have another secret, or may not be here.
    fn close_refused_games(&mut self, before: &Directory, turn: &mut Turn<'_>) {
        let now = turn.now.unix_ms;
        let stays = |game: &Game, old: Option<&Game>| {
            let same = old.is_some_and(|old| old.id == game.id && old.secret == game.secret);
            same && self.directory.may_stay(game, now)
        };
        let mut sockets: Vec<SocketId> = Vec::new();
        for online in self.online.values() {
            let game = self.directory.game(online.client_id);
            if !game.is_some_and(|game| stays(game, before.game(online.client_id))) {
                sockets.extend(&online.sockets);
            }
        }
        for socket in sockets {
            self.figures.turned_away += 1;
            self.close_refused(socket, INVALID_CREDENTIALS, turn);
        }
    }

    /// Closes the sockets from addresses that are banned; who has not authenticated is told
    /// nothing.
    fn close_refused_addresses(&mut self, turn: &mut Turn<'_>) {
        let now = turn.now.unix_ms;
        let refused = self
            .sockets
            .iter()
            .filter(|(_, open)| self.directory.is_refused(open.address, now));
        let refused: Vec<_> = refused
            .map(|(id, open)| (*id, open.member().is_some()))
            .collect();
        for (socket, active) in refused {
            self.figures.turned_away += 1;
            if active {
                self.close_refused(socket, INVALID_CREDENTIALS, turn);
            } else {
                self.close(socket, CloseWith::REFUSED, turn);
            }
        }
    }

    /// Shows each game as it is registered.
    fn refresh_games(&mut self) {
        let mut sockets = Vec::new();
        for online in self.online.values_mut() {
            if let Some(game) = self.directory.game(online.client_id) {
                online.refresh(game);
                sockets.extend(online.sockets.iter().map(|id| (*id, online.client_id)));
            }
        }
        for (socket, client_id) in sockets {
            let member = self
                .sockets
                .get_mut(&socket)
                .and_then(|open| open.member_mut());
            if let (Some(member), Some(game)) = (member, self.directory.game(client_id)) {
                member.granted = granted(member.asked, game);
            }
            self.set_ears(socket);
        }
        for gone in self.gone.values_mut() {
            // A game that is hidden or removed while it is gone is not told of.
            let game = self.directory.game(gone.client_id);
            gone.display &= game.is_some_and(|game| game.display);
        }
    }

    /// Says on each channel that was paused that it is.
    fn tell_of_pauses(&mut self, before: &Directory, turn: &mut Turn<'_>) {
        let now = turn.now.unix_ms;
        let paused = self
            .directory
            .channels()
            .filter(|channel| channel.is_paused(now));
        let paused = paused.filter(|channel| !before.is_paused(channel.name.as_str(), now));
        let paused: Vec<_> = paused
            .map(|channel| {
                (
                    channel.name.clone(),
                    channel.paused_until_unix_ms.unwrap_or(now),
                )
            })
            .collect();
        for (channel, until) in paused {
            let minutes = until.saturating_sub(now).saturating_add(59_999) / 60_000;
            let plural = if minutes == 1 { "" } else { "s" };
            let notices = [
                format!("[SYSTEM] This channel is paused for {minutes} minute{plural}."),
                "[SYSTEM] What is said here meanwhile is not passed on.".to_owned(),
            ];
            for message in notices {
                let (name, game) = SYSTEM;
                let words = Words {
                    name: name.to_owned(),
                    message,
                };
                self.pass_on(channel.as_str(), (NO_GAME, game), words, turn);
            }
        }
    }

    /// Tells every socket that the hub goes down, each another time so that not all come back at
    /// once.
    pub(super) fn restart(&mut self, downtime_s: u64, turn: &mut Turn<'_>) {
        use rand::RngExt as _;
        let sockets: Vec<SocketId> = self.sockets.keys().copied().collect();
        for socket in sockets {
            let late = self.rng.random_range(0..=2 * RESTART_JITTER_S);
            let downtime_s = downtime_s
                .saturating_add(late)
                .saturating_sub(RESTART_JITTER_S);
            let event = Event::Restart {
                reference: self.new_reference(),
                downtime_s: downtime_s.max(1),
            };
            self.send(socket, &event, turn);
        }
    }
}
