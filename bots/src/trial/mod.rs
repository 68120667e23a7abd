//! `[edge]` Trials of a cluster: a whole one on this machine with a crowd on it, something done to
//! it again and again, and the figures beside the goals.
//!
//! ```text
//! options ─→ stage: nodes, database, world ─→ scenario: kill · shift · rolling · join · distance
//!                     │                            │ orders        ▲ what came when
//!                     └─ field (shared) ◄── life ◄─┴─ crowd, probes, counters
//!                                          └ comes back by token, on any node
//! ```
//! A command that is under way, or due, when a connection breaks is not forgotten: its time runs
//! from the moment in which it was first due until it is answered, on whichever node that is.

mod counters;
mod distance;
mod error;
mod field;
mod figures;
mod goals;
mod ground;
mod join;
mod kill;
mod ledger;
mod life;
mod metrics;
mod options;
mod placing;
mod probes;
mod report;
mod rolling;
mod run;
mod seen;
mod shift;
mod stage;
mod stats;
mod talk;
mod torus;
mod wanderer;

pub use error::TrialError;
pub use options::{Scenario, TrialFlags, TrialOptions};
pub use report::TrialReport;
pub use run::run_trial;
