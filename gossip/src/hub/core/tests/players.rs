//! `[pure]` Who plays where: signs, lists, what is hidden, and games that come and go.

use serde_json::json;

use super::play;
use crate::limits::{FRAME_OUT_BYTES_MAX, PLAYERS_PER_SOCKET_MAX};

#[test]
fn the_sign_table() {
    play(
        r#"
        A login players
        B login players
        C login
        A > players/sign-in r {"name":"Ana"}
        A < players/sign-in r ok
        B < players/sign-in * {"game":"GameA","name":"Ana"}
        A > players/sign-in r {"name":"Ana"}
        A < players/sign-in r ok
        A > players/sign-in - {"name":"ana"}
        B < players/sign-in * {"game":"GameA","name":"ana"}
        A > players/sign-in r {"name":""}
        A < players/sign-in r no Name cannot be empty
        A > players/sign-in - {"name":""}
        A > players/sign-in r {"name":null}
        A < players/sign-in r no an error occurred, try again
        A > players/sign-in r {}
        A < players/sign-in r no an error occurred, try again
        A > players/sign-in null
        A < players/sign-in null no an error occurred, try again
        A > players/sign-out r {"name":"Ana"}
        A < players/sign-out r ok
        B < players/sign-out * {"game":"GameA","name":"Ana"}
        A > players/sign-out r {"name":"Ana"}
        A < players/sign-out r ok
        A > players/sign-out - {"name":"Ana"}
        A > players/sign-out r {}
        A < players/sign-out r no an error occurred, try again
        A > players/sign-out
        "#,
    );
}

#[test]
fn signs_are_judged_by_the_list_of_the_socket_and_beats_tell_nobody() {
    play(
        r#"
        A login players
        A2 login players
        B login players
        A plays Ana
        A2 > players/sign-in - {"name":"Ana"}
        B < players/sign-in * {"game":"GameA","name":"Ana"}
        A > players/sign-in - {"name":"Ana"}
        A plays
        A > players/sign-out r {"name":"Ana"}
        A < players/sign-out r ok
        B > players/status r {"game":"GameA"}
        B < players/status r {"game":"GameA","players":["Ana"]}
        "#,
    );
}

#[test]
fn every_event_without_its_flag_is_refused_or_met_with_silence() {
    let table = [
        ("players", "players/sign-in"),
        ("players", "players/sign-out"),
        ("players", "players/status"),
        ("tells", "tells/send"),
        ("games", "games/status"),
        ("achievements", "achievements/sync"),
        ("achievements", "achievements/create"),
        ("achievements", "achievements/update"),
        ("achievements", "achievements/delete"),
    ];
    for (flag, event) in table {
        play(&format!(
            r#"
            A login
            A > {event} r {{"name":"Ana"}}
            A < {event} r no missing support for "{flag}"
            A > {event} null
            A < {event} null no missing support for "{flag}"
            A > {event}
            "#
        ));
    }
}

#[test]
fn what_needs_a_reference_is_silent_without_and_fails_with_null() {
    let events = [
        "players/status",
        "games/status",
        "achievements/sync",
        "achievements/create",
        "achievements/update",
        "achievements/delete",
    ];
    for event in events {
        play(&format!(
            r#"
            B login
            A login players,games,achievements
            A > {event}
            A > {event} null {{"title":"x"}}
            A < {event} null no an error occurred, try again
            "#
        ));
    }
}

#[test]
fn extensions_are_unknown_to_who_did_not_ask_for_them() {
    play(
        r#"
        A login tells gossip
        A > channels/history r {"channel":"gossip"}
        A < - - no unknown
        A > tells/receipt r {"tell":"x","status":"shown"}
        A < - - no unknown
        "#,
    );
}

