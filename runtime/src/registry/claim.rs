//! `[process]` What a process owns in registries and groups, and how that goes with it.
//!
//! Each entry is noted twice: in the table, and with its owner as a claim. Who takes the claim from
//! the owner takes the entry out of the table; so that happens once, whether the owner ends, gives
//! the entry up, or both at the same time. Locks are taken in one order: a share of a table, then
//! the control lock of a process.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use smallvec::SmallVec;

use crate::exit::Exit;
use crate::guard;
use crate::limits::RELATIONS_MAX;
use crate::pid::Pid;
use crate::process_ref::ProcessRef;
use crate::slot::Slot;
use crate::small_map::SmallMap;

static NEXT: AtomicU64 = AtomicU64::new(1);

/// A table in which processes own entries.
pub(crate) trait Holder: Send + Sync + 'static {
    /// Takes out the entry of a claim; `exit` when its owner has ended for good.
    fn release(&self, claim: Claim, exit: Option<&Exit>);
}

/// One entry of one table, owned by a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Claim {
    /// Where the table is, so that it is told from others.
    holder: usize,
    /// Of the entry's key, as the table hashes.
    pub(crate) hash: u64,
    /// Greater than that of any earlier claim.
    pub(crate) number: u64,
}

/// Why an owner does not hold a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotHeld {
    Ended,
    TooMany,
}

impl Claim {
    /// A new one. Made under the lock of its share, so that in each share the numbers rise.
    pub(crate) fn new<H>(holder: &Arc<H>, hash: u64) -> Self {
        Self::numbered(holder, hash, NEXT.fetch_add(1, Ordering::Relaxed))
    }

    pub(crate) fn numbered<H>(holder: &Arc<H>, hash: u64, number: u64) -> Self {
        Self {
            holder: Arc::as_ptr(holder).addr(),
            hash,
            number,
        }
    }

    /// Leaves the claim with the owner for its end.
    pub(crate) fn entrust(
        self,
        owner: &ProcessRef,
        holder: Arc<dyn Holder>,
    ) -> Result<(), NotHeld> {
        let mut control = owner.slot.core().lock();
        if control.pid != owner.pid || !control.is_living() {
            return Err(NotHeld::Ended);
        }
        let claims = &mut control.extras().claims.0;
        if claims.len() >= RELATIONS_MAX {
            return Err(NotHeld::TooMany);
        }
        claims.insert(self, holder);
        Ok(())
    }

    /// Takes the claim from its owner; `None` when somebody else has, or the owner has ended.
    pub(crate) fn withdraw(self, owner: &dyn Slot, pid: Pid) -> Option<Arc<dyn Holder>> {
        let mut control = owner.core().lock();
        if control.pid != pid {
            return None;
        }
        control.extras.as_mut()?.claims.0.remove(&self)
    }

    /// What `owner` holds in one table: under keys of this hash, or all.
    pub(crate) fn held<H>(
        owner: &ProcessRef,
        holder: &Arc<H>,
        hash: Option<u64>,
    ) -> SmallVec<[Self; 4]> {
        let holder = Arc::as_ptr(holder).addr();
        let bound = |hash, number| Self {
            holder,
            hash,
            number,
        };
        let control = owner.slot.core().lock();
        match &control.extras {
            Some(extras) if control.pid == owner.pid => extras.claims.0.keys_between(
                bound(hash.unwrap_or(0), 0),
                bound(hash.unwrap_or(u64::MAX), u64::MAX),
            ),
            Some(_) | None => SmallVec::new(),
        }
    }
}

/// All claims of one process.
#[derive(Default)]
pub(crate) struct Claims(SmallMap<Claim, Arc<dyn Holder>>);

impl Claims {
    /// The owner has ended for good: its entries go.
    pub(crate) fn release(self, exit: &Exit) {
        for (claim, holder) in self.0.into_entries() {
            // It may drop a value whose drop panics: no reason to keep the others.
            drop(guard::call(|| holder.release(claim, Some(exit))));
        }
    }
}

/// An entry that is held until this is dropped or its owner has ended for good.
#[must_use = "the entry is given up when this is dropped"]
pub struct Registration {
    owner: ProcessRef,
    claim: Claim,
    kept: bool,
}

impl Registration {
    pub(crate) fn new(owner: &ProcessRef, claim: Claim) -> Self {
        Self {
            owner: owner.clone(),
            claim,
            kept: false,
        }
    }

    /// Leaves the entry registered until its owner has ended for good.
    pub fn keep(mut self) {
        self.kept = true;
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if !self.kept
            && let Some(holder) = self.claim.withdraw(&*self.owner.slot, self.owner.pid)
        {
            holder.release(self.claim, None);
        }
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration")
            .field("owner", &self.owner)
            .finish_non_exhaustive()
    }
}
