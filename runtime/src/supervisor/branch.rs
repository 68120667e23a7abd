//! `[process]` What the rest of the runtime sees of a supervisor.

use std::sync::{Arc, Weak};

use super::family::Family;
use crate::pid::Pid;
use crate::process_ref::ProcessRef;
use crate::tree::MailboxState;

/// What the rest of the runtime asks of a supervisor, and of what has more to show than a mailbox.
pub(crate) trait Branch: Send + Sync {
    /// Its children in the order in which they were started.
    fn children(&self) -> Vec<ProcessRef> {
        Vec::new()
    }
    /// Its child with this pid.
    fn find(&self, _pid: Pid) -> Option<ProcessRef> {
        None
    }
    /// The children that whoever takes its place will start again; it starts no more of them.
    fn doomed(&self) -> Vec<ProcessRef> {
        Vec::new()
    }
    /// How the tree names its kind.
    fn kind(&self) -> &'static str;
    /// The children, when they can be stopped and started by name.
    fn as_static(self: Arc<Self>) -> Option<Arc<Family>> {
        None
    }
    /// What the tree says of it beyond its children, in a few words.
    fn detail(&self) -> Option<String> {
        None
    }
    /// The queue that it has instead of a mailbox, and how much it has taken from it.
    fn queue(&self) -> Option<(MailboxState, u64)> {
        None
    }
}

impl Family {
    /// This family as the rest of the runtime sees it.
    pub(crate) fn as_branch(self: &Arc<Self>) -> Weak<dyn Branch> {
        let family: Weak<Self> = Arc::downgrade(self);
        family
    }
}

impl Branch for Family {
    fn children(&self) -> Vec<ProcessRef> {
        self.list()
            .into_iter()
            .map(|(process, _)| process)
            .collect()
    }

    fn find(&self, pid: Pid) -> Option<ProcessRef> {
        self.find(pid).map(|(process, _)| process)
    }

    fn doomed(&self) -> Vec<ProcessRef> {
        // Others have children that nobody starts again, and their next life has the same family.
        if !self.rules.keeps_ended {
            return Vec::new();
        }
        self.close();
        self.children()
    }

    fn kind(&self) -> &'static str {
        self.rules.kind
    }

    fn as_static(self: Arc<Self>) -> Option<Arc<Family>> {
        self.rules.keeps_ended.then_some(self)
    }
}
