//! `[pure]` The arithmetic of profiles: trees of spans, readings, and the difference of two.

use std::collections::BTreeMap;

/// The span that stands for those there was no room for.
const OTHER: &str = "other";

/// Spans by their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tree {
    pub(super) spans: BTreeMap<&'static str, Branch>,
}

/// A span, and those within it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Branch {
    pub(super) counted: Counted,
    pub(super) below: Tree,
}

/// What was counted of a span on one path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counted {
    /// Time in it, that of the spans within it and of an open one so far included.
    pub(super) ticks: u64,
    /// How often it was left.
    pub(super) count: u64,
    /// On how many threads it was open when it was read.
    pub(super) open: u32,
}

/// What all threads had counted at one time.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    /// By the number of the thread; no two threads have the same.
    pub(super) threads: BTreeMap<u64, Thread>,
    /// All threads that have ended, together.
    pub(super) ended: Tree,
    /// Threads that there was no room for.
    pub(super) refused_total: u64,
    /// When it was taken.
    pub(super) ticks: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Thread {
    pub(super) name: String,
    pub(super) spans: Tree,
}

impl Tree {
    pub(super) const fn new() -> Self {
        Self {
            spans: BTreeMap::new(),
        }
    }

    /// Adds to what was counted of a path.
    pub(super) fn add(&mut self, path: &[&'static str], counted: Counted) {
        let Some((name, rest)) = path.split_first() else {
            return;
        };
        let branch = self.spans.entry(name).or_default();
        if rest.is_empty() {
            branch.counted.add(counted);
        } else {
            branch.below.add(rest, counted);
        }
    }

    /// Adds all of `other`.
    pub(super) fn merge(&mut self, other: &Self) {
        for (name, branch) in &other.spans {
            let own = self.spans.entry(name).or_default();
            own.counted.add(branch.counted);
            own.below.merge(&branch.below);
        }
    }

    /// Adds what a thread that has ended counted, and keeps no more than `paths_max` paths; what
    /// there is no room for is counted as `other`, where it was entered.
    pub(super) fn absorb(&mut self, ended: &Self, paths_max: usize) {
        let mut room = paths_max.saturating_sub(self.paths());
        self.absorb_within(ended, &mut room);
    }

    fn absorb_within(&mut self, ended: &Self, room: &mut usize) {
        for (name, branch) in &ended.spans {
            let counted = Counted {
                open: 0,
                ..branch.counted
            };
            if !self.spans.contains_key(name) {
                if *room == 0 {
                    self.spans.entry(OTHER).or_default().counted.add(counted);
                    continue;
                }
                *room -= 1;
            }
            let own = self.spans.entry(name).or_default();
            own.counted.add(counted);
            own.below.absorb_within(&branch.below, room);
        }
    }

    /// What was counted since `before`: a tree in which each span has at least the time of those
    /// within it, without paths on which nothing was counted.
    pub(super) fn since(&self, before: &Self) -> Self {
        let nothing = Branch::default();
        let mut spans = BTreeMap::new();
        for (name, branch) in &self.spans {
            let before = before.spans.get(name).unwrap_or(&nothing);
            let below = branch.below.since(&before.below);
            let mut counted = branch.counted.since(before.counted);
            // The two readings took some time; what was counted meanwhile can be in one only.
            counted.ticks = counted.ticks.max(below.ticks());
            if counted != Counted::default() || !below.spans.is_empty() {
                spans.insert(*name, Branch { counted, below });
            }
        }
        Self { spans }
    }

    /// The time of the outermost spans together.
    pub(super) fn ticks(&self) -> u64 {
        let ticks = self.spans.values().map(|branch| branch.counted.ticks);
        ticks.fold(0, u64::saturating_add)
    }

    fn paths(&self) -> usize {
        let paths = self.spans.values().map(|branch| 1 + branch.below.paths());
        paths.sum()
    }
}

impl Counted {
    fn add(&mut self, other: Self) {
        self.ticks = self.ticks.saturating_add(other.ticks);
        self.count = self.count.saturating_add(other.count);
        self.open = self.open.saturating_add(other.open);
    }

