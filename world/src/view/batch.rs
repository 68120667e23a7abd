//! `[pure]` What happened in a crowded room within one tick, rendered as one piece. Each viewer
//! gets the piece without what they did themselves, cut from the shared bytes.

use super::notice::LINE_BYTES_USUAL;
use super::render::render;
use super::shared::Shared;
use crate::content::World;
use crate::event::Event;
use crate::ids::Being;
use crate::text::ViewerClass;
use bytes::Bytes;

/// The events of one tick, each with the being who is not to be shown it (they had their own
/// answer), shared behind an `Arc`. Rendered once per class like a [`Notice`](super::Notice).
#[derive(Debug)]
pub struct Batch {
    entries: Vec<(Option<Being>, Event)>,
    rendered: Shared<Rendered>,
}

/// All entries one after the other, and where each ends.
#[derive(Debug)]
struct Rendered {
    bytes: Bytes,
    ends: Box<[usize]>,
}

impl Batch {
    /// A batch of `entries` in the order in which they happened; nothing is rendered yet.
    pub fn new(entries: Vec<(Option<Being>, Event)>) -> Self {
        Self {
            entries,
            rendered: Shared::new(),
        }
    }

    /// What happened, and who is not shown it.
    pub fn entries(&self) -> &[(Option<Being>, Event)] {
        &self.entries
    }

    /// Gives `each` the pieces for one viewer in order: as few as can be, without the entries of
    /// `skip`, none of them empty. When the class was rendered before, nothing is allocated or
    /// copied. All calls for one batch must give the same world.
    pub fn slices(
        &self,
        viewer: ViewerClass,
        world: &World,
        skip: Being,
        each: &mut dyn FnMut(Bytes),
    ) {
        let render = || self.render(viewer, world);
        self.rendered.with(viewer, render, |rendered| {
            let (mut from, mut at) = (0, 0);
            for ((who, _), &end) in self.entries.iter().zip(&rendered.ends) {
                if *who == Some(skip) {
                    rendered.give(from, at, each);
                    from = end;
                }
                at = end;
            }
            rendered.give(from, at, each);
        });
    }

    fn render(&self, viewer: ViewerClass, world: &World) -> Rendered {
        let usual = self.entries.len().saturating_mul(LINE_BYTES_USUAL);
        let mut out = Vec::with_capacity(usual);
        let ends = self.entries.iter().map(|(_, event)| {
            render(event, viewer, world, &mut out);
            out.len()
        });
        let ends: Box<[usize]> = ends.collect();
        // A batch lives until its slowest viewer has read it: no spare room is kept that long.
        out.shrink_to_fit();
        let bytes = Bytes::from(out);
        assert_eq!(ends.len(), self.entries.len(), "each entry has an end");
        Rendered { bytes, ends }
    }
}

impl Rendered {
    fn give(&self, from: usize, to: usize, each: &mut dyn FnMut(Bytes)) {
        if from < to {
            each(self.bytes.slice(from..to));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample::{self, PLAIN, classes};
    use super::*;
    use crate::event::{Seen, Told};
    use crate::ids::SessionId;
    use proptest::prelude::*;

    fn being(number: u64) -> Being {
        Being::Session(SessionId(number))
    }

    fn entry(who: u64) -> (Option<Being>, Event) {
        let event = match who {
            // Renders to nothing, as an entry may.
            5 => Event::Told(Told::Nothing),
            _ => Event::Seen(Seen::Says {
                who: "Ann".into(),
                text: format!("I am {who}").into(),
            }),
        };
        ((who > 0).then(|| being(who)), event)
    }

    fn pieces(batch: &Batch, viewer: ViewerClass, skip: u64) -> Vec<Bytes> {
        let mut got = Vec::new();
        batch.slices(viewer, &sample::world(), being(skip), &mut |piece| {
            got.push(piece)
        });
        got
    }

    #[test]
    fn own_entries_are_cut_out_of_shared_bytes() {
        let batch = Batch::new([1, 2, 2, 3, 0, 2].map(entry).to_vec());
        let line = |who: u64| format!("Ann says, \"I am {who}\"\r\n");
        let got = pieces(&batch, PLAIN, 2);
        assert_eq!(got, [line(1), line(3) + &line(0)]);
        let all = pieces(&batch, PLAIN, 9);
        assert_eq!(all.len(), 1);
        assert_eq!(got[0].as_ptr(), all[0].as_ptr(), "cut, not copied");
    }

    #[test]
    fn a_batch_of_own_entries_or_of_none_is_nothing() {
        assert_eq!(pieces(&Batch::new(vec![]), PLAIN, 1), Vec::<Bytes>::new());
        let own = Batch::new(vec![entry(1), entry(1)]);
        assert_eq!(pieces(&own, PLAIN, 1), Vec::<Bytes>::new());
    }

    proptest! {
        #[test]
        fn pieces_are_what_one_by_one_would_show(
            who in prop::collection::vec(0..6_u64, 0..12),
            skip in 0..7_u64,
            class in 0..classes().len(),
        ) {
            let class = classes()[class];
            let world = sample::world();
            let entries: Vec<_> = who.iter().copied().map(entry).collect();
            let mut expected = Vec::new();
            for (who, event) in &entries {
                if *who != Some(being(skip)) {
                    render(event, class, &world, &mut expected);
                }
            }
            let got = pieces(&Batch::new(entries), class, skip);
            prop_assert!(got.iter().all(|piece| !piece.is_empty()));
            prop_assert_eq!(got.concat(), expected);
        }
    }
}
