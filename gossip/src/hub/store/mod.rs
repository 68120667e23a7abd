//! `[edge]` What a hub keeps, in one SQLite file: games with their achievements, channels, bans.
//!
//! ```text
//! belay-hub game add ...  ─ Database ─► hub.sqlite ◄─ store process ◄─ StoreOrder ─ core
//!                                           │  PRAGMA data_version, each second
//!                                           └─ changed by another process ─► Directory ─► core
//! ```
//! The commands of the operator write to the file, whether a hub runs or not. The store process
//! writes what the core orders, and hands the core a new directory when somebody else has written.
//! A database that is locked, full or damaged stops neither: orders wait (bounded) and are tried
//! again, the last good directory holds.

mod database;
mod directory;
mod edit;
mod error;
mod pending;
mod process;
mod record;
mod rules;

pub use database::Database;
pub use edit::{NewGame, Switch, Visibility};
pub use error::{EditError, OpenError};
pub use pending::Pending;
pub use process::{OnDirectory, Orders, Store, StoreFigures};
pub use record::{BanRecord, ChannelRecord, GameRecord};
pub use rules::BanPlan;
