//! `[process]` All supervisors of this program: to find a process by nothing but its pid.
//!
//! For who has a pid and time: each supervisor is asked. That costs a process nothing, and a
//! supervisor one entry, which is forgotten some time after it has ended.

use std::sync::{Mutex, MutexGuard, PoisonError, Weak};

use crate::pid::Pid;
use crate::process_ref::ProcessRef;
use crate::supervisor::Branch;

/// Entries below which nothing is cleared out.
const ENTRIES_MIN: usize = 64;

static ROSTER: Mutex<Roster> = Mutex::new(Roster {
    entries: Vec::new(),
    clear_at: ENTRIES_MIN,
});

struct Roster {
    entries: Vec<Weak<dyn Branch>>,
    /// How many entries there may be before the dead are cleared out: twice those that lived the
    /// last time, so that adding one costs the same however many there are.
    clear_at: usize,
}

/// Adds a supervisor.
pub(crate) fn enrol(branch: Weak<dyn Branch>) {
    let mut roster = roster();
    if roster.entries.len() >= roster.clear_at {
        roster.entries.retain(|entry| entry.strong_count() > 0);
        roster.clear_at = ENTRIES_MIN.max(roster.entries.len() * 2);
    }
    roster.entries.push(branch);
}

/// The process with this pid, unless it has ended for good.
pub(crate) fn find(pid: Pid) -> Option<ProcessRef> {
    let entries = roster().entries.clone();
    // Last started first: those that come and go are asked before those that stay.
    let mut branches = entries.iter().rev().filter_map(Weak::upgrade);
    branches.find_map(|branch| branch.find(pid))
}

fn roster() -> MutexGuard<'static, Roster> {
    ROSTER.lock().unwrap_or_else(PoisonError::into_inner)
}
