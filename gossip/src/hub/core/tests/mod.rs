//! `[pure]` Goal: every line of the protocol's conformance list. Method: scripts of games against
//! one hub (see `script.rs`), a table for each subject, and random frames against what must
//! always be true.

mod entrance;
mod script;
mod talk;

use script::{play, play_with};
