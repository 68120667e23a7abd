//! `[process]` Groups of processes: join, leave, send to all, and watch who comes and goes.

mod hears;
mod member;
mod scope;
mod table;
mod watch;

pub use member::{Delivery, Member};
pub use scope::{Groups, JoinError};
pub use watch::{Change, GroupEvent, Leave, WatchId};
