//! `[edge]` PostgreSQL: a server that the nodes of a cluster share.

mod connect;
mod dialect;
mod fault;
mod open;

pub(super) use connect::in_time;
pub(in crate::store) use connect::{Client, Connector};
pub(super) use dialect::POSTGRES;
pub(super) use fault::{NUMBER_OF_LATER, sort};
pub use open::OpenServerError;
pub(super) use open::prepare;
