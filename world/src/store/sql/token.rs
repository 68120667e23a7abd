//! `[edge]` Queries about resume tokens.

use crate::account::TokenHash;
use crate::ids::{AccountId, CharacterId};
use crate::store::database::{Connection, query};
use crate::store::outcome::Redeemed;
use crate::store::record::{NewToken, UnixMillis};

/// Stores a token in place of the one that the character had. The character must be the account's.
pub(in crate::store) async fn issue(
    connection: &mut Connection,
    token: &NewToken,
    now: UnixMillis,
) -> Result<(), sqlx::Error> {
    let done = query(
        "INSERT INTO resume_tokens (character_id, account_id, hash, created_at, expires_at) \
         SELECT id, account_id, $1, $2, $3 FROM characters WHERE id = $4 AND account_id = $5 \
         ON CONFLICT (character_id) DO UPDATE SET hash = excluded.hash, \
         account_id = excluded.account_id, created_at = excluded.created_at, \
         expires_at = excluded.expires_at",
    )
    .bind(token.hash.to_hex())
    .bind(now.0)
    .bind(now.after(token.lasts).0)
    .bind(token.holder.character.0)
    .bind(token.holder.account.0)
    .execute(connection)
    .await?;
    super::account::one_row(done)
}

/// Uses a token up; an expired one is used up as well and redeems nothing.
pub(in crate::store) async fn redeem(
    connection: &mut Connection,
    hash: &TokenHash,
    now: UnixMillis,
) -> Result<Option<Redeemed>, sqlx::Error> {
    let row = query(
        "DELETE FROM resume_tokens WHERE hash = $1 RETURNING account_id, character_id, expires_at",
    )
    .bind(hash.to_hex())
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let redeemed = Redeemed {
        account: AccountId(row.try_get(0)?),
        character: CharacterId(row.try_get(1)?),
    };
    let expires_at = UnixMillis(row.try_get(2)?);
    Ok((now < expires_at).then_some(redeemed))
}

/// Takes back all tokens of an account.
pub(in crate::store) async fn revoke(
    connection: &mut Connection,
    account: AccountId,
) -> Result<(), sqlx::Error> {
    query("DELETE FROM resume_tokens WHERE account_id = $1")
        .bind(account.0)
        .execute(connection)
        .await
        .map(|_changed| ())
}
