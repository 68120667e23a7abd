//! `[pure]` The rooms as the hall knows them: which have seats, and which are empty.

use crate::event::Text;
use crate::lobby::ids::HallRoomId;
use crate::lobby::protocol::{Access, RoomEntry};
use std::collections::{BTreeMap, BTreeSet};

/// One room.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// What it said last.
    pub(super) entry: RoomEntry,
    /// Its number among the Headquarters; the first never closes.
    pub(super) headquarters: Option<u32>,
    pub(super) owner: Option<Text>,
    /// Who was sent there since it said how it is.
    pub(super) sent: u16,
    /// It was asked to close, and has not said whether it does.
    pub(super) is_closing: bool,
}

impl Place {
    pub(super) fn has_seat(&self) -> bool {
        let expected = self.entry.players.saturating_add(self.sent);
        !self.is_closing && expected < self.entry.seats
    }

    fn takes_anybody(&self) -> bool {
        self.has_seat() && self.entry.access == Access::Open
    }

    fn may_close(&self) -> bool {
        let is_empty = self.entry.players == 0 && self.sent == 0;
        is_empty && !self.is_closing && self.headquarters != Some(1)
    }

    /// Headquarters first, in their order.
    fn rank(&self) -> u32 {
        self.headquarters.unwrap_or(u32::MAX)
    }
}

/// All rooms.
#[derive(Debug, Default)]
pub(super) struct Places {
    all: BTreeMap<HallRoomId, Place>,
    /// Those that take anybody now, the best first.
    open: BTreeSet<(u32, HallRoomId)>,
    /// Those that are empty, and may close.
    empty: BTreeSet<HallRoomId>,
}

impl Places {
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn get(&self, room: HallRoomId) -> Option<&Place> {
        self.all.get(&room)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Place> {
        self.all.values()
    }

    /// The best room that takes anybody.
    pub(super) fn best(&self) -> Option<HallRoomId> {
        self.open.first().map(|(_, room)| *room)
    }

    /// Whether another room than this one takes anybody.
    fn another_takes_anybody(&self, room: HallRoomId) -> bool {
        self.open.iter().any(|(_, other)| *other != room)
    }

    /// A room that is empty and not needed: not open to all, or not the only one with seats.
    pub(super) fn needless(&self) -> Option<HallRoomId> {
        // The newest first, so that the older Headquarters stay.
        self.empty.iter().rev().copied().find(|room| {
            let open = self
                .get(*room)
                .is_some_and(|place| place.entry.access == Access::Open);
            !open || self.another_takes_anybody(*room)
        })
    }

    /// The lowest number that no Headquarters have.
    pub(super) fn headquarters_free(&self) -> u32 {
        let used: BTreeSet<u32> = self.iter().filter_map(|place| place.headquarters).collect();
        (1..).find(|number| !used.contains(number)).unwrap_or(1)
    }

    pub(super) fn insert(&mut self, place: Place) {
        let room = place.entry.room;
        self.remove(room);
        self.all.insert(room, place);
        self.change(room, |_| {});
    }

    pub(super) fn remove(&mut self, room: HallRoomId) -> Option<Place> {
        let place = self.all.remove(&room)?;
        self.open.remove(&(place.rank(), room));
        self.empty.remove(&room);
        Some(place)
    }

    /// Changes a room, if it is there.
    pub(super) fn change(&mut self, room: HallRoomId, change: impl FnOnce(&mut Place)) {
        let Some(place) = self.all.get_mut(&room) else {
            return;
        };
        change(place);
        let key = (place.rank(), room);
        if place.takes_anybody() {
            self.open.insert(key);
        } else {
            self.open.remove(&key);
        }
        if place.may_close() {
            self.empty.insert(room);
        } else {
            self.empty.remove(&room);
        }
    }
}
