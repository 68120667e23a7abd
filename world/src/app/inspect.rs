//! `[edge]` What the operator is shown of the processes of a running node: the tree, where the time
//! goes, and what one of them is handed.

use std::cmp::Reverse;
use std::time::Duration;

use belay_runtime::limits::TRACE_MESSAGES_MAX;
use belay_runtime::{Pid, ProcessRef, Profiler, Trace, TraceEntry, TraceError, TreeNode};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use super::config::duration_text;
use super::operations::NodeView;
use crate::ops::control::{ControlAnswer, TreeOrder};
use crate::ops::limits::{CONTROL_TOP, CONTROL_TRACE};

/// Names that an error lists.
const NAMES_MAX: usize = 5;

/// The whole tree, or what is at and below one process; or the first by some figure.
pub(super) fn tree(
    view: &NodeView,
    process: Option<&str>,
    order: Option<TreeOrder>,
) -> ControlAnswer {
    let Some(tree) = view.tree() else {
        return not_now();
    };
    let top = match process.map_or(Ok(&tree), |name| find(&tree, name)) {
        Ok(top) => top,
        Err(why) => return ControlAnswer::refused(why),
    };
    let shown = match order {
        None => vec![top.clone()],
        Some(order) => first_by(order, top),
    };
    let text: String = shown.iter().map(TreeNode::to_text).collect();
    let data = match order {
        None => serde_json::to_value(top),
        Some(_) => serde_json::to_value(&shown),
    };
    match data {
        Ok(data) => ControlAnswer::Done { text, data },
        Err(error) => ControlAnswer::failed(format!("cannot write the tree: {error}")),
    }
}

/// Where the time went: in this interval until now, or in the last whole one.
pub(super) fn profile(profiler: &Profiler, threads: bool, last: bool) -> ControlAnswer {
    let mut report = if last {
        let Some(report) = profiler.reports().pop() else {
            return ControlAnswer::refused(
                "no interval is over yet; \"belay profile\" shows the current one",
            );
        };
        (*report).clone()
    } else {
        profiler.report()
    };
    let data = match serde_json::to_value(&report) {
        Ok(data) => data,
        Err(error) => return ControlAnswer::failed(format!("cannot write the profile: {error}")),
    };
    if !threads {
        report.threads.clear();
    }
    let text = report.to_text();
    ControlAnswer::Done { text, data }
}

/// What a process is handed next: so many messages, or those of this time.
pub(super) async fn trace(
    view: &NodeView,
    process: &str,
    count: u32,
    lasts: Duration,
) -> ControlAnswer {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    if !(1..=TRACE_MESSAGES_MAX).contains(&count) {
        let reason = format!("a trace has from 1 to {TRACE_MESSAGES_MAX} messages");
        return ControlAnswer::refused(reason);
    }
    if lasts.is_zero() || lasts > CONTROL_TRACE {
        let max = duration_text(CONTROL_TRACE);
        return ControlAnswer::refused(format!("a trace lasts from 1ms to {max}"));
    }
    let Some(tree) = view.tree() else {
        return not_now();
    };
    let (pid, name) = match find(&tree, process) {
        Ok(found) => (found.pid, format!("{} {}", found.name, found.pid)),
        Err(why) => return ControlAnswer::refused(why),
    };
    drop(tree);
    let begun = ProcessRef::find(pid).map_or(Err(TraceError::Ended), |found| found.trace(count));
    match begun {
        Ok(trace) => traced(&name, pid, count, (trace, lasts)).await,
        Err(error @ TraceError::Busy) => ControlAnswer::busy(format!("{name}: {error}")),
        Err(error @ TraceError::Ended) => ControlAnswer::refused(format!("{name}: {error}")),
    }
}

async fn traced(
    name: &str,
    pid: Pid,
    count: usize,
    (trace, lasts): (Trace, Duration),
) -> ControlAnswer {
    let start = Instant::now();
    let ended = timeout(lasts, trace.complete()).await.is_ok();
    let entries = trace.entries();
    let (got, took) = (entries.len(), start.elapsed().as_millis());
    let mut text = format!("{name}: {got} of {count} messages in {took} ms");
    if ended && got < count {
        text.push_str(", then it ended");
    }
    for entry in &entries {
        text.push_str(&format!("\n{entry}"));
    }
    let entries: Vec<Value> = entries.iter().map(entry_data).collect();
    let data = json!({ "pid": pid, "ended": ended && got < count, "entries": entries });
    ControlAnswer::Done { text, data }
}

fn entry_data(entry: &TraceEntry) -> Value {
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    json!({
        "kind": entry.kind,
        "source": entry.source,
        "incarnation": entry.incarnation,
        "at_us": micros(entry.at),
        "took_us": entry.took.map(micros),
    })
}

