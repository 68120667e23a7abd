//! `[pure]` For the tests of the view: a small world, viewer classes, and the checks they share.

use crate::content::{SourceFile, World, load};
use crate::event::{Event, PersonSeen, RoomSeen, Text};
use crate::ids::RoomId;
use crate::text::{Charset, Depth, ViewerClass};
use crate::view::render;
use std::sync::{Arc, LazyLock};

/// No colour, ASCII.
pub(in crate::view) const PLAIN: ViewerClass = ViewerClass {
    depth: Depth::None,
    charset: Charset::Ascii,
    screen_reader: false,
};

/// As [`PLAIN`], with a screen reader.
pub(in crate::view) const ALOUD: ViewerClass = ViewerClass {
    screen_reader: true,
    ..PLAIN
};

/// What a client gets that says nothing of itself, but for the screen reader.
pub(in crate::view) const COLORED: ViewerClass = ViewerClass {
    depth: Depth::Ansi16,
    charset: Charset::Utf8,
    screen_reader: false,
};

/// More classes than are kept.
pub(in crate::view) fn classes() -> Vec<ViewerClass> {
    let mut classes = Vec::new();
    for depth in [Depth::None, Depth::Ansi16, Depth::True] {
        for charset in [Charset::Ascii, Charset::Latin1, Charset::Utf8] {
            for screen_reader in [false, true] {
                classes.push(ViewerClass {
                    depth,
                    charset,
                    screen_reader,
                });
            }
        }
    }
    classes
}

/// Three rooms; ids go by key: 0 the inn, 1 the square, 2 the void without exits.
pub(in crate::view) fn world() -> Arc<World> {
    static WORLD: LazyLock<Arc<World>> = LazyLock::new(|| Arc::new(build()));
    Arc::clone(&WORLD)
}

fn build() -> World {
    let files = [
        ("world.toml", include_str!("world.toml")),
        ("town.toml", include_str!("town.toml")),
    ];
    let files = files.map(|(name, text)| SourceFile {
        name: name.to_owned(),
        text: text.to_owned(),
    });
    load(&files).map(|loaded| loaded.world).unwrap()
}

pub(in crate::view) const INN: RoomId = RoomId(0);

pub(in crate::view) const SQUARE: RoomId = RoomId(1);

pub(in crate::view) const VOID: RoomId = RoomId(2);

fn shown(event: &Event, viewer: ViewerClass) -> String {
    let mut out = Vec::new();
    render(event, viewer, &world(), &mut out);
    String::from_utf8(out).unwrap()
}

/// Lines end in CR LF; in the tables a line end is `\n`.
pub(in crate::view) fn check(event: Event, viewer: ViewerClass, expected: &str) {
    assert_eq!(
        shown(&event, viewer),
        expected.replace('\n', "\r\n"),
        "{event:?}"
    );
}

/// The same text for the eye and for the ear.
pub(in crate::view) fn check_all<E>(table: Vec<(E, &str)>, wrap: fn(E) -> Event)
where
    E: Clone,
{
    for (event, expected) in table {
        check(wrap(event.clone()), PLAIN, expected);
        check(wrap(event), ALOUD, expected);
    }
}

pub(in crate::view) fn t(text: &str) -> Text {
    text.into()
}

pub(in crate::view) fn person(name: &str) -> PersonSeen {
    PersonSeen {
        name: t(name),
        away: false,
        linkdead: false,
    }
}

pub(in crate::view) fn empty(room: RoomId) -> RoomSeen {
    RoomSeen {
        room,
        people: vec![],
        people_more: 0,
        mobs: vec![],
        items: vec![],
    }
}
