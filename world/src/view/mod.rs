//! `[pure]` How events read: an [`Event`](crate::event::Event) becomes the bytes of one viewer
//! class. Nothing here decides anything and nothing here knows of sockets; equal events give equal
//! bytes to all viewers of a class, so that one rendering is shared ([`Notice`], [`Batch`]).
//!
//! ```text
//! Event ─ render ─► one file per part of the event ─► Page (safe text, lines, lists) ─► Painter
//! ```
//!
//! Text that players or content made goes through `Page::quote` and its like, which keep
//! it on one line and free of control characters; only texts of this module go to the page as they
//! are. In screen-reader mode each thing has a line of its own, in a whole sentence.

mod batch;
mod bridge;
mod did;
mod login;
mod notice;
mod page;
mod refusal;
mod render;
mod room;
mod seen;
mod shared;
mod system;
mod talk;
mod told;
mod wrap;

#[cfg(test)]
mod tests;

pub use batch::Batch;
pub use notice::Notice;
pub use render::{PROMPT, ends_in_prompt, render, render_prompt};
pub use shared::CLASSES_MAX;
pub use wrap::COLUMNS;
