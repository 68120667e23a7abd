//! `[process]` One socket to other games for all nodes: it follows its shard, and players of every
//! node speak and are spoken to through it.

use super::rig::{Rig, until};
use crate::cluster::people::shards;
use crate::store::{NewNetworkRule, RuleKind, RuleSubject};
use belay_cluster::NodeId;
use belay_gossip::client::News;

fn on(rig: &Rig) -> Vec<u16> {
    let on = rig.worlds.iter().filter(|realm| realm.network.is_on());
    on.map(|realm| realm.id.0).collect()
}

fn line(text: &str) -> News {
    News::Channel {
        channel: "gossip".to_owned(),
        game: "Other".to_owned(),
        name: "Bo".to_owned(),
        message: text.to_owned(),
        missed: false,
    }
}

/// All nodes know that the network is reached.
async fn is_reached(rig: &Rig) {
    until("reached", || {
        rig.worlds
            .iter()
            .all(|realm| realm.services.bridge.report().status.is_online())
    })
    .await;
}

#[tokio::test]
async fn the_socket_is_on_where_its_shard_is_and_nowhere_else() {
    let mut rig = Rig::new(3).await;
    assert_eq!(on(&rig), [0; 0]);
    rig.mesh.place(&shards::gossip(), NodeId(1));
    assert_eq!(on(&rig), [1]);
    let (_ann, first) = rig.at(1).guest().await;
    let (bob, second) = rig.at(2).guest().await;
    let all = format!("{first} {second}");
    assert_eq!(rig.at(1).network.players(), all);
    assert!(rig.at(1).network.was_asked(&format!("in {second}")));
    assert!(!rig.at(2).network.was_asked(&format!("in {second}")));
    let (tell, told) = tokio::sync::oneshot::channel();
    rig.mesh
        .move_shard(&shards::gossip(), NodeId(2), |done| drop(tell.send(done)));
    told.await.unwrap().unwrap();
    assert_eq!(on(&rig), [2]);
    assert_eq!(rig.at(2).network.players(), all);
    // What the old socket still brings is not heard twice.
    rig.at(1).network.brings(line("late"));
    rig.kill(2).await;
    assert_eq!(on(&rig), [0; 0]);
    rig.mesh.place(&shards::gossip(), NodeId(3));
    assert_eq!(on(&rig), [3]);
    assert_eq!(rig.at(3).network.players(), first);
    drop(bob);
    rig.stop().await;
}

#[tokio::test]
async fn lines_go_out_and_come_in_through_the_one_socket_and_are_told_once() {
    let rig = Rig::new(3).await;
    rig.place_all(2);
    rig.mesh.place(&shards::gossip(), NodeId(1));
    is_reached(&rig).await;
    let mut bots = Vec::new();
    for realm in &rig.worlds {
        let (mut bot, _) = realm.guest().await;
        bot.asks("channel join gossip", "gossip").await;
        bots.push(bot);
    }
    bots[2].asks("gossip hello", "hello").await;
    for bot in &mut bots[..2] {
        bot.sees("hello").await;
    }
    let said = "say gossip Guest1n3: hello".to_owned();
    until("it went out", || rig.at(1).network.was_asked(&said)).await;
    for number in 1..=3 {
        let asked = rig.at(number).network.asked();
        let times = asked.iter().filter(|one| one.starts_with("say")).count();
        assert_eq!(times, usize::from(number == 1), "{asked:?}");
    }
    rig.at(1).network.brings(line("from afar"));
    bots[0].asks("gossip end", "end").await;
    for bot in &mut bots {
        if !bot.seen.contains("end") {
            bot.sees("end").await;
        }
        assert_eq!(bot.seen.matches("from afar").count(), 1, "{}", bot.seen);
        assert!(bot.seen.contains("Bo@Other"), "{}", bot.seen);
    }
    rig.stop().await;
}

#[tokio::test]
async fn tells_lists_and_notices_of_other_games_work_on_every_node() {
    let rig = Rig::new(3).await;
    rig.place_all(2);
    rig.mesh.place(&shards::gossip(), NodeId(1));
    rig.at(1).network.plays_elsewhere("Other", &["Bo", "Cy"]);
    is_reached(&rig).await;
    let (mut ann, name) = rig.at(3).guest().await;
    until("the roster", || {
        rig.at(3).services.bridge.report().players == 2
    })
    .await;
    ann.asks("tell b@oth hi", "You tell").await;
    let told = format!("tell {name} Bo@Other: hi");
    assert!(rig.at(1).network.was_asked(&told));
    ann.asks("games", "Other").await;
    let shown = ann.asks("who", "Other").await;
    assert!(shown.contains("Bo") && shown.contains("Cy"), "{shown}");
    rig.at(1).network.brings(News::Tell {
        from_game: "Other".to_owned(),
        from_name: "Cy".to_owned(),
        to_name: name.clone(),
        message: "welcome".to_owned(),
        sent_at: String::new(),
        receipt: None,
    });
    let shown = ann.sees("welcome").await;
    assert!(shown.contains("Cy@Other"), "{shown}");
    ann.asks("reply thanks", "You tell").await;
    // Without the socket's node each is told so.
    rig.mesh.cut(NodeId(1), NodeId(3));
    ann.asks("tell Bo@Other there?", "out of reach").await;
    rig.stop().await;
}

#[tokio::test]
async fn staff_on_any_node_switches_the_socket_and_mutes_players_of_all() {
    let rig = Rig::new(3).await;
    rig.place_all(2);
    rig.mesh.place(&shards::gossip(), NodeId(1));
    is_reached(&rig).await;
    rig.at(3).services.bridge.off();
    assert_eq!(on(&rig), [0; 0]);
    // The wish outlives the owner.
    rig.mesh.place(&shards::gossip(), NodeId(2));
    assert_eq!(on(&rig), [0; 0]);
    rig.at(1).services.bridge.on();
    assert_eq!(on(&rig), [2]);
    let (mut ann, name) = rig.at(3).guest().await;
    let rule = NewNetworkRule {
        subject: RuleSubject {
            kind: RuleKind::Mute,
            name,
        },
        reason: "spam".to_owned(),
        by: "Boss".to_owned(),
    };
    let (tell, told) = tokio::sync::oneshot::channel();
    let services = &rig.at(1).services;
    services
        .bridge
        .add_rule(&rig.store, rule, |added| drop(tell.send(added)));
    assert!(told.await.unwrap().unwrap());
    for realm in &rig.worlds {
        until("known", || realm.services.bridge.report().rules.len() == 1).await;
    }
    ann.asks("gossip hello", "Only players here read that")
        .await;
    rig.stop().await;
}
