//! `[process]` Names for processes: a partitioned map with unique keys.

use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};

use crate::limits::{REGISTRY_PARTITIONS, RELATIONS_MAX};
use crate::pid::Pid;
use crate::process_ref::ProcessRef;

static NEXT_CLAIM: AtomicU64 = AtomicU64::new(1);

/// A map from unique keys to values, each owned by a process.
///
/// An entry goes when its owner has ended for good, or when its [`Registration`] is dropped;
/// a restart of the owner keeps it. So an entry whose value is an [`Address`](crate::Address)
/// reaches the new incarnation at once. Cheap to clone; look-ups take a read lock on one of
/// [`REGISTRY_PARTITIONS`] shares.
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
/// assert_eq!(players.register("ann", 8, node.root()).unwrap_err().existing, 7);
/// sessions.stop_child(session.pid()).await.unwrap();
/// assert_eq!(players.lookup(&"ann"), None);
/// # node.stop(std::time::Duration::from_secs(1)).await;
/// # }
/// ```
pub struct Registry<K, V> {
    shared: Arc<Shared<K, V>>,
}

struct Shared<K, V> {
    /// Fast, and seeded anew for each registry, so that nobody can prepare names that collide.
    hasher: DefaultHashBuilder,
    partitions: Box<[Partition<K, V>]>,
}

/// A share of the entries on cache lines of its own, so that the lock of one share does not slow
/// down the readers of the next.
#[repr(align(128))]
struct Partition<K, V>(RwLock<Share<K, V>>);

type Share<K, V> = HashTable<Held<K, V>>;

struct Held<K, V> {
    key: K,
    value: V,
    claim: u64,
    owner: Pid,
}

impl<K, V> Registry<K, V>
where
    K: Eq + Hash + Clone + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// An empty registry.
    pub fn new() -> Self {
        let partitions = (0..REGISTRY_PARTITIONS)
            .map(|_| Partition(RwLock::new(HashTable::new())))
            .collect();
        Self {
            shared: Arc::new(Shared {
                hasher: DefaultHashBuilder::default(),
                partitions,
            }),
        }
    }

    /// Claims `key` for `owner`. Of two that race for a key exactly one gets it.
    ///
    /// A key that `owner` itself holds already is replaced, so that a new incarnation can
    /// register as the first one did. When `owner` has ended, the registration succeeds and is
    /// gone at once, as if it had ended right after.
    ///
    /// # Errors
    /// [`AlreadyRegistered`] (refused) with the value of another owner's entry.
    ///
    /// # Panics
    /// When `owner` holds [`RELATIONS_MAX`] registrations.
    pub fn register(
        &self,
        key: K,
        value: V,
        owner: &ProcessRef,
    ) -> Result<Registration, AlreadyRegistered<V>> {
        let claim = NEXT_CLAIM.fetch_add(1, Ordering::Relaxed);
        let held = Held {
            key: key.clone(),
            value,
            claim,
            owner: owner.pid(),
        };
        let (hash, share) = self.shared.share(&key);
        let replaced = match write(share).entry(
            hash,
            |held| held.key == key,
            |held| self.shared.hash(&held.key),
        ) {
            Entry::Vacant(entry) => {
                entry.insert(held);
                None
            }
            Entry::Occupied(mut entry) if entry.get().owner == owner.pid() => {
                Some(std::mem::replace(entry.get_mut(), held))
            }
            Entry::Occupied(entry) => {
                return Err(AlreadyRegistered {
                    existing: entry.get().value.clone(),
                });
            }
        };
        if let Some(replaced) = replaced {
            drop(withdraw(owner, replaced.claim));
        }
        let shared = Arc::clone(&self.shared);
        let release = Box::new(move || drop(shared.release(&key, claim)));
        if let Err((release, reason)) = entrust(owner, claim, release) {
            release();
            assert!(
                reason == NotHeld::Ended,
                "a process holds too many registrations"
            );
        }
        Ok(Registration {
            owner: owner.clone(),
            claim,
            kept: false,
        })
    }

    /// The value of `key`.
    pub fn lookup(&self, key: &K) -> Option<V> {
        let (hash, share) = self.shared.share(key);
        read(share)
            .find(hash, |held| held.key == *key)
            .map(|held| held.value.clone())
    }

    /// Entries now.
    pub fn len(&self) -> usize {
        self.shared
            .partitions
            .iter()
            .map(|partition| read(&partition.0).len())
            .sum()
    }

    /// True when there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `f` for each entry, in no order that means anything.
    ///
    /// A share of the registry is locked meanwhile: `f` must not come back to it.
    pub fn for_each(&self, mut f: impl FnMut(&K, &V)) {
        for Partition(share) in &self.shared.partitions {
            for held in read(share).iter() {
                f(&held.key, &held.value);
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

impl<K: Hash + Eq, V> Shared<K, V> {
    fn hash(&self, key: &K) -> u64 {
        self.hasher.hash_one(key)
    }

    /// The hash of a key, made once, and the share that it picks. The table uses the ends of the
    /// hash, so the share is picked by its middle.
    fn share(&self, key: &K) -> (u64, &RwLock<Share<K, V>>) {
        let hash = self.hash(key);
        let index = usize::try_from((hash >> 32) % REGISTRY_PARTITIONS as u64).unwrap_or(0);
        #[expect(
            clippy::indexing_slicing,
            reason = "the index is a remainder by the length"
        )]
        (hash, &self.partitions[index].0)
    }

    /// Takes the entry out unless it is of a later claim.
    fn release(&self, key: &K, claim: u64) -> Option<Held<K, V>> {
        let (hash, share) = self.share(key);
        let mut share = write(share);
        let mine = |held: &Held<K, V>| held.key == *key && held.claim == claim;
        let entry = share.find_entry(hash, mine).ok()?;
        Some(entry.remove().0)
    }
}

fn read<K, V>(share: &RwLock<Share<K, V>>) -> RwLockReadGuard<'_, Share<K, V>> {
    share.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<K, V>(share: &RwLock<Share<K, V>>) -> RwLockWriteGuard<'_, Share<K, V>> {
    share.write().unwrap_or_else(PoisonError::into_inner)
}

