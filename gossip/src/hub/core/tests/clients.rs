//! `[pure]` How the known clients behave, and what none of them may be sent.

use serde_json::json;

use super::play;
use super::script::{client_id, secret};

#[test]
fn one_opens_a_socket_for_each_channel_and_overlaps_them_when_it_reloads() {
    // Evennia: compact JSON, one socket for each bridged channel, no references on messages.
    play(
        r#"
        E1 login - gossip
        E2 login - testing
        B login games gossip,testing
        E1 > {"event":"channels/send","payload":{"message":"hi","channel":"gossip","name":"Eve"}}
        B hears gossip GameE Eve hi
        B says testing Bo hello
        E2 hears testing GameB Bo hello
        E3 login - gossip
        E4 login - testing
        E1 drops
        E2 drops
        B says gossip Bo still here
        E3 hears gossip GameB Bo still here
        ~ 200
        "#,
    );
}

#[test]
fn one_dies_of_answers_that_it_did_not_ask_for_and_gets_none() {
    // The Elixir client: no references on anything but status and tells.
    play(
        r#"
        E login players,tells,games gossip
        B login players gossip
        E < games/connect * {"game":"GameB"}
        E > channels/subscribe - {"channel":"x y"}
        E > channels/subscribe - {"channel":"gossip"}
        E > channels/unsubscribe - {"channel":"nothing"}
        E > channels/send - {"channel":"gossip","name":"Eli","message":"Hi."}
        B hears gossip GameE Eli Hi.
        E > players/sign-in - {"name":"Eli"}
        B < players/sign-in * {"game":"GameE","name":"Eli"}
        E > players/sign-in - {"name":"Eli"}
        E > players/sign-out - {"name":"Eli"}
        B < players/sign-out * {"game":"GameE","name":"Eli"}
        E > players/sign-out - {"name":"Eli"}
        E > players/sign-in - {}
        E > tells/send - {}
        E > games/status
        "#,
    );
}

#[test]
fn one_sends_tells_without_a_time_and_reads_what_comes_with_the_handshake_badly() {
    // CoffeeMud: nothing may be sent before it has authenticated.
    let mut stage = play("C open\n+ 40\nB login tells\nB plays Bo");
    stage.authenticate("C", &json!({"supports": ["channels", "tells"]}));
    assert_eq!(stage.frames("C").len(), 2);
    stage.play("C plays Cof");
    let tell = json!({"from_name": "Cof", "to_game": "GameB", "to_name": "Bo", "message": "hi"});
    stage.send(
        "C",
        &json!({"event": "tells/send", "payload": tell}).to_string(),
    );
    assert!(stage.frames("B")[0]["payload"]["sent_at"].is_string());
}

#[test]
fn one_beats_without_a_payload_while_nobody_plays() {
    // The C++ client.
    play(
        r#"
        C login players
        B login players
        C plays Cy
        C > {"event":"heartbeat"}
        B > players/status r
        B < players/status r {"game":"GameC","players":[]}
        ~ 100
        "#,
    );
}

#[test]
fn one_writes_its_frames_over_many_lines_and_escapes_what_is_not_ascii() {
    // gossiphaus and others.
    let mut stage = play("G open\nB login players gossip");
    let text = format!(
        "{{\n  \"event\": \"authenticate\",\n  \"payload\": {{\n    \"client_id\": \"{}\",\n    \
         \"client_secret\": \"{}\",\n    \"supports\": [ \"channels\", \"players\" ],\n    \
         \"channels\": [ \"gossip\" ], \"version\": \"1.0.0\" }} }}\r\n",
        client_id('G'),
        secret('G'),
    );
    stage.send("G", &text);
    assert_eq!(stage.frames("G").len(), 2);
    stage.send(
        "G",
        "{ \"event\": \"channels/send\",\r\n \"payload\": { \"channel\": \"gossip\", \
         \"name\": \"G\\u00fcn\", \"message\": \"\\ud83d\\ude00 \\u2714\" } }",
    );
    stage.play("B hears gossip GameG G\u{fc}n \u{1f600} \u{2714}");
    stage.send(
        "G",
        "{\"event\":\"heartbeat\",\"payload\":{\"players\":[\"Bo@Far Away Game\",\"\"]}}",
    );
    stage.play(
        r#"
        B > players/status r
        B < players/status r {"game":"GameG","players":["Bo@Far Away Game"]}
        "#,
    );
}

#[test]
fn one_throws_on_a_channel_that_it_did_not_subscribe_to() {
    // Ranvier: also after it has unsubscribed nothing more of the channel comes.
    play(
        r#"
        R login - gossip
        B login - gossip,testing
        B says testing Bo not for all
        B says gossip Bo one
        R hears gossip GameB Bo one
        R > channels/unsubscribe u {"channel":"gossip"}
        R < channels/unsubscribe u ok
        B says gossip Bo two
        "#,
    );
}

#[test]
fn all_of_them_chat_for_ten_minutes() {
    let mut stage = play("");
    let games = ["E", "F", "G", "C", "R"];
    for who in games {
        stage.play(&format!("{who} login - gossip"));
    }
    for round in 0..60 {
        let speaker = games[round % games.len()];
        stage.send(
            speaker,
            &json!({"event": "channels/send", "payload":
                {"channel": "gossip", "name": "X", "message": round.to_string()}})
            .to_string(),
        );
        for who in games.iter().filter(|who| **who != speaker) {
            let frames = stage.frames(who);
            assert_eq!(frames.len(), 1);
            assert_eq!(frames[0]["payload"]["message"], round.to_string());
        }
        stage.pass(10, true);
    }
    stage.play("");
    assert_eq!(stage.hub.figures().sockets_active, games.len());
}
