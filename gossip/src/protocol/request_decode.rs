//! `[pure]` From the text of a game to a request.

use serde_json::{Map, Value};

use super::envelope::{Envelope, NoEnvelope};
use super::event_name::EventName;
use super::field::{Field, message, string, strings, strings_among};
use super::flag::Extension;
use super::request::{
    AchievementFields, Authenticate, Body, Decoded, HistoryAsked, Named, OneGame, Request, Said,
    TellReceipt, TellSent,
};

type Payload = Map<String, Value>;

impl Decoded {
    /// Reads one text frame.
    pub fn of(text: &str) -> Self {
        let envelope = match Envelope::of(text) {
            Ok(envelope) => envelope,
            Err(NoEnvelope::NotJson) => return Self::NotJson,
            Err(NoEnvelope::NotAnObject) => return Self::NotAnObject,
        };
        let event = envelope.event.as_deref().and_then(EventName::of);
        let Some(body) = event.and_then(|event| body(event, envelope.payload())) else {
            return Self::Unknown;
        };
        Self::Request(Request {
            reference: envelope.reference,
            body,
        })
    }
}

/// `None` for an event that only hubs send.
fn body(event: EventName, payload: Option<Payload>) -> Option<Body> {
    let body = match event {
        EventName::Authenticate => Body::Authenticate(payload.map(authenticate).map(Box::new)),
        EventName::Heartbeat => Body::Heartbeat(payload.map(players).unwrap_or_default()),
        EventName::ChannelsSubscribe => Body::Subscribe(named(payload, "channel")),
        EventName::ChannelsUnsubscribe => Body::Unsubscribe(named(payload, "channel")),
        EventName::ChannelsSend => Body::Send(payload.map(said)),
        EventName::PlayersSignIn => Body::SignIn(named(payload, "name")),
        EventName::PlayersSignOut => Body::SignOut(named(payload, "name")),
        EventName::PlayersStatus => Body::PlayersStatus(one_game(payload)),
        EventName::TellsSend => Body::Tell(payload.map(tell).map(Box::new)),
        EventName::GamesStatus => Body::GamesStatus(one_game(payload)),
        EventName::AchievementsSync => Body::AchievementsSync,
        EventName::AchievementsCreate => Body::AchievementsCreate(achievement(payload)),
        EventName::AchievementsUpdate => Body::AchievementsUpdate(achievement(payload)),
        EventName::AchievementsDelete => Body::AchievementsDelete(named(payload, "key")),
        EventName::ChannelsHistory => Body::History(payload.map(history)),
        EventName::TellsReceipt => Body::TellReceipt(payload.map(receipt)),
        EventName::Restart
        | EventName::ChannelsBroadcast
        | EventName::TellsReceive
        | EventName::GamesConnect
        | EventName::GamesDisconnect
        | EventName::ChannelsReceipt
        | EventName::PlayersStatusEnd
        | EventName::GamesStatusEnd => return None,
    };
    Some(body)
}

fn authenticate(mut payload: Payload) -> Authenticate {
    let mut list = |key| Field::take(&mut payload, key, strings_among);
    let channels = list("channels").value().unwrap_or_default();
    let players = list("players").value().unwrap_or_default();
    let extensions = list("extensions").value().unwrap_or_default();
    Authenticate {
        client_id: Field::take(&mut payload, "client_id", string),
        client_secret: Field::take(&mut payload, "client_secret", string),
        supports: Field::take(&mut payload, "supports", strings),
        channels,
        user_agent: Field::take(&mut payload, "user_agent", string),
        version: Field::take(&mut payload, "version", string),
        players: without_empty(players),
        debug: payload.get("debug") == Some(&Value::Bool(true)),
        extensions: extensions
            .iter()
            .filter_map(|name| Extension::of(name))
            .collect(),
    }
}

fn players(mut payload: Payload) -> Vec<String> {
    let players = Field::take(&mut payload, "players", strings_among);
    without_empty(players.value().unwrap_or_default())
}

