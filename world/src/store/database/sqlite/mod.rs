//! `[edge]` SQLite: a file that one node has for itself.

mod connect;
mod dialect;
mod fault;
mod open;

pub(in crate::store) use connect::Connector;
pub(super) use dialect::SQLITE;
pub(super) use fault::sort;
pub(super) use open::prepare;
