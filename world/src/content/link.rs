//! `[pure]` Looks up what the files refer to and builds the world of it.

use std::ops::Range;
use std::time::Duration;

use super::keys::{Index, Keyed};
use super::load::WORLD_FILE;
use super::log::{FaultLog, Located};
use super::raw::{RawItem, RawMob, RawWorld, RawWorldFile};
use super::raw_channel;
use super::raw_room::RawRoom;
use super::world::{Exit, ItemPrototype, Mob, Reset, Room, Thing, World, Zone};
use crate::ids::RoomId;

/// The world, and where each of its rooms is written, in the order of their ids.
#[derive(Debug)]
pub(super) struct Linked {
    pub(super) world: World,
    pub(super) rooms: Vec<Keyed<RawRoom>>,
}

/// Builds the world. It is only to be used when the log has no error; `None` when `world.toml`
/// could not be read.
pub(super) fn link(raw: RawWorld, log: &mut FaultLog<'_>) -> Option<Linked> {
    let RawWorld {
        world: file,
        zones,
        is_complete,
    } = raw;
    let mut index = Index::build(zones, is_complete, log);
    let zones = link_zones(&index);
    let rooms = index
        .rooms
        .iter()
        .map(|room| link_room(&index, room, log))
        .collect();
    let mobs = index
        .mobs
        .iter()
        .map(|mob| link_mob(&index, mob, log))
        .collect();
    if !log.has_file(WORLD_FILE) {
        let wrong = "the file is missing; it holds name, greeting, start_rooms and recall_rooms";
        log.file_error(WORLD_FILE, wrong);
    }
    let mut file = file?;
    if index.rooms.is_empty() && log.errors() == 0 {
        log.error(file.at, "the world has no rooms");
    }
    let channels = raw_channel::link(std::mem::take(&mut file.channels), log);
    let (start_rooms, recall_rooms) = link_room_lists(&index, &file, log);
    let items = std::mem::take(&mut index.items)
        .into_iter()
        .map(link_item)
        .collect();
    let world = World {
        name: file.name.into(),
        greeting: file.greeting.into(),
        hash: Box::default(),
        zones,
        rooms,
        items,
        mobs,
        start_rooms,
        recall_rooms,
        channels,
    };
    Some(Linked {
        world,
        rooms: index.rooms,
    })
}

fn link_zones(index: &Index) -> Box<[Zone]> {
    index
        .zones
        .iter()
        .map(|(key, name)| Zone {
            key: key.value.as_str().into(),
            name: name.as_str().into(),
            rooms: range_of(&index.rooms, &key.value),
            mobs: range_of(&index.mobs, &key.value),
        })
        .collect()
}

/// Which part of a sorted list belongs to a zone. It is in one piece: no other key can stand
/// between two that begin with the same "zone/".
fn range_of<T>(sorted: &[Keyed<T>], zone: &str) -> Range<u32> {
    let begins = |keyed: &Keyed<T>| {
        keyed
            .key
            .strip_prefix(zone)
            .is_some_and(|s| s.starts_with('/'))
    };
    let first = format!("{zone}/");
    let start = sorted.partition_point(|keyed| keyed.key < first);
    let count = sorted
        .iter()
        .skip(start)
        .take_while(|keyed| begins(keyed))
        .count();
    let [start, end] = [start, start + count].map(|i| u32::try_from(i).unwrap_or(u32::MAX));
    start..end
}

fn link_room(index: &Index, room: &Keyed<RawRoom>, log: &mut FaultLog<'_>) -> Room {
    let own = Some(room.zone);
    let mut exits = Vec::with_capacity(room.raw.exits.len());
    for exit in &room.raw.exits {
        let to = index.room(log, own, &exit.to);
        exits.extend(to.map(|to| Exit {
            direction: exit.direction,
            to,
        }));
    }
    let mut resets = Vec::with_capacity(room.raw.resets.len());
    for reset in &room.raw.resets {
        let item = index.item(log, own, &reset.item);
        resets.extend(item.map(|item| Reset {
            item,
            count: reset.count,
        }));
    }
    let things = room.raw.things.iter().map(|thing| Thing {
        keywords: link_words(&thing.keywords),
        description: thing.description.as_str().into(),
    });
    Room {
        key: room.key.as_str().into(),
        zone: room.zone,
        name: room.raw.name.as_str().into(),
        description: room.raw.description.as_str().into(),
        exits: exits.into(),
        things: things.collect(),
        resets: resets.into(),
    }
}

fn link_item(item: Keyed<RawItem>) -> ItemPrototype {
    ItemPrototype {
        key: item.key.into(),
        name: item.raw.name.into(),
        keywords: link_words(&item.raw.keywords),
        description: item.raw.description.into(),
        long: item.raw.long.into(),
        takeable: item.raw.takeable,
    }
}

fn link_mob(index: &Index, mob: &Keyed<RawMob>, log: &mut FaultLog<'_>) -> Mob {
    let raw = &mob.raw;
    let home = index.room(log, Some(mob.zone), &raw.room);
    if home.is_some_and(|home| !is_in_zone_of(index, home, mob)) {
        log.error(
            raw.room.at,
            "a mob lives in its own zone; this room is in another one",
        );
    }
    let (min, max) = raw.every_s;
    Mob {
        key: mob.key.as_str().into(),
        zone: mob.zone,
        name: raw.name.as_str().into(),
        keywords: link_words(&raw.keywords),
        description: raw.description.as_str().into(),
        // Without a home there is an error, so this stand-in is never seen.
        home: home.unwrap_or(RoomId(u32::MAX)),
        wander: raw.wander,
        says: link_words(&raw.says),
        every_min: Duration::from_secs(u64::from(min)),
        every_max: Duration::from_secs(u64::from(max)),
    }
}

/// By the keys: when two files claim one zone, its rooms have different ids for it.
fn is_in_zone_of(index: &Index, room: RoomId, mob: &Keyed<RawMob>) -> bool {
    let room = usize::try_from(room.0)
        .ok()
        .and_then(|position| index.rooms.get(position));
    let zone_of = |key: &str| key.split_once('/').map(|(zone, _)| zone.to_owned());
    room.is_some_and(|room| zone_of(&room.key) == zone_of(&mob.key))
}

fn link_room_lists(
    index: &Index,
    file: &RawWorldFile,
    log: &mut FaultLog<'_>,
) -> (Box<[RoomId]>, Box<[RoomId]>) {
    let mut lists = [&file.start_rooms, &file.recall_rooms].map(|list| {
        let mut rooms: Vec<RoomId> = Vec::with_capacity(list.len());
        for reference in list {
            let Some(room) = index.room(log, None, reference) else {
                continue;
            };
            if rooms.contains(&room) {
                log.warning(
                    reference.at,
                    format!("\"{}\" stands here twice", reference.value),
                );
            } else {
                rooms.push(room);
            }
        }
        rooms
    });
    if let [start, recall] = &mut lists
        && recall.is_empty()
    {
        recall.clone_from(start);
    }
    let [start, recall] = lists;
    (start.into(), recall.into())
}

fn link_words(words: &[Located<String>]) -> Box<[Box<str>]> {
    words
        .iter()
        .map(|word| word.value.as_str().into())
        .collect()
}
