//! `[edge]` The number of a group, by which its fate can be asked for, and the statements around
//! groups.

use crate::store::database::{Connection, damaged, is_of_the_future, query};
use crate::store::park::GroupNumber;

/// What became of a group whose commit was not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum Fate {
    /// It is in the database.
    Committed,
    /// It is not.
    Undone,
    /// The database has not decided.
    Open,
    /// The database does not remember.
    Forgotten,
}

/// Numbers this group.
pub(in crate::store) async fn number(
    connection: &mut Connection,
) -> Result<GroupNumber, sqlx::Error> {
    let statement = connection.dialect().group_number;
    let row = query(statement).fetch_one(connection).await?;
    Ok(GroupNumber(row.try_get(0)?))
}

/// What became of the group with this number.
pub(in crate::store) async fn fate(
    connection: &mut Connection,
    number: GroupNumber,
) -> Result<Fate, sqlx::Error> {
    let statement = connection.dialect().group_fate;
    let asked = query(statement).bind(number.0).fetch_one(connection).await;
    let row = match asked {
        // A server that came back from an older copy. This spoils the transaction, and the next try
        // makes the group.
        Err(error) if is_of_the_future(&error) => return Ok(Fate::Undone),
        asked => asked?,
    };
    let fate: Option<String> = row.try_get(0)?;
    match fate.as_deref() {
        Some("committed") => Ok(Fate::Committed),
        Some("aborted") => Ok(Fate::Undone),
        Some("in progress") => Ok(Fate::Open),
        Some(other) => Err(damaged("the fate of a group", &other)),
        None => Ok(Fate::Forgotten),
    }
}
