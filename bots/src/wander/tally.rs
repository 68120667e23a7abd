//! `[edge]` What a crowd counts while it plays: shared by all bots' tasks, read by the driver.
//!
//! Counters are atomics; histograms and causes sit behind locks that are held for one entry.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hdrhistogram::Histogram;

use super::play::Token;
use super::report::Percentiles;
use crate::limits::CAUSES_MAX;

/// Longest time a histogram holds; longer ones count as this.
const TIME_MAX_US: u64 = 3_600_000_000;

/// All counts of a run.
#[derive(Debug)]
pub(crate) struct Tally {
    /// Bots in the world.
    pub(crate) online: AtomicU32,
    /// Most bots in the world at once.
    pub(crate) online_peak: AtomicU32,
    /// Bots that got in.
    pub(crate) entered: AtomicU32,
    /// Bots that gave up getting in.
    pub(crate) given_up: AtomicU32,
    /// Microseconds of the run at which the last bot got in.
    pub(crate) last_entry_us: AtomicU64,
    /// Bots that were told a place in the login queue.
    pub(crate) in_line: AtomicU32,
    /// Times a told place was worse than the one before.
    pub(crate) place_rises: AtomicU32,
    /// Commands of the window.
    pub(crate) commands: AtomicU64,
    /// Commands of the window that still wait.
    pub(crate) waiting: AtomicU32,
    /// Commands of the window that got no answer.
    pub(crate) unanswered: AtomicU64,
    /// Bytes from the node.
    pub(crate) bytes_in: AtomicU64,
    /// Bytes to the node.
    pub(crate) bytes_out: AtomicU64,
    /// From a command to its answer.
    pub(crate) latency: Times,
    /// From a say to the moment another bot has it.
    pub(crate) heard: Times,
    /// From the first connect to the world's prompt.
    pub(crate) login: Times,
    /// Bots that never got in, by the last cause.
    pub(crate) login_failed: Causes,
    /// Login attempts that were repeated.
    pub(crate) retried: Causes,
    /// Bots that lost their connection in the world.
    pub(crate) dropped: Causes,
    /// Commands of the window that were refused.
    pub(crate) refused: Causes,
}

impl Tally {
    /// Nothing counted yet.
    pub(crate) fn new() -> Self {
        Self {
            online: AtomicU32::new(0),
            online_peak: AtomicU32::new(0),
            entered: AtomicU32::new(0),
            given_up: AtomicU32::new(0),
            last_entry_us: AtomicU64::new(0),
            in_line: AtomicU32::new(0),
            place_rises: AtomicU32::new(0),
            commands: AtomicU64::new(0),
            waiting: AtomicU32::new(0),
            unanswered: AtomicU64::new(0),
            bytes_in: AtomicU64::new(0),
            bytes_out: AtomicU64::new(0),
            latency: Times::new(),
            heard: Times::new(),
            login: Times::new(),
            login_failed: Causes::default(),
            retried: Causes::default(),
            dropped: Causes::default(),
            refused: Causes::default(),
        }
    }

    /// A bot is in the world, `took` after its first connect, at `now_us` of the run.
    pub(crate) fn enter(&self, took: Duration, now_us: u64) {
        self.login.record(took);
        self.last_entry_us.fetch_max(now_us, Relaxed);
        let online = self.online.fetch_add(1, Relaxed) + 1;
        self.online_peak.fetch_max(online, Relaxed);
        self.entered.fetch_add(1, Relaxed);
    }

    /// A bot lost its connection in the world.
    pub(crate) fn leave(&self, cause: &str) {
        self.online.fetch_sub(1, Relaxed);
        self.dropped.count(cause);
    }
}

/// A histogram of times, in microseconds.
#[derive(Debug)]
pub(crate) struct Times(Mutex<Option<Histogram<u64>>>);

impl Times {
    fn new() -> Self {
        Self(Mutex::new(
            Histogram::new_with_bounds(1, TIME_MAX_US, 3).ok(),
        ))
    }

    /// Adds one time.
    pub(crate) fn record(&self, time: Duration) {
        let time_us = u64::try_from(time.as_micros()).unwrap_or(TIME_MAX_US);
        if let Some(histogram) = lock(&self.0).as_mut() {
            histogram.saturating_record(time_us);
        }
    }

    /// The usual percentiles, in milliseconds; zeros when nothing was recorded.
    pub(crate) fn percentiles(&self) -> Percentiles {
        let guard = lock(&self.0);
        let Some(histogram) = guard.as_ref() else {
            return Percentiles::default();
        };
        let at = |quantile| milliseconds(histogram.value_at_quantile(quantile));
        Percentiles {
            p50: at(0.5),
            p95: at(0.95),
            p99: at(0.99),
            max: milliseconds(histogram.max()),
        }
    }
}

