//! `[edge]` A pretended hub that floods whoever connects with messages.
//!
//! It takes any credentials, welcomes, beats and answers like a hub, so that what a game does about
//! the flood is all that can be seen.

mod options;
mod report;
mod run;
mod visit;

pub use options::{FloodFlags, FloodOptions};
pub use report::FloodReport;
pub use run::{FloodError, run_flood};