fn not_now() -> ControlAnswer {
    ControlAnswer::busy("the node is starting or stopping")
}

/// The process of this name, or of this number (`17` or `<17>`).
fn find<'a>(tree: &'a TreeNode, who: &str) -> Result<&'a TreeNode, String> {
    let mut all = Vec::new();
    gather(tree, &mut all);
    let named: Vec<_> = all.iter().filter(|process| process.name == who).collect();
    match named.as_slice() {
        [one] => return Ok(one),
        [] => {}
        several => {
            let pids = several
                .iter()
                .take(NAMES_MAX)
                .map(|one| one.pid.to_string());
            let (count, pids) = (several.len(), pids.collect::<Vec<_>>().join(", "));
            let more = if count > NAMES_MAX { ", ..." } else { "" };
            return Err(format!(
                "{count} processes are named {who}: {pids}{more}; give a number instead"
            ));
        }
    }
    let number = who.trim_start_matches('<').trim_end_matches('>').parse();
    let numbered = |process: &&&TreeNode| number == Ok(process.pid.number());
    all.iter().find(numbered).copied().ok_or_else(|| {
        let like = all.iter().filter(|process| process.name.contains(who));
        let like: Vec<_> = like.take(NAMES_MAX).map(|one| one.name.as_str()).collect();
        match like.as_slice() {
            [] => format!("there is no process {who}; \"belay tree\" lists them"),
            [_, ..] => format!("there is no process {who}; is it {}?", like.join(" or ")),
        }
    })
}

fn gather<'a>(process: &'a TreeNode, all: &mut Vec<&'a TreeNode>) {
    all.push(process);
    for child in &process.children {
        gather(child, all);
    }
}

/// The processes at and below `top` that have most of something; supervisors are left out.
fn first_by(order: TreeOrder, top: &TreeNode) -> Vec<TreeNode> {
    let mut all = Vec::new();
    gather(top, &mut all);
    all.retain(|process| process.mailbox.is_some());
    all.sort_by_key(|process| {
        Reverse(match order {
            TreeOrder::Busy => process.busy_us,
            TreeOrder::Queue => process.mailbox.map_or(0, |it| u64::from(it.high_water)),
            TreeOrder::Restarts => u64::from(process.restarts),
        })
    });
    all.into_iter().take(CONTROL_TOP).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use belay_runtime::{ChildSpec, Node, Supervisor};

    fn idle(name: &str) -> ChildSpec {
        ChildSpec::task(name, |ctx| async move {
            ctx.stopping().await;
            Ok(())
        })
    }

    fn zone(name: &'static str) -> ChildSpec {
        ChildSpec::supervisor(name, || {
            let zone = Supervisor::builder("zone");
            zone.child(idle("clock")).child(idle("room:town/square"))
        })
    }

    async fn stage() -> (Node, TreeNode) {
        let tree = Supervisor::builder("node").child(zone("zone:a"));
        let node = Node::start(tree.child(idle("clock"))).await.unwrap();
        let tree = node.tree();
        (node, tree)
    }

    #[tokio::test(start_paused = true)]
    async fn finds_a_process_by_name_and_by_number_and_says_what_is_unclear() {
        let (_node, tree) = stage().await;
        let found = |who: &str| find(&tree, who).map(|process| process.name.as_str());
        assert_eq!(found("room:town/square"), Ok("room:town/square"));
        let clock = tree.children[1].pid;
        for who in [clock.to_string(), clock.number().to_string()] {
            assert_eq!(found(&who), Ok("clock"), "{who}");
        }
        let several = found("clock").unwrap_err();
        assert!(
            several.starts_with("2 processes are named clock: <"),
            "{several}"
        );
        assert!(several.contains(&clock.to_string()), "{several}");
        assert_eq!(
            found("square").unwrap_err(),
            "there is no process square; is it room:town/square?"
        );
        for nobody in ["bob", "", "<>", "99999999", "-1"] {
            let told = found(nobody).unwrap_err();
            assert!(told.starts_with("there is no process "), "{told}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_by_a_figure_are_processes_and_no_supervisors() {
        let (_node, mut tree) = stage().await;
        tree.children[1].busy_us = 1_000_000;
        tree.children[1].restarts = 7;
        tree.children[0].children[1].busy_us = 2_000_000;
        let names = |order| {
            let first = first_by(order, &tree);
            first.into_iter().map(|one| one.name).collect::<Vec<_>>()
        };
        assert_eq!(
            names(TreeOrder::Busy),
            ["room:town/square", "clock", "clock"]
        );
        assert_eq!(names(TreeOrder::Restarts)[0], "clock");
        assert_eq!(names(TreeOrder::Queue).len(), 3);
    }
}
