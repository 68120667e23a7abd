//! `[process]` What each thread is polling now: a record a thread, read by the watchdog.
//!
//! A record is one word: who is being polled, and a counter of turns that tells one poll of them
//! from the next. Only its own thread writes it, with plain stores; nothing is named or looked up
//! here, because that is done by who reads, and only about a turn that lasts.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::limits::WATCHED_THREADS_MAX;
use crate::pid::Pid;
use crate::profile::{self, ClassId};
use crate::sighting::Turn;
use crate::slot::Core;
use crate::ticks;

static RECORDS: Mutex<Records> = Mutex::new(Records {
    all: Vec::new(),
    free: Vec::new(),
});

/// Of threads that there is no record for; nobody reads it.
static UNREAD: Record = Record(AtomicU64::new(0));

/// Of threads whose processes may block and keep their own account of it; nobody reads it.
static BLOCKING: Record = Record(AtomicU64::new(0));

thread_local! {
    /// Has nothing to drop, so that it is there to the very end of the thread.
    static HERE: Cell<Option<&'static Record>> = const { Cell::new(None) };
    static LEASE: RefCell<Option<Lease>> = const { RefCell::new(None) };
}

/// What one thread is polling. On a cache line of its own.
#[repr(align(64))]
#[derive(Debug)]
pub(crate) struct Record(AtomicU64);

/// Records are not freed: one that its thread has left is used by the next.
struct Records {
    all: Vec<&'static Record>,
    free: Vec<&'static Record>,
}

/// Gives the record back at the end of the thread.
struct Lease(&'static Record);

/// Runs `f`, which must not panic, as a turn of the process `pid`, and adds the time it took to
/// what the process was busy, and to what the profiler counts of its class.
#[inline]
pub(crate) fn turn<R>(pid: Pid, class: ClassId, core: &Core, f: impl FnOnce() -> R) -> R {
    let record = HERE.get().unwrap_or_else(attach);
    let before = record.enter(pid);
    let result = if std::ptr::eq(record, &raw const BLOCKING) {
        f()
    } else {
        let since = ticks::now();
        let span = profile::enter_at(class, since);
        let result = f();
        let now = ticks::now();
        span.leave_at(now);
        core.add_busy(now.saturating_sub(since));
        result
    };
    record.leave(before);
    result
}

/// Turns on this thread are not watched any more, and do not count as busy time or in the
/// profiler, as they wait in between; their spans count.
pub(crate) fn may_block() {
    HERE.set(Some(&BLOCKING));
}

/// Calls `f` with what each thread is doing now, always in the same order; threads come in at the
/// end.
pub(crate) fn look(mut f: impl FnMut(usize, Turn)) {
    for (index, record) in records().all.iter().enumerate() {
        f(index, record.turn());
    }
}

impl Record {
    #[inline]
    fn enter(&self, pid: Pid) -> Turn {
        let before = self.turn();
        self.set(before, pid.number());
        before
    }

    /// Back to what was before, which is something when a process runs others inside its poll.
    #[inline]
    fn leave(&self, before: Turn) {
        self.set(self.turn(), before.holder());
    }

    #[inline]
    fn set(&self, last: Turn, holder: u64) {
        self.0.store(Turn::after(last, holder).0, Ordering::Relaxed);
    }

    #[inline]
    fn turn(&self) -> Turn {
        Turn(self.0.load(Ordering::Relaxed))
    }
}

#[cold]
fn attach() -> &'static Record {
    let record = LEASE.try_with(|lease| {
        let record = records().take()?;
        *lease.borrow_mut() = Some(Lease(record));
        Some(record)
    });
    // The lease cannot be held when the thread is about to end.
    let record = record.ok().flatten().unwrap_or(&UNREAD);
    HERE.set(Some(record));
    record
}

impl Records {
    fn take(&mut self) -> Option<&'static Record> {
        if let Some(record) = self.free.pop() {
            return Some(record);
        }
        if self.all.len() >= WATCHED_THREADS_MAX {
            return None;
        }
        let record: &'static Record = Box::leak(Box::new(Record(AtomicU64::new(0))));
        self.all.push(record);
        Some(record)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        HERE.set(Some(&UNREAD));
        self.0.leave(Turn(0));
        records().free.push(self.0);
    }
}

fn records() -> MutexGuard<'static, Records> {
    RECORDS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here() -> Turn {
        HERE.get().expect("something ran here").turn()
    }

    #[test]
    fn shows_whose_turn_it_is_and_each_turn_as_another() {
        let class = profile::class("worker's own test");
        let (core, one, two) = (Core::new(), Pid::next(), Pid::next());
        let first = turn(one, class, &core, here);
        assert_eq!(first.holder(), one.number());
        assert_eq!(here().holder(), 0);
        let (outer, inner, after) = turn(one, class, &core, || {
            (here(), turn(two, class, &core, here), here())
        });
        assert_eq!(inner.holder(), two.number());
        assert_eq!(
            (outer.holder(), after.holder()),
            (one.number(), one.number())
        );
        let all = [first, outer, inner, after, here()];
        for (index, turn) in all.iter().enumerate() {
            assert!(!all[..index].contains(turn), "{all:?}");
        }
    }

    #[test]
    fn a_turn_adds_to_the_busy_time() {
        let class = profile::class("worker's own test");
        let (core, pid) = (Core::new(), Pid::next());
        assert_eq!(core.busy(), 0);
        turn(pid, class, &core, || {
            let begun = ticks::now();
            while ticks::now() <= begun {}
        });
        let once = core.busy();
        assert!(once > 0);
        turn(pid, class, &core, || ());
        assert!(core.busy() >= once);
    }

    #[test]
    fn threads_that_come_and_go_share_records() {
        let class = profile::class("worker's own test");
        let (core, pid) = (Core::new(), Pid::next());
        let begin = || {
            let mut count = 0;
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    turn(pid, class, &core, || {
                        look(|_, turn| count += usize::from(turn.holder() == pid.number()))
                    })
                });
            });
            count
        };
        for _ in 0..50 {
            assert_eq!(begin(), 1);
        }
        let mut known = 0;
        look(|_, _| known += 1);
        // Other tests run beside this one, but not as many at once.
        assert!(known < 50, "{known}");
    }
}
