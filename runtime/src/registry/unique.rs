//! `[process]` Names for processes: a partitioned map with unique keys.

use std::fmt;
use std::hash::Hash;
use std::ptr::addr_eq;
use std::sync::Arc;

use hashbrown::hash_table::Entry;

use super::claim::{Claim, Holder, NotHeld, Registration};
use super::shares::{Row, Shares};
use crate::exit::Exit;
use crate::process_ref::ProcessRef;
use crate::slot::Slot;

/// A map from unique keys to values, each owned by a process.
///
/// An entry goes when its owner has ended for good, or when its [`Registration`] is dropped;
/// a restart of the owner keeps it. So an entry whose value is an [`Address`](crate::Address)
/// reaches the new incarnation at once. Elixir calls it `Registry` with `keys: :unique`. Cheap to
/// clone; look-ups take a read lock on one of
/// [`REGISTRY_PARTITIONS`](crate::limits::REGISTRY_PARTITIONS) shares.
///
/// ```
/// # use belay_runtime::*;
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let players = Registry::new();
/// let sessions = DynamicSupervisor::new("sessions", DynamicOptions::default());
/// let node = Node::start(Supervisor::builder("node").child(sessions.spec())).await.unwrap();
/// let session = sessions
///     .spawn_child(ChildSpec::task("session:ann", |ctx| async move {
///         ctx.stopping().await;
///         Ok(())
///     }))
///     .unwrap();
/// players.register("ann", 7, &session).unwrap().keep();
/// let taken = players.register("ann", 8, node.root()).unwrap_err();
/// assert_eq!(taken, ClaimError::Taken { existing: 7, value: 8 });
/// sessions.stop_child(session.pid()).await.unwrap();
/// assert_eq!(players.lookup(&"ann"), None);
/// # node.stop(std::time::Duration::from_secs(1)).await;
/// # }
/// ```
pub struct Registry<K, V> {
    shares: Arc<Shares<K, Held<V>>>,
}

struct Held<V> {
    value: V,
    claim: u64,
    owner: Arc<dyn Slot>,
}

impl<K, V> Registry<K, V>
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

    /// Claims `key` for `owner`. Of two that race for a key exactly one gets it.
    ///
    /// A key that `owner` itself holds already is replaced, so that a new incarnation can
    /// register as the first one did. When `owner` has ended, the registration succeeds and is
    /// gone at once, as if it had ended right after.
    ///
    /// # Errors
    /// [`ClaimError`], which gives the value back.
    pub fn register(
        &self,
        key: K,
        value: V,
        owner: &ProcessRef,
    ) -> Result<Registration, ClaimError<V>> {
        let hash = self.shares.hash(&key);
        let mut share = self.shares.write(hash);
        let claim = Claim::new(&self.shares, hash);
        let entry = self.shares.entry(&mut share, hash, &key);
        let existing = match &entry {
            Entry::Vacant(_) => None,
            Entry::Occupied(entry) => Some(&entry.get().held),
        };
        if let Some(held) = existing
            && !(held.is_of(owner) && owner.is_latest())
        {
            let existing = held.value.clone();
            return Err(ClaimError::Taken { existing, value });
        }
        let before = existing.and_then(|held| {
            let claim = Claim::numbered(&self.shares, hash, held.claim);
            claim.withdraw(&*owner.slot, owner.pid)
        });
        let entrusted = claim.entrust(owner, Arc::<Shares<K, Held<V>>>::clone(&self.shares));
        let (replaced, refused) = match (entrusted, entry) {
            (Ok(()), entry) => {
                let held = Held {
                    value,
                    claim: claim.number,
                    owner: Arc::clone(&owner.slot),
                };
                (put(entry, Row { key, held }), None)
            }
            // It ended just now, and so does what it held; or it took on another meanwhile.
            (Err(not_held), Entry::Occupied(entry)) => {
                (Some(entry.remove().0), Some((not_held, value)))
            }
            (Err(not_held), Entry::Vacant(_)) => (None, Some((not_held, value))),
        };
        drop(share);
        drop((before, replaced));
        match refused {
            Some((NotHeld::TooMany, value)) => Err(ClaimError::OwnerFull(value)),
            Some((NotHeld::Ended, _)) | None => Ok(Registration::new(owner, claim)),
        }
    }

    /// Gives `key` up if it is `owner`'s, and returns its value.
    pub fn unregister(&self, key: &K, owner: &ProcessRef) -> Option<V> {
        let hash = self.shares.hash(key);
        let mut share = self.shares.write(hash);
        let entry = share.find_entry(hash, |row| row.key == *key).ok()?;
        // Only from its owner, and only once: an owner that ends takes its entries along.
        let claim = Claim::numbered(&self.shares, hash, entry.get().held.claim);
        let withdrawn = claim.withdraw(&*owner.slot, owner.pid)?;
        let row = entry.remove().0;
        drop(share);
        drop(withdrawn);
        Some(row.held.value)
    }

    /// Changes the value of `key` in place if it is `owner`'s, and returns what `change` does
    /// (Elixir: `Registry.update_value`).
    ///
    /// A share of the registry is locked meanwhile: `change` must not come back to it.
    pub fn update<R>(
        &self,
        key: &K,
        owner: &ProcessRef,
        change: impl FnOnce(&mut V) -> R,
    ) -> Option<R> {
        let hash = self.shares.hash(key);
        let mut share = self.shares.write(hash);
        let row = share.find_mut(hash, |row| row.key == *key)?;
        (row.held.is_of(owner) && owner.is_alive()).then(|| change(&mut row.held.value))
    }

    /// The value of `key`.
    pub fn lookup(&self, key: &K) -> Option<V> {
        let hash = self.shares.hash(key);
        let share = self.shares.read(hash);
        share
            .find(hash, |row| row.key == *key)
            .map(|row| row.held.value.clone())
    }

    /// The process that holds `key` (OTP: `whereis`), to monitor it, link to it, or end it.
    pub fn whereis(&self, key: &K) -> Option<ProcessRef> {
        let hash = self.shares.hash(key);
        let owner = {
            let share = self.shares.read(hash);
            let row = share.find(hash, |row| row.key == *key)?;
            Arc::clone(&row.held.owner)
        };
        ProcessRef::living_on(owner)
    }

    /// The keys that `owner` holds here, in no order that means anything (Elixir:
    /// `Registry.keys`). Costs what `owner` holds, however many entries there are.
    pub fn keys_of(&self, owner: &ProcessRef) -> Vec<K> {
        let claims = Claim::held(owner, &self.shares, None);
        let key = |claim: Claim| {
            let share = self.shares.read(claim.hash);
            share
                .find(claim.hash, |row| row.held.claim == claim.number)
                .map(|row| row.key.clone())
        };
        claims.into_iter().filter_map(key).collect()
    }

    /// Entries now (Elixir: `Registry.count`).
    pub fn len(&self) -> usize {
        self.shares.all().map(|share| share.len()).sum()
    }

    /// True when there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `f` for each entry, in no order that means anything.
    ///
    /// A share of the registry is locked meanwhile: `f` must not come back to it.
    pub fn for_each(&self, mut f: impl FnMut(&K, &V)) {
        for share in self.shares.all() {
            for row in share.iter() {
                f(&row.key, &row.held.value);
            }
        }
    }

    /// All entries, in no order that means anything.
    pub fn snapshot(&self) -> Vec<(K, V)> {
        let mut entries = Vec::with_capacity(self.len());
        self.for_each(|key, value| entries.push((key.clone(), value.clone())));
        entries
    }
}

