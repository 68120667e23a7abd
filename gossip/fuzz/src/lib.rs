//! `[pure]` The pure modules under test, compiled from their source files.
//!
//! Taken by path and not from the crate `belay-gossip`, so that fuzzing builds in a minute: the
//! crate depends on a database and a web server.

#[path = "../../src/limits.rs"]
pub mod limits;
#[path = "../../src/protocol/mod.rs"]
pub mod protocol;

pub mod check;
pub mod hub;
