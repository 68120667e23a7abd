//! `[process]` The live tree as data, and as text for people.

use std::fmt;

use serde::Serialize;
use tokio::time::Instant;

use crate::limits::TREE_DEPTH_MAX;
use crate::pid::Pid;
use crate::process_ref::ProcessRef;
use crate::slot::Phase;

/// A process and all below it.
#[derive(Clone, Debug, Serialize)]
pub struct TreeNode {
    /// The name in its child spec.
    pub name: String,
    /// Its pid.
    pub pid: Pid,
    /// What it is: `process`, `supervisor` or `dynamic supervisor`.
    pub kind: &'static str,
    /// What it does now.
    pub state: State,
    /// Its queue; supervisors have none.
    pub mailbox: Option<MailboxState>,
    /// Messages it has taken for handling, over all incarnations.
    pub handled: u64,
    /// How often it was restarted.
    pub restarts: u32,
    /// Milliseconds since this incarnation began.
    pub uptime_ms: u64,
    /// Why the incarnation before this one ended.
    pub last_exit: Option<String>,
    /// Its children, in the order in which they were started.
    pub children: Vec<Self>,
}

/// What a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Its start was not acknowledged yet.
    Starting,
    /// It runs.
    Running,
    /// It was asked to stop.
    Stopping,
    /// It is between two incarnations.
    Waiting,
    /// It has ended and is not restarted.
    Ended,
    /// It has ended because it failed too often.
    Abandoned,
}

/// How full a mailbox is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MailboxState {
    /// Messages queued now.
    pub depth: usize,
    /// The most that were ever queued.
    pub high_water: u32,
    /// How many it holds, the reserved slots not counted.
    pub capacity: u32,
}

impl TreeNode {
    /// The tree as text: a process a line, two spaces of indent a level, plain ASCII.
    pub fn to_text(&self) -> String {
        self.to_string()
    }

    /// Calls `f` for this process and each below it, parents first.
    pub fn visit(&self, f: &mut impl FnMut(&Self)) {
        f(self);
        for child in &self.children {
            child.visit(f);
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        let (indent, state) = (depth * 2, self.state.word());
        write!(f, "{:indent$}{} {} {state}", "", self.name, self.pid)?;
        match &self.mailbox {
            Some(mailbox) => write!(
                f,
                ", queue {}/{} (most {}), handled {}",
                mailbox.depth, mailbox.capacity, mailbox.high_water, self.handled
            )?,
            None => write!(f, ", {} of {}", self.kind, self.children.len())?,
        }
        write!(f, ", up {}", span(self.uptime_ms))?;
        if self.restarts > 0 {
            write!(f, ", restarts {}", self.restarts)?;
        }
        if let Some(exit) = &self.last_exit {
            write!(f, ", last exit: {}", exit.replace(char::is_control, " "))?;
        }
        f.write_str("\n")?;
        self.children
            .iter()
            .try_for_each(|child| child.write(f, depth + 1))
    }
}

impl fmt::Display for TreeNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

impl State {
    /// The state in a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Stopping => "stopping",
            Self::Waiting => "waiting",
            Self::Ended => "ended",
            Self::Abandoned => "abandoned",
        }
    }

    fn of(phase: Phase) -> Self {
        match phase {
            Phase::Starting => Self::Starting,
            Phase::Running => Self::Running,
            Phase::Stopping => Self::Stopping,
            Phase::Waiting => Self::Waiting,
            Phase::Vacant | Phase::Ended => Self::Ended,
            Phase::Abandoned => Self::Abandoned,
        }
    }
}

/// Reads the tree below `process`.
pub(crate) fn read(process: &ProcessRef) -> TreeNode {
    read_at(process, Instant::now(), 0)
}

fn read_at(process: &ProcessRef, now: Instant, depth: usize) -> TreeNode {
    let status = process.slot.core().status();
    let branch = status.branch.as_ref().and_then(std::sync::Weak::upgrade);
    let children = match &branch {
        Some(branch) if depth < TREE_DEPTH_MAX => branch.children(),
        Some(_) | None => Vec::new(),
    };
    let mailbox = process.slot.depth();
    let uptime = status
        .started
        .map_or_else(Default::default, |at| now.duration_since(at));
    TreeNode {
        name: process.name().to_owned(),
        pid: process.pid(),
        kind: branch.as_ref().map_or("process", |branch| branch.kind()),
        state: State::of(if status.pid == process.pid() {
            status.phase
        } else {
            Phase::Ended
        }),
        mailbox: branch.is_none().then_some(MailboxState {
            depth: mailbox.len,
            high_water: mailbox.high_water,
            capacity: mailbox.capacity.messages,
        }),
        handled: mailbox.taken,
        restarts: status.restarts,
        uptime_ms: u64::try_from(uptime.as_millis()).unwrap_or(u64::MAX),
        last_exit: status.last_exit.map(|exit| exit.to_string()),
        children: children
            .iter()
            .map(|child| read_at(child, now, depth + 1))
            .collect(),
    }
}

/// The names of those at and below `process` that have not ended, innermost first.
pub(crate) fn living(process: &ProcessRef) -> Vec<String> {
    let mut names = Vec::new();
    gather_living(&read(process), &mut names);
    names
}

fn gather_living(node: &TreeNode, names: &mut Vec<String>) {
    for child in &node.children {
        gather_living(child, names);
    }
    match node.state {
        State::Ended | State::Abandoned => {}
        State::Starting | State::Running | State::Stopping | State::Waiting => {
            names.push(node.name.clone());
        }
    }
}

/// A length of time for people.
fn span(ms: u64) -> String {
    match ms / 1_000 {
        0 => format!("{ms} ms"),
        s @ 1..60 => format!("{s} s"),
        s @ 60..3_600 => format!("{} min", s / 60),
        s @ 3_600..86_400 => format!("{} h", s / 3_600),
        s => format!("{} d", s / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_lengths_of_time_in_one_unit() {
        let lengths = [5, 59_999, 60_000, 7_200_000, 172_800_000].map(span);
        assert_eq!(lengths, ["5 ms", "59 s", "1 min", "2 h", "2 d"]);
    }

    #[test]
    fn text_has_a_line_for_each_process_and_no_control_characters() {
        let leaf = TreeNode {
            name: "room:1".into(),
            pid: Pid::NONE,
            kind: "process",
            state: State::Running,
            mailbox: Some(MailboxState {
                depth: 1,
                high_water: 7,
                capacity: 64,
            }),
            handled: 9,
            restarts: 2,
            uptime_ms: 1_500,
            last_exit: Some("panic: a\nb".into()),
            children: Vec::new(),
        };
        let zone = TreeNode {
            name: "zone".into(),
            kind: "supervisor",
            mailbox: None,
            restarts: 0,
            last_exit: None,
            children: vec![leaf.clone()],
            ..leaf
        };
        assert_eq!(
            zone.to_text(),
            "zone <0> running, supervisor of 1, up 1 s\n  room:1 <0> running, \
             queue 1/64 (most 7), handled 9, up 1 s, restarts 2, last exit: panic: a b\n"
        );
    }
}
