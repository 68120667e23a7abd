//! `[process]` The one source of chance of the runtime; pure code is handed the number.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

static SEED: OnceLock<RandomState> = OnceLock::new();
static DRAWN: AtomicU64 = AtomicU64::new(0);

/// A number in 0..1, good enough to spread retries, not for secrets.
pub(crate) fn unit() -> f64 {
    #[cfg(feature = "test-kit")]
    if let Some(seeded) = crate::test_kit::draw() {
        return seeded;
    }
    let drawn = DRAWN.fetch_add(1, Ordering::Relaxed);
    let bits = SEED.get_or_init(RandomState::new).hash_one(drawn) >> 11;
    // 53 bits are what a float holds without loss.
    bits as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::unit;

    #[test]
    fn numbers_spread_over_the_range() {
        let numbers: Vec<f64> = (0..1_000).map(|_| unit()).collect();
        assert!(numbers.iter().all(|number| (0.0..1.0).contains(number)));
        for tenth in 0..10 {
            let from = f64::from(tenth) / 10.0;
            let within = |number: &&f64| (from..from + 0.1).contains(*number);
            assert!(numbers.iter().filter(within).count() > 40, "{from}");
        }
    }
}
