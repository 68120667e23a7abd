//! `[edge]` What can be wrong with the database, said so that an operator can act.

use std::path::PathBuf;

use sqlx::migrate::MigrateError;

use crate::hub::directory::Fault;

/// Primary result codes of SQLite (<https://www.sqlite.org/rescode.html>).
mod code {
    pub(super) const PERM: i32 = 3;
    pub(super) const BUSY: i32 = 5;
    pub(super) const LOCKED: i32 = 6;
    pub(super) const READONLY: i32 = 8;
    pub(super) const CORRUPT: i32 = 11;
    pub(super) const FULL: i32 = 13;
    pub(super) const CANTOPEN: i32 = 14;
    pub(super) const NOTADB: i32 = 26;
}

/// Why the database cannot be opened or used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is something else than a database, or a damaged one.
    #[error(
        "{} is not a database, or damaged; restore a copy, or move it away to begin anew",
        path.display()
    )]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// Another program made it.
    #[error(
        "{} is the database of another program; choose another directory with --data",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A newer hub made it.
    #[error(
        "{} has schema version {found}, this hub knows versions up to {known}; run the newer hub",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version in it.
        found: i64,
        /// The newest that this program knows.
        known: i64,
    },
    /// It cannot be written, made or opened by this user.
    #[error(
        "{} cannot be opened for writing; check the rights of the file and its directory",
        path.display()
    )]
    NoAccess {
        /// The file.
        path: PathBuf,
    },
    /// The disk is full.
    #[error("no room to write {}; free some space on that disk", path.display())]
    DiskFull {
        /// The file.
        path: PathBuf,
    },
    /// Another process holds it.
    #[error("{} is locked by another process; try again", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// Anything else that the database says.
    #[error("{} cannot be used: {source}", path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// What it says.
        source: sqlx::Error,
    },
}

/// Why a command of the operator was not carried out. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// There is no such game.
    #[error("there is no game {0}; \"belay-hub game list\" shows all")]
    NoGame(String),
    /// There is no such channel.
    #[error("there is no channel {0}; \"belay-hub channel list\" shows all")]
    NoChannel(String),
    /// There is no such ban.
    #[error("{0} is not banned; \"belay-hub ban list\" shows all bans")]
    NoBan(String),
    /// Another game has this short name.
    #[error("there is a game {0} already")]
    NameTaken(String),
    /// Another game has this display name.
    #[error("another game has the display name \"{0}\"")]
    DisplayNameTaken(String),
    /// What was asked for is against the rules.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The database cannot.
    #[error(transparent)]
    Open(#[from] OpenError),
}

impl OpenError {
    /// Sorts an error of the database at `path`.
    pub(super) fn sort(path: &std::path::Path, error: sqlx::Error) -> Self {
        let path = path.to_path_buf();
        if let sqlx::Error::Migrate(migrating) = &error
            && matches!(
                **migrating,
                MigrateError::VersionMissing(_) | MigrateError::VersionMismatch(_)
            )
        {
            return Self::Foreign { path };
        }
        match primary_code(&error) {
            Some(code::NOTADB | code::CORRUPT) => Self::NotADatabase { path },
            Some(code::READONLY | code::CANTOPEN | code::PERM) => Self::NoAccess { path },
            Some(code::FULL) => Self::DiskFull { path },
            Some(code::BUSY | code::LOCKED) => Self::Locked { path },
            Some(_) | None => Self::Failed {
                path,
                source: error,
            },
        }
    }
}

/// The primary result code of an error that came from SQLite, also out of a migration.
fn primary_code(error: &sqlx::Error) -> Option<i32> {
    if let sqlx::Error::Migrate(migrating) = error {
        if let MigrateError::Execute(source) | MigrateError::ExecuteMigration(source, _) =
            &**migrating
        {
            return primary_code(source);
        }
        return None;
    }
    let extended: i32 = error.as_database_error()?.code()?.parse().ok()?;
    Some(extended & 0xff)
}
