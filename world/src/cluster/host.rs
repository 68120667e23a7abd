//! `[process]` The host of this node's shards: it hands each call of the cluster to the department
//! whose business it is. A message between hosts begins with a byte that names the department.

use belay_cluster::{
    Built, Class, Cluster, Epoch, Fence, HandOver, Host, NodeId, PeerNews, ShardId, ShardReport,
    Unsent, View,
};
use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use std::fmt;
use std::sync::Arc;

/// Whose business something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Department {
    /// Zones, and who stands in their rooms.
    Rooms = 1,
    /// Who plays, what they say to each other, and who may log in.
    People = 2,
}

impl Department {
    /// Of which department this shard is.
    pub fn of(shard: &ShardId) -> Self {
        if shard.kind() == "zone" {
            Self::Rooms
        } else {
            Self::People
        }
    }

    /// Sends a message to the same department of another node.
    ///
    /// # Errors
    /// It was not sent, and why.
    pub fn send(
        self,
        cluster: &Cluster,
        to: NodeId,
        class: Class,
        body: &[u8],
    ) -> Result<(), Unsent> {
        let mut framed = BytesMut::with_capacity(body.len() + 1);
        framed.put_u8(self as u8);
        framed.put_slice(body);
        cluster.send(to, class, framed.freeze())
    }
}

/// The host of this node's shards.
pub struct WorldHost {
    rooms: Arc<dyn Host>,
    people: Arc<dyn Host>,
}

impl fmt::Debug for WorldHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorldHost").finish_non_exhaustive()
    }
}

impl WorldHost {
    /// A host of these departments.
    pub fn new(rooms: Arc<dyn Host>, people: Arc<dyn Host>) -> Self {
        Self { rooms, people }
    }

    fn of(&self, shard: &ShardId) -> &dyn Host {
        match Department::of(shard) {
            Department::Rooms => &*self.rooms,
            Department::People => &*self.people,
        }
    }

    fn all(&self) -> [&dyn Host; 2] {
        [&*self.people, &*self.rooms]
    }
}

impl Host for WorldHost {
    fn run(&self, shard: &ShardId, fence: Fence) {
        self.of(shard).run(shard, fence);
    }

    fn stop(&self, shard: &ShardId, epoch: Epoch) {
        self.of(shard).stop(shard, epoch);
    }

    fn freeze(&self, shard: &ShardId, epoch: Epoch, reply: HandOver) {
        self.of(shard).freeze(shard, epoch, reply);
    }

    fn thaw(&self, shard: &ShardId, epoch: Epoch) {
        self.of(shard).thaw(shard, epoch);
    }

    fn build(&self, shard: &ShardId, moving: Epoch, state: Bytes, reply: Built) {
        self.of(shard).build(shard, moving, state, reply);
    }

    fn suspend(&self, on: bool) {
        self.all().into_iter().for_each(|host| host.suspend(on));
    }

    fn changed(&self, view: &Arc<View>) {
        self.all().into_iter().for_each(|host| host.changed(view));
    }

    fn peer(&self, node: NodeId, news: PeerNews) {
        self.all()
            .into_iter()
            .for_each(|host| host.peer(node, news));
    }

    fn deliver(&self, from: NodeId, mut body: Bytes) {
        let department = if body.is_empty() { 0 } else { body.get_u8() };
        if department == Department::Rooms as u8 {
            self.rooms.deliver(from, body);
        } else if department == Department::People as u8 {
            self.people.deliver(from, body);
        } else {
            // A later version may have more of them.
            tracing::debug!(target: "belay_world", peer = from.0, department, "unknown department");
        }
    }

    fn report(&self, out: &mut Vec<ShardReport>) {
        self.all().into_iter().for_each(|host| host.report(out));
    }
}
