//! `[pure]` Where writes wait while the database fails.
//!
//! ```text
//!   a group fails ─► hold: back in front          push: behind, or refused when full
//!   retry ─► next: the oldest ones ─┬─ committed ─► next …until empty; the pause is short again
//!                                   └─ failed ────► hold, the pause doubles
//! ```
//! A commit whose outcome is unknown keeps its group together with the group's number, so that the
//! next try can ask the database whether it is in.

use std::collections::VecDeque;
use std::time::Duration;

/// The number that a group was committed under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct GroupNumber(pub(super) i64);

/// Writes that wait, oldest first. Holds at most the bound and, in front of that, one group that
/// was on its way when the database failed.
#[derive(Debug)]
pub(super) struct Park<W> {
    queue: VecDeque<W>,
    doubt: Option<Doubt>,
    writes_max: usize,
    pause_first: Duration,
    pause_max: Duration,
    pause: Duration,
}

#[derive(Clone, Copy, Debug)]
struct Doubt {
    number: GroupNumber,
    writes: usize,
}

/// A group taken out to be tried again.
#[derive(Debug)]
pub(super) struct Group<W> {
    pub(super) writes: Vec<W>,
    /// The number under which it may be committed already.
    pub(super) doubt: Option<GroupNumber>,
}

impl<W> Park<W> {
    pub(super) fn new(writes_max: usize, pause_first: Duration, pause_max: Duration) -> Self {
        let (queue, doubt) = (VecDeque::new(), None);
        Self {
            queue,
            doubt,
            writes_max,
            pause_first,
            pause_max,
            pause: pause_first,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.queue.len()
    }

    /// Puts a write behind the others, or gives it back when there are too many.
    #[must_use]
    pub(super) fn push(&mut self, write: W) -> Option<W> {
        if self.queue.len() >= self.writes_max {
            return Some(write);
        }
        self.queue.push_back(write);
        None
    }

    /// Puts a group that failed back in front, and says how long to wait before the next try.
    pub(super) fn hold(&mut self, group: Group<W>) -> Duration {
        assert!(
            self.doubt.is_none(),
            "only one group is on its way at a time"
        );
        let writes = group.writes.len();
        self.doubt = group.doubt.map(|number| Doubt { number, writes });
        for write in group.writes.into_iter().rev() {
            self.queue.push_front(write);
        }
        let pause = self.pause;
        self.pause = self.pause.saturating_mul(2).min(self.pause_max);
        pause
    }

    /// Takes the oldest writes out, at most `writes_max`; a group in doubt comes whole and alone.
    pub(super) fn next(&mut self, writes_max: usize) -> Option<Group<W>> {
        if self.queue.is_empty() {
            self.pause = self.pause_first;
            assert!(self.doubt.is_none(), "a group in doubt is in the queue");
            return None;
        }
        let doubt = self.doubt.take();
        let count = doubt
            .map_or(writes_max, |doubt| doubt.writes)
            .min(self.queue.len());
        let writes = self.queue.drain(..count).collect();
        Some(Group {
            writes,
            doubt: doubt.map(|doubt| doubt.number),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FIRST: Duration = Duration::from_millis(50);

    fn park(writes_max: usize) -> Park<u32> {
        Park::new(writes_max, FIRST, 8 * FIRST)
    }

    #[test]
    fn a_full_park_gives_the_write_back() {
        let mut park = park(2);
        assert_eq!(
            [park.push(1), park.push(2), park.push(3)],
            [None, None, Some(3)]
        );
        assert_eq!(park.len(), 2);
    }

    #[test]
    fn a_group_in_doubt_comes_back_whole_and_alone() {
        let mut park = park(9);
        park.hold(Group {
            writes: vec![1, 2, 3],
            doubt: Some(GroupNumber(7)),
        });
        assert_eq!(park.push(4), None);
        let group = park.next(2).unwrap();
        assert_eq!(
            (group.writes, group.doubt),
            (vec![1, 2, 3], Some(GroupNumber(7)))
        );
        let group = park.next(2).unwrap();
        assert_eq!((group.writes, group.doubt), (vec![4], None));
    }

    #[test]
    fn the_pause_grows_while_it_fails_and_is_short_again_after_a_recovery() {
        let mut park = park(9);
        let mut pauses = vec![park.hold(Group {
            writes: vec![1],
            doubt: None,
        })];
        for _ in 0..5 {
            let group = park.next(9).unwrap();
            pauses.push(park.hold(group));
        }
        assert_eq!(pauses, [1, 2, 4, 8, 8, 8].map(|times| times * FIRST));
        assert!(park.next(9).is_some() && park.next(9).is_none());
        assert_eq!(
            park.hold(Group {
                writes: vec![1],
                doubt: None
            }),
            FIRST
        );
    }

    proptest! {
        /// Random pushes and tries, some of which fail: what comes out is what went in, in order.
        #[test]
        fn order_is_kept_whatever_fails(
            steps in prop::collection::vec((0_u8..3, any::<bool>()), 0..200)
        ) {
            let mut park = park(20);
            let (mut sent, mut done) = (0, Vec::new());
            let mut expected = Vec::new();
            for (step, doubt) in steps {
                if step == 0 {
                    sent += 1;
                    if park.push(sent).is_none() {
                        expected.push(sent);
                    }
                } else if let Some(mut group) = park.next(4) {
                    if step == 1 {
                        done.append(&mut group.writes);
                    } else {
                        group.doubt = doubt.then_some(GroupNumber(1));
                        park.hold(group);
                    }
                }
                prop_assert!(park.len() <= 24);
            }
            while let Some(mut group) = park.next(4) {
                done.append(&mut group.writes);
            }
            prop_assert_eq!(done, expected);
        }
    }
}
