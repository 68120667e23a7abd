//! `[process]` A tree for the time of a test.

use std::fmt;
use std::panic::Location;
use std::thread;

use super::fail::fail;
use crate::exit::Exit;
use crate::grace::Grace;
use crate::limits::{BED_STOP_DEADLINE, TREE_DEPTH_MAX};
use crate::node::Node;
use crate::process_ref::ProcessRef;
use crate::spec::ChildSpec;
use crate::supervisor::{Supervisor, SupervisorBuilder};
use crate::tree::TreeNode;

/// A node for the time of a test, which must be [finished](Bed::finish).
///
/// # Panics
/// When it is dropped without that, unless the test has failed already: else a test could pass
/// whose processes hang.
pub struct Bed {
    node: Option<Node>,
    asked: &'static Location<'static>,
}

/// Starts a node with these children under one supervisor, `bed`, which has OTP's intensity (one
/// restart in five seconds) and restarts each alone.
///
/// # Panics
/// When a child does not start.
///
/// # Cancel safety
/// When the future is dropped the tree is killed.
#[track_caller]
pub fn start(children: impl IntoIterator<Item = ChildSpec>) -> impl Future<Output = Bed> {
    start_with(Supervisor::builder("bed").children(children))
}

/// Starts a node with this supervisor at the top, for another strategy or intensity.
///
/// # Panics
/// When a child does not start.
///
/// # Cancel safety
/// When the future is dropped the tree is killed.
#[track_caller]
pub fn start_with(builder: SupervisorBuilder) -> impl Future<Output = Bed> {
    let asked = Location::caller();
    async move {
        match Node::start(builder).await {
            Ok(node) => Bed {
                node: Some(node),
                asked,
            },
            Err(error) => fail(asked, &format!("the tree did not start: {error}")),
        }
    }
}

impl Bed {
    /// The node.
    pub fn node(&self) -> &Node {
        match &self.node {
            Some(node) => node,
            None => fail(self.asked, "the bed was finished"),
        }
    }

    /// The node, which the test then stops itself: because the tree is to end by itself
    /// ([`Node::finished`]), or because a child is not to stop.
    pub fn into_node(mut self) -> Node {
        match self.node.take() {
            Some(node) => node,
            None => fail(self.asked, "the bed was finished"),
        }
    }

    /// The tree as it is now.
    pub fn tree(&self) -> TreeNode {
        self.node().tree()
    }

    /// What the tree shows of the child of this name, at any depth.
    ///
    /// # Panics
    /// When there is none; shows the tree.
    #[track_caller]
    pub fn find(&self, name: &str) -> TreeNode {
        find(&self.tree(), name)
    }

    /// The process of this name, at any depth.
    ///
    /// # Panics
    /// When there is none; shows the tree.
    #[track_caller]
    pub fn process(&self, name: &str) -> ProcessRef {
        let mut found = None;
        visit(self.node().root(), 0, &mut |process| {
            if found.is_none() && process.name() == name {
                found = Some(process.clone());
            }
        });
        match found {
            Some(process) => process,
            None => missing(Location::caller(), &self.tree(), name),
        }
    }

    /// Stops the tree, and checks that all of it stopped in order.
    ///
    /// # Panics
    /// * when the tree had ended by itself, or does not end;
    /// * when a process was killed because it did not stop within the time of its spec (unless it
    ///   says [`Shutdown::Brutal`](crate::Shutdown::Brutal)), or when it crashed while it stopped.
    #[track_caller]
    pub fn finish(mut self) -> impl Future<Output = ()> {
        let asked = Location::caller();
        let node = self.node.take();
        async move {
            let Some(node) = node else {
                return;
            };
            let root = node.root().clone();
            if !root.is_alive() {
                let exit = root.ended().await;
                fail(asked, &format!("the tree had ended by itself: {exit}"));
            }
            let mut living = Vec::new();
            visit(&root, 0, &mut |process| {
                if process.is_alive() {
                    living.push(process.clone());
                }
            });
            let report = node.stop(BED_STOP_DEADLINE).await;
            if !report.not_stopped.is_empty() {
                let names = report.not_stopped.join(", ");
                let text = format!("did not stop within {BED_STOP_DEADLINE:?}: {names}");
                fail(asked, &text);
            }
            let faults: Vec<_> = living.iter().filter_map(stopped_badly).collect();
            if !faults.is_empty() {
                fail(asked, &faults.join("\n"));
            }
        }
    }
}

impl Drop for Bed {
    fn drop(&mut self) {
        if self.node.take().is_some() && !thread::panicking() {
            fail(
                self.asked,
                "a bed was dropped without `finish().await` (or `into_node()`)",
            );
        }
    }
}

impl fmt::Debug for Bed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bed")
            .field("node", &self.node)
            .finish_non_exhaustive()
    }
}

/// What a tree shows of the child of this name, at any depth.
///
/// # Panics
/// When there is none; shows the tree.
#[track_caller]
pub fn find(tree: &TreeNode, name: &str) -> TreeNode {
    let mut found = None;
    tree.visit(&mut |node| {
        if found.is_none() && node.name == name {
            found = Some(node.clone());
        }
    });
    match found {
        Some(node) => node,
        None => missing(Location::caller(), tree, name),
    }
}

fn missing(asked: &Location<'_>, tree: &TreeNode, name: &str) -> ! {
    fail(asked, &format!("no {name} in\n{}", tree.to_text()))
}

/// Calls `f` for this process and each below it, parents first.
fn visit(process: &ProcessRef, depth: usize, f: &mut impl FnMut(&ProcessRef)) {
    f(process);
    let branch = process.slot.core().status().branch;
    if let Some(branch) = branch.and_then(|branch| branch.upgrade())
        && depth < TREE_DEPTH_MAX
    {
        for child in branch.children() {
            visit(&child, depth + 1, f);
        }
    }
}

/// What was wrong with the stop of a process that was alive before it.
fn stopped_badly(process: &ProcessRef) -> Option<String> {
    let control = process.slot.core().lock();
    if control.pid != process.pid() {
        return None;
    }
    match (&control.last_exit, control.shutdown) {
        (Some(Exit::Killed), Some((grace, _))) if grace != Grace::BRUTAL => {
            let limit = grace.limit()?;
            Some(format!("{process:?} did not stop within its {limit:?}"))
        }
        (Some(exit @ Exit::Crash(_)), Some(_)) => {
            Some(format!("{process:?} crashed while it stopped: {exit}"))
        }
        (None | Some(_), None | Some(_)) => None,
    }
}
