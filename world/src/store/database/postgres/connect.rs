//! `[edge]` Connections to a PostgreSQL server.

use std::io;
use std::str::FromStr as _;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, PgConnection};

use super::open::OpenServerError;
use crate::store::limits::CONNECT_WAIT;
use crate::store::open::StoreOptions;
use crate::store::place::PostgresUrl;

/// A connection, and how long the server may take for one statement. Once it took longer the
/// connection must not be used any more.
pub(in crate::store) struct Client {
    pub(in crate::store::database) connection: PgConnection,
    pub(in crate::store::database) wait: Duration,
}

/// Gives up what the server does not answer in time: it may be gone without a word.
pub(in crate::store::database) async fn in_time<T>(
    wait: Duration,
    work: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    match tokio::time::timeout(wait, work).await {
        Ok(done) => done,
        Err(_elapsed) => {
            let reason = "the server does not answer";
            Err(io::Error::new(io::ErrorKind::TimedOut, reason).into())
        }
    }
}

/// How each process of the store opens its own connection.
#[derive(Clone)]
pub(in crate::store) struct Connector {
    pub(super) url: PostgresUrl,
    options: PgConnectOptions,
    lock_wait: Duration,
    server_wait: Duration,
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connector")
            .field("url", &self.url)
            .field("lock_wait", &self.lock_wait)
            .finish_non_exhaustive()
    }
}

impl Connector {
    pub(in crate::store::database) fn new(
        url: PostgresUrl,
        options: &StoreOptions,
    ) -> Result<Self, OpenServerError> {
        let (lock_wait, server_wait) = (options.lock_wait, options.server_wait);
        match PgConnectOptions::from_str(url.secret()) {
            Ok(options) => Ok(Self {
                url,
                options: options
                    .application_name("belay")
                    .disable_statement_logging(),
                lock_wait,
                server_wait,
            }),
            Err(source) => Err(OpenServerError::Address { url, source }),
        }
    }

    /// A connection that reads and writes.
    pub(in crate::store::database) async fn connect(&self) -> Result<Client, sqlx::Error> {
        Ok(Client {
            connection: self.connect_with_lock_wait(self.lock_wait).await?,
            wait: self.server_wait,
        })
    }

    /// A connection whose statements wait that long for locks.
    pub(super) async fn connect_with_lock_wait(
        &self,
        lock_wait: Duration,
    ) -> Result<PgConnection, sqlx::Error> {
        let connect = async {
            let mut connection = self.options.connect().await?;
            self.settle(&mut connection, lock_wait).await?;
            Ok(connection)
        };
        in_time(CONNECT_WAIT.min(self.server_wait), connect).await
    }

    /// The server ends what this node left behind: a transaction whose node is gone must not hold
    /// its locks for hours.
    async fn settle(
        &self,
        connection: &mut PgConnection,
        lock_wait: Duration,
    ) -> Result<(), sqlx::Error> {
        // What is 0 would be no bound.
        let lock_wait = lock_wait.max(Duration::from_millis(1)).as_millis();
        let server_wait = self.server_wait.as_millis();
        let settings = [
            ("lock_timeout", lock_wait),
            ("idle_in_transaction_session_timeout", server_wait),
            ("statement_timeout", server_wait.saturating_add(lock_wait)),
        ];
        for (name, millis) in settings {
            sqlx::query("SELECT set_config($1, $2, FALSE)")
                .bind(name)
                .bind(millis.to_string())
                .execute(&mut *connection)
                .await?;
        }
        Ok(())
    }
}
