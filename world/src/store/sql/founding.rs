//! `[edge]` Queries about the clusters that were founded on this database.

use crate::store::database::{Connection, query};

/// The highest of each kind that was ever used; nothing where there was none.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Used {
    /// The generation of a cluster.
    pub(in crate::store) generation: Option<i64>,
    /// An epoch under which a zone was claimed.
    pub(in crate::store) epoch: Option<i64>,
    /// The number of a character's session.
    pub(in crate::store) number: Option<i64>,
}

/// The generation of the cluster with this mark.
pub(in crate::store) async fn generation_of(
    connection: &mut Connection,
    mark: &str,
) -> Result<Option<i64>, sqlx::Error> {
    let found = query("SELECT generation FROM clusters WHERE mark = $1").bind(mark);
    let row = found.fetch_optional(connection).await?;
    row.map(|row| row.try_get(0)).transpose()
}

/// What was used so far.
pub(in crate::store) async fn used(connection: &mut Connection) -> Result<Used, sqlx::Error> {
    let found = query(
        "SELECT (SELECT MAX(generation) FROM clusters), \
         (SELECT MAX(epoch) FROM zone_epochs), \
         (SELECT MAX(session_epoch) FROM characters WHERE session_epoch > 0)",
    );
    let row = found.fetch_one(connection).await?;
    Ok(Used {
        generation: row.try_get(0)?,
        epoch: row.try_get(1)?,
        number: row.try_get(2)?,
    })
}

/// Enters a cluster. Fails when another one has this generation.
pub(in crate::store) async fn enter(
    connection: &mut Connection,
    generation: u32,
    mark: &str,
) -> Result<(), sqlx::Error> {
    let enters = query("INSERT INTO clusters (generation, mark) VALUES ($1, $2)");
    let enters = enters.bind(i64::from(generation)).bind(mark);
    enters.execute(connection).await.map(|_| ())
}

/// Refuses what is written under lower epochs, and under the numbers of sessions that come of them.
pub(in crate::store) async fn refuse_below(
    connection: &mut Connection,
    epoch: u64,
    numbers_per_epoch: u64,
) -> Result<(), sqlx::Error> {
    let stored = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let zones = query("UPDATE zone_epochs SET epoch = $1 WHERE epoch < $1");
    zones.bind(stored(epoch)).execute(connection).await?;
    let number = stored(epoch.saturating_mul(numbers_per_epoch));
    let characters = query("UPDATE characters SET session_epoch = $1 WHERE session_epoch < $1");
    characters
        .bind(number)
        .execute(connection)
        .await
        .map(|_| ())
}
