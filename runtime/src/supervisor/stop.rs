//! `[process]` Stopping children: in reverse order, or all at once.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::time::timeout;

use super::branch::Branch;
use super::family::{Family, lock};
use crate::grace::Grace;
use crate::limits::KILL_GRACE;
use crate::process_ref::ProcessRef;
use crate::report;
use crate::slot::Purpose;

/// Stops one child for good and waits for it; false when it is left behind.
pub(crate) async fn stop_one(process: &ProcessRef, grace: Grace) -> bool {
    process.request_stop(grace, Purpose::End);
    let stopped = match grace.patience() {
        Some(limit) => timeout(limit, process.ended()).await.is_ok(),
        None => {
            process.ended().await;
            true
        }
    };
    if !stopped {
        report::left_behind(process);
    }
    stopped
}

impl Family {
    /// Lets no more children be started.
    pub(crate) fn close(&self) {
        self.stopping.store(true, Ordering::Release);
        for partition in &self.partitions {
            lock(partition).runtime = None;
        }
    }

    /// Stops the children one after the other, last started first.
    pub(super) async fn stop_in_reverse(&self) {
        self.close();
        for (process, grace) in self.list().into_iter().rev() {
            stop_one(&process, grace).await;
        }
    }

    /// Stops all children at once and waits for them: linear in their number.
    pub(super) async fn stop_together(&self) {
        self.close();
        let children = self.list();
        let mut limit = Some(KILL_GRACE);
        for (process, grace) in &children {
            limit = limit.zip(grace.patience()).map(|(a, b)| a.max(b));
            process.request_stop(*grace, Purpose::End);
        }
        let stopped = match limit {
            Some(limit) => timeout(limit, self.emptied()).await.is_ok(),
            None => {
                self.emptied().await;
                true
            }
        };
        if !stopped {
            let left = children.iter().filter(|(process, _)| process.is_alive());
            left.for_each(|(process, _)| report::left_behind(process));
        }
    }

    /// Hands on who was left behind, for the report of the node: a supervisor that has ended is
    /// not in the tree any more, and neither are they.
    pub(super) fn hand_on(&self, supervisor: &ProcessRef) {
        let mut left = self.left_behind();
        if left.is_empty() {
            return;
        }
        let mut control = supervisor.slot.core().lock();
        let before = &mut control.rare().left;
        // An earlier incarnation may have left the same.
        left.retain(|process| !before.contains(process));
        before.append(&mut left);
    }

    /// Who still runs, here or below children that have ended.
    pub(crate) fn left_behind(&self) -> Vec<ProcessRef> {
        let mut left = std::mem::take(&mut self.state().left);
        left.extend(self.list().into_iter().map(|(process, _)| process));
        left.retain(ProcessRef::is_alive);
        left
    }

    /// Notes whom a child that has ended left behind.
    pub(crate) fn note_left(&self, left: Vec<ProcessRef>) {
        if left.is_empty() {
            return;
        }
        // Without those that have ended since, so that they are no more than there are threads and
        // processes that hang. Looked at without the lock, which is another one's.
        let mut still = std::mem::take(&mut self.state().left);
        still.extend(left);
        still.retain(ProcessRef::is_alive);
        self.state().left.extend(still);
    }

    async fn emptied(&self) {
        while self.living() > 0 {
            self.changed.notified().await;
        }
    }
}

/// Kills what is left when a supervisor ends in any way: no child outlives it.
pub(crate) struct Custody(pub(crate) Arc<Family>);

impl fmt::Debug for Custody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Custody").finish_non_exhaustive()
    }
}

impl Drop for Custody {
    fn drop(&mut self) {
        self.0.close();
        if self.0.living() == 0 {
            return;
        }
        let mut doomed = Branch::children(&*self.0);
        // All of the tree at once, not each generation by the one above it: a supervisor that is
        // started again in this one's place waits only for those on its mailboxes that are doomed.
        while let Some(process) = doomed.pop() {
            process.request_stop(Grace::BRUTAL, Purpose::End);
            let status = process.slot.core().status();
            let branch = status.branch.filter(|_| status.pid == process.pid());
            if let Some(branch) = branch.and_then(|branch| branch.upgrade()) {
                doomed.extend(branch.doomed());
            }
        }
    }
}
