//! Players see, hear and follow each other, whatever they connect with.

use belay_bots::{Bot, Lost};

use super::rig::{Rig, play};

/// Compares what was typed and seen since the player came in with a transcript.
fn check(bot: &Bot, expected: &[&str]) {
    let lines = play(bot);
    let start = lines
        .iter()
        .position(|line| line.starts_with("< Welcome, "));
    assert_eq!(&lines[start.unwrap()..], expected);
}

const ANN: &[&str] = &[
    "< Welcome, Ann.",
    "< The Hall",
    "< A plain hall.",
    "< Exits: north and east.",
    "< A gold coin lies here.",
    "< A brass lantern stands here. (2)",
    "< An anvil stands here.",
    "< Bob comes into the game.",
    "< Bob leaves north.",
    "> say nobody hears this",
    "< You say, \"nobody hears this\"",
    "> n",
    "< The Yard",
    "< A plain yard.",
    "< Exits: south and up.",
    "< Bob is here.",
    "< Mog the cat is here.",
    "> say hello",
    "< You say, \"hello\"",
    "< Bob waves.",
    "< Bob tells you, \"in your ear\"",
    "> reply and in yours",
    "< You tell Bob, \"and in yours\"",
    "< Bob leaves up.",
    "> u",
    "< The Mouth",
    "< A way into the rock.",
    "< Exits: north, east, south, west and down.",
    "< Bob is here.",
];

const BOB: &[&str] = &[
    "< Welcome, Bob.",
    "< The Hall",
    "< A plain hall.",
    "< Exits: north and east.",
    "< Ann is here.",
    "< A gold coin lies here.",
    "< A brass lantern stands here. (2)",
    "< An anvil stands here.",
    "> north",
    "< The Yard",
    "< A plain yard.",
    "< Exits: south and up.",
    "< Mog the cat is here.",
    "< Ann arrives from the south.",
    "< Ann says, \"hello\"",
    "> emote waves.",
    "< Bob waves.",
    "> tell ann in your ear",
    "< You tell Ann, \"in your ear\"",
    "< Ann tells you, \"and in yours\"",
    "> up",
    "< The Mouth",
    "< A way into the rock.",
    "< Exits: north, east, south, west and down.",
    "< Ann arrives from below.",
];

#[tokio::test]
async fn two_players_in_two_rooms_see_hear_and_follow_each_other() {
    let rig = Rig::start();
    let mut ann = rig.player("Ann").await;
    let mut bob = rig.player("Bob").await;
    ann.expect("Bob comes into the game.").await.unwrap();
    bob.ask("north", "Mog the cat").await.unwrap();
    ann.expect("Bob leaves north.").await.unwrap();
    ann.ask("say nobody hears this", "You say").await.unwrap();
    ann.ask("n", "Mog the cat").await.unwrap();
    bob.expect("Ann arrives from the south.").await.unwrap();
    ann.ask("say hello", "You say").await.unwrap();
    bob.expect("Ann says, \"hello\"").await.unwrap();
    bob.ask("emote waves.", "Bob waves.").await.unwrap();
    ann.expect("Bob waves.").await.unwrap();
    bob.ask("tell ann in your ear", "You tell").await.unwrap();
    ann.expect("Bob tells you").await.unwrap();
    ann.ask("reply and in yours", "You tell").await.unwrap();
    bob.expect("Ann tells you").await.unwrap();
    bob.ask("up", "Exits:").await.unwrap();
    ann.expect("Bob leaves up.").await.unwrap();
    ann.ask("u", "Bob is here.").await.unwrap();
    bob.expect("Ann arrives from below.").await.unwrap();
    check(&ann, ANN);
    check(&bob, BOB);
}

#[tokio::test]
async fn a_web_socket_player_and_a_telnet_player_hear_each_other() {
    let rig = Rig::start();
    let (mut web, entry) = Bot::guest(rig.web_socket()).await.unwrap();
    let mut ann = rig.player("Ann").await;
    web.expect("Ann comes into the game.").await.unwrap();
    web.ask("say hello", "You say, \"hello\"").await.unwrap();
    let heard = format!("{} says, \"hello\"", entry.name);
    ann.expect(&heard).await.unwrap();
    ann.ask("say well met", "You say").await.unwrap();
    web.expect("Ann says, \"well met\"").await.unwrap();
    web.ask("north", "The Yard").await.unwrap();
    let left = format!("{} leaves north.", entry.name);
    ann.expect(&left).await.unwrap();
    web.send_line("quit").await;
    let (last, lost) = web.closed().await.unwrap();
    assert!(last.contains("Goodbye."), "{last}");
    assert_eq!(lost, Lost::ClosedWith(1000));
    ann.ask("who", "One player in all.").await.unwrap();
}

#[tokio::test]
async fn a_wrong_word_or_way_or_thing_gets_a_helpful_line() {
    let rig = Rig::start();
    let (mut guest, _) = rig.guest().await;
    for (typed, answer) in [
        ("lok", "I do not know the word \"lok\". Did you mean look?"),
        ("west", "You cannot go that way."),
        ("get moon", "There is no moon here."),
        ("drop moon", "You carry no moon."),
        ("get anvil", "You cannot take an anvil."),
        ("tell nemo hello", "Nobody called nemo plays just now."),
        ("reply hello", "Nobody has told you anything yet."),
        ("give", "Give what to whom?"),
        ("crash room", "Only staff can do that."),
        ("password", "Guests cannot do that."),
        ("resume", "Guests cannot do that."),
    ] {
        guest.ask(typed, answer).await.unwrap();
    }
}

#[tokio::test]
async fn one_who_is_away_is_marked_and_tells_why() {
    let rig = Rig::start();
    let mut ann = rig.player("Ann").await;
    let mut bob = rig.player("Bob").await;
    ann.ask("afk tea", "You are away now: tea.").await.unwrap();
    bob.ask("tell ann hey", "Ann is away: tea.").await.unwrap();
    bob.ask("look", "Ann (away)").await.unwrap();
    ann.ask("look", "You are back.").await.unwrap();
    bob.ask("tell ann hey", "You tell Ann").await.unwrap();
    let after = bob.ask("look", "is here.").await.unwrap();
    assert!(after.contains("Ann is here."), "{after}");
}

#[tokio::test]
async fn regression_who_types_on_after_quit_reads_the_goodbye() {
    let rig = Rig::start();
    for _ in 0..10 {
        let (mut guest, _) = rig.guest().await;
        guest.send_bytes(b"quit\r\n").await;
        for _ in 0..20 {
            guest.send_bytes(b"look\r\n").await;
            tokio::task::yield_now().await;
        }
        let (last, _) = guest.closed().await.unwrap();
        assert!(last.contains("Goodbye."), "{last}");
        assert!(!last.contains("Your session has ended"), "{last}");
    }
}
