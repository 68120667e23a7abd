//! `[pure]` One event on its way to many viewers.

use super::render::render;
use super::shared::Shared;
use crate::content::World;
use crate::event::Event;
use crate::text::ViewerClass;
use bytes::Bytes;

/// One event for many viewers, shared behind an `Arc`. Its bytes are rendered once for each of the
/// first [`CLASSES_MAX`](super::CLASSES_MAX) classes that ask, and shared from then on.
#[derive(Debug)]
pub struct Notice {
    event: Event,
    rendered: Shared<Bytes>,
}

impl Notice {
    /// A notice of `event`; nothing is rendered yet.
    pub fn new(event: Event) -> Self {
        Self {
            event,
            rendered: Shared::new(),
        }
    }

    /// What happened.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// What viewers of this class are shown, as [`render`](super::render()) writes it. All calls
    /// for one notice must give the same world.
    pub fn bytes(&self, viewer: ViewerClass, world: &World) -> Bytes {
        let render = || {
            let mut out = Vec::with_capacity(LINE_BYTES_USUAL);
            render(&self.event, viewer, world, &mut out);
            Bytes::from(out)
        };
        self.rendered.with(viewer, render, Bytes::clone)
    }
}

/// Room for most lines, so that they are rendered with one allocation.
pub(super) const LINE_BYTES_USUAL: usize = 160;

#[cfg(test)]
mod tests {
    use super::super::tests::sample::{self, ALOUD, PLAIN, classes};
    use super::*;
    use crate::event::Seen;

    fn says(text: &str) -> Notice {
        Notice::new(Event::Seen(Seen::Says {
            who: "Ann".into(),
            text: text.into(),
        }))
    }

    #[test]
    fn viewers_of_a_class_share_the_very_bytes() {
        let world = sample::world();
        let notice = says("hello");
        let first = notice.bytes(PLAIN, &world);
        let other = notice.bytes(ALOUD, &world);
        let second = notice.bytes(PLAIN, &world);
        assert_eq!(&first[..], b"Ann says, \"hello\"\r\n");
        assert_eq!(first.as_ptr(), second.as_ptr());
        assert_ne!(first.as_ptr(), other.as_ptr());
    }

    #[test]
    fn more_classes_than_slots_still_get_their_own_bytes() {
        let world = sample::world();
        let notice = says("caf\u{e9}");
        for _ in 0..2 {
            for class in classes() {
                let mut alone = Vec::new();
                render(notice.event(), class, &world, &mut alone);
                assert_eq!(notice.bytes(class, &world), alone, "{class:?}");
            }
        }
    }

    #[test]
    fn one_rendering_serves_all_threads() {
        let world = sample::world();
        let notice = says("hello");
        let places: Vec<usize> = std::thread::scope(|scope| {
            let ask = || notice.bytes(PLAIN, &world).as_ptr().addr();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        });
        assert!(places.iter().all(|place| *place == places[0]), "{places:?}");
    }
}
