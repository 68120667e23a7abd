//! `[edge]` A whole cluster on one machine, to be looked at and to be broken: a PostgreSQL server,
//! some nodes, and bots on each, with what happens told a line at a time.
//!
//! ```text
//! postgres ◄── n1, n2, n3 (the executable `belay`) ◄── a crowd on each, round after round
//!                   └── belay cluster status --json ──► summary: said when it changes
//! ```
//! A node that ends is started again after a moment, as a service manager would.

mod crowd;
mod launch;
mod node;
mod options;
mod run;
mod summary;

pub use launch::ClusterError;
pub(crate) use launch::Launcher;
pub(crate) use node::NodeError;
pub use options::{ClusterFlags, ClusterOptions};
pub(crate) use options::{LaunchOptions, NODES_MAX};
pub use run::run_cluster;
pub(crate) use summary::Summary;
