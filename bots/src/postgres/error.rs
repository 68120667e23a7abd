//! `[edge]` Why there is no server.

use std::io;

/// Why there is no server; its fault is the machine's.
#[derive(Debug, thiserror::Error)]
pub enum PostgresError {
    /// It is not installed.
    #[error("PostgreSQL is not installed (Debian: apt-get install postgresql)")]
    NotInstalled,
    /// Root has to run it as somebody else, and there is nobody.
    #[error("PostgreSQL does not run as root, and there is no account postgres or nobody")]
    NoAccount,
    /// A file or a program cannot be used.
    #[error("cannot {what}: {source}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// One of the programs of PostgreSQL failed.
    #[error("{program} failed: {said}")]
    Failed {
        /// Its name.
        program: &'static str,
        /// What it said.
        said: String,
    },
}
