//! `[process]` Names for processes: maps with unique keys and with duplicate keys.
//!
//! These and the [groups](crate::Groups) are tables in several shares, each under a read-write
//! lock, whose entries are owned by processes: `shares` is the table, `claim` what ties an entry to
//! its owner, `roster` the list of those who stand under one key.

mod claim;
mod duplicate;
mod roster;
mod shares;
mod unique;

pub use claim::Registration;
pub use duplicate::{DuplicateRegistry, RegisterError};
pub use unique::{ClaimError, Registry};

pub(crate) use claim::{Claim, Claims, Holder, NotHeld};
pub(crate) use roster::Roster;
pub(crate) use shares::{Row, Shares};
