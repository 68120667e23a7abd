//! `[process]` Names that several share: a partitioned map with duplicate keys.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use hashbrown::hash_table::Entry;

use super::claim::{Claim, Holder, NotHeld, Registration};
use super::roster::Roster;
use super::shares::{Row, Shares};
use crate::exit::Exit;
use crate::limits::ENTRIES_OF_KEY_MAX;
use crate::pid::Pid;
use crate::process_ref::ProcessRef;

/// A map from keys to any number of values, each owned by a process.
///
/// What Elixir has as `Registry` with `keys: :duplicate`: topics and those who listen, kinds and
/// those who are of them. A process may have several entries under one key. An entry goes when its
/// owner has ended for good, when its [`Registration`] is dropped, or with
/// [`unregister`](DuplicateRegistry::unregister); a restart of the owner keeps it, so a process
/// registers once and not in each incarnation.
///
/// Under each key the entries are in the order in which they were registered. Reading takes a read
/// lock on one of [`REGISTRY_PARTITIONS`](crate::limits::REGISTRY_PARTITIONS) shares for as long as
/// it takes to find the key; nothing of the caller's runs meanwhile. The list of a key is made
/// when it is first read after a change, so ten thousand registrations in a row cost no more each
/// than one. To send one value to all, see [`Groups`](crate::Groups).
///
/// ```
/// # use belay_runtime::*;
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let topics = DuplicateRegistry::new();
/// let node = Node::start(Supervisor::builder("node")).await.unwrap();
/// let owner = node.root();
/// topics.register("weather", "sun", owner).unwrap().keep();
/// let rain = topics.register("weather", "rain", owner).unwrap();
/// assert_eq!(topics.lookup_all(&"weather"), ["sun", "rain"]);
/// drop(rain);
/// let mut heard = Vec::new();
/// topics.dispatch(&"weather", |_owner, value| heard.push(*value));
/// assert_eq!(heard, ["sun"]);
/// # node.stop(std::time::Duration::from_secs(1)).await;
/// # }
/// ```
pub struct DuplicateRegistry<K, V> {
    shares: Arc<Shares<K, Roster<Held<V>>>>,
}

#[derive(Clone)]
struct Held<V> {
    owner: Pid,
    value: V,
}

