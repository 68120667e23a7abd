//! `[edge]` Queries about items. Each item is one row with one owner; every change of the owner
//! names the one before it, so that of several who want the same item one gets it.

use crate::ids::{CharacterId, ItemId};
use crate::store::database::{Connection, Row, damaged, query};
use crate::store::limits::{CONTAINER_DEPTH_MAX, ITEMS_READ_MAX};
use crate::store::outcome::Transfer;
use crate::store::record::{ItemRecord, ItemTransfer, NewItem, Owner, TopUp, UnixMillis};

pub(in crate::store) async fn create_all(
    connection: &mut Connection,
    items: &[NewItem],
    now: UnixMillis,
) -> Result<Vec<ItemId>, sqlx::Error> {
    let mut created = Vec::with_capacity(items.len());
    for item in items {
        created.push(create(&mut *connection, item, now).await?);
    }
    Ok(created)
}

async fn create(
    connection: &mut Connection,
    item: &NewItem,
    now: UnixMillis,
) -> Result<ItemId, sqlx::Error> {
    let row = query(
        "INSERT INTO items (prototype, owner_kind, owner, origin, created_at) \
         VALUES ($1, $2, $3, $4, $5) RETURNING id",
    )
    .bind(item.prototype.as_str())
    .bind(item.owner.kind())
    .bind(item.owner.key())
    .bind(item.origin.as_deref())
    .bind(now.0)
    .fetch_one(connection)
    .await?;
    Ok(ItemId(row.try_get(0)?))
}

pub(in crate::store) async fn top_up_all(
    connection: &mut Connection,
    promises: &[TopUp],
    now: UnixMillis,
) -> Result<Vec<Vec<ItemId>>, sqlx::Error> {
    let mut created = Vec::with_capacity(promises.len());
    for promise in promises {
        created.push(top_up(&mut *connection, promise, now).await?);
    }
    Ok(created)
}

/// One statement counts and creates: a new world has thousands of promises, and each statement
/// costs a round trip to the database's thread.
async fn top_up(
    connection: &mut Connection,
    promise: &TopUp,
    now: UnixMillis,
) -> Result<Vec<ItemId>, sqlx::Error> {
    let rows = query(
        "INSERT INTO items (prototype, owner_kind, owner, origin, created_at) \
         WITH RECURSIVE place (number) AS ( \
            SELECT 1 UNION ALL SELECT number + 1 FROM place WHERE number < $1 \
         ) SELECT $2, 'room', $3, $3, $4 FROM place WHERE number <= $1 AND number > \
            (SELECT COUNT(*) FROM items WHERE origin = $3 AND prototype = $2) \
         RETURNING id",
    )
    .bind(i64::from(promise.at_most))
    .bind(promise.prototype.as_str())
    .bind(promise.room_key.as_str())
    .bind(now.0)
    .fetch_all(connection)
    .await?;
    rows.iter().map(|row| Ok(ItemId(row.try_get(0)?))).collect()
}

/// Rooms are content, so any key is one; characters and containers must exist, and no item may come
/// to lie inside itself, where nobody would find it again.
pub(in crate::store) async fn transfer(
    connection: &mut Connection,
    transfer: &ItemTransfer,
) -> Result<Transfer, sqlx::Error> {
    if let Owner::Container(container) = &transfer.to
        && !fits(&mut *connection, transfer.item, *container).await?
    {
        return Ok(Transfer::NoPlace);
    }
    // One statement in the common cases: each costs a round trip to the database's thread.
    let done = query(
        "UPDATE items SET owner_kind = $1, owner = $2 \
         WHERE id = $3 AND owner_kind = $4 AND owner = $5 \
         AND ($1 <> 'character' OR EXISTS (SELECT 1 FROM characters WHERE id = $6))",
    )
    .bind(transfer.to.kind())
    .bind(transfer.to.key())
    .bind(transfer.item.0)
    .bind(transfer.from.kind())
    .bind(transfer.from.key())
    .bind(match &transfer.to {
        Owner::Character(character) => Some(character.0),
        Owner::Room(_) | Owner::Container(_) => None,
    })
    .execute(&mut *connection)
    .await?;
    if done == 1 {
        return Ok(Transfer::Done);
    }
    match &transfer.to {
        Owner::Character(character) if !character_exists(connection, *character).await? => {
            Ok(Transfer::NoPlace)
        }
        Owner::Character(_) | Owner::Room(_) | Owner::Container(_) => Ok(Transfer::Moved),
    }
}

async fn character_exists(
    connection: &mut Connection,
    character: CharacterId,
) -> Result<bool, sqlx::Error> {
    let row = query("SELECT 1 FROM characters WHERE id = $1")
        .bind(character.0)
        .fetch_optional(connection)
        .await?;
    Ok(row.is_some())
}

/// Whether the container exists, does not lie in the item, and does not lie too deep. That stays
/// true until the transaction ends, whatever other nodes do.
async fn fits(
    connection: &mut Connection,
    item: ItemId,
    container: ItemId,
) -> Result<bool, sqlx::Error> {
    if let Some(hold) = connection.dialect().hold_containers {
        query(hold).execute(&mut *connection).await?;
        let held = query(connection.dialect().hold_item).bind(container.0);
        if held.fetch_optional(&mut *connection).await?.is_none() {
            return Ok(false);
        }
    }
    let rows = query(
        "WITH RECURSIVE above (id, owner_kind, owner, depth) AS ( \
            SELECT id, owner_kind, owner, 1 FROM items WHERE id = $1 \
            UNION ALL \
            SELECT items.id, items.owner_kind, items.owner, above.depth + 1 \
            FROM items JOIN above ON above.depth <= $2 AND items.id = \
                CASE WHEN above.owner_kind = 'container' THEN CAST(above.owner AS BIGINT) END \
         ) SELECT id FROM above",
    )
    .bind(container.0)
    .bind(CONTAINER_DEPTH_MAX)
    .fetch_all(connection)
    .await?;
    let mut inside_itself = false;
    for row in &rows {
        inside_itself |= row.try_get::<i64>(0)? == item.0;
    }
    let depth = i64::try_from(rows.len()).unwrap_or(i64::MAX);
    Ok(!inside_itself && (1..=CONTAINER_DEPTH_MAX).contains(&depth))
}

