//! `[process]` What a cluster and the program around it say to each other. The cluster decides
//! *where* a shard lives; its [`Host`] knows what a shard *is*.
//!
//! ```text
//!            run, stop, freeze, thaw, build, suspend, changed, deliver, peer
//! cluster ────────────────────────────────────────────────────────────────────► host
//!         ◄────────────────────────────────────────────────────────────────────
//!            Cluster: view, fence, send · replies to freeze and build · report
//! ```

use crate::ids::{Epoch, Incarnation, NodeId, ShardId};
use crate::lease::Fence;
use crate::report::ShardReport;
use crate::view::View;
use bytes::Bytes;
use std::fmt;
use std::sync::Arc;

/// Runs shards on this node. No method may wait or take long. The cluster calls [`Host::deliver`]
/// and [`Host::peer`] for each other node in order, from any thread; all others come one at a time
/// from a thread of its own, those about one shard in an order that makes sense.
pub trait Host: Send + Sync + 'static {
    /// The shard is this node's from now on. It acts only while the fence lets it. After
    /// [`Host::build`] of the same move it goes on with what was built; else it begins from what
    /// is stored.
    fn run(&self, shard: &ShardId, fence: Fence);

    /// The shard of this epoch ends here, without saving what belongs to the next owner.
    fn stop(&self, shard: &ShardId, epoch: Epoch);

    /// Finish what is in hand, take nothing more, and hand over the whole state.
    fn freeze(&self, shard: &ShardId, epoch: Epoch, reply: HandOver);

    /// Go on as before the freeze: the move is off.
    fn thaw(&self, shard: &ShardId, epoch: Epoch);

    /// Build the shard from a state that was handed over, without starting it. `moving` names the
    /// move. What was built and is never run is forgotten at [`Host::stop`] with that epoch.
    fn build(&self, shard: &ShardId, moving: Epoch, state: Bytes, reply: Built);

    /// The lease is about to lapse (`true`): no shard of this node may act, take input or say
    /// anything, until it is renewed (`false`) or each is stopped.
    fn suspend(&self, on: bool);

    /// The cluster has changed.
    fn changed(&self, view: &Arc<View>);

    /// The play wire to another node stands, or is gone.
    fn peer(&self, node: NodeId, news: PeerNews);

    /// A message of another node's host, in the order in which it sent them.
    fn deliver(&self, from: NodeId, body: Bytes);

    /// What each shard that runs here has done of late.
    fn report(&self, out: &mut Vec<ShardReport>);
}

/// A wire came or went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerNews {
    /// It stands, with this life of the node.
    Up(Incarnation),
    /// It is gone: what was sent may have arrived or not.
    Down,
}

/// Answers [`Host::freeze`]. Dropped, it says that it failed.
pub struct HandOver(Option<Reply<Bytes>>);

/// Answers [`Host::build`]. Dropped, it says that it failed.
pub struct Built(Option<Reply<()>>);

type Reply<T> = Box<dyn FnOnce(Result<T, String>) + Send>;

impl HandOver {
    /// An answer that goes here.
    pub fn new(reply: impl FnOnce(Result<Bytes, String>) + Send + 'static) -> Self {
        Self(Some(Box::new(reply)))
    }

    /// The whole state; or why it cannot be handed over.
    pub fn done(mut self, state: Result<Bytes, String>) {
        if let Some(reply) = self.0.take() {
            reply(state);
        }
    }
}

impl Built {
    /// An answer that goes here.
    pub fn new(reply: impl FnOnce(Result<(), String>) + Send + 'static) -> Self {
        Self(Some(Box::new(reply)))
    }

    /// It is built; or why it cannot be.
    pub fn done(mut self, result: Result<(), String>) {
        if let Some(reply) = self.0.take() {
            reply(result);
        }
    }
}

impl Drop for HandOver {
    fn drop(&mut self) {
        if let Some(reply) = self.0.take() {
            reply(Err("the host gave no answer".into()));
        }
    }
}

impl Drop for Built {
    fn drop(&mut self) {
        if let Some(reply) = self.0.take() {
            reply(Err("the host gave no answer".into()));
        }
    }
}

impl fmt::Debug for HandOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandOver").finish_non_exhaustive()
    }
}

impl fmt::Debug for Built {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Built").finish_non_exhaustive()
    }
}
