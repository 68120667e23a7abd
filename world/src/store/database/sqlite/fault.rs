//! `[edge]` What SQLite's result codes mean.

use crate::store::database::Fault;
use crate::store::outcome::StoreError;

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
pub(in crate::store::database) fn sort(error: &sqlx::Error, reason: String) -> Fault {
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
