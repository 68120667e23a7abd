//! `[pure]` Which messages of one sender came, so that each is known to come once and in order.

/// How far back a message is known; a message that comes still later counts as doubled.
const BACK: u32 = u128::BITS;

/// What a message is, of those that came before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// Newer than all; what lies between is missing, unless it comes late.
    Next,
    /// Not here before, but a newer one was.
    Late,
    /// Here before.
    Doubled,
}

/// The messages of one sender that came.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Seen {
    /// One more than the newest.
    next: u32,
    /// Bit `i`: message `next - 1 - i` came.
    recent: u128,
}

impl Seen {
    /// Takes the next message.
    pub(crate) fn take(&mut self, number: u32) -> Arrival {
        if number >= self.next {
            let forward = number - self.next + 1;
            self.recent = self.recent.checked_shl(forward).unwrap_or(0) | 1;
            self.next = number.saturating_add(1);
            return Arrival::Next;
        }
        let back = self.next - 1 - number;
        let bit = 1_u128.checked_shl(back).unwrap_or(0);
        if back >= BACK || self.recent & bit != 0 {
            return Arrival::Doubled;
        }
        self.recent |= bit;
        Arrival::Late
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_a_set_of_all_numbers() {
        let mut dice = crate::dice::Dice::new(1, 1);
        for _ in 0..200 {
            let (mut seen, mut all) = (Seen::default(), std::collections::BTreeSet::new());
            for _ in 0..300 {
                let newest = all.last().copied().unwrap_or(0);
                let number = (newest + dice.below(4)).saturating_sub(dice.below(60));
                let expected = match all.last() {
                    Some(newest) if number > *newest => Arrival::Next,
                    None => Arrival::Next,
                    Some(_) if all.contains(&number) => Arrival::Doubled,
                    Some(_) => Arrival::Late,
                };
                assert_eq!(seen.take(number), expected, "{number} after {all:?}");
                all.insert(number);
            }
        }
    }

    #[test]
    fn jumps_forget_and_what_is_too_old_counts_as_doubled() {
        let mut seen = Seen::default();
        assert_eq!(seen.take(BACK * 3), Arrival::Next);
        assert_eq!(seen.take(BACK * 2), Arrival::Doubled);
        assert_eq!(seen.take(BACK * 2 + 1), Arrival::Late);
        assert_eq!(seen.take(u32::MAX), Arrival::Next);
        assert_eq!(
            seen.take(u32::MAX),
            Arrival::Next,
            "the last number is not told apart"
        );
    }
}
