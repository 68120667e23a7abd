//! `[process]` What the cluster calls for the department of people.

use super::counter::Counter;
use super::exchange::Exchange;
use super::shards::{self, Kind};
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

    fn hold(&self, shard: &ShardId, epoch: Epoch, frozen: bool) {
        match Kind::of(shard) {
            Some(Kind::Accounts(partition)) => self
                .0
                .claims(|counter, out| counter.freeze((partition, epoch), frozen, out)),
            Some(Kind::Channel(name)) => self.0.owned_channel(&name, |circle, channel| {
                circle.freeze(channel, epoch, frozen)
            }),
            Some(Kind::Gossip) => self.0.games(|socket| socket.freeze(epoch, frozen)),
            None => {}
        }
    }
}

impl Host for PeopleHost {
    fn run(&self, shard: &ShardId, fence: Fence) {
        match Kind::of(shard) {
            Some(Kind::Accounts(partition)) => {
                self.0
                    .claims(|counter, out| counter.run(partition, fence, out));
            }
            Some(Kind::Channel(name)) => self.0.run_channel(&name, fence),
            Some(Kind::Gossip) => self.0.games(|socket| socket.run(fence)),
            None => {}
        }
    }

    fn stop(&self, shard: &ShardId, epoch: Epoch) {
        match Kind::of(shard) {
            Some(Kind::Accounts(partition)) => {
                self.0.claims(|counter, _| counter.stop(partition, epoch));
            }
            Some(Kind::Channel(name)) => {
                self.0
                    .owned_channel(&name, |circle, channel| circle.stop(channel, epoch));
            }
            Some(Kind::Gossip) => self.0.games(|socket| socket.stop(epoch)),
            None => {}
        }
    }

    /// Nothing is handed over: the next owner asks the nodes for what it needs.
    fn freeze(&self, shard: &ShardId, epoch: Epoch, reply: HandOver) {
        self.hold(shard, epoch, true);
        reply.done(Ok(Bytes::new()));
    }

    fn thaw(&self, shard: &ShardId, epoch: Epoch) {
        self.hold(shard, epoch, false);
    }

    fn build(&self, _shard: &ShardId, _moving: Epoch, _state: Bytes, reply: Built) {
        reply.done(Ok(()));
    }

    /// Each shard asks its fence before it acts.
    fn suspend(&self, on: bool) {
        self.0.games(|socket| socket.suspend(on));
        if !on {
            self.0.claims(Counter::resume);
        }
    }

    fn changed(&self, view: &Arc<View>) {
        self.0.changed(view);
    }

    fn peer(&self, node: NodeId, news: PeerNews) {
        self.0.peer(node, news);
    }

    fn deliver(&self, from: NodeId, body: Bytes) {
        self.0.receive(from, &body);
    }

    fn report(&self, out: &mut Vec<ShardReport>) {
        self.0.claims(|counter, _| counter.report(out));
        if let Some(node) = self.0.node() {
            self.0.circle(|circle| circle.report(&node.world, out));
        }
        let epoch = self.0.socket(|socket| socket.epoch());
        out.extend(epoch.map(|epoch| ShardReport {
            shard: shards::gossip(),
            epoch,
            ticked_ms_ago: 0,
            weight: 1,
            busy: false,
        }));
    }
}
