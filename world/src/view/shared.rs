//! `[pure]` One rendering for all viewers of a class. The value is computed by whoever asks first,
//! on any thread; nobody can see whether it was there before.

use crate::text::ViewerClass;
use std::sync::OnceLock;

/// Classes whose rendering is kept. In practice nearly all viewers are of two or three; the bytes
/// for a class beyond these are rendered for each viewer anew, which is slower and never wrong.
pub const CLASSES_MAX: usize = 4;

/// What was rendered for each class.
#[derive(Debug)]
pub(super) struct Shared<T> {
    slots: [OnceLock<(ViewerClass, T)>; CLASSES_MAX],
}

impl<T> Shared<T> {
    pub(super) fn new() -> Self {
        Self {
            slots: [const { OnceLock::new() }; CLASSES_MAX],
        }
    }

    /// Gives `take` the value for `viewer`, which `render` makes at its first use. A hit allocates
    /// nothing.
    pub(super) fn with<R>(
        &self,
        viewer: ViewerClass,
        render: impl Fn() -> T,
        take: impl FnOnce(&T) -> R,
    ) -> R {
        for slot in &self.slots {
            let (class, value) = slot.get_or_init(|| (viewer, render()));
            if *class == viewer {
                return take(value);
            }
        }
        take(&render())
    }
}
