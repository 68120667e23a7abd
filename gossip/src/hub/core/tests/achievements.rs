//! `[pure]` Achievements.

use serde_json::{Value, json};

use super::play;
use super::script::{Stage, directory, game};
use crate::hub::core::{Input, Rules};
use crate::hub::directory::{Achievement, Directory};
use crate::hub::order::StoreOrder;

fn ask(stage: &mut Stage, event: &str, payload: &Value) -> Value {
    let frame = json!({"event": event, "ref": "r", "payload": payload});
    stage.send("A", &frame.to_string());
    let mut frames = stage.frames("A");
    assert_eq!(frames.len(), 1, "{event} {payload}");
    frames.remove(0)
}

fn create(stage: &mut Stage, payload: &Value) -> Value {
    ask(stage, "achievements/create", payload)
}

#[test]
fn an_achievement_is_made_changed_and_deleted() {
    let mut stage = play("A login achievements\nB login achievements");
    let made = create(
        &mut stage,
        &json!({"title": "First", "key": "x", "other": 1}),
    );
    let key = made["payload"]["key"].as_str().unwrap().to_owned();
    let expected = json!({
        "event": "achievements/create",
        "ref": "r",
        "status": "success",
        "payload": {
            "key": key,
            "title": "First",
            "description": null,
            "points": 0,
            "display": true,
            "partial_progress": false,
            "total_progress": null,
        },
    });
    assert_eq!(made, expected);
    let changes = json!({
        "key": key,
        "points": 100,
        "description": "One\nline and another",
        "display": false,
        "partial_progress": true,
        "total_progress": 3,
    });
    let changed = ask(&mut stage, "achievements/update", &changes);
    let mut expected = changes;
    expected["title"] = json!("First");
    assert_eq!(changed["payload"], expected);
    let orders = stage.stored.iter();
    let puts = orders.filter(|order| matches!(order, StoreOrder::AchievementPut { .. }));
    assert_eq!(puts.count(), 2);
    stage.send(
        "B",
        &json!({"event": "achievements/delete", "ref": 1, "payload": {"key": key}}).to_string(),
    );
    let not_found = json!({"errors": {"key": ["not found"]}});
    assert_eq!(stage.frames("B")[0]["payload"], not_found, "not its own");
    stage.play(&format!(
        r#"
        A > achievements/delete r {{"key":"{key}"}}
        A < achievements/delete r ok {{"key":"{key}"}}
        A > achievements/sync r
        A < achievements/sync r {{"total":0,"achievements":[]}}
        "#
    ));
    let last = stage.stored.last();
    assert!(
        matches!(last, Some(StoreOrder::AchievementDeleted { .. })),
        "{last:?}"
    );
}

/// Fields, and what is wrong with them.
fn faults() -> Vec<(Value, Value)> {
    let blank = "can't be blank";
    let invalid = "is invalid";
    vec![
        (json!({}), json!({"title": [blank]})),
        (json!({"title": null}), json!({"title": [blank]})),
        (json!({"title": " "}), json!({"title": [blank]})),
        (json!({"title": 7}), json!({"title": [invalid]})),
        (
            json!({"title": "x".repeat(201)}),
            json!({"title": [invalid]}),
        ),
        (json!({"title": "a\u{1b}"}), json!({"title": [invalid]})),
        (
            json!({"title": "x", "points": 101}),
            json!({"points": [invalid]}),
        ),
        (
            json!({"title": "x", "points": -1}),
            json!({"points": [invalid]}),
        ),
        (
            json!({"title": "x", "points": 1.5}),
            json!({"points": [invalid]}),
        ),
        (
            json!({"title": "x", "points": null}),
            json!({"points": [blank]}),
        ),
        (
            json!({"title": "x", "display": "yes"}),
            json!({"display": [invalid]}),
        ),
        (
            json!({"title": "x", "description": 7}),
            json!({"description": [invalid]}),
        ),
        (
            json!({"title": "x", "partial_progress": true}),
            json!({"total_progress": [blank]}),
        ),
        (
            json!({"title": "x", "total_progress": "3"}),
            json!({"total_progress": [invalid]}),
        ),
        (
            json!({"points": "3", "partial_progress": 1}),
            json!({"title": [blank], "points": [invalid], "partial_progress": [invalid]}),
        ),
    ]
}

#[test]
fn what_is_wrong_with_the_fields_is_said_by_field() {
    let mut stage = play("A login achievements");
    for (fields, errors) in faults() {
        stage.pass(1, true);
        let expected = json!({
            "event": "achievements/create",
            "ref": "r",
            "status": "failure",
            "payload": {"errors": errors},
        });
        assert_eq!(create(&mut stage, &fields), expected, "{fields}");
    }
    let not_found = json!({"errors": {"key": ["not found"]}});
    for event in ["achievements/update", "achievements/delete"] {
        for key in [
            json!(null),
            json!(7),
            json!("x"),
            json!(uuid::Uuid::from_u128(5).to_string()),
        ] {
            let got = ask(&mut stage, event, &json!({"key": key, "title": "x"}));
            assert_eq!(
                (&got["status"], &got["payload"]),
                (&json!("failure"), &not_found)
            );
        }
        let got = ask(&mut stage, event, &json!({}));
        assert_eq!(got["payload"], not_found);
        stage.play(&format!(
            "A > {event} r\nA < {event} r no an error occurred, try again"
        ));
    }
}

