//! `[process]` The groups themselves.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use hashbrown::hash_table::Entry;

use super::hears::Hears;
use super::member::{self, Delivery, Member};
use super::table::Group;
use super::watch::{Change, GroupEvent, WatchId};
use crate::limits::GROUP_MEMBERS_MAX;
use crate::mailbox::{Address, Cell, TrySendError};
use crate::pid::Pid;
use crate::process_ref::ProcessRef;
use crate::registry::{Claim, Holder, NotHeld, Roster, Shares};
use crate::slot::Slot;
use crate::sync::atomic::Ordering;

/// Groups of processes to which one value is sent, by name: what OTP has as `pg`.
///
/// A process joins by its [`Address`], whatever its messages are, as long as one can be made
/// [`From`] the shared value `T`; make `T` cheap to clone (an [`Arc`]), as each member gets a
/// clone. A process is a member of a group once, however often it joins.
///
/// # Guarantees
/// * **Membership** lasts until the process leaves or has ended for good. A restart keeps it: what
///   is sent meanwhile waits in the mailbox for the next incarnation. (In `pg` the restarted
///   process is another, and joins again; here joining again does nothing.)
/// * **Order.** What one sender broadcasts comes to each member in that order. Two senders'
///   values may come to two members in different orders.
/// * **Nobody waits.** A member that is full or closed misses the value, and the sender is told
///   how many did. No lock is held while sending, so a broadcast reaches those who were members
///   when it began, and maybe one that has left since.
/// * **Watchers** get every join and leave of a group in the order in which they happened, after
///   a list of the members at the moment they began. One that has no room for a notice gets
///   [`Change::Lapsed`] as its last one, over its mailbox's bound; nobody waits for it.
/// * **Cost.** To join or leave costs the same however large the group is; the list of members is
///   made anew when it is first needed after a change. Groups are for one node.
///
/// ```
/// # use belay_runtime::*;
/// # use std::sync::Arc;
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// enum Ask {
///     Hear(Arc<str>),
///     Heard(Reply<Arc<str>>),
/// }
///
/// impl From<Arc<str>> for Ask {
///     fn from(news: Arc<str>) -> Self {
///         Ask::Hear(news)
///     }
/// }
///
/// let rooms: Groups<&str, Arc<str>> = Groups::new();
/// let mailbox = Mailbox::new(Capacity::new(8));
/// let listener = ChildSpec::body("listener", &mailbox, |mut ctx: Context<Ask>| async move {
///     let mut last = Arc::from("");
///     loop {
///         match ctx.next().await {
///             Incoming::Message(Ask::Hear(news)) => last = news,
///             Incoming::Message(Ask::Heard(reply)) => drop(reply.send(Arc::clone(&last))),
///             Incoming::Timer(_) | Incoming::Signal(_) => {}
///             Incoming::Shutdown => return Ok(()),
///         }
///     }
/// });
/// let node = Node::start(Supervisor::builder("node").child(listener)).await.unwrap();
/// rooms.join("hall", &mailbox.address()).unwrap();
/// assert_eq!(rooms.broadcast(&"hall", Arc::from("dinner")).delivered, 1);
/// let deadline = std::time::Duration::from_secs(1);
/// let heard = mailbox.address().call(deadline, Ask::Heard).await.unwrap();
/// assert_eq!(&*heard, "dinner");
/// node.stop(deadline).await;
/// assert_eq!(rooms.count(&"hall"), 0);
/// # }
/// ```
pub struct Groups<K, T> {
    shares: Arc<Shares<K, Group<K, T>>>,
}

/// Why a process did not join or watch a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JoinError {
    /// Refused: no process was started on the mailbox, or it has ended for good.
    #[error("no process runs on the mailbox")]
    NotRunning,
    /// Busy: the group has [`GROUP_MEMBERS_MAX`] members, or
    /// [`GROUP_WATCHERS_MAX`](crate::limits::GROUP_WATCHERS_MAX) watchers.
    #[error("group is full")]
    Full,
    /// Bug: the process holds [`RELATIONS_MAX`](crate::limits::RELATIONS_MAX) memberships,
    /// watches and names.
    #[error("process holds too many memberships and names")]
    TooMany,
}

