//! `[pure]` From the text of a hub to an event.

use serde_json::{Map, Value};

use super::achievement::Achievement;
use super::envelope::Envelope;
use super::event::{Chat, Event, Past, Tell, Welcome};
use super::event_name::EventName;
use super::field::{Field, message, string, strings_among};
use super::game_status::GameStatus;
use super::reference::Reference;
use crate::limits::LIST_MAX;

type Payload = Map<String, Value>;

/// A frame of a hub, as far as it can be used.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// An event.
    Event(Box<Event>),
    /// Nothing of use.
    Ignored(Ignored),
}

/// Why a frame is of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// No JSON object.
    Garbage,
    /// An event that is not known.
    Unknown,
    /// A known event without what it has to carry.
    Incomplete,
}

impl Heard {
    /// Reads one text frame.
    pub fn of(text: &str) -> Self {
        let Ok(envelope) = Envelope::of(text) else {
            return Self::Ignored(Ignored::Garbage);
        };
        let payload = envelope.payload();
        let Envelope {
            event,
            reference,
            status,
            error,
            ..
        } = envelope;
        let name = event.as_deref().and_then(EventName::of);
        if status.as_deref() == Some("failure") {
            return failure(name, reference, error);
        }
        let Some(name) = name else {
            return Self::Ignored(Ignored::Unknown);
        };
        let answered = status.as_deref() == Some("success");
        let event = match payload {
            None if name == EventName::Heartbeat => Some(Event::Beat),
            None if name == EventName::Restart => restart(reference, Map::new()),
            None if name == EventName::Authenticate && answered => {
                Some(Event::Welcome(Welcome::default()))
            }
            None if answered => Some(Event::Ack {
                event: name,
                reference,
            }),
            None => None,
            Some(payload) => with_payload(name, reference, payload),
        };
        match event {
            Some(event) => Self::Event(Box::new(event)),
            None => Self::Ignored(Ignored::Incomplete),
        }
    }
}

fn failure(event: Option<EventName>, reference: Option<Reference>, error: Option<String>) -> Heard {
    let error = error.unwrap_or_default();
    Heard::Event(Box::new(Event::Failure {
        event,
        reference,
        error,
    }))
}

fn with_payload(
    event: EventName,
    reference: Option<Reference>,
    mut payload: Payload,
) -> Option<Event> {
    let event = match event {
        EventName::Authenticate => Event::Welcome(welcome(payload)),
        EventName::Heartbeat => Event::Beat,
        EventName::Restart => return restart(reference, payload),
        EventName::ChannelsBroadcast => Event::Broadcast {
            reference,
            chat: chat(&mut payload)?,
        },
        EventName::PlayersSignIn | EventName::PlayersSignOut => Event::Sign {
            event,
            reference,
            game: take(&mut payload, "game")?,
            name: take(&mut payload, "name")?,
        },
        EventName::PlayersStatus => Event::Players {
            reference,
            game: take(&mut payload, "game")?,
            players: list(&mut payload, "players"),
        },
        EventName::TellsReceive => Event::Tell {
            reference,
            tell: tell(&mut payload)?,
        },
        EventName::GamesStatus => Event::Game {
            reference,
            status: Box::new(GameStatus::of(payload)?),
        },
        EventName::GamesConnect | EventName::GamesDisconnect => Event::Presence {
            event,
            reference,
            game: take(&mut payload, "game")?,
        },
        EventName::AchievementsSync => achievements(reference, payload)?,
        EventName::AchievementsCreate | EventName::AchievementsUpdate => Event::Achievement {
            event,
            reference,
            achievement: serde_json::from_value(Value::Object(payload)).ok()?,
        },
        EventName::AchievementsDelete => Event::AchievementDeleted {
            reference,
            key: take(&mut payload, "key")?,
        },
        EventName::PlayersStatusEnd | EventName::GamesStatusEnd => Event::StatusEnd {
            event,
            reference,
            games: count(&payload, "games"),
        },
        EventName::ChannelsHistory => Event::History {
            reference,
            past: past(payload)?,
        },
        EventName::ChannelsReceipt => Event::ChannelReceipt {
            reference,
            games: count(&payload, "games"),
        },
        EventName::TellsReceipt => Event::TellReceipt {
            reference,
            status: take(&mut payload, "status")?,
        },
        EventName::ChannelsSubscribe
        | EventName::ChannelsUnsubscribe
        | EventName::ChannelsSend
        | EventName::TellsSend => Event::Ack { event, reference },
    };
    Some(event)
}

fn welcome(mut payload: Payload) -> Welcome {
    Welcome {
        unicode: take(&mut payload, "unicode").unwrap_or_default(),
        version: take(&mut payload, "version").unwrap_or_default(),
        rejected_channels: list(&mut payload, "rejected_channels"),
        extensions: list(&mut payload, "extensions"),
    }
}

/// A downtime that is no whole number, or less than nothing, is 0.
fn restart(reference: Option<Reference>, payload: Payload) -> Option<Event> {
    let downtime_s = payload.get("downtime").and_then(Value::as_u64);
    Some(Event::Restart {
        reference,
        downtime_s: downtime_s.unwrap_or(0),
    })
}

fn chat(payload: &mut Payload) -> Option<Chat> {
    Some(Chat {
        channel: take(payload, "channel")?,
        ..said(payload)?
    })
}

fn said(payload: &mut Payload) -> Option<Chat> {
    Some(Chat {
        channel: String::new(),
        game: take(payload, "game")?,
        name: take(payload, "name")?,
        message: Field::take(payload, "message", message).value()?,
        seq: payload.get("seq").and_then(Value::as_u64),
        sent_at: take(payload, "sent_at"),
    })
}

fn tell(payload: &mut Payload) -> Option<Tell> {
    Some(Tell {
        from_game: take(payload, "from_game")?,
        from_name: take(payload, "from_name")?,
        to_name: take(payload, "to_name")?,
        sent_at: take(payload, "sent_at").unwrap_or_default(),
        message: Field::take(payload, "message", message).value()?,
    })
}

fn past(mut payload: Payload) -> Option<Past> {
    let channel = take(&mut payload, "channel")?;
    let messages = match payload.remove("messages") {
        Some(Value::Array(messages)) => messages,
        _ => Vec::new(),
    };
    let messages = messages.into_iter().take(LIST_MAX);
    let messages = messages.filter_map(|entry| match entry {
        Value::Object(mut entry) => said(&mut entry),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            None
        }
    });
    Some(Past {
        missed: payload.get("missed").and_then(Value::as_u64).unwrap_or(0),
        messages: messages
            .map(|chat| Chat {
                channel: channel.clone(),
                ..chat
            })
            .collect(),
        channel,
    })
}

fn achievements(reference: Option<Reference>, mut payload: Payload) -> Option<Event> {
    let total = count(&payload, "total");
    let list = payload.remove("achievements")?;
    let achievements = serde_json::from_value::<Vec<Achievement>>(list).ok()?;
    Some(Event::Achievements {
        reference,
        total,
        achievements,
    })
}

fn take(payload: &mut Payload, key: &str) -> Option<String> {
    Field::take(payload, key, string).value()
}

fn list(payload: &mut Payload, key: &str) -> Vec<String> {
    let list = Field::take(payload, key, strings_among);
    list.value().unwrap_or_default()
}

fn count(payload: &Payload, key: &str) -> usize {
    let count = payload.get(key).and_then(Value::as_u64).unwrap_or(0);
    usize::try_from(count).unwrap_or(usize::MAX)
}
