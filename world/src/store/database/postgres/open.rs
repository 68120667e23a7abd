//! `[edge]` Opening a database on a PostgreSQL server: everything that can be wrong with it is
//! found here, before the node starts anything.

use sqlx::postgres::PgDatabaseError;
use sqlx::{Connection as _, PgConnection, Row as _};

use super::connect::Connector;
use super::fault::code;
use crate::store::database::schema::{self, Tables, Unfit};
use crate::store::limits::{MIGRATION_WAIT, POSTGRES_VERSION_MIN};
use crate::store::migrations::{POSTGRES_MIGRATIONS, migrator, newest};
use crate::store::place::PostgresUrl;

/// Why a database on a server cannot be used; all are **fatal** for the node. The text says what to
/// do, and never shows a password.
#[derive(Debug, thiserror::Error)]
pub enum OpenServerError {
    /// The address cannot be one of a server.
    #[error("the database address {url} cannot be used: {source}; correct store.url")]
    Address {
        /// The address.
        url: PostgresUrl,
        /// What is wrong with it.
        source: sqlx::Error,
    },
    /// Nothing answers there.
    #[error("no database server answers at {url} ({source}); start it, or correct store.url")]
    Unreachable {
        /// The address.
        url: PostgresUrl,
        /// What the network says.
        source: sqlx::Error,
    },
    /// A file of TLS that the address names cannot be read.
    #[error("cannot read {path}, which {url} names: {source}; correct store.url")]
    TlsFile {
        /// The address.
        url: PostgresUrl,
        /// The file.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The server does not speak TLS, or not as it should.
    #[error(
        "no TLS with the database server at {url}: {reason}; set ssl = on there, or take \
         sslmode out of store.url"
    )]
    NoTls {
        /// The address.
        url: PostgresUrl,
        /// What is wrong.
        reason: String,
    },
    /// The server's certificate does not show that it is the one that is meant.
    #[error(
        "the database server at {url} is not trusted: {reason}; name the authority of its \
         certificate with sslrootcert=FILE, and the server as its certificate does"
    )]
    Untrusted {
        /// The address.
        url: PostgresUrl,
        /// What is wrong.
        reason: String,
    },
    /// The server is starting, stopping or recovering.
    #[error("the database server at {url} does not take connections yet; try again")]
    NotReady {
        /// The address.
        url: PostgresUrl,
    },
    /// The server takes no more connections.
    #[error(
        "the database server at {url} has no connection left; \
         end some, or raise its max_connections"
    )]
    TooMany {
        /// The address.
        url: PostgresUrl,
    },
    /// The server does not let this user in.
    #[error(
        "the database server refuses {url}: {reason}; \
         check the user, the password (store.url, PGPASSWORD or ~/.pgpass) and pg_hba.conf"
    )]
    Refused {
        /// The address.
        url: PostgresUrl,
        /// What the server says.
        reason: String,
    },
    /// The server has no such database.
    #[error("there is no such database as in {url}; make it: createdb --encoding=UTF8 NAME")]
    NoDatabase {
        /// The address.
        url: PostgresUrl,
    },
    /// The user may not do what is needed.
    #[error(
        "the user of {url} lacks a right: {reason}; \
         make the user the owner: ALTER DATABASE name OWNER TO user"
    )]
    NoRight {
        /// The address.
        url: PostgresUrl,
        /// What the server says.
        reason: String,
    },
    /// A server that only follows another one, or a database that was set to be read-only.
    #[error("the database {url} is read-only; name the server that takes writes")]
    ReadOnly {
        /// The address.
        url: PostgresUrl,
    },
    /// The server is older than what is needed.
    #[error(
        "the database server at {url} is PostgreSQL {found}; \
         {POSTGRES_VERSION_MIN} or newer is needed"
    )]
    TooOld {
        /// The address.
        url: PostgresUrl,
        /// Its version.
        found: i32,
    },
    /// The database cannot hold every text.
    #[error(
        "the database {url} has the encoding {found}; \
         make one with UTF8: createdb --encoding=UTF8 --template=template0 NAME"
    )]
    Encoding {
        /// The address.
        url: PostgresUrl,
        /// Its encoding.
        found: String,
    },
    /// The database holds tables of another program.
    #[error("the database {url} holds tables of another program; name an empty one")]
    Foreign {
        /// The address.
        url: PostgresUrl,
    },
    /// A later version of this program has changed the schema.
    #[error(
        "the database {url} has schema version {found}, this program knows versions up to \
         {known}; run the newer program, or restore a backup of before the update"
    )]
    Newer {
        /// The address.
        url: PostgresUrl,
        /// The version in the database.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// The server's disk is full.
    #[error("no room to write to {url}; free some space on the disk of the database server")]
    DiskFull {
        /// The address.
        url: PostgresUrl,
    },
    /// Another node holds a lock for too long, most likely while it changes the schema.
    #[error("the database {url} is locked by another node or program; try again")]
    Locked {
        /// The address.
        url: PostgresUrl,
    },
    /// Anything else that the server reports.
    #[error("the database {url} cannot be used: {source}")]
    Failed {
        /// The address.
        url: PostgresUrl,
        /// What the server says.
        source: sqlx::Error,
    },
}

