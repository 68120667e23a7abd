//! `[edge]` Connections to the database, and how each process of the store opens its own.

use sqlx::{Connection as _, SqliteConnection};

use super::dialect::Dialect;
use super::postgres::{Client, in_time};
use super::{postgres, sqlite};
use crate::store::limits::CLOSE_WAIT;
use crate::store::open::{OpenStoreError, StoreOptions};
use crate::store::place::StorePlace;

/// A connection to either database.
pub(in crate::store) enum Connection {
    Sqlite(SqliteConnection),
    Postgres(Client),
}

impl Connection {
    /// The words of this database.
    pub(in crate::store) const fn dialect(&self) -> &'static Dialect {
        match self {
            Self::Sqlite(_) => &sqlite::SQLITE,
            Self::Postgres(_) => &postgres::POSTGRES,
        }
    }

    /// Runs a statement that has neither values nor an answer.
    pub(in crate::store) async fn run(
        &mut self,
        statement: &'static str,
    ) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(sqlite) => sqlx::query(statement).execute(sqlite).await.map(|_| ()),
            // Unprepared: one message there and one back.
            Self::Postgres(client) => {
                let work = sqlx::raw_sql(statement).execute(&mut client.connection);
                in_time(client.wait, work).await.map(|_| ())
            }
        }
    }

    /// Closes it in good order; what is open is rolled back. When that takes too long it is cut.
    pub(in crate::store) async fn close(self) {
        let close = async {
            match self {
                Self::Sqlite(sqlite) => sqlite.close().await,
                Self::Postgres(client) => client.connection.close().await,
            }
        };
        // An error means that it was gone already.
        drop(tokio::time::timeout(CLOSE_WAIT, close).await);
    }
}

/// How each process of the store opens its own connection.
#[derive(Clone, Debug)]
pub(in crate::store) enum Connector {
    Sqlite(sqlite::Connector),
    Postgres(Box<postgres::Connector>),
}

impl Connector {
    /// # Errors
    /// The address of the server cannot be used.
    pub(in crate::store) fn new(
        place: StorePlace,
        options: &StoreOptions,
    ) -> Result<Self, OpenStoreError> {
        match place {
            StorePlace::File(path) => Ok(Self::Sqlite(sqlite::Connector::new(path, options))),
            StorePlace::Server(url) => {
                let connector = postgres::Connector::new(url, options)?;
                Ok(Self::Postgres(Box::new(connector)))
            }
        }
    }

    /// Checks the database, brings its schema up to date, and proves that it can be written.
    pub(in crate::store) async fn prepare(&self) -> Result<(), OpenStoreError> {
        match self {
            Self::Sqlite(file) => sqlite::prepare(file).await,
            Self::Postgres(server) => Ok(postgres::prepare(server).await?),
        }
    }

    /// A connection that may write.
    pub(in crate::store) async fn writer(&self) -> Result<Connection, sqlx::Error> {
        match self {
            Self::Sqlite(file) => file.writer(Create::Never).await.map(Connection::Sqlite),
            Self::Postgres(server) => server.connect().await.map(Connection::Postgres),
        }
    }

    /// A connection that only reads.
    pub(in crate::store) async fn reader(&self) -> Result<Connection, sqlx::Error> {
        match self {
            Self::Sqlite(file) => file.reader().await.map(Connection::Sqlite),
            Self::Postgres(server) => server.connect().await.map(Connection::Postgres),
        }
    }

    /// The file, where there is one.
    pub(in crate::store) const fn file(&self) -> Option<&sqlite::Connector> {
        match self {
            Self::Sqlite(file) => Some(file),
            Self::Postgres(_) => None,
        }
    }
}

/// Whether a file that does not exist is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum Create {
    IfMissing,
    Never,
}
