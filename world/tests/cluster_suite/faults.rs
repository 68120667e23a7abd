//! A node that dies takes the sockets on it, and nothing else.

use std::time::Duration;

use super::rig::{PLAYS_AGAIN, Rig, until_it_plays, who_are};

/// Kills a node that has all zones while Ann plays on another, and starts it again.
async fn zones_outlive(is_leader: bool) {
    let Some(mut rig) = Rig::start(3).await else {
        return;
    };
    let status = rig
        .until("n1", "a leader", |it| it.leader().is_some())
        .await;
    let leader = status.leader().unwrap().to_owned();
    let mut names = ["n1", "n2", "n3"].into_iter();
    let killed = names.find(|name| (*name == leader) == is_leader).unwrap();
    let mut others = ["n1", "n2", "n3"]
        .into_iter()
        .filter(|name| *name != killed);
    let (near, far) = (others.next().unwrap(), others.next().unwrap());
    for zone in ["zone:isle", "zone:cave"] {
        rig.place(zone, killed).await;
    }
    let mut ann = rig.player(near, "Ann").await;
    let mut bob = rig.player(far, "Bob").await;
    let mut cid = rig.player(killed, "Cid").await;
    cid.ask("say goodbye", "You say").await.unwrap();
    ann.expect("Cid says, \"goodbye\"").await.unwrap();
    rig.kill(killed);
    cid.closed().await.unwrap();
    let waited = until_it_plays(&mut ann, "anybody").await;
    assert!(waited < PLAYS_AGAIN, "{waited:?}");
    until_it_plays(&mut bob, "me").await;
    ann.expect("Bob says, \"me").await.unwrap();
    who_are(&mut ann, &["Ann", "Bob"]).await;
    rig.start_node(killed);
    rig.until(near, "the killed node is up", |status| {
        status.phase(killed) == Some("Up")
    })
    .await;
    let mut cid = rig.player(killed, "Cid").await;
    cid.ask("say back", "You say, \"back\"").await.unwrap();
    ann.expect("Cid says, \"back\"").await.unwrap();
    for bot in [&mut ann, &mut bob, &mut cid] {
        who_are(bot, &["Ann", "Bob", "Cid"]).await;
    }
}

#[tokio::test]
async fn the_zones_of_a_killed_follower_play_again_elsewhere() {
    zones_outlive(false).await;
}

#[tokio::test]
async fn the_zones_of_a_killed_leader_play_again_elsewhere() {
    zones_outlive(true).await;
}

/// Longer than a lease.
const PAUSE: Duration = Duration::from_secs(6);

#[tokio::test]
async fn an_owner_that_was_paused_does_no_harm_when_it_wakes() {
    let Some(rig) = Rig::start(3).await else {
        return;
    };
    let status = rig
        .until("n1", "a leader", |it| it.leader().is_some())
        .await;
    let leader = status.leader().unwrap().to_owned();
    let names = ["n1", "n2", "n3"];
    let paused = names.into_iter().find(|name| *name != leader).unwrap();
    let near = names.into_iter().rfind(|name| *name != paused).unwrap();
    rig.place("zone:isle", paused).await;
    let mut ann = rig.player(near, "Ann").await;
    let mut bob = rig.player(paused, "Bob").await;
    ann.expect("Bob comes into the game.").await.unwrap();
    let start = tokio::time::Instant::now();
    rig.signal(paused, "-STOP");
    bob.send_line("say from the past").await;
    until_it_plays(&mut ann, "awake").await;
    rig.until(near, "it is given up", |it| it.phase(paused) != Some("Up"))
        .await;
    tokio::time::sleep_until(start + PAUSE).await;
    ann.ask("get coin", "You get a gold coin.").await.unwrap();
    rig.signal(paused, "-CONT");
    rig.until(near, "it is up again", |it| it.phase(paused) == Some("Up"))
        .await;
    until_it_plays(&mut bob, "back").await;
    ann.expect("Bob says, \"back").await.unwrap();
    who_are(&mut ann, &["Ann", "Bob"]).await;
    who_are(&mut bob, &["Ann", "Bob"]).await;
    // The coin is where it was taken to, once.
    let room = bob.ask("look", "Exits:").await.unwrap();
    assert!(!room.contains("gold coin"), "{room}");
    let heard = ann.transcript();
    assert!(heard.matches("from the past").count() <= 1, "{heard}");
}

#[tokio::test]
async fn players_play_on_while_the_database_is_started_again() {
    let Some(rig) = Rig::on_own_server(2).await else {
        return;
    };
    let mut ann = rig.player("n1", "Ann").await;
    let mut bob = rig.player("n2", "Bob").await;
    ann.expect("Bob comes into the game.").await.unwrap();
    ann.ask("get coin", "You get a gold coin.").await.unwrap();
    rig.server().kill().unwrap();
    ann.ask("say on", "You say, \"on\"").await.unwrap();
    bob.expect("Ann says, \"on\"").await.unwrap();
    bob.ask("north", "The Yard").await.unwrap();
    ann.ask("north", "Bob is here.").await.unwrap();
    rig.server().start_again().unwrap();
    // Once saved, what was acknowledged before and meanwhile is there.
    ann.send_line("quit").await;
    ann.closed().await.unwrap();
    let mut ann = rig.player("n2", "Ann").await;
    ann.ask("look", "The Yard").await.unwrap();
    ann.ask("inventory", "gold coin").await.unwrap();
}
