//! `[pure]` The extension `history`, and the marks at the end of a status.

use serde_json::{Value, json};

use super::script::Stage;
use super::{play, play_with};
use crate::hub::core::Rules;

fn with_extensions(stage: &mut Stage, who: &str) {
    let more = json!({
        "supports": ["channels", "players", "games"],
        "channels": ["gossip"],
        "extensions": ["history", "marks"],
    });
    stage.open(who, "");
    stage.authenticate(who, &more);
    assert_eq!(stage.frames(who).len(), 2);
}

fn history(stage: &mut Stage, payload: &Value) -> Value {
    let frame = json!({"event": "channels/history", "ref": "r", "payload": payload});
    stage.send("A", &frame.to_string());
    stage.frames("A").remove(0)
}

fn messages(answer: &Value) -> Vec<&str> {
    let messages = answer["payload"]["messages"].as_array().unwrap();
    messages
        .iter()
        .map(|one| one["message"].as_str().unwrap())
        .collect()
}

#[test]
fn who_asked_gets_numbered_messages_and_who_did_not_plain_ones_with_the_same_reference() {
    let mut stage = play("B login - gossip\nC login - gossip");
    with_extensions(&mut stage, "A");
    stage.play("");
    for word in ["one", "two"] {
        let payload = json!({"channel": "gossip", "name": "Bo", "message": word});
        stage.send(
            "B",
            &json!({"event": "channels/send", "payload": payload}).to_string(),
        );
    }
    let (numbered, plain) = (stage.frames("A"), stage.frames("C"));
    assert_eq!((numbered.len(), plain.len()), (2, 2));
    for (numbered, plain) in numbered.iter().zip(&plain) {
        assert_eq!(numbered["ref"], plain["ref"]);
        assert_eq!(numbered["payload"]["sent_at"], "2026-01-02T03:04:05Z");
        assert_eq!(plain["payload"].as_object().unwrap().len(), 4);
    }
    let seq = |frame: &Value| frame["payload"]["seq"].as_u64().unwrap();
    assert_eq!(seq(&numbered[1]), seq(&numbered[0]) + 1);
    assert!(seq(&numbered[0]) >= 1_767_323_045_000_000);
}

#[test]
fn what_was_missed_can_be_asked_for_in_pages() {
    let rules = Rules {
        history: 5,
        ..Rules::default()
    };
    let mut stage = play_with(rules, "B login - gossip");
    with_extensions(&mut stage, "A");
    stage.play("A drops");
    for number in 0..8 {
        stage.play(&format!("~ 1\nB says gossip Bo m{number}"));
    }
    with_extensions(&mut stage, "A");
    let all = history(&mut stage, &json!({"channel": "gossip"}));
    assert_eq!(messages(&all), ["m3", "m4", "m5", "m6", "m7"]);
    assert_eq!(all["payload"]["missed"], 0);
    let newest = history(&mut stage, &json!({"channel": "gossip", "limit": 2}));
    assert_eq!(messages(&newest), ["m6", "m7"]);
    let seq = newest["payload"]["messages"][0]["seq"].as_u64().unwrap();
    let page = history(
        &mut stage,
        &json!({"channel": "gossip", "after": seq - 3, "limit": 2}),
    );
    assert_eq!(messages(&page), ["m4", "m5"]);
    assert_eq!(page["payload"]["missed"], 0);
    let page = history(&mut stage, &json!({"channel": "gossip", "after": seq - 6}));
    assert_eq!(page["payload"]["missed"], 2, "m1 and m2");
    let page = history(&mut stage, &json!({"channel": "gossip", "after": seq + 1}));
    assert_eq!(messages(&page), Vec::<&str>::new());
    let answer = history(&mut stage, &json!({"channel": "testing"}));
    assert_eq!(answer["error"], "not subscribed");
    stage.play("A > channels/history r\nA < channels/history r no an error occurred, try again");
}

#[test]
fn a_page_fits_a_frame_from_the_right_end() {
    let mut stage = play("B login - gossip");
    with_extensions(&mut stage, "A");
    for number in 0..10 {
        let message = format!("{number}{}", "\"".repeat(4_000));
        let payload = json!({"channel": "gossip", "name": "Bo", "message": message});
        stage.send(
            "B",
            &json!({"event": "channels/send", "payload": payload}).to_string(),
        );
    }
    let first = stage.frames("A")[0]["payload"]["seq"].as_u64().unwrap();
    let newest = history(&mut stage, &json!({"channel": "gossip"}));
    assert_eq!(messages(&newest).len(), 1);
    assert!(messages(&newest)[0].starts_with('9'));
    let oldest = history(&mut stage, &json!({"channel": "gossip", "after": first}));
    assert!(messages(&oldest)[0].starts_with('1'));
}

#[test]
fn a_hub_that_keeps_nothing_numbers_all_the_same() {
    let rules = Rules {
        history: 0,
        ..Rules::default()
    };
    let mut stage = play_with(rules, "B login - gossip");
    with_extensions(&mut stage, "A");
    stage.send(
        "B",
        r#"{"event":"channels/send","payload":{"channel":"gossip","name":"B","message":"x"}}"#,
    );
    let seq = stage.frames("A")[0]["payload"]["seq"].as_u64().unwrap();
    let past = history(&mut stage, &json!({"channel": "gossip", "after": seq - 1}));
    assert_eq!(
        (messages(&past).len(), &past["payload"]["missed"]),
        (0, &json!(1))
    );
}

#[test]
fn a_status_of_all_ends_with_a_mark_for_who_asked() {
    let mut stage = play("");
    with_extensions(&mut stage, "A");
    stage.play(
        r#"
        A > players/status r
        A < players/status-end r {"games":0}
        B login
        A < games/connect * {"game":"GameB"}
        A > players/status r
        A < players/status r {"game":"GameB","players":[]}
        A < players/status-end r {"games":1}
        A > players/status r {"game":"GameB"}
        A < players/status r {"game":"GameB","players":[]}
        B drops
        A > games/status 7
        A < games/status-end 7 {"games":0}
        A > players/status null
        A < players/status null no an error occurred, try again
        "#,
    );
}
