//! `[pure]` Who is let in, and what they hear first; beats, and what comes before all of it.

use serde_json::{Value, json};

use super::script::{Got, Stage, client_id, directory, game, login, secret};
use super::{play, play_with};
use crate::hub::core::{Replies, Rules};
use crate::hub::order::StoreOrder;
use crate::limits::SOCKETS_PER_GAME_MAX;

/// A login of game A with one key of its payload different, or gone.
fn with(key: &str, value: Option<Value>) -> Value {
    let mut payload = login('A');
    match value {
        Some(value) => payload[key] = value,
        None => drop(payload.as_object_mut().unwrap().remove(key)),
    }
    payload
}

#[test]
fn failures_have_the_four_texts_and_close_with_4000() {
    let invalid = "invalid credentials";
    let missing = "missing supports";
    let unknown = "includes unknown supports";
    let table = [
        (with("client_id", None), invalid),
        (with("client_id", Some(json!(7))), invalid),
        (with("client_id", Some(json!("x"))), invalid),
        (
            with("client_id", Some(json!(secret('A').to_string()))),
            invalid,
        ),
        (with("client_secret", None), invalid),
        (with("client_secret", Some(json!(null))), invalid),
        (
            with("client_secret", Some(json!(secret('B').to_string()))),
            invalid,
        ),
        (
            with("client_id", Some(json!(client_id('B').to_string()))),
            invalid,
        ),
        (with("user_agent", Some(json!(7))), invalid),
        (with("version", Some(json!([]))), invalid),
        (with("supports", None), missing),
        (with("supports", Some(json!(null))), missing),
        (with("supports", Some(json!([]))), missing),
        (
            with("supports", Some(json!(["players"]))),
            "must support channels",
        ),
        (
            with("supports", Some(json!(["moo"]))),
            "must support channels",
        ),
        (with("supports", Some(json!(["channels", "moo"]))), unknown),
        (with("supports", Some(json!(["channels", 7]))), unknown),
    ];
    let rows = table.len() as u64;
    let mut stage = play("");
    for (payload, error) in table {
        stage.open("A", "");
        let frame = json!({"event": "authenticate", "ref": "r", "payload": payload});
        stage.send("A", &frame.to_string());
        let expected = json!({"event": "authenticate", "status": "failure", "error": error});
        assert_eq!(stage.next("A"), Some(Got::Frame(expected)), "{payload}");
        assert_eq!(stage.next("A"), Some(Got::Closed(4000)), "{payload}");
    }
    assert_eq!(stage.hub.figures().auth_failed, rows);
}

#[test]
fn what_is_null_or_odd_in_a_good_login_does_no_harm() {
    let id = client_id('A').to_string().to_uppercase();
    let table = [
        json!({"client_id": id}),
        json!({"channels": null, "players": null, "user_agent": null, "version": null}),
        json!({"channels": 7, "players": "Ana", "debug": "yes", "extensions": {}}),
        json!({"channels": [null, 7, {}], "players": [null, 7], "extensions": [null]}),
    ];
    for more in table {
        let mut stage = play("A open");
        stage.authenticate("A", &more);
        let frames = stage.frames("A");
        assert_eq!(frames.len(), 2, "{more}");
        assert_eq!(
            frames[0]["payload"],
            json!({"unicode": "✔️", "version": "2.3.0"}),
            "{more}"
        );
    }
}

#[test]
fn a_login_without_a_payload_is_no_attempt() {
    play(
        r#"
        A open
        A > authenticate
        A > {"event":"authenticate","payload":[]}
        A > authenticate r
        A < authenticate r no an error occurred, try again
        "#,
    );
}

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

#[test]
fn many_long_names_that_are_no_channels_still_fit_a_frame() {
    let mut stage = play("A open");
    let names = vec!["\u{1}".repeat(150); 60];
    stage.authenticate("A", &json!({"channels": names, "extensions": ["marks"]}));
    let frames = stage.frames("A");
    let rejected = frames[0]["payload"]["rejected_channels"]
        .as_array()
        .unwrap();
    assert_eq!(rejected.len(), crate::limits::REJECTED_SHOWN_MAX);
}

#[test]
fn what_a_game_says_it_is_is_kept() {
    let mut stage = play("A open");
    let agent = format!("a\u{1b}gent {}", "x".repeat(200));
    stage.authenticate("A", &json!({"user_agent": agent, "version": "2.1.0"}));
    let Some(StoreOrder::GameSeen {
        game: id,
        user_agent,
        version,
        ..
    }) = stage.stored.first()
    else {
        panic!("{:?}", stage.stored);
    };
    assert_eq!(*id, game('A').id);
    assert!(user_agent.as_deref().unwrap().starts_with("agent x"));
    assert_eq!(user_agent.as_deref().unwrap().len(), 100);
    assert_eq!(version.as_deref(), Some("2.1.0"));
    stage.frames("A");
    stage.stored.clear();
    stage.play("A drops");
    assert_eq!(stage.stored.len(), 1, "seen when it ended");
}

