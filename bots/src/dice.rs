//! `[pure]` Repeatable randomness: one 64-bit state a bot, from the run's seed and the bot's
//! number.

use std::time::Duration;

/// A small generator (SplitMix64): eight bytes of state, good enough to choose exits and waits.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    /// The dice of one bot of a run: other bots and other seeds give other throws.
    pub(crate) fn new(seed: u64, bot: u32) -> Self {
        let mut dice = Self(seed ^ u64::from(bot).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        dice.next();
        dice
    }

    /// The next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number below `bound`; 0 when the bound is 0.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        let scaled = (self.next() >> 32).wrapping_mul(u64::from(bound)) >> 32;
        u32::try_from(scaled).unwrap_or(0)
    }

    /// A time between the two, both possible.
    pub(crate) fn between(&mut self, least: Duration, most: Duration) -> Duration {
        let span = u32::try_from(most.saturating_sub(least).as_micros()).unwrap_or(u32::MAX - 1);
        least + Duration::from_micros(u64::from(self.below(span + 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stays_in_the_bounds_and_reaches_both_ends() {
        let mut dice = Dice::new(7, 3);
        let mut seen = [0_u32; 4];
        for _ in 0..1000 {
            seen[dice.below(4) as usize] += 1;
        }
        assert!(seen.iter().all(|count| *count > 150), "{seen:?}");
        assert_eq!(dice.below(0), 0);
        let (least, most) = (Duration::from_micros(3), Duration::from_micros(5));
        let times: Vec<_> = (0..100).map(|_| dice.between(least, most)).collect();
        assert_eq!(times.iter().min(), Some(&least));
        assert_eq!(times.iter().max(), Some(&most));
    }

    #[test]
    fn repeats_with_the_seed_and_differs_by_bot() {
        assert_eq!(Dice::new(1, 2).next(), Dice::new(1, 2).next());
        assert_ne!(Dice::new(1, 2).next(), Dice::new(1, 3).next());
        assert_ne!(Dice::new(1, 2).next(), Dice::new(2, 2).next());
    }
}