impl<K, V> DuplicateRegistry<K, V>
where
    K: Eq + Hash + Clone + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// An empty registry.
    pub fn new() -> Self {
        Self {
            shares: Arc::new(Shares::new()),
        }
    }

    /// Adds an entry under `key` for `owner`.
    ///
    /// When `owner` has ended, it succeeds and the entry is gone at once, as if it had ended right
    /// after.
    ///
    /// # Errors
    /// [`RegisterError`], which gives the value back.
    pub fn register(
        &self,
        key: K,
        value: V,
        owner: &ProcessRef,
    ) -> Result<Registration, RegisterError<V>> {
        let hash = self.shares.hash(&key);
        let mut share = self.shares.write(hash);
        let claim = Claim::new(&self.shares, hash);
        let entry = self.shares.entry(&mut share, hash, &key);
        if let Entry::Occupied(entry) = &entry
            && entry.get().held.len() >= ENTRIES_OF_KEY_MAX
        {
            return Err(RegisterError::KeyFull(value));
        }
        match claim.entrust(
            owner,
            Arc::<Shares<K, Roster<Held<V>>>>::clone(&self.shares),
        ) {
            Ok(()) => {}
            Err(NotHeld::Ended) => return Ok(Registration::new(owner, claim)),
            Err(NotHeld::TooMany) => return Err(RegisterError::OwnerFull(value)),
        }
        let mut row = entry.or_insert_with(|| Row {
            key,
            held: Roster::new(),
        });
        let owner_pid = owner.pid();
        let held = Held {
            owner: owner_pid,
            value,
        };
        let outdated = row.get_mut().held.push(claim.number, held);
        drop(share);
        drop(outdated);
        Ok(Registration::new(owner, claim))
    }

    /// Gives up all entries of `owner` under `key`; returns how many there were.
    pub fn unregister(&self, key: &K, owner: &ProcessRef) -> usize {
        let hash = self.shares.hash(key);
        let mut gone = Vec::new();
        let mut share = self.shares.write(hash);
        if let Ok(mut entry) = share.find_entry(hash, |row| row.key == *key) {
            let roster = &mut entry.get_mut().held;
            for claim in Claim::held(owner, &self.shares, Some(hash)) {
                if roster.get(claim.number).is_some()
                    && let Some(withdrawn) = claim.withdraw(&*owner.slot, owner.pid)
                {
                    gone.push((withdrawn, roster.remove(claim.number)));
                }
            }
            if roster.len() == 0 {
                entry.remove();
            }
        }
        drop(share);
        gone.len()
    }

    /// The values under `key`, in the order in which they were registered (Elixir:
    /// `Registry.lookup`).
    pub fn lookup_all(&self, key: &K) -> Vec<V> {
        let list = self.list(key);
        list.iter().map(|held| held.value.clone()).collect()
    }

    /// The values of `owner` under `key`, in the order in which they were registered (Elixir:
    /// `Registry.values`).
    pub fn values_of(&self, key: &K, owner: &ProcessRef) -> Vec<V> {
        let list = self.list(key);
        list.iter()
            .filter(|held| held.owner == owner.pid())
            .map(|held| held.value.clone())
            .collect()
    }

    /// Calls `f` with the owner and the value of each entry under `key`, in the order in which
    /// they were registered; returns how many there were (Elixir: `Registry.dispatch`).
    ///
    /// No lock is held meanwhile: `f` may come back to the registry. It is called for those who
    /// were registered when it began, also for one that has ended since.
    pub fn dispatch(&self, key: &K, mut f: impl FnMut(Pid, &V)) -> usize {
        let list = self.list(key);
        for held in list.iter() {
            f(held.owner, &held.value);
        }
        list.len()
    }

    /// Entries under `key` now.
    pub fn count(&self, key: &K) -> usize {
        let hash = self.shares.hash(key);
        let share = self.shares.read(hash);
        share
            .find(hash, |row| row.key == *key)
            .map_or(0, |row| row.held.len())
    }

    /// The keys of `owner`, each as often as it is registered, in no order that means anything
    /// (Elixir: `Registry.keys`). Costs what `owner` holds, however many entries there are.
    pub fn keys_of(&self, owner: &ProcessRef) -> Vec<K> {
        let claims = Claim::held(owner, &self.shares, None);
        let key = |claim: Claim| {
            let share = self.shares.read(claim.hash);
            share
                .find(claim.hash, |row| row.held.get(claim.number).is_some())
                .map(|row| row.key.clone())
        };
        claims.into_iter().filter_map(key).collect()
    }

    /// Entries now, under all keys. Goes through the keys.
    pub fn len(&self) -> usize {
        let count = |row: &Row<K, Roster<Held<V>>>| row.held.len();
        self.shares
            .all()
            .map(|share| share.iter().map(count).sum::<usize>())
            .sum()
    }

    /// True when there are no entries.
    pub fn is_empty(&self) -> bool {
        self.shares.all().all(|share| share.is_empty())
    }

    fn list(&self, key: &K) -> Arc<[Held<V>]> {
        let hash = self.shares.hash(key);
        let share = self.shares.read(hash);
        share
            .find(hash, |row| row.key == *key)
            .map_or_else(Arc::default, |row| row.held.list())
    }
}

impl<K, V> Holder for Shares<K, Roster<Held<V>>>
where
    K: Eq + Hash + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    fn release(&self, claim: Claim, _exit: Option<&Exit>) {
        let mut share = self.write(claim.hash);
        let mine = |row: &Row<K, Roster<Held<V>>>| row.held.get(claim.number).is_some();
        let Ok(mut entry) = share.find_entry(claim.hash, mine) else {
            return;
        };
        let roster = &mut entry.get_mut().held;
        let gone = roster.remove(claim.number);
        let emptied = (roster.len() == 0).then(|| entry.remove().0);
        drop(share);
        drop((gone, emptied));
    }
}

/// Why an entry was not added. Gives the value back.
#[derive(thiserror::Error)]
pub enum RegisterError<V> {
    /// Busy: there are [`ENTRIES_OF_KEY_MAX`] under the key.
    #[error("key has its {ENTRIES_OF_KEY_MAX} entries")]
    KeyFull(V),
    /// Bug: the owner holds [`RELATIONS_MAX`](crate::limits::RELATIONS_MAX) entries.
    #[error("owner holds too many entries")]
    OwnerFull(V),
}

impl<V> RegisterError<V> {
    /// The value.
    pub fn into_inner(self) -> V {
        match self {
            Self::KeyFull(value) | Self::OwnerFull(value) => value,
        }
    }
}

impl<V> fmt::Debug for RegisterError<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::KeyFull(_) => "KeyFull(..)",
            Self::OwnerFull(_) => "OwnerFull(..)",
        })
    }
}

impl<K, V> Default for DuplicateRegistry<K, V>
where
    K: Eq + Hash + Clone + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V> Clone for DuplicateRegistry<K, V> {
    fn clone(&self) -> Self {
        Self {
            shares: Arc::clone(&self.shares),
        }
    }
}

impl<K, V> fmt::Debug for DuplicateRegistry<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DuplicateRegistry").finish_non_exhaustive()
    }
}
