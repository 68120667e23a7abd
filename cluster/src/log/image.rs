//! `[pure]` What a log holds, in memory: all that is ever read of it.

use bytes::Bytes;
use std::collections::BTreeMap;

/// A state as of some entry, which stands for all entries up to that one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Snapshot {
    /// What it is of.
    pub(crate) meta: Bytes,
    /// The state.
    pub(crate) data: Bytes,
}

/// One change. Changes take effect in the order in which they were given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// These entries follow the last one.
    Append(Vec<(u64, Bytes)>),
    /// The entries from this one on are void.
    Truncate {
        /// The first that goes.
        from: u64,
    },
    /// The entries up to this one are not needed any more.
    Purge {
        /// The last that goes.
        through: u64,
        /// What is remembered of it.
        mark: Bytes,
    },
    /// The vote that this node has given.
    Vote(Bytes),
    /// A newer snapshot.
    Snapshot(Snapshot),
}

/// The whole content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Image {
    /// The entries, without gaps.
    pub(crate) entries: BTreeMap<u64, Bytes>,
    /// The last entry that was purged, and what is remembered of it.
    pub(crate) purged: Option<(u64, Bytes)>,
    /// The vote.
    pub(crate) vote: Option<Bytes>,
    /// How far the log was committed, as far as that was noted.
    pub(crate) committed: Option<Bytes>,
    /// The last snapshot.
    pub(crate) snapshot: Option<Snapshot>,
}

/// Entries that do not follow the last one; a **bug** of who appends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("entry {first} does not follow entry {last}")]
pub(crate) struct Gap {
    /// The last entry there is.
    pub(crate) last: u64,
    /// The entry that should follow it.
    pub(crate) first: u64,
}

impl Image {
    /// Changes it.
    ///
    /// # Errors
    /// Entries that do not follow each other; then nothing is changed.
    pub(crate) fn apply(&mut self, change: &Change) -> Result<(), Gap> {
        match change {
            Change::Append(entries) => {
                self.check(entries)?;
                self.entries.extend(entries.iter().cloned());
            }
            Change::Truncate { from } => drop(self.entries.split_off(from)),
            Change::Purge { through, mark } => {
                self.entries = self.entries.split_off(&through.saturating_add(1));
                self.purged = Some((*through, mark.clone()));
            }
            Change::Vote(vote) => self.vote = Some(vote.clone()),
            Change::Snapshot(snapshot) => self.snapshot = Some(snapshot.clone()),
        }
        Ok(())
    }

    /// The entries from `from` to before `to`, as far as there are any.
    pub(crate) fn range(&self, from: u64, to: u64) -> Vec<Bytes> {
        if from >= to {
            return Vec::new();
        }
        let entries = self.entries.range(from..to);
        entries.map(|(_, entry)| entry.clone()).collect()
    }

    /// The last entry.
    pub(crate) fn last(&self) -> Option<&Bytes> {
        self.entries.last_key_value().map(|(_, entry)| entry)
    }

    /// Each entry follows the one before it. The first of all may have any number: a node that
    /// begins with a snapshot goes on behind that.
    fn check(&self, entries: &[(u64, Bytes)]) -> Result<(), Gap> {
        let mut last = self.entries.last_key_value().map(|(index, _)| *index);
        for (first, _) in entries {
            if let Some(last) = last
                && last.checked_add(1) != Some(*first)
            {
                return Err(Gap {
                    last,
                    first: *first,
                });
            }
            last = Some(*first);
        }
        Ok(())
    }

    /// Whether no entry is missing between the purged ones and the last.
    pub(crate) fn whole(&self) -> bool {
        let mut expected = self.purged.as_ref().map(|(index, _)| index + 1);
        self.entries.keys().all(|index| {
            let follows = expected.is_none_or(|expected| expected == *index);
            expected = Some(index + 1);
            follows
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(numbers: std::ops::Range<u64>) -> Change {
        Change::Append(numbers.map(|n| (n, Bytes::from(n.to_string()))).collect())
    }

    #[test]
    fn entries_follow_each_other() {
        let mut image = Image::default();
        image.apply(&entries(4..8)).unwrap();
        let gap = |last, first| Err(Gap { last, first });
        assert_eq!(image.apply(&entries(9..10)), gap(7, 9));
        assert_eq!(image.apply(&entries(7..9)), gap(7, 7));
        image.apply(&Change::Truncate { from: 6 }).unwrap();
        image.apply(&entries(6..7)).unwrap();
        assert_eq!(image.range(5, 100), ["5", "6"]);
        assert_eq!(image.range(7, 5), Vec::<Bytes>::new());
    }

    #[test]
    fn what_is_purged_is_remembered_by_its_mark() {
        let mut image = Image::default();
        image.apply(&entries(0..4)).unwrap();
        let mark = Bytes::from_static(b"mark");
        let purge = |through| Change::Purge {
            through,
            mark: mark.clone(),
        };
        image.apply(&purge(1)).unwrap();
        assert_eq!(image.range(0, 9), ["2", "3"]);
        assert!(image.whole());
        image.apply(&purge(9)).unwrap();
        assert_eq!(image.last(), None);
        image.apply(&entries(10..11)).unwrap();
        assert!(image.whole());
        image.purged = Some((8, mark));
        assert!(!image.whole());
    }
}
