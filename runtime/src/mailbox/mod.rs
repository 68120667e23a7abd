//! `[process]` Mailboxes: bounded queues that outlive the incarnations of their process.

mod address;
mod cell;
mod lane;
mod reply;
mod send;

pub use address::{Address, Mailbox, SendError, SendWithinError, TrySendError};
pub use lane::Capacity;
pub use reply::{CallError, Reply};

pub(crate) use cell::{Cell, Depth};
pub(crate) use lane::{Class, Refused};
