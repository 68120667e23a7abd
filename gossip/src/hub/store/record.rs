//! `[edge]` What the lists of the operator show.

use serde::Serialize;

/// A game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GameRecord {
    /// Its name on the wire.
    pub name: String,
    /// What it signs in with.
    pub client_id: String,
    /// Its full name.
    pub display_name: String,
    /// What it is.
    pub description: Option<String>,
    /// Its page.
    pub homepage: Option<String>,
    /// How to play it, as `telnet HOST:PORT`, `secure telnet HOST:PORT`, `web URL`.
    pub connections: Vec<String>,
    /// Not listed anywhere.
    pub hidden: bool,
    /// Its players are not shown.
    pub players_hidden: bool,
    /// Switched off.
    pub disabled: bool,
    /// When it was registered, in Unix milliseconds.
    pub created_at: i64,
    /// When it was last connected, in Unix milliseconds.
    pub last_seen: Option<i64>,
    /// The software it said it is. Foreign text.
    pub user_agent: Option<String>,
    /// The newest version of the protocol it said it knows. Foreign text.
    pub version: Option<String>,
    /// How many achievements it has.
    pub achievements: i64,
}

/// A ban.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BanRecord {
    /// Whom it keeps out, as it is written in `ban remove`.
    pub banned: String,
    /// Why.
    pub reason: String,
    /// When it ends, in Unix milliseconds.
    pub until: Option<i64>,
    /// Since when, in Unix milliseconds.
    pub created_at: i64,
}

/// A channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChannelRecord {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub description: Option<String>,
    /// Not listed.
    pub hidden: bool,
    /// Until when it is paused, in Unix milliseconds.
    pub paused_until: Option<i64>,
    /// When it was first used, in Unix milliseconds.
    pub created_at: i64,
}
