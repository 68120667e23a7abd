//! A crash goes no further than its meaning: a room loses one message, a session one line, a closed
//! room its occupants to the recall room; the node and everybody else go on.

use belay_bots::Bot;
use serde_json::json;

use super::rig::{Rig, carried};

const NOT_THROUGH: &str = "The ground trembles; that did not get through.";
const TREMBLES: &str = "The ground trembles for a moment.";

/// Makes the room crash so often that it closes.
async fn close_room(staff: &mut Bot) {
    for _ in 0..3 {
        staff.ask("crash room", NOT_THROUGH).await.unwrap();
    }
    staff.send_line("crash room").await;
    staff.expect("The place around you closes.").await.unwrap();
}

const ADRIFT: &str = "No place is open to stand in just now.";

#[tokio::test]
async fn a_room_that_crashes_loses_one_command_and_nothing_else() {
    let rig = Rig::start();
    let mut zed = rig.staff("Zed").await;
    let mut ann = rig.player("Ann").await;
    zed.ask("get lantern", "You get a brass lantern.")
        .await
        .unwrap();
    zed.ask("drop lantern", "You drop a brass lantern.")
        .await
        .unwrap();
    zed.ask("get lantern", "You get").await.unwrap();
    let crashes = rig.status("crashes");
    zed.ask("crash room", NOT_THROUGH).await.unwrap();
    ann.expect(TREMBLES).await.unwrap();
    let seen = zed.ask("look", "An anvil stands here.").await.unwrap();
    for kept in [
        "Ann is here.",
        "A gold coin",
        "A brass lantern stands here.\n",
    ] {
        assert!(seen.contains(kept), "{kept} in {seen}");
    }
    zed.ask("say still here", "You say").await.unwrap();
    ann.expect("Zed says, \"still here\"").await.unwrap();
    ann.ask("north", "The Yard").await.unwrap();
    zed.expect("Ann leaves north.").await.unwrap();
    assert_eq!(carried(&mut zed).await, ["A brass lantern"]);
    assert_eq!(rig.status("crashes"), crashes + 1);
    assert_eq!(rig.status("players"), 2);
}

#[tokio::test]
async fn a_room_that_keeps_crashing_closes_and_its_people_are_taken_to_the_recall_room() {
    let rig = Rig::start();
    let mut zed = rig.staff("Zed").await;
    let mut ann = rig.player("Ann").await;
    let mut bob = rig.player("Bob").await;
    for (bot, way) in [(&mut zed, "north"), (&mut ann, "north"), (&mut bob, "east")] {
        bot.ask(way, "Exits:").await.unwrap();
    }
    close_room(&mut zed).await;
    for bot in [&mut zed, &mut ann] {
        bot.expect("The Square").await.unwrap();
        bot.prompt().await.unwrap();
    }
    for name in ["Zed", "Ann"] {
        let seen = bob.ask("look", "Exits:").await.unwrap();
        assert!(seen.contains(name) || bob.unread().contains(name), "{seen}");
    }
    ann.ask("say we are safe", "You say").await.unwrap();
    bob.expect("Ann says, \"we are safe\"").await.unwrap();
    bob.ask("west", "The Hall").await.unwrap();
    bob.ask("north", "The way is closed").await.unwrap();
    bob.ask("look", "The Hall").await.unwrap();
    // Who left the closed room in time, or logs in there, is not lost either.
    bob.ask("east", "The Square").await.unwrap();
}

