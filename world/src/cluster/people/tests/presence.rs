//! `[process]` Who plays, tells, gifts, and what staff does, over nodes.

use super::rig::{PASSWORD, Rig, until};
use crate::cluster::people::{Errand, OutOfReach, Reply};
use crate::ids::{LineId, RoomId};
use crate::node::Far;
use crate::ring::SessionMessage;
use crate::store::{BanSubject, NewBan};
use belay_cluster::NodeId;

#[tokio::test]
async fn who_plays_is_the_same_on_all_nodes_and_each_name_stands_there_once() {
    let rig = Rig::new(3).await;
    let (mut one, first) = rig.at(1).guest().await;
    let (_two, second) = rig.at(2).guest().await;
    let (three, third) = rig.at(3).guest().await;
    assert_eq!(
        [&*first, &*second, &*third],
        ["Guest1n1", "Guest1n2", "Guest1n3"]
    );
    let all = format!("{first} {second} {third}");
    for realm in &rig.worlds {
        until("all know all", || realm.who() == all).await;
    }
    let shown = one.asks("who", "Three players").await;
    for name in [&first, &second, &third] {
        assert_eq!(shown.matches(&**name).count(), 1, "{shown}");
    }
    three.type_line("quit");
    for realm in &rig.worlds {
        until("it left", || realm.who() == format!("{first} {second}")).await;
    }
    rig.stop().await;
}

/// The fifth of ExVenture's faults: every node's list got entries from everybody and kept them.
#[tokio::test]
async fn regression_players_were_doubled_in_the_list_when_nodes_came_back() {
    let mut rig = Rig::new(3).await;
    let (_one, first) = rig.at(1).guest().await;
    let (_two, second) = rig.at(2).guest().await;
    let (_three, third) = rig.at(3).guest().await;
    let all = format!("{first} {second} {third}");
    for realm in &rig.worlds {
        until("all know all", || realm.who() == all).await;
    }
    let (a, b) = (NodeId(1), NodeId(2));
    for _ in 0..5 {
        rig.mesh.cut(a, b);
        assert_eq!(rig.at(1).who(), all, "kept through a cut");
        let (people, _) = rig.at(1).services.players.list(Some(&second), 9);
        assert!(people[0].linkdead, "with a mark");
        rig.mesh.heal(a, b);
        let (people, total) = rig.at(1).services.players.list(Some(&second), 9);
        assert_eq!((people[0].linkdead, total), (false, 1));
        assert_eq!([rig.at(1).who(), rig.at(2).who()], [&*all, &*all]);
    }
    rig.kill(3).await;
    for realm in &rig.worlds {
        until("it is gone", || realm.who() == format!("{first} {second}")).await;
    }
    rig.stop().await;
}

#[tokio::test]
async fn a_tell_and_its_answer_cross_nodes_both_ways() {
    let rig = Rig::new(2).await;
    let (mut ann, first) = rig.at(1).guest().await;
    let (mut bob, second) = rig.at(2).guest().await;
    ann.asks(&format!("tell {second} hello"), "You tell").await;
    let heard = bob.sees("hello").await;
    assert!(heard.contains(&first), "{heard}");
    bob.asks("reply to you too", "You tell").await;
    ann.sees("to you too").await;
    bob.asks("away at lunch", "away").await;
    let shown = ann
        .asks(&format!("tell {second} you there?"), "at lunch")
        .await;
    assert!(shown.contains("you there?"), "{shown}");
    ann.asks("tell nobody hi", "Nobody called").await;
    // By a beginning that is only theirs.
    ann.asks("tell guest1n2 hi", "You tell").await;
    rig.stop().await;
}

#[tokio::test]
async fn who_is_cut_off_cannot_be_told_and_the_teller_learns_it() {
    let rig = Rig::new(2).await;
    let (mut ann, _) = rig.at(1).guest().await;
    let (mut bob, second) = rig.at(2).guest().await;
    until("known", || rig.at(1).who().contains(&*second)).await;
    rig.mesh.cut(NodeId(1), NodeId(2));
    let tell = format!("tell {second} hello");
    ann.asks(&tell, "cannot be reached just now").await;
    rig.mesh.heal(NodeId(1), NodeId(2));
    ann.asks(&tell, "You tell").await;
    bob.sees("hello").await;
    rig.stop().await;
}

