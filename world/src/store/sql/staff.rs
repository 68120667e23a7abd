//! `[edge]` Queries about what the staff did.

use super::account::stored_name;
use crate::store::database::{Connection, Row, query};
use crate::store::limits::STAFF_ACTIONS_READ_MAX;
use crate::store::record::{StaffAction, StaffActionRecord, UnixMillis};

pub(in crate::store) async fn record(
    connection: &mut Connection,
    action: &StaffAction,
    now: UnixMillis,
) -> Result<(), sqlx::Error> {
    query(
        "INSERT INTO staff_actions (staff, action, target, reason, acted_at) \
         VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(action.staff.as_str())
    .bind(action.action.as_str())
    .bind(action.target.as_str())
    .bind(action.reason.as_str())
    .bind(now.0)
    .execute(connection)
    .await
    .map(|_changed| ())
}

/// The newest ones first.
pub(in crate::store) async fn list(
    connection: &mut Connection,
) -> Result<Vec<StaffActionRecord>, sqlx::Error> {
    let rows = query(
        "SELECT staff, action, target, reason, acted_at FROM staff_actions \
         ORDER BY id DESC LIMIT $1",
    )
    .bind(STAFF_ACTIONS_READ_MAX)
    .fetch_all(connection)
    .await?;
    let one = |row: &Row| {
        let action = StaffAction {
            staff: stored_name(row.try_get(0)?)?,
            action: row.try_get(1)?,
            target: row.try_get(2)?,
            reason: row.try_get(3)?,
        };
        Ok(StaffActionRecord {
            action,
            at: UnixMillis(row.try_get(4)?),
        })
    };
    rows.iter().map(one).collect()
}
