//! `[pure]` The checked world: what the area files say, complete and consistent, never changed.
//!
//! Everything in it is sorted by key, so an id is the position of a key: equal content gives equal
//! ids on every node. All references are resolved: an exit leads to a room that is there. A prose
//! text is paragraphs separated by one `\n`; lines are broken by whoever shows it. Nothing here
//! changes while the node runs, so one `Arc<World>` serves all.

use std::ops::Range;
use std::time::Duration;

use crate::ids::{ChannelId, Direction, MobId, PrototypeId, RoomId, ZoneId};
use crate::text::Style;

/// The world as the builders wrote it.
#[derive(Debug)]
pub struct World {
    pub(super) name: Box<str>,
    pub(super) greeting: Box<str>,
    pub(super) hash: Box<str>,
    pub(super) zones: Box<[Zone]>,
    pub(super) rooms: Box<[Room]>,
    pub(super) items: Box<[ItemPrototype]>,
    pub(super) mobs: Box<[Mob]>,
    pub(super) start_rooms: Box<[RoomId]>,
    pub(super) recall_rooms: Box<[RoomId]>,
    pub(super) channels: Box<[Channel]>,
}

/// Where players talk with each other, wherever they are.
#[derive(Debug)]
pub struct Channel {
    /// Its name: the word that players type.
    pub name: Box<str>,
    /// What it is for, in a line.
    pub about: Box<str>,
    /// How its lines look.
    pub color: Style,
    /// Its name on the network of games; `None`: it is heard here alone.
    pub remote: Option<Box<str>>,
    /// Whether newcomers are on it.
    pub default: bool,
}

/// A part of the world: its rooms and mobs are supervised together.
#[derive(Debug)]
pub struct Zone {
    /// Its key, as in `harbour`.
    pub key: Box<str>,
    /// Its name for players.
    pub name: Box<str>,
    pub(super) rooms: Range<u32>,
    pub(super) mobs: Range<u32>,
}

/// A room as it is before anybody enters.
#[derive(Debug)]
pub struct Room {
    /// Its full key, as in `harbour/pier`: what is stored on disk.
    pub key: Box<str>,
    /// The zone it belongs to.
    pub zone: ZoneId,
    /// Its name for players, without a full stop.
    pub name: Box<str>,
    /// What is to be seen: paragraphs.
    pub description: Box<str>,
    /// The ways out, in the order in which they are listed.
    pub exits: Box<[Exit]>,
    /// What can be looked at but is no item.
    pub things: Box<[Thing]>,
    /// The items that the room brings back when they are gone.
    pub resets: Box<[Reset]>,
}

/// One way out of a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// The way.
    pub direction: Direction,
    /// Where it leads.
    pub to: RoomId,
}

/// A feature of a room that can be looked at.
#[derive(Debug)]
pub struct Thing {
    /// The words it answers to, in lower case; the first one names it.
    pub keywords: Box<[Box<str>]>,
    /// What a close look shows: paragraphs.
    pub description: Box<str>,
}

/// A promise of a room: so many of this item are here after a reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reset {
    /// Which item.
    pub item: PrototypeId,
    /// How many, at least 1.
    pub count: u16,
}

/// What items of one kind have in common.
#[derive(Debug)]
pub struct ItemPrototype {
    /// Its full key, as in `harbour/lantern`: what is stored on disk.
    pub key: Box<str>,
    /// Its name in a sentence, with the article: `a brass lantern`.
    pub name: Box<str>,
    /// The words it answers to, in lower case.
    pub keywords: Box<[Box<str>]>,
    /// What a close look shows: paragraphs.
    pub description: Box<str>,
    /// The line with which it lies in a room: `A brass lantern stands here.`
    pub long: Box<str>,
    /// Whether it can be picked up.
    pub takeable: bool,
}

/// Somebody who lives in the world without a player.
#[derive(Debug)]
pub struct Mob {
    /// Its full key, as in `harbour/ferryman`.
    pub key: Box<str>,
    /// The zone it lives in and never leaves.
    pub zone: ZoneId,
    /// Its name in a sentence: `the ferryman`, `Old Brannoc`.
    pub name: Box<str>,
    /// The words it answers to, in lower case.
    pub keywords: Box<[Box<str>]>,
    /// What a close look shows: paragraphs.
    pub description: Box<str>,
    /// Where it starts, in its own zone.
    pub home: RoomId,
    /// Whether it walks about inside its zone.
    pub wander: bool,
    /// What it says, one line at a time; empty for a silent one.
    pub says: Box<[Box<str>]>,
    /// The shortest time between two deeds.
    pub every_min: Duration,
    /// The longest time between two deeds, not below `every_min`.
    pub every_max: Duration,
}

impl World {
    /// The name of the game.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is shown before login: lines separated by `\n`, as they were written.
    pub fn greeting(&self) -> &str {
        &self.greeting
    }

