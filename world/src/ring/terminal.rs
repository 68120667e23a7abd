//! `[pure]` What a connection tells the session of its terminal.

use crate::text::{Charset, Depth};

/// What a terminal can show, as `color` and `screenreader` report it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalNow {
    /// Colours in use.
    pub depth: Depth,
    /// Characters in use.
    pub charset: Charset,
    /// Screen-reader mode in use.
    pub screen_reader: bool,
}
