//! `[process]` Lanes: where each thread records its spans, one lane a thread.
//!
//! A lane is never freed, because its thread refers to its nodes without counting. When a thread
//! ends, what it counted is added to that of all ended threads, and its lane is the next thread's,
//! best one of the same kind, which finds its paths there already. So there are never more lanes
//! than there were threads at once.

use std::cell::{Cell, RefCell};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::class::{self, ClassId};
use super::node::{NOWHERE, Node, Rank};
use super::span::Span;
use super::tree::{Counted, Reading, Thread, Tree};
use crate::limits::{
    PROFILE_CLASSES_MAX, PROFILE_DEPTH_MAX, PROFILE_ENDED_PATHS_MAX, PROFILE_PATHS_MAX,
    PROFILE_THREADS_MAX,
};
use crate::ticks;

static LANES: Mutex<Lanes> = Mutex::new(Lanes {
    all: Vec::new(),
    ended: Tree::new(),
    threads_total: 0,
    refused_total: 0,
});

static TOP: Span = Span::new("top");

thread_local! {
    /// The innermost span that is open. Nothing to drop, so that it is there to the very end.
    static HERE: Cell<Option<&'static Node>> = const { Cell::new(None) };
    static LEASE: RefCell<Option<Lease>> = const { RefCell::new(None) };
}

/// The nodes of one thread after the other.
pub(super) struct Lane {
    /// In the order in which they were made: parents before children, the top first.
    nodes: Mutex<Vec<&'static Node>>,
    /// The nodes of classes directly below the top, so that they are found without a search.
    classes: [OnceLock<&'static Node>; PROFILE_CLASSES_MAX],
}

struct Lanes {
    all: Vec<Entry>,
    ended: Tree,
    threads_total: u64,
    refused_total: u64,
}

struct Entry {
    lane: &'static Lane,
    top: &'static Node,
    /// The last or the present thread.
    number: u64,
    name: String,
    is_taken: bool,
}

/// Gives the lane back when its thread ends.
struct Lease(u64);

impl Lane {
    /// Whether a node of its own can be made below one that is so deep.
    pub(super) fn has_room(&self, depth: u16) -> bool {
        depth < PROFILE_DEPTH_MAX && self.lock().len() <= PROFILE_PATHS_MAX
    }

    pub(super) fn keep(&self, node: Node) -> &'static Node {
        let node: &'static Node = Box::leak(Box::new(node));
        self.lock().push(node);
        node
    }

    /// What is counted on it until now.
    ///
    /// Nodes are read before those they are in: so each has at least the time of those within it.
    fn read(&self, now: impl Fn() -> u64) -> Tree {
        let nodes = self.lock().clone();
        let read = |node: &&'static Node| (*node, node.read(&now));
        let counted: Vec<_> = nodes.iter().rev().map(read).collect();
        let mut tree = Tree::new();
        let mut path = Vec::new();
        for (node, counted) in counted {
            if counted != Counted::default() {
                node.path(&mut path);
                tree.add(&path, counted);
            }
        }
        tree
    }

    fn lock(&self) -> MutexGuard<'_, Vec<&'static Node>> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lanes {
    fn lock() -> MutexGuard<'static, Self> {
        LANES.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds a lane for a thread: one that a thread of its kind has left, a new one, any.
    fn take(&mut self, name: &str) -> Option<&Entry> {
        let kind = class::prefix(name);
        let free = |entry: &Entry| !entry.is_taken;
        let alike = |entry: &Entry| free(entry) && class::prefix(&entry.name) == kind;
        let index = match self.all.iter().position(alike) {
            Some(index) => index,
            None if self.all.len() < PROFILE_THREADS_MAX => {
                self.all.push(Entry::new());
                self.all.len() - 1
            }
            None => {
                let Some(index) = self.all.iter().position(free) else {
                    self.refused_total += 1;
                    return None;
                };
                index
            }
        };
        self.threads_total += 1;
        let entry = self.all.get_mut(index)?;
        entry.number = self.threads_total;
        name.clone_into(&mut entry.name);
        entry.is_taken = true;
        Some(entry)
    }

    fn give_back(&mut self, number: u64) {
        let own = |entry: &&mut Entry| entry.is_taken && entry.number == number;
        let Some(entry) = self.all.iter_mut().find(own) else {
            return;
        };
        entry.is_taken = false;
        self.ended
            .absorb(&entry.lane.read(ticks::now), PROFILE_ENDED_PATHS_MAX);
        entry.lane.lock().iter().for_each(|node| node.reset());
    }
}

impl Entry {
    fn new() -> Self {
        let lane: &'static Lane = Box::leak(Box::new(Lane {
            nodes: Mutex::default(),
            classes: [const { OnceLock::new() }; PROFILE_CLASSES_MAX],
        }));
        let top = lane.keep(Node::new(&TOP, None, Rank::Open { lane, depth: 0 }));
        Self {
            lane,
            top,
            number: 0,
            name: String::new(),
            is_taken: false,
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // What is entered or left on this thread after this is not recorded.
        HERE.set(Some(&NOWHERE));
        Lanes::lock().give_back(self.0);
    }
}

