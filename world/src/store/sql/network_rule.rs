//! `[edge]` Queries about the rules for the network of games.

use crate::store::database::{Connection, Row, damaged, query};
use crate::store::limits::NETWORK_RULES_MAX;
use crate::store::network_rule::{NetworkRule, NewNetworkRule, RuleChange, RuleKind, RuleSubject};
use crate::store::record::UnixMillis;

/// Whether there was room for a new one, or the one to be lifted was there.
pub(in crate::store) async fn set(
    connection: &mut Connection,
    change: &RuleChange,
    now: UnixMillis,
) -> Result<bool, sqlx::Error> {
    match change {
        RuleChange::Add(rule) => add(connection, rule, now).await,
        RuleChange::Lift(subject) => remove(connection, subject).await,
    }
}

async fn add(
    connection: &mut Connection,
    rule: &NewNetworkRule,
    now: UnixMillis,
) -> Result<bool, sqlx::Error> {
    let done = query(
        "INSERT INTO network_rules (kind, subject_key, subject, reason, made_by, made_at) \
         SELECT $1, $2, $3, $4, $5, $6 WHERE (SELECT COUNT(*) FROM network_rules) < $7 \
         OR EXISTS (SELECT 1 FROM network_rules WHERE kind = $1 AND subject_key = $2) \
         ON CONFLICT (kind, subject_key) DO UPDATE SET subject = excluded.subject, \
         reason = excluded.reason, made_by = excluded.made_by, made_at = excluded.made_at",
    )
    .bind(rule.subject.kind.as_str())
    .bind(rule.subject.key())
    .bind(rule.subject.name.as_str())
    .bind(rule.reason.as_str())
    .bind(rule.by.as_str())
    .bind(now.0)
    .bind(NETWORK_RULES_MAX)
    .execute(connection)
    .await?;
    Ok(done > 0)
}

async fn remove(connection: &mut Connection, subject: &RuleSubject) -> Result<bool, sqlx::Error> {
    let done = query("DELETE FROM network_rules WHERE kind = $1 AND subject_key = $2")
        .bind(subject.kind.as_str())
        .bind(subject.key())
        .execute(connection)
        .await?;
    Ok(done > 0)
}

pub(in crate::store) async fn list(
    connection: &mut Connection,
) -> Result<Vec<NetworkRule>, sqlx::Error> {
    let rows = query(
        "SELECT kind, subject, reason, made_by, made_at FROM network_rules \
         ORDER BY kind, subject_key LIMIT $1",
    )
    .bind(NETWORK_RULES_MAX)
    .fetch_all(connection)
    .await?;
    rows.iter().map(record).collect()
}

fn record(row: &Row) -> Result<NetworkRule, sqlx::Error> {
    let kind: String = row.try_get(0)?;
    let kind = RuleKind::from_stored(&kind).ok_or_else(|| damaged("network_rules.kind", &kind))?;
    let name = row.try_get(1)?;
    Ok(NetworkRule {
        subject: RuleSubject { kind, name },
        reason: row.try_get(2)?,
        by: row.try_get(3)?,
        at: UnixMillis(row.try_get(4)?),
    })
}
