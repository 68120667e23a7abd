//! `[pure]` How often authentication failed, by address: clients that hammer a bad credential are
//! answered late. What is right is let in at once, also from there.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use super::bucket::Bucket;
use super::rules::BucketRule;
use crate::hub::neighbours::network;
use crate::limits::ADDRESSES_MAX;

/// How long a sweep of what has leaked out is good for.
const SWEEP_EVERY: Duration = Duration::from_secs(60);

/// The addresses that failed lately.
#[derive(Debug, Default)]
pub(super) struct Throttle {
    addresses: BTreeMap<IpAddr, Bucket>,
    swept_at: Option<Instant>,
}

impl Throttle {
    /// Counts a failure; says whether it is one too many. One that finds no room is.
    pub(super) fn failed(&mut self, address: IpAddr, rule: BucketRule, now: Instant) -> bool {
        let key = network(address);
        if self.addresses.len() >= ADDRESSES_MAX {
            self.sweep(rule, now);
        }
        let full = self.addresses.len() >= ADDRESSES_MAX;
        if full && !self.addresses.contains_key(&key) {
            return true;
        }
        !self.addresses.entry(key).or_default().takes(rule, now)
    }

    /// Forgets the addresses that have been quiet.
    pub(super) fn sweep(&mut self, rule: BucketRule, now: Instant) {
        let swept = |at: Instant| now.saturating_duration_since(at) < SWEEP_EVERY;
        if !self.swept_at.is_some_and(swept) {
            self.swept_at = Some(now);
            self.addresses
                .retain(|_, bucket| !bucket.is_empty(rule, now));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.addresses.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_bound_and_forgets_who_was_quiet() {
        let rule = BucketRule::new(2.0, 1.0);
        #[expect(clippy::disallowed_methods, reason = "any moment will do")]
        let start = Instant::now();
        let mut throttle = Throttle::default();
        let address = |number: u32| IpAddr::from(number.to_be_bytes());
        for number in 0..u32::try_from(ADDRESSES_MAX).unwrap() {
            assert!(!throttle.failed(address(number), rule, start));
        }
        assert_eq!(throttle.len(), ADDRESSES_MAX);
        assert!(throttle.failed(address(u32::MAX), rule, start));
        assert!(!throttle.failed(address(0), rule, start));
        assert!(throttle.failed(address(0), rule, start), "the third");
        let later = start + SWEEP_EVERY;
        assert!(!throttle.failed(address(u32::MAX), rule, later));
        assert_eq!(throttle.len(), 1);
    }

    #[test]
    fn neighbours_in_ipv6_are_one() {
        let rule = BucketRule::new(1.0, 0.0);
        #[expect(clippy::disallowed_methods, reason = "any moment will do")]
        let start = Instant::now();
        let mut throttle = Throttle::default();
        let mut fails = |text: &str| throttle.failed(text.parse().unwrap(), rule, start);
        assert!(!fails("2001:db8::1"));
        assert!(fails("2001:db8::2"));
        assert!(!fails("2001:db8:0:1::1"));
        assert!(!fails("192.0.2.1"));
        assert!(fails("::ffff:192.0.2.1"));
    }
}
