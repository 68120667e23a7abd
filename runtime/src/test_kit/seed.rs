//! `[process]` Chance that does the same again.

use std::cell::Cell;

thread_local! {
    static SEED: Cell<Option<u64>> = const { Cell::new(None) };
    static DRAWN: Cell<u64> = const { Cell::new(0) };
}

/// Makes the runtime's chance repeatable on this thread: what spreads delays (see
/// [`Backoff`](crate::Backoff)) draws from this seed from now on.
///
/// [`run`](super::run) begins with seed 0. A failed wait names the seed, so that a test that goes
/// through many of them says which one to look at.
///
/// ```
/// use belay_runtime::test_kit;
///
/// for seed in 0..3 {
///     test_kit::run(async move {
///         test_kit::seed(seed);
///         // … the same crashes, with other delays …
///     });
/// }
/// ```
pub fn seed(seed: u64) {
    SEED.set(Some(seed));
    DRAWN.set(0);
}

/// The seed of this thread.
pub(super) fn current() -> Option<u64> {
    SEED.get()
}

/// The next number in 0..1 when there is a seed.
pub(crate) fn draw() -> Option<f64> {
    let seed = SEED.get()?;
    let drawn = DRAWN.get().wrapping_add(1);
    DRAWN.set(drawn);
    // SplitMix64: each seed is a sequence of its own.
    let mut bits = mixed(seed).wrapping_add(drawn.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    bits = mixed(bits);
    Some((bits >> 11) as f64 / (1_u64 << 53) as f64)
}

fn mixed(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_again_and_another_one_others() {
        let numbers = |from| {
            seed(from);
            [(); 100].map(|()| draw().expect("there is a seed"))
        };
        assert_eq!(numbers(7), numbers(7));
        assert_ne!(numbers(7), numbers(8));
        assert!(numbers(0).iter().all(|number| (0.0..1.0).contains(number)));
        let below_half = numbers(0).iter().filter(|number| **number < 0.5).count();
        assert!((30..70).contains(&below_half), "{below_half}");
    }
}
