//! `[pure]` The hub itself: all its state, and the one function through which it changes.

use std::collections::BTreeMap;
use std::time::Instant;

use rand::{SeedableRng as _, rngs::StdRng};
use uuid::Uuid;

use super::agenda::{Agenda, Due};
use super::channel::Channel;
use super::ears::Ears;
use super::effect::{CloseWith, Effect};
use super::figures::Figures;
use super::game::Online;
use super::input::{Input, Moment, SocketId};
use super::receipts::Receipts;
use super::rules::Rules;
use super::socket::{Socket, State};
use super::throttle::Throttle;
use crate::hub::directory::{Achievement, Directory, GameId, ShortName};
use crate::limits::{ADDRESSES_MAX, BEAT_EVERY, CHANNELS_LIVE_MAX, GAMES_MAX, SOCKETS_MAX};
use crate::protocol::ChannelName;

/// A hub: who is connected, who hears what, who plays where.
///
/// It does nothing by itself and knows no clock: [`step`](Self::step) is told what happened and
/// when, and says what to do. The same inputs with the same seed give the same effects.
#[derive(Debug)]
pub struct Hub {
    pub(super) rules: Rules,
    pub(super) directory: Directory,
    pub(super) sockets: BTreeMap<SocketId, Socket>,
    pub(super) online: BTreeMap<GameId, Online>,
    /// Games whose last socket ended and of which others have not been told yet.
    pub(super) gone: BTreeMap<GameId, Gone>,
    pub(super) channels: BTreeMap<ChannelName, Channel>,
    /// Who has the flag `players`.
    pub(super) player_ears: Ears,
    /// Who has the flag `games`.
    pub(super) game_ears: Ears,
    pub(super) achievements: BTreeMap<GameId, Vec<Achievement>>,
    pub(super) receipts: Receipts,
    pub(super) throttle: Throttle,
    pub(super) agenda: Agenda,
    pub(super) rng: StdRng,
    pub(super) figures: Figures,
}

/// A game that has gone a moment ago.
#[derive(Debug)]
pub(super) struct Gone {
    /// When others are told; it stands in the agenda.
    pub(super) told_at: Instant,
    pub(super) client_id: Uuid,
    pub(super) short_name: ShortName,
    pub(super) display: bool,
}

/// What a step works with besides the state.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    pub(super) now: Moment,
    pub(super) out: &'a mut Vec<Effect>,
}

impl Hub {
    /// A hub to which nobody is connected. Its randomness comes from `seed`.
    #[must_use]
    pub fn new(rules: Rules, directory: Directory, seed: u64) -> Self {
        let mut hub = Self {
            rules,
            directory: Directory::new(),
            sockets: BTreeMap::new(),
            online: BTreeMap::new(),
            gone: BTreeMap::new(),
            channels: BTreeMap::new(),
            player_ears: Ears::default(),
            game_ears: Ears::default(),
            achievements: BTreeMap::new(),
            receipts: Receipts::default(),
            throttle: Throttle::default(),
            agenda: Agenda::default(),
            rng: StdRng::seed_from_u64(seed),
            figures: Figures::default(),
        };
        hub.take_achievements(&directory);
        hub.directory = directory;
        hub
    }

    /// Takes one input at the time `now` and adds to `out` what is to be done, in order. Inputs
    /// about sockets that are not open are ignored.
    ///
    /// # Panics
    /// If an invariant of the hub is broken, which is a bug. The state is not to be used further.
    pub fn step(&mut self, input: Input, now: Moment, out: &mut Vec<Effect>) {
        self.assert_whole();
        let mut turn = Turn { now, out };
        match input {
            Input::Opened { socket, address } => self.opened(socket, address, &mut turn),
            Input::Frame { socket, frame } => self.frame(socket, frame, &mut turn),
            Input::Closed { socket } => self.forget(socket, &mut turn),
            Input::Tick => self.tick(&mut turn),
            Input::Directory(directory) => self.change(*directory, &mut turn),
            Input::Restart { downtime_s } => self.restart(downtime_s, &mut turn),
        }
        self.assert_whole();
    }

