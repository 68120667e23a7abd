//! `[edge]` PostgreSQL: a server that the nodes of a cluster share.

mod connect;
mod dialect;
mod fault;
mod open;

pub(in crate::store) use connect::Connector;
pub(super) use dialect::POSTGRES;
pub(super) use fault::{NUMBER_OF_LATER, sort};
pub use open::OpenServerError;
pub(super) use open::prepare;
