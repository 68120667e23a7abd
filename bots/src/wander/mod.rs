//! `[edge]` The wandering crowd: bots that log in, walk, talk and look, and what they measured.
//!
//! ```text
//! options ─→ crowd (phases, ramp) ─→ seat (one task a bot) ─→ tally ─→ report
//!                 └→ crash (control socket)    └→ play (what to do, what is the answer)
//! ```

mod crash;
mod crowd;
mod flags;
mod mix;
mod options;
mod play;
mod report;
mod run;
mod seat;
mod tally;

pub use crowd::{Progress, Stage, WanderError, run_wander};
pub use flags::RawOptions;
pub use mix::Mix;
pub(crate) use options::pace;
pub use options::{Arrival, CrashPlan, Identity, Options, Pace};
pub(crate) use play::{Answer, Player, Tag};
pub use report::{BytesPerPlayer, Details, NodeFigures, Report};
