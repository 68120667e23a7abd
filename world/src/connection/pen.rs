//! `[pure]` Turns what a connection is told into the bytes of its viewer.

use crate::content::World;
use crate::event::Event;
use crate::text::ViewerClass;
use crate::view;

/// Writes for one viewer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pen<'a> {
    pub(super) viewer: ViewerClass,
    pub(super) world: &'a World,
}

impl Pen<'_> {
    /// Appends an event; what does not end its line is a prompt.
    pub(super) fn event(self, event: &Event, out: &mut Vec<u8>) {
        view::render(event, self.viewer, self.world, out);
    }

    /// Appends the play prompt.
    pub(super) fn prompt(self, out: &mut Vec<u8>) {
        view::render_prompt(self.viewer, out);
    }
}
