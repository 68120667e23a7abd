//! `[pure]` Who is let in, and what they hear first.

use serde_json::{Value, json};

use super::{play, play_with};
use crate::hub::core::{Replies, Rules};

#[test]
fn the_welcome_comes_first_then_the_beat_and_names_that_are_no_channels_are_in_it() {
    let mut stage = play("A open");
    let wish =
        json!({"channels": ["x y", "gossip", "gossip", "all"], "extensions": ["marks", "x"]});
    stage.authenticate("A", &wish);
    let frames = stage.frames("A");
    let welcome = json!({
        "event": "authenticate",
        "status": "success",
        "payload": {
            "unicode": "\u{2714}\u{fe0f}",
            "version": "2.3.0",
            "rejected_channels": ["x y", "all"],
            "extensions": ["marks"],
        },
    });
    assert_eq!(frames, [welcome, json!({"event": "heartbeat"})]);
}

#[test]
fn the_reference_tells_of_each_such_name_after_the_welcome() {
    let rules = Rules {
        replies: Replies::Reference,
        ..Rules::default()
    };
    let mut stage = play_with(rules, "A open");
    stage.authenticate("A", &json!({"channels": ["x y", "gossip"]}));
    let frames = stage.frames("A");
    let errors: Vec<_> = frames.iter().map(|frame| &frame["error"]).collect();
    let error = json!("Could not subscribe to 'x y'");
    assert_eq!(errors, [&Value::Null, &error, &Value::Null]);
    assert_eq!(frames[1]["event"], "channels/subscribe");
    assert_eq!(frames[0]["payload"].as_object().unwrap().len(), 2);
}
