//! `[pure]` A sorted map that costs little memory while it has few entries.

use std::collections::BTreeMap;

use smallvec::SmallVec;

/// Up to this many entries stand in a plain list.
const FEW: usize = 8;

/// A sorted map: a list while it is small, a tree from then on until it is empty again.
///
/// A tree takes room for eleven entries with the first one.
#[derive(Debug)]
pub(crate) enum SmallMap<K, V> {
    Few(Box<[(K, V)]>),
    #[expect(
        clippy::box_collection,
        reason = "an empty map is 16 bytes with it, not 32"
    )]
    Many(Box<BTreeMap<K, V>>),
}

impl<K: Ord + Copy, V> SmallMap<K, V> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Few(entries) => entries.len(),
            Self::Many(entries) => entries.len(),
        }
    }

    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let entries = match self {
            Self::Many(entries) => return entries.insert(key, value),
            Self::Few(entries) => entries,
        };
        match entries.binary_search_by_key(&key, |entry| entry.0) {
            Ok(at) => entries
                .get_mut(at)
                .map(|entry| std::mem::replace(&mut entry.1, value)),
            Err(_) if entries.len() >= FEW => {
                let mut many: BTreeMap<K, V> = std::mem::take(entries).into_iter().collect();
                many.insert(key, value);
                *self = Self::Many(Box::new(many));
                None
            }
            Err(at) => {
                let mut list = Vec::from(std::mem::take(entries));
                list.reserve_exact(1);
                list.insert(at, (key, value));
                *entries = list.into_boxed_slice();
                None
            }
        }
    }

    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        let removed = match self {
            Self::Few(entries) => {
                let at = entries.binary_search_by_key(key, |entry| entry.0).ok()?;
                let mut list = Vec::from(std::mem::take(entries));
                let removed = list.remove(at).1;
                *entries = list.into_boxed_slice();
                Some(removed)
            }
            Self::Many(entries) => entries.remove(key),
        };
        if self.len() == 0 {
            *self = Self::default();
        }
        removed
    }

    /// The keys from `first` to `last`, both included.
    pub(crate) fn keys_between(&self, first: K, last: K) -> SmallVec<[K; 4]> {
        match self {
            Self::Few(entries) => entries
                .iter()
                .map(|entry| entry.0)
                .filter(|key| (first..=last).contains(key))
                .collect(),
            Self::Many(entries) => entries.range(first..=last).map(|entry| *entry.0).collect(),
        }
    }

    /// All entries in order.
    pub(crate) fn into_entries(self) -> Vec<(K, V)> {
        match self {
            Self::Few(entries) => entries.into_vec(),
            Self::Many(entries) => entries.into_iter().collect(),
        }
    }
}

impl<K, V> Default for SmallMap<K, V> {
    fn default() -> Self {
        Self::Few(Box::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_a_tree(
            steps in prop::collection::vec((any::<bool>(), 0u8..24), 1..200),
            first in 0u8..24,
            last in 0u8..24,
        ) {
            let (mut map, mut model) = (SmallMap::default(), BTreeMap::new());
            for (number, (insert, key)) in steps.into_iter().enumerate() {
                if insert {
                    prop_assert_eq!(map.insert(key, number), model.insert(key, number));
                } else {
                    prop_assert_eq!(map.remove(&key), model.remove(&key));
                }
                prop_assert_eq!(map.len(), model.len());
                if first <= last {
                    let expected = model.range(first..=last).map(|entry| *entry.0);
                    let expected: Vec<u8> = expected.collect();
                    prop_assert_eq!(map.keys_between(first, last).to_vec(), expected);
                }
            }
            prop_assert_eq!(map.into_entries(), Vec::from_iter(model));
        }
    }

    #[test]
    fn the_first_entry_takes_room_for_one() {
        assert_eq!(size_of::<SmallMap<u64, u64>>(), 16);
        let mut map = SmallMap::default();
        map.insert(1, 1);
        assert!(matches!(map, SmallMap::Few(entries) if entries.len() == 1));
    }
}
