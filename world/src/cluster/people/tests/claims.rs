//! `[process]` One session of an account in the cluster, whoever logs in where and whatever dies.

use super::rig::{Bot, PASSWORD, PATIENCE, Rig, until};
use crate::cluster::people::desk::Partition;
use crate::cluster::people::shards;
use crate::store::SessionEpoch;
use belay_cluster::NodeId;

/// In the end one of these plays, and the others were told and are closed.
async fn one_is_left(rig: &Rig, name: &str, bots: Vec<Bot>) -> Bot {
    let mut left = Vec::new();
    for mut bot in bots {
        if bot.is_in().await {
            left.push(bot);
        } else {
            assert!(
                bot.seen.contains("logged in from elsewhere"),
                "{}",
                bot.seen
            );
        }
    }
    // Who was in may have been taken over since.
    until("one entry", || {
        rig.worlds.iter().all(|realm| realm.who() == name) && rig.sessions_of(name) == 1
    })
    .await;
    let holder = rig
        .worlds
        .iter()
        .find(|realm| realm.services.players.find_exactly(name).is_some());
    let link = holder.unwrap().link_of(name);
    let at = left.iter().position(|bot| Some(bot.link) == link).unwrap();
    let winner = left.remove(at);
    for mut loser in left {
        assert!(loser.is_closed().await.contains("logged in from elsewhere"));
    }
    winner
}

#[tokio::test]
async fn a_login_elsewhere_lets_the_session_before_it_save_and_goes_on_from_there() {
    let rig = Rig::new(3).await;
    rig.place_all(3);
    rig.account("Ann").await;
    let mut first = rig.at(1).log_in("Ann").await;
    first.asks("north", "The Yard").await;
    let mut second = rig.at(2).log_in("Ann").await;
    assert!(first.is_closed().await.contains("logged in from elsewhere"));
    second.asks("look", "The Yard").await;
    // On its own node it goes on as ever: its connection is taken over.
    let mut third = rig.at(2).at_the_door("Ann").await;
    third.type_line("1");
    third.sees("Your session goes on").await;
    second.is_closed().await;
    third.asks("look", "The Yard").await;
    for realm in &rig.worlds {
        assert_eq!(realm.who(), "Ann");
    }
    rig.stop().await;
}

#[tokio::test]
async fn of_two_logins_at_once_one_is_left_and_the_other_is_told() {
    let rig = Rig::new(3).await;
    rig.account("Ann").await;
    // The owner beside one of them, the other, and apart.
    for round in 0..12_u16 {
        rig.place_all(1 + round % 3);
        let (one, two) = (
            rig.at(1).at_the_door("Ann").await,
            rig.at(2).at_the_door("Ann").await,
        );
        let order = if round % 2 == 0 {
            [&one, &two]
        } else {
            [&two, &one]
        };
        order[0].type_line("1");
        // So far the first may come before the second claims.
        for _ in 0..(round / 2) * 7 {
            tokio::task::yield_now().await;
        }
        order[1].type_line("1");
        let mut winner = one_is_left(&rig, "Ann", vec![one, two]).await;
        winner.type_line("quit");
        winner.is_closed().await;
        until("it left", || rig.sessions_of("Ann") == 0).await;
    }
    rig.stop().await;
}

#[tokio::test]
async fn many_logins_at_once_on_all_nodes_leave_one() {
    let rig = Rig::new(3).await;
    rig.place_all(2);
    rig.account("Ann").await;
    for _ in 0..3 {
        let mut bots = Vec::new();
        for realm in &rig.worlds {
            bots.push(realm.at_the_door("Ann").await);
        }
        bots.iter().for_each(|bot| bot.type_line("1"));
        let mut winner = one_is_left(&rig, "Ann", bots).await;
        winner.type_line("quit");
        winner.is_closed().await;
        until("it left", || rig.sessions_of("Ann") == 0).await;
    }
    rig.stop().await;
}

#[tokio::test]
async fn an_owner_that_dies_amid_claims_leaves_them_to_the_next_one() {
    let mut rig = Rig::new(3).await;
    rig.place_all(3);
    rig.account("Ann").await;
    rig.account("Bob").await;
    let mut ann = rig.at(1).log_in("Ann").await;
    // Nothing of what the owner says comes through: it is cut off, and then dead.
    rig.mesh.cut(NodeId(3), NodeId(2));
    let mut bob = rig.at(2).at_the_door("Bob").await;
    bob.type_line("1");
    bob.sees("Please wait").await;
    rig.kill(3).await;
    rig.place_all(2);
    bob.sees("Welcome").await;
    // The new owner knows who plays where.
    let mut again = rig.at(2).at_the_door("Ann").await;
    again.type_line("1");
    again.sees("Welcome").await;
    assert!(ann.is_closed().await.contains("logged in from elsewhere"));
    until("both", || rig.at(1).who() == "Ann Bob").await;
    rig.stop().await;
}

