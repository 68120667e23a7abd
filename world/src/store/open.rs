//! `[edge]` Opening the store: everything that can be wrong with the file is found here, before the
//! node starts anything.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::{Connection as _, Row as _, SqlSafeStr as _, SqliteConnection};
use tokio::io::AsyncReadExt as _;

use super::clock::system_clock;
use super::connect::{Connector, Create};
use super::fault::{code, primary_code};
use super::limits::{LOCK_WAIT, PARKED_WRITES_MAX, START_PROBE_BYTES};
use super::port::Clock;
use super::sql::group;

/// The first bytes of every SQLite file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// The migrations: version, description, statements. Never change one that was released.
const MIGRATIONS: &[(i64, &str, &str)] = &[
    (
        1,
        "accounts characters items",
        include_str!("../../migrations/sqlite/0001_accounts_characters_items.sql"),
    ),
    (
        2,
        "items by origin",
        include_str!("../../migrations/sqlite/0002_items_by_origin.sql"),
    ),
    (
        3,
        "network rules",
        include_str!("../../migrations/sqlite/0003_network_rules.sql"),
    ),
];

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
    /// When the disk settles.
    pub synchronous: Synchronous,
    /// The wall clock that stamps rows and ends tokens and bans.
    pub clock: Clock,
    /// Most pages (4 KiB each) of the file, 0 for no bound. Shared: a bound that is raised while
    /// the node runs holds from the next try after a failure.
    pub pages_max: Arc<AtomicU32>,
    /// How long to wait for a lock that another process holds, before the writes are parked.
    pub lock_wait: Duration,
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
}

/// Checks the file, brings its schema up to date, and proves that it can be written.
pub(super) async fn prepare(connector: &Connector) -> Result<(), OpenStoreError> {
    let path = &connector.path;
    look_at(path).await?;
    let fail = |source| explain(path, source);
    let mut connection = connector.writer(Create::IfMissing).await.map_err(fail)?;
    // It holds the hashes of passwords; what SQLite puts beside it has the same rights.
    if let Err(error) = tokio::fs::set_permissions(path, Permissions::from_mode(0o600)).await {
        tracing::warn!(target: "belay_world", %error, "the database may be read by others");
    }
    let prepared = bring_up_to_date(&mut connection, path).await;
    let closed = connection.close().await;
    prepared?;
    closed.map_err(fail)
}

/// What can be seen without SQLite, which would take a short file of any content for a new one.
async fn look_at(path: &Path) -> Result<(), OpenStoreError> {
    let owned = || path.to_path_buf();
    let mut file = match tokio::fs::File::open(path).await {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            let exists = match folder {
                Some(folder) => tokio::fs::metadata(folder)
                    .await
                    .is_ok_and(|data| data.is_dir()),
                None => true,
            };
            return if exists {
                Ok(())
            } else {
                Err(OpenStoreError::NoFolder { path: owned() })
            };
        }
        Err(_) => return Err(OpenStoreError::NoAccess { path: owned() }),
    };
    let mut start = Vec::with_capacity(MAGIC.len());
    let read = (&mut file).take(16).read_to_end(&mut start).await;
    match read {
        Ok(0) => Ok(()),
        Ok(_) if start == MAGIC => Ok(()),
        Ok(_) => Err(OpenStoreError::NotADatabase { path: owned() }),
        Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
            Err(OpenStoreError::NotADatabase { path: owned() })
        }
        Err(source) => Err(OpenStoreError::Failed {
            path: owned(),
            source: source.into(),
        }),
    }
}

async fn bring_up_to_date(
    connection: &mut SqliteConnection,
    path: &Path,
) -> Result<(), OpenStoreError> {
    let fail = |source| explain(path, source);
    let known = MIGRATIONS
        .iter()
        .map(|(version, ..)| *version)
        .max()
        .unwrap_or(0);
    match schema_version(&mut *connection).await.map_err(fail)? {
        Schema::Empty => {}
        Schema::Foreign => {
            return Err(OpenStoreError::Foreign {
                path: path.to_path_buf(),
            });
        }
        Schema::Version(found) if found > known => {
            return Err(OpenStoreError::Newer {
                path: path.to_path_buf(),
                found,
                known,
            });
        }
        Schema::Version(_) => {}
    }
    let migrations = MIGRATIONS.iter().map(|(version, description, statements)| {
        let (kind, statements) = (MigrationType::Simple, (*statements).into_sql_str());
        Migration::new(*version, (*description).into(), kind, statements, false)
    });
    let migrator = Migrator::with_migrations(migrations.collect());
    migrator
        .run(&mut *connection)
        .await
        .map_err(|error| fail(error.into()))?;
    probe(connection).await.map_err(fail)
}

