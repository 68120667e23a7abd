//! `[edge]` The migrations of both databases, as they are embedded. Never change one that was
//! released; both have the same numbers.

use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};

/// Version, description, statements.
pub(super) type Step = (i64, &'static str, &'static str);

/// The steps of SQLite.
pub(super) const SQLITE_MIGRATIONS: &[Step] = &[
    (
        1,
        "accounts characters items",
        include_str!("../../migrations/sqlite/0001_accounts_characters_items.sql"),
    ),
    (
        2,
        "items by origin",
        include_str!("../../migrations/sqlite/0002_items_by_origin.sql"),
    ),
    (
        3,
        "network rules",
        include_str!("../../migrations/sqlite/0003_network_rules.sql"),
    ),
    (
        4,
        "epochs",
        include_str!("../../migrations/sqlite/0004_epochs.sql"),
    ),
    (
        5,
        "clusters",
        include_str!("../../migrations/sqlite/0005_clusters.sql"),
    ),
];

/// The steps of PostgreSQL.
pub(super) const POSTGRES_MIGRATIONS: &[Step] = &[
    (
        1,
        "accounts characters items",
        include_str!("../../migrations/postgres/0001_accounts_characters_items.sql"),
    ),
    (
        2,
        "items by origin",
        include_str!("../../migrations/postgres/0002_items_by_origin.sql"),
    ),
    (
        3,
        "network rules",
        include_str!("../../migrations/postgres/0003_network_rules.sql"),
    ),
    (
        4,
        "epochs",
        include_str!("../../migrations/postgres/0004_epochs.sql"),
    ),
    (
        5,
        "clusters",
        include_str!("../../migrations/postgres/0005_clusters.sql"),
    ),
];

/// What runs the steps that a database has not seen.
pub(super) fn migrator(steps: &[Step]) -> Migrator {
    let migrations = steps.iter().map(|(version, description, statements)| {
        let (kind, statements) = (MigrationType::Simple, (*statements).into_sql_str());
        Migration::new(*version, (*description).into(), kind, statements, false)
    });
    Migrator::with_migrations(migrations.collect())
}

/// The newest version that is known.
pub(super) fn newest(steps: &[Step]) -> i64 {
    steps
        .iter()
        .map(|(version, ..)| *version)
        .max()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrations_are_numbered_without_gaps_and_alike() {
        let versions = |steps: &[Step]| steps.iter().map(|step| step.0).collect::<Vec<_>>();
        let expected: Vec<_> = (1..).take(SQLITE_MIGRATIONS.len()).collect();
        assert_eq!(versions(SQLITE_MIGRATIONS), expected);
        assert_eq!(versions(POSTGRES_MIGRATIONS), expected);
    }
}