#[test]
fn a_status_of_all_is_a_frame_for_each_public_game_but_ones_own() {
    play(
        r#"
        A login players
        A > players/status r
        B login players
        H login players
        P login players
        B plays Bo Cy
        H plays Hal
        P plays Pip
        A > players/status r
        A < players/status r {"game":"GameB","players":["Bo","Cy"]}
        A < players/status r {"game":"GameP","players":[]}
        A > players/status r {"x":1}
        A < players/status r {"game":"GameB","players":["Bo","Cy"]}
        A < players/status r {"game":"GameP","players":[]}
        B > players/sign-out - {"name":"Bo"}
        A < players/sign-out * {"game":"GameB","name":"Bo"}
        H < players/sign-out * {"game":"GameB","name":"Bo"}
        P < players/sign-out * {"game":"GameB","name":"Bo"}
        A > players/status [1] {}
        A < players/status [1] {"game":"GameB","players":["Cy"]}
        A < players/status [1] {"game":"GameP","players":[]}
        "#,
    );
}

#[test]
fn a_status_of_one_finds_hidden_games_and_ones_own_by_the_exact_name() {
    play(
        r#"
        A login players
        H login players
        A plays Ana
        H plays Hal
        A > players/status r {"game":"GameH"}
        A < players/status r {"game":"GameH","players":["Hal"]}
        A > players/status r {"game":"GameA"}
        A < players/status r {"game":"GameA","players":["Ana"]}
        A > players/status r {"game":"gameh"}
        A < players/status r no unknown game
        A > players/status r {"game":"GameB"}
        A < players/status r no unknown game
        A > players/status r {"game":"Grapevine"}
        A < players/status r no unknown game
        A > players/status r {"game":null}
        A < players/status r no unknown game
        A > players/status r {"game":7}
        A < players/status r no unknown game
        "#,
    );
}

#[test]
fn many_games_are_as_many_frames() {
    // 'A' asks, 'H' is hidden: of 26 letters 24 are seen.
    let mut stage = play("");
    for letter in ('A'..='Z').rev() {
        let flags = if letter == 'A' {
            "players,games"
        } else {
            "players"
        };
        stage.play(&format!("{letter} login {flags}"));
    }
    for event in ["players/status", "games/status"] {
        stage.send("A", &json!({"event": event, "ref": "r"}).to_string());
        let frames = stage.frames("A");
        let games: Vec<_> = frames
            .iter()
            .map(|frame| frame["payload"]["game"].as_str())
            .collect();
        assert_eq!(games.len(), 24);
        assert!(
            games.is_sorted() && games.iter().all(Option::is_some),
            "{games:?}"
        );
    }
}

#[test]
fn signs_of_hidden_games_and_of_hidden_players_tell_nobody() {
    play(
        r#"
        A login players
        H login players
        P login players
        H > players/sign-in r {"name":"Hal"}
        H < players/sign-in r ok
        P > players/sign-in r {"name":"Pip"}
        P < players/sign-in r ok
        H > players/sign-out - {"name":"Hal"}
        A > players/sign-in - {"name":"Ana"}
        H < players/sign-in * {"game":"GameA","name":"Ana"}
        P < players/sign-in * {"game":"GameA","name":"Ana"}
        "#,
    );
}

#[test]
fn presence_is_the_union_of_the_sockets_and_ends_with_the_last() {
    play(
        r#"
        A login players,games
        B login - gossip
        A < games/connect * {"game":"GameB"}
        B2 login players,tells moo,testing
        B plays Bo Cy
        B2 plays Cy Di
        A > players/status r {"game":"GameB"}
        A < players/status r {"game":"GameB","players":["Bo","Cy","Di"]}
        B > players/sign-in r {"name":"Ed"}
        B < players/sign-in r no missing support for "players"
        B drops
        A > players/status r {"game":"GameB"}
        A < players/status r {"game":"GameB","players":["Cy","Di"]}
        B2 drops
        A > players/status r {"game":"GameB"}
        A < players/status r no unknown game
        A > players/status r
        "#,
    );
}