#[tokio::test]
async fn a_new_owner_grants_nothing_before_all_living_nodes_have_said_what_they_hold() {
    let rig = Rig::new(3).await;
    rig.place_all(3);
    let (account, _) = rig.account("Ann").await;
    let mut first = rig.at(1).log_in("Ann").await;
    // The next owner cannot hear the node where the session plays.
    rig.mesh.cut(NodeId(1), NodeId(2));
    let shard = shards::accounts(Partition::of(account).0);
    rig.mesh.place(&shard, NodeId(2));
    let mut second = rig.at(3).at_the_door("Ann").await;
    second.type_line("1");
    second.sees("Please wait").await;
    first.asks("north", "The Yard").await;
    rig.mesh.heal(NodeId(1), NodeId(2));
    second.sees("Welcome").await;
    assert!(first.is_closed().await.contains("logged in from elsewhere"));
    second.asks("look", "The Yard").await;
    rig.stop().await;
}

#[tokio::test]
async fn who_played_on_a_node_that_died_resumes_elsewhere_and_stands_where_they_stood() {
    let mut rig = Rig::new(3).await;
    rig.place_all(3);
    rig.account("Ann").await;
    let mut first = rig.at(1).log_in("Ann").await;
    first.asks("north", "The Yard").await;
    let token = first.asks("resume", "It works once").await;
    let token = token
        .lines()
        .find(|line| line.starts_with("resume "))
        .unwrap();
    let token = token.trim().to_owned();
    rig.saved("Ann", "town/yard").await;
    rig.kill(1).await;
    let mut second = rig.at(2).connect();
    second.sees("Name").await;
    second.type_line(&token);
    second.sees("Welcome").await;
    second.asks("look", "The Yard").await;
    assert_eq!(rig.at(3).who(), "Ann");
    rig.stop().await;
}

#[tokio::test]
async fn without_an_owner_a_login_waits_with_a_word_and_a_hang_up_ends_it() {
    let rig = Rig::new(2).await;
    let (account, _) = rig.account("Ann").await;
    let mut one = rig.at(1).at_the_door("Ann").await;
    one.type_line("1");
    one.sees("Please wait").await;
    one.hang_up();
    until("it is over", || rig.at(1).sessions() == 0).await;
    assert!(rig.at(1).services.claims.lookup(&account).is_none());
    rig.place_all(2);
    let mut two = rig.at(2).log_in("Ann").await;
    two.asks("score", "Ann").await;
    rig.stop().await;
}

#[tokio::test]
async fn a_partition_moves_while_its_accounts_play() {
    let rig = Rig::new(3).await;
    rig.place_all(1);
    let (account, _) = rig.account("Ann").await;
    let mut first = rig.at(2).log_in("Ann").await;
    let shard = shards::accounts(Partition::of(account).0);
    let (tell, told) = tokio::sync::oneshot::channel();
    rig.mesh
        .move_shard(&shard, NodeId(3), |done| drop(tell.send(done)));
    tokio::time::timeout(PATIENCE, told)
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    let _second = rig.at(1).log_in("Ann").await;
    assert!(first.is_closed().await.contains("logged in from elsewhere"));
    let mut wrong = rig.at(1).connect();
    wrong.sees("Name").await;
    wrong.type_line("Ann");
    wrong.sees("Password").await;
    wrong.type_line(&PASSWORD.to_uppercase());
    wrong.sees("wrong").await;
    rig.stop().await;
}

#[tokio::test]
async fn a_session_that_did_not_hear_of_its_successor_writes_nothing_and_ends() {
    let rig = Rig::new(2).await;
    rig.place_all(2);
    let (_, character) = rig.account("Ann").await;
    let mut ann = rig.at(1).log_in("Ann").await;
    ann.asks("north", "The Yard").await;
    rig.saved("Ann", "town/yard").await;
    // As a node does that has taken over from one that was given up.
    let (tell, told) = tokio::sync::oneshot::channel();
    let later = SessionEpoch(i64::MAX.unsigned_abs());
    rig.store
        .claim_character(character, later, |claimed| drop(tell.send(claimed)));
    told.await.unwrap().unwrap();
    ann.asks("south", "The Hall").await;
    assert!(ann.is_closed().await.contains("logged in from elsewhere"));
    until("it is over", || rig.at(1).sessions() == 0).await;
    rig.saved("Ann", "town/yard").await;
    // A login with a number that is not the highest does not get in.
    let mut again = rig.at(1).at_the_door("Ann").await;
    again.type_line("1");
    assert!(again.is_closed().await.contains("Busy"));
    rig.stop().await;
}
