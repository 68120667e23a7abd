//! `[edge]` Queries about characters.

use super::account::{one_row, stored_name};
use crate::account::Name;
use crate::ids::{AccountId, CharacterId};
use crate::store::database::{Connection, Row, query};
use crate::store::limits::CHARACTERS_PER_ACCOUNT_MAX;
use crate::store::outcome::CharacterCreation;
use crate::store::record::{CharacterRecord, CharacterSave, CharacterSheet, Score, UnixMillis};

pub(in crate::store) async fn create(
    connection: &mut Connection,
    account: AccountId,
    name: &Name,
    room_key: &str,
    now: UnixMillis,
) -> Result<CharacterCreation, sqlx::Error> {
    // Held, so that no other node makes one at the same time and there is one too many.
    let held = query(connection.dialect().hold_account).bind(account.0);
    if held.fetch_optional(&mut *connection).await?.is_none() {
        return Err(sqlx::Error::RowNotFound);
    }
    let row = query("SELECT COUNT(*) FROM characters WHERE account_id = $1")
        .bind(account.0)
        .fetch_one(&mut *connection)
        .await?;
    if row.try_get::<i64>(0)? >= CHARACTERS_PER_ACCOUNT_MAX {
        return Ok(CharacterCreation::TooMany);
    }
    let row = query(
        "INSERT INTO characters (account_id, name, name_key, room_key, created_at, saved_at) \
         VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT (name_key) DO NOTHING RETURNING id",
    )
    .bind(account.0)
    .bind(name.as_str())
    .bind(name.key())
    .bind(room_key)
    .bind(now.0)
    .fetch_optional(connection)
    .await?;
    Ok(match row {
        Some(row) => CharacterCreation::Created(CharacterId(row.try_get(0)?)),
        None => CharacterCreation::NameTaken,
    })
}

pub(in crate::store) async fn list(
    connection: &mut Connection,
    account: AccountId,
) -> Result<Vec<CharacterRecord>, sqlx::Error> {
    let rows = query(
        "SELECT id, account_id, name, room_key, steps, played_seconds, \
         settings, created_at, saved_at FROM characters WHERE account_id = $1 ORDER BY id",
    )
    .bind(account.0)
    .fetch_all(connection)
    .await?;
    rows.iter().map(record).collect()
}

pub(in crate::store) async fn find(
    connection: &mut Connection,
    name: &Name,
) -> Result<Option<CharacterRecord>, sqlx::Error> {
    let row = query(
        "SELECT id, account_id, name, room_key, steps, played_seconds, \
         settings, created_at, saved_at FROM characters WHERE name_key = $1",
    )
    .bind(name.key())
    .fetch_optional(connection)
    .await?;
    row.as_ref().map(record).transpose()
}

/// The character and its items, as of one moment.
pub(in crate::store) async fn load(
    connection: &mut Connection,
    character: CharacterId,
) -> Result<Option<CharacterSheet>, sqlx::Error> {
    let row = query(
        "SELECT id, account_id, name, room_key, steps, played_seconds, \
         settings, created_at, saved_at FROM characters WHERE id = $1",
    )
    .bind(character.0)
    .fetch_optional(&mut *connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let character = record(&row)?;
    let items = super::item::of_character(connection, character.id).await?;
    Ok(Some(CharacterSheet { character, items }))
}

fn record(row: &Row) -> Result<CharacterRecord, sqlx::Error> {
    let name: String = row.try_get(2)?;
    let settings: String = row.try_get(6)?;
    Ok(CharacterRecord {
        id: CharacterId(row.try_get(0)?),
        account: AccountId(row.try_get(1)?),
        name: stored_name(&name)?,
        room_key: row.try_get(3)?,
        score: Score {
            steps: row.try_get(4)?,
            played_seconds: row.try_get(5)?,
        },
        // Settings that cannot be read must not keep a player out.
        settings: serde_json::from_str(&settings).unwrap_or_default(),
        created_at: UnixMillis(row.try_get(7)?),
        saved_at: UnixMillis(row.try_get(8)?),
    })
}

pub(in crate::store) async fn save_all(
    connection: &mut Connection,
    saves: &[CharacterSave],
    now: UnixMillis,
) -> Result<(), sqlx::Error> {
    for one in saves {
        save(&mut *connection, one, now).await?;
    }
    Ok(())
}

async fn save(
    connection: &mut Connection,
    save: &CharacterSave,
    now: UnixMillis,
) -> Result<(), sqlx::Error> {
    let settings = serde_json::to_string(&save.settings)
        .map_err(|source| sqlx::Error::Encode(Box::new(source)))?;
    let done = query(
        "UPDATE characters SET room_key = $1, steps = $2, played_seconds = $3, settings = $4, \
         saved_at = $5 WHERE id = $6",
    )
    .bind(save.room_key.as_str())
    .bind(save.score.steps)
    .bind(save.score.played_seconds)
    .bind(settings)
    .bind(now.0)
    .bind(save.id.0)
    .execute(connection)
    .await?;
    one_row(done)
}
