//! `[pure]` What must always be true of a hub, and how it becomes true again after a step that did
//! not end. That would be a bug; it shall cost the input that met it, and nothing else.

use super::agenda::{Agenda, Due};
use super::ears::{Ear, Ears};
use super::effect::{CloseWith, Effect};
use super::game::Online;
use super::hub::{Hub, Turn};
use super::input::SocketId;
use super::socket::{Socket, State};
use crate::limits::{
    ADDRESSES_MAX, CHANNELS_LIVE_MAX, CHANNELS_PER_SOCKET_MAX, GAMES_MAX, SOCKETS_MAX,
};
use crate::protocol::{Extension, Flag};

impl Hub {
    /// What must always be true; the costly part only in debug builds.
    pub(super) fn assert_whole(&self) {
        assert!(self.sockets.len() <= SOCKETS_MAX, "too many sockets");
        assert!(self.online.len() <= GAMES_MAX, "too many games");
        assert!(
            self.channels.len() <= CHANNELS_LIVE_MAX,
            "too many channels"
        );
        assert!(self.throttle.len() <= ADDRESSES_MAX, "too many addresses");
        let due = self.sockets.len() + self.gone.len();
        assert!(
            self.agenda.len() == due,
            "the agenda is not of what there is"
        );
        debug_assert_eq!(self.fault(), None);
    }

    /// What is wrong, if anything is: every socket is where it should be, and nowhere else.
    fn fault(&self) -> Option<&'static str> {
        if self.agenda.len() != self.sockets.len() + self.gone.len() {
            return Some("the agenda is not of what there is");
        }
        for (id, game) in &self.online {
            let of_game = |socket: &SocketId| {
                let member = self.sockets.get(socket).and_then(Socket::member);
                member.is_some_and(|member| member.game == *id)
            };
            if game.sockets.is_empty() || self.gone.contains_key(id) {
                return Some("a game is here that should not be");
            }
            if !game.sockets.iter().all(of_game) {
                return Some("a socket is not of its game");
            }
        }
        let mut heard = 0;
        for (socket, state) in &self.sockets {
            let member = state.member();
            let has = |flag| member.is_some_and(|member| member.has(flag));
            if self.player_ears.has(*socket) != has(Flag::Players)
                || self.game_ears.has(*socket) != has(Flag::Games)
            {
                return Some("a socket does not hear what it should");
            }
            let Some(member) = member else {
                continue;
            };
            let game = self.online.get(&member.game);
            if !game.is_some_and(|game| game.sockets.contains(socket)) {
                return Some("a game does not know its socket");
            }
            let hears = |name| {
                let channel = self.channels.get(name);
                channel.is_some_and(|channel| channel.ears.has(*socket))
            };
            if member.channels.len() > CHANNELS_PER_SOCKET_MAX || !member.channels.iter().all(hears)
            {
                return Some("a channel does not know who hears it");
            }
            heard += member.channels.len();
        }
        let ears = self
            .channels
            .values()
            .map(|channel| channel.ears.iter().count());
        (ears.sum::<usize>() != heard).then_some("somebody hears what they should not")
    }

    /// Makes everything that follows from the open sockets anew, if anything of it is wrong.
    pub(super) fn mend(&mut self, turn: &mut Turn<'_>) {
        if self.fault().is_none() {
            return;
        }
        self.mend_games(turn);
        self.mend_ears();
        self.agenda = Agenda::default();
        for (socket, open) in &self.sockets {
            match open.state {
                State::Inactive | State::Active(_) => {
                    self.agenda.add(open.beat_due, Due::Beat(*socket));
                }
                State::Refused { at, .. } => self.agenda.add(at, Due::Refusal(*socket)),
            }
        }
        for (id, gone) in &self.gone {
            self.agenda.add(gone.told_at, Due::Gone(*id));
        }
    }

    /// Each game has the sockets that are of it. One whose game is not registered is closed.
    fn mend_games(&mut self, turn: &mut Turn<'_>) {
        let mut before = std::mem::take(&mut self.online);
        let mut lost = Vec::new();
        for (socket, open) in &self.sockets {
            let Some(member) = open.member() else {
                continue;
            };
            if !self.online.contains_key(&member.game) {
                let registered = || self.directory.games().find(|game| game.id == member.game);
                let known = before.remove(&member.game);
                let Some(mut game) = known.or_else(|| registered().map(Online::new)) else {
                    lost.push(*socket);
                    continue;
                };
                game.sockets.clear();
                game.forget_players();
                self.online.insert(member.game, game);
            }
            if let Some(game) = self.online.get_mut(&member.game) {
                game.sockets.push(*socket);
            }
        }
        for socket in lost {
            self.sockets.remove(&socket);
            turn.out.push(Effect::Close(socket, CloseWith::FAULT));
        }
        let online = &self.online;
        self.gone.retain(|id, _| !online.contains_key(id));
    }

    /// Every list of listeners has those that are to hear.
    fn mend_ears(&mut self) {
        (self.player_ears, self.game_ears) = (Ears::default(), Ears::default());
        for channel in self.channels.values_mut() {
            channel.deafen();
        }
        let sockets: Vec<SocketId> = self.sockets.keys().copied().collect();
        for socket in sockets {
            self.set_ears(socket);
            let Some(member) = self.sockets.get_mut(&socket).and_then(Socket::member_mut) else {
                continue;
            };
            let ear = Ear {
                socket,
                game: member.game,
                numbered: member.extends(Extension::History),
            };
            let channels = &mut self.channels;
            member.channels.retain(|name| match channels.get_mut(name) {
                Some(channel) => {
                    channel.add(ear);
                    true
                }
                None => false,
            });
        }
        self.channels.retain(|_, channel| !channel.is_spent());
    }
}
