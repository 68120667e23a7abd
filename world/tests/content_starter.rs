//! Goal: the world that comes with the executable is sound: nothing to complain of, every room can
//! be reached and left, and there is enough to see. Method: the embedded files are loaded and
//! walked.

use std::collections::BTreeSet;

use belay_world::content::{Loaded, World, embedded, load};
use belay_world::ids::{Direction, RoomId};

#[expect(clippy::panic, reason = "a test")]
fn starter() -> World {
    match load(&embedded()) {
        Ok(Loaded { world, warnings }) => {
            assert_eq!(warnings.list, []);
            world
        }
        Err(faults) => panic!("{faults}"),
    }
}

/// The rooms that a walk from here comes to.
fn walk(world: &World, from: RoomId) -> BTreeSet<RoomId> {
    let mut seen = BTreeSet::from([from]);
    let mut open = vec![from];
    while let Some(room) = open.pop().and_then(|id| world.room(id)) {
        for exit in &room.exits {
            if seen.insert(exit.to) {
                open.push(exit.to);
            }
        }
    }
    seen
}

#[test]
fn every_room_can_be_reached_from_the_start_and_left_again() {
    let world = starter();
    let start = world.start_rooms()[0];
    assert_eq!(walk(&world, start).len(), world.rooms().len());
    for id in (0u32..).take(world.rooms().len()).map(RoomId) {
        assert!(walk(&world, id).contains(&start), "no way back from {id}");
    }
}

#[test]
fn every_exit_has_its_way_back_in_the_opposite_direction() {
    let world = starter();
    for (id, room) in (0u32..).zip(world.rooms()) {
        for exit in &room.exits {
            let back = world.room(exit.to).unwrap().exit(exit.direction.opposite());
            assert_eq!(back, Some(RoomId(id)), "{} {}", room.key, exit.direction);
        }
    }
}

#[test]
fn the_starter_world_is_as_large_as_promised() {
    let world = starter();
    assert_eq!(world.zones().len(), 2);
    assert!(world.rooms().len() >= 24);
    assert!(world.items().len() >= 10);
    assert!(world.mobs().len() >= 8);
    assert!(world.mobs().iter().filter(|mob| mob.wander).count() >= 4);
    assert!(world.mobs().iter().all(|mob| mob.says.len() >= 3));
    let used: BTreeSet<Direction> = world
        .rooms()
        .iter()
        .flat_map(|room| room.exits.iter().map(|exit| exit.direction))
        .collect();
    let missing: Vec<_> = Direction::ALL
        .into_iter()
        .filter(|way| !used.contains(way))
        .collect();
    assert_eq!(missing, [], "directions that no exit uses");
    let placed: BTreeSet<_> = world
        .rooms()
        .iter()
        .flat_map(|room| room.resets.iter().map(|reset| reset.item))
        .collect();
    assert_eq!(placed.len(), world.items().len(), "items that lie nowhere");
}

#[test]
fn most_rooms_have_something_to_look_at() {
    let world = starter();
    let with_things = world
        .rooms()
        .iter()
        .filter(|room| !room.things.is_empty())
        .count();
    assert!(with_things * 10 >= world.rooms().len() * 9);
}

#[test]
fn a_room_tells_of_each_of_its_exits() {
    let world = starter();
    let mut untold = Vec::new();
    for room in world.rooms() {
        let text = room.description.to_lowercase();
        let words: Vec<&str> = text.split(|c: char| !c.is_ascii_lowercase()).collect();
        for exit in &room.exits {
            let way = exit.direction.name();
            // An adjective or a door is another way to say it.
            let others = match way {
                "in" => "door",
                "up" => "above",
                _ => way,
            };
            let is_told = words.iter().any(|word| {
                word == &way
                    || *word == others
                    || *word == format!("{way}ward")
                    || *word == format!("{way}ern")
            });
            if !is_told {
                untold.push(format!("{} {way}", room.key));
            }
        }
    }
    assert_eq!(untold, [""; 0]);
}

#[test]
fn all_text_is_ascii_and_well_formed() {
    for file in embedded() {
        assert!(file.text.is_ascii(), "{}", file.name);
    }
    let world = starter();
    let prose = world.rooms().iter().flat_map(|room| {
        std::iter::once(&room.description).chain(room.things.iter().map(|thing| &thing.description))
    });
    let prose = prose.chain(world.items().iter().map(|item| &item.description));
    for text in prose.chain(world.mobs().iter().map(|mob| &mob.description)) {
        assert!(text.ends_with(['.', '?', '!']), "{text}");
        assert!(!text.contains("  "), "{text}");
    }
    for item in world.items() {
        assert!(
            item.name.starts_with("a ") || item.name.starts_with("an "),
            "{}",
            item.name
        );
        assert!(item.long.ends_with('.'), "{}", item.long);
    }
    for room in world.rooms() {
        assert!(!room.name.ends_with('.'), "{}", room.name);
    }
}

#[test]
fn the_way_from_the_quay_to_the_hill_and_through_it_is_as_drawn() {
    let world = starter();
    let mut here = world.room_id("harbour/quay").unwrap();
    let way = "north north up north north down southwest west out up east southeast down";
    for word in way.split(' ') {
        let direction = Direction::from_name(word).unwrap();
        here = world.room(here).unwrap().exit(direction).unwrap();
    }
    assert_eq!(here, world.room_id("harbour/steps").unwrap());
    let inn = world.room(world.room_id("harbour/inn").unwrap()).unwrap();
    let bell = world.item_id("harbour/bell").unwrap();
    assert!(!world.item(bell).unwrap().takeable);
    assert!(
        inn.resets
            .iter()
            .any(|reset| reset.item == bell && reset.count == 1)
    );
    let keeper = world
        .mob(world.mob_id("harbour/innkeeper").unwrap())
        .unwrap();
    assert_eq!(world.room(keeper.home).unwrap().key, inn.key);
    assert!(world.zone(keeper.zone).unwrap().mobs().count() >= 5);
    assert!(world.mob_id("heights/innkeeper").is_none());
}

#[test]
fn there_is_a_channel_for_all_and_one_that_is_heard_elsewhere() {
    let world = starter();
    let told = |name| world.channel(world.find_channel(name).unwrap()).unwrap();
    assert!(told("chat").default && told("chat").remote.is_none());
    assert_eq!(told("gossip").remote.as_deref(), Some("gossip"));
    assert!(!told("gossip").default, "players choose to be heard there");
}
