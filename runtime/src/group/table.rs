//! `[process]` The table of all groups.

use std::hash::Hash;

use super::member::Member;
use super::watch::{Aftermath, Change, Leave, Watches};
use crate::exit::Exit;
use crate::registry::{Claim, Holder, Roster, Row, Shares};
use crate::sync::atomic::AtomicUsize;

/// One group; there is none without members and watchers.
pub(super) struct Group<K, T> {
    pub(super) members: Roster<Member<T>>,
    pub(super) watches: Watches<K>,
    /// Whose turn it is to be sent something as one of all.
    pub(super) turn: AtomicUsize,
}

impl<K: Clone + Send + 'static, T> Group<K, T>
where
    Member<T>: Clone,
{
    pub(super) fn row(key: K) -> Row<K, Self> {
        let held = Self {
            members: Roster::new(),
            watches: Watches::new(),
            turn: AtomicUsize::new(0),
        };
        Row { key, held }
    }

    pub(super) fn is_deserted(&self) -> bool {
        self.members.len() == 0 && self.watches.is_empty()
    }
}

impl<K, T> Holder for Shares<K, Group<K, T>>
where
    K: Eq + Hash + Clone + Send + Sync + 'static,
    T: Clone + Send + 'static,
{
    fn release(&self, claim: Claim, exit: Option<&Exit>) {
        let number = claim.number;
        let mine = |row: &Row<K, Group<K, T>>| {
            row.held.members.get(number).is_some() || row.held.watches.has(number)
        };
        let mut share = self.write(claim.hash);
        let Ok(mut entry) = share.find_entry(claim.hash, mine) else {
            return;
        };
        let Row { key, held } = entry.get_mut();
        let watch = held.watches.take(number);
        let member = held.members.remove(number);
        let aftermath = match &member {
            Some((member, _)) => held.watches.tell(key, || {
                let how = exit.map_or(Leave::Asked, |exit| Leave::Ended(exit.clone()));
                Change::Left(member.process(), how)
            }),
            None => Aftermath::none(),
        };
        let emptied = held.is_deserted().then(|| entry.remove().0);
        drop(share);
        drop((watch, member, emptied));
        aftermath.settle();
    }
}
