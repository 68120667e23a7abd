//! `[process]` The cluster as the program around it sees it.

use crate::ids::{Epoch, Incarnation, NodeId, NodeName, ShardId};
use crate::order::{Order, OrderError};
use crate::status::Status;
use crate::transport::{Class, Unsent};
use crate::view::View;
use bytes::Bytes;
use std::fmt;
use std::sync::Arc;

/// The answer to an order: what was done, in words.
pub type OrderReply = Box<dyn FnOnce(Result<String, OrderError>) + Send>;

/// A node's own cluster, or a stand-in for tests.
pub(crate) trait Backend: Send + Sync {
    fn me(&self) -> (NodeId, NodeName, Incarnation);
    fn view(&self) -> Arc<View>;
    fn send(&self, to: NodeId, class: Class, body: Bytes) -> Result<(), Unsent>;
    fn order(&self, order: Order, reply: OrderReply);
    fn status(&self) -> Status;
}

/// A node's cluster. A clone is the same. Nothing here waits.
#[derive(Clone)]
pub struct Cluster(Arc<dyn Backend>);

impl Cluster {
    pub(crate) fn new(backend: Arc<dyn Backend>) -> Self {
        Self(backend)
    }

    /// This node's number.
    pub fn me(&self) -> NodeId {
        self.0.me().0
    }

    /// This node's name.
    pub fn name(&self) -> NodeName {
        self.0.me().1
    }

    /// This life of this node.
    pub fn incarnation(&self) -> Incarnation {
        self.0.me().2
    }

    /// What this node knows of the cluster.
    pub fn view(&self) -> Arc<View> {
        self.0.view()
    }

    /// Who owns this shard now, as far as this node knows, and in which epoch.
    pub fn owner(&self, shard: &ShardId) -> Option<(NodeId, Epoch)> {
        self.0.view().owner(shard)
    }

    /// Sends a message to another node's host, which gets it in order
    /// ([`Host::deliver`](crate::Host::deliver)); or the wire goes down.
    ///
    /// # Errors
    /// It was not sent, and why.
    pub fn send(&self, to: NodeId, class: Class, body: Bytes) -> Result<(), Unsent> {
        self.0.send(to, class, body)
    }

    /// Has an order carried out by the leader. The reply is called exactly once, within
    /// [`limits::ORDER_DEADLINE`](crate::limits::ORDER_DEADLINE).
    pub fn order(
        &self,
        order: Order,
        reply: impl FnOnce(Result<String, OrderError>) + Send + 'static,
    ) {
        self.0.order(order, Box::new(reply));
    }

    /// What an operator wants to see.
    pub fn status(&self) -> Status {
        self.0.status()
    }
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster")
            .field("me", &self.0.me())
            .finish_non_exhaustive()
    }
}
