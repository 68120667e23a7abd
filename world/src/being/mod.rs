//! `[pure]` What stands in rooms: the card that a being shows to rooms, things as instances, and
//! the sequenced journey from room to room.

mod card;
mod item;
mod journey;

pub use card::Card;
pub use item::{Item, Pile, piles};
pub use journey::{Entry, Journey, JourneyStep, Parting, Place};
