//! `[pure]` A room of the lobby: who sits in it, what they are told, and what was said.
//!
//! ```text
//! message ─► process ─► RoomState::step(input, now) ─► effects ─► sockets, guests, hall
//!               ▲                     │
//!               └── timer ◄─ next_wake ┘      (none when nothing is pending)
//! ```
//! * Seats are counted here and nowhere else: members, kept seats and those who wait to come in are
//!   one number.
//! * What comes between two ticks is gathered. A tick frees the places of who left, lets some in,
//!   and says all of that in one frame; lists for newcomers are of the state after the tick.
//! * A place is used again only in, or after, the tick that says who left it.
//!
//! The state knows no mailbox and no clock: a port is whatever its owner says it is.

mod admit;
mod due;
mod effect;
mod frames;
mod kept;
mod member;
mod members;
mod moderate;
mod ports;
mod process;
mod state;
mod step;
#[cfg(test)]
mod tests;
mod tick;
mod verdict;
mod waiting;

pub use effect::{Answered, Coming, Effect, Input, Moderated, Now};
pub(in crate::lobby) use moderate::wrong_wish;
pub use ports::Ports;
pub use process::{RoomBody, RoomContext, RoomProcess, WallClock};
pub use state::{About, RoomState};
