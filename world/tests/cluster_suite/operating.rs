//! What an operator orders happens, and players notice little.

use super::operator::stderr;
use super::rig::{Rig, until_it_plays};

/// How many lines a player types into a move.
const LINES: usize = 200;

#[tokio::test]
async fn a_drained_node_owns_nothing_and_its_players_play_on() {
    let Some(mut rig) = Rig::start(3).await else {
        return;
    };
    rig.place("zone:isle", "n2").await;
    let mut ann = rig.player("n2", "Ann").await;
    let output = rig.belay("n1", &["cluster", "drain", "n2"]);
    assert!(output.status.success(), "{}", stderr(&output));
    rig.until("n1", "n2 owns nothing", |it| it.owned("n2") == 0)
        .await;
    until_it_plays(&mut ann, "drained").await;
    let figures = rig.metrics("n1");
    for peer in ["n2", "n3"] {
        let up = format!("belay_cluster_peer_up{{peer=\"{peer}\",lane=\"control\"}} 1");
        assert!(figures.lines().any(|line| line == up), "{up}\n{figures}");
        let sent =
            format!("belay_cluster_peer_sent_frames_total{{peer=\"{peer}\",lane=\"play\"}} ");
        assert!(figures.contains(&sent), "{sent}\n{figures}");
    }
    // A node that is told to stop hands its zones on first.
    rig.place("zone:isle", "n3").await;
    let mut bob = rig.player("n1", "Bob").await;
    assert_eq!(rig.stop("n3"), Some(0));
    assert_ne!(rig.status("n1").owner("zone:isle"), Some("n3"));
    bob.ask("say still here", "You say, \"still here\"")
        .await
        .unwrap();
}

#[tokio::test]
async fn lines_typed_into_a_move_are_answered_once_and_in_order() {
    let Some(rig) = Rig::start(3).await else {
        return;
    };
    rig.place("zone:isle", "n2").await;
    let mut ann = rig.player("n1", "Ann").await;
    let mut bob = rig.player("n3", "Bob").await;
    ann.expect("Bob comes into the game.").await.unwrap();
    let typing = async {
        for number in 0..LINES {
            ann.send_line(&format!("say line {number}.")).await;
            let answer = format!("You say, \"line {number}.\"");
            if number % 8 == 7 {
                ann.expect(&answer).await.unwrap();
            }
        }
    };
    let moving = async {
        for node in ["n3", "n1", "n2"] {
            rig.place("zone:isle", node).await;
        }
    };
    tokio::join!(typing, moving);
    let last = format!("Ann says, \"line {}.\"", LINES - 1);
    bob.expect(&last).await.unwrap();
    for (bot, start) in [(&ann, "You say, \""), (&bob, "Ann says, \"")] {
        let heard: Vec<String> = bot
            .transcript()
            .lines()
            .filter_map(|line| line.split_once(start))
            .map(|(_, rest)| rest.trim_end_matches('"').to_owned())
            .collect();
        let typed: Vec<String> = (0..LINES).map(|number| format!("line {number}.")).collect();
        assert_eq!(heard, typed);
    }
}

#[tokio::test]
async fn a_zone_that_was_taken_out_of_the_areas_is_retired_and_its_players_begin_elsewhere() {
    let Some(mut rig) = Rig::start(2).await else {
        return;
    };
    let mut ann = rig.player("n2", "Ann").await;
    for (way, room) in [("north", "The Yard"), ("up", "The Mouth")] {
        ann.ask(way, room).await.unwrap();
    }
    let refused = rig.belay("n1", &["cluster", "retire", "cave"]);
    assert_eq!(refused.status.code(), Some(65), "{}", stderr(&refused));
    ann.send_line("quit").await;
    ann.closed().await.unwrap();
    for name in ["n1", "n2"] {
        rig.stop(name);
    }
    let isle = Rig::area("isle.toml").replace(", up = \"cave/mouth\"", "");
    rig.change_areas(&[("world.toml", Rig::area("world.toml")), ("isle.toml", isle)]);
    for name in ["n1", "n2"] {
        rig.start_node(name);
    }
    rig.until("n1", "both are at work again", |it| {
        it.lives() == [2, 2] && it.up() == 2 && it.owner("zone:isle").is_some()
    })
    .await;
    let status = rig.belay("n1", &["cluster", "status"]);
    let words = String::from_utf8_lossy(&status.stdout).into_owned();
    assert!(words.contains("belay cluster retire zone:cave"), "{words}");
    let retired = rig.belay("n2", &["cluster", "retire", "cave"]);
    assert!(retired.status.success(), "{}", stderr(&retired));
    rig.until("n2", "the cave is gone", |it| !it.has("zone:cave"))
        .await;
    let mut ann = rig.player("n1", "Ann").await;
    ann.ask("look", "The Hall").await.unwrap();
    // Who joins has the areas that all have now, and not those with which the cluster began.
    rig.start_node("n3");
    rig.until("n1", "the third is up", |it| it.up() == 3).await;
}
