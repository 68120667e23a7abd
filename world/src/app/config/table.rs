//! `[pure]` The table of all settings. To add one: a row here, a field in `checked.rs`.

use std::time::Duration;

use super::checked::{LogFormat, PlayersStart, StoreSynchronous};
use super::setting::{Kind, Setting};

const fn ms(value: u64) -> Duration {
    Duration::from_millis(value)
}

const fn s(value: u64) -> Duration {
    Duration::from_secs(value)
}

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const HOUR_S: u64 = 3_600;
const DAY_S: u64 = 24 * HOUR_S;

/// A row without a flag of its own.
const fn row(key: &'static str, default: &'static str, kind: Kind, doc: &'static str) -> Setting {
    Setting {
        key,
        flag: None,
        default,
        doc,
        kind,
    }
}

impl Setting {
    const fn with_flag(mut self, flag: &'static str) -> Self {
        self.flag = Some(flag);
        self
    }
}

/// Every setting, by section, in the order in which `belay config` prints them.
pub static SETTINGS: &[Setting] = &[
    row(
        "data.dir",
        "./belay-data",
        Kind::Path(|c| &mut c.data.dir),
        "Where the database, the lock file and the control socket are. One node at a time.",
    )
    .with_flag("--data"),
    row(
        "content.dir",
        "",
        Kind::PathOrEmpty(|c| &mut c.content.dir),
        "Directory of the areas. Empty: world/content if it is there, else the built-in world.",
    )
    .with_flag("--content"),
    row(
        "telnet.listen",
        "127.0.0.1:4000",
        Kind::Address(|c| &mut c.telnet.listen),
        "Where telnet players connect. Port 0 lets the system choose.",
    )
    .with_flag("--telnet"),
    row(
        "http.listen",
        "127.0.0.1:4080",
        Kind::Address(|c| &mut c.http.listen),
        "Where browsers and WebSocket clients connect.",
    )
    .with_flag("--http"),
    row(
        "ops.listen",
        "127.0.0.1:4081",
        Kind::Address(|c| &mut c.ops.listen),
        "Metrics and health, for the operator only: no password protects them.",
    )
    .with_flag("--ops"),
    row(
        "web.origins",
        "",
        Kind::Origins(|c| &mut c.web.origins),
        "Pages of other sites that may open a WebSocket here. Own pages always may.",
    ),
    row(
        "players.guests",
        "true",
        Kind::Flag(|c| &mut c.players.guests),
        "Whether one may play without an account. Nothing of a guest is saved.",
    ),
    row(
        "players.start",
        "start",
        Kind::Choice(&[
            ("start", |c| c.players.start = PlayersStart::Start),
            ("spread", |c| c.players.start = PlayersStart::Spread),
        ]),
        "Where guests begin: in the start room, or in random rooms (load tests).",
    ),
    row(
        "players.max",
        "19000",
        Kind::Count(1..=1_000_000, |c| &mut c.players.max),
        "Players in the world at once. Who comes later is told that it is full.",
    ),
    row(
        "players.linkdead",
        "5m",
        Kind::Duration(s(0)..=s(DAY_S), |c| &mut c.players.linkdead),
        "How long a character stays in the world after its connection was lost.",
    ),
    row(
        "players.login_deadline",
        "60s",
        Kind::Duration(s(1)..=s(HOUR_S), |c| &mut c.players.login_deadline),
        "How long a login may take. It pauses while the login is queued.",
    ),
    row(
        "players.commands_per_s",
        "20",
        Kind::Count(1..=10_000, |c| &mut c.players.commands_per_s),
        "Commands a second of one player; more have to wait.",
    ),
    row(
        "players.commands_burst",
        "40",
        Kind::Count(1..=10_000, |c| &mut c.players.commands_burst),
        "Commands that one player may send at once before that rate holds.",
    ),
    row(
        "connections.per_address",
        "64",
        Kind::Count(0..=1_000_000, |c| &mut c.connections.per_address),
        "Connections from one address. 0: no limit.",
    ),
    row(
        "connections.per_address_loopback",
        "0",
        Kind::Count(0..=1_000_000, |c| &mut c.connections.per_address_loopback),
        "The same for this machine's own loopback addresses. 0: no limit.",
    ),
    row(
        "login.queue",
        "2000",
        Kind::Count(1..=100_000, |c| &mut c.login.queue),
        "Logins that may wait for their password check. Who comes later is told \"busy\".",
    ),
    row(
        "login.threads",
        "0",
        Kind::Count(0..=256, |c| &mut c.login.threads),
        "Threads that check passwords. 0: one less than the machine has cores.",
    ),
    row(
        "login.hash_memory_kib",
        "19456",
        Kind::Count(8..=1_048_576, |c| &mut c.login.hash_memory_kib),
        "Memory of one password hash (argon2id), in KiB. Less is weaker.",
    ),
    row(
        "login.hash_passes",
        "2",
        Kind::Count(1..=16, |c| &mut c.login.hash_passes),
        "Passes of one password hash (argon2id).",
    ),
    row(
        "output.gap",
        "30ms",
        Kind::Duration(ms(0)..=s(1), |c| &mut c.output.gap),
        "How long what others do is gathered into one write. Own answers never wait.",
    ),
    row(
        "output.backlog",
        "64KiB",
        Kind::Size(4 * KIB..=16 * MIB, |c| &mut c.output.backlog),
        "Output that may wait for a slow reader before the connection is cut.",
    ),
    row(
        "crowd.size",
        "32",
        Kind::Count(2..=1_000_000, |c| &mut c.crowd.size),
        "People in a room from which on the room gathers what it tells.",
    ),
    row(
        "crowd.gap",
        "50ms",
        Kind::Duration(ms(0)..=s(1), |c| &mut c.crowd.gap),
        "How long such a room gathers.",
    ),
    row(
        "crowd.size_large",
        "600",
        Kind::Count(2..=1_000_000, |c| &mut c.crowd.size_large),
        "People in a room from which on it gathers for crowd.gap_large.",
    ),
    row(
        "crowd.gap_large",
        "100ms",
        Kind::Duration(ms(0)..=s(2), |c| &mut c.crowd.gap_large),
        "How long such a room gathers.",
    ),
    row(
        "save.every",
        "5s",
        Kind::Duration(ms(100)..=s(HOUR_S), |c| &mut c.save.every),
        "How old the saved place and state of a character may get.",
    ),
    row(
        "store.url",
        "sqlite",
        Kind::StoreUrl(|c| &mut c.store.url),
        "The database: a SQLite file in data.dir, or a PostgreSQL server, which a cluster needs.",
    ),
    row(
        "store.synchronous",
        "normal",
        Kind::Choice(&[
            ("normal", |c| c.store.synchronous = StoreSynchronous::Normal),
            ("full", |c| c.store.synchronous = StoreSynchronous::Full),
        ]),
        "SQLite: normal survives the death of the process; full a power loss too, and is slower.",
    ),
    row(
        "zone.reset",
        "15m",
        Kind::Duration(s(1)..=s(DAY_S), |c| &mut c.zone.reset),
        "How often a zone tops up its missing mobs and items.",
    ),
    row(
        "mobs.enabled",
        "true",
        Kind::Flag(|c| &mut c.mobs.enabled),
        "Whether mobs live in the world.",
    ),
    row(
        "gossip.credentials",
        "",
        Kind::PathOrEmpty(|c| &mut c.gossip.credentials),
        "The credentials file of this game on a Gossip network; it may come later. Empty: none.",
    )
    .with_flag("--gossip"),
    row(
        "gossip.notices",
        "true",
        Kind::Flag(|c| &mut c.gossip.notices),
        "Whether players are told who comes and goes in other games, unless they chose themselves.",
    ),
    row(
        "gossip.guests_speak",
        "true",
        Kind::Flag(|c| &mut c.gossip.guests_speak),
        "Whether guests may speak to players of other games.",
    ),
    row(
        "node.name",
        "",
        Kind::NodeName(|c| &mut c.node.name),
        "What the node is called in its cluster; no other may be called so. Empty: no cluster.",
    )
    .with_flag("--node"),
    row(
        "cluster.listen",
        "",
        Kind::AddressOrEmpty(|c| &mut c.cluster.listen),
        "Where other nodes connect. Without certificates on loopback only. Empty: no cluster.",
    )
    .with_flag("--cluster"),
    row(
        "cluster.advertise",
        "",
        Kind::PlaceOrEmpty(|c| &mut c.cluster.advertise),
        "Where other nodes reach this one. Empty: at cluster.listen.",
    ),
    row(
        "cluster.join",
        "",
        Kind::Places(|c| &mut c.cluster.join),
        "Members to ask, to become one; a member looks there for nodes that have moved.",
    )
    .with_flag("--join"),
    row(
        "cluster.certificates",
        "",
        Kind::PathOrEmpty(|c| &mut c.cluster.certificates),
        "Directory with ca.pem, node.pem and node.key (\"belay cluster cert\"); read on change.",
    ),
    row(
        "cluster.token",
        "",
        Kind::PathOrEmpty(|c| &mut c.cluster.token),
        "File with the token for orders over HTTP, readable by its user only. Empty: no orders.",
    ),
    row(
        "drain.deadline",
        "10s",
        Kind::Duration(s(0)..=s(HOUR_S), |c| &mut c.drain.deadline),
        "How long a stop may take; what has not finished then is logged.",
    ),
    row(
        "watchdog.enabled",
        "true",
        Kind::Flag(|c| &mut c.watchdog.enabled),
        "Whether code that keeps a thread for too long is named in the log, with a profile.",
    ),
    row(
        "watchdog.threshold",
        "100ms",
        Kind::Duration(ms(4)..=s(60), |c| &mut c.watchdog.threshold),
        "How long that is.",
    ),
    row(
        "log.format",
        "text",
        Kind::Choice(&[
            ("text", |c| c.log.format = LogFormat::Text),
            ("json", |c| c.log.format = LogFormat::Json),
        ]),
        "Log lines for people, or one JSON object a line. The log goes to standard error.",
    ),
    row(
        "log.level",
        "info",
        Kind::LogFilter(|c| &mut c.log.level),
        "How much is logged.",
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::app::config::RawConfig;

    #[test]
    fn the_defaults_are_allowed_by_their_own_table() {
        let config = RawConfig::default().check().expect("defaults are fine");
        assert_eq!(config.telnet.listen, "127.0.0.1:4000".parse().unwrap());
        assert_eq!(config.output.backlog, 65_536);
        assert_eq!(config.players.linkdead, s(300));
        assert_eq!(config.content.dir(), None);
        assert!(config.players.guests);
        let runtime = belay_runtime::WatchdogOptions::default();
        assert_eq!(config.watchdog.threshold, runtime.threshold);
    }

    #[test]
    fn keys_are_unique_two_words_and_their_sections_stand_together() {
        let keys: BTreeSet<_> = SETTINGS.iter().map(|setting| setting.key).collect();
        assert_eq!(keys.len(), SETTINGS.len(), "a key stands twice");
        assert!(
            SETTINGS
                .iter()
                .all(|setting| setting.key.split('.').count() == 2)
        );
        let mut sections: Vec<_> = SETTINGS.iter().map(Setting::section).collect();
        sections.dedup();
        let different: BTreeSet<_> = sections.iter().collect();
        assert_eq!(
            different.len(),
            sections.len(),
            "a TOML table must be written in one piece"
        );
    }
}
