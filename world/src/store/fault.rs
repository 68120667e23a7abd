//! `[edge]` Tells a database that fails from a request that the database refuses.

use super::outcome::StoreError;

/// Whose fault an error of the database is.
#[derive(Debug)]
pub(super) enum Fault {
    /// The database cannot work at present: full disk, IO error, lock held, connection gone. The
    /// same request may succeed later.
    Outage(String),
    /// This request cannot succeed; others can.
    Request(StoreError),
}

/// Primary result codes of SQLite (<https://www.sqlite.org/rescode.html>).
pub(super) mod code {
    pub(crate) const ERROR: i32 = 1;
    pub(crate) const PERM: i32 = 3;
    pub(crate) const BUSY: i32 = 5;
    pub(crate) const LOCKED: i32 = 6;
    pub(crate) const READONLY: i32 = 8;
    pub(crate) const FULL: i32 = 13;
    pub(crate) const CANTOPEN: i32 = 14;
    pub(crate) const TOOBIG: i32 = 18;
    pub(crate) const CONSTRAINT: i32 = 19;
    pub(crate) const MISMATCH: i32 = 20;
    pub(crate) const AUTH: i32 = 23;
    pub(crate) const RANGE: i32 = 25;
    pub(crate) const NOTADB: i32 = 26;
}

/// The primary result code of an error that came from the database itself.
pub(super) fn primary_code(error: &sqlx::Error) -> Option<i32> {
    let extended: i32 = error.as_database_error()?.code()?.parse().ok()?;
    Some(extended & 0xff)
}

/// Sorts an error of a request.
pub(super) fn sort(error: &sqlx::Error) -> Fault {
    let reason = error.to_string();
    let Some(database) = error.as_database_error() else {
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
        return match of_the_row {
            true => Fault::Request(StoreError::Fault { reason }),
            false => Fault::Outage(reason),
        };
    };
    if database.is_foreign_key_violation() {
        return Fault::Request(StoreError::Missing);
    }
    match primary_code(error) {
        Some(
            code::ERROR
            | code::TOOBIG
            | code::CONSTRAINT
            | code::MISMATCH
            | code::AUTH
            | code::RANGE,
        ) => Fault::Request(StoreError::Fault { reason }),
        // Above all FULL, IOERR, BUSY, READONLY, CORRUPT, CANTOPEN, NOMEM: nothing that another
        // request would not meet as well.
        _ => Fault::Outage(reason),
    }
}

/// A row that holds what nobody wrote.
pub(super) fn damaged(what: &str, value: &dyn std::fmt::Debug) -> sqlx::Error {
    sqlx::Error::Decode(format!("{what} cannot be {value:?}").into())
}
