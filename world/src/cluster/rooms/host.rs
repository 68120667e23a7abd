//! `[process]` The zones of this node, as the cluster hands them out. What must hold at once (that
//! a zone takes no more letters) is done at once; the rest is the work of the zone's keeper.

use super::fan::fan;
use super::gateway::Gateway;
use super::keeper::{Order, Workshop, keeper, mailbox};
use super::limits::GATE_EVERY;
use crate::ids::ZoneId;
use belay_cluster::{
    Built, Epoch, Fence, HandOver, Host, NodeId, PeerNews, ShardId, ShardReport, View,
};
use belay_runtime::{
    Address, Capacity, ChildSpec, DynamicOptions, DynamicSupervisor, Incoming, Intensity, Mailbox,
    Supervisor, SupervisorBuilder,
};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// All zones of a node together may restart so often before the node gives up.
const ZONES_INTENSITY: Intensity = Intensity::new(5, Duration::from_secs(60));

/// The host of this node's zones.
pub struct RoomsHost {
    gateway: Arc<Gateway>,
    shards: Arc<[ShardId]>,
    zones: BTreeMap<ShardId, (ZoneId, Address<Order>)>,
    mailboxes: Vec<Mailbox<Order>>,
    workshop: Workshop,
}

impl fmt::Debug for RoomsHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RoomsHost")
            .field("gateway", &self.gateway)
            .finish_non_exhaustive()
    }
}

impl RoomsHost {
    /// The host of a node whose zones are made by this workshop.
    pub fn new(
        gateway: Arc<Gateway>,
        workshop: impl FnOnce(DynamicSupervisor) -> Workshop,
    ) -> Self {
        let options = DynamicOptions {
            intensity: ZONES_INTENSITY,
            ..DynamicOptions::default()
        };
        let workshop = workshop(DynamicSupervisor::new("zones", options));
        let named = |zone: &crate::content::Zone| ShardId::new(&format!("zone:{}", zone.key));
        let shards: Arc<[ShardId]> = gateway.world.zones().iter().map(named).collect();
        let mailboxes: Vec<Mailbox<Order>> = shards.iter().map(|_| mailbox()).collect();
        let zones = shards.iter().zip(&mailboxes).zip(gateway.zones());
        let zones = zones
            .map(|((shard, mailbox), zone)| (shard.clone(), (zone, mailbox.address())))
            .collect();
        Self {
            gateway,
            shards,
            zones,
            mailboxes,
            workshop,
        }
    }

    /// The gateway of this node.
    pub fn gateway(&self) -> &Arc<Gateway> {
        &self.gateway
    }

    /// The names of all zones as shards, by number; to be declared to the cluster.
    pub fn shards(&self) -> &[ShardId] {
        &self.shards
    }

    /// The zones that are here, and what looks after them.
    pub fn spec(&self) -> ChildSpec {
        let zones = self.workshop.zones.clone();
        let (gateway, workshop) = (self.gateway.clone(), self.workshop.clone());
        let mailboxes = self.mailboxes.clone();
        ChildSpec::supervisor("world", move || -> SupervisorBuilder {
            let keepers = gateway
                .zones()
                .zip(&mailboxes)
                .map(|(zone, mailbox)| keeper(zone, mailbox, gateway.clone(), workshop.clone()));
            Supervisor::builder("world")
                .child(zones.spec())
                .children(keepers.collect::<Vec<_>>())
                .child(fan(gateway.clone()))
                .child(clock(gateway.clone()))
        })
    }

    /// The keeper of a zone crashes.
    #[cfg(test)]
    pub(super) fn crash_keeper(&self, shard: &ShardId) {
        self.order(shard, Order::Crash);
    }

    fn zone(&self, shard: &ShardId) -> Option<&(ZoneId, Address<Order>)> {
        let zone = self.zones.get(shard);
        if zone.is_none() {
            tracing::error!(target: "belay_world", %shard, "the content has no such zone");
        }
        zone
    }

    fn order(&self, shard: &ShardId, order: Order) {
        if let Some((_, keeper)) = self.zone(shard)
            && keeper.try_send(order).is_err()
        {
            // What was ordered shows by its absence, and the cluster orders it again.
            tracing::error!(target: "belay_world", %shard, "the zone's keeper takes no orders");
        }
    }
}

/// Looks for what has waited too long.
fn clock(gateway: Arc<Gateway>) -> ChildSpec {
    let mailbox = Mailbox::<()>::new(Capacity::new(1));
    ChildSpec::body("gates", &mailbox, move |mut ctx| {
        let gateway = gateway.clone();
        async move {
            loop {
                ctx.send_after(GATE_EVERY, ());
                match ctx.next().await {
                    Incoming::Timer(()) | Incoming::Message(()) => gateway.tick(),
                    Incoming::Signal(_) => {}
                    Incoming::Shutdown => return Ok(()),
                }
            }
        }
    })
}

impl Host for RoomsHost {
    fn run(&self, shard: &ShardId, fence: Fence) {
        self.order(shard, Order::Run(fence));
    }

    fn stop(&self, shard: &ShardId, epoch: Epoch) {
        if let Some((zone, _)) = self.zone(shard) {
            self.gateway.end_zone(*zone, epoch);
        }
        self.order(shard, Order::Stop(epoch));
    }

    fn freeze(&self, shard: &ShardId, epoch: Epoch, reply: HandOver) {
        let Some((zone, _)) = self.zone(shard) else {
            return reply.done(Err("no such zone".into()));
        };
        if !self.gateway.freeze_zone(*zone, epoch) {
            return reply.done(Err("the zone does not run in this epoch".into()));
        }
        self.order(shard, Order::Freeze(epoch, reply));
    }

    fn thaw(&self, shard: &ShardId, epoch: Epoch) {
        self.order(shard, Order::Thaw(epoch));
    }

    fn build(&self, shard: &ShardId, moving: Epoch, state: Bytes, reply: Built) {
        self.order(shard, Order::Build(moving, state, reply));
    }

    fn suspend(&self, on: bool) {
        self.gateway.suspend_zones(on);
    }

    fn changed(&self, view: &Arc<View>) {
        self.gateway.changed(&self.shards, view);
    }

    fn peer(&self, node: NodeId, news: PeerNews) {
        match news {
            PeerNews::Up(_) => self.gateway.wire_up(node),
            PeerNews::Down => self.gateway.wire_down(node),
        }
    }

    fn deliver(&self, from: NodeId, body: Bytes) {
        self.gateway.deliver(from, &body);
    }

    fn report(&self, out: &mut Vec<ShardReport>) {
        self.gateway.report(&self.shards, out);
    }
}
