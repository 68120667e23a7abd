//! `[pure]` Tells, and what the extension `receipts` adds.

use serde_json::json;

use super::script::Stage;
use super::{play, play_with};
use crate::hub::core::{Replies, Rules};

/// Games A and B with a player each; C has no tells, P hides its players.
const CAST: &str = r#"
    A login tells
    B login tells
    C login
    P login tells
    A plays Ana
    B plays Bo
    C plays Cy
    P plays Pip
"#;

fn tell(changes: &[(&str, Option<serde_json::Value>)]) -> String {
    let mut payload = json!({
        "from_name": "Ana",
        "to_game": "GameB",
        "to_name": "Bo",
        "sent_at": "2026-01-02T03:04:05Z",
        "message": "hi",
    });
    for (key, value) in changes {
        match value {
            Some(value) => payload[*key] = value.clone(),
            None => drop(payload.as_object_mut().unwrap().remove(*key)),
        }
    }
    payload.to_string()
}

fn is(text: &str) -> Option<serde_json::Value> {
    Some(json!(text))
}

/// Game A tells something, and is acknowledged.
fn sends(stage: &mut Stage, tell: &str) {
    let text = format!(r#"{{"event":"tells/send","ref":"r1","payload":{tell}}}"#);
    stage.send("A", &text);
    let ack = json!({"event": "tells/send", "ref": "r1", "status": "success"});
    assert_eq!(stage.frames("A"), [ack], "{tell}");
}

fn fails(stage: &mut Stage, tell: &str, error: &str) {
    stage.play(&format!(
        "A > tells/send r {tell}\nA < tells/send r no {error}\nA > tells/send - {tell}"
    ));
}

#[test]
fn errors_come_in_the_order_of_the_protocol() {
    let mut stage = play(CAST);
    let far = is("Nowhere");
    let table = [
        (
            tell(&[("from_name", None), ("to_game", far.clone())]),
            "invalid payload",
        ),
        (
            tell(&[("to_name", Some(json!(7))), ("to_game", far.clone())]),
            "invalid payload",
        ),
        (tell(&[("message", Some(json!(null)))]), "invalid payload"),
        (tell(&[("to_game", None)]), "invalid payload"),
        (
            tell(&[("sent_at", is("2026-01-02T03:04:05+00:00"))]),
            "invalid payload",
        ),
        (tell(&[("sent_at", is("yesterday"))]), "invalid payload"),
        (tell(&[("sent_at", Some(json!(null)))]), "invalid payload"),
        (
            tell(&[(
                "sent_at",
                is(&format!("2026-01-02T03:04:05.{}Z", "0".repeat(80))),
            )]),
            "invalid payload",
        ),
        (
            tell(&[("to_game", far), ("from_name", is("Zed"))]),
            "game offline",
        ),
        (tell(&[("to_game", is("GameD"))]), "game offline"),
        (
            tell(&[("to_game", is("grapevine")), ("to_name", is("system"))]),
            "game offline",
        ),
        (
            tell(&[("to_game", is("GameC")), ("from_name", is("Zed"))]),
            "not supported",
        ),
        (
            tell(&[("to_game", is("GameP")), ("to_name", is("Pip"))]),
            "not supported",
        ),
        (
            tell(&[("from_name", is("Zed")), ("to_name", is("Zed"))]),
            "sending player offline",
        ),
        (tell(&[("to_name", is("Zed"))]), "receiving player offline"),
        (tell(&[("to_name", is(""))]), "receiving player offline"),
    ];
    let rows = table.len() as u64;
    for (tell, error) in table {
        fails(&mut stage, &tell, error);
    }
    assert_eq!(stage.hub.figures().tells_refused, 2 * rows);
    stage
        .play("A > tells/send r\nA < tells/send r no an error occurred, try again\nA > tells/send");
}

#[test]
fn a_game_that_hides_its_players_has_no_tells() {
    play(&format!(
        "{CAST}\nP > tells/send r {}\nP < tells/send r no missing support for \"tells\"",
        tell(&[])
    ));
}

#[test]
fn a_tell_goes_to_every_socket_with_the_flag_as_it_was_sent() {
    let mut stage = play(CAST);
    stage.play("B2 login tells\nB3 login players");
    let sent = tell(&[
        ("from_name", is("aNA")),
        ("to_game", is("gameb")),
        ("to_name", is("bO")),
        ("message", is("<b>hi</b>\u{1b} you")),
        ("sent_at", is("2026-01-02T03:04:05.123456Z")),
    ]);
    sends(&mut stage, &sent);
    let expected = json!({
        "from_game": "GameA",
        "from_name": "aNA",
        "to_name": "bO",
        "sent_at": "2026-01-02T03:04:05.123456Z",
        "message": "<b>hi</b> you",
    });
    for who in ["B", "B2"] {
        let frames = stage.frames(who);
        assert_eq!(frames.len(), 1);
        assert_eq!(
            (&frames[0]["event"], &frames[0]["payload"]),
            (&json!("tells/receive"), &expected)
        );
    }
    assert_eq!(stage.hub.figures().tells, 1);
}

#[test]
fn a_time_that_is_missing_is_filled_in_and_other_keys_are_passed_over() {
    let mut stage = play(CAST);
    for sent in [
        tell(&[("sent_at", None)]),
        tell(&[("from", is("x")), ("id", is("y"))]),
    ] {
        sends(&mut stage, &sent);
        assert_eq!(
            stage.frames("B")[0]["payload"]["sent_at"],
            "2026-01-02T03:04:05Z"
        );
    }
    let rules = Rules {
        replies: Replies::Reference,
        ..Rules::default()
    };
    let mut stage = play_with(rules, CAST);
    fails(&mut stage, &tell(&[("sent_at", None)]), "invalid payload");
    fails(&mut stage, &tell(&[("id", is("y"))]), "invalid payload");
}

#[test]
fn a_tell_to_ones_own_game_arrives_and_players_count_on_any_socket() {
    let mut stage = play(CAST);
    stage.play("A2 login tells\nA2 plays Abe");
    let sent = tell(&[
        ("from_name", is("Abe")),
        ("to_game", is("GAMEA")),
        ("to_name", is("ana")),
    ]);
    stage.send(
        "A",
        &format!(r#"{{"event":"tells/send","payload":{sent}}}"#),
    );
    for who in ["A", "A2"] {
        assert_eq!(stage.frames(who)[0]["payload"]["from_name"], "Abe", "{who}");
    }
}

#[test]
fn a_long_tell_full_of_odd_characters_fits_a_frame() {
    let mut stage = play(CAST);
    let message = "\u{1}\"".repeat(8_000);
    let sent = tell(&[("message", Some(json!(message)))]);
    stage.send(
        "A",
        &format!(r#"{{"event":"tells/send","payload":{sent}}}"#),
    );
    assert_eq!(stage.frames("B").len(), 1);
}

/// Logs two games in with `receipts` and a player each.
fn with_receipts() -> Stage {
    let mut stage = play("A open\nB open\nC login");
    let more = json!({
        "supports": ["channels", "tells"],
        "channels": ["gossip"],
        "extensions": ["receipts"],
    });
    for who in ["A", "B"] {
        stage.authenticate(who, &more);
        stage.frames(who);
    }
    stage.play("A plays Ana\nB plays Bo");
    stage
}

#[test]
fn who_asked_for_receipts_learns_what_became_of_a_tell_once() {
    let mut stage = with_receipts();
    sends(&mut stage, &tell(&[]));
    let received = stage.frames("B");
    let told = received[0]["ref"].as_str().unwrap().to_owned();
    stage.play(&format!(
        r#"
        B > tells/receipt - {{"tell":"{told}","status":"eaten"}}
        B > tells/receipt - {{"tell":7,"status":"shown"}}
        B > tells/receipt - {{"tell":"x","status":"shown"}}
        B > tells/receipt r
        B < tells/receipt r no an error occurred, try again
        A > tells/receipt - {{"tell":"{told}","status":"shown"}}
        B > tells/receipt r {{"tell":"{told}","status":"ignored"}}
        B < tells/receipt r ok
        A < tells/receipt r1 {{"status":"ignored"}}
        B > tells/receipt - {{"tell":"{told}","status":"shown"}}
        "#
    ));
}

#[test]
fn a_receipt_that_comes_after_a_minute_is_forgotten() {
    let mut stage = with_receipts();
    sends(&mut stage, &tell(&[]));
    let told = stage.frames("B")[0]["ref"].as_str().unwrap().to_owned();
    stage.play(&format!(
        "~ 60\nB > tells/receipt - {{\"tell\":\"{told}\",\"status\":\"shown\"}}"
    ));
}

#[test]
fn receipts_of_messages_say_how_many_games_hear_them() {
    let mut stage = with_receipts();
    stage.play(
        r#"
        C > channels/subscribe - {"channel":"gossip"}
        C2 login - gossip
        A > channels/send r {"channel":"gossip","name":"Ana","message":"hi"}
        A < channels/send r ok
        A < channels/receipt r {"games":2}
        B hears gossip GameA Ana hi
        C hears gossip GameA Ana hi
        C2 hears gossip GameA Ana hi
        A > channels/send r {"channel":"testing","name":"Ana","message":"hi"}
        A < channels/send r ok
        A < channels/receipt r {"games":0}
        A says gossip Ana again
        B hears gossip GameA Ana again
        C hears gossip GameA Ana again
        C2 hears gossip GameA Ana again
        "#,
    );
}
