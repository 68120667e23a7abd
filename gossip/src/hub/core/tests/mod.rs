//! `[pure]` Goal: every line of the protocol's conformance list. Method: scripts of games against
//! one hub (see `script.rs`), a table for each subject, and random frames against what must
//! always be true.

mod achievements;
#[expect(unreachable_pub, reason = "public in the fuzz crate, whose file it is")]
#[path = "../../../../fuzz/src/check.rs"]
mod check;
mod clients;
mod crowd;
mod entrance;
mod history;
mod limits;
mod mend;
mod odd;
mod operator;
mod players;
mod random;
mod script;
mod talk;
mod tells;

use script::{play, play_with};
