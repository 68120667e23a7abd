//! `[process]` Those who are told who joins and leaves a group.

use std::ptr::addr_eq;
use std::sync::Arc;
use std::task::Waker;

use smallvec::SmallVec;

use super::hears::{Deaf, Hears};
use crate::exit::{Crash, Exit};
use crate::guard;
use crate::limits::GROUP_WATCHERS_MAX;
use crate::mailbox::Class;
use crate::process_ref::ProcessRef;
use crate::registry::Claim;
use crate::report;

/// One watching of one group; tells the notices of this one from those of an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WatchId(pub(super) u64);

/// A notice about a group, as it comes to who [monitors](crate::Groups::monitor) it.
#[derive(Clone, Debug)]
pub struct GroupEvent<K> {
    /// What [`Groups::monitor`](crate::Groups::monitor) returned.
    pub watch: WatchId,
    /// The group.
    pub group: K,
    /// What happened.
    pub change: Change,
}

/// What happened to a group.
#[derive(Clone, Debug)]
pub enum Change {
    /// Somebody joined.
    Joined(ProcessRef),
    /// Somebody left.
    Left(ProcessRef, Leave),
    /// Further notices did not fit into the watcher's mailbox: this watching is over, and this is
    /// its last notice. Monitor again to learn who is a member by now.
    Lapsed,
}

/// How a member left.
#[derive(Clone, Debug)]
pub enum Leave {
    /// By [`Groups::leave`](crate::Groups::leave).
    Asked,
    /// Because it ended for good.
    Ended(Exit),
}

/// Those who watch one group.
pub(super) struct Watches<K>(Vec<Watch<K>>);

pub(super) struct Watch<K> {
    pub(super) claim: Claim,
    to: Arc<dyn Hears<GroupEvent<K>>>,
    owner: ProcessRef,
}

/// What is left to do about notices where no lock is held.
#[must_use = "the receivers must be woken"]
pub(super) struct Aftermath<K> {
    wakers: SmallVec<[Waker; 2]>,
    over: Vec<Watch<K>>,
    /// Whose messages could not be made.
    crashes: Vec<(ProcessRef, Crash)>,
}

impl<K: Clone + Send + 'static> Watches<K> {
    pub(super) fn new() -> Self {
        Self(Vec::new())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.0.len() >= GROUP_WATCHERS_MAX
    }

    pub(super) fn has(&self, number: u64) -> bool {
        self.0.iter().any(|watch| watch.claim.number == number)
    }

    /// The watching of this process, taken out.
    pub(super) fn take_of(&mut self, owner: &ProcessRef) -> Option<Watch<K>> {
        let mine = |watch: &Watch<K>| addr_eq(Arc::as_ptr(&watch.to), Arc::as_ptr(&owner.slot));
        let at = self.0.iter().position(mine)?;
        Some(self.0.remove(at))
    }

    pub(super) fn take(&mut self, number: u64) -> Option<Watch<K>> {
        let mine = |watch: &Watch<K>| watch.claim.number == number;
        let at = self.0.iter().position(mine)?;
        Some(self.0.remove(at))
    }

    pub(super) fn add(
        &mut self,
        claim: Claim,
        to: Arc<dyn Hears<GroupEvent<K>>>,
        owner: ProcessRef,
    ) {
        self.0.push(Watch { claim, to, owner });
    }

    /// Queues a notice for everybody, under the lock of the group, so that notices are in the
    /// order of what they tell. Who has no room gets a last one over its bound.
    pub(super) fn tell(&mut self, group: &K, change: impl Fn() -> Change) -> Aftermath<K> {
        let mut aftermath = Aftermath::none();
        if self.0.is_empty() {
            return aftermath;
        }
        let mut told = |watch: &Watch<K>, change, class| {
            let event = GroupEvent {
                watch: WatchId(watch.claim.number),
                group: group.clone(),
                change,
            };
            let heard = watch.to.hear(event, class);
            heard.map(|waker| aftermath.wakers.extend(waker))
        };
        let mut crashes = Vec::new();
        let lapsed = self.0.extract_if(.., |watch| {
            // Making the message is the watcher's code: its panic is no reason not to wake others.
            let told = guard::call(|| match told(watch, change(), Class::Ambient) {
                Ok(()) => false,
                Err(Deaf::Closed) => true,
                Err(Deaf::Full) => {
                    // Closed meanwhile: then nobody is there to be told.
                    let _last = told(watch, Change::Lapsed, Class::Last);
                    true
                }
            });
            told.unwrap_or_else(|caught| {
                crashes.push((watch.owner.clone(), caught.crash));
                true
            })
        });
        let over = lapsed.collect();
        aftermath.over = over;
        aftermath.crashes = crashes;
        aftermath
    }
}

impl<K> Aftermath<K> {
    pub(super) fn none() -> Self {
        Self {
            wakers: SmallVec::new(),
            over: Vec::new(),
            crashes: Vec::new(),
        }
    }

    /// Wakes the receivers and forgets those that are over.
    pub(super) fn settle(self) {
        self.wakers.into_iter().for_each(Waker::wake);
        for (owner, crash) in self.crashes {
            report::notice_crashed(&owner, &crash);
        }
        for watch in self.over {
            drop(watch.claim.withdraw(&*watch.owner.slot, watch.owner.pid));
        }
    }
}
