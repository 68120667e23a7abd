//! `[edge]` A PostgreSQL server of one's own, from the installed binaries, for tests and for trying
//! a cluster on one machine. It lives in a temporary directory, listens on a free port of loopback,
//! lets everybody there in (but a user called `guarded`, who needs a password), and ends with who
//! started it, even when that is killed.

mod error;
mod server;
mod system;

pub use error::PostgresError;
pub use server::PostgresServer;
