//! `[process]` What lies on the floors of a zone when it begins on this node: what is on record,
//! and what its resets miss.

use crate::being::Item;
use crate::content::World;
use crate::ids::ZoneId;
use crate::store::{Owner, StoreError, StorePort, TopUp, ZoneEpoch};
use crate::zone::ZonePlan;
use belay_cluster::Epoch;
use tokio::sync::oneshot;

/// Why a zone cannot begin on this node.
#[derive(Debug, thiserror::Error)]
pub(super) enum LoadError {
    /// **Busy**, or **refused** where a later owner is on record.
    #[error("the floors cannot be read: {0}")]
    Store(#[from] StoreError),
    /// The store stopped; **fatal**, and the node stops too.
    #[error("the store stopped")]
    Stopped,
}

/// Takes a zone over that was moved with all that lies in it. Nobody waits for the answer: what
/// this node writes for the zone comes after it, and what an earlier owner wrote before it may
/// stay.
pub(super) fn claim(store: &StorePort, world: &World, zone: ZoneId, epoch: Epoch) {
    let Some(zone) = world.zone(zone) else { return };
    store.claim_zone(&zone.key, ZoneEpoch(epoch.0), |claimed| {
        if let Err(error) = claimed {
            tracing::warn!(target: "belay_world", %error, "the zone could not be claimed");
        }
    });
}

/// Puts onto the floors of a zone that has not started what belongs there. The zone is this node's
/// in this epoch: what an earlier owner still writes is refused from then on.
///
/// # Errors
/// See [`LoadError`]; the zone cannot begin.
pub(super) async fn load(
    store: &StorePort,
    plan: &ZonePlan,
    epoch: Epoch,
) -> Result<(), LoadError> {
    let world = plan.shared.world.clone();
    let Some(zone) = world.zone(plan.id) else {
        return Ok(());
    };
    let (key, epoch) = (&*zone.key, ZoneEpoch(epoch.0));
    answer(|reply| store.claim_zone(key, epoch, reply)).await?;
    let promises = promises(&world, plan);
    if !promises.is_empty() {
        let store = store.for_zone(key, epoch);
        match answer(|reply| store.top_up(promises, reply)).await {
            Ok(_made) => {}
            Err(LoadError::Store(StoreError::Fenced)) => return Err(StoreError::Fenced.into()),
            // A zone without some of its things is better than none, and its clock tries again.
            Err(error) => {
                tracing::warn!(target: "belay_world", %error, "missing things not stored");
            }
        }
    }
    let floors = plan.heirs();
    for record in answer(|reply| store.zone_items(key.to_owned(), reply)).await? {
        let Owner::Room(room) = &record.owner else {
            continue;
        };
        let floor = world.room_id(room).and_then(|room| floors.get(&room));
        if let (Some(floor), Some(prototype)) = (floor, world.item_id(&record.prototype)) {
            let id = record.id;
            floor.with(|room| room.stock(Item { id, prototype }));
        }
    }
    Ok(())
}

/// What the resets of the zone's rooms promise.
fn promises(world: &World, plan: &ZonePlan) -> Vec<TopUp> {
    let rooms = plan.floors().filter_map(|(id, _)| world.room(id));
    let each = rooms.flat_map(|room| {
        room.resets.iter().filter_map(|reset| {
            Some(TopUp {
                prototype: world.item(reset.item)?.key.to_string(),
                room_key: room.key.to_string(),
                at_most: reset.count,
            })
        })
    });
    each.collect()
}

/// Waits for an answer of the store.
async fn answer<T: Send + 'static>(
    ask: impl FnOnce(Box<dyn FnOnce(Result<T, StoreError>) + Send>),
) -> Result<T, LoadError> {
    let (tell, told) = oneshot::channel();
    ask(Box::new(move |answer| drop(tell.send(answer))));
    let answer = told.await.map_err(|_gone| LoadError::Stopped)?;
    Ok(answer?)
}
