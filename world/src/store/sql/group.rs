//! `[edge]` The number of the last committed group, and the statements around a group.

use sqlx::{Row as _, SqliteConnection};

use crate::store::park::GroupNumber;

/// Counts this group; the number is in the database if and only if the group is.
pub(in crate::store) async fn count(
    connection: &mut SqliteConnection,
) -> Result<GroupNumber, sqlx::Error> {
    let row =
        sqlx::query("UPDATE commit_groups SET number = number + 1 WHERE id = 1 RETURNING number")
            .fetch_one(connection)
            .await?;
    Ok(GroupNumber(row.try_get(0)?))
}

/// The number of the last group that is in the database.
pub(in crate::store) async fn last(
    connection: &mut SqliteConnection,
) -> Result<GroupNumber, sqlx::Error> {
    let row = sqlx::query("SELECT number FROM commit_groups WHERE id = 1")
        .fetch_one(connection)
        .await?;
    Ok(GroupNumber(row.try_get(0)?))
}

/// Runs a statement that has no answer.
pub(in crate::store) async fn run(
    connection: &mut SqliteConnection,
    statement: &'static str,
) -> Result<(), sqlx::Error> {
    sqlx::query(statement).execute(connection).await.map(|_| ())
}