#[tokio::test]
async fn a_player_who_left_meanwhile_is_nobody_and_one_with_a_full_mailbox_cannot_listen() {
    let rig = Rig::new(2).await;
    let (_bob, second) = rig.at(2).guest().await;
    let ask = |name: &str| {
        let far = Far {
            node: NodeId(2),
            name: name.into(),
            guest: true,
        };
        let tell = Errand::Tell {
            from: "Ann".to_owned(),
            text: "hi".to_owned(),
        };
        // Without a wait in between: the mesh lets through at once.
        let (answer, answered) = std::sync::mpsc::sync_channel(1);
        let people = &rig.at(1).services.people;
        people.ask(&far, tell, move |reply| answer.send(reply).unwrap());
        answered.try_recv().unwrap()
    };
    assert_eq!(ask("Gone"), Ok(Reply::Nobody));
    let told = |name: &str| Reply::Told {
        name: name.to_owned(),
        away: None,
    };
    assert_eq!(ask(&second), Ok(told(&second)));
    let bob = rig.at(2).services.players.find_exactly(&second).unwrap();
    let fill = || SessionMessage::Follow(LineId(0), RoomId(0));
    while bob.session.try_send(fill()).is_ok() {}
    let full = Reply::Full {
        name: second.clone(),
    };
    assert_eq!(ask(&second), Ok(full));
    rig.mesh.cut(NodeId(1), NodeId(2));
    assert_eq!(ask(&second), Err(OutOfReach));
    rig.stop().await;
}

#[tokio::test]
async fn staff_kicks_follows_and_bans_across_nodes_and_that_is_on_record() {
    let rig = Rig::new(2).await;
    rig.place_all(1);
    let (boss, _) = rig.account("Boss").await;
    rig.account("Ann").await;
    let mut staff = rig.at(1).log_in("Boss").await;
    rig.at(2).services.staff(boss, true);
    staff.asks("score", "staff").await;
    let (mut guest, name) = rig.at(2).guest().await;
    guest.asks("north", "The Yard").await;
    staff.asks(&format!("goto {name}"), "The Yard").await;
    staff.asks(&format!("crash session {name}"), "crash").await;
    guest.sees("You are back").await;
    staff.asks(&format!("kick {name} be nice"), &name).await;
    assert!(guest.is_closed().await.contains("be nice"));
    let mut ann = rig.at(2).log_in("Ann").await;
    staff.asks("ban account Ann 1h spam", "Ann").await;
    assert!(ann.is_closed().await.contains("spam"));
    let mut again = rig.at(2).connect();
    again.sees("Name").await;
    again.type_line("Ann");
    assert!(again.is_closed().await.contains("banned"));
    rig.stop().await;
}

#[tokio::test]
async fn a_ban_that_was_said_while_the_wire_was_down_holds_when_it_is_back() {
    let rig = Rig::new(2).await;
    rig.place_all(2);
    rig.account("Ann").await;
    let mut ann = rig.at(2).log_in("Ann").await;
    rig.mesh.cut(NodeId(1), NodeId(2));
    let ban = NewBan {
        subject: BanSubject::Account(crate::account::Name::restore("Ann").unwrap()),
        reason: "spam".to_owned(),
        by: "Boss".to_owned(),
        lasts: None,
    };
    let (tell, told) = tokio::sync::oneshot::channel();
    rig.store
        .add_ban(ban.clone(), |added| drop(tell.send(added)));
    told.await.unwrap().unwrap();
    rig.at(1).services.ban_everywhere(&ban);
    ann.asks("score", "Ann").await;
    rig.mesh.heal(NodeId(1), NodeId(2));
    assert!(ann.is_closed().await.contains("spam"));
    rig.at(1).services.lift_ban(&ban.subject);
    let mut again = rig.at(2).connect();
    again.sees("Name").await;
    again.type_line("Ann");
    again.sees("Password").await;
    again.type_line(PASSWORD);
    again.sees("Which").await;
    rig.stop().await;
}
