//! `[edge]` Queries about who may write: the epochs of zones and of characters' sessions. A cluster
//! that is not the last one that was founded on this database claims nothing.

use std::collections::BTreeSet;

use crate::ids::CharacterId;
use crate::store::database::{Connection, Row, query};
use crate::store::founding::{epoch_of, of_epoch};
use crate::store::guard::{Claim, Claimed};
use crate::store::outcome::StoreError;

/// Claims, unless there is a claim under a higher number. Waits until no other node's transaction
/// that relied on a lower one is open.
pub(in crate::store) async fn claim(
    connection: &mut Connection,
    claim: &Claim,
) -> Result<Result<(), StoreError>, sqlx::Error> {
    let raised = match &claim.what {
        Claimed::Zone(zone) => claim_zone(connection, zone, claim.number).await?,
        Claimed::Character(character) => {
            claim_character(connection, *character, claim.number).await?
        }
    };
    Ok(raised.then_some(()).ok_or(StoreError::Fenced))
}

async fn claim_zone(
    connection: &mut Connection,
    zone: &str,
    epoch: i64,
) -> Result<bool, sqlx::Error> {
    let raised = query(
        "INSERT INTO zone_epochs (zone, epoch) SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT) \
         WHERE CAST($3 AS BIGINT) >= (SELECT COALESCE(MAX(generation), 0) FROM clusters) \
         ON CONFLICT (zone) DO UPDATE \
         SET epoch = excluded.epoch WHERE zone_epochs.epoch <= excluded.epoch",
    );
    let raised = raised.bind(zone).bind(epoch).bind(of_epoch(epoch));
    let rows = raised.execute(connection).await?;
    Ok(rows == 1)
}

async fn claim_character(
    connection: &mut Connection,
    character: CharacterId,
    epoch: i64,
) -> Result<bool, sqlx::Error> {
    let raised = query(
        "UPDATE characters SET session_epoch = $1 WHERE id = $2 AND session_epoch <= $1 \
         AND CAST($3 AS BIGINT) >= (SELECT COALESCE(MAX(generation), 0) FROM clusters)",
    );
    let raised = raised.bind(epoch).bind(character.0);
    let raised = raised.bind(of_epoch(epoch_of(epoch)));
    if raised.execute(&mut *connection).await? == 1 {
        return Ok(true);
    }
    match hold_character(connection, character).await? {
        Some(_higher) => Ok(false),
        None => Err(sqlx::Error::RowNotFound),
    }
}

/// The highest number under which this was claimed. It cannot be raised until the transaction ends.
pub(in crate::store) async fn hold(
    connection: &mut Connection,
    claimed: &Claimed,
) -> Result<Option<i64>, sqlx::Error> {
    match claimed {
        Claimed::Zone(zone) => {
            let held = query(connection.dialect().hold_zone).bind(&**zone);
            let row = held.fetch_optional(connection).await?;
            row.map(|row| row.try_get(0)).transpose()
        }
        Claimed::Character(character) => hold_character(connection, *character).await,
    }
}

/// The same for a zone that is about to be claimed. `None` too where there is nobody to keep off.
pub(in crate::store) async fn hold_zone_to_claim(
    connection: &mut Connection,
    zone: &str,
) -> Result<Option<i64>, sqlx::Error> {
    let Some(statement) = connection.dialect().hold_zone_to_claim else {
        return Ok(None);
    };
    let row = query(statement)
        .bind(zone)
        .fetch_optional(connection)
        .await?;
    row.map(|row| row.try_get(0)).transpose()
}

/// The same for many characters at once, in the order of their ids.
pub(in crate::store) async fn hold_characters(
    connection: &mut Connection,
    characters: &BTreeSet<CharacterId>,
) -> Result<Vec<(CharacterId, i64)>, sqlx::Error> {
    let Some(statement) = connection.dialect().hold_characters else {
        return Ok(Vec::new());
    };
    let ids: Vec<_> = characters.iter().map(|id| id.0.to_string()).collect();
    let rows = query(statement).bind(ids.join(",")).fetch_all(connection);
    let read = |row: &Row| Ok((CharacterId(row.try_get(0)?), row.try_get(1)?));
    rows.await?.iter().map(read).collect()
}

async fn hold_character(
    connection: &mut Connection,
    character: CharacterId,
) -> Result<Option<i64>, sqlx::Error> {
    let held = query(connection.dialect().hold_character).bind(character.0);
    let row = held.fetch_optional(connection).await?;
    row.map(|row| row.try_get(0)).transpose()
}
