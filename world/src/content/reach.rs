//! `[pure]` Walks through the world on paper: warns of exits without a way back, of rooms that
//! nobody can reach, and of rooms that nobody can leave.

use super::keys::Keyed;
use super::log::FaultLog;
use super::raw_room::RawRoom;
use super::world::World;
use crate::ids::RoomId;

/// Warns of what is odd about the ways. `written` are the rooms in the order of their ids.
pub(super) fn check(world: &World, written: &[Keyed<RawRoom>], log: &mut FaultLog<'_>) {
    check_ways_back(world, written, log);
    let begins: Vec<RoomId> = world
        .start_rooms()
        .iter()
        .chain(world.recall_rooms())
        .copied()
        .collect();
    let onward = reached(world, &begins, exits_of);
    let back_ways = Back::new(world);
    let backward = reached(world, &begins, |_, id| back_ways.to(id));
    for ((room, is_reached), returns) in written.iter().zip(onward).zip(backward) {
        if !is_reached {
            log.warning(
                room.at,
                format!("no way leads from a start room to \"{}\"", room.key),
            );
        } else if !returns {
            log.warning(
                room.at,
                format!("no way leads from \"{}\" to a start room", room.key),
            );
        }
    }
}

fn check_ways_back(world: &World, written: &[Keyed<RawRoom>], log: &mut FaultLog<'_>) {
    for (id, (room, raw)) in (0u32..).zip(world.rooms().iter().zip(written)) {
        let here = RoomId(id);
        for (exit, raw) in room.exits.iter().zip(&raw.raw.exits) {
            if raw.one_way || exits_of(world, exit.to).any(|to| to == here) {
                continue;
            }
            let way = exit.direction;
            let to = &raw.to.value;
            let wrong = format!("no exit of \"{to}\" leads back here");
            let right =
                format!("if that is meant, write {way} = {{ to = \"{to}\", one_way = true }}");
            log.warning(raw.to.at, format!("{wrong}; {right}"));
        }
    }
}

fn exits_of(world: &World, room: RoomId) -> impl Iterator<Item = RoomId> {
    world
        .room(room)
        .into_iter()
        .flat_map(|room| room.exits.iter().map(|exit| exit.to))
}

/// For each room, whether a walk from one of the first rooms comes to it.
fn reached<'w, I: Iterator<Item = RoomId>>(
    world: &'w World,
    first: &[RoomId],
    next: impl Fn(&'w World, RoomId) -> I,
) -> Vec<bool> {
    let mut seen = vec![false; world.rooms().len()];
    let mut open: Vec<RoomId> = first.to_vec();
    while let Some(room) = open.pop() {
        let seen = usize::try_from(room.0)
            .ok()
            .and_then(|index| seen.get_mut(index));
        if let Some(seen) = seen
            && !std::mem::replace(seen, true)
        {
            open.extend(next(world, room));
        }
    }
    seen
}

/// The exits by the room they lead to: sorted pairs of (to, from).
struct Back(Vec<(RoomId, RoomId)>);

impl Back {
    fn new(world: &World) -> Self {
        let mut pairs: Vec<(RoomId, RoomId)> = (0u32..)
            .zip(world.rooms())
            .flat_map(|(from, room)| room.exits.iter().map(move |exit| (exit.to, RoomId(from))))
            .collect();
        pairs.sort_unstable();
        Self(pairs)
    }

    fn to(&self, to: RoomId) -> impl Iterator<Item = RoomId> {
        let start = self.0.partition_point(|pair| pair.0 < to);
        self.0
            .iter()
            .skip(start)
            .take_while(move |pair| pair.0 == to)
            .map(|pair| pair.1)
    }
}
