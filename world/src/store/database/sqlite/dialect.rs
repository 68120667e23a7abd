//! `[edge]` SQLite's words. Whoever writes holds the whole file, so nothing needs to be held apart.

use crate::store::database::Dialect;

pub(in crate::store::database) static SQLITE: Dialect = Dialect {
    begin_write: "BEGIN IMMEDIATE",
    begin_read: "BEGIN",
    // The number is in the file if and only if the group is.
    group_number: "UPDATE commit_groups SET number = number + 1 WHERE id = 1 RETURNING number",
    group_fate: "SELECT CASE WHEN number >= $1 THEN 'committed' ELSE 'aborted' END \
                 FROM commit_groups WHERE id = 1",
    statements_fail_alone: true,
    hold_containers: None,
    hold_item: "SELECT 1 FROM items WHERE id = $1",
    hold_account: "SELECT 1 FROM accounts WHERE id = $1",
    hold_zone: "SELECT epoch FROM zone_epochs WHERE zone = $1",
    hold_zone_to_claim: None,
    hold_characters: None,
    hold_character: "SELECT session_epoch FROM characters WHERE id = $1",
};
