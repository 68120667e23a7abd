//! `[pure]` From an event to the text of a hub.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::event::{Chat, Event, Past, Tell, Welcome};
use super::event_name::EventName as Name;
use super::reference::Reference;

impl Event {
    /// As it stands on the wire: compact JSON.
    pub fn encode(&self) -> String {
        // Strings and numbers always have a JSON form.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The name of the event, where the frame has one.
    pub const fn name(&self) -> Option<Name> {
        match self {
            Self::Welcome(_) => Some(Name::Authenticate),
            Self::Beat => Some(Name::Heartbeat),
            Self::Restart { .. } => Some(Name::Restart),
            Self::Broadcast { .. } => Some(Name::ChannelsBroadcast),
            Self::Players { .. } => Some(Name::PlayersStatus),
            Self::Tell { .. } => Some(Name::TellsReceive),
            Self::Game { .. } => Some(Name::GamesStatus),
            Self::Achievements { .. } => Some(Name::AchievementsSync),
            Self::AchievementDeleted { .. } => Some(Name::AchievementsDelete),
            Self::History { .. } => Some(Name::ChannelsHistory),
            Self::ChannelReceipt { .. } => Some(Name::ChannelsReceipt),
            Self::TellReceipt { .. } => Some(Name::TellsReceipt),
            Self::Sign { event, .. }
            | Self::Presence { event, .. }
            | Self::Achievement { event, .. }
            | Self::AchievementFailed { event, .. }
            | Self::Ack { event, .. }
            | Self::StatusEnd { event, .. } => Some(*event),
            Self::Failure { event, .. } => *event,
        }
    }

    const fn reference(&self) -> Option<&Reference> {
        match self {
            Self::Welcome(_) | Self::Beat => None,
            Self::Restart { reference, .. }
            | Self::Broadcast { reference, .. }
            | Self::Sign { reference, .. }
            | Self::Players { reference, .. }
            | Self::Tell { reference, .. }
            | Self::Game { reference, .. }
            | Self::Presence { reference, .. }
            | Self::Achievements { reference, .. }
            | Self::Achievement { reference, .. }
            | Self::AchievementDeleted { reference, .. }
            | Self::AchievementFailed { reference, .. }
            | Self::Ack { reference, .. }
            | Self::Failure { reference, .. }
            | Self::StatusEnd { reference, .. }
            | Self::History { reference, .. }
            | Self::ChannelReceipt { reference, .. }
            | Self::TellReceipt { reference, .. } => reference.as_ref(),
        }
    }

    const fn status(&self) -> Option<&'static str> {
        match self {
            Self::Welcome(_)
            | Self::Game { .. }
            | Self::Achievement { .. }
            | Self::AchievementDeleted { .. }
            | Self::Ack { .. } => Some("success"),
            Self::AchievementFailed { .. } | Self::Failure { .. } => Some("failure"),
            Self::Beat
            | Self::Restart { .. }
            | Self::Broadcast { .. }
            | Self::Sign { .. }
            | Self::Players { .. }
            | Self::Tell { .. }
            | Self::Presence { .. }
            | Self::Achievements { .. }
            | Self::StatusEnd { .. }
            | Self::History { .. }
            | Self::ChannelReceipt { .. }
            | Self::TellReceipt { .. } => None,
        }
    }

    fn write_payload<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        match self {
            Self::Beat | Self::Ack { .. } => Ok(()),
            Self::Failure { error, .. } => map.serialize_entry("error", error),
            Self::Welcome(welcome) => payload(map, welcome),
            Self::Restart { downtime_s, .. } => payload(map, One("downtime", downtime_s)),
            Self::Broadcast { chat, .. } => payload(map, Whole(chat)),
            Self::Sign { game, name, .. } => payload(map, Two(("game", game), ("name", name))),
            Self::Players { game, players, .. } => {
                payload(map, Two(("game", game), ("players", players)))
            }
            Self::Tell { tell, .. } => payload(map, tell),
            Self::Game { status, .. } => payload(map, status),
            Self::Presence { game, .. } => payload(map, One("game", game)),
            Self::Achievements {
                total,
                achievements,
                ..
            } => payload(map, Two(("total", total), ("achievements", achievements))),
            Self::Achievement { achievement, .. } => payload(map, achievement),
            Self::AchievementDeleted { key, .. } => payload(map, One("key", key)),
            Self::AchievementFailed { errors, .. } => payload(map, One("errors", errors)),
            Self::StatusEnd { games, .. } | Self::ChannelReceipt { games, .. } => {
                payload(map, One("games", games))
            }
            Self::History { past, .. } => payload(map, past),
            Self::TellReceipt { status, .. } => payload(map, One("status", status)),
        }
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        entry(&mut map, "event", self.name().map(Name::as_str))?;
        entry(&mut map, "ref", self.reference())?;
        entry(&mut map, "status", self.status())?;
        self.write_payload(&mut map)?;
        map.end()
    }
}

fn payload<M: SerializeMap>(map: &mut M, payload: impl Serialize) -> Result<(), M::Error> {
    map.serialize_entry("payload", &payload)
}

/// Writes the entry if there is a value.
fn entry<M: SerializeMap>(
    map: &mut M,
    key: &'static str,
    value: Option<impl Serialize>,
) -> Result<(), M::Error> {
    match value {
        Some(value) => map.serialize_entry(key, &value),
        None => Ok(()),
    }
}

/// A payload of one field.
struct One<A>(&'static str, A);

impl<A: Serialize> Serialize for One<A> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.0, &self.1)?;
        map.end()
    }
}

/// A payload of two fields.
struct Two<A, B>((&'static str, A), (&'static str, B));

impl<A: Serialize, B: Serialize> Serialize for Two<A, B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry(self.0.0, &self.0.1)?;
        map.serialize_entry(self.1.0, &self.1.1)?;
        map.end()
    }
}

impl Serialize for Welcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let some = |list: &'_ [String]| (!list.is_empty()).then(|| list.to_vec());
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("unicode", &self.unicode)?;
        map.serialize_entry("version", &self.version)?;
        entry(&mut map, "rejected_channels", some(&self.rejected_channels))?;
        entry(&mut map, "extensions", some(&self.extensions))?;
        map.end()
    }
}

/// A message with its channel; in a history, the channel stands outside.
struct Whole<'a>(&'a Chat);

impl Serialize for Whole<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("channel", &self.0.channel)?;
        self.0.entries(&mut map)?;
        map.end()
    }
}

impl Chat {
    fn entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("game", &self.game)?;
        map.serialize_entry("name", &self.name)?;
        map.serialize_entry("message", &self.message)?;
        entry(map, "seq", self.seq)?;
        entry(map, "sent_at", self.sent_at.as_ref())
    }
}

impl Serialize for Chat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.entries(&mut map)?;
        map.end()
    }
}

impl Serialize for Past {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("channel", &self.channel)?;
        map.serialize_entry("missed", &self.missed)?;
        map.serialize_entry("messages", &self.messages)?;
        map.end()
    }
}

impl Serialize for Tell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(5))?;
        map.serialize_entry("from_game", &self.from_game)?;
        map.serialize_entry("from_name", &self.from_name)?;
        map.serialize_entry("to_name", &self.to_name)?;
        map.serialize_entry("sent_at", &self.sent_at)?;
        map.serialize_entry("message", &self.message)?;
        map.end()
    }
}
