//! `[edge]` The zones of a node: all of them on one that is alone, and in a cluster those that the
//! cluster hands it.

use super::config::Config;
use super::stock;
use crate::cluster::{Gateway, RoomsHost, Workshop};
use crate::ids::ZoneId;
use crate::node::Services;
use crate::room::{CrowdRules, RoomContext};
use crate::store::{StorePort, ZoneEpoch};
use crate::zone::{Right, ZonePlan};
use belay_cluster::Cluster;
use belay_runtime::{ChildSpec, DynamicSupervisor, Intensity, Supervisor};
use std::sync::Arc;
use std::time::Duration;

/// The world may lose so many zones before the node gives up.
const WORLD_INTENSITY: Intensity = Intensity::new(5, Duration::from_secs(60));

/// The zones of a node.
pub(super) struct Zones {
    /// What comes before them.
    pub(super) loader: ChildSpec,
    /// Where they run.
    pub(super) world: ChildSpec,
    /// In a cluster: who takes its orders about them.
    pub(super) host: Option<Arc<RoomsHost>>,
}

/// The zones of a node, which is in this cluster or alone.
pub(super) fn zones(config: &Config, services: &Arc<Services>, cluster: Option<&Cluster>) -> Zones {
    let maker = Maker::new(config, services);
    if let Some(cluster) = cluster {
        let world = services.world.clone();
        let gateway = Gateway::new(cluster.clone(), world, services.rooms.clone());
        let host = Arc::new(RoomsHost::new(gateway, |zones| maker.workshop(zones)));
        return Zones {
            loader: stock::loader(services.clone(), None),
            world: host.spec(),
            host: Some(host),
        };
    }
    let ids = 0..u16::try_from(services.world.zones().len()).unwrap_or(u16::MAX);
    let plans: Vec<ZonePlan> = ids.map(|id| maker.plan(ZoneId(id), None)).collect();
    let floors = plans.iter().flat_map(ZonePlan::floors).collect();
    Zones {
        loader: stock::loader(services.clone(), Some(floors)),
        world: ChildSpec::supervisor("world", move || {
            let zones = plans.iter().cloned().map(ZonePlan::spec);
            Supervisor::builder("world")
                .intensity(WORLD_INTENSITY)
                .children(zones.collect::<Vec<_>>())
        }),
        host: None,
    }
}

/// Makes zones as the operator set them.
#[derive(Clone)]
struct Maker {
    services: Arc<Services>,
    crowd: CrowdRules,
    mobs: bool,
    reset_every: Duration,
}

impl Maker {
    fn new(config: &Config, services: &Arc<Services>) -> Self {
        let size = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        Self {
            services: services.clone(),
            crowd: CrowdRules {
                size: size(config.crowd.size),
                gap: config.crowd.gap,
                size_large: size(config.crowd.size_large),
                gap_large: config.crowd.gap_large,
            },
            mobs: config.mobs.enabled,
            reset_every: config.zone.reset,
        }
    }

    fn workshop(self, zones: DynamicSupervisor) -> Workshop {
        Workshop {
            store: self.services.store.clone(),
            plan: Arc::new(move |id, right| self.plan(id, Some(right))),
            zones,
        }
    }

    fn plan(&self, id: ZoneId, right: Option<Arc<Right>>) -> ZonePlan {
        let (world, rooms) = (self.services.world.clone(), self.services.rooms.clone());
        let shared = RoomContext {
            restock: stock::restock(self.store(id, right.as_deref()), &self.services),
            world,
            crowd: self.crowd,
            right,
        };
        let mut plan = ZonePlan::new(id, rooms, Arc::new(shared));
        plan.mobs = self.mobs;
        plan.reset_every = self.reset_every;
        plan
    }

    /// Where the zone writes: in a cluster only while it is this node's.
    fn store(&self, id: ZoneId, right: Option<&Right>) -> StorePort {
        let store = &self.services.store;
        match (right, self.services.world.zone(id)) {
            (Some(right), Some(zone)) => {
                store.for_zone(&zone.key, ZoneEpoch(right.fence().epoch().0))
            }
            (None, _) | (Some(_), None) => store.clone(),
        }
    }
}
