//! `[process]` Crash reports: one log record for a crash, not more than the limit allows.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::exit::{Crash, Exit};
use crate::limits::{CRASH_REPORT_PERIOD, CRASH_REPORTS_MAX};
use crate::process_ref::ProcessRef;

static LIMIT: OnceLock<Mutex<Limit>> = OnceLock::new();
static OMITTED: AtomicU64 = AtomicU64::new(0);

struct Limit {
    since: Instant,
    reports: u32,
}

/// Takes one of the reports that this period may have.
pub(crate) fn permitted() -> bool {
    let now = Instant::now();
    let limit = LIMIT.get_or_init(|| {
        Mutex::new(Limit {
            since: now,
            reports: 0,
        })
    });
    let mut limit = limit.lock().unwrap_or_else(PoisonError::into_inner);
    // The clock may have gone back when a test paused it; then a period begins as well.
    if now < limit.since || now - limit.since >= CRASH_REPORT_PERIOD {
        *limit = Limit {
            since: now,
            reports: 0,
        };
    }
    limit.reports += 1;
    let permitted = limit.reports <= CRASH_REPORTS_MAX;
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