    fn since(self, before: Self) -> Self {
        Self {
            ticks: self.ticks.saturating_sub(before.ticks),
            count: self.count.saturating_sub(before.count),
            open: self.open,
        }
    }
}

impl Reading {
    /// What was counted since `before`; a thread without anything is left out.
    pub(super) fn since(&self, before: &Self) -> Self {
        let nothing = Thread::default();
        let mut threads = BTreeMap::new();
        for (number, thread) in &self.threads {
            let before = before.threads.get(number).unwrap_or(&nothing);
            let spans = thread.spans.since(&before.spans);
            if !spans.spans.is_empty() {
                let name = thread.name.clone();
                threads.insert(*number, Thread { name, spans });
            }
        }
        // Who has ended in between moved what was seen before to those who had ended.
        let mut ended_before = before.ended.clone();
        for (number, thread) in &before.threads {
            if !self.threads.contains_key(number) {
                ended_before.merge(&thread.spans);
            }
        }
        Self {
            threads,
            ended: self.ended.since(&ended_before),
            refused_total: self.refused_total,
            ticks: self.ticks.saturating_sub(before.ticks),
        }
    }

    /// All threads together, those that have ended too.
    pub(super) fn merged(&self) -> Tree {
        let mut merged = self.ended.clone();
        for thread in self.threads.values() {
            merged.merge(&thread.spans);
        }
        merged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(paths: &[(&[&'static str], u64, u64)]) -> Tree {
        let mut tree = Tree::new();
        for (path, ticks, count) in paths {
            let counted = Counted {
                ticks: *ticks,
                count: *count,
                open: 0,
            };
            tree.add(path, counted);
        }
        tree
    }

    #[test]
    fn a_difference_leaves_out_what_stood_still() {
        let before = tree(&[(&["a"], 10, 1), (&["a", "b"], 5, 1), (&["c"], 7, 2)]);
        let after = tree(&[(&["a"], 30, 2), (&["a", "b"], 5, 1), (&["c"], 7, 2)]);
        assert_eq!(after.since(&before), tree(&[(&["a"], 20, 1)]));
    }

    #[test]
    fn a_span_has_at_least_the_time_of_those_within_it() {
        // As two readings may see it that each took some time.
        let before = tree(&[(&["a"], 12, 0), (&["a", "b"], 5, 1)]);
        let after = tree(&[(&["a"], 20, 0), (&["a", "b"], 15, 2)]);
        let expected = tree(&[(&["a"], 10, 0), (&["a", "b"], 10, 1)]);
        assert_eq!(after.since(&before), expected);
    }

    #[test]
    fn what_was_seen_of_a_thread_before_it_ended_is_not_counted_again() {
        let thread = |paths| Thread {
            name: "short".to_owned(),
            spans: tree(paths),
        };
        let before = Reading {
            threads: BTreeMap::from([(1, thread(&[(&["a"], 10, 1)]))]),
            ended: tree(&[(&["a"], 100, 10)]),
            ..Reading::default()
        };
        let after = Reading {
            threads: BTreeMap::from([(2, thread(&[(&["a"], 4, 1)]))]),
            ended: tree(&[(&["a"], 113, 12)]),
            ticks: 50,
            ..Reading::default()
        };
        let taken = after.since(&before);
        assert_eq!(taken.ended, tree(&[(&["a"], 3, 1)]));
        assert_eq!(taken.merged(), tree(&[(&["a"], 7, 2)]));
        assert_eq!(taken.ticks, 50);
    }

    #[test]
    fn keeps_no_more_paths_of_ended_threads_than_the_bound() {
        let mut ended = tree(&[(&["a"], 10, 1)]);
        let paths: &[(&[&str], _, _)] = &[
            (&["a"], 10, 1),
            (&["a", "b"], 4, 2),
            (&["a", "c"], 3, 3),
            (&["a", "c", "d"], 2, 3),
            (&["e"], 5, 4),
        ];
        ended.absorb(&tree(paths), 2);
        let expected = tree(&[
            (&["a"], 20, 2),
            (&["a", "b"], 4, 2),
            (&["a", "other"], 3, 3),
            (&["other"], 5, 4),
        ]);
        assert_eq!(ended, expected);
    }
}