/// What all threads counted until now. A thread that begins or ends meanwhile waits for it.
pub(super) fn read() -> Reading {
    let lanes = Lanes::lock();
    let threads = lanes.all.iter().filter(|entry| entry.is_taken);
    let threads = threads.map(|entry| {
        let thread = Thread {
            name: entry.name.clone(),
            spans: entry.lane.read(ticks::now),
        };
        (entry.number, thread)
    });
    Reading {
        threads: threads.collect(),
        ended: lanes.ended.clone(),
        refused_total: lanes.refused_total,
        ticks: ticks::now(),
    }
}

/// Goes one level down; the caller opens the node.
#[inline]
pub(super) fn enter(span: &'static Span) -> Option<&'static Node> {
    let node = here().child(span)?;
    HERE.set(Some(node));
    Some(node)
}

/// Goes down to a class, which is almost always the outermost span.
#[inline]
pub(super) fn enter_class(class: ClassId) -> Option<&'static Node> {
    let here = here();
    let known = match here.rank {
        Rank::Open { lane, depth: 0 } => lane.classes.get(class.index()).and_then(OnceLock::get),
        Rank::Open { .. } | Rank::Blind => None,
    };
    let node = match known {
        Some(node) => node,
        None => find_class(here, class)?,
    };
    HERE.set(Some(node));
    Some(node)
}

fn find_class(here: &'static Node, class: ClassId) -> Option<&'static Node> {
    let node = here.child(class.span())?;
    if let Rank::Open { lane, depth: 0 } = here.rank
        && let Some(known) = lane.classes.get(class.index())
    {
        known.get_or_init(|| node);
    }
    Some(node)
}

/// Closes `node`, and goes back to where it was entered.
#[inline]
pub(super) fn leave(node: &'static Node, ticks: u64) {
    if HERE.get().is_some_and(|here| std::ptr::eq(here, node)) {
        node.close(ticks);
        HERE.set(node.parent);
    } else {
        leave_out_of_order(node, ticks);
    }
}

/// Closes what is open within `node` too. Nothing when `node` was closed that way itself.
#[cold]
fn leave_out_of_order(node: &'static Node, ticks: u64) {
    let Some(mut here) = HERE.get().filter(|here| here.is_within(node)) else {
        return;
    };
    while !std::ptr::eq(here, node) {
        here.close(ticks);
        let Some(outer) = here.parent else { return };
        here = outer;
    }
    node.close(ticks);
    HERE.set(node.parent);
}

#[inline]
fn here() -> &'static Node {
    match HERE.get() {
        Some(here) => here,
        None => begin(),
    }
}

