//! `[pure]` What the values of several runs amount to.

use serde::Serialize;

use crate::values::as_number;

/// Values of runs, smaller is better; in their own unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Spread {
    /// Half of the runs were not above.
    pub(crate) median: f64,
    /// 95 of 100 runs were not above.
    pub(crate) p95: f64,
    /// No run was above.
    pub(crate) worst: f64,
}

impl Spread {
    /// Of these values; `None` when there are none.
    pub(crate) fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let middle = |at: usize| sorted.get(at).copied();
        let half = sorted.len() / 2;
        let median = if sorted.len() % 2 == 1 {
            middle(half)?
        } else {
            f64::midpoint(middle(half.checked_sub(1)?)?, middle(half)?)
        };
        Some(Self {
            median,
            p95: quantile(&sorted, 95)?,
            worst: *sorted.last()?,
        })
    }
}

/// The smallest of these sorted values that so many of 100 are not above.
pub(crate) fn quantile(sorted: &[f64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

/// A time in milliseconds.
pub(crate) fn milliseconds(time: std::time::Duration) -> f64 {
    as_number(u64::try_from(time.as_micros()).unwrap_or(u64::MAX)) / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        let of = |values: &[f64]| Spread::of(values).map(|it| (it.median, it.p95, it.worst));
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[7.0]), Some((7.0, 7.0, 7.0)));
        assert_eq!(of(&[4.0, 1.0, 3.0, 2.0]), Some((2.5, 4.0, 4.0)));
        let twenty: Vec<f64> = (1..=20).rev().map(f64::from).collect();
        assert_eq!(of(&twenty), Some((10.5, 19.0, 20.0)));
    }

    #[test]
    fn quantiles_are_values_that_were_there() {
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(quantile(&hundred, 50), Some(50.0));
        assert_eq!(quantile(&hundred, 99), Some(99.0));
        assert_eq!(quantile(&[], 99), None);
    }
}