impl<K, T> Groups<K, T>
where
    K: Eq + Hash + Clone + Send + Sync + 'static,
    T: Clone + Send + 'static,
{
    /// No groups.
    pub fn new() -> Self {
        Self {
            shares: Arc::new(Shares::new()),
        }
    }

    /// Makes the process on a mailbox a member of `group`; nothing happens when it is one.
    ///
    /// # Errors
    /// [`JoinError`].
    pub fn join<M>(&self, group: K, member: &Address<M>) -> Result<(), JoinError>
    where
        M: From<T> + Send + 'static,
    {
        let to: Arc<dyn Hears<T>> = Arc::<Cell<M>>::clone(member.cell());
        let process = ProcessRef::living_on(to.clone()).ok_or(JoinError::NotRunning)?;
        let hash = self.shares.hash(&group);
        let mut share = self.shares.write(hash);
        let entry = self.shares.entry(&mut share, hash, &group);
        if let Entry::Occupied(entry) = &entry {
            let members = &entry.get().held.members;
            if self.membership(members, &process, hash).is_some() {
                return Ok(());
            }
            if members.len() >= GROUP_MEMBERS_MAX {
                return Err(JoinError::Full);
            }
        }
        let claim = Claim::new(&self.shares, hash);
        claim.entrust(&process, self.holder())?;
        let mut entry = entry.or_insert_with(|| Group::row(group.clone()));
        let Group {
            members, watches, ..
        } = &mut entry.get_mut().held;
        let pid = process.pid();
        let outdated = members.push(claim.number, Member { to, pid });
        let aftermath = watches.tell(&group, || Change::Joined(process.clone()));
        drop(share);
        drop(outdated);
        aftermath.settle();
        Ok(())
    }

    /// Ends a membership; false when there is none.
    pub fn leave<M: Send + 'static>(&self, group: &K, member: &Address<M>) -> bool {
        let slot: Arc<dyn Slot> = Arc::<Cell<M>>::clone(member.cell());
        let Some(process) = ProcessRef::living_on(slot) else {
            return false;
        };
        let hash = self.shares.hash(group);
        let claim = {
            let share = self.shares.read(hash);
            share
                .find(hash, |row| row.key == *group)
                .and_then(|row| self.membership(&row.held.members, &process, hash))
        };
        let Some(claim) = claim else {
            return false;
        };
        let Some(holder) = claim.withdraw(&*process.slot, process.pid) else {
            return false;
        };
        holder.release(claim, None);
        true
    }

    /// The members of `group` (OTP: `pg:get_local_members`), in the order in which they joined.
    pub fn members(&self, group: &K) -> Arc<[Member<T>]> {
        let hash = self.shares.hash(group);
        let share = self.shares.read(hash);
        share
            .find(hash, |row| row.key == *group)
            .map_or_else(Arc::default, |row| row.held.members.list())
    }

    /// How many members `group` has.
    pub fn count(&self, group: &K) -> usize {
        let hash = self.shares.hash(group);
        let share = self.shares.read(hash);
        share
            .find(hash, |row| row.key == *group)
            .map_or(0, |row| row.held.members.len())
    }

    /// The groups that have members (OTP: `pg:which_groups`), in no order that means anything.
    pub fn groups(&self) -> Vec<K> {
        let mut groups = Vec::new();
        for share in self.shares.all() {
            let peopled = share.iter().filter(|row| row.held.members.len() > 0);
            groups.extend(peopled.map(|row| row.key.clone()));
        }
        groups
    }

    /// Sends a clone of `value` to each member, without waiting for anybody.
    pub fn broadcast(&self, group: &K, value: T) -> Delivery {
        member::deliver(&self.members(group), value, None)
    }

    /// As [`broadcast`](Groups::broadcast), but not to `sender` (Phoenix: `broadcast_from`).
    pub fn broadcast_from(&self, group: &K, sender: Pid, value: T) -> Delivery {
        member::deliver(&self.members(group), value, Some(sender))
    }

    /// Sends `value` to one member: each in turn, or when that has no room the next that has.
    ///
    /// # Errors
    /// [`TrySendError::Full`] (busy) when no member has room; [`TrySendError::Closed`] (refused)
    /// when there is none that has not ended. Both give the value back.
    pub fn send_any(&self, group: &K, value: T) -> Result<(), TrySendError<T>> {
        let hash = self.shares.hash(group);
        let (members, turn) = {
            let share = self.shares.read(hash);
            let Some(row) = share.find(hash, |row| row.key == *group) else {
                return Err(TrySendError::Closed(value));
            };
            let turn = row.held.turn.fetch_add(1, Ordering::Relaxed);
            (row.held.members.list(), turn)
        };
        member::send_any(&members, turn, value)
    }

    /// Lets the process on a mailbox know who joins and leaves `group` from now on (OTP:
    /// `pg:monitor`), and returns who is a member now, in the order in which they joined.
    ///
    /// A [`GroupEvent`] for each comes in order; [`Change::Lapsed`] is the last one when there was
    /// no room for a further one. The watching ends when the watcher has ended for good, and a
    /// restart keeps it. A process watches a group once: when it begins again, as a new
    /// incarnation will that needs the list, the watching before is over, and the notices of that
    /// one that are still queued can be told by their [`WatchId`]. The message is made from the
    /// event while the group is locked: that must not come back to the groups. When it panics, that
    /// is logged, and the watching is over.
    ///
    /// # Errors
    /// [`JoinError`].
    pub fn monitor<W>(
        &self,
        group: K,
        watcher: &Address<W>,
    ) -> Result<(WatchId, Vec<ProcessRef>), JoinError>
    where
        W: From<GroupEvent<K>> + Send + 'static,
    {
        let to: Arc<dyn Hears<GroupEvent<K>>> = Arc::<Cell<W>>::clone(watcher.cell());
        let process = ProcessRef::living_on(to.clone()).ok_or(JoinError::NotRunning)?;
        let hash = self.shares.hash(&group);
        let mut share = self.shares.write(hash);
        let mut entry = match self.shares.entry(&mut share, hash, &group) {
            Entry::Occupied(entry) => entry,
            Entry::Vacant(entry) => entry.insert(Group::row(group)),
        };
        let Group {
            members, watches, ..
        } = &mut entry.get_mut().held;
        let before = watches.take_of(&process);
        let withdrawn = before
            .as_ref()
            .and_then(|watch| watch.claim.withdraw(&*process.slot, process.pid));
        let claim = Claim::new(&self.shares, hash);
        let entrusted = match claim.entrust(&process, self.holder()) {
            Ok(()) if watches.is_full() => {
                drop(claim.withdraw(&*process.slot, process.pid));
                Err(JoinError::Full)
            }
            Ok(()) => {
                watches.add(claim, to, process);
                Ok((WatchId(claim.number), members.list()))
            }
            Err(not_held) => Err(not_held.into()),
        };
        if entry.get().held.is_deserted() {
            entry.remove();
        }
        drop(share);
        drop((before, withdrawn));
        let (watch, members) = entrusted?;
        Ok((watch, members.iter().map(Member::process).collect()))
    }

    /// Ends a watching; false when it is over already. Notices that are queued still come.
    pub fn demonitor<W: Send + 'static>(&self, group: &K, watcher: &Address<W>) -> bool {
        let slot: Arc<dyn Slot> = Arc::<Cell<W>>::clone(watcher.cell());
        let Some(process) = ProcessRef::living_on(slot) else {
            return false;
        };
        let hash = self.shares.hash(group);
        let mut share = self.shares.write(hash);
        let Ok(mut entry) = share.find_entry(hash, |row| row.key == *group) else {
            return false;
        };
        let group = &mut entry.get_mut().held;
        let gone = group.watches.take_of(&process);
        let emptied = group.is_deserted().then(|| entry.remove().0);
        drop(share);
        drop(emptied);
        let Some(watch) = gone else {
            return false;
        };
        drop(watch.claim.withdraw(&*process.slot, process.pid));
        true
    }

    /// The claim by which `process` is one of these.
    fn membership(
        &self,
        members: &Roster<Member<T>>,
        process: &ProcessRef,
        hash: u64,
    ) -> Option<Claim> {
        let mut claims = Claim::held(process, &self.shares, Some(hash)).into_iter();
        claims.find(|claim| members.get(claim.number).is_some())
    }

    fn holder(&self) -> Arc<dyn Holder> {
        Arc::<Shares<K, Group<K, T>>>::clone(&self.shares)
    }
}

impl From<NotHeld> for JoinError {
    fn from(not_held: NotHeld) -> Self {
        match not_held {
            NotHeld::Ended => Self::NotRunning,
            NotHeld::TooMany => Self::TooMany,
        }
    }
}

impl<K, T> Default for Groups<K, T>
where
    K: Eq + Hash + Clone + Send + Sync + 'static,
    T: Clone + Send + 'static,
{
    fn default() -> Self {
        Self::new()
    }
}

impl<K, T> Clone for Groups<K, T> {
    fn clone(&self) -> Self {
        Self {
            shares: Arc::clone(&self.shares),
        }
    }
}

impl<K, T> fmt::Debug for Groups<K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Groups").finish_non_exhaustive()
    }
}
