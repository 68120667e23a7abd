//! `[edge]` One statement for either database.

use sqlx::postgres::{PgRow, Postgres};
use sqlx::sqlite::{Sqlite, SqliteRow};
use sqlx::{Database, Decode, Encode, Row as _, Type};

use super::connection::Connection;
use super::postgres::in_time;

/// A statement with `$1`, `$2` … for the values that [`Query::bind`] adds in this order.
pub(in crate::store) const fn query(statement: &'static str) -> Query {
    Query {
        statement,
        values: Vec::new(),
    }
}

/// See [`query`].
pub(in crate::store) struct Query {
    statement: &'static str,
    values: Vec<Value>,
}

/// What can be stored: texts and whole numbers, or nothing in their place.
pub(in crate::store) enum Value {
    Text(Option<String>),
    Number(Option<i64>),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(Some(text.to_owned()))
    }
}

impl From<Option<&str>> for Value {
    fn from(text: Option<&str>) -> Self {
        Self::Text(text.map(str::to_owned))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(Some(text))
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(Some(number))
    }
}

impl From<Option<i64>> for Value {
    fn from(number: Option<i64>) -> Self {
        Self::Number(number)
    }
}

type Prepared<DB> = sqlx::query::Query<'static, DB, <DB as Database>::Arguments>;

impl Query {
    pub(in crate::store) fn bind(mut self, value: impl Into<Value>) -> Self {
        self.values.push(value.into());
        self
    }

    /// Runs it; answers how many rows it changed.
    pub(in crate::store) async fn execute(
        self,
        connection: &mut Connection,
    ) -> Result<u64, sqlx::Error> {
        match connection {
            Connection::Sqlite(sqlite) => {
                let done = self.prepared().execute(sqlite).await?;
                Ok(done.rows_affected())
            }
            Connection::Postgres(client) => {
                let work = self.prepared().execute(&mut client.connection);
                let done = in_time(client.wait, work).await?;
                Ok(done.rows_affected())
            }
        }
    }

    /// The first row, if there is one.
    pub(in crate::store) async fn fetch_optional(
        self,
        connection: &mut Connection,
    ) -> Result<Option<Row>, sqlx::Error> {
        match connection {
            Connection::Sqlite(sqlite) => {
                let row = self.prepared().fetch_optional(sqlite).await?;
                Ok(row.map(Row::Sqlite))
            }
            Connection::Postgres(client) => {
                let work = self.prepared().fetch_optional(&mut client.connection);
                let row = in_time(client.wait, work).await?;
                Ok(row.map(Row::Postgres))
            }
        }
    }

    /// The first row, which must be there.
    pub(in crate::store) async fn fetch_one(
        self,
        connection: &mut Connection,
    ) -> Result<Row, sqlx::Error> {
        let row = self.fetch_optional(connection).await?;
        row.ok_or(sqlx::Error::RowNotFound)
    }

    pub(in crate::store) async fn fetch_all(
        self,
        connection: &mut Connection,
    ) -> Result<Vec<Row>, sqlx::Error> {
        match connection {
            Connection::Sqlite(sqlite) => {
                let rows = self.prepared().fetch_all(sqlite).await?;
                Ok(rows.into_iter().map(Row::Sqlite).collect())
            }
            Connection::Postgres(client) => {
                let work = self.prepared().fetch_all(&mut client.connection);
                let rows = in_time(client.wait, work).await?;
                Ok(rows.into_iter().map(Row::Postgres).collect())
            }
        }
    }

    fn prepared<DB: Database>(self) -> Prepared<DB>
    where
        Option<String>: Encode<'static, DB> + Type<DB>,
        Option<i64>: Encode<'static, DB> + Type<DB>,
    {
        let mut prepared = sqlx::query(self.statement);
        for value in self.values {
            prepared = match value {
                Value::Text(text) => prepared.bind(text),
                Value::Number(number) => prepared.bind(number),
            };
        }
        prepared
    }
}

/// A row of either database.
pub(in crate::store) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

impl Row {
    /// The value of one column.
    pub(in crate::store) fn try_get<'r, T>(&'r self, column: usize) -> Result<T, sqlx::Error>
    where
        T: Decode<'r, Sqlite> + Type<Sqlite> + Decode<'r, Postgres> + Type<Postgres>,
    {
        match self {
            Self::Sqlite(row) => row.try_get(column),
            Self::Postgres(row) => row.try_get(column),
        }
    }
}
