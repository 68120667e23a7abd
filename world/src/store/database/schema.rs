//! `[edge]` What the opening of either database has in common: whose tables are there, of which
//! version, and what stands behind a migration that failed.

use sqlx::migrate::MigrateError;

/// The table that every database of this program has.
const OWN: &str = "_sqlx_migrations";

/// Answers the version of the schema.
pub(super) const VERSION: &str = "SELECT COALESCE(MAX(version), 0) FROM _sqlx_migrations";

/// Whose tables a database has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tables {
    /// None at all.
    Empty,
    /// Another program's.
    Foreign,
    /// This program's: ask for their [`VERSION`].
    Own,
}

impl Tables {
    /// By their names.
    pub(super) fn of(names: &[String]) -> Self {
        match names {
            [] => Self::Empty,
            names if names.iter().any(|name| name == OWN) => Self::Own,
            _ => Self::Foreign,
        }
    }
}

/// Why a schema cannot be brought up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unfit {
    /// It is another program's.
    Foreign,
    /// A later version of this program made it.
    Newer { found: i64, known: i64 },
}

/// Whether a schema can be brought up to the newest version that is `known`. `version` is that of
/// this program's own tables, if they are.
pub(super) fn fits(tables: Tables, version: Option<i64>, known: i64) -> Result<(), Unfit> {
    match (tables, version) {
        (Tables::Foreign, _) => Err(Unfit::Foreign),
        (Tables::Own, Some(found)) if found > known => Err(Unfit::Newer { found, known }),
        (Tables::Own | Tables::Empty, _) => Ok(()),
    }
}

/// Whether steps were made here that this program does not have, or has otherwise.
pub(super) fn is_foreign(error: &sqlx::Error) -> bool {
    let sqlx::Error::Migrate(migrating) = error else {
        return false;
    };
    matches!(
        **migrating,
        MigrateError::VersionMissing(_) | MigrateError::VersionMismatch(_)
    )
}

/// What the database said, also when it was a migration that failed.
pub(super) fn cause(error: &sqlx::Error) -> &sqlx::Error {
    if let sqlx::Error::Migrate(migrating) = error
        && let MigrateError::Execute(source) | MigrateError::ExecuteMigration(source, _) =
            &**migrating
    {
        return source;
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_empty_database_and_an_own_one_that_is_not_newer_can_be_used() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let check = |tables: &[&str], version, expected| {
            let tables = Tables::of(&names(tables));
            assert_eq!(fits(tables, version, 5), expected, "{tables:?} {version:?}");
        };
        check(&[], None, Ok(()));
        check(&["posts"], None, Err(Unfit::Foreign));
        check(&["posts", "accounts"], None, Err(Unfit::Foreign));
        check(&["accounts", OWN], Some(0), Ok(()));
        check(&["accounts", OWN], Some(5), Ok(()));
        let newer = Unfit::Newer { found: 6, known: 5 };
        check(&["accounts", OWN], Some(6), Err(newer));
    }

    #[test]
    fn a_migration_that_failed_is_looked_behind() {
        let failed = |error: MigrateError| sqlx::Error::Migrate(Box::new(error));
        let behind = failed(MigrateError::Execute(sqlx::Error::RowNotFound));
        assert!(matches!(cause(&behind), sqlx::Error::RowNotFound));
        assert!(matches!(
            cause(&sqlx::Error::RowNotFound),
            sqlx::Error::RowNotFound
        ));
        assert!(is_foreign(&failed(MigrateError::VersionMissing(3))));
        assert!(is_foreign(&failed(MigrateError::VersionMismatch(3))));
        assert!(!is_foreign(&behind) && !is_foreign(&sqlx::Error::RowNotFound));
    }
}