    /// When a [`Tick`](Input::Tick) next has something to do.
    #[must_use]
    pub fn next_due(&self) -> Option<Instant> {
        self.agenda.next()
    }

    /// What was counted, and how much there is.
    #[must_use]
    pub fn figures(&self) -> Figures {
        let active = self.online.values().map(|game| game.sockets.len());
        Figures {
            sockets: self.sockets.len(),
            sockets_active: active.sum(),
            games_online: self.online.len(),
            channels: self.channels.len(),
            ..self.figures.clone()
        }
    }

    /// The game of an authenticated socket.
    #[must_use]
    pub fn game_of(&self, socket: SocketId) -> Option<&ShortName> {
        let member = self.sockets.get(&socket)?.member()?;
        Some(&self.online.get(&member.game)?.short_name)
    }

    fn opened(&mut self, socket: SocketId, address: std::net::IpAddr, turn: &mut Turn<'_>) {
        if self.sockets.contains_key(&socket) {
            return;
        }
        if self.directory.is_refused(address, turn.now.unix_ms) {
            self.figures.turned_away += 1;
            turn.out.push(Effect::Close(socket, CloseWith::REFUSED));
            return;
        }
        if self.sockets.len() >= SOCKETS_MAX {
            self.figures.turned_away += 1;
            turn.out.push(Effect::Close(socket, CloseWith::FULL));
            return;
        }
        let beat_due = turn.now.at + BEAT_EVERY;
        self.sockets.insert(socket, Socket::new(address, beat_due));
        self.agenda.add(beat_due, Due::Beat(socket));
    }

    /// Closes a socket and forgets it.
    pub(super) fn close(&mut self, socket: SocketId, with: CloseWith, turn: &mut Turn<'_>) {
        if self.sockets.contains_key(&socket) {
            turn.out.push(Effect::Close(socket, with));
            self.forget(socket, turn);
        }
    }

    /// Forgets a socket, and its game with the last one.
    fn forget(&mut self, socket: SocketId, turn: &mut Turn<'_>) {
        let Some(gone) = self.sockets.remove(&socket) else {
            return;
        };
        self.agenda.remove(gone.beat_due, Due::Beat(socket));
        match gone.state {
            State::Inactive => {}
            State::Refused { at, .. } => self.agenda.remove(at, Due::Refusal(socket)),
            State::Active(member) => self.leave(socket, &member, turn),
        }
    }

    /// What must always be true; the costly part only in debug builds.
    fn assert_whole(&self) {
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
        #[cfg(debug_assertions)]
        self.assert_whole_in_detail();
    }

    /// Every socket is where it should be, and nowhere else.
    #[cfg(debug_assertions)]
    fn assert_whole_in_detail(&self) {
        use crate::protocol::Flag;

        for (id, game) in &self.online {
            assert!(!game.sockets.is_empty(), "online without a socket");
            assert!(!self.gone.contains_key(id), "both here and gone");
            for socket in &game.sockets {
                let member = self.sockets.get(socket).and_then(Socket::member);
                assert!(
                    member.is_some_and(|member| member.game == *id),
                    "not of the game"
                );
            }
        }
        let mut heard = 0;
        for (socket, state) in &self.sockets {
            let Some(member) = state.member() else {
                assert!(!self.player_ears.has(*socket), "hears without being active");
                assert!(!self.game_ears.has(*socket), "hears without being active");
                continue;
            };
            let game = self.online.get(&member.game);
            assert!(
                game.is_some_and(|game| game.sockets.contains(socket)),
                "of no game"
            );
            assert_eq!(self.player_ears.has(*socket), member.has(Flag::Players));
            assert_eq!(self.game_ears.has(*socket), member.has(Flag::Games));
            for name in &member.channels {
                let channel = self.channels.get(name);
                assert!(
                    channel.is_some_and(|channel| channel.ears.has(*socket)),
                    "not heard"
                );
            }
            heard += member.channels.len();
        }
        let ears = self
            .channels
            .values()
            .map(|channel| channel.ears.iter().count());
        assert_eq!(
            ears.sum::<usize>(),
            heard,
            "somebody hears what they should not"
        );
    }
}