/// Removes the item; what lay in it falls to its owner.
pub(in crate::store) async fn destroy(
    connection: &mut Connection,
    item: ItemId,
    owner: &Owner,
) -> Result<Transfer, sqlx::Error> {
    let done = query("DELETE FROM items WHERE id = $1 AND owner_kind = $2 AND owner = $3")
        .bind(item.0)
        .bind(owner.kind())
        .bind(owner.key())
        .execute(&mut *connection)
        .await?;
    if done == 0 {
        return Ok(Transfer::Moved);
    }
    query(
        "UPDATE items SET owner_kind = $1, owner = $2 \
         WHERE owner_kind = 'container' AND owner = $3",
    )
    .bind(owner.kind())
    .bind(owner.key())
    .bind(item.0.to_string())
    .execute(connection)
    .await?;
    Ok(Transfer::Done)
}

pub(in crate::store) async fn of_character(
    connection: &mut Connection,
    character: CharacterId,
) -> Result<Vec<ItemRecord>, sqlx::Error> {
    let rows = query(
        "WITH RECURSIVE held (id) AS ( \
            SELECT id FROM items WHERE owner_kind = 'character' AND owner = $1 \
            UNION \
            SELECT items.id FROM items JOIN held \
                ON items.owner_kind = 'container' AND items.owner = CAST(held.id AS TEXT) \
         ) SELECT id, prototype, owner_kind, owner, origin FROM items \
         WHERE id IN (SELECT id FROM held) ORDER BY id LIMIT $2",
    )
    .bind(character.0.to_string())
    .bind(limit())
    .fetch_all(connection)
    .await?;
    records(&rows)
}

pub(in crate::store) async fn of_room(
    connection: &mut Connection,
    room_key: &str,
) -> Result<Vec<ItemRecord>, sqlx::Error> {
    let rows = query(
        "WITH RECURSIVE held (id) AS ( \
            SELECT id FROM items WHERE owner_kind = 'room' AND owner = $1 \
            UNION \
            SELECT items.id FROM items JOIN held \
                ON items.owner_kind = 'container' AND items.owner = CAST(held.id AS TEXT) \
         ) SELECT id, prototype, owner_kind, owner, origin FROM items \
         WHERE id IN (SELECT id FROM held) ORDER BY id LIMIT $2",
    )
    .bind(room_key)
    .bind(limit())
    .fetch_all(connection)
    .await?;
    records(&rows)
}

/// The things on the floors of one zone's rooms.
pub(in crate::store) async fn of_zone(
    connection: &mut Connection,
    zone_key: &str,
) -> Result<Vec<ItemRecord>, sqlx::Error> {
    // The keys of a zone's rooms are those between its key with a slash and with the character
    // after the slash.
    let rows = query(
        "WITH RECURSIVE held (id) AS ( \
            SELECT id FROM items WHERE owner_kind = 'room' AND owner >= $1 AND owner < $2 \
            UNION \
            SELECT items.id FROM items JOIN held \
                ON items.owner_kind = 'container' AND items.owner = CAST(held.id AS TEXT) \
         ) SELECT id, prototype, owner_kind, owner, origin FROM items \
         WHERE id IN (SELECT id FROM held) ORDER BY id LIMIT $3",
    )
    .bind(format!("{zone_key}/"))
    .bind(format!("{zone_key}0"))
    .bind(limit())
    .fetch_all(connection)
    .await?;
    records(&rows)
}

pub(in crate::store) async fn of_all_rooms(
    connection: &mut Connection,
) -> Result<Vec<ItemRecord>, sqlx::Error> {
    let rows = query(
        "WITH RECURSIVE held (id) AS ( \
            SELECT id FROM items WHERE owner_kind = 'room' \
            UNION \
            SELECT items.id FROM items JOIN held \
                ON items.owner_kind = 'container' AND items.owner = CAST(held.id AS TEXT) \
         ) SELECT id, prototype, owner_kind, owner, origin FROM items \
         WHERE id IN (SELECT id FROM held) ORDER BY id LIMIT $1",
    )
    .bind(limit())
    .fetch_all(connection)
    .await?;
    records(&rows)
}

/// One more than the bound, to see that there are more.
fn limit() -> i64 {
    i64::try_from(ITEMS_READ_MAX)
        .unwrap_or(i64::MAX)
        .saturating_add(1)
}

fn records(rows: &[Row]) -> Result<Vec<ItemRecord>, sqlx::Error> {
    if rows.len() > ITEMS_READ_MAX {
        return Err(damaged("the number of items read at once", &rows.len()));
    }
    rows.iter().map(record).collect()
}

fn record(row: &Row) -> Result<ItemRecord, sqlx::Error> {
    let kind: String = row.try_get(2)?;
    let owner: String = row.try_get(3)?;
    let owner = Owner::from_stored(&kind, owner).ok_or_else(|| damaged("items.owner", &kind))?;
    Ok(ItemRecord {
        id: ItemId(row.try_get(0)?),
        prototype: row.try_get(1)?,
        owner,
        origin: row.try_get(4)?,
    })
}
