//! `[pure]` How it is seen, without asking the thread, that one turn on it lasts too long.
//!
//! ```text
//!   look:      T1   T2   T2   T2   T2   T2   T3
//!   sighting:  new  new  ..   ..   BLOCKS .. OVER     (a turn that was seen LOOKS_MIN times,
//!                                                      the first time a threshold ago)
//! ```

use std::time::Duration;

use tokio::time::Instant;

/// The low bits of a turn, for the counter. When it goes round between two looks, and ends at the
/// same number with the same process, two turns are taken for one.
const COUNTER_BITS: u32 = 16;
const COUNTER_MASK: u64 = (1 << COUNTER_BITS) - 1;

/// Looks at a turn before it is said to block, so that a pause of the whole program, in which it
/// was looked at only before and after, is not taken for one.
const LOOKS_MIN: u32 = 4;

/// Looks in a threshold.
pub(crate) const LOOKS_PER_THRESHOLD: u32 = LOOKS_MIN;

/// What a thread does, in a word: whose turn it is, and a counter that tells one turn from the
/// next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn(pub(crate) u64);

impl Turn {
    /// The turn after `last`, of who has this number; 0 is nobody.
    #[inline]
    pub(crate) fn after(last: Self, holder: u64) -> Self {
        Self(holder << COUNTER_BITS | last.0.wrapping_add(1) & COUNTER_MASK)
    }

    #[inline]
    pub(crate) fn holder(self) -> u64 {
        self.0 >> COUNTER_BITS
    }
}

/// What is known of one thread.
#[derive(Debug)]
pub(crate) struct Sighting {
    turn: Turn,
    since: Instant,
    looks: u32,
    told: bool,
}

/// What a look brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// A turn lasts for a threshold already. Said once for each turn.
    Blocks(Duration),
    /// A turn of which that was said is over.
    Over(Duration),
}

impl Sighting {
    pub(crate) fn new(turn: Turn, now: Instant) -> Self {
        Self {
            turn,
            since: now,
            looks: 1,
            told: false,
        }
    }

    /// Takes in what the thread does `now`.
    pub(crate) fn look(&mut self, turn: Turn, now: Instant, threshold: Duration) -> Option<Change> {
        if turn != self.turn {
            let before = std::mem::replace(self, Self::new(turn, now));
            return before.told.then(|| Change::Over(now - before.since));
        }
        self.looks = self.looks.saturating_add(1);
        let took = now - self.since;
        if self.told || turn.holder() == 0 || self.looks < LOOKS_MIN || took < threshold {
            return None;
        }
        self.told = true;
        Some(Change::Blocks(took))
    }

    pub(crate) fn turn(&self) -> Turn {
        self.turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THRESHOLD: Duration = Duration::from_millis(100);

    /// What comes of looks at a thread, given as (milliseconds, holder, counter).
    fn check(looks: &[(u64, u64, u64)], expected: &[(u64, Change)]) {
        let begun = Instant::now();
        let mut sighting = None;
        let mut changes = Vec::new();
        for (at, holder, counter) in looks {
            let now = begun + Duration::from_millis(*at);
            let turn = Turn(holder << COUNTER_BITS | counter);
            match &mut sighting {
                None => sighting = Some(Sighting::new(turn, now)),
                Some(sighting) => {
                    let change = sighting.look(turn, now, THRESHOLD);
                    changes.extend(change.map(|change| (*at, change)));
                }
            }
        }
        assert_eq!(changes, expected, "{looks:?}");
    }

    fn blocks(ms: u64) -> Change {
        Change::Blocks(Duration::from_millis(ms))
    }

    fn over(ms: u64) -> Change {
        Change::Over(Duration::from_millis(ms))
    }

    #[test]
    fn tells_once_of_a_turn_that_lasts_and_once_that_it_is_over() {
        check(
            &[
                (0, 0, 0),
                (25, 7, 1),
                (50, 7, 1),
                (75, 7, 1),
                (100, 7, 1),
                (125, 7, 1),
                (150, 7, 1),
                (175, 0, 2),
                (200, 0, 2),
            ],
            &[(125, blocks(100)), (175, over(150))],
        );
    }

    #[test]
    fn a_process_that_is_polled_over_and_over_does_not_block() {
        check(
            &[
                (0, 7, 1),
                (50, 7, 3),
                (100, 7, 5),
                (150, 7, 7),
                (200, 7, 9),
                (250, 7, 11),
            ],
            &[],
        );
    }

    #[test]
    fn a_thread_that_polls_nothing_does_not_block() {
        check(
            &[(0, 0, 2), (50, 0, 2), (100, 0, 2), (150, 0, 2), (900, 0, 2)],
            &[],
        );
    }

    #[test]
    fn a_pause_of_the_whole_program_is_no_block() {
        check(&[(0, 7, 1), (9_000, 7, 1), (9_025, 0, 2)], &[]);
    }

    #[test]
    fn turns_differ_from_those_before_and_keep_their_holder() {
        let first = Turn::after(Turn(u64::MAX), 7);
        let second = Turn::after(first, 7);
        assert_eq!((first.holder(), second.holder()), (7, 7));
        assert!(first != second && second != Turn::after(second, 0));
        assert_eq!(Turn::after(second, 0).holder(), 0);
    }

    #[test]
    fn one_block_may_follow_another_at_once() {
        check(
            &[
                (0, 7, 1),
                (40, 7, 1),
                (80, 7, 1),
                (120, 7, 1),
                (160, 8, 3),
                (200, 8, 3),
                (240, 8, 3),
                (280, 8, 3),
                (320, 9, 5),
            ],
            &[
                (120, blocks(120)),
                (160, over(160)),
                (280, blocks(120)),
                (320, over(160)),
            ],
        );
    }
}