    /// The SHA-256 of all files, in hexadecimal: nodes with the same one agree on all ids.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// All rooms; the position is the id.
    pub fn rooms(&self) -> &[Room] {
        &self.rooms
    }

    /// All zones; the position is the id.
    pub fn zones(&self) -> &[Zone] {
        &self.zones
    }

    /// All item prototypes; the position is the id.
    pub fn items(&self) -> &[ItemPrototype] {
        &self.items
    }

    /// All mobs; the position is the id.
    pub fn mobs(&self) -> &[Mob] {
        &self.mobs
    }

    /// The room of this id.
    pub fn room(&self, id: RoomId) -> Option<&Room> {
        self.rooms.get(usize::try_from(id.0).ok()?)
    }

    /// The zone of this id.
    pub fn zone(&self, id: ZoneId) -> Option<&Zone> {
        self.zones.get(usize::from(id.0))
    }

    /// The item prototype of this id.
    pub fn item(&self, id: PrototypeId) -> Option<&ItemPrototype> {
        self.items.get(usize::try_from(id.0).ok()?)
    }

    /// The mob of this id.
    pub fn mob(&self, id: MobId) -> Option<&Mob> {
        self.mobs.get(usize::try_from(id.0).ok()?)
    }

    /// The id of the room with this full key.
    pub fn room_id(&self, key: &str) -> Option<RoomId> {
        position(&self.rooms, key, |room| &room.key).map(RoomId)
    }

    /// The id of the item prototype with this full key.
    pub fn item_id(&self, key: &str) -> Option<PrototypeId> {
        position(&self.items, key, |item| &item.key).map(PrototypeId)
    }

    /// The id of the mob with this full key.
    pub fn mob_id(&self, key: &str) -> Option<MobId> {
        position(&self.mobs, key, |mob| &mob.key).map(MobId)
    }

    /// The id of the zone with this key.
    pub fn zone_id(&self, key: &str) -> Option<ZoneId> {
        let index = position(&self.zones, key, |zone| &zone.key)?;
        u16::try_from(index).ok().map(ZoneId)
    }

    /// Where new characters and guests begin: never empty, the first one that is open counts.
    pub fn start_rooms(&self) -> &[RoomId] {
        &self.start_rooms
    }

    /// Where the occupants of a closed room go: never empty, the first one that is open counts.
    pub fn recall_rooms(&self) -> &[RoomId] {
        &self.recall_rooms
    }

    /// All channels in the order of their names; the position is the id.
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// The channel of this id.
    pub fn channel(&self, id: ChannelId) -> Option<&Channel> {
        self.channels.get(usize::from(id.0))
    }

    /// All channels with their ids.
    pub fn channels_by_id(&self) -> impl Iterator<Item = (ChannelId, &Channel)> {
        (0..).map(ChannelId).zip(&self.channels)
    }

    /// The channel of this name, or the only one whose name begins so.
    pub fn find_channel(&self, typed: &str) -> Option<ChannelId> {
        channel_named(&self.channels, typed)
    }
}

impl Zone {
    /// Its rooms, in order of their keys.
    pub fn rooms(&self) -> impl Iterator<Item = RoomId> + use<> {
        self.rooms.clone().map(RoomId)
    }

    /// The mobs that live in it, in order of their keys.
    pub fn mobs(&self) -> impl Iterator<Item = MobId> + use<> {
        self.mobs.clone().map(MobId)
    }
}

impl Room {
    /// Where this way leads, if there is an exit.
    pub fn exit(&self, direction: Direction) -> Option<RoomId> {
        self.exits
            .iter()
            .find(|exit| exit.direction == direction)
            .map(|exit| exit.to)
    }
}

/// The channel of this name, or the only one whose name begins so.
pub fn channel_named(channels: &[Channel], typed: &str) -> Option<ChannelId> {
    let begins = |channel: &&(ChannelId, &Channel)| {
        let start = channel.1.name.get(..typed.len());
        start.is_some_and(|start| !start.is_empty() && start.eq_ignore_ascii_case(typed))
    };
    let all: Vec<(ChannelId, &Channel)> = (0..).map(ChannelId).zip(channels).collect();
    let mut found = all.iter().filter(begins);
    let (first, more) = (found.next()?, found.next().is_some());
    if !more {
        return Some(first.0);
    }
    let whole = all
        .iter()
        .find(|(_, channel)| channel.name.eq_ignore_ascii_case(typed));
    whole.map(|(id, _)| *id)
}

fn position<T>(sorted: &[T], key: &str, key_of: impl Fn(&T) -> &str) -> Option<u32> {
    let index = sorted
        .binary_search_by(|entry| key_of(entry).cmp(key))
        .ok()?;
    u32::try_from(index).ok()
}
