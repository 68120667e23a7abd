//! `[process]` Process identifiers.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

static NEXT: AtomicU64 = AtomicU64::new(1);

/// Names one child for as long as it exists, over all its restarts.
///
/// Unlike OTP's, a pid does not change when the child restarts; use
/// [`Context::incarnation`](crate::Context::incarnation) to tell incarnations apart. Pids are
/// never reused within one run of the program, and later children have greater ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Pid(u64);

impl Pid {
    /// Of a mailbox that no process was started on yet.
    pub(crate) const NONE: Self = Self(0);

    pub(crate) fn next() -> Self {
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    pub(crate) fn of(number: u64) -> Self {
        Self(number)
    }

    /// The number, for logs and for choosing a partition.
    pub fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", self.0)
    }
}
