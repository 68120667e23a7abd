//! `[pure]` What one game, or a stranger, can take away from all others: nothing.

use serde_json::{Value, json};

use super::play;
use super::script::{Got, Stage};
use crate::limits::{
    CHANNELS_LIVE_MAX, CHANNELS_PER_GAME_MAX, CHANNELS_PER_SOCKET_MAX, PLAYERS_PER_GAME_MAX,
    PLAYERS_PER_SOCKET_MAX,
};

/// So many names of channels, from a number on.
fn names(first: usize, count: usize) -> Vec<String> {
    let letter = |number: usize| char::from(b'a' + u8::try_from(number % 26).unwrap());
    let name = |number: usize| {
        let letters = [number / 676, number / 26, number];
        letters.map(letter).iter().collect::<String>() + "-x"
    };
    (first..first + count).map(name).collect()
}

/// Opens a socket that hears these channels; how many it was refused, as far as it is told.
fn join(stage: &mut Stage, who: &str, channels: &[String]) -> usize {
    stage.open(who, "");
    stage.authenticate(
        who,
        &json!({"channels": channels, "extensions": ["history"]}),
    );
    let frames = stage.frames(who);
    let refused = frames[0]["payload"]["rejected_channels"].as_array();
    refused.map_or(0, Vec::len)
}

#[test]
fn regression_who_sends_what_is_no_json_is_limited_and_closed_at_last() {
    let mut stage = play("A open");
    let answer = Got::Frame(json!({"status": "failure", "error": "unknown"}));
    for _ in 0..200 {
        stage.send("A", "x");
        assert_eq!(stage.next("A"), Some(answer.clone()));
    }
    for _ in 0..9 {
        stage.send("A", "x");
        assert_eq!(stage.next("A"), None);
    }
    stage.send("A", "x");
    stage.play(
        "A < authenticate - no rate limit exceeded, goodbye
         A ! 4000",
    );
    // Who mends itself was never cut, and what is JSON counts for itself.
    let mut stage = play("A open");
    for _ in 0..205 {
        stage.send("A", "x");
    }
    stage.frames("A");
    stage.pass(1, false);
    stage.send("A", "x");
    assert_eq!(stage.next("A"), Some(answer));
    stage.send("A", r#"{"event":"moo"}"#);
    stage.play("A < - - no unauthenticated");
}

#[test]
fn regression_who_is_refused_and_talks_on_is_let_go() {
    let mut stage = play("");
    let login = r#"{"event":"authenticate","payload":{}}"#;
    for _ in 0..6 {
        stage.open("A", "192.0.2.1");
        stage.send("A", login);
    }
    while stage.next("A").is_some() {}
    for _ in 0..209 {
        stage.send("A", login);
    }
    assert_eq!(stage.next("A"), None, "its answer waits");
    stage.send("A", login);
    stage.play("A ! 4000");
}

#[test]
fn regression_one_game_cannot_take_the_channels_of_all() {
    let mut stage = play("B login - gossip");
    let own = CHANNELS_PER_GAME_MAX / CHANNELS_PER_SOCKET_MAX;
    for socket in 0..own {
        let channels = names(socket * CHANNELS_PER_SOCKET_MAX, CHANNELS_PER_SOCKET_MAX);
        assert_eq!(join(&mut stage, &format!("A{socket}"), &channels), 0);
    }
    assert_eq!(join(&mut stage, "A", &names(CHANNELS_PER_GAME_MAX, 5)), 5);
    // What others made is there for it, and others make their own.
    assert_eq!(join(&mut stage, "A9", &["gossip".to_owned()]), 0);
    assert_eq!(join(&mut stage, "C", &names(CHANNELS_PER_GAME_MAX, 5)), 0);
}

#[test]
fn regression_a_subscription_that_fails_takes_nobody_s_history() {
    let mut stage = play(
        "B login - keep
         A login - keep
         A says keep Ann Hello.
         B hears keep GameA Ann Hello.
         A drops
         B drops",
    );
    let games = ["C", "D", "E", "F", "G", "I", "J", "K", "L", "M"];
    for (number, game) in games.into_iter().enumerate() {
        let first = number * CHANNELS_PER_SOCKET_MAX;
        let count = CHANNELS_PER_SOCKET_MAX.min(CHANNELS_LIVE_MAX - 1 - first);
        assert_eq!(join(&mut stage, game, &names(first, count)), 0);
    }
    assert_eq!(stage.hub.figures().channels, CHANNELS_LIVE_MAX);
    let payload = json!({"channel": "new"});
    let ask = json!({"event": "channels/subscribe", "ref": 1, "payload": payload});
    stage.send("C", &ask.to_string());
    assert_eq!(stage.frames("C")[0]["status"], "failure", "it hears enough");
    assert_eq!(join(&mut stage, "B", &["keep".to_owned()]), 0);
    let payload = json!({"channel": "keep"});
    let ask = json!({"event": "channels/history", "ref": 1, "payload": payload});
    stage.send("B", &ask.to_string());
    let kept: &Value = &stage.frames("B")[0]["payload"]["messages"];
    assert_eq!(kept.as_array().map(Vec::len), Some(1), "{kept}");
}

#[test]
fn regression_a_game_of_many_sockets_is_looked_through_up_to_a_bound() {
    let mut stage = play("B login players");
    let sockets = PLAYERS_PER_GAME_MAX / PLAYERS_PER_SOCKET_MAX + 1;
    for socket in 0..sockets {
        let who = format!("A{socket}");
        stage.open(&who, "");
        let name = |number| format!("P{socket}-{number}");
        let players: Vec<_> = (0..PLAYERS_PER_SOCKET_MAX).map(name).collect();
        stage.authenticate(&who, &json!({"supports": ["channels"], "players": players}));
        stage.frames(&who);
    }
    assert_eq!(
        stage.hub.listed_games()[0].players_count,
        PLAYERS_PER_GAME_MAX
    );
}

#[test]
fn regression_a_list_of_achievements_is_not_asked_for_without_end() {
    let mut stage = play("A login achievements");
    for _ in 0..12 {
        stage.send("A", r#"{"event":"achievements/sync","ref":1}"#);
    }
    let frames = stage.frames("A");
    let limited = |frame: &&Value| frame["error"] == "rate limit exceeded";
    assert_eq!(
        (frames.len(), frames.iter().filter(limited).count()),
        (12, 2)
    );
}
