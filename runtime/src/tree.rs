//! `[process]` The live tree as data, and as text for people.

use std::fmt;

use serde::Serialize;
use tokio::time::Instant;

use crate::limits::TREE_DEPTH_MAX;
use crate::pid::Pid;
use crate::process_ref::ProcessRef;
use crate::report::millis;
use crate::slot::Phase;
use crate::ticks;

/// A process and all below it.
#[derive(Clone, Debug, Serialize)]
pub struct TreeNode {
    /// The name in its child spec.
    pub name: String,
    /// Its pid.
    pub pid: Pid,
    /// The pid of its supervisor; `None` at the top of what was read.
    pub parent: Option<Pid>,
    /// What it is: `process`, `supervisor`, `dynamic supervisor`, `tether` or `worker pool`.
    pub kind: &'static str,
    /// What it does now.
    pub state: State,
    /// Its queue; supervisors have none. Of a [`WorkerPool`](crate::WorkerPool) the line of its
    /// jobs.
    pub mailbox: Option<MailboxState>,
    /// Messages it has taken for handling, over all incarnations; of a worker pool, jobs.
    pub handled: u64,
    /// The [kind](crate::Kind) of what was handed to this incarnation last; of a mailbox without
    /// kinds the type of its messages, when any were taken.
    pub last_message: Option<&'static str>,
    /// Microseconds that its code ran on a thread, over all incarnations; the poll that is going
    /// on not counted. For comparing: Elixir counts `reductions`.
    pub busy_us: u64,
    /// How often it was restarted.
    pub restarts: u32,
    /// Milliseconds since this incarnation began.
    pub uptime_ms: u64,
    /// Why the incarnation before this one ended.
    pub last_exit: Option<String>,
    /// Its last crash, also when it has ended otherwise since.
    pub last_crash: Option<LastCrash>,
    /// What it says of itself beyond this, for supervisors and worker pools that have something to
    /// say; of a process that waits for its [back-off](crate::ChildSpec::backoff), when it tries
    /// again.
    pub detail: Option<String>,
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

/// When a process crashed last, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LastCrash {
    /// How, in one text.
    pub reason: String,
    /// What it was, for programs: see [`Exit::error_coded`](crate::Exit::error_coded).
    pub code: Option<&'static str>,
    /// Milliseconds ago.
    pub ago_ms: u64,
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

    fn was_crash(&self, exit: &str) -> bool {
        let crash = self.last_crash.as_ref();
        crash.is_some_and(|crash| crash.reason == exit)
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
        if let Some(kind) = self.last_message {
            write!(f, ", last {kind}")?;
        }
        write!(f, ", up {}", span(self.uptime_ms))?;
        if self.busy_us >= 1_000 {
            write!(f, ", busy {}", span(self.busy_us / 1_000))?;
        }
        if self.restarts > 0 {
            write!(f, ", restarts {}", self.restarts)?;
        }
        // A crash that was the last exit is said once.
        let exit = self.last_exit.as_ref();
        if let Some(crash) = &self.last_crash {
            let (ago, reason) = (span(crash.ago_ms), plain(&crash.reason));
            write!(f, ", crashed {ago} ago: {reason}")?;
        }
        if let Some(exit) = exit.filter(|exit| !self.was_crash(exit)) {
            write!(f, ", last exit: {}", plain(exit))?;
        }
        if let Some(detail) = &self.detail {
            write!(f, ", {}", plain(detail))?;
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
            Phase::Vacant | Phase::Resting | Phase::Ended => Self::Ended,
            Phase::Abandoned => Self::Abandoned,
        }
    }
}

/// Reads the tree below `process`.
pub(crate) fn read(process: &ProcessRef) -> TreeNode {
    let place = At {
        now: Instant::now(),
        parent: None,
        depth: 0,
    };
    read_at(process, place)
}

/// Where and when the tree is read.
#[derive(Clone, Copy)]
struct At {
    now: Instant,
    parent: Option<Pid>,
    depth: usize,
}

fn read_at(process: &ProcessRef, at: At) -> TreeNode {
    let status = process.slot.core().status();
    let branch = status.branch.as_ref().and_then(std::sync::Weak::upgrade);
    let children = match &branch {
        Some(branch) if at.depth < TREE_DEPTH_MAX => branch.children(),
        Some(_) | None => Vec::new(),
    };
    let (mailbox, handled) = match &branch {
        Some(branch) => branch
            .queue()
            .map_or((None, 0), |(queue, handled)| (Some(queue), handled)),
        None => {
            let depth = process.slot.depth();
            let mailbox = MailboxState {
                depth: depth.len,
                high_water: depth.high_water,
                capacity: depth.capacity.messages,
            };
            (Some(mailbox), depth.taken)
        }
    };
    let since = |then: Instant| millis(at.now.duration_since(then));
    let below = At {
        parent: Some(process.pid()),
        depth: at.depth + 1,
        ..at
    };
    TreeNode {
        name: process.name().to_owned(),
        pid: process.pid(),
        parent: at.parent,
        kind: branch.as_ref().map_or("process", |branch| branch.kind()),
        state: State::of(if status.pid == process.pid() {
            status.phase
        } else {
            Phase::Ended
        }),
        mailbox,
        handled,
        restarts: status.restarts,
        last_message: process.slot.last_kind(),
        busy_us: ticks::nanos(process.slot.core().busy()) / 1_000,
        uptime_ms: status.started.map_or(0, since),
        last_exit: status.last_exit.map(|exit| exit.to_string()),
        last_crash: status.last_crash.map(|(crash, then)| LastCrash {
            reason: crash.to_string(),
            code: crash.code,
            ago_ms: since(then),
        }),
        detail: branch
            .as_ref()
            .and_then(|branch| branch.detail())
            .or_else(|| status.next_try.map(|then| next_try(then, at.now))),
        children: children.iter().map(|child| read_at(child, below)).collect(),
    }
}

fn next_try(then: Instant, now: Instant) -> String {
    format!("next try in {}", span(millis(then.duration_since(now))))
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

/// What came from elsewhere, on one line.
fn plain(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// A length of time for people.
pub(crate) fn span(ms: u64) -> String {
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
            parent: None,
            kind: "process",
            state: State::Running,
            mailbox: Some(MailboxState {
                depth: 1,
                high_water: 7,
                capacity: 64,
            }),
            handled: 9,
            last_message: Some("say"),
            busy_us: 12_345,
            restarts: 2,
            uptime_ms: 1_500,
            last_exit: Some("panic: a\nb".into()),
            last_crash: Some(LastCrash {
                reason: "panic: a\nb".into(),
                code: None,
                ago_ms: 1_600,
            }),
            detail: None,
            children: Vec::new(),
        };
        let zone = TreeNode {
            name: "zone".into(),
            kind: "supervisor",
            mailbox: None,
            last_message: None,
            busy_us: 999,
            restarts: 0,
            last_exit: Some("shutdown".into()),
            last_crash: None,
            detail: Some("next\ntry in 2 s".into()),
            children: vec![leaf.clone()],
            ..leaf
        };
        assert_eq!(
            zone.to_text(),
            "zone <0> running, supervisor of 1, up 1 s, last exit: shutdown, next try in 2 s\n  \
             room:1 <0> running, queue 1/64 (most 7), handled 9, last say, up 1 s, busy 12 ms, \
             restarts 2, crashed 1 s ago: panic: a b\n"
        );
    }
}
