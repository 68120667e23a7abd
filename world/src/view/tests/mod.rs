//! `[pure]` The tests of the whole view. A new variant of an event belongs into a table here.

mod answers;
mod deeds;
mod dialogue;
mod elsewhere;
mod hostile;
pub(super) mod sample;
mod scene;
mod talk;
