//! `[pure]` What storage answers.

use std::path::PathBuf;

use crate::ids::{AccountId, CharacterId};

/// Why storage has no answer. What the rules of the data refuse is no error but an outcome, such as
/// [`Transfer::Moved`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// **Busy**: the queue or the park is full. Nothing was done; try later.
    #[error("storage is busy")]
    Busy,
    /// **Busy**: the database cannot be read at present. Only reads answer this; writes park.
    #[error("storage cannot be reached: {reason}")]
    Unavailable {
        /// What the database says.
        reason: String,
    },
    /// **Refused**: somebody else has claimed the zone or the character under a higher number.
    /// Nothing was done, and who asked must not write for it any more.
    #[error("another node has taken over what this write is for")]
    Fenced,
    /// The store stopped or crashed before it answered: a write is done or not, nobody knows.
    /// Read again before deciding.
    #[error("storage stopped before it answered")]
    Lost,
    /// **Bug** of the asker: an account or character of this number does not exist.
    #[error("no such account or character")]
    Missing,
    /// **Bug**: the database refused the request, or a row holds what nobody wrote. Nothing was
    /// done.
    #[error("storage fault: {reason}")]
    Fault {
        /// What is wrong.
        reason: String,
    },
}

/// Answer to the making of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountCreation {
    /// Made.
    Created(AccountId),
    /// Somebody has the name.
    NameTaken,
}

/// Answer to the making of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CharacterCreation {
    /// Made.
    Created(CharacterId),
    /// Somebody has the name.
    NameTaken,
    /// The account has as many characters as it may have.
    TooMany,
}

/// Answer to a transfer or the destruction of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// Done; of all who asked for the same item from the same owner, only one reads this.
    Done,
    /// The expected owner does not hold the item: somebody was faster, or it is gone. Nothing was
    /// done.
    Moved,
    /// The new owner does not exist, lies inside the item, or lies too deep. Nothing was done.
    NoPlace,
}

/// Whose resume token was redeemed. It is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redeemed {
    /// The account that it was issued to.
    pub account: AccountId,
    /// The character that it was issued to.
    pub character: CharacterId,
}

/// Why there is no backup.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackupError {
    /// **Busy**: another backup is running and one more waits.
    #[error("another backup is running")]
    Busy,
    /// **Refused**: a backup never replaces a file.
    #[error("{} exists already; choose another name", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// **Refused**: the copy could not be written there; nothing is left of it.
    #[error("cannot write {}: {reason}", path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// What the database or the system says.
        reason: String,
    },
    /// **Refused**: the database is a server, which has tools of its own for this.
    #[error(
        "the database is a PostgreSQL server; back it up with its own tool: \
         pg_dump --format=custom --file=FILE DATABASE"
    )]
    Server,
    /// The store stopped before the backup was done; look whether the file exists.
    #[error("storage stopped before the backup was done")]
    Stopped,
}
