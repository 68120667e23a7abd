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

/// How each process of the store opens its own connection.
#[derive(Clone)]
pub(in crate::store) struct Connector {
    pub(super) url: PostgresUrl,
    options: PgConnectOptions,
    lock_wait: Duration,
    pub(in crate::store::database) server_wait: Duration,
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
    pub(in crate::store::database) async fn connect(&self) -> Result<PgConnection, sqlx::Error> {
        self.connect_with_lock_wait(self.lock_wait).await
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
        match tokio::time::timeout(CONNECT_WAIT.min(self.server_wait), connect).await {
            Ok(connected) => connected,
            Err(_elapsed) => Err(io::Error::from(io::ErrorKind::TimedOut).into()),
        }
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
