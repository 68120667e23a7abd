//! `[pure]` Failed logins are slowed down, per address and per account.
//!
//! ```text
//! failures   1  2  3 | 4   5   6   7 …          one is forgotten each FAILURE_DECAY
//! delay      0  0  0 | 1s  2s  4s  8s … up to the kind's maximum, counted from the last failure
//! ```
//! A success clears the account but not the address: who owns one account must not get free guesses
//! at the others. Nothing here locks anybody out for good.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::time::{Duration, Instant};

use super::limits::{
    ACCOUNT_DELAY_MAX, ADDRESS_DELAY_MAX, DELAY_FIRST, FAILURE_DECAY, FAILURES_COUNTED_MAX,
    FAILURES_FREE, THROTTLE_ENTRIES_MAX,
};
use super::name::Name;

/// Who failed to log in, and how long they wait. Bounded by [`THROTTLE_ENTRIES_MAX`] addresses and
/// as many accounts; when full, the entry whose last failure is oldest is forgotten.
#[derive(Debug)]
pub struct Throttle {
    addresses: Ledger<IpAddr>,
    accounts: Ledger<Name>,
}

impl Throttle {
    /// Nobody has failed yet.
    pub fn new() -> Self {
        Self::with_entries_max(THROTTLE_ENTRIES_MAX)
    }

    /// As [`Throttle::new`] with another bound.
    pub fn with_entries_max(entries_max: usize) -> Self {
        Self {
            addresses: Ledger::new(entries_max, ADDRESS_DELAY_MAX),
            accounts: Ledger::new(entries_max, ACCOUNT_DELAY_MAX),
        }
    }

    /// Whether this address may try this account at `now`.
    ///
    /// # Errors
    /// [`Wait`] (**busy**): the longer of the two delays, to be told to the player.
    pub fn check(&self, address: IpAddr, account: &Name, now: Instant) -> Result<(), Wait> {
        let address = self.addresses.wait(&network(address), now);
        let account = self.accounts.wait(account, now);
        match address.max(account) {
            Duration::ZERO => Ok(()),
            time => Err(Wait(time)),
        }
    }

    /// Counts a failed login.
    pub fn failed(&mut self, address: IpAddr, account: &Name, now: Instant) {
        self.addresses.count(network(address), now);
        self.accounts.count(account.clone(), now);
    }

    /// Counts a successful login: the account's failures are forgotten.
    pub fn succeeded(&mut self, account: &Name) {
        self.accounts.forget(account);
    }

    /// Entries held, addresses and accounts together.
    pub fn len(&self) -> usize {
        self.addresses.entries.len() + self.accounts.entries.len()
    }

    /// Whether nobody is remembered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Default for Throttle {
    fn default() -> Self {
        Self::new()
    }
}

/// How long to wait before the next try.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many failed logins, wait {} s", self.seconds())]
pub struct Wait(pub Duration);

impl Wait {
    /// Whole seconds, rounded up, to be shown.
    pub fn seconds(self) -> u64 {
        self.0.as_secs() + u64::from(self.0.subsec_nanos() > 0)
    }
}

/// One subscriber of IPv6 holds a whole /64; counting single addresses would count nothing.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        v4 @ IpAddr::V4(_) => v4,
        IpAddr::V6(v6) => {
            let prefix = u128::from(v6) & !u128::from(u64::MAX);
            IpAddr::V6(prefix.into())
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    failures: u32,
    last: Instant,
}

impl Entry {
    /// Failures that are not forgotten yet.
    fn remaining(self, now: Instant) -> u32 {
        let idle = now.saturating_duration_since(self.last).as_secs();
        let forgotten = u32::try_from(idle / FAILURE_DECAY.as_secs()).unwrap_or(u32::MAX);
        self.failures.saturating_sub(forgotten)
    }
}

#[derive(Debug)]
struct Ledger<K> {
    entries: BTreeMap<K, Entry>,
    by_age: BTreeSet<(Instant, K)>,
    entries_max: usize,
    delay_max: Duration,
}

impl<K: Ord + Clone> Ledger<K> {
    fn new(entries_max: usize, delay_max: Duration) -> Self {
        let (entries, by_age) = (BTreeMap::new(), BTreeSet::new());
        Self {
            entries,
            by_age,
            entries_max: entries_max.max(1),
            delay_max,
        }
    }

    fn wait(&self, key: &K, now: Instant) -> Duration {
        let Some(entry) = self.entries.get(key) else {
            return Duration::ZERO;
        };
        let Some(doublings) = entry.remaining(now).checked_sub(FAILURES_FREE + 1) else {
            return Duration::ZERO;
        };
        let factor = 1_u32.checked_shl(doublings).unwrap_or(u32::MAX);
        let delay = DELAY_FIRST.saturating_mul(factor).min(self.delay_max);
        delay.saturating_sub(now.saturating_duration_since(entry.last))
    }

