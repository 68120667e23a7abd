//! `[edge]` Connections to a database file.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions as _, SqliteConnection};

use crate::store::database::Create;
use crate::store::open::{StoreOptions, Synchronous};

/// How each process of the store opens its own connection.
#[derive(Clone, Debug)]
pub(in crate::store) struct Connector {
    pub(in crate::store::database) path: PathBuf,
    synchronous: Synchronous,
    lock_wait: Duration,
    pages_max: Arc<AtomicU32>,
}

impl Connector {
    pub(in crate::store::database) fn new(path: PathBuf, options: &StoreOptions) -> Self {
        Self {
            path,
            synchronous: options.synchronous,
            lock_wait: options.lock_wait,
            pages_max: Arc::clone(&options.pages_max),
        }
    }

    /// A connection that may write. The file must exist unless `create` says so.
    pub(in crate::store::database) async fn writer(
        &self,
        create: Create,
    ) -> Result<SqliteConnection, sqlx::Error> {
        let synchronous = match self.synchronous {
            Synchronous::Normal => SqliteSynchronous::Normal,
            Synchronous::Full => SqliteSynchronous::Full,
        };
        let mut options = self
            .options()
            .create_if_missing(create == Create::IfMissing)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(synchronous)
            .thread_name(|number| format!("store-writer-{number}"));
        let pages_max = self.pages_max.load(Ordering::Relaxed);
        if pages_max > 0 {
            options = options.pragma("max_page_count", pages_max.to_string());
        }
        options.connect().await
    }

    /// A connection that only reads.
    pub(in crate::store::database) async fn reader(&self) -> Result<SqliteConnection, sqlx::Error> {
        let options = self
            .options()
            .thread_name(|number| format!("store-reader-{number}"));
        options.pragma("query_only", "ON").connect().await
    }

    /// A connection that copies the file; what it copies to must be writable.
    pub(in crate::store) async fn copier(&self) -> Result<SqliteConnection, sqlx::Error> {
        self.options()
            .thread_name(|number| format!("store-backup-{number}"))
            .connect()
            .await
    }

    fn options(&self) -> SqliteConnectOptions {
        SqliteConnectOptions::new()
            .filename(&self.path)
            .busy_timeout(self.lock_wait)
            .foreign_keys(true)
            .disable_statement_logging()
    }
}
