//! `[pure]` Text for players: what a viewer can show, making strangers' text safe, colour, charsets
//! and small English.
//!
//! The painter turns semantic styles into bytes for one [`ViewerClass`]; all viewers of a class
//! share those bytes. Nothing here knows about rooms, events or sockets, and nothing wraps words.

mod clean;
mod color;
mod encode;
mod fold;
mod painter;
mod style;
mod transliterate;
mod viewer;
mod words;

pub use clean::{COMBINING_MARKS_MAX, clean};
pub use color::{Ansi8, Rgb, ansi8, ansi16, ansi256};
pub use encode::encode_text;
pub use fold::{name_begins, same_name};
pub use painter::Painter;
pub use style::Style;
pub use transliterate::{Replacement, transliterate};
pub use viewer::{Charset, Depth, Viewer, ViewerClass};
pub use words::{article, list_in_words, with_article};