impl<V> Held<V> {
    fn is_of(&self, owner: &ProcessRef) -> bool {
        addr_eq(Arc::as_ptr(&self.owner), Arc::as_ptr(&owner.slot))
    }
}

/// Returns what stood there before.
fn put<T>(entry: Entry<'_, T>, row: T) -> Option<T> {
    match entry {
        Entry::Vacant(entry) => {
            entry.insert(row);
            None
        }
        Entry::Occupied(mut entry) => Some(std::mem::replace(entry.get_mut(), row)),
    }
}

impl<K, V> Holder for Shares<K, Held<V>>
where
    K: Eq + Hash + Send + Sync + 'static,
    V: Send + Sync + 'static,
{
    fn release(&self, claim: Claim, _exit: Option<&Exit>) {
        let mut share = self.write(claim.hash);
        let mine = |row: &Row<K, Held<V>>| row.held.claim == claim.number;
        let entry = share.find_entry(claim.hash, mine).ok();
        let row = entry.map(|entry| entry.remove().0);
        drop(share);
        drop(row);
    }
}

/// Why a key was not claimed. Gives the value back.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ClaimError<V> {
    /// Refused: another process holds the key. (`{:already_registered, pid}`)
    #[error("key is registered already")]
    Taken {
        /// What it registered.
        existing: V,
        /// What was to be registered.
        value: V,
    },
    /// Bug: the owner holds [`RELATIONS_MAX`](crate::limits::RELATIONS_MAX) entries.
    #[error("owner holds too many entries")]
    OwnerFull(V),
}

impl<V> ClaimError<V> {
    /// The value that was to be registered.
    pub fn into_inner(self) -> V {
        match self {
            Self::Taken { value, .. } | Self::OwnerFull(value) => value,
        }
    }
}

impl<V> fmt::Debug for ClaimError<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Taken { .. } => "Taken { .. }",
            Self::OwnerFull(_) => "OwnerFull(..)",
        })
    }
}

impl<K, V> Default for Registry<K, V>
where
    K: Eq + Hash + Clone + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V> Clone for Registry<K, V> {
    fn clone(&self) -> Self {
        Self {
            shares: Arc::clone(&self.shares),
        }
    }
}

impl<K, V> fmt::Debug for Registry<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").finish_non_exhaustive()
    }
}
