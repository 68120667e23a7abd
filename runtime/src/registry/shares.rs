//! `[process]` A map in several shares, each under a lock of its own.

use std::hash::{BuildHasher, Hash};

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};

use crate::limits::REGISTRY_PARTITIONS;
use crate::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// A map from keys to `X`. The hash of a key is made once and handed around.
pub(crate) struct Shares<K, X> {
    /// Fast, and seeded anew for each map, so that nobody can prepare names that collide.
    hasher: DefaultHashBuilder,
    partitions: Box<[Partition<K, X>]>,
}

/// A share of the entries on cache lines of its own, so that the lock of one share does not slow
/// down the readers of the next.
#[repr(align(128))]
struct Partition<K, X>(RwLock<Share<K, X>>);

pub(crate) type Share<K, X> = HashTable<Row<K, X>>;

pub(crate) struct Row<K, X> {
    pub(crate) key: K,
    pub(crate) held: X,
}

impl<K: Hash + Eq, X> Shares<K, X> {
    pub(crate) fn new() -> Self {
        let partitions = (0..REGISTRY_PARTITIONS)
            .map(|_| Partition(RwLock::new(HashTable::new())))
            .collect();
        Self {
            hasher: DefaultHashBuilder::default(),
            partitions,
        }
    }

    pub(crate) fn hash(&self, key: &K) -> u64 {
        self.hasher.hash_one(key)
    }

    pub(crate) fn read(&self, hash: u64) -> RwLockReadGuard<'_, Share<K, X>> {
        let share = self.share(hash);
        share.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write(&self, hash: u64) -> RwLockWriteGuard<'_, Share<K, X>> {
        let share = self.share(hash);
        share.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The place of a key in its share, which must be that of the key's hash.
    pub(crate) fn entry<'a>(
        &self,
        share: &'a mut Share<K, X>,
        hash: u64,
        key: &K,
    ) -> Entry<'a, Row<K, X>> {
        share.entry(hash, |row| row.key == *key, |row| self.hash(&row.key))
    }

    /// Each share in turn.
    pub(crate) fn all(&self) -> impl Iterator<Item = RwLockReadGuard<'_, Share<K, X>>> {
        self.partitions.iter().map(|partition| {
            let share = partition.0.read();
            share.unwrap_or_else(PoisonError::into_inner)
        })
    }

    /// The table uses the ends of the hash, so the share is picked by its middle.
    fn share(&self, hash: u64) -> &RwLock<Share<K, X>> {
        let index = usize::try_from((hash >> 32) % REGISTRY_PARTITIONS as u64).unwrap_or(0);
        #[expect(
            clippy::indexing_slicing,
            reason = "the index is a remainder by the length"
        )]
        &self.partitions[index].0
    }
}
