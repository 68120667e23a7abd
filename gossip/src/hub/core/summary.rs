//! `[pure]` What the public page shows of a hub.

use super::hub::Hub;
use crate::hub::directory::{Connection, ShortName};

/// A game that is online and listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedGame {
    /// Its name on the network.
    pub short_name: ShortName,
    /// Its full name.
    pub display_name: Box<str>,
    /// What it is.
    pub description: Option<Box<str>>,
    /// Its page.
    pub homepage: Option<Box<str>>,
    /// How to play it.
    pub connections: Vec<Connection>,
    /// How many play, also where their names are hidden.
    pub players_count: usize,
    /// Who plays; `None` where the game hides it. Texts from outside.
    pub players: Option<Vec<Box<str>>>,
}

impl Hub {
    /// The games that are online and listed, by short name.
    #[must_use]
    pub fn listed_games(&self) -> Vec<ListedGame> {
        let mut listed: Vec<ListedGame> = Vec::new();
        for online in self.online.values().filter(|online| online.display) {
            let Some(game) = self.directory.game(online.client_id) else {
                continue;
            };
            let players = self.players_of(online);
            let players_count = players.len();
            let players = online.display_players.then_some(players);
            listed.push(ListedGame {
                short_name: online.short_name.clone(),
                display_name: game.text.display_name.clone(),
                description: game.text.description.clone(),
                homepage: game.text.homepage.clone(),
                connections: game.text.connections.clone(),
                players_count,
                players: players.map(|names| names.into_iter().map(Into::into).collect()),
            });
        }
        listed.sort_by_cached_key(|game| game.short_name.folded());
        listed
    }
}