fn without_empty(mut names: Vec<String>) -> Vec<String> {
    names.retain(|name| !name.is_empty());
    names
}

fn named(payload: Option<Payload>, key: &str) -> Option<Named> {
    payload.map(|mut payload| Named(Field::take(&mut payload, key, string)))
}

fn said(mut payload: Payload) -> Said {
    Said {
        channel: Field::take(&mut payload, "channel", string),
        name: Field::take(&mut payload, "name", string),
        message: Field::take(&mut payload, "message", message),
    }
}

fn one_game(payload: Option<Payload>) -> OneGame {
    match payload {
        Some(mut payload) if payload.contains_key("game") => {
            OneGame::Game(Field::take(&mut payload, "game", string))
        }
        Some(_) | None => OneGame::All,
    }
}

fn tell(mut payload: Payload) -> TellSent {
    TellSent {
        from_name: Field::take(&mut payload, "from_name", string),
        to_game: Field::take(&mut payload, "to_game", string),
        to_name: Field::take(&mut payload, "to_name", string),
        sent_at: Field::take(&mut payload, "sent_at", string),
        message: Field::take(&mut payload, "message", message),
        has_others: !payload.is_empty(),
    }
}

fn achievement(payload: Option<Payload>) -> Option<Box<AchievementFields>> {
    payload.map(AchievementFields).map(Box::new)
}

fn history(mut payload: Payload) -> HistoryAsked {
    let mut number = |key| Field::take(&mut payload, key, |value| value.as_u64()).value();
    let (after, limit) = (number("after"), number("limit"));
    HistoryAsked {
        channel: Field::take(&mut payload, "channel", string),
        after,
        limit,
    }
}

