//! `[process]` The root of a tree.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use crate::exit::Exit;
use crate::grace::Grace;
use crate::guard;
use crate::policy::{AutoShutdown, Restart, Strategy};
use crate::process_ref::ProcessRef;
use crate::roster;
use crate::slot::Purpose;
use crate::spec::ChildSpec;
use crate::supervisor::{
    Custody, Family, Rules, StartError, SupervisorBuilder, SupervisorRef, start_one,
};
use crate::ticks;
use crate::tree::{self, TreeNode};
use crate::window::Intensity;

/// A running supervision tree.
///
/// Dropping it kills the tree, without waiting for it; [`stop`](Node::stop) is the way to end
/// one.
#[derive(Debug)]
pub struct Node {
    root: ProcessRef,
    /// Kills the tree when the node is dropped.
    custody: Custody,
}

/// What a stop left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StopReport {
    /// The names of the processes that had not ended: at the deadline of the whole stop, or when
    /// their supervisor, after their own deadline and
    /// [`KILL_GRACE`](crate::limits::KILL_GRACE), went on without them. Innermost first.
    pub not_stopped: Vec<String>,
}

impl Node {
    /// Starts a tree on the tokio runtime that this is called on and waits until all of its
    /// static children have started.
    ///
    /// Installs a panic hook, once for the whole program: a panic in a process is not printed but
    /// becomes an [`Exit::Crash`] and a log record; all other panics go to the hook that was there
    /// before.
    ///
    /// The first start in a program also measures the rate of the processor's counter, by which
    /// busy times are kept; that takes some milliseconds, at most 200.
    ///
    /// # Errors
    /// [`StartError::Spec`] (bug) when the supervisor or one of its children contradicts itself;
    /// [`StartError::Failed`] when a child did not start; what had started was stopped then.
    ///
    /// # Panics
    /// When it is awaited outside a tokio runtime.
    ///
    /// # Cancel safety
    /// When the future is dropped the tree is killed.
    pub async fn start(builder: SupervisorBuilder) -> Result<Self, StartError> {
        builder.check()?;
        guard::install_hook();
        ticks::prepare();
        let family = Arc::new(Family::new(Arc::from("root"), root_rules()));
        family.open();
        roster::enrol(family.as_branch());
        let custody = Custody(Arc::clone(&family));
        let name = Arc::clone(&builder.name);
        let mut builder = Some(builder);
        let spec = ChildSpec::supervisor(name, move || {
            builder
                .take()
                .unwrap_or_else(|| crate::Supervisor::builder("ended"))
        });
        let root = start_one(&family, spec.restart(Restart::Temporary)).await?;
        Ok(Self { root, custody })
    }

    /// Stops the tree: children in reverse order, each within its own deadline, all within this
    /// one. What has not ended then is killed, and named in the report.
    ///
    /// # Cancel safety
    /// When the future is dropped the tree is killed.
    pub async fn stop(self, deadline: Duration) -> StopReport {
        self.root.request_stop(Grace::INFINITY, Purpose::End);
        let not_stopped = if timeout(deadline, self.root.ended()).await.is_ok() {
            let left = self.custody.0.left_behind().into_iter();
            left.map(|process| process.name().to_owned()).collect()
        } else {
            tree::living(&self.root)
        };
        StopReport { not_stopped }
    }

    /// Waits until the tree ends by itself, because the top supervisor gave up or
    /// [stopped on its own](AutoShutdown); returns why.
    ///
    /// # Cancel safety
    /// Cancel safe.
    pub async fn finished(&self) -> Exit {
        self.root.ended().await
    }

    /// The tree as it is now.
    ///
    /// Each process is looked at by itself, so that a large tree is no snapshot of one moment.
    pub fn tree(&self) -> TreeNode {
        tree::read(&self.root)
    }

    /// The supervisor at the top, to stop and start its children by name.
    pub fn supervisor(&self) -> SupervisorRef {
        SupervisorRef::at(self.root.clone())
    }

    /// The process at the top.
    pub fn root(&self) -> &ProcessRef {
        &self.root
    }
}

fn root_rules() -> Rules {
    Rules {
        kind: "root",
        strategy: Strategy::OneForOne,
        auto_shutdown: AutoShutdown::Never,
        intensity: Intensity::default(),
        max_children: 1,
        partitions: 1,
        keeps_ended: false,
        expects_errors: false,
    }
}
