//! `[process]` Those who stand under one key, in the order in which they came.

use std::sync::{Arc, OnceLock};

/// A list by claim number: adding, finding and removing cost little however long it is.
///
/// What was removed leaves a gap; when the gaps are more than the rest, they are closed. The list
/// that [`list`](Roster::list) hands out is made when it is asked for and kept until the next
/// change, so that those who go through it hold no lock, and changes do not pay for it.
pub(crate) struct Roster<T> {
    /// With rising numbers.
    rows: Vec<(u64, Option<T>)>,
    len: usize,
    list: OnceLock<Arc<[T]>>,
}

/// A list that is out of date, to be dropped where no lock is held.
pub(crate) type Outdated<T> = Option<Arc<[T]>>;

impl<T: Clone> Roster<T> {
    pub(crate) fn new() -> Self {
        Self {
            rows: Vec::with_capacity(1),
            len: 0,
            list: OnceLock::new(),
        }
    }

    /// Adds a row; its number must be greater than all before.
    pub(crate) fn push(&mut self, number: u64, row: T) -> Outdated<T> {
        debug_assert!(self.rows.last().is_none_or(|last| last.0 < number));
        self.rows.push((number, Some(row)));
        self.len += 1;
        self.list.take()
    }

    pub(crate) fn remove(&mut self, number: u64) -> Option<(T, Outdated<T>)> {
        let at = self.rows.binary_search_by_key(&number, |row| row.0).ok()?;
        let row = self.rows.get_mut(at)?.1.take()?;
        self.len -= 1;
        if self.rows.len() > 2 * self.len {
            self.rows.retain(|row| row.1.is_some());
            self.rows.shrink_to(2 * self.len);
        }
        Some((row, self.list.take()))
    }

    pub(crate) fn get(&self, number: u64) -> Option<&T> {
        let at = self.rows.binary_search_by_key(&number, |row| row.0).ok()?;
        self.rows.get(at)?.1.as_ref()
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// All rows in order, as they are now.
    pub(crate) fn list(&self) -> Arc<[T]> {
        let made = self.list.get_or_init(|| {
            let rows: Vec<T> = self.rows.iter().filter_map(|row| row.1.clone()).collect();
            rows.into()
        });
        Arc::clone(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[derive(Clone, Debug)]
    enum Step {
        Push,
        Remove(u64),
        List,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            3 => Just(Step::Push),
            3 => (0u64..60).prop_map(Step::Remove),
            1 => Just(Step::List),
        ]
    }

    proptest! {
        #[test]
        fn agrees_with_a_tree(steps in prop::collection::vec(step(), 1..120)) {
            let (mut roster, mut model) = (Roster::new(), BTreeMap::new());
            for (number, step) in (0u64..).zip(steps) {
                match step {
                    Step::Push => {
                        drop(roster.push(number, number * 10));
                        model.insert(number, number * 10);
                    }
                    Step::Remove(number) => {
                        let removed = roster.remove(number).map(|removed| removed.0);
                        prop_assert_eq!(removed, model.remove(&number));
                    }
                    Step::List => {
                        let expected: Vec<u64> = model.values().copied().collect();
                        prop_assert_eq!(&*roster.list(), &*expected);
                    }
                }
                prop_assert_eq!(roster.len(), model.len());
                prop_assert_eq!(roster.get(number), model.get(&number));
                prop_assert!(roster.rows.len() <= 2 * roster.len().max(1));
            }
        }
    }
}
