//! `[pure]` The pure modules under test, compiled from their source files.
//!
//! Taken by path and not from the crate `belay-world`, so that fuzzing builds in seconds: these
//! modules depend on nothing, the crate depends on a database and a web server.

#[path = "../../src/telnet/mod.rs"]
pub mod telnet;
#[path = "../../src/text/mod.rs"]
pub mod text;

use telnet::{Codec, Input, limits};
use text::clean;

pub mod check;
