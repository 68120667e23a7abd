//! `[edge]` Queries about bans.

use crate::store::ban::{Ban, BanSubject, NewBan};
use crate::store::database::{Connection, Row, damaged, query};
use crate::store::limits::BANS_READ_MAX;
use crate::store::record::UnixMillis;

pub(in crate::store) async fn add(
    connection: &mut Connection,
    ban: &NewBan,
    now: UnixMillis,
) -> Result<(), sqlx::Error> {
    query(
        "INSERT INTO bans (kind, value, reason, banned_by, banned_at, until) \
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (kind, value) DO UPDATE SET \
         reason = excluded.reason, banned_by = excluded.banned_by, \
         banned_at = excluded.banned_at, until = excluded.until",
    )
    .bind(ban.subject.kind())
    .bind(ban.subject.value())
    .bind(ban.reason.as_str())
    .bind(ban.by.as_str())
    .bind(now.0)
    .bind(ban.lasts.map(|lasts| now.after(lasts).0))
    .execute(connection)
    .await
    .map(|_changed| ())
}

pub(in crate::store) async fn remove(
    connection: &mut Connection,
    subject: &BanSubject,
) -> Result<bool, sqlx::Error> {
    let done = query("DELETE FROM bans WHERE kind = $1 AND value = $2")
        .bind(subject.kind())
        .bind(subject.value())
        .execute(connection)
        .await?;
    Ok(done > 0)
}

/// The bans that hold at `now`, newest first.
pub(in crate::store) async fn list(
    connection: &mut Connection,
    now: UnixMillis,
) -> Result<Vec<Ban>, sqlx::Error> {
    let rows = query(
        "SELECT kind, value, reason, banned_by, banned_at, until FROM bans \
         WHERE until IS NULL OR until > $1 ORDER BY banned_at DESC, kind, value LIMIT $2",
    )
    .bind(now.0)
    .bind(BANS_READ_MAX)
    .fetch_all(connection)
    .await?;
    rows.iter().map(record).collect()
}

fn record(row: &Row) -> Result<Ban, sqlx::Error> {
    let (kind, value): (String, String) = (row.try_get(0)?, row.try_get(1)?);
    let subject = BanSubject::from_stored(&kind, &value);
    let until: Option<i64> = row.try_get(5)?;
    Ok(Ban {
        subject: subject.ok_or_else(|| damaged("bans.value", &value))?,
        reason: row.try_get(2)?,
        by: row.try_get(3)?,
        at: UnixMillis(row.try_get(4)?),
        until: until.map(UnixMillis),
    })
}
