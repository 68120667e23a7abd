//! `[pure]` For unit tests: a small world, read as content is read.

use crate::content::{SourceFile, World, load};
use crate::ids::{ItemId, PrototypeId, RoomId};
use std::sync::{Arc, LazyLock};

const WORLD: &str = r#"
name = "Two Rooms"
greeting = "Hello."
start_rooms = ["town/hall"]
recall_rooms = ["town/hall", "town/yard"]

[[channels]]
name = "chat"
about = "For everybody."
default = true

[[channels]]
name = "gossip"
about = "For other games."
color = "green"
remote = "gossip"
"#;

const TOWN: &str = r#"
[zone]
key = "town"
name = "Town"

[[room]]
key = "hall"
name = "The Hall"
description = "A plain hall."
exits = { north = "yard", up = "wild/edge" }
things = [{ keywords = ["hearth", "fire"], description = "It is cold." }]
items = [{ item = "lamp", count = 2 }]

[[room]]
key = "yard"
name = "The Yard"
description = "A plain yard."
exits = { south = "hall" }

[[item]]
key = "lamp"
name = "a brass lamp"
keywords = ["lamp"]
description = "It is lit."
long = "A brass lamp stands here."

[[item]]
key = "anvil"
name = "an anvil"
keywords = ["anvil"]
description = "It is heavy."
long = "An anvil stands here."
takeable = false

[[mob]]
key = "cat"
name = "Mog the cat"
keywords = ["mog"]
description = "It looks back."
room = "hall"
wander = true
says = ["Meow."]
every_s = [10, 20]
"#;

const WILD: &str = r#"
[zone]
key = "wild"
name = "The Wild"

[[room]]
key = "edge"
name = "The Edge"
description = "Grass."
exits = { down = "town/hall" }
"#;

/// The hall, with a hearth; two lamps belong there.
pub(crate) const HALL: RoomId = RoomId(0);

/// The yard, north of the hall.
pub(crate) const YARD: RoomId = RoomId(1);

/// The edge, up from the hall, in another zone.
pub(crate) const EDGE: RoomId = RoomId(2);

/// An anvil cannot be taken.
pub(crate) const ANVIL: PrototypeId = PrototypeId(0);

/// A lamp can.
pub(crate) const LAMP: PrototypeId = PrototypeId(1);

/// The lamp of this number.
pub(crate) fn lamp(id: i64) -> crate::being::Item {
    crate::being::Item {
        id: ItemId(id),
        prototype: LAMP,
    }
}

/// Two rooms of a town and one of the wild.
pub(crate) fn world() -> Arc<World> {
    static LOADED: LazyLock<Arc<World>> = LazyLock::new(|| Arc::new(build()));
    Arc::clone(&LOADED)
}

fn build() -> World {
    let files = [
        ("world.toml", WORLD),
        ("town.toml", TOWN),
        ("wild.toml", WILD),
    ];
    let files = files.map(|(name, text)| SourceFile {
        name: name.to_owned(),
        text: text.to_owned(),
    });
    let loaded = load(&files).unwrap_or_else(|faults| panic!("{faults}"));
    assert_eq!(loaded.world.room_id("town/yard"), Some(YARD));
    assert_eq!(loaded.world.item_id("town/anvil"), Some(ANVIL));
    loaded.world
}