fn receipt(mut payload: Payload) -> TellReceipt {
    TellReceipt {
        tell: Field::take(&mut payload, "tell", string),
        status: Field::take(&mut payload, "status", string),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{FRAME_IN_BYTES_MAX, MESSAGE_BYTES_MAX};
    use crate::protocol::Extensions;

    fn body_of(text: &str) -> Body {
        let Decoded::Request(request) = Decoded::of(text) else {
            panic!("no request: {text}");
        };
        request.body
    }

    fn is(text: &str) -> Field<String> {
        Field::Is(text.to_owned())
    }

    #[test]
    fn what_is_no_request_is_told_apart() {
        let long = format!("{{\"event\":\"{}\"}}", "x".repeat(FRAME_IN_BYTES_MAX));
        let table = [
            ("nonsense", Decoded::NotJson),
            ("{\"event\":\"heartbeat\"", Decoded::NotJson),
            (long.as_str(), Decoded::NotJson),
            ("[]", Decoded::NotAnObject),
            ("\"heartbeat\"", Decoded::NotAnObject),
            ("{}", Decoded::Unknown),
            ("{\"event\":null}", Decoded::Unknown),
            ("{\"event\":7}", Decoded::Unknown),
            ("{\"event\":\"channels/broadcast\"}", Decoded::Unknown),
            ("{\"event\":\"moo\",\"ref\":1}", Decoded::Unknown),
        ];
        for (text, expected) in table {
            assert_eq!(Decoded::of(text), expected, "{text:.60}");
        }
    }

    #[test]
    fn a_beat_without_players_is_nobody() {
        let table = [
            (r#"{"event":"heartbeat"}"#, vec![]),
            (r#"{"event":"heartbeat","payload":null}"#, vec![]),
            (r#"{"event":"heartbeat","payload":[1]}"#, vec![]),
            (
                r#"{"event":"heartbeat","payload":{"players":null}}"#,
                vec![],
            ),
            (
                r#"{"event":"heartbeat","payload":{"players":"Ann"}}"#,
                vec![],
            ),
            (
                "{ \"event\" : \"heartbeat\",\n \"payload\": \
                 {\"players\": [\"Ann\", \"\", 7, \"B C@D\"]}}",
                vec!["Ann".to_owned(), "B C@D".to_owned()],
            ),
        ];
        for (text, expected) in table {
            assert_eq!(body_of(text), Body::Heartbeat(expected), "{text}");
        }
    }

    #[test]
    fn missing_null_and_wrong_fields_are_told_apart() {
        let field = |payload: &str| {
            let text = format!(r#"{{"event":"channels/subscribe"{payload}}}"#);
            let Body::Subscribe(named) = body_of(&text) else {
                panic!("not read: {text}");
            };
            named.map(|named| named.0)
        };
        assert_eq!(field(""), None);
        assert_eq!(field(r#","payload":"x""#), None);
        assert_eq!(field(r#","payload":{}"#), Some(Field::Missing));
        assert_eq!(field(r#","payload":{"channel":null}"#), Some(Field::Null));
        assert_eq!(field(r#","payload":{"channel":{}}"#), Some(Field::Wrong));
        assert_eq!(
            field(r#","payload":{"channel":"x y","z":1}"#),
            Some(is("x y"))
        );
    }

    #[test]
    fn authenticate_is_read_leniently_where_nothing_hangs_on_it() {
        let text = r#"{"event":"authenticate","payload":{"client_id":"i","client_secret":"s",
            "supports":["channels",7],"channels":null,"version":1,"debug":true,"players":["A",""],
            "extensions":["marks","moo"]}}"#;
        let Body::Authenticate(Some(asked)) = body_of(text) else {
            panic!("not read");
        };
        assert_eq!(asked.client_id, is("i"));
        assert_eq!(asked.client_secret, is("s"));
        assert_eq!(asked.supports, Field::Wrong);
        assert_eq!(asked.channels, Vec::<String>::new());
        assert_eq!(asked.version, Field::Wrong);
        assert_eq!(asked.user_agent, Field::Missing);
        assert!(asked.debug);
        assert_eq!(asked.players, ["A"]);
        assert_eq!(asked.extensions, Extensions::NONE.with(Extension::Marks));
        assert!(!format!("{asked:?}").contains("\"s\""), "the secret prints");
    }

    #[test]
    fn a_long_message_is_cut_at_a_character() {
        let words = "\u{e9}".repeat(MESSAGE_BYTES_MAX);
        let text = format!(r#"{{"event":"channels/send","payload":{{"message":"{words}"}}}}"#);
        let Body::Send(Some(said)) = body_of(&text) else {
            panic!("not read");
        };
        assert_eq!(said.message.value().unwrap().len(), MESSAGE_BYTES_MAX);
        assert_eq!(said.channel, Field::Missing);
    }

    #[test]
    fn tells_say_when_there_are_other_keys() {
        let read = |payload: &str| {
            let text = format!(r#"{{"event":"tells/send","ref":null,"payload":{payload}}}"#);
            let Body::Tell(Some(tell)) = body_of(&text) else {
                panic!("not read: {text}");
            };
            tell
        };
        let tell = read(r#"{"from_name":"a","to_game":"g","to_name":5,"message":"m"}"#);
        assert_eq!(tell.sent_at, Field::Missing);
        assert_eq!(tell.to_name, Field::Wrong);
        assert!(!tell.has_others);
        assert!(read(r#"{"from":"a"}"#).has_others);
    }

    #[test]
    fn a_status_is_of_all_or_of_one() {
        let read = |rest: &str| body_of(&format!(r#"{{"event":"players/status"{rest}}}"#));
        assert_eq!(read(""), Body::PlayersStatus(OneGame::All));
        assert_eq!(read(r#","payload":{}"#), Body::PlayersStatus(OneGame::All));
        let one = |field| Body::PlayersStatus(OneGame::Game(field));
        assert_eq!(read(r#","payload":{"game":"G"}"#), one(is("G")));
        assert_eq!(read(r#","payload":{"game":null}"#), one(Field::Null));
    }
}
