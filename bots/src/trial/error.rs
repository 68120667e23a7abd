//! `[edge]` Why a trial ended before its end.

use std::io;
use std::time::Duration;

use crate::cluster::{ClusterError, NodeError};

/// How long the cluster may take until it is whole, or bots until they are where they shall be.
pub(super) const READY_WITHIN: Duration = Duration::from_secs(90);

/// Why a trial ended before its end.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// Something was not started.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// A node did not come back.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// There is no world to play in.
    #[error("cannot make a world: {0}")]
    World(String),
    /// The files of the world cannot be read.
    #[error("cannot read the world in {place}")]
    Read {
        /// Where it is.
        place: String,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// This process may not open so many sockets.
    #[error("{wanted} open files are needed and {allowed} allowed: raise it with ulimit -n")]
    Files {
        /// How many are needed.
        wanted: u64,
        /// How many are allowed.
        allowed: u64,
    },
    /// The cluster refused an order.
    #[error("belay {order}: {said}")]
    Refused {
        /// The order.
        order: String,
        /// What was said.
        said: String,
    },
    /// Something did not come about in time.
    #[error("not within {} s: {what}", READY_WITHIN.as_secs())]
    Late {
        /// What.
        what: String,
    },
    /// A figure of a node cannot be read.
    #[error("cannot read the metrics of {node}")]
    Metrics {
        /// The node.
        node: String,
        /// What the system says.
        #[source]
        source: io::Error,
    },
}