/// Checks the database, brings its schema up to date, and proves that it can be written. Nodes that
/// start at once do this one after the other.
pub(in crate::store::database) async fn prepare(
    connector: &Connector,
) -> Result<(), OpenServerError> {
    let url = &connector.url;
    for path in url.files() {
        if let Err(source) = tokio::fs::read(path).await {
            let (url, path) = (url.clone(), path.to_owned());
            return Err(OpenServerError::TlsFile { url, path, source });
        }
    }
    let connected = connector.connect_with_lock_wait(MIGRATION_WAIT).await;
    let mut connection = connected.map_err(|source| explain(url, source))?;
    let prepared = bring_up_to_date(&mut connection, url).await;
    // Closing gives the lock back.
    connection.close().await.ok();
    prepared
}

async fn bring_up_to_date(
    connection: &mut PgConnection,
    url: &PostgresUrl,
) -> Result<(), OpenServerError> {
    let fail = |source| explain(url, source);
    look_at(connection, url).await?;
    // Bounded by MIGRATION_WAIT and not by what one statement of a game may take.
    for statement in [
        "SET statement_timeout = 0",
        "SELECT pg_advisory_lock(7236837, 0)",
    ] {
        let done = sqlx::raw_sql(statement).execute(&mut *connection).await;
        done.map_err(fail)?;
    }
    let url = || url.clone();
    let (tables, version) = found(connection).await.map_err(fail)?;
    let known = newest(POSTGRES_MIGRATIONS);
    schema::fits(tables, version, known).map_err(|unfit| match unfit {
        Unfit::Foreign => OpenServerError::Foreign { url: url() },
        Unfit::Newer { found, known } => OpenServerError::Newer {
            url: url(),
            found,
            known,
        },
    })?;
    let mut migrator = migrator(POSTGRES_MIGRATIONS);
    let migrated = migrator.set_locking(false).run(&mut *connection).await;
    migrated.map_err(|error| fail(error.into()))?;
    probe(connection).await.map_err(fail)
}

/// What can be seen without a schema.
async fn look_at(connection: &mut PgConnection, url: &PostgresUrl) -> Result<(), OpenServerError> {
    let row = sqlx::query(
        "SELECT CAST(current_setting('server_version_num') AS INTEGER) / 10000, \
         current_setting('server_encoding'), \
         current_setting('transaction_read_only') = 'on'",
    )
    .fetch_one(connection)
    .await;
    let seen = row.and_then(|row| {
        let (version, encoding): (i32, String) = (row.try_get(0)?, row.try_get(1)?);
        Ok((version, encoding, row.try_get::<bool, _>(2)?))
    });
    let url = || url.clone();
    match seen {
        Err(source) => Err(explain(&url(), source)),
        Ok((found, ..)) if found < POSTGRES_VERSION_MIN => {
            Err(OpenServerError::TooOld { url: url(), found })
        }
        Ok((_, found, _)) if found != "UTF8" => {
            Err(OpenServerError::Encoding { url: url(), found })
        }
        Ok((.., true)) => Err(OpenServerError::ReadOnly { url: url() }),
        Ok(_) => Ok(()),
    }
}

