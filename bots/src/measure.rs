//! `[edge]` Histograms and counts by cause that the tasks of a run share: locks that are held for
//! one entry.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hdrhistogram::Histogram;

use crate::limits::CAUSES_MAX;
use crate::table::Percentiles;

/// Longest time a histogram holds; longer ones count as this.
const TIME_MAX_US: u64 = 3_600_000_000;

/// A histogram of times, in microseconds.
#[derive(Debug)]
pub(crate) struct Times(Mutex<Option<Histogram<u64>>>);

impl Times {
    /// Nothing recorded yet.
    pub(crate) fn new() -> Self {
        Self(Mutex::new(
            Histogram::new_with_bounds(1, TIME_MAX_US, 3).ok(),
        ))
    }

    /// Adds one time.
    pub(crate) fn record(&self, time: Duration) {
        self.record_all([time]);
    }

    /// Adds times, under one lock.
    pub(crate) fn record_all(&self, times: impl IntoIterator<Item = Duration>) {
        let mut times = times.into_iter().peekable();
        if times.peek().is_none() {
            return;
        }
        if let Some(histogram) = lock(&self.0).as_mut() {
            for time in times {
                let time_us = u64::try_from(time.as_micros()).unwrap_or(TIME_MAX_US);
                histogram.saturating_record(time_us);
            }
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