#[tokio::test]
async fn a_zone_with_several_closed_rooms_restarts_and_its_rooms_open_again() {
    let rig = Rig::start();
    let mut zed = rig.staff("Zed").await;
    let mut ann = rig.player("Ann").await;
    ann.ask("get coin", "You get").await.unwrap();
    for room in ["first", "second", "third"] {
        zed.ask(&format!("goto cave/{room}"), "Exits:")
            .await
            .unwrap();
        close_room(&mut zed).await;
        zed.expect("The Square").await.unwrap();
        zed.prompt().await.unwrap();
    }
    zed.ask("goto cave/first", "The way is closed")
        .await
        .unwrap();
    // The fourth is one too many for the zone. Ann stands in a room of it, and a thing lies there.
    for (typed, answer) in [
        ("north", "The Yard"),
        ("up", "The Mouth"),
        ("drop coin", "You drop a gold coin."),
    ] {
        ann.ask(typed, answer).await.unwrap();
    }
    zed.ask("goto cave/fourth", "Exits:").await.unwrap();
    close_room(&mut zed).await;
    ann.expect("The place around you closes.").await.unwrap();
    ann.expect("The Square").await.unwrap();
    for room in ["first", "second", "third", "fourth"] {
        zed.ask(&format!("goto cave/{room}"), "Hollow")
            .await
            .unwrap();
    }
    let seen = zed.ask("north", "Exits:").await.unwrap();
    assert!(!seen.contains("Ann"), "nobody stands where she was: {seen}");
    let seen = zed.ask("look", "A gold coin lies here.").await.unwrap();
    assert_eq!(seen.matches("coin").count(), 1, "{seen}");
    for word in ["west", "north", "up"] {
        ann.ask(word, "Exits:").await.unwrap();
    }
    zed.expect("Ann arrives from below.").await.unwrap();
    assert_eq!(rig.status("players"), 2);
}

#[tokio::test]
async fn regression_a_small_zone_whose_rooms_have_all_closed_opens_again() {
    let rig = Rig::start();
    let (mut guest, _) = rig.guest().await;
    // All rooms where people are taken to or begin are among them.
    for room in ["isle/yard", "isle/square", "isle/hall"] {
        let request = json!({"command": "crash-room", "room": room});
        for _ in 0..4 {
            assert_eq!(rig.control(&request)["outcome"], "done");
        }
    }
    guest.expect("The place around you closes.").await.unwrap();
    guest.expect("Exits:").await.unwrap();
    let (mut other, _) = rig.guest().await;
    other.ask("look", "The Hall").await.unwrap();
    other.ask("north", "The Yard").await.unwrap();
    other.ask("south", "The Hall").await.unwrap();
    other.ask("east", "The Square").await.unwrap();
}

#[tokio::test]
async fn regression_who_is_adrift_is_told_once_and_taken_to_a_room_that_is_open() {
    let rig = Rig::start();
    let mut bob = rig.player("Bob").await;
    bob.ask("north", "The Yard").await.unwrap();
    let mut ann = rig.player("Ann").await;
    // Both rooms where people are taken to; the zone bears the loss of two.
    for room in ["isle/square", "isle/hall"] {
        let request = json!({"command": "crash-room", "room": room});
        for _ in 0..4 {
            assert_eq!(rig.control(&request)["outcome"], "done");
        }
    }
    ann.expect("The place around you closes.").await.unwrap();
    ann.expect(ADRIFT).await.unwrap();
    let seen = ann.expect("Exits:").await.unwrap();
    assert!(!seen.contains("closed just now"), "{seen}");
    assert!(!seen.contains(ADRIFT), "{seen}");
    ann.ask("look", "Exits:").await.unwrap();
    // Who comes into the game finds a place too.
    let (mut guest, _) = rig.guest().await;
    guest.ask("look", "Exits:").await.unwrap();
    // One more, and the zone opens all its rooms again.
    let request = json!({"command": "crash-room", "room": "isle/yard"});
    for _ in 0..4 {
        assert_eq!(rig.control(&request)["outcome"], "done");
    }
    bob.expect("The Square").await.unwrap();
    bob.ask("look", "The Square").await.unwrap();
}

