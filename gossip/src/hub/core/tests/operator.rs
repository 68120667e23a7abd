//! `[pure]` What the operator does: restarts, games that may not stay, bans, paused channels.

use std::collections::BTreeSet;

use serde_json::json;
use uuid::Uuid;

use super::play;
use super::script::{Got, Stage, directory, game};
use crate::hub::core::{Input, Note};
use crate::hub::directory::{Ban, BanId, Channel, Directory, Game, SecretHash};
use crate::protocol::ChannelName;

/// The directory with game A as it is made by `change`.
fn with_a(change: impl FnOnce(&mut Game)) -> Directory {
    let mut a = game('A');
    change(&mut a);
    let mut directory = Directory::new();
    directory.add_game(a).unwrap();
    for letter in 'B'..='Z' {
        directory.add_game(game(letter)).unwrap();
    }
    directory
}

fn with_ban(text: &str) -> Directory {
    let mut directory = directory();
    let ban = Ban {
        id: BanId(1),
        banned: text.parse().unwrap(),
        until_unix_ms: None,
        reason: "".into(),
    };
    directory.add_ban(ban).unwrap();
    directory
}

fn change(stage: &mut Stage, directory: Directory) {
    stage.step(Input::Directory(Box::new(directory)));
}

#[test]
fn a_restart_is_told_to_every_socket_each_another_time_and_never_zero() {
    for downtime_s in [15, 2, 0] {
        let mut stage = play("");
        let mut names = Vec::new();
        for number in 0..40 {
            names.push(format!("A{number}"));
            let verb = if number % 2 == 0 { "open" } else { "login" };
            stage.play(&format!("A{number} {verb}"));
        }
        stage.step(Input::Restart { downtime_s });
        let mut times = BTreeSet::new();
        let mut references = BTreeSet::new();
        for name in &names {
            let frames = stage.frames(name);
            assert_eq!((frames.len(), &frames[0]["event"]), (1, &json!("restart")));
            times.insert(frames[0]["payload"]["downtime"].as_u64().unwrap());
            references.insert(frames[0]["ref"].as_str().unwrap().to_owned());
        }
        assert_eq!(references.len(), names.len());
        let (first, last) = (*times.first().unwrap(), *times.last().unwrap());
        assert!(times.len() > 3 && last <= downtime_s + 5, "{times:?}");
        assert!(
            first >= 1 && first >= downtime_s.saturating_sub(5),
            "{times:?}"
        );
    }
}

#[test]
fn games_that_may_not_stay_are_closed_and_the_others_do_not_notice() {
    let changes: [(&str, Directory); 4] = [
        ("disabled", with_a(|game| game.disabled = true)),
        (
            "rotated",
            with_a(|game| game.secret = SecretHash::of(Uuid::from_u128(3))),
        ),
        (
            "removed",
            with_a(|game| game.client_id = Uuid::from_u128(4)),
        ),
        ("banned", with_ban("@gamea")),
    ];
    for (what, directory) in changes {
        let mut stage = play("A login - gossip\nA2 login\nB login - gossip\nC open");
        change(&mut stage, directory);
        for who in ["A", "A2"] {
            let expected = json!({
                "event": "authenticate",
                "status": "failure",
                "error": "invalid credentials",
            });
            assert_eq!(stage.next(who), Some(Got::Frame(expected)), "{what}");
            assert_eq!(stage.next(who), Some(Got::Closed(4000)), "{what}");
        }
        stage.play("B says gossip Bo alone");
        stage.open("A", "");
        stage.authenticate("A", &json!({}));
        stage.play("A < authenticate - no invalid credentials\nA ! 4000");
    }
}

#[test]
fn the_operator_is_told_who_comes_and_goes_and_who_is_refused() {
    let mut stage = play("A login - gossip\nA2 login\nA drops\nA2 drops");
    let a = game('A').short_name;
    assert_eq!(stage.noted, [Note::Came(a.clone()), Note::Left(a)]);
    stage.noted.clear();
    stage.open("B", "192.0.2.7");
    stage.authenticate("B", &json!({"client_secret": "wrong"}));
    let refused = Note::Refused {
        address: "192.0.2.7".parse().unwrap(),
        error: "invalid credentials".to_owned(),
    };
    assert_eq!(stage.noted, [refused]);
}

#[test]
fn a_change_that_touches_nobody_tells_nobody() {
    let mut stage = play("A login players,games gossip\nB open");
    change(&mut stage, directory());
    change(&mut stage, with_ban("192.0.2.0/24"));
    stage.play("");
}

