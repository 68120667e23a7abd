//! `[edge]` A hub that is killed and started again and again, and what a player on a node hears of
//! what is said on it.
//!
//! ```text
//! talker (a pretended game) ─→ hub ─→ node ─→ listener (a guest)
//!        └───────────── ledger: what was said, when, and how often it was heard
//! ```
//! The talker does not say anything twice, so that what is heard twice was doubled on the way.

mod hub;
mod ledger;
mod listener;
mod options;
mod report;
mod run;
mod talker;

pub use options::{ChopFlags, ChopOptions};
pub use report::ChopReport;
pub use run::{ChopError, run_chop};