/// Counts by cause; bounded, what is new beyond the bound counts as "other".
#[derive(Debug, Default)]
pub(crate) struct Causes(Mutex<BTreeMap<String, u64>>);

impl Causes {
    /// One more of this cause.
    pub(crate) fn count(&self, cause: &str) {
        let mut causes = lock(&self.0);
        let cause = if causes.len() < CAUSES_MAX || causes.contains_key(cause) {
            cause
        } else {
            "other"
        };
        match causes.get_mut(cause) {
            Some(count) => *count += 1,
            None => drop(causes.insert(cause.to_owned(), 1)),
        }
    }

    /// All causes with their counts.
    pub(crate) fn all(&self) -> BTreeMap<String, u64> {
        lock(&self.0).clone()
    }
}

/// When each bot said its last two things, so that hearers can tell the delay.
///
/// Two slots a bot, by the sequence number; an older say is overwritten and then not measured.
#[derive(Debug)]
pub(crate) struct SayTimes {
    first: u32,
    slots: Vec<AtomicU64>,
}

/// Low bits of a slot that hold the sequence number; above are microseconds of the run.
const SEQUENCE_BITS: u32 = 16;

impl SayTimes {
    /// Slots for bots `first..first + count`.
    pub(crate) fn new(first: u32, count: u32) -> Self {
        let mut slots = Vec::new();
        slots.resize_with(usize::try_from(count).unwrap_or(0) * 2, AtomicU64::default);
        Self { first, slots }
    }

    /// This say is being written.
    pub(crate) fn sent(&self, token: Token, now_us: u64) {
        if let Some(slot) = self.slot(token) {
            slot.store(now_us << SEQUENCE_BITS | sequence_bits(token), Relaxed);
        }
    }

    /// When this say was written, if it is still known.
    pub(crate) fn time_us(&self, token: Token) -> Option<u64> {
        let value = self.slot(token)?.load(Relaxed);
        let known = value & ((1 << SEQUENCE_BITS) - 1) == sequence_bits(token);
        (known && value != 0).then_some(value >> SEQUENCE_BITS)
    }

    fn slot(&self, token: Token) -> Option<&AtomicU64> {
        let bot = usize::try_from(token.bot.checked_sub(self.first)?).ok()?;
        self.slots
            .get(bot * 2 + usize::from(token.sequence % 2 == 1))
    }
}

fn sequence_bits(token: Token) -> u64 {
    u64::from(token.sequence) & ((1 << SEQUENCE_BITS) - 1)
}

/// Microseconds as milliseconds.
fn milliseconds(us: u64) -> f64 {
    f64::from(u32::try_from(us).unwrap_or(u32::MAX)) / 1000.0
}

/// A lock whose holder panicked is still good: each entry is whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn say_times_are_found_until_overwritten() {
        let times = SayTimes::new(100, 2);
        let token = |bot, sequence| Token { bot, sequence };
        times.sent(token(101, 7), 5_000);
        times.sent(token(101, 8), 6_000);
        assert_eq!(times.time_us(token(101, 7)), Some(5_000));
        times.sent(token(101, 9), 7_000);
        assert_eq!(times.time_us(token(101, 7)), None);
        assert_eq!(times.time_us(token(101, 9)), Some(7_000));
        assert_eq!(times.time_us(token(100, 1)), None);
        assert_eq!(times.time_us(token(99, 1)), None);
        assert_eq!(times.time_us(token(102, 1)), None);
    }

    #[test]
    fn causes_are_bounded() {
        let causes = Causes::default();
        for number in 0..CAUSES_MAX * 2 {
            causes.count(&format!("cause {number}"));
        }
        causes.count("cause 0");
        assert_eq!(causes.all().len(), CAUSES_MAX + 1);
        assert_eq!(causes.all().get("cause 0"), Some(&2));
        assert_eq!(
            causes.all().values().sum::<u64>(),
            CAUSES_MAX as u64 * 2 + 1
        );
    }

    #[test]
    fn percentiles_are_in_milliseconds() {
        let times = Times::new();
        assert_eq!(times.percentiles(), Percentiles::default());
        for ms in 1..=100 {
            times.record(Duration::from_millis(ms));
        }
        let found = times.percentiles();
        assert!(
            (found.p50 - 50.0).abs() < 0.5 && (found.p99 - 99.0).abs() < 0.5,
            "{found:?}"
        );
        assert!((found.max - 100.0).abs() < 0.5, "{found:?}");
    }
}