/// Finds a lane for this thread, once.
#[cold]
fn begin() -> &'static Node {
    ticks::prepare();
    let lease = LEASE.try_with(|lease| {
        let thread = std::thread::current();
        let mut lanes = Lanes::lock();
        let entry = lanes.take(thread.name().unwrap_or("unnamed"))?;
        let top = entry.top;
        lease.replace(Some(Lease(entry.number)));
        Some(top)
    });
    let top = lease.ok().flatten().unwrap_or(&NOWHERE);
    HERE.set(Some(top));
    top
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::profile::report::{ProfileReport, SpanReport};
    use crate::profile::tree::Branch;

    static SPANS: [Span; 6] = [
        Span::new("a"),
        Span::new("b"),
        Span::new("c"),
        Span::new("d"),
        // Two of the same name are reported as one.
        Span::new("a"),
        Span::new("e"),
    ];

    /// A thread that is only thought of: a lane, where it is in it, and its clock.
    struct Played {
        lane: &'static Lane,
        here: Vec<&'static Node>,
        ticks: u64,
    }

    impl Played {
        fn new() -> Self {
            let entry = Entry::new();
            Self {
                lane: entry.lane,
                here: vec![entry.top],
                ticks: 1,
            }
        }

        fn enter(&mut self, span: &'static Span) -> bool {
            let node = self.here.last().unwrap().child(span);
            if let Some(node) = node {
                node.open(self.ticks);
                self.here.push(node);
            }
            node.is_some()
        }

        fn leave(&mut self) {
            self.here.pop().unwrap().close(self.ticks);
        }

        fn read(&self) -> Tree {
            self.lane.read(|| self.ticks)
        }

        fn reading(&self) -> Reading {
            let thread = Thread {
                name: "played".to_owned(),
                spans: self.read(),
            };
            Reading {
                threads: BTreeMap::from([(1, thread)]),
                ticks: self.ticks,
                ..Reading::default()
            }
        }
    }

    fn branch<'a>(tree: &'a Tree, path: &[&str]) -> &'a Branch {
        let (first, rest) = path.split_first().unwrap();
        let found = tree.spans.get(*first).unwrap();
        if rest.is_empty() {
            found
        } else {
            branch(&found.below, rest)
        }
    }

    /// The time of each path without what is within it, and how often it was left.
    type Model = BTreeMap<Vec<&'static str>, (u64, u64)>;

    fn selfs(spans: &[SpanReport], path: &mut Vec<&'static str>, model: &mut Model) {
        for span in spans {
            path.push(span.name);
            model.insert(path.clone(), (span.self_ns, span.count));
            let within: u64 = span.children.iter().map(|child| child.total_ns).sum();
            assert_eq!(span.total_ns, span.self_ns + within);
            selfs(&span.children, path, model);
            path.pop();
        }
    }

    #[derive(Clone, Debug)]
    enum Step {
        Enter(usize),
        Leave,
        Pass(u64),
        Read,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            4 => (0..SPANS.len()).prop_map(Step::Enter),
            3 => Just(Step::Leave),
            4 => (0..1_000_u64).prop_map(Step::Pass),
            1 => Just(Step::Read),
        ];
        proptest::collection::vec(step, 0..200)
    }

    proptest! {
        /// Each tick belongs to the innermost span that is open: that is all of the model.
        #[test]
        fn counts_what_a_simple_model_counts(steps in steps()) {
            let mut played = Played::new();
            let mut model = Model::new();
            let mut path = Vec::new();
            let mut last = played.reading();
            for step in steps.into_iter().chain([Step::Read]) {
                match step {
                    Step::Enter(index) => {
                        if path.len() < usize::from(PROFILE_DEPTH_MAX) {
                            prop_assert!(played.enter(&SPANS[index]));
                            path.push(SPANS[index].name());
                        }
                    }
                    Step::Leave => {
                        if !path.is_empty() {
                            played.leave();
                            model.entry(path.clone()).or_default().1 += 1;
                            path.pop();
                        }
                    }
                    Step::Pass(ticks) => {
                        played.ticks += ticks;
                        if !path.is_empty() {
                            model.entry(path.clone()).or_default().0 += ticks;
                        }
                    }
                    Step::Read => {
                        let reading = played.reading();
                        let taken = reading.since(&last);
                        let report = ProfileReport::new(1, &taken, |ticks| ticks);
                        last = reading;
                        let mut found = Model::new();
                        selfs(&report.spans, &mut Vec::new(), &mut found);
                        let outermost: u64 = report.spans.iter().map(|span| span.total_ns).sum();
                        prop_assert_eq!(found.values().map(|(own, _)| own).sum::<u64>(), outermost);
                        found.retain(|_, counted| *counted != (0, 0));
                        model.retain(|_, counted| *counted != (0, 0));
                        prop_assert_eq!(&found, &model);
                        prop_assert_eq!(&report.threads[..].first().map(|one| &one.spans[..]),
                            &Some(&report.spans[..]).filter(|spans| !spans.is_empty()));
                        model.clear();
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_too_deep_is_counted_as_one_span() {
        let mut played = Played::new();
        for _ in 0..PROFILE_DEPTH_MAX {
            assert!(played.enter(&SPANS[0]));
        }
        for _ in 0..3 {
            assert!(played.enter(&SPANS[1]));
            assert!(!played.enter(&SPANS[2]), "nothing is told apart there");
            played.ticks += 10;
            played.leave();
        }
        let mut path = vec!["a"; usize::from(PROFILE_DEPTH_MAX)];
        path.push("other");
        let tree = played.read();
        let counted = branch(&tree, &path).counted;
        assert_eq!((counted.ticks, counted.count), (30, 3));
    }

    #[test]
    fn paths_over_the_limit_are_counted_as_one_span_where_they_were_entered() {
        let mut played = Played::new();
        let many = (0..PROFILE_PATHS_MAX - 1).map(|number| {
            let name: &'static str = Box::leak(format!("span {number}").into_boxed_str());
            let span: &'static Span = Box::leak(Box::new(Span::new(name)));
            span
        });
        played.enter(&SPANS[0]);
        for span in many {
            assert!(played.enter(span));
            played.leave();
        }
        for span in &SPANS[1..4] {
            assert!(played.enter(span));
            played.ticks += 5;
            played.leave();
        }
        played.leave();
        assert!(played.enter(&SPANS[0]), "what is known is still counted");
        played.leave();
        let tree = played.read();
        assert_eq!(tree.spans["a"].counted.count, 2);
        assert_eq!(tree.spans["a"].below.spans.len(), PROFILE_PATHS_MAX);
        let other = branch(&tree, &["a", "other"]).counted;
        assert_eq!((other.ticks, other.count), (15, 3));
    }

    #[test]
    fn a_clock_that_goes_back_counts_nothing() {
        let mut played = Played::new();
        played.ticks = 100;
        played.enter(&SPANS[0]);
        played.ticks = 50;
        assert_eq!(branch(&played.read(), &["a"]).counted.ticks, 0);
        played.leave();
        let counted = branch(&played.read(), &["a"]).counted;
        assert_eq!((counted.ticks, counted.count, counted.open), (0, 1, 0));
    }

    /// Runs on a thread of its own, and returns what it counted.
    fn on_a_thread(name: &str, work: impl FnOnce() + Send) -> Tree {
        std::thread::scope(|scope| {
            let run = || {
                work();
                let number = LEASE.with_borrow(|lease| lease.as_ref().unwrap().0);
                read().threads[&number].spans.clone()
            };
            let thread = std::thread::Builder::new().name(name.to_owned());
            thread.spawn_scoped(scope, run).unwrap().join().unwrap()
        })
    }

    #[test]
    fn guards_dropped_in_any_order_leave_all_that_is_within() {
        let tree = on_a_thread("order", || {
            let outer = SPANS[0].enter();
            let inner = SPANS[1].enter();
            drop(outer);
            let after = SPANS[2].enter();
            drop(inner);
            drop(after);
        });
        let names: Vec<_> = tree.spans.keys().copied().collect();
        assert_eq!(names, ["a", "c"]);
        for path in [&["a"][..], &["a", "b"], &["c"]] {
            let counted = branch(&tree, path).counted;
            assert_eq!((counted.count, counted.open), (1, 0), "{path:?}");
        }
    }

    #[test]
    fn a_forgotten_guard_is_left_with_the_poll_around_it() {
        let class = class::class("forgetful:1");
        let tree = on_a_thread("forgetful", || {
            let turn = crate::profile::enter_at(class, 100);
            std::mem::forget(SPANS[0].enter());
            turn.leave_at(ticks::now());
            crate::profile::enter_at(class, 300).leave_at(400);
        });
        let counted = branch(&tree, &["forgetful"]).counted;
        assert_eq!((counted.count, counted.open), (2, 0));
        assert_eq!(branch(&tree, &["forgetful", "a"]).counted.count, 1);
    }

    #[test]
    fn a_poll_counts_between_the_ticks_that_it_is_told() {
        let (room, zone) = (class::class("played-room:1"), class::class("played-zone:1"));
        let tree = on_a_thread("polls", || {
            crate::profile::enter_at(room, 100).leave_at(130);
            crate::profile::enter_at(zone, 130).leave_at(140);
            let turn = crate::profile::enter_at(room, 200);
            // A process that polls another inside its own poll.
            crate::profile::enter_at(zone, 205).leave_at(207);
            turn.leave_at(210);
        });
        for (path, ticks, count) in [
            (&["played-room"][..], 40, 2),
            (&["played-zone"], 10, 1),
            (&["played-room", "played-zone"], 2, 1),
        ] {
            let counted = branch(&tree, path).counted;
            assert_eq!((counted.ticks, counted.count), (ticks, count), "{path:?}");
        }
    }

    #[test]
    fn threads_of_a_kind_share_a_lane_one_after_the_other_and_nothing_is_lost() {
        static SPAN: Span = Span::new("kind of thread");
        let before = read();
        for number in 0..20 {
            let tree = on_a_thread(&format!("short:{number}"), || drop(SPAN.enter()));
            assert_eq!(branch(&tree, &[SPAN.name()]).counted.count, 1, "not more");
        }
        let taken = read().since(&before);
        let counted = branch(&taken.ended, &[SPAN.name()]).counted;
        assert_eq!((counted.count, counted.open), (20, 0));
        let lanes = Lanes::lock();
        let of_kind = lanes
            .all
            .iter()
            .filter(|entry| entry.name.starts_with("short:"));
        assert_eq!(of_kind.count(), 1);
    }
}
