//! `[pure]` The checked configuration: every value is of its type and in its range. Its fields have
//! the names of the keys: `players.linkdead` is `config.players.linkdead`.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::cluster::{self, Cluster, Node};
use crate::store::StoreUrl;

/// Everything an operator can set. [`super::RawConfig::check`] is the only way to make one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// `data.*`
    pub data: Data,
    /// `content.*`
    pub content: Content,
    /// `telnet.*`
    pub telnet: Listen,
    /// `http.*`
    pub http: Listen,
    /// `ops.*`
    pub ops: Listen,
    /// `web.*`
    pub web: Web,
    /// `players.*`
    pub players: Players,
    /// `connections.*`
    pub connections: Connections,
    /// `login.*`
    pub login: Login,
    /// `output.*`
    pub output: Output,
    /// `crowd.*`
    pub crowd: Crowd,
    /// `save.*`
    pub save: Save,
    /// `store.*`
    pub store: Store,
    /// `zone.*`
    pub zone: Zone,
    /// `mobs.*`
    pub mobs: Mobs,
    /// `gossip.*`
    pub gossip: Gossip,
    /// `node.*`
    pub node: Node,
    /// `cluster.*`
    pub cluster: Cluster,
    /// `drain.*`
    pub drain: Drain,
    /// `watchdog.*`
    pub watchdog: Watchdog,
    /// `log.*`
    pub log: Log,
}

/// The data directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Data {
    /// Where the database, the lock and the control socket are.
    pub dir: PathBuf,
}

/// The content directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Content {
    /// Where the areas are; empty for the built-in world (see [`Content::dir`]).
    pub dir: PathBuf,
}

impl Content {
    /// The directory of the areas, or `None` for the built-in world.
    #[must_use]
    pub fn dir(&self) -> Option<&Path> {
        (!self.dir.as_os_str().is_empty()).then_some(self.dir.as_path())
    }
}

/// An address to listen on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listen {
    /// Address and port; port 0 lets the system choose one.
    pub listen: SocketAddr,
}

/// The web edge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Web {
    /// Pages of other sites that may open a WebSocket here, as `https://host[:port]`.
    pub origins: Vec<String>,
}

/// Players.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Players {
    /// Whether one may play without an account.
    pub guests: bool,
    /// Where new characters and guests begin.
    pub start: PlayersStart,
    /// How many may be in the world at once.
    pub max: u32,
    /// How long a character stays after its socket was lost.
    pub linkdead: Duration,
    /// How long a socket may take to log in, time in the login queue not counted.
    pub login_deadline: Duration,
    /// Commands a second of one session, in the long run.
    pub commands_per_s: u32,
    /// Commands that one session may send at once.
    pub commands_burst: u32,
}

/// Where new characters and guests begin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PlayersStart {
    /// In the start room of the content.
    #[default]
    Start,
    /// In a room drawn at random (load tests).
    Spread,
}

/// Sockets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Connections {
    /// Sockets that one address may have open; 0 = no limit.
    pub per_address: u32,
    /// The same for loopback addresses; 0 = no limit.
    pub per_address_loopback: u32,
}

impl Connections {
    /// How many sockets `address` may have open, or `None` for no limit.
    #[must_use]
    pub fn limit_for(&self, address: std::net::IpAddr) -> Option<u32> {
        let loopback = address.to_canonical().is_loopback();
        let limit = if loopback {
            self.per_address_loopback
        } else {
            self.per_address
        };
        (limit != 0).then_some(limit)
    }
}

/// Logging in with a password.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Login {
    /// Logins that may wait for a worker.
    pub queue: u32,
    /// Worker threads that hash passwords; 0 = cores - 1 (see [`Login::threads`]).
    pub threads: u32,
    /// Memory of one argon2id hash, in KiB.
    pub hash_memory_kib: u32,
    /// Passes of one argon2id hash.
    pub hash_passes: u32,
}

impl Login {
    /// Worker threads on a machine with `cores` cores: at least one.
    #[must_use]
    pub fn threads(&self, cores: u32) -> u32 {
        match self.threads {
            0 => cores.saturating_sub(1).max(1),
            threads => threads,
        }
    }
}

/// What is written to a player.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    /// How long what others do is gathered since the last write.
    pub gap: Duration,
    /// Bytes that may wait for a slow reader.
    pub backlog: usize,
}

/// Crowded rooms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Crowd {
    /// People from which on a room gathers what it tells.
    pub size: u32,
    /// How long it gathers.
    pub gap: Duration,
    /// People from which on it gathers for `gap_large`.
    pub size_large: u32,
    /// How long a very crowded room gathers.
    pub gap_large: Duration,
}

/// Saving.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Save {
    /// How old the saved place and state of a character may get.
    pub every: Duration,
}

/// The database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Store {
    /// Where it is.
    pub url: StoreUrl,
    /// What a commit waits for.
    pub synchronous: StoreSynchronous,
}

