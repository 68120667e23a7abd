//! `[process]` Crash reports: one log record for a crash, not more than the limit allows.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::exit::{Crash, Exit};
use crate::limits::{CRASH_REPORT_PERIOD, CRASH_REPORTS_MAX};
use crate::process_ref::ProcessRef;

static LIMIT: Mutex<Limit> = Mutex::new(Limit {
    since: None,
    reports: 0,
});
static OMITTED: AtomicU64 = AtomicU64::new(0);

/// How many reports this period had.
#[derive(Debug, Default)]
pub(crate) struct Limit {
    since: Option<Instant>,
    reports: u32,
}

impl Limit {
    /// Takes one of the reports that a period may have.
    pub(crate) fn permits(&mut self, now: Instant, period: Duration, max: u32) -> bool {
        // The clock may have gone back when a test paused it; then a period begins as well.
        let lasts = self
            .since
            .is_some_and(|since| now >= since && now - since < period);
        if !lasts {
            *self = Self {
                since: Some(now),
                reports: 0,
            };
        }
        self.reports = self.reports.saturating_add(1);
        self.reports <= max
    }
}

/// Takes one of the crash reports that this period may have.
pub(crate) fn permitted() -> bool {
    let now = Instant::now();
    let mut limit = LIMIT.lock().unwrap_or_else(PoisonError::into_inner);
    let permitted = limit.permits(now, CRASH_REPORT_PERIOD, CRASH_REPORTS_MAX);
    drop(limit);
    if !permitted {
        OMITTED.fetch_add(1, Ordering::Relaxed);
    }
    permitted
}

/// Logs a crash. Runs in the task of the process that crashed, never in its supervisor's.
pub(crate) fn crashed(process: &ProcessRef, crash: &Crash) {
    let status = process.slot.core().status();
    let uptime = status.started.map(|at| Instant::now().duration_since(at));
    tracing::error!(
        target: "belay_runtime",
        name = process.name(),
        pid = process.pid().number(),
        reason = %crash,
        code = crash.code,
        backtrace = crash.backtrace.as_deref(),
        kind = process.slot.last_kind(),
        uptime_ms = uptime.map_or(0, millis),
        queue_len = process.slot.depth().len,
        restarts = status.restarts,
        omitted = OMITTED.swap(0, Ordering::Relaxed),
        "process crashed"
    );
}

/// Whole milliseconds, as they stand in records.
pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Logs that a child failed too often and stays stopped.
pub(crate) fn abandoned(process: &ProcessRef, exit: &Exit) {
    tracing::error!(
        target: "belay_runtime",
        name = process.name(),
        pid = process.pid().number(),
        reason = %exit,
        "process abandoned after too many restarts"
    );
}

/// Logs that a supervisor failed because its children did.
pub(crate) fn escalated(supervisor: &str, child: &str, exit: &Exit) {
    tracing::error!(
        target: "belay_runtime",
        name = supervisor,
        child,
        reason = %exit,
        "supervisor gives up after too many restarts"
    );
}

/// Logs that a child was killed because it did not stop in its time; counts among the crashes.
pub(crate) fn killed(process: &ProcessRef) {
    if permitted() {
        tracing::warn!(
            target: "belay_runtime",
            name = process.name(),
            pid = process.pid().number(),
            kind = process.slot.last_kind(),
            queue_len = process.slot.depth().len,
            omitted = OMITTED.swap(0, Ordering::Relaxed),
            "process did not stop in time and was killed"
        );
    }
}

/// Logs that a child was killed and is still there.
pub(crate) fn left_behind(process: &ProcessRef) {
    tracing::error!(
        target: "belay_runtime",
        name = process.name(),
        pid = process.pid().number(),
        "process does not stop and is left behind"
    );
}

/// Logs that a child did not start when its siblings were restarted.
pub(crate) fn restart_failed(process: &ProcessRef, exit: &Exit) {
    tracing::warn!(
        target: "belay_runtime",
        name = process.name(),
        pid = process.pid().number(),
        reason = %exit,
        "process did not start again"
    );
}

/// Logs that the message for a watcher of a group could not be made.
pub(crate) fn notice_crashed(watcher: &ProcessRef, crash: &Crash) {
    tracing::error!(
        target: "belay_runtime",
        name = watcher.name(),
        pid = watcher.pid().number(),
        reason = %crash,
        "notice of a group crashed"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permits_so_many_a_period_and_again_in_the_next() {
        let (begun, period) = (Instant::now(), Duration::from_secs(1));
        let mut limit = Limit::default();
        let mut check = |at_ms, expected: [bool; 3]| {
            let now = begun + Duration::from_millis(at_ms);
            assert_eq!([(); 3].map(|()| limit.permits(now, period, 2)), expected);
        };
        check(10_000, [true, true, false]);
        check(10_999, [false; 3]);
        check(11_000, [true, true, false]);
        // A clock that a test has set back.
        check(0, [true, true, false]);
    }
}
