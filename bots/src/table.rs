//! `[pure]` What the tables of all commands are made of.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

/// Percentiles of times, in milliseconds; all 0 when nothing was measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Percentiles {
    /// Half are below.
    pub p50: f64,
    /// 95 of 100 are below.
    pub p95: f64,
    /// 99 of 100 are below.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}

/// One row: a name and its value.
pub(crate) fn row(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    writeln!(f, "{name:<17} {value}")
}

/// Percentiles in one line.
pub(crate) fn times(times: &Percentiles) -> String {
    let Percentiles { p50, p95, p99, max } = times;
    format!("p50 {p50:.1}   p95 {p95:.1}   p99 {p99:.1}   max {max:.1}")
}

/// A row of counts by cause.
pub(crate) fn causes(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    causes: &BTreeMap<String, u64>,
) -> fmt::Result {
    let all: Vec<_> = causes
        .iter()
        .map(|(cause, count)| format!("{cause} {count}"))
        .collect();
    row(
        f,
        name,
        if all.is_empty() {
            "0".to_owned()
        } else {
            all.join(", ")
        }
        .as_str(),
    )
}