enum Schema {
    Empty,
    Foreign,
    Version(i64),
}

async fn schema_version(connection: &mut SqliteConnection) -> Result<Schema, sqlx::Error> {
    let names = sqlx::query("SELECT name FROM sqlite_master WHERE type = 'table'")
        .fetch_all(&mut *connection)
        .await?;
    let mut ours = false;
    for name in &names {
        ours |= name.try_get::<&str, _>(0)? == "_sqlx_migrations";
    }
    if !ours {
        return Ok(if names.is_empty() {
            Schema::Empty
        } else {
            Schema::Foreign
        });
    }
    let row = sqlx::query("SELECT COALESCE(MAX(version), 0) FROM _sqlx_migrations")
        .fetch_one(connection)
        .await?;
    Ok(Schema::Version(row.try_get(0)?))
}

/// Writes some pages and takes them back, so that a full disk is told of at the start and not by
/// the first player.
async fn probe(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    group::run(
        connection,
        "CREATE TABLE IF NOT EXISTS start_probe (filler BLOB NOT NULL)",
    )
    .await?;
    sqlx::query("INSERT INTO start_probe (filler) VALUES (zeroblob($1))")
        .bind(START_PROBE_BYTES)
        .execute(&mut *connection)
        .await?;
    group::run(connection, "DROP TABLE start_probe").await
}

fn explain(path: &Path, error: sqlx::Error) -> OpenStoreError {
    if let sqlx::Error::Migrate(migrating) = &error
        && matches!(
            **migrating,
            MigrateError::VersionMissing(_) | MigrateError::VersionMismatch(_)
        )
    {
        return OpenStoreError::Foreign {
            path: path.to_path_buf(),
        };
    }
    by_code(path, code_of(&error)).unwrap_or_else(|| OpenStoreError::Failed {
        path: path.to_path_buf(),
        source: error,
    })
}

/// The database's code, also when it was a migration that failed.
fn code_of(error: &sqlx::Error) -> Option<i32> {
    let sqlx::Error::Migrate(migrating) = error else {
        return primary_code(error);
    };
    if let MigrateError::Execute(source) | MigrateError::ExecuteMigration(source, _) = &**migrating
    {
        return primary_code(source);
    }
    None
}

fn by_code(path: &Path, primary: Option<i32>) -> Option<OpenStoreError> {
    let path = path.to_path_buf();
    Some(match primary? {
        code::NOTADB => OpenStoreError::NotADatabase { path },
        code::READONLY => OpenStoreError::ReadOnly { path },
        code::CANTOPEN | code::PERM | code::AUTH => OpenStoreError::NoAccess { path },
        code::FULL => OpenStoreError::DiskFull { path },
        code::BUSY | code::LOCKED => OpenStoreError::Locked { path },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_of_the_database_has_an_error_that_says_what_to_do() {
        let path = Path::new("/data/belay.sqlite");
        let check = |primary: i32, words: &str| {
            let text = by_code(path, Some(primary)).unwrap().to_string();
            assert!(
                text.contains("/data/belay.sqlite") && text.contains(words),
                "{text}"
            );
        };
        check(code::NOTADB, "not a SQLite database");
        check(code::READONLY, "make both writable");
        check(code::CANTOPEN, "check the rights");
        check(code::PERM, "check the rights");
        check(code::FULL, "free some space");
        check(code::BUSY, "stop that one first");
        assert!(by_code(path, Some(code::CONSTRAINT)).is_none());
        assert!(by_code(path, None).is_none());
    }

    #[test]
    fn migrations_are_numbered_without_gaps() {
        let versions: Vec<_> = MIGRATIONS.iter().map(|(version, ..)| *version).collect();
        let expected: Vec<_> = (1..).take(versions.len()).collect();
        assert_eq!(versions, expected);
    }
}