#[test]
fn a_games_status_has_both_spellings_and_only_listed_channels() {
    let mut stage = play("A login games\nB open");
    stage.authenticate(
        "B",
        &json!({
            "supports": ["channels", "players"],
            "channels": ["moo", "testing"],
            "user_agent": "ExVenture 0.28.0",
        }),
    );
    stage.frames("B");
    stage.frames("A");
    stage.play("B2 login achievements gossip\nB plays Bo Cy");
    stage.send("A", r#"{"event":"games/status","ref":"r"}"#);
    let expected = json!({
        "event": "games/status",
        "ref": "r",
        "status": "success",
        "payload": {
            "game": "GameB",
            "display_name": "The Game of B",
            "user_agent": "ExVenture 0.28.0",
            "supports": ["channels", "players", "achievements"],
            "channels": ["gossip", "testing"],
            "player_online_count": 2,
            "players_online_count": 2,
        },
    });
    assert_eq!(
        stage.frames("A"),
        std::slice::from_ref(&expected),
        "the last that was reported"
    );
    stage.play("B2 drops");
    stage.send(
        "A",
        r#"{"event":"games/status","ref":"r","payload":{"game":"GameB"}}"#,
    );
    let frames = stage.frames("A");
    assert_eq!(frames[0]["payload"]["channels"], json!(["testing"]));
    assert_eq!(
        frames[0]["payload"]["supports"],
        json!(["channels", "players"])
    );
    stage.play(
        r#"
        A > games/status r {"game":"GameC"}
        A < games/status r no unknown game
        B > channels/unsubscribe - {"channel":"testing"}
        P login
        A < games/connect * {"game":"GameP"}
        P plays Pip Pop
        "#,
    );
    stage.send("A", r#"{"event":"games/status","ref":"r"}"#);
    let frames = stage.frames("A");
    assert_eq!(frames[0]["payload"]["channels"], json!([]));
    assert_eq!(
        frames[1]["payload"]["player_online_count"], 2,
        "counted, though hidden"
    );
}

#[test]
fn a_long_list_of_players_is_cut_to_a_frame_and_counted_in_full() {
    let mut stage = play("B login players\nA login players,games");
    let names: Vec<String> = (0..PLAYERS_PER_SOCKET_MAX)
        .map(|number| format!("Player \"{number}\" with a \u{e9} long name"))
        .collect();
    let beat = json!({"event": "heartbeat", "payload": {"players": names}});
    stage.send("B", &beat.to_string());
    let long_reference = "r".repeat(1_000);
    let ask = json!({"event": "players/status", "ref": long_reference});
    stage.send("A", &ask.to_string());
    let frames = stage.frames("A");
    let players = frames[0]["payload"]["players"].as_array().unwrap();
    assert!(
        players.len() > 300 && players.len() < PLAYERS_PER_SOCKET_MAX,
        "{}",
        players.len()
    );
    assert!(
        frames[0].to_string().len() > FRAME_OUT_BYTES_MAX - 1_500,
        "the frame is used"
    );
    assert!(
        players
            .iter()
            .zip(&names)
            .all(|(shown, name)| shown == name)
    );
    stage.send("A", r#"{"event":"games/status","ref":1}"#);
    let frames = stage.frames("A");
    assert_eq!(
        frames[0]["payload"]["players_online_count"],
        PLAYERS_PER_SOCKET_MAX
    );
}

#[test]
fn a_game_that_is_back_within_a_minute_was_never_gone() {
    play(
        r#"
        A login games
        B login
        A < games/connect * {"game":"GameB"}
        B2 login
        ~ 20
        B drops
        ~ 70
        B2 drops
        ~ 10
        B login
        ~ 100
        B drops
        ~ 59
        ~ 1
        A < games/disconnect * {"game":"GameB"}
        ~ 10
        B login
        A < games/connect * {"game":"GameB"}
        "#,
    );
}

#[test]
fn nobody_is_told_of_hidden_games_that_come_and_go() {
    play(
        r#"
        A login games
        H login games
        H drops
        ~ 100
        "#,
    );
}
