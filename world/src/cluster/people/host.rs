//! `[process]` What the cluster calls for the department of people.

use super::exchange::Exchange;
use belay_cluster::{
    Built, Epoch, Fence, HandOver, Host, NodeId, PeerNews, ShardId, ShardReport, View,
};
use bytes::Bytes;
use std::sync::Arc;

/// The host of `accounts:*`, `channel:*` and `gossip`.
#[derive(Debug)]
pub struct PeopleHost(Arc<Exchange>);

impl PeopleHost {
    pub(super) fn new(exchange: Arc<Exchange>) -> Self {
        Self(exchange)
    }
}

impl Host for PeopleHost {
    fn run(&self, _shard: &ShardId, _fence: Fence) {}

    fn stop(&self, _shard: &ShardId, _epoch: Epoch) {}

    fn freeze(&self, _shard: &ShardId, _epoch: Epoch, reply: HandOver) {
        reply.done(Ok(Bytes::new()));
    }

    fn thaw(&self, _shard: &ShardId, _epoch: Epoch) {}

    fn build(&self, _shard: &ShardId, _moving: Epoch, _state: Bytes, reply: Built) {
        reply.done(Ok(()));
    }

    fn suspend(&self, _on: bool) {}

    fn changed(&self, view: &Arc<View>) {
        self.0.changed(view);
    }

    fn peer(&self, node: NodeId, news: PeerNews) {
        self.0.peer(node, news);
    }

    fn deliver(&self, from: NodeId, body: Bytes) {
        self.0.receive(from, &body);
    }

    fn report(&self, _out: &mut Vec<ShardReport>) {}
}