#[test]
fn a_change_that_is_wrong_changes_nothing() {
    let mut stage = play("A login achievements");
    let made = create(&mut stage, &json!({"title": "First"}));
    let change = json!({"key": made["payload"]["key"], "title": "Second", "points": 101});
    let got = ask(&mut stage, "achievements/update", &change);
    assert_eq!(got["status"], "failure");
    let synced = ask(&mut stage, "achievements/sync", &json!({}));
    assert_eq!(synced["payload"]["achievements"][0]["title"], "First");
}

#[test]
fn a_sync_has_ten_in_a_frame_by_title() {
    let mut stage = play("A login achievements");
    for count in 0..=11_usize {
        stage.pass(1, true);
        stage.send("A", r#"{"event":"achievements/sync","ref":"r"}"#);
        let frames = stage.frames("A");
        let sizes: Vec<usize> = frames
            .iter()
            .map(|frame| {
                assert_eq!(frame["payload"]["total"], count);
                assert!(frame.get("status").is_none());
                frame["payload"]["achievements"].as_array().unwrap().len()
            })
            .collect();
        let expected = if count > 10 {
            vec![10, count - 10]
        } else {
            vec![count]
        };
        assert_eq!(sizes, expected);
        let titles = frames
            .iter()
            .flat_map(|frame| frame["payload"]["achievements"].as_array());
        let titles: Vec<_> = titles
            .flatten()
            .map(|one| one["title"].as_str().unwrap())
            .collect();
        assert!(titles.is_sorted(), "{titles:?}");
        create(&mut stage, &json!({"title": format!("T{:02}", 50 - count)}));
    }
}

#[test]
fn long_ones_are_fewer_in_a_frame() {
    let mut stage = play("A login achievements");
    for _ in 0..10 {
        stage.pass(1, true);
        let (title, description) = ("\u{1f600}".repeat(200), "\u{1f600}".repeat(500));
        let made = create(
            &mut stage,
            &json!({"title": title, "description": description}),
        );
        assert_eq!(made["status"], "success");
    }
    stage.send("A", r#"{"event":"achievements/sync","ref":"r"}"#);
    assert_eq!(stage.frames("A").len(), 2);
}

#[test]
fn at_500_points_no_more_can_be_made_but_what_there_is_can_change() {
    let mut stage = play("A login achievements");
    let mut key = Value::Null;
    for points in [100, 100, 100, 100, 99, 100] {
        let made = create(&mut stage, &json!({"title": "x", "points": points}));
        assert_eq!(made["status"], "success", "499 points leave room");
        key = made["payload"]["key"].clone();
    }
    let full = create(&mut stage, &json!({"title": "x", "points": 0}));
    assert_eq!(
        full["payload"],
        json!({"errors": {"points": ["no points left"]}})
    );
    let changed = ask(
        &mut stage,
        "achievements/update",
        &json!({"key": key, "points": 0}),
    );
    assert_eq!(changed["status"], "success");
    let made = create(&mut stage, &json!({"title": "x"}));
    assert_eq!(made["status"], "success", "499 again");
}

#[test]
fn what_was_kept_is_taken_once_and_goes_with_the_game() {
    let kept = |title: &str| Achievement {
        key: uuid::Uuid::from_u128(9),
        title: title.into(),
        description: None,
        points: 7,
        display: true,
        partial_progress: false,
        total_progress: None,
    };
    let with = |title: &str| {
        let mut directory = Directory::new();
        let mut game = game('A');
        game.achievements.push(kept(title));
        directory.add_game(game).unwrap();
        directory
    };
    let mut stage = Stage::new(Rules::default(), with("old"));
    stage.play("A login achievements");
    let title = |stage: &mut Stage| {
        let synced = ask(stage, "achievements/sync", &json!({}));
        synced["payload"]["achievements"][0]["title"].clone()
    };
    assert_eq!(title(&mut stage), "old");
    stage.step(Input::Directory(Box::new(with("newer in the database"))));
    assert_eq!(title(&mut stage), "old", "its own are newer");
    stage.step(Input::Directory(Box::new(Directory::new())));
    stage.play("A < authenticate - no invalid credentials\nA ! 4000");
    stage.step(Input::Directory(Box::new(directory())));
    stage.play("A login achievements");
    assert_eq!(title(&mut stage), Value::Null);
}