/// What a commit of the database waits for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StoreSynchronous {
    /// Survives the death of the process; a power loss may lose the last commits.
    #[default]
    Normal,
    /// Survives a power loss; each commit waits for the disk.
    Full,
}

/// Zones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Zone {
    /// How often a zone tops up what is missing.
    pub reset: Duration,
}

/// Mobs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mobs {
    /// Whether there are any.
    pub enabled: bool,
}

/// The network of games.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gossip {
    /// The file with address, id and secret; empty for none (see [`Gossip::credentials`]).
    pub credentials: PathBuf,
    /// Whether players are told who comes and goes in other games.
    pub notices: bool,
    /// Whether guests may speak to other games.
    pub guests_speak: bool,
}

impl Gossip {
    /// The credentials file, or `None` for a game that is on no network.
    #[must_use]
    pub fn credentials(&self) -> Option<&Path> {
        (!self.credentials.as_os_str().is_empty()).then_some(self.credentials.as_path())
    }
}

/// Stopping.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drain {
    /// How long a stop may take.
    pub deadline: Duration,
}

/// What watches for code that keeps a thread.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Watchdog {
    /// Whether there is one.
    pub enabled: bool,
    /// For how long a process may keep a thread without being named.
    pub threshold: Duration,
}

/// Logging.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Log {
    /// Lines for people or for programs.
    pub format: LogFormat,
    /// A level, or a filter such as `info,belay_world=debug`.
    pub level: String,
}

/// How a log line is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// A line of text for people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

impl Config {
    /// Values that the defaults of the table overwrite, every one, before anybody sees them.
    pub(super) fn blank() -> Self {
        let nowhere = Listen {
            listen: SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
        };
        Self {
            data: Data::default(),
            content: Content::default(),
            telnet: nowhere.clone(),
            http: nowhere.clone(),
            ops: nowhere,
            web: Web::default(),
            players: Players::default(),
            connections: Connections::default(),
            login: Login::default(),
            output: Output::default(),
            crowd: Crowd::default(),
            save: Save::default(),
            store: Store::default(),
            zone: Zone::default(),
            mobs: Mobs::default(),
            gossip: Gossip::default(),
            node: Node::default(),
            cluster: Cluster::default(),
            drain: Drain::default(),
            watchdog: Watchdog::default(),
            log: Log::default(),
        }
    }

    /// Relations between settings that do not hold: the key at fault, what is wrong with its
    /// value, and what would be right.
    pub(super) fn broken_relations(&self) -> Vec<(&'static str, String, String)> {
        let mut broken = Vec::new();
        let addresses = [
            ("telnet.listen", Some(self.telnet.listen)),
            ("http.listen", Some(self.http.listen)),
            ("ops.listen", Some(self.ops.listen)),
            ("cluster.listen", self.cluster.listen),
        ];
        let addresses: Vec<_> = addresses
            .into_iter()
            .filter_map(|(key, address)| Some((key, address?)))
            .collect();
        for (index, (key, address)) in addresses.iter().enumerate() {
            let mut before = addresses.iter().take(index);
            let same = before.find(|(_, other)| other == address && address.port() != 0);
            if let Some((other, _)) = same {
                broken.push((
                    *key,
                    format!("is also the address of {other}"),
                    "an address of its own".to_owned(),
                ));
            }
        }
        let mut at_least = |key, value_is_less: bool, other: &str| {
            if value_is_less {
                broken.push((
                    key,
                    format!("is less than {other}"),
                    format!("{other} or more"),
                ));
            }
        };
        let (players, crowd) = (&self.players, &self.crowd);
        at_least(
            "players.commands_burst",
            players.commands_burst < players.commands_per_s,
            "players.commands_per_s",
        );
        at_least(
            "crowd.size_large",
            crowd.size_large < crowd.size,
            "crowd.size",
        );
        at_least("crowd.gap_large", crowd.gap_large < crowd.gap, "crowd.gap");
        cluster::broken_relations(self, &mut broken);
        broken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_has_a_limit_of_its_own() {
        let connections = Connections {
            per_address: 64,
            per_address_loopback: 0,
        };
        for (address, limit) in [
            ("127.0.0.1", None),
            ("127.8.0.1", None),
            ("::1", None),
            ("::ffff:127.0.0.1", None),
            ("10.0.0.1", Some(64)),
            ("2001:db8::1", Some(64)),
        ] {
            assert_eq!(
                connections.limit_for(address.parse().unwrap()),
                limit,
                "{address}"
            );
        }
    }

    #[test]
    fn one_core_is_left_for_the_players() {
        let login = Login::default();
        assert_eq!([0, 1, 2, 8].map(|cores| login.threads(cores)), [1, 1, 1, 7]);
        assert_eq!(
            Login {
                threads: 3,
                ..login
            }
            .threads(8),
            3
        );
    }
}
