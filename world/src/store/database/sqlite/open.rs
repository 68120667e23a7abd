//! `[edge]` Opening the file: everything that can be wrong with it is found here, before the node
//! starts anything.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use sqlx::{Connection as _, SqliteConnection};
use tokio::io::AsyncReadExt as _;

use super::connect::Connector;
use super::fault::{code, primary_code};
use crate::store::database::Create;
use crate::store::database::schema::{self, Tables, Unfit};
use crate::store::limits::START_PROBE_BYTES;
use crate::store::migrations::{SQLITE_MIGRATIONS, migrator, newest};
use crate::store::open::OpenStoreError;

/// The first bytes of every SQLite file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Checks the file, brings its schema up to date, and proves that it can be written.
pub(in crate::store::database) async fn prepare(
    connector: &Connector,
) -> Result<(), OpenStoreError> {
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
    let (tables, version) = found(&mut *connection).await.map_err(fail)?;
    let path = || path.to_path_buf();
    let known = newest(SQLITE_MIGRATIONS);
    schema::fits(tables, version, known).map_err(|unfit| match unfit {
        Unfit::Foreign => OpenStoreError::Foreign { path: path() },
        Unfit::Newer { found, known } => OpenStoreError::Newer {
            path: path(),
            found,
            known,
        },
    })?;
    migrator(SQLITE_MIGRATIONS)
        .run(&mut *connection)
        .await
        .map_err(|error| fail(error.into()))?;
    probe(connection).await.map_err(fail)
}

/// Whose tables are there, and of which version, if they are our own.
async fn found(connection: &mut SqliteConnection) -> Result<(Tables, Option<i64>), sqlx::Error> {
    let names = sqlx::query_scalar("SELECT name FROM sqlite_master WHERE type = 'table'");
    let names: Vec<String> = names.fetch_all(&mut *connection).await?;
    let tables = Tables::of(&names);
    let version = match tables {
        Tables::Own => Some(
            sqlx::query_scalar(schema::VERSION)
                .fetch_one(connection)
                .await?,
        ),
        Tables::Empty | Tables::Foreign => None,
    };
    Ok((tables, version))
}

/// Writes some pages and takes them back, so that a full disk is told of at the start and not by
/// the first player.
async fn probe(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    sqlx::query("CREATE TABLE IF NOT EXISTS start_probe (filler BLOB NOT NULL)")
        .execute(&mut *connection)
        .await?;
    sqlx::query("INSERT INTO start_probe (filler) VALUES (zeroblob($1))")
        .bind(START_PROBE_BYTES)
        .execute(&mut *connection)
        .await?;
    let dropped = sqlx::query("DROP TABLE start_probe");
    dropped.execute(connection).await.map(|_| ())
}

fn explain(path: &Path, error: sqlx::Error) -> OpenStoreError {
    if schema::is_foreign(&error) {
        return OpenStoreError::Foreign {
            path: path.to_path_buf(),
        };
    }
    by_code(path, primary_code(schema::cause(&error))).unwrap_or_else(|| OpenStoreError::Failed {
        path: path.to_path_buf(),
        source: error,
    })
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
}
