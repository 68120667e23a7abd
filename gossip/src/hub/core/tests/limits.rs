//! `[pure]` Rate limits, and what comes of ignoring them.

use serde_json::json;

use super::script::{Got, Stage};
use super::{play, play_with};
use crate::hub::core::{BucketRule, Replies, Rules};

const SAY: &str = concat!(
    r#"{"event":"channels/send","ref":"r","payload":"#,
    r#"{"channel":"gossip","name":"A","message":"x"}}"#,
);

/// Sends a frame so many times; how often it failed.
fn failures(stage: &mut Stage, text: &str, times: usize) -> usize {
    for _ in 0..times {
        stage.send("A", text);
    }
    let frames = stage.frames("A");
    let limited = |frame: &&serde_json::Value| frame["error"] == "rate limit exceeded";
    frames.iter().filter(limited).count()
}

#[test]
fn a_burst_of_ten_messages_is_let_through_and_who_keeps_to_the_pace_always_is() {
    let mut stage = play("A login - gossip");
    assert_eq!(failures(&mut stage, SAY, 10), 0);
    assert_eq!(failures(&mut stage, SAY, 2), 2);
    assert_eq!(stage.hub.figures().rate_limited, 2);
    stage.pass(5, true);
    stage.frames("A");
    for _ in 0..50 {
        stage.now.at += std::time::Duration::from_millis(900);
        assert_eq!(failures(&mut stage, SAY, 1), 0);
    }
}

#[test]
fn a_limited_frame_without_a_reference_is_dropped_in_silence() {
    let mut stage = play("A login - gossip\nB login - gossip");
    for _ in 0..15 {
        stage.send("A", &SAY.replace(r#""ref":"r","#, ""));
    }
    assert_eq!(stage.frames("B").len(), 10);
    stage.play("");
}

#[test]
fn the_buckets_do_not_touch_each_other() {
    let mut stage = play("A login - gossip");
    failures(&mut stage, SAY, 15);
    let subscribe = |channel: &str| {
        let payload = json!({"channel": channel});
        json!({"event": "channels/subscribe", "ref": "r", "payload": payload}).to_string()
    };
    for channel in ["aaa", "bbb", "ccc", "ddd", "eee"] {
        assert_eq!(failures(&mut stage, &subscribe(channel), 1), 0);
    }
    assert_eq!(failures(&mut stage, &subscribe("fff"), 1), 1);
    assert_eq!(
        failures(&mut stage, &subscribe("aaa"), 3),
        0,
        "already heard"
    );
    assert_eq!(failures(&mut stage, &subscribe("x y"), 3), 0, "no channel");
    let unsubscribe = |channel: &str| subscribe(channel).replace("/sub", "/unsub");
    for channel in ["aaa", "bbb", "ccc", "ddd", "eee"] {
        assert_eq!(failures(&mut stage, &unsubscribe(channel), 1), 0);
    }
    assert_eq!(failures(&mut stage, &unsubscribe("gossip"), 1), 1);
    assert_eq!(failures(&mut stage, &unsubscribe("aaa"), 3), 0, "not heard");
    assert_eq!(failures(&mut stage, r#"{"event":"heartbeat"}"#, 50), 0);
}

#[test]
fn the_tenth_message_over_the_limit_ends_the_socket() {
    let mut stage = play("A login - gossip");
    for _ in 0..19 {
        stage.send("A", SAY);
    }
    assert_eq!(stage.frames("A").len(), 19);
    stage.send("A", SAY);
    stage.play(
        "A < authenticate - no disconnected due to rate limit abuse
         A ! 4000",
    );
    assert_eq!(stage.hub.figures().abused, 1);
    stage.send("A", SAY);
    assert_eq!(stage.next("A"), None);
}

#[test]
fn offences_are_forgiven_after_ten_quiet_minutes() {
    let mut stage = play("A login - gossip");
    for _ in 0..19 {
        stage.send("A", SAY);
    }
    stage.frames("A");
    stage.pass(600, true);
    for _ in 0..19 {
        stage.send("A", SAY);
    }
    assert_eq!(stage.frames("A").len(), 19);
}

#[test]
fn the_limit_of_all_frames_counts_all_that_is_json() {
    let mut stage = play("A login");
    // The login was the first.
    assert_eq!(failures(&mut stage, r#"{"event":"heartbeat"}"#, 99), 0);
    for _ in 0..50 {
        stage.send("A", "{nonsense");
    }
    assert_eq!(stage.frames("A").len(), 50);
    stage.play(
        r#"
        A > {}
        A > heartbeat
        A > channels/send 7
        A < channels/send 7 no rate limit exceeded
        A > channels/send
        A > []
        "#,
    );
    for _ in 0..4 {
        stage.send("A", "{}");
    }
    stage.play("");
    stage.send("A", r#"{"event":"heartbeat"}"#);
    let goodbye = json!({
        "event": "authenticate",
        "status": "failure",
        "error": "rate limit exceeded, goodbye",
    });
    assert_eq!(stage.next("A"), Some(Got::Frame(goodbye)));
    assert_eq!(stage.next("A"), Some(Got::Closed(4000)));
}

#[test]
fn strangers_are_limited_too() {
    let mut stage = play("A open");
    for _ in 0..100 {
        stage.send("A", "[]");
    }
    assert_eq!(stage.frames("A").len(), 100);
    for _ in 0..9 {
        stage.send("A", "[]");
    }
    stage.play("A > []\nA < authenticate - no rate limit exceeded, goodbye\nA ! 4000");
}

#[test]
fn the_reference_answers_without_an_event() {
    let rules = Rules {
        all: BucketRule::new(3.0, 1.0),
        offences_max: 2,
        replies: Replies::Reference,
        ..Rules::default()
    };
    play_with(
        rules,
        r#"
        A login
        A > heartbeat
        A > heartbeat
        A > heartbeat
        A < - - no rate limit exceeded
        A > heartbeat r
        A < - - no rate limit exceeded, goodbye
        A ! 4000
        "#,
    );
}

#[test]
fn ten_frames_a_second_for_a_minute_are_well() {
    let mut stage = play("A login");
    for _ in 0..600 {
        stage.now.at += std::time::Duration::from_millis(100);
        stage.send("A", r#"{"event":"heartbeat"}"#);
    }
    assert_eq!(stage.hub.figures().rate_limited, 0);
}

#[test]
fn questions_after_all_games_have_a_bucket_that_never_ends_a_socket() {
    let mut stage = play("B login\nA login players,games");
    let all = |event: &str| json!({"event": event, "ref": "r"}).to_string();
    assert_eq!(failures(&mut stage, &all("players/status"), 5), 0);
    assert_eq!(failures(&mut stage, &all("games/status"), 5), 0);
    assert_eq!(failures(&mut stage, &all("games/status"), 20), 20);
    let one = json!({"event": "games/status", "ref": "r", "payload": {"game": "GameB"}});
    assert_eq!(failures(&mut stage, &one.to_string(), 20), 0, "of one game");
    stage.pass(1, true);
    assert_eq!(failures(&mut stage, &all("players/status"), 2), 1);
}
