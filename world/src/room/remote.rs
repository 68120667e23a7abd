//! `[pure]` What rooms say to askers on other nodes: of all events, those that rooms answer with.
//! The enums are appended to, never changed, for nodes of two versions meet in a rolling upgrade.

use crate::event::{Did, Event, Refusal, RoomSeen, Seen, Text};
use crate::ids::{Direction, RoomId};
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser};

#[derive(Serialize)]
enum Saying<'a> {
    RoomSeen(&'a RoomSeen),
    ThingSeen {
        name: &'a Text,
        description: &'a Text,
    },
    WaySeen(Direction, Option<RoomId>),
    ExitsListed(&'a [(Direction, RoomId)]),
    Did(&'a Did),
    Seen(&'a Seen),
    Refused(&'a Refusal),
}

#[derive(Deserialize)]
enum Said {
    RoomSeen(Box<RoomSeen>),
    ThingSeen { name: Text, description: Text },
    WaySeen(Direction, Option<RoomId>),
    ExitsListed(Vec<(Direction, RoomId)>),
    Did(Did),
    Seen(Seen),
    Refused(Refusal),
}

/// Writes an event that a room answers with.
///
/// # Errors
/// The event is none that rooms answer with (a **bug** of the room), or the writer's own.
pub(super) fn serialize<S: Serializer>(event: &Event, to: S) -> Result<S::Ok, S::Error> {
    let saying = match event {
        Event::RoomSeen(seen) => Saying::RoomSeen(seen),
        Event::ThingSeen { name, description } => Saying::ThingSeen { name, description },
        Event::WaySeen { way, room } => Saying::WaySeen(*way, *room),
        Event::ExitsListed(exits) => Saying::ExitsListed(exits),
        Event::Did(did) => Saying::Did(did),
        Event::Seen(seen) => Saying::Seen(seen),
        Event::Refused(why) => Saying::Refused(why),
        Event::Received(_)
        | Event::Talk(_)
        | Event::Bridge(_)
        | Event::Told(_)
        | Event::Login(_)
        | Event::System(_) => return Err(ser::Error::custom("no room says this")),
    };
    saying.serialize(to)
}

/// Reads an event that a room answers with.
///
/// # Errors
/// The reader's own.
pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Box<Event>, D::Error> {
    Ok(Box::new(match Said::deserialize(from)? {
        Said::RoomSeen(seen) => Event::RoomSeen(seen),
        Said::ThingSeen { name, description } => Event::ThingSeen { name, description },
        Said::WaySeen(way, room) => Event::WaySeen { way, room },
        Said::ExitsListed(exits) => Event::ExitsListed(exits),
        Said::Did(did) => Event::Did(did),
        Said::Seen(seen) => Event::Seen(seen),
        Said::Refused(why) => Event::Refused(why),
    }))
}