/// Whose tables are there, and of which version, if they are our own.
async fn found(connection: &mut PgConnection) -> Result<(Tables, Option<i64>), sqlx::Error> {
    let names: Vec<String> = sqlx::query_scalar(
        "SELECT CAST(tablename AS TEXT) FROM pg_tables WHERE schemaname = current_schema()",
    )
    .fetch_all(&mut *connection)
    .await?;
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

/// Writes a row and takes it back, so that what is in the way is told of at the start and not by
/// the first player.
async fn probe(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    let mut transaction = connection.begin().await?;
    sqlx::query(
        "INSERT INTO staff_actions (staff, action, target, reason, acted_at) \
         VALUES ('', 'start', '', '', 0)",
    )
    .execute(&mut *transaction)
    .await?;
    transaction.rollback().await
}

fn explain(url: &PostgresUrl, error: sqlx::Error) -> OpenServerError {
    let found = server_error(&error).map(|found| (found.code().to_owned(), found.message()));
    let by_code = found.and_then(|(code, reason)| by_code(url, &code, reason));
    if let Some(explained) = by_code {
        return explained;
    }
    let url = url.clone();
    if schema::is_foreign(&error) {
        return OpenServerError::Foreign { url };
    }
    // So the TLS library says that it does not believe the certificate.
    if let sqlx::Error::Io(io) = &error
        && io.kind() == std::io::ErrorKind::InvalidData
    {
        let reason = io.to_string();
        return OpenServerError::Untrusted { url, reason };
    }
    if let sqlx::Error::Tls(why) = &error {
        let reason = why.to_string();
        return OpenServerError::NoTls { url, reason };
    }
    let source = error;
    match matches!(source, sqlx::Error::Io(_)) {
        true => OpenServerError::Unreachable { url, source },
        false => OpenServerError::Failed { url, source },
    }
}

/// The server's own error, also when it was a migration that failed.
fn server_error(error: &sqlx::Error) -> Option<&PgDatabaseError> {
    schema::cause(error).as_database_error()?.try_downcast_ref()
}

fn by_code(url: &PostgresUrl, found: &str, reason: &str) -> Option<OpenServerError> {
    let (url, reason) = (url.clone(), reason.to_owned());
    Some(match found {
        code::WRONG_USER | code::WRONG_PASSWORD => OpenServerError::Refused { url, reason },
        code::NO_DATABASE => OpenServerError::NoDatabase { url },
        code::NO_RIGHT | code::NO_SCHEMA => OpenServerError::NoRight { url, reason },
        code::READ_ONLY => OpenServerError::ReadOnly { url },
        code::DISK_FULL => OpenServerError::DiskFull { url },
        code::TOO_MANY => OpenServerError::TooMany { url },
        code::LOCKED => OpenServerError::Locked { url },
        code::STARTING => OpenServerError::NotReady { url },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_of_the_server_has_an_error_that_says_what_to_do_and_no_password() {
        let url: PostgresUrl = "postgres://belay:secret@db/belay".parse().unwrap();
        let check = |code: &str, words: &str| {
            let text = by_code(&url, code, "its words").unwrap().to_string();
            assert!(
                text.contains("belay:***@db/belay") && text.contains(words),
                "{text}"
            );
        };
        check(code::WRONG_PASSWORD, "its words; check the user");
        check(code::WRONG_USER, "pg_hba.conf");
        check(code::NO_DATABASE, "createdb");
        check(code::NO_RIGHT, "ALTER DATABASE");
        check(code::NO_SCHEMA, "ALTER DATABASE");
        check(code::READ_ONLY, "takes writes");
        check(code::DISK_FULL, "free some space");
        check(code::TOO_MANY, "max_connections");
        check(code::LOCKED, "try again");
        check(code::STARTING, "try again");
        assert!(by_code(&url, "XX000", "").is_none());
    }

    #[test]
    fn a_server_that_is_too_old_or_has_another_encoding_is_told_what_to_do() {
        let url: PostgresUrl = "postgres://db/belay".parse().unwrap();
        let old = OpenServerError::TooOld {
            url: url.clone(),
            found: 9,
        };
        let text = old.to_string();
        assert!(text.contains("PostgreSQL 9; 13 or newer"), "{text}");
        let found = "LATIN1".to_owned();
        let text = OpenServerError::Encoding { url, found }.to_string();
        assert!(text.contains("LATIN1") && text.contains("UTF8"), "{text}");
    }
}
