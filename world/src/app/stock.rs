//! `[process]` What lies in the rooms: put there before the world starts, and made when it is
//! missing.

use crate::being::Item;
use crate::content::World;
use crate::ids::{PrototypeId, RoomId};
use crate::node::Services;
use crate::ring::RoomMessage;
use crate::room::{LiveRoom, Restock};
use crate::store::{Owner, StorePort, TopUp};
use belay_runtime::{Capacity, ChildSpec, Exit, Heir, Mailbox, Restart};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Missing things are made in the store first, and then appear in their room. One that the room
/// cannot take is destroyed, or its reset would count it and never make another. Both are written
/// by this port, which may be guarded.
pub(super) fn restock(store: StorePort, services: &Services) -> Arc<Restock> {
    let (world, rooms) = (services.world.clone(), services.rooms.clone());
    Arc::new(move |room, prototype, at_most| {
        let (Some(place), Some(kind)) = (world.room(room), world.item(prototype)) else {
            return;
        };
        let promise = TopUp {
            prototype: kind.key.to_string(),
            room_key: place.key.to_string(),
            at_most,
        };
        let (rooms, owner) = (rooms.clone(), Owner::Room(place.key.to_string()));
        let undo = store.clone();
        store.top_up(vec![promise], move |made| match made {
            Ok(made) => {
                for id in made.into_iter().flatten() {
                    let item = Item { id, prototype };
                    if rooms.tell(room, RoomMessage::Appear(item)).is_err() {
                        tracing::debug!(
                            target: "belay_world", room = room.0, "reset not delivered"
                        );
                        undo.destroy_item(id, owner.clone(), |_| {});
                    }
                }
            }
            Err(error) => tracing::warn!(target: "belay_world", %error, "reset not stored"),
        });
    })
}

/// Puts onto the floors what is on record and what is missing, and the bans into memory. The world
/// starts after it, so the first visitor finds everything in its place. In a cluster each zone sees
/// to its own floors when it begins.
pub(super) fn loader(
    services: Arc<Services>,
    floors: Option<BTreeMap<RoomId, Heir<LiveRoom>>>,
) -> ChildSpec {
    let floors = Arc::new(floors);
    let mailbox = Mailbox::<()>::new(Capacity {
        messages: 1,
        reserved: 0,
    });
    ChildSpec::body("loader", &mailbox, move |ctx| {
        let (services, floors) = (services.clone(), floors.clone());
        async move {
            if let Some(floors) = &*floors {
                top_up(&services.store, &services.world).await?;
                load_floors(&services.store, &services.world, floors).await?;
            }
            services.refresh_bans();
            services.bridge.refresh(&services.store);
            ctx.ready();
            Ok(())
        }
    })
    .restart(Restart::Transient)
    .acknowledged()
}

/// Makes what the resets of all rooms miss, in one write. The floors are read after it, so what it
/// made is among what they hold.
async fn top_up(store: &StorePort, world: &World) -> Result<(), Exit> {
    let promises = world.rooms().iter().flat_map(|room| {
        room.resets.iter().filter_map(|reset| {
            Some(TopUp {
                prototype: world.item(reset.item)?.key.to_string(),
                room_key: room.key.to_string(),
                at_most: reset.count,
            })
        })
    });
    let (answer, answered) = oneshot::channel();
    store.top_up(promises.collect(), move |made| drop(answer.send(made)));
    let made = answered
        .await
        .map_err(|_gone| Exit::error("the store stopped"))?;
    // A world without some of its things is better than none, and the zones' clocks try again.
    if let Err(error) = made {
        tracing::warn!(target: "belay_world", %error, "missing things not stored");
    }
    Ok(())
}

async fn load_floors(
    store: &StorePort,
    world: &World,
    floors: &BTreeMap<RoomId, Heir<LiveRoom>>,
) -> Result<(), Exit> {
    let (answer, answered) = oneshot::channel();
    store.all_room_items(move |items| drop(answer.send(items)));
    let items = answered
        .await
        .map_err(|_gone| Exit::error("the store stopped"))?;
    let items = items.map_err(|error| Exit::error(format!("floors cannot be read: {error}")))?;
    let mut unknown = 0_u32;
    for record in items {
        let Owner::Room(key) = &record.owner else {
            continue;
        };
        let place = world.room_id(key).and_then(|room| floors.get(&room));
        let prototype: Option<PrototypeId> = world.item_id(&record.prototype);
        match (place, prototype) {
            (Some(heir), Some(prototype)) => {
                heir.with(|room| {
                    room.stock(Item {
                        id: record.id,
                        prototype,
                    })
                });
            }
            (_, _) => unknown = unknown.saturating_add(1),
        }
    }
    if unknown > 0 {
        tracing::warn!(
            target: "belay_world", unknown,
            "things on record whose room or kind is not in the content"
        );
    }
    Ok(())
}
