//! `[process]` What goes to other nodes about rooms, in the order in which it was put here. Nothing
//! is sent while a lock is held: who finds somebody sending leaves the frame to them.

use super::counts::{Count, Counts};
use super::frame::Frame;
use crate::cluster::Department;
use belay_cluster::{Class, Cluster, NodeId, Unsent};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Frames on their way out.
#[derive(Debug)]
pub(super) struct Outbox {
    cluster: Cluster,
    peers: Mutex<BTreeMap<NodeId, Peer>>,
}

#[derive(Debug, Default)]
struct Peer {
    up: bool,
    queue: VecDeque<(Class, Vec<u8>)>,
    /// Somebody is sending.
    busy: bool,
}

/// A wire to a node failed: what was owed to it did not go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failed(pub NodeId);

impl Outbox {
    /// An empty one.
    pub(super) fn new(cluster: Cluster) -> Self {
        Self {
            cluster,
            peers: Mutex::default(),
        }
    }

    /// The wire to this node stands, or is gone. What waits for one that is gone is dropped.
    pub(super) fn set_up(&self, node: NodeId, up: bool) {
        let mut peers = self.lock();
        let peer = peers.entry(node).or_default();
        peer.up = up;
        if !up {
            peer.queue.clear();
        }
    }

    /// Whether the wire to this node stands.
    pub(super) fn is_up(&self, node: NodeId) -> bool {
        self.lock().get(&node).is_some_and(|peer| peer.up)
    }

    /// The nodes whose wires stand.
    pub(super) fn peers(&self) -> Vec<NodeId> {
        let peers = self.lock();
        let up = peers.iter().filter(|(_, peer)| peer.up);
        up.map(|(node, _)| *node).collect()
    }

    /// Puts a frame behind those that wait for this node.
    pub(super) fn put(&self, node: NodeId, frame: &Frame) {
        match frame.encode() {
            Ok(bytes) => {
                let mut peers = self.lock();
                let peer = peers.entry(node).or_default();
                peer.queue.push_back((frame.class(), bytes));
            }
            Err(error) => {
                tracing::error!(target: "belay_world", %error, "a frame cannot be written");
            }
        }
    }

    /// Sends what waits for this node, unless somebody does. No lock may be held.
    ///
    /// # Errors
    /// The wire failed on something owed; what waited behind it is dropped too.
    pub(super) fn send(&self, node: NodeId, counts: &Counts) -> Result<(), Failed> {
        loop {
            let (class, bytes) = {
                let mut peers = self.lock();
                let Some(peer) = peers.get_mut(&node).filter(|peer| !peer.busy) else {
                    return Ok(());
                };
                let Some(next) = peer.queue.pop_front() else {
                    return Ok(());
                };
                peer.busy = true;
                next
            };
            let sent = Department::Rooms.send(&self.cluster, node, class, &bytes);
            let mut peers = self.lock();
            let Some(peer) = peers.get_mut(&node) else {
                return Ok(());
            };
            peer.busy = false;
            match (sent, class) {
                (Ok(()), _) => {}
                (Err(_), Class::Ambient) => counts.add(Count::EventsDropped, 1),
                (Err(error), Class::Owed) => {
                    let frames = peer.queue.len();
                    tracing::debug!(
                        target: "belay_world", peer = node.0, %error, frames, "not sent"
                    );
                    if error != Unsent::TooLong {
                        peer.queue.clear();
                    }
                    return Err(Failed(node));
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<NodeId, Peer>> {
        self.peers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
