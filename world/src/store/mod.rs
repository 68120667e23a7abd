//! `[pure]` Storage: accounts, characters, items, bans, resume tokens and the staff's record, in
//! one SQLite file, or on a PostgreSQL server that several nodes share.
//!
//! ```text
//! session, room ─ StorePort ─┬─ writes ─► writer ── BEGIN · each write · COMMIT · answers
//!                            ├─ reads ──► reader 1 … reader N
//!                            └─ backup ─► backup ── VACUUM INTO · rename
//! ```
//! * Nobody waits: each request carries a reply, which is called exactly once.
//! * A write is answered after its commit. What was answered survives a kill of the process.
//! * Writes are committed in the order in which they were asked for. One that fails fails alone.
//! * While the database fails, writes park (bounded) and are tried again; reads answer an error.
//! * Who was replaced on another node is fenced: see [`StorePort::for_zone`].
//!
//! Queries use `$1` and plain types only, so that either database can stand behind them. Nothing
//! here knows about sockets, sessions or the content's numbers: rooms and prototypes are keys.
//! The records and outcomes are pure values; the port is a process's; files are touched by the
//! store's own processes and by [`Store::open`] only.

mod answer;
mod backup;
mod ban;
mod clock;
mod commit;
mod database;
mod fence_port;
mod founding;
mod guard;
mod held;
mod kinds;
pub mod limits;
mod lines;
mod migrations;
mod network_port;
mod network_rule;
mod open;
mod outcome;
mod park;
mod place;
mod port;
mod reader;
mod record;
mod request;
mod sql;
mod status;
mod tree;
mod writer;

pub use ban::{Ban, BanSubject, Network, NewBan, ParseNetworkError, find_ban};
pub use clock::system_clock;
pub use database::OpenServerError;
pub use founding::FoundingError;
pub use guard::{SessionEpoch, ZoneEpoch};
pub use network_rule::{NetworkRule, NewNetworkRule, RuleKind, RuleSubject};
pub use open::{OpenStoreError, StoreOptions, Synchronous};
pub use outcome::{
    AccountCreation, BackupError, CharacterCreation, Redeemed, StoreError, Transfer,
};
pub use place::{ParseStoreUrlError, PostgresUrl, StorePlace, StoreUrl, without_secrets};
pub use port::{Clock, StorePort};
pub use record::{
    AccountRecord, CharacterRecord, CharacterSave, CharacterSheet, ColorSetting, ItemRecord,
    ItemTransfer, NewItem, Owner, Role, Score, Settings, StaffAction, StaffActionRecord, TopUp,
    UnixMillis,
};
pub use status::StoreStatus;
pub use tree::Store;
