//! `[edge]` The database file: opening it, bringing its schema up to date, seeing that somebody
//! else has written.

use std::fs::Permissions;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _, Row as _, SqlSafeStr as _, SqliteConnection};
use tokio::fs::OpenOptions;

use super::error::OpenError;
use crate::limits::DATABASE_LOCK_WAIT;

/// The name of the file in the data directory.
const FILE_NAME: &str = "hub.sqlite";

/// The migrations: version, description, statements. Never change one that was released.
const MIGRATIONS: &[(i64, &str, &str)] = &[(
    1,
    "hub",
    include_str!("../../../migrations/sqlite/0001_hub.sql"),
)];

/// An open database. One connection; SQLite's own thread does the waiting for the disk.
#[derive(Debug)]
pub struct Database {
    pub(super) path: PathBuf,
    pub(super) connection: SqliteConnection,
    /// Device and number of the file, to see that it was replaced.
    file: Option<(u64, u64)>,
}

/// A state of the file. Another value means that another connection has written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Version(i64);

/// What a file is to us.
enum Schema {
    Empty,
    Foreign,
    Version(i64),
}

impl Database {
    /// Whether the directory has a database.
    #[must_use]
    pub fn is_in(data_dir: &Path) -> bool {
        data_dir.join(FILE_NAME).exists()
    }

    /// Opens the database of a data directory, makes it when there is none, and brings its schema
    /// up to date. A lock of another process is waited for, [`DATABASE_LOCK_WAIT`] at most.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub async fn open(data_dir: &Path) -> Result<Self, OpenError> {
        let path = data_dir.join(FILE_NAME);
        let fail = |error| OpenError::sort(&path, error);
        // It holds hashes of secrets only, but who is banned is nobody's business either. What
        // SQLite keeps beside the file takes on its mode.
        make_private(&path).await;
        let options = options(&path).create_if_missing(true);
        let mut connection = options.connect().await.map_err(fail)?;
        bring_up_to_date(&mut connection, &path).await?;
        let file = identity(&path).await;
        Ok(Self {
            path,
            connection,
            file,
        })
    }

    /// Opens it again. It must be there, with a schema of today.
    pub(super) async fn reopen(data_dir: &Path) -> Result<Self, OpenError> {
        let path = data_dir.join(FILE_NAME);
        let fail = |error| OpenError::sort(&path, error);
        // Before it is opened: a file that is replaced in between is noticed at the next look.
        let file = identity(&path).await;
        let mut connection = options(&path).connect().await.map_err(fail)?;
        match schema(&mut connection).await.map_err(fail)? {
            Schema::Version(found) if found == known() => {}
            Schema::Version(found) if found > known() => {
                let known = known();
                return Err(OpenError::Newer { path, found, known });
            }
            Schema::Version(_) | Schema::Empty | Schema::Foreign => {
                return Err(OpenError::Foreign { path });
            }
        }
        Ok(Self {
            path,
            connection,
            file,
        })
    }

    /// Closes it, so that what SQLite keeps beside the file is tidied away.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub async fn close(self) -> Result<(), OpenError> {
        let Self {
            path, connection, ..
        } = self;
        let closed = connection.close().await;
        closed.map_err(|error| OpenError::sort(&path, error))
    }

    /// Whether this is still the file that has the name.
    pub(super) async fn is_current(&self) -> bool {
        identity(&self.path).await == self.file
    }

    /// The state of the file. What this connection itself writes does not change it.
    pub(super) async fn version(&mut self) -> Result<Version, OpenError> {
        let row = sqlx::query("PRAGMA data_version")
            .fetch_one(&mut self.connection)
            .await;
        let version = row.and_then(|row| row.try_get(0));
        version.map(Version).map_err(|error| self.fail(error))
    }

    pub(super) fn fail(&self, error: sqlx::Error) -> OpenError {
        OpenError::sort(&self.path, error)
    }
}

/// Runs a statement that has no answer.
pub(super) async fn run(
    connection: &mut SqliteConnection,
    statement: &'static str,
) -> Result<(), sqlx::Error> {
    sqlx::query(statement).execute(connection).await.map(|_| ())
}

fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(DATABASE_LOCK_WAIT)
        .foreign_keys(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .disable_statement_logging()
}

/// The newest schema that this program knows.
fn known() -> i64 {
    let versions = MIGRATIONS.iter().map(|(version, ..)| *version);
    versions.max().unwrap_or(0)
}

/// Sees to it that only we can read the file, which is made empty when it is not there, and what
/// SQLite has left beside it. What keeps us from that, SQLite will tell better.
async fn make_private(path: &Path) {
    let mut options = OpenOptions::new();
    let made = options.write(true).create_new(true).mode(0o600).open(path);
    if made.await.is_ok() {
        return;
    }
    for suffix in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let private = tokio::fs::set_permissions(&name, Permissions::from_mode(0o600)).await;
        if let Err(error) = private
            && error.kind() != ErrorKind::NotFound
        {
            tracing::warn!(reason = %error, "the database may be read by others");
        }
    }
}

async fn identity(path: &Path) -> Option<(u64, u64)> {
    let metadata = tokio::fs::metadata(path).await.ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Writes only when there is something to change: a database that another process has locked for
/// writing can be read.
async fn bring_up_to_date(connection: &mut SqliteConnection, path: &Path) -> Result<(), OpenError> {
    let fail = |error| OpenError::sort(path, error);
    let known = known();
    let path = path.to_path_buf();
    match schema(&mut *connection).await.map_err(fail)? {
        Schema::Foreign => return Err(OpenError::Foreign { path }),
        Schema::Version(found) if found > known => {
            return Err(OpenError::Newer { path, found, known });
        }
        Schema::Version(found) if found == known => return Ok(()),
        Schema::Version(_) | Schema::Empty => {}
    }
    let migrations = MIGRATIONS.iter().map(|(version, description, statements)| {
        let (kind, statements) = (MigrationType::Simple, (*statements).into_sql_str());
        Migration::new(*version, (*description).into(), kind, statements, false)
    });
    let migrator = Migrator::with_migrations(migrations.collect());
    let migrated = migrator.run(&mut *connection).await;
    migrated.map_err(|error| fail(error.into()))
}

async fn schema(connection: &mut SqliteConnection) -> Result<Schema, sqlx::Error> {
    let names = sqlx::query("SELECT name FROM sqlite_master WHERE type = 'table'")
        .fetch_all(&mut *connection)
        .await?;
    let mut migrated = false;
    let mut ours = false;
    for name in &names {
        let name: &str = name.try_get(0)?;
        migrated |= name == "_sqlx_migrations";
        ours |= name == "games";
    }
    if names.is_empty() {
        return Ok(Schema::Empty);
    }
    if !migrated {
        return Ok(Schema::Foreign);
    }
    let row = sqlx::query("SELECT COALESCE(MAX(version), 0) FROM _sqlx_migrations")
        .fetch_one(connection)
        .await?;
    let version: i64 = row.try_get(0)?;
    // Beside a table of migrations there must be ours, unless a first start was cut short.
    Ok(match version {
        0 => Schema::Empty,
        _ if !ours => Schema::Foreign,
        version => Schema::Version(version),
    })
}
