//! `[process]` The log of raft, below raft: numbered entries, a vote, how far is committed, and
//! one snapshot, all of them bytes whose meaning [`crate::raft`] knows.
//!
//! ```text
//! raft ─ change ─► Log ─► Image (memory: what is read)
//!                    └──► writer (its own thread) ─ one commit for all that waits ─► raft.redb
//!                           └─ done, for each change
//! ```
//!
//! What was changed can be read at once; that it is *kept* is known when `done` is called. In
//! memory alone (for simulated networks) there is no thread, and `done` is called before the
//! change returns. Nothing is ever read from the file but when it is opened.

mod disk;
mod handle;
mod image;
#[cfg(test)]
mod toy;

#[cfg(test)]
pub(crate) use disk::OpenError;
pub(crate) use disk::{create, open};
pub(crate) use handle::{Log, LogError};
pub(crate) use image::{Change, Snapshot};
#[cfg(test)]
pub(crate) use toy::{Health, ToyDisk};
