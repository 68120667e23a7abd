//! `[edge]` Queries about accounts.

use crate::account::Name;
use crate::ids::AccountId;
use crate::store::database::{Connection, Row, damaged, query};
use crate::store::outcome::AccountCreation;
use crate::store::record::{AccountRecord, Role, UnixMillis};

pub(in crate::store) async fn create(
    connection: &mut Connection,
    name: &Name,
    password_hash: &str,
    now: UnixMillis,
) -> Result<AccountCreation, sqlx::Error> {
    let row = query(
        "INSERT INTO accounts (name, name_key, password_hash, role, created_at) \
         VALUES ($1, $2, $3, 'player', $4) ON CONFLICT (name_key) DO NOTHING RETURNING id",
    )
    .bind(name.as_str())
    .bind(name.key())
    .bind(password_hash)
    .bind(now.0)
    .fetch_optional(connection)
    .await?;
    Ok(match row {
        Some(row) => AccountCreation::Created(AccountId(row.try_get(0)?)),
        None => AccountCreation::NameTaken,
    })
}

pub(in crate::store) async fn load(
    connection: &mut Connection,
    name: &Name,
) -> Result<Option<AccountRecord>, sqlx::Error> {
    let row = query(
        "SELECT id, name, password_hash, role, created_at, last_login FROM accounts \
         WHERE name_key = $1",
    )
    .bind(name.key())
    .fetch_optional(connection)
    .await?;
    row.as_ref().map(record).transpose()
}

pub(in crate::store) async fn load_by_id(
    connection: &mut Connection,
    account: AccountId,
) -> Result<Option<AccountRecord>, sqlx::Error> {
    let row = query(
        "SELECT id, name, password_hash, role, created_at, last_login FROM accounts \
         WHERE id = $1",
    )
    .bind(account.0)
    .fetch_optional(connection)
    .await?;
    row.as_ref().map(record).transpose()
}

fn record(row: &Row) -> Result<AccountRecord, sqlx::Error> {
    let name: String = row.try_get(1)?;
    let role: String = row.try_get(3)?;
    let last_login: Option<i64> = row.try_get(5)?;
    Ok(AccountRecord {
        id: AccountId(row.try_get(0)?),
        name: stored_name(&name)?,
        password_hash: row.try_get(2)?,
        role: Role::from_stored(&role).ok_or_else(|| damaged("accounts.role", &role))?,
        created_at: UnixMillis(row.try_get(4)?),
        last_login: last_login.map(UnixMillis),
    })
}

pub(in crate::store) fn stored_name(text: &str) -> Result<Name, sqlx::Error> {
    Name::restore(text).map_err(|_refused| damaged("a name", &text))
}

/// A new password makes all tokens of the account worthless.
pub(in crate::store) async fn set_password(
    connection: &mut Connection,
    account: AccountId,
    password_hash: &str,
) -> Result<(), sqlx::Error> {
    super::token::revoke(&mut *connection, account).await?;
    let done = query("UPDATE accounts SET password_hash = $1 WHERE id = $2")
        .bind(password_hash)
        .bind(account.0)
        .execute(connection)
        .await?;
    one_row(done)
}

pub(in crate::store) async fn touch_login(
    connection: &mut Connection,
    account: AccountId,
    now: UnixMillis,
) -> Result<(), sqlx::Error> {
    let done = query("UPDATE accounts SET last_login = $1 WHERE id = $2")
        .bind(now.0)
        .bind(account.0)
        .execute(connection)
        .await?;
    one_row(done)
}

pub(in crate::store) async fn set_role(
    connection: &mut Connection,
    name: &Name,
    role: Role,
) -> Result<Option<AccountId>, sqlx::Error> {
    let row = query("UPDATE accounts SET role = $1 WHERE name_key = $2 RETURNING id")
        .bind(role.as_str())
        .bind(name.key())
        .fetch_optional(connection)
        .await?;
    row.map(|row| row.try_get(0).map(AccountId)).transpose()
}

pub(in crate::store) async fn list_staff(
    connection: &mut Connection,
) -> Result<Vec<Name>, sqlx::Error> {
    let rows = query("SELECT name FROM accounts WHERE role = 'staff' ORDER BY name_key")
        .fetch_all(connection)
        .await?;
    rows.iter()
        .map(|row| stored_name(row.try_get(0)?))
        .collect()
}

/// A change of a row that must exist.
pub(in crate::store) fn one_row(rows: u64) -> Result<(), sqlx::Error> {
    if rows == 1 {
        Ok(())
    } else {
        Err(sqlx::Error::RowNotFound)
    }
}
