//! `[pure]` Who is told which part of the list of rooms, and what changed in it. Whoever watches
//! the same part is told the same frame.

use super::places::Places;
use crate::ids::SessionId;
use crate::lobby::ids::HallRoomId;
use crate::lobby::limits::ROOMS_TOLD_MAX;
use crate::lobby::protocol::{RoomEntry, ServerMessage};
use crate::lobby::shared::Shared;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A frame, and whom to tell.
type Told = (Arc<Shared>, Vec<SessionId>);

/// A part of the list: the first, and how many.
type Part = (u32, u16);

/// All who watch; each guest watches one part.
#[derive(Debug, Default)]
pub(super) struct Watches {
    of: BTreeMap<SessionId, Part>,
    parts: BTreeMap<Part, Watched>,
    /// Rooms that opened, changed or closed since the last tick.
    changed: BTreeSet<HallRoomId>,
    /// How many rooms there were then.
    total: u32,
}

#[derive(Debug, Default)]
struct Watched {
    /// The rooms that were told.
    rooms: Vec<HallRoomId>,
    by: BTreeSet<SessionId>,
    /// Who of them wants the whole.
    fresh: BTreeSet<SessionId>,
}

impl Watches {
    /// From now on that part; of a count of 0 nothing more. The whole comes with the next tick.
    pub(super) fn watch(&mut self, guest: SessionId, from: u32, count: u16) {
        self.gone(guest);
        let part = (from, count.min(ROOMS_TOLD_MAX));
        if part.1 > 0 {
            self.of.insert(guest, part);
            let watched = self.parts.entry(part).or_default();
            watched.by.insert(guest);
            watched.fresh.insert(guest);
        }
    }

    pub(super) fn gone(&mut self, guest: SessionId) {
        let Some(part) = self.of.remove(&guest) else {
            return;
        };
        if let Some(watched) = self.parts.get_mut(&part) {
            watched.by.remove(&guest);
            watched.fresh.remove(&guest);
            if watched.by.is_empty() {
                self.parts.remove(&part);
            }
        }
    }

    /// This one missed something, and is told the whole.
    pub(super) fn stale(&mut self, guest: SessionId) {
        let part = self.of.get(&guest);
        if let Some(watched) = part.and_then(|part| self.parts.get_mut(part)) {
            watched.fresh.insert(guest);
        }
    }

    pub(super) fn changed(&mut self, room: HallRoomId) {
        if !self.parts.is_empty() {
            self.changed.insert(room);
        }
    }

    pub(super) fn is_pending(&self) -> bool {
        let mut parts = self.parts.values();
        !self.changed.is_empty() || parts.any(|watched| !watched.fresh.is_empty())
    }

    /// What is to be told of what changed.
    pub(super) fn tick(&mut self, places: &Places) -> Vec<Told> {
        let mut told = Vec::new();
        let total = u32::try_from(places.len()).unwrap_or(u32::MAX);
        let total_differs = total != self.total;
        self.total = total;
        for ((from, count), watched) in &mut self.parts {
            let skipped = usize::try_from(*from).unwrap_or(usize::MAX);
            let rooms: Vec<&RoomEntry> = places
                .iter()
                .map(|place| &place.entry)
                .skip(skipped)
                .take(usize::from(*count))
                .collect();
            told.extend(watched.changes(&rooms, &self.changed, (total, total_differs)));
            told.extend(watched.whole(&rooms, *from, total));
            watched.rooms = rooms.iter().map(|entry| entry.room).collect();
        }
        self.changed.clear();
        told
    }
}

impl Watched {
    /// For those who know the part as it was.
    fn changes(
        &self,
        rooms: &[&RoomEntry],
        changed: &BTreeSet<HallRoomId>,
        (total, total_differs): (u32, bool),
    ) -> Option<Told> {
        let knowing = self.by.difference(&self.fresh);
        let to: Vec<SessionId> = knowing.copied().collect();
        if to.is_empty() {
            return None;
        }
        let before: BTreeSet<HallRoomId> = self.rooms.iter().copied().collect();
        let is_news =
            |entry: &&&RoomEntry| !before.contains(&entry.room) || changed.contains(&entry.room);
        let news: Vec<RoomEntry> = rooms.iter().filter(is_news).copied().cloned().collect();
        let now: BTreeSet<HallRoomId> = rooms.iter().map(|entry| entry.room).collect();
        let gone: Vec<HallRoomId> = before.difference(&now).copied().collect();
        if news.is_empty() && gone.is_empty() && !total_differs {
            return None;
        }
        let message = ServerMessage::RoomsChanged {
            total,
            rooms: news,
            gone,
        };
        Some((Arc::new(Shared::new(vec![message])), to))
    }

    /// For those who do not.
    fn whole(&mut self, rooms: &[&RoomEntry], from: u32, total: u32) -> Option<Told> {
        let fresh = std::mem::take(&mut self.fresh);
        if fresh.is_empty() {
            return None;
        }
        let rooms = rooms.iter().copied().cloned().collect();
        let message = ServerMessage::Rooms { total, from, rooms };
        let frame = Arc::new(Shared::new(vec![message]));
        Some((frame, fresh.into_iter().collect()))
    }
}
