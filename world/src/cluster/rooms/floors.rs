//! `[process]` What lies on the floors of a zone when it begins on this node: what is on record,
//! and what its resets miss.

use crate::being::Item;
use crate::content::World;
use crate::store::{Owner, StoreError, StorePort, TopUp};
use crate::zone::ZonePlan;
use belay_cluster::Epoch;
use belay_runtime::Exit;
use tokio::sync::oneshot;

/// Puts onto the floors of a zone that has not started what belongs there. The zone is this node's
/// in this epoch: what an earlier owner still writes is refused from then on.
///
/// # Errors
/// The floors cannot be read, or a later owner is on record; the zone cannot begin.
pub async fn load_floors(store: StorePort, plan: ZonePlan, epoch: Epoch) -> Result<(), Exit> {
    let world = plan.shared.world.clone();
    tracing::debug!(target: "belay_world", zone = plan.id.0, %epoch, "floors are read");
    if let Err(error) = top_up(&store, &world, &plan).await? {
        // A zone without some of its things is better than none, and its clock tries again.
        tracing::warn!(target: "belay_world", %error, "missing things not stored");
    }
    let mut reads = Vec::new();
    for (id, heir) in plan.floors() {
        let Some(room) = world.room(id) else { continue };
        let (answer, answered) = oneshot::channel();
        store.room_items(room.key.to_string(), move |items| drop(answer.send(items)));
        reads.push((heir, answered));
    }
    for (heir, answered) in reads {
        let items = answered
            .await
            .map_err(|_gone| Exit::error("the store stopped"))?
            .map_err(|error| Exit::error(format!("floors cannot be read: {error}")))?;
        heir.with(|room| {
            for record in items {
                let on_floor = matches!(record.owner, Owner::Room(_));
                if let Some(prototype) = world.item_id(&record.prototype).filter(|_| on_floor) {
                    let id = record.id;
                    room.stock(Item { id, prototype });
                }
            }
        });
    }
    Ok(())
}

/// Makes what the resets of the zone's rooms miss, in one write.
async fn top_up(
    store: &StorePort,
    world: &World,
    plan: &ZonePlan,
) -> Result<Result<(), StoreError>, Exit> {
    let rooms = plan.floors().filter_map(|(id, _)| world.room(id));
    let promises: Vec<TopUp> = rooms
        .flat_map(|room| {
            room.resets.iter().filter_map(|reset| {
                Some(TopUp {
                    prototype: world.item(reset.item)?.key.to_string(),
                    room_key: room.key.to_string(),
                    at_most: reset.count,
                })
            })
        })
        .collect();
    if promises.is_empty() {
        return Ok(Ok(()));
    }
    let (answer, answered) = oneshot::channel();
    store.top_up(promises, move |made| drop(answer.send(made)));
    let made = answered
        .await
        .map_err(|_gone| Exit::error("the store stopped"))?;
    Ok(made.map(|_items| ()))
}