#[test]
fn an_address_that_is_banned_is_closed_and_not_let_in_again() {
    let mut stage = play("");
    for who in ["A", "B", "C"] {
        stage.open(who, if who == "C" { "192.0.3.1" } else { "192.0.2.7" });
    }
    stage.authenticate("A", &json!({}));
    assert_eq!(stage.frames("A").len(), 2);
    change(&mut stage, with_ban("192.0.2.0/24"));
    stage.play("A < authenticate - no invalid credentials\nA ! 4000\nB ! 4000");
    stage.open("D", "192.0.2.8");
    stage.play("D ! 4000\nD > heartbeat");
    assert_eq!(stage.hub.figures().turned_away, 3);
}

#[test]
fn what_a_banned_player_says_is_acknowledged_and_not_passed_on() {
    let say = r#"A > channels/send r {"channel":"gossip","name":"<b>Ana","message":"x"}"#;
    let tell = r#"{"from_name":"ana","to_game":"GameB","to_name":"Bo","message":"x"}"#;
    for ban in ["ANA@gamea", "Ana"] {
        let mut stage =
            play("A login tells gossip\nB login tells gossip\nA plays Ana Abe\nB plays Bo");
        change(&mut stage, with_ban(ban));
        stage.play(&format!(
            r#"
            {say}
            A < channels/send r ok
            A says gossip Abe he may
            B hears gossip GameA Abe he may
            A > tells/send r {tell}
            A < tells/send r no sending player offline
            "#
        ));
        assert_eq!(stage.hub.figures().dropped.muted, 1);
    }
    let mut stage = play("A login - gossip\nB login - gossip");
    change(&mut stage, with_ban("Ana@GameC"));
    stage.play("A says gossip Ana not she\nB hears gossip GameA Ana not she");
}

#[test]
fn a_paused_channel_says_so_twice_and_swallows_what_is_said() {
    let mut stage = play("A login - gossip\nB login - gossip");
    let mut paused = directory();
    let name = ChannelName::parse("gossip").unwrap();
    paused
        .add_channel(Channel {
            hidden: false,
            paused_until_unix_ms: Some(stage.now.unix_ms + 90_000),
            ..Channel::hidden(name)
        })
        .unwrap();
    change(&mut stage, paused.clone());
    stage.play(
        "A hears gossip Grapevine system [SYSTEM] This channel is paused for 2 minutes.
         A hears gossip Grapevine system [SYSTEM] What is said here meanwhile is not passed on.
         B hears gossip Grapevine system [SYSTEM] This channel is paused for 2 minutes.
         B hears gossip Grapevine system [SYSTEM] What is said here meanwhile is not passed on.",
    );
    change(&mut stage, paused);
    stage.play(
        r#"
        A > channels/send r {"channel":"gossip","name":"Ana","message":"x"}
        A < channels/send r ok
        ~ 89
        A says gossip Ana x
        ~ 1
        A says gossip Ana well again
        B hears gossip GameA Ana well again
        "#,
    );
    assert_eq!(stage.hub.figures().dropped.paused, 2);
}

#[test]
fn what_a_game_shows_changes_with_its_registration() {
    let mut stage =
        play("A login tells,players\nB login players,games,tells\nA plays Ana\nB plays Bo");
    change(&mut stage, with_a(|game| game.display_players = false));
    stage.play(
        r#"
        B > players/status r
        B < players/status r {"game":"GameA","players":[]}
        A > tells/send r {"from_name":"Ana","to_game":"GameB","to_name":"Bo","message":"x"}
        A < tells/send r no missing support for "tells"
        B > tells/send r {"from_name":"Bo","to_game":"GameA","to_name":"Ana","message":"x"}
        B < tells/send r no not supported
        A > players/sign-in - {"name":"Abe"}
        "#,
    );
    change(&mut stage, with_a(|game| game.display = false));
    stage.play(
        r#"
        B > players/status r
        A drops
        ~ 61
        "#,
    );
}

#[test]
fn the_public_page_shows_what_games_show() {
    let mut stage = play("A login - gossip,moo\nH login\nP login\nA plays Ana\nP plays Pip");
    let mut games = stage.hub.listed_games();
    let hidden = games.pop().unwrap();
    assert_eq!(
        (hidden.short_name.as_str(), hidden.players_count),
        ("GameP", 1)
    );
    assert_eq!(hidden.players, None);
    let shown = games.pop().unwrap();
    assert_eq!(shown.players.as_deref(), Some(&["Ana".into()][..]));
    assert!(games.is_empty());
    stage.play("A drops");
    assert_eq!(stage.hub.listed_games().len(), 1);
}
