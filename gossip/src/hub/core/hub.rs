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
use crate::limits::{BEAT_EVERY, SOCKETS_MAX};
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
    /// A step has begun and has not ended.
    pub(super) unfinished: bool,
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
            unfinished: false,
        };
        hub.take_achievements(&directory);
        hub.directory = directory;
        hub
    }

    /// Takes one input at the time `now` and adds to `out` what is to be done, in order. Inputs
    /// about sockets that are not open are ignored.
    ///
    /// # Panics
    /// If an invariant of the hub is broken, which is a bug. The next step mends what this one
    /// left, so that the same hub can go on: the input that met the bug is lost, and the effects of
    /// that step.
    pub fn step(&mut self, input: Input, now: Moment, out: &mut Vec<Effect>) {
        let mut turn = Turn { now, out };
        if std::mem::replace(&mut self.unfinished, true) {
            self.mend(&mut turn);
        }
        self.assert_whole();
        match input {
            Input::Opened { socket, address } => self.opened(socket, address, &mut turn),
            Input::Frame { socket, frame } => self.frame(socket, frame, &mut turn),
            Input::Closed { socket } => self.forget(socket, &mut turn),
            Input::Tick => self.tick(&mut turn),
            Input::Directory(directory) => self.change(*directory, &mut turn),
            Input::Restart { downtime_s } => self.restart(downtime_s, &mut turn),
        }
        self.assert_whole();
        self.unfinished = false;
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
}
