//! `[pure]` What the operator of a hub decides: which games there are and with what secret, who
//! is banned, which channels are listed or paused. The core is handed a whole directory at its
//! start and again after each change; nothing here knows who is connected.

mod ban;
mod channel;
mod fault;
mod game;
mod name;
mod secret;

use std::collections::BTreeMap;
use std::net::IpAddr;

use uuid::Uuid;

pub use ban::{Ban, BanId, Banned, Network};
pub use channel::Channel;
pub use fault::Fault;
pub(in crate::hub) use game::is_unseen;
pub use game::{Achievement, Connection, Game, GameId, GameText};
pub use name::ShortName;
pub use secret::SecretHash;

use crate::limits::{BANS_MAX, CHANNELS_MAX, GAMES_MAX};
pub use crate::protocol::ChannelName;
use ban::Bans;

/// Games, bans and channels, each with the look-ups that the core needs. Times are arguments, in
/// Unix milliseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Directory {
    games: BTreeMap<Uuid, Game>,
    /// Folded short name to client id.
    by_name: BTreeMap<Box<str>, Uuid>,
    bans: Bans,
    channels: BTreeMap<ChannelName, Channel>,
}

impl Directory {
    /// A directory with nothing in it.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a game.
    ///
    /// # Errors
    /// [`Fault::NameTaken`] when another game has this short name in any case or this client id,
    /// [`Fault::TooMany`] over [`GAMES_MAX`]. The directory is unchanged.
    pub fn add_game(&mut self, game: Game) -> Result<(), Fault> {
        let folded = game.short_name.folded();
        if self.games.contains_key(&game.client_id) || self.by_name.contains_key(&folded) {
            return Err(Fault::NameTaken);
        }
        if self.games.len() >= GAMES_MAX {
            return Err(Fault::TooMany("games"));
        }
        self.by_name.insert(folded, game.client_id);
        self.games.insert(game.client_id, game);
        Ok(())
    }

    /// Adds a ban. Of two bans of the same the longer one holds.
    ///
    /// # Errors
    /// [`Fault::TooMany`] over [`BANS_MAX`].
    pub fn add_ban(&mut self, ban: Ban) -> Result<(), Fault> {
        if self.bans.len() >= BANS_MAX {
            return Err(Fault::TooMany("bans"));
        }
        self.bans.add(ban);
        Ok(())
    }

    /// Adds a channel, in place of one of the same name.
    ///
    /// # Errors
    /// [`Fault::TooMany`] over [`CHANNELS_MAX`].
    pub fn add_channel(&mut self, channel: Channel) -> Result<(), Fault> {
        if self.channels.len() >= CHANNELS_MAX {
            return Err(Fault::TooMany("channels"));
        }
        self.channels.insert(channel.name.clone(), channel);
        Ok(())
    }

    /// The game with this client id, disabled or not.
    #[must_use]
    pub fn game(&self, client_id: Uuid) -> Option<&Game> {
        self.games.get(&client_id)
    }

    /// The game with this short name in any case.
    #[must_use]
    pub fn game_named(&self, short_name: &str) -> Option<&Game> {
        let folded = short_name.to_ascii_lowercase();
        self.games.get(self.by_name.get(folded.as_str())?)
    }

    /// The game that these credentials let in: known, with this secret (compared in constant
    /// time), not disabled, not banned.
    #[must_use]
    pub fn admit(&self, client_id: Uuid, secret: Uuid, now_unix_ms: i64) -> Option<&Game> {
        let Some(game) = self.games.get(&client_id) else {
            // The same work as for a known id, so that time does not tell which ids exist.
            let _same = SecretHash::of(secret).matches(client_id);
            return None;
        };
        let known = game.secret.matches(secret);
        (known && self.may_stay(game, now_unix_ms)).then_some(game)
    }

    /// Whether a game may be on the network: not disabled, not banned.
    #[must_use]
    pub fn may_stay(&self, game: &Game, now_unix_ms: i64) -> bool {
        !game.disabled && !self.bans.game(&game.short_name, now_unix_ms)
    }

    /// Whether this player of this game may not speak here, under this name or any game's.
    #[must_use]
    pub fn is_muted(&self, name: &str, game: &ShortName, now_unix_ms: i64) -> bool {
        self.bans.player(name, game, now_unix_ms)
    }

    /// Whether connections from this address are refused.
    #[must_use]
    pub fn is_refused(&self, address: IpAddr, now_unix_ms: i64) -> bool {
        self.bans.address(address, now_unix_ms)
    }

    /// A channel that was used or described. One that is not here is hidden and not paused.
    #[must_use]
    pub fn channel(&self, name: &str) -> Option<&Channel> {
        self.channels.get(name)
    }

    /// Whether a channel is shown to others: it is known and not hidden.
    #[must_use]
    pub fn is_listed(&self, channel: &str) -> bool {
        self.channel(channel).is_some_and(|channel| !channel.hidden)
    }

    /// Whether an operator has paused this channel.
    #[must_use]
    pub fn is_paused(&self, channel: &str, now_unix_ms: i64) -> bool {
        self.channel(channel)
            .is_some_and(|channel| channel.is_paused(now_unix_ms))
    }

    /// All games, by client id.
    pub fn games(&self) -> impl Iterator<Item = &Game> {
        self.games.values()
    }

    /// All channels, by name.
    pub fn channels(&self) -> impl Iterator<Item = &Channel> {
        self.channels.values()
    }
}

#[cfg(test)]
mod tests;
