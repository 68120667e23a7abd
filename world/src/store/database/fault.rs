//! `[edge]` Tells a database that fails from a request that the database refuses.

use sqlx::postgres::PgDatabaseError;

use super::{postgres, sqlite};
use crate::store::outcome::StoreError;

/// Whose fault an error of the database is.
#[derive(Debug)]
pub(in crate::store) enum Fault {
    /// The database cannot work at present: full disk, IO error, lock held, connection gone. The
    /// same request may succeed later.
    Outage(String),
    /// Another node's transaction was in the way: the same request succeeds when it is repeated.
    Conflict(String),
    /// This request cannot succeed; others can.
    Request(StoreError),
}

/// Sorts an error of a request.
pub(in crate::store) fn sort(error: &sqlx::Error) -> Fault {
    let reason = error.to_string();
    let Some(database) = error.as_database_error() else {
        return sort_own(error, reason);
    };
    if database.is_foreign_key_violation() {
        return Fault::Request(StoreError::Missing);
    }
    match database.try_downcast_ref::<PgDatabaseError>() {
        Some(server) => postgres::sort(server.code(), reason),
        None => sqlite::sort(error, reason),
    }
}

/// Whether a server says that a transaction number is one that it has not given yet.
pub(in crate::store) fn is_of_the_future(error: &sqlx::Error) -> bool {
    let database = error.as_database_error();
    let server = database.and_then(|error| error.try_downcast_ref::<PgDatabaseError>());
    server.is_some_and(|error| error.code() == postgres::NUMBER_OF_LATER)
}

/// Errors that are not the database's own.
fn sort_own(error: &sqlx::Error, reason: String) -> Fault {
    if matches!(error, sqlx::Error::RowNotFound) {
        return Fault::Request(StoreError::Missing);
    }
    let of_the_row = matches!(
        error,
        sqlx::Error::ColumnDecode { .. }
            | sqlx::Error::Decode(_)
            | sqlx::Error::Encode(_)
            | sqlx::Error::ColumnNotFound(_)
            | sqlx::Error::ColumnIndexOutOfBounds { .. }
            | sqlx::Error::TypeNotFound { .. }
    );
    // Otherwise the connection, its thread or the file is in trouble.
    match of_the_row {
        true => Fault::Request(StoreError::Fault { reason }),
        false => Fault::Outage(reason),
    }
}

/// A row that holds what nobody wrote.
pub(in crate::store) fn damaged(what: &str, value: &dyn std::fmt::Debug) -> sqlx::Error {
    sqlx::Error::Decode(format!("{what} cannot be {value:?}").into())
}
