//! `[pure]` All keys of the world in sorted order, and what a reference stands for.

use super::fields::shown;
use super::limits::{ITEMS_MAX, MOBS_MAX, ROOMS_MAX};
use super::log::{At, FaultLog, Located};
use super::raw::{RawItem, RawMob, RawZone};
use super::raw_room::RawRoom;
use super::text::REFERENCE;
use crate::ids::{PrototypeId, RoomId, ZoneId};

/// Something of a zone, under its full key.
#[derive(Debug)]
pub(super) struct Keyed<T> {
    pub(super) key: String,
    pub(super) zone: ZoneId,
    pub(super) at: At,
    pub(super) raw: T,
}

/// Everything that has a key, sorted by it: the position is the id.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub(super) zones: Vec<(Located<String>, String)>,
    pub(super) rooms: Vec<Keyed<RawRoom>>,
    pub(super) items: Vec<Keyed<RawItem>>,
    pub(super) mobs: Vec<Keyed<RawMob>>,
    doubt: Doubt,
}

/// What may be there although it was not read.
#[derive(Debug, Default)]
struct Doubt {
    broken_zones: Vec<String>,
    unknown_zones: bool,
}

impl Index {
    /// Sorts everything by its key; a key that is used twice is a fault, and so is too much.
    pub(super) fn build(mut raw: Vec<RawZone>, is_complete: bool, log: &mut FaultLog<'_>) -> Self {
        let mut index = Self::default();
        index.doubt.unknown_zones = !is_complete;
        raw.sort_by(|a, b| zone_order(a).cmp(&zone_order(b)));
        for zone in raw {
            index.add_zone(zone, log);
        }
        sort(&mut index.rooms, log, "room", ROOMS_MAX);
        sort(&mut index.items, log, "item", ITEMS_MAX);
        sort(&mut index.mobs, log, "mob", MOBS_MAX);
        index
    }

    fn add_zone(&mut self, raw: RawZone, log: &mut FaultLog<'_>) {
        let Some(key) = raw.key else {
            self.doubt.unknown_zones = true;
            return;
        };
        if raw.is_broken {
            self.doubt.broken_zones.push(key.value.clone());
        } else if raw.rooms.is_empty() {
            log.warning(key.at, format!("the zone \"{}\" has no rooms", key.value));
        }
        if let Some((other, _)) = self
            .zones
            .last()
            .filter(|(other, _)| other.value == key.value)
        {
            let other = log.place_text(other.at);
            log.error(
                key.at,
                format!("the zone \"{}\" is already at {other}", key.value),
            );
        }
        // The number of files is limited to less than this.
        let zone = ZoneId(u16::try_from(self.zones.len()).unwrap_or(u16::MAX));
        self.rooms
            .extend(keyed(&key.value, zone, raw.rooms, |raw| &raw.key));
        self.items
            .extend(keyed(&key.value, zone, raw.items, |raw| &raw.key));
        self.mobs
            .extend(keyed(&key.value, zone, raw.mobs, |raw| &raw.key));
        self.zones.push((key, raw.name));
    }

    /// The room that a text in this zone means; a fault when there is none.
    pub(super) fn room(
        &self,
        log: &mut FaultLog<'_>,
        zone: Option<ZoneId>,
        reference: &Located<String>,
    ) -> Option<RoomId> {
        self.find(log, ("room", &self.rooms), zone, reference)
            .map(RoomId)
    }

    /// The item that a text in this zone means; a fault when there is none.
    pub(super) fn item(
        &self,
        log: &mut FaultLog<'_>,
        zone: Option<ZoneId>,
        reference: &Located<String>,
    ) -> Option<PrototypeId> {
        self.find(log, ("item", &self.items), zone, reference)
            .map(PrototypeId)
    }

    fn find<T>(
        &self,
        log: &mut FaultLog<'_>,
        (what, sorted): (&str, &[Keyed<T>]),
        zone: Option<ZoneId>,
        reference: &Located<String>,
    ) -> Option<u32> {
        let Located { at, value: text } = reference;
        if REFERENCE.check(text).is_err() {
            return None; // It is a fault already.
        }
        let own = zone.and_then(|zone| self.zones.get(usize::from(zone.0)));
        let full = match (text.split_once('/'), own) {
            (Some(_), _) => text.clone(),
            (None, Some((own, _))) => format!("{}/{text}", own.value),
            (None, None) => {
                log.error(
                    *at,
                    format!("\"{text}\" needs its zone in front: \"zone/{what}\""),
                );
                return None;
            }
        };
        let found = sorted.binary_search_by(|keyed| keyed.key.as_str().cmp(&full));
        if let Ok(position) = found {
            return u32::try_from(position).ok();
        }
        let zone_key = full.split_once('/').map_or("", |(zone, _)| zone);
        let is_known = self.zones.iter().any(|(key, _)| key.value == zone_key);
        if self.doubt.covers(zone_key, is_known) {
            return None;
        }
        if is_known {
            let near = log.suggestion(&full, sorted.iter().map(|keyed| keyed.key.as_str()));
            log.error(
                *at,
                format!("there is no {what} \"{}\"{near}", shown(&full)),
            );
        } else {
            let near = log.suggestion(zone_key, self.zones.iter().map(|(key, _)| &*key.value));
            log.error(
                *at,
                format!("there is no zone \"{}\"{near}", shown(zone_key)),
            );
        }
        None
    }
}

impl Doubt {
    /// Whether a key of this zone may be in a part of the content that could not be read.
    fn covers(&self, zone: &str, is_known: bool) -> bool {
        self.broken_zones.iter().any(|broken| broken == zone) || (self.unknown_zones && !is_known)
    }
}

fn zone_order(zone: &RawZone) -> Option<(&str, At)> {
    zone.key.as_ref().map(|key| (key.value.as_str(), key.at))
}

/// Puts the zone before each key. What has none is left out; that is a fault already.
fn keyed<T>(
    zone: &str,
    id: ZoneId,
    list: Vec<T>,
    key_of: impl Fn(&T) -> &Located<String>,
) -> impl Iterator<Item = Keyed<T>> {
    list.into_iter().filter_map(move |raw| {
        let Located { at, value: key } = key_of(&raw);
        let (at, full) = (*at, format!("{zone}/{key}"));
        (!key.is_empty()).then(|| Keyed {
            key: full,
            zone: id,
            at,
            raw,
        })
    })
}

fn sort<T>(all: &mut [Keyed<T>], log: &mut FaultLog<'_>, what: &str, count_max: usize) {
    all.sort_by(|a, b| (&a.key, a.at).cmp(&(&b.key, b.at)));
    for pair in all.windows(2) {
        if let [first, second] = pair
            && first.key == second.key
        {
            let place = log.place_text(first.at);
            log.error(
                second.at,
                format!("the {what} \"{}\" is already at {place}", second.key),
            );
        }
    }
    if let Some(first_beyond) = all.get(count_max) {
        let count = all.len();
        let wrong = format!("the world has {count} {what}s; at most {count_max} are allowed");
        log.error(first_beyond.at, wrong);
    }
}
