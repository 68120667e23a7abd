//! `[process]` The hall: the list of rooms, and who finds a seat in which. It only knows what rooms
//! told it; a room alone decides, and sends back for whom it has no seat.
//!
//! *Headquarters* is always open. When no open room has a seat, another one opens by itself; one
//! that is empty closes again, unless all others are full.

mod open;
mod places;
mod process;
mod state;
#[cfg(test)]
mod tests;
mod watch;

pub use open::{Hall, HallSettings};
pub use state::{Effect, HallState, Input};