#[tokio::test]
async fn a_session_that_crashes_keeps_socket_place_and_things() {
    let rig = Rig::start();
    let mut zed = rig.staff("Zed").await;
    let mut ann = rig.player("Ann").await;
    ann.ask("get coin", "You get a gold coin.").await.unwrap();
    ann.ask("north", "The Yard").await.unwrap();
    zed.ask("crash session ann", "A crash is on its way to Ann.")
        .await
        .unwrap();
    ann.expect("Something broke on your last line. You are back.")
        .await
        .unwrap();
    ann.ask("look", "The Yard").await.unwrap();
    assert_eq!(carried(&mut ann).await, ["A gold coin"]);
    zed.ask("tell ann alive?", "You tell Ann").await.unwrap();
    ann.expect("Zed tells you, \"alive?\"").await.unwrap();
    ann.ask("reply yes", "You tell Zed").await.unwrap();
    ann.ask("south", "Zed is here.").await.unwrap();
    zed.expect("Ann arrives from the north.").await.unwrap();
    zed.ask("who", "Ann and Zed").await.unwrap();
    // The own session, and again: each time only the line is lost.
    zed.ask("crash session", "You are back.").await.unwrap();
    zed.ask("say me too", "You say").await.unwrap();
    ann.expect("Zed says, \"me too\"").await.unwrap();
}

#[tokio::test]
async fn a_session_that_keeps_crashing_is_given_up_and_its_player_can_come_back() {
    let rig = Rig::start();
    let mut ann = rig.player("Ann").await;
    let mut bob = rig.player("Bob").await;
    ann.ask("get coin", "You get").await.unwrap();
    ann.ask("north", "The Yard").await.unwrap();
    let request = json!({"command": "crash-session", "name": "Ann"});
    for _ in 0..5 {
        assert_eq!(rig.control(&request)["outcome"], "done");
        ann.expect("You are back.").await.unwrap();
    }
    assert_eq!(rig.control(&request)["outcome"], "done");
    let (last, _) = ann.closed().await.unwrap();
    assert!(last.contains("Please log in again."), "{last}");
    let mut ann = rig.player("Ann").await;
    assert_eq!(carried(&mut ann).await, ["A gold coin"]);
    bob.ask("who", "Two players in all.").await.unwrap();
    bob.ask("tell ann hello", "You tell Ann").await.unwrap();
    ann.expect("Bob tells you").await.unwrap();
}

#[tokio::test]
async fn a_mob_that_crashes_is_there_again() {
    let rig = Rig::start();
    let mut zed = rig.staff("Zed").await;
    zed.ask("north", "Mog the cat is here.").await.unwrap();
    let crashes = rig.status("crashes");
    zed.ask("crash mob cat", "A crash is on its way to Mog the cat.")
        .await
        .unwrap();
    super::rig::until("the crash is counted", || rig.status("crashes") > crashes).await;
    let seen = zed.ask("look", "Exits:").await.unwrap();
    drop(seen);
    zed.ask("look cat", "It sits and looks.").await.unwrap();
    zed.ask("crash mob dog", "There is no dog here.")
        .await
        .unwrap();
    zed.ask("say fine", "You say").await.unwrap();
}

#[tokio::test]
async fn rooms_that_crash_under_walkers_lose_nobody() {
    let rig = Rig::with(&[
        "players.commands_per_s=10000",
        "players.commands_burst=10000",
    ]);
    let mut bots = Vec::new();
    for _ in 0..8 {
        bots.push(rig.guest().await.0);
    }
    let ways = ["north", "south", "east", "west"];
    let walking = bots.iter_mut().enumerate().map(|(start, bot)| async move {
        for step in 0..60 {
            let way = ways[(start + step) % ways.len()];
            bot.send_line(way).await;
            let answers = [
                "Exits:",
                "You cannot go",
                "did not get through",
                "closed",
                "closes",
            ];
            bot.expect_any(&answers).await.unwrap();
        }
    });
    let crashing = async {
        // Three of each: a fourth would close it.
        for round in 0..9 {
            let room = ["isle/hall", "isle/yard", "isle/square"][round % 3];
            let request = json!({"command": "crash-room", "room": room});
            assert_eq!(rig.control(&request)["outcome"], "done");
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
        }
    };
    futures_util::future::join(futures_util::future::join_all(walking), crashing).await;
    assert_eq!(rig.status("players"), 8);
    for bot in &mut bots {
        bot.discard_unread();
        bot.ask("score", "You are in ").await.unwrap();
        bot.ask("who", "Eight players in all.").await.unwrap();
        // Standing in exactly one place that knows them: the room answers.
        bot.ask("look", "Exits:").await.unwrap();
    }
}
