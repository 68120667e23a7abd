//! `[pure]` Null and wrong types in every field of every event: the hub answers or is silent, and
//! the socket lives.

use serde_json::{Map, Value, json};

use super::play;
use super::script::Got;
use crate::protocol::EventName;

/// Every key that any payload has.
const KEYS: [&str; 18] = [
    "channel",
    "name",
    "message",
    "players",
    "game",
    "from_name",
    "to_game",
    "to_name",
    "sent_at",
    "key",
    "title",
    "description",
    "points",
    "display",
    "partial_progress",
    "total_progress",
    "after",
    "status",
];

/// What a good payload has, for all events at once.
fn good() -> Map<String, Value> {
    let good = json!({
        "channel": "gossip",
        "name": "Ana",
        "message": "hi",
        "players": ["Ana"],
        "game": "GameB",
        "from_name": "Ana",
        "to_game": "GameB",
        "to_name": "Bo",
        "title": "x",
    });
    good.as_object().unwrap().clone()
}

#[test]
fn no_value_of_any_field_ends_a_socket() {
    let values = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1e300),
        json!(""),
        json!("\u{0}\u{1b}<"),
        json!("x".repeat(5_000)),
        json!([]),
        json!([null, 7, {}, []]),
        json!({}),
        json!({"a": [null]}),
    ];
    for event in EventName::ALL {
        let mut stage = play("A open\nB login players,tells,games gossip\nB plays Bo");
        let all = json!({
            "supports": ["channels", "players", "tells", "games", "achievements"],
            "channels": ["gossip"],
            "extensions": ["history", "receipts", "marks"],
        });
        stage.authenticate("A", &all);
        stage.frames("A");
        stage.frames("B");
        for key in KEYS {
            for value in &values {
                for reference in [json!("r"), json!(null), json!(7)] {
                    let mut payload = good();
                    payload.insert(key.to_owned(), value.clone());
                    let frame =
                        json!({"event": event.as_str(), "ref": reference, "payload": payload});
                    stage.send("A", &frame.to_string());
                    let what = format!("{} {key}: {value:.40}", event.as_str());
                    stage.pass(1, true);
                    while let Some(got) = stage.next("A") {
                        let Got::Frame(frame) = got else {
                            panic!("closed by {what}");
                        };
                        let known = frame.get("event").is_some() || frame["error"] == "unknown";
                        assert!(known, "{what}: {frame}");
                    }
                    stage.frames("B");
                }
            }
        }
    }
}

#[test]
fn no_payload_of_any_type_ends_a_socket() {
    for event in EventName::ALL {
        for payload in [
            "",
            r#","payload":null"#,
            r#","payload":7"#,
            r#","payload":[[]]"#,
        ] {
            for reference in ["", r#","ref":null"#, r#","ref":{"a":[1]}"#] {
                let mut stage = play("A login players,tells,games,achievements gossip");
                let text = format!(r#"{{"event":"{}"{reference}{payload}}}"#, event.as_str());
                stage.send("A", &text);
                for frame in stage.frames("A") {
                    assert!(
                        frame.get("event").is_some() || frame["error"] == "unknown",
                        "{text}"
                    );
                }
            }
        }
    }
}
