//! `[pure]` A game that is online: what of its registration others see, and its sockets.

use uuid::Uuid;

use super::input::SocketId;
use crate::hub::directory::{Game, GameId, ShortName};

/// A game with at least one authenticated socket.
#[derive(Debug)]
pub(super) struct Online {
    pub(super) id: GameId,
    pub(super) client_id: Uuid,
    pub(super) short_name: ShortName,
    /// Listed at all.
    pub(super) display: bool,
    /// Its players are shown.
    pub(super) display_players: bool,
    /// What it said it is when it last authenticated.
    pub(super) user_agent: Option<Box<str>>,
    /// The version it said it knows.
    pub(super) version: Option<Box<str>>,
    /// Never empty.
    pub(super) sockets: Vec<SocketId>,
    /// The payload of `players/status`, as long as it is right.
    pub(super) players_payload: Option<Box<str>>,
    /// The payload of `games/status`, as long as it is right.
    pub(super) status_payload: Option<Box<str>>,
}

impl Online {
    pub(super) fn new(game: &Game) -> Self {
        Self {
            id: game.id,
            client_id: game.client_id,
            short_name: game.short_name.clone(),
            display: game.display,
            display_players: game.display_players,
            user_agent: None,
            version: None,
            sockets: Vec::new(),
            players_payload: None,
            status_payload: None,
        }
    }

    /// Takes what the operator changed.
    pub(super) fn refresh(&mut self, game: &Game) {
        debug_assert_eq!(self.id, game.id, "another game");
        self.short_name = game.short_name.clone();
        self.display = game.display;
        self.display_players = game.display_players;
        self.forget_players();
    }

    /// Whether its players are told of.
    pub(super) fn shows_players(&self) -> bool {
        self.display && self.display_players
    }

    /// Its players changed, or how they are shown.
    pub(super) fn forget_players(&mut self) {
        self.players_payload = None;
        self.status_payload = None;
    }

    /// Its flags or channels changed.
    pub(super) fn forget_status(&mut self) {
        self.status_payload = None;
    }
}