type Release = Box<dyn FnOnce() + Send>;

/// Why an owner does not hold a registration.
#[derive(PartialEq)]
enum NotHeld {
    Ended,
    TooMany,
}

/// Leaves `release` with the owner for its end, or gives it back.
fn entrust(owner: &ProcessRef, claim: u64, release: Release) -> Result<(), (Release, NotHeld)> {
    let mut control = owner.slot.core().lock();
    if control.pid != owner.pid() || !control.is_living() {
        return Err((release, NotHeld::Ended));
    }
    let claims = &mut control.extras().claims;
    if claims.len() >= RELATIONS_MAX {
        return Err((release, NotHeld::TooMany));
    }
    claims.insert(claim, release);
    Ok(())
}

fn withdraw(owner: &ProcessRef, claim: u64) -> Option<Release> {
    let mut control = owner.slot.core().lock();
    if control.pid != owner.pid() {
        return None;
    }
    control.extras.as_mut()?.claims.remove(&claim)
}

/// A key that is held until this is dropped or its owner has ended for good.
#[must_use = "the key is given up when this is dropped"]
pub struct Registration {
    owner: ProcessRef,
    claim: u64,
    kept: bool,
}

impl Registration {
    /// Leaves the key registered until its owner has ended for good.
    pub fn keep(mut self) {
        self.kept = true;
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if !self.kept
            && let Some(release) = withdraw(&self.owner, self.claim)
        {
            release();
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

/// Refused: another process holds the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("key is registered already")]
pub struct AlreadyRegistered<V> {
    /// What it registered.
    pub existing: V,
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
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<K, V> fmt::Debug for Registry<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").finish_non_exhaustive()
    }
}