    fn count(&mut self, key: K, now: Instant) {
        let before = self.entries.get(&key).copied();
        if let Some(entry) = before {
            self.by_age.remove(&(entry.last, key.clone()));
        } else if self.entries.len() >= self.entries_max
            && let Some((_, oldest)) = self.by_age.pop_first()
        {
            self.entries.remove(&oldest);
        }
        let remaining = before.map_or(0, |entry| entry.remaining(now));
        let failures = (remaining + 1).min(FAILURES_COUNTED_MAX);
        self.by_age.insert((now, key.clone()));
        self.entries.insert(
            key,
            Entry {
                failures,
                last: now,
            },
        );
        assert_eq!(
            self.entries.len(),
            self.by_age.len(),
            "each entry has one age"
        );
    }

    fn forget(&mut self, key: &K) {
        if let Some(entry) = self.entries.remove(key) {
            self.by_age.remove(&(entry.last, key.clone()));
        }
        assert_eq!(
            self.entries.len(),
            self.by_age.len(),
            "each entry has one age"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[expect(
        clippy::disallowed_methods,
        reason = "an instant can only be made from the clock"
    )]
    fn start() -> Instant {
        Instant::now()
    }

    fn name(text: &str) -> Name {
        Name::parse(text).unwrap()
    }

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[test]
    fn three_failures_are_free_and_then_the_delay_doubles_up_to_the_maximum() {
        let mut throttle = Throttle::new();
        let mut now = start();
        let mut delays = Vec::new();
        for _ in 0..20 {
            let wait = throttle
                .check(address(1), &name("ann"), now)
                .err()
                .map_or(0, Wait::seconds);
            delays.push(wait);
            now += Duration::from_secs(wait);
            assert_eq!(throttle.check(address(1), &name("ann"), now), Ok(()));
            throttle.failed(address(1), &name("ann"), now);
        }
        assert_eq!(delays[..8], [0, 0, 0, 0, 1, 2, 4, 8]);
        assert!(
            delays
                .iter()
                .all(|delay| *delay <= ADDRESS_DELAY_MAX.as_secs())
        );
        assert!(
            delays.iter().any(|delay| *delay > FAILURE_DECAY.as_secs()),
            "{delays:?}"
        );
    }

    #[test]
    fn an_account_under_attack_lets_its_owner_in_after_a_short_wait() {
        let mut throttle = Throttle::new();
        let now = start();
        for last in 0..200 {
            throttle.failed(address(last), &name("ann"), now);
        }
        assert_eq!(
            throttle.check(address(250), &name("ann"), now),
            Err(Wait(ACCOUNT_DELAY_MAX)),
            "slowed from every address"
        );
        assert_eq!(
            throttle.check(address(250), &name("ann"), now + ACCOUNT_DELAY_MAX),
            Ok(())
        );
        assert_eq!(
            throttle.check(address(250), &name("bob"), now),
            Ok(()),
            "others feel nothing"
        );
    }

    #[test]
    fn a_success_clears_the_account_and_not_the_address() {
        let mut throttle = Throttle::new();
        let now = start();
        for _ in 0..6 {
            throttle.failed(address(1), &name("ann"), now);
        }
        throttle.succeeded(&name("ann"));
        assert_eq!(throttle.check(address(2), &name("ann"), now), Ok(()));
        assert_eq!(
            throttle.check(address(1), &name("bob"), now),
            Err(Wait(4 * SECOND))
        );
    }

    #[test]
    fn failures_are_forgotten_one_by_one() {
        let mut throttle = Throttle::new();
        let now = start();
        for _ in 0..5 {
            throttle.failed(address(1), &name("ann"), now);
        }
        let later = now + 2 * FAILURE_DECAY;
        throttle.failed(address(1), &name("ann"), later);
        // 5 - 2 + 1 = 4 failures: the first delay.
        assert_eq!(
            throttle.check(address(1), &name("ann"), later),
            Err(Wait(SECOND))
        );
    }

    #[test]
    fn the_oldest_goes_when_the_map_is_full() {
        let mut throttle = Throttle::with_entries_max(3);
        let now = start();
        let accounts = ["ann", "bob", "cat", "dan"].map(name);
        for (last, account) in (0_u8..).zip(&accounts) {
            for _ in 0..5 {
                throttle.failed(address(last), account, now + SECOND * u32::from(last));
            }
        }
        let then = now + 3 * SECOND;
        assert_eq!(throttle.len(), 6);
        assert_eq!(throttle.check(address(0), &accounts[0], then), Ok(()));
        assert!(throttle.check(address(3), &accounts[0], then).is_err());
        assert!(throttle.check(address(0), &accounts[3], then).is_err());
    }

    #[test]
    fn one_ipv6_network_and_a_mapped_ipv4_address_count_as_one() {
        let (first, second): (IpAddr, IpAddr) = (
            "2001:db8::1".parse().unwrap(),
            "2001:db8::ffff:1".parse().unwrap(),
        );
        assert_eq!(network(first), network(second));
        assert_ne!(network(first), network("2001:db8:0:1::1".parse().unwrap()));
        assert_eq!(network("::ffff:192.0.2.1".parse().unwrap()), address(1));
    }

    #[test]
    fn a_clock_that_stands_behind_the_last_failure_does_no_harm() {
        let mut throttle = Throttle::new();
        let now = start();
        for _ in 0..5 {
            throttle.failed(address(1), &name("ann"), now + SECOND);
        }
        assert_eq!(
            throttle.check(address(1), &name("ann"), now),
            Err(Wait(2 * SECOND))
        );
    }
}
