//! `[pure]` One connection to a hub, as a state machine.
//!
//! ```text
//!             authenticate               success
//!   opened ────────────────► asking ──────────────────► online ──┐ beats, talk, questions
//!                              │                          │  ◄───┘
//!          refused, no answer, │                          │ silence, flood, closed
//!                              ▼                          ▼
//!                            ended (why, and what to wait for before the next try)
//! ```
//! [`Machine::step`] takes one [`Input`] and pushes [`Effect`]s; [`Machine::wake_at`] says when it
//! wants to be stepped at the latest. What outlives the connection is its
//! [`Memory`](super::memory::Memory).
//!
//! Nothing here knows about sockets, tethers or back-off.

mod ask;
mod effect;
mod entrance;
mod hear;
mod history;
mod rules;
mod state;
mod talk;
#[cfg(test)]
mod tests;
mod time;

pub(super) use effect::{BAD_CREDENTIALS, Effect, Ending, Input, Order, TellId, TellOrder};
pub(super) use rules::{Identity, Rules};
pub(super) use state::Machine;
pub(super) use talk::beat;
