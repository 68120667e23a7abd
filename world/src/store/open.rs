//! `[edge]` How a store is opened, and why it cannot be.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use super::clock::system_clock;
use super::database::OpenServerError;
use super::limits::{LOCK_WAIT, PARKED_WRITES_MAX, SERVER_WAIT};
use super::port::Clock;

/// When SQLite lets the disk settle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Synchronous {
    /// At checkpoints: what was answered survives a kill of the process; a power failure may take
    /// the last commits.
    #[default]
    Normal,
    /// At each commit: what was answered survives a power failure too.
    Full,
}

/// How a store is opened.
#[derive(Clone)]
pub struct StoreOptions {
    /// When the disk settles. A server has settings of its own for this.
    pub synchronous: Synchronous,
    /// The wall clock that stamps rows and ends tokens and bans.
    pub clock: Clock,
    /// Most pages (4 KiB each) of a file, 0 for no bound. Shared: a bound that is raised while
    /// the node runs holds from the next try after a failure.
    pub pages_max: Arc<AtomicU32>,
    /// How long to wait for a lock that another process or node holds, before writes are parked.
    pub lock_wait: Duration,
    /// How long a server may take for one statement before its connection is given up.
    pub server_wait: Duration,
    /// Writes parked at most while the database fails; beyond, writes are refused as busy.
    pub parked_writes_max: usize,
}

impl Default for StoreOptions {
    fn default() -> Self {
        let pages_max = Arc::new(AtomicU32::new(0));
        Self {
            synchronous: Synchronous::Normal,
            clock: system_clock(),
            pages_max,
            lock_wait: LOCK_WAIT,
            server_wait: SERVER_WAIT,
            parked_writes_max: PARKED_WRITES_MAX,
        }
    }
}

impl std::fmt::Debug for StoreOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoreOptions")
            .field("synchronous", &self.synchronous)
            .field("pages_max", &self.pages_max)
            .field("lock_wait", &self.lock_wait)
            .field("server_wait", &self.server_wait)
            .field("parked_writes_max", &self.parked_writes_max)
            .finish_non_exhaustive()
    }
}

/// Why a store cannot be opened; all are **fatal** for the node. The text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenStoreError {
    /// The folder of the file is missing.
    #[error(
        "the folder of {} does not exist; create it or choose another with --data",
        path.display()
    )]
    NoFolder {
        /// The database file.
        path: PathBuf,
    },
    /// There is something else than a SQLite file.
    #[error(
        "{} is not a SQLite database; move it away or choose another folder with --data",
        path.display()
    )]
    NotADatabase {
        /// The database file.
        path: PathBuf,
    },
    /// A SQLite file that another program made.
    #[error(
        "{} is a database of another program; \
         move it away or choose another folder with --data",
        path.display()
    )]
    Foreign {
        /// The database file.
        path: PathBuf,
    },
    /// A later version of this program has changed the schema.
    #[error(
        "{} has schema version {found}, this program knows versions up to {known}; \
         run the newer program, or restore a backup of before the update", path.display()
    )]
    Newer {
        /// The database file.
        path: PathBuf,
        /// The version in the file.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// The file or its folder cannot be written.
    #[error("{} or its folder is read-only; make both writable for this user", path.display())]
    ReadOnly {
        /// The database file.
        path: PathBuf,
    },
    /// This user may not open it, or it cannot be made.
    #[error("{} cannot be opened; check the rights of the file and its folder", path.display())]
    NoAccess {
        /// The database file.
        path: PathBuf,
    },
    /// The disk is full, or the file has reached its bound.
    #[error("no room to write {}; free some space on that disk", path.display())]
    DiskFull {
        /// The database file.
        path: PathBuf,
    },
    /// Another process holds the database.
    #[error("{} is in use by another process; stop that one first", path.display())]
    Locked {
        /// The database file.
        path: PathBuf,
    },
    /// Damage, an input or output error, or anything else that the database reports.
    #[error("{} cannot be used: {source}; if it is damaged, restore a backup", path.display())]
    Failed {
        /// The database file.
        path: PathBuf,
        /// What the database says.
        source: sqlx::Error,
    },
    /// The database on a server cannot be used.
    #[error(transparent)]
    Server(#[from] OpenServerError),
}
