//! `[edge]` Many pretended games on one channel of a hub.
//!
//! ```text
//! options ─→ drive (phases, ramp, sending) ─→ seat (one task a game) ─→ tally ─→ report
//! ```

mod drive;
pub(crate) mod options;
mod report;
mod run;
mod seat;

pub use drive::{LoadError, run_load};
pub use options::{LoadFlags, LoadOptions};
pub use report::{HubFigures, LoadReport};