#[test]
fn frames_that_are_no_requests_have_the_answers_of_the_protocol() {
    play(
        r#"
        A open
        A > {nonsense
        A < - - no unknown
        A > []
        A < - - no unauthenticated
        A > {"event":"moo","ref":"r"}
        A < - - no unauthenticated
        A > channels/send r {"channel":"gossip"}
        A < - - no unauthenticated
        A > {"event":7}
        A < - - no unauthenticated
        B login
        B > {nonsense
        B < - - no unknown
        B > "heartbeat"
        B < - - no unknown
        B > {"event":"moo","ref":"r"}
        B < - - no unknown
        B > {}
        B < - - no unknown
        B > channels/broadcast r {"channel":"gossip"}
        B < - - no unknown
        B > authenticate r {"client_id":"x"}
        B < - - no unknown
        B > authenticate
        B < - - no unknown
        "#,
    );
}

#[test]
fn beats_come_each_15_seconds_of_the_socket_and_the_fourth_silence_ends_it() {
    play(
        r#"
        A open
        + 10
        B login
        + 14
        A drops
        + 1
        B < heartbeat
        + 15
        B < heartbeat
        + 15
        B ! 4001
        + 100
        "#,
    );
}

#[test]
fn an_answered_beat_starts_the_count_anew() {
    play(
        r#"
        A login
        + 30
        A < heartbeat
        A < heartbeat
        A > heartbeat
        + 45
        A < heartbeat
        A < heartbeat
        A < heartbeat
        + 14
        A > heartbeat
        + 1
        A < heartbeat
        "#,
    );
}

#[test]
fn who_authenticates_late_is_not_punished_for_the_time_before() {
    let mut stage = play("A open\n+ 59");
    stage.authenticate("A", &json!({}));
    assert_eq!(stage.frames("A").len(), 2);
    stage.play(
        r#"
        + 1
        A < heartbeat
        + 15
        A < heartbeat
        + 14
        + 1
        A ! 4001
        "#,
    );
}

#[test]
fn who_never_authenticates_is_closed_after_a_minute() {
    play(
        r#"
        A open
        + 30
        A > heartbeat
        A < - - no unauthenticated
        + 29
        + 1
        A ! 4001
        "#,
    );
}

#[test]
fn a_late_tick_does_not_make_up_for_beats() {
    let mut stage = play("A login");
    stage.now.at += std::time::Duration::from_secs(600);
    stage.step(crate::hub::core::Input::Tick);
    stage.play("A < heartbeat\n+ 14\n+ 1\nA < heartbeat");
}

#[test]
fn debug_mode_answers_without_references_for_five_minutes() {
    let mut stage = play("A open");
    stage.authenticate("A", &json!({"debug": true}));
    stage.frames("A");
    stage.play(
        r#"
        A > channels/subscribe - {"channel":"gossip"}
        A < channels/subscribe - ok
        A > players/sign-in - {"name":"Ana"}
        A < players/sign-in - no missing support for "players"
        ~ 299
        A > channels/subscribe - {"channel":"gossip"}
        A < channels/subscribe - ok
        ~ 1
        A > channels/subscribe - {"channel":"gossip"}
        "#,
    );
}

#[test]
fn a_game_has_a_bounded_number_of_sockets() {
    let mut stage = Stage::new(Rules::default(), directory());
    for number in 0..SOCKETS_PER_GAME_MAX {
        stage.play(&format!("A{number} login"));
    }
    stage.open("A", "");
    stage.authenticate("A", &json!({}));
    stage.play("A < authenticate - no rate limit exceeded, too many sockets\nA ! 4000\nB login");
}

#[test]
fn who_fails_often_is_answered_late_and_who_is_right_at_once() {
    let mut stage = play("");
    let bad = json!({"client_secret": secret('Z').to_string()});
    let hammer = |stage: &mut Stage| {
        stage.open("A", "192.0.2.1");
        stage.authenticate("A", &bad);
    };
    for _ in 0..5 {
        hammer(&mut stage);
        stage.play("A < authenticate - no invalid credentials\nA ! 4000");
    }
    hammer(&mut stage);
    stage.play("A > {nonsense\n+ 4\n");
    stage.play("+ 1\nA < authenticate - no invalid credentials\nA ! 4000");
    hammer(&mut stage);
    stage.play("A drops\n+ 10");
    stage.open("B", "192.0.2.1");
    stage.authenticate("B", &json!({}));
    assert_eq!(stage.frames("B").len(), 2, "is right");
    stage.open("C", "192.0.2.2");
    stage.authenticate("C", &bad);
    stage.play("C < authenticate - no invalid credentials\nC ! 4000\nB drops\n+ 300");
    hammer(&mut stage);
    stage.play("A < authenticate - no invalid credentials\nA ! 4000");
    assert_eq!(stage.hub.figures().auth_delayed, 2);
}
