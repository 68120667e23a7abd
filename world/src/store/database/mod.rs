//! `[edge]` The database behind the store: a SQLite file, or a PostgreSQL server that several nodes
//! share.
//!
//! The queries in [`sql`](super::sql) are written once, with `$1` and texts and whole numbers only,
//! and run on either through [`query`]. Where the two need different words, each has them in its
//! [`Dialect`]: nothing above asks which of the two it talks to.

mod connection;
mod dialect;
mod fault;
mod postgres;
mod query;
mod schema;
mod sqlite;

pub(super) use connection::{Connection, Connector, Create};
pub(super) use dialect::Dialect;
pub(super) use fault::{Fault, damaged, is_of_the_future, sort};
pub use postgres::OpenServerError;
pub(super) use query::{Row, query};
pub(super) use sqlite::Connector as FileConnector;
