//! `[edge]` PostgreSQL's words. Other nodes write at the same time, each statement sees what was
//! committed before it (read committed), and what must not change until the commit is locked.

use crate::store::database::Dialect;

pub(in crate::store::database) static POSTGRES: Dialect = Dialect {
    begin_write: "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
    begin_read: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    group_number: "SELECT CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT)",
    group_fate: "SELECT pg_xact_status(CAST(CAST($1 AS TEXT) AS xid8))",
    statements_fail_alone: false,
    hold_containers: Some("SELECT pg_advisory_xact_lock(7236837, 1)"),
    hold_item: "SELECT 1 FROM items WHERE id = $1 FOR KEY SHARE",
    hold_account: "SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE",
    hold_zone: "SELECT epoch FROM zone_epochs WHERE zone = $1 FOR SHARE",
    hold_zone_to_claim: Some("SELECT epoch FROM zone_epochs WHERE zone = $1 FOR NO KEY UPDATE"),
    // The rows are sorted first and locked as they come out.
    hold_characters: Some(
        "SELECT id, session_epoch FROM characters \
         WHERE id = ANY(CAST(string_to_array($1, ',') AS BIGINT[])) \
         ORDER BY id FOR NO KEY UPDATE",
    ),
    // Whoever looks mostly writes next: a shared lock would have to be raised, in the way of others
    // who share it.
    hold_character: "SELECT session_epoch FROM characters WHERE id = $1 FOR NO KEY UPDATE",
};
