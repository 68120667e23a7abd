//! `[pure]` A room: who stands in it, what lies in it, and what follows when somebody acts there.
//! `step` decides, `state` holds and changes, `crowd` gathers what many would hear, `process` owns
//! the mailbox.

mod ask;
mod crowd;
mod look;
mod process;
mod remote;
mod state;
mod step;
mod telling;
#[cfg(test)]
mod tests;

pub use ask::{Answer, Ask, CardNews, Cast, Reach, Undelivered};
pub use process::{LiveRoom, Restock, RoomContext, RoomProcess};
pub use state::{Change, Occupant, RoomRecord, RoomState};
pub use step::{CrowdRules, Decision, Effect, Scene, decide, decide_cast, decide_tick, mob_card};
