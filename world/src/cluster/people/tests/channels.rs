//! `[process]` Channels over nodes: one order, told once to everybody, remembered by whoever owns
//! the channel next.

use super::rig::{Bot, PATIENCE, Rig, until};
use crate::cluster::people::shards;
use crate::ids::ChannelId;
use belay_cluster::NodeId;

const CHAT: ChannelId = ChannelId(0);

/// The lines of the channel that a player has seen, the own ones included, in their order.
async fn heard(bot: &mut Bot, last: &str) -> Vec<String> {
    bot.sees(last).await;
    let lines = bot.seen.lines().filter(|line| line.contains("line-"));
    let texts = lines.filter_map(|line| line.split("line-").nth(1));
    texts
        .map(|text| text.trim_end_matches('"').trim().to_owned())
        .collect()
}

#[tokio::test]
async fn a_line_is_told_once_on_every_node_and_answers_its_speaker() {
    let rig = Rig::new(3).await;
    rig.place_all(2);
    let mut bots = Vec::new();
    for realm in &rig.worlds {
        bots.push(realm.guest().await.0);
    }
    let before: Vec<u64> = (1..=3)
        .map(|to| rig.mesh.sent(NodeId(2), NodeId(to)))
        .collect();
    bots[0].asks("chat line-a", "line-a").await;
    for bot in &mut bots[1..] {
        bot.sees("line-a").await;
    }
    let after: Vec<u64> = (1..=3)
        .map(|to| rig.mesh.sent(NodeId(2), NodeId(to)))
        .collect();
    assert_eq!(
        [after[0] - before[0], after[2] - before[2]],
        [1, 1],
        "one message a node"
    );
    for bot in &mut bots {
        bot.asks("chat", "line-a").await;
        bot.asks("channels", "three in all").await;
    }
    let shown = bots[0].asks("channel who chat", "Guest1n3").await;
    assert!(shown.contains("Guest1n1"), "{shown}");
    for bot in &bots {
        assert_eq!(bot.seen.matches("line-a").count(), 2, "{}", bot.seen);
    }
    rig.stop().await;
}

#[tokio::test]
async fn what_many_say_at_once_is_in_the_same_order_everywhere() {
    let rig = Rig::new(3).await;
    rig.place_all(3);
    let mut bots = Vec::new();
    for realm in &rig.worlds {
        for _ in 0..2 {
            bots.push(realm.guest().await.0);
        }
    }
    for round in 0..5 {
        for (who, bot) in bots.iter().enumerate() {
            bot.type_line(&format!("chat line-{who}.{round}"));
        }
        // More at once than a channel tells is refused to its players.
        for bot in &mut bots {
            bot.sees(&format!(".{round}")).await;
        }
        until("all is told", || {
            rig.worlds
                .iter()
                .all(|realm| realm.services.channels.count(CHAT) == 2)
        })
        .await;
        for _ in 0..200 {
            tokio::task::yield_now().await;
        }
    }
    bots[0].type_line("chat line-end");
    let mut orders = Vec::new();
    for bot in &mut bots {
        orders.push(heard(bot, "line-end").await);
    }
    assert_eq!(orders[0].len(), 31);
    for order in &orders {
        assert_eq!(*order, orders[0]);
    }
    rig.stop().await;
}

#[tokio::test]
async fn a_new_owner_begins_with_what_the_nodes_remember_and_nothing_is_doubled() {
    let mut rig = Rig::new(3).await;
    rig.place_all(3);
    let (mut ann, _) = rig.at(1).guest().await;
    let (mut bob, _) = rig.at(2).guest().await;
    ann.asks("chat line-1", "line-1").await;
    bob.sees("line-1").await;
    // The next owner does not hear this one, and another node does.
    rig.mesh.cut(NodeId(3), NodeId(2));
    ann.asks("chat line-2", "line-2").await;
    bob.asks("chat line-x", "cannot be reached just now").await;
    rig.kill(3).await;
    rig.mesh.place(&shards::channel("chat"), NodeId(2));
    bob.asks("chat line-3", "line-3").await;
    ann.sees("line-3").await;
    for bot in [&mut ann, &mut bob] {
        bot.seen.clear();
        let known = bot.asks("chat", "line-3").await;
        let at = |text: &str| {
            known
                .find(text)
                .unwrap_or_else(|| panic!("{text}: {known}"))
        };
        assert!(
            at("line-1") < at("line-2") && at("line-2") < at("line-3"),
            "{known}"
        );
        assert_eq!(known.matches("line-").count(), 3, "{known}");
    }
    rig.stop().await;
}

#[tokio::test]
async fn lines_of_a_cut_are_remembered_when_the_wire_is_back_and_a_move_loses_none() {
    let rig = Rig::new(3).await;
    rig.place_all(1);
    let (mut ann, _) = rig.at(1).guest().await;
    let (mut bob, _) = rig.at(2).guest().await;
    rig.mesh.cut(NodeId(1), NodeId(2));
    ann.asks("chat line-1", "line-1").await;
    rig.mesh.heal(NodeId(1), NodeId(2));
    ann.asks("chat line-2", "line-2").await;
    bob.sees("line-2").await;
    assert!(!bob.seen.contains("line-1"));
    let known = bob.asks("chat", "line-2").await;
    assert!(known.contains("line-1"), "{known}");
    let (tell, told) = tokio::sync::oneshot::channel();
    let chat = shards::channel("chat");
    rig.mesh
        .move_shard(&chat, NodeId(3), |done| drop(tell.send(done)));
    tokio::time::timeout(PATIENCE, told)
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    bob.asks("chat line-3", "line-3").await;
    let shown = ann.sees("line-3").await;
    assert_eq!(shown.matches("line-3").count(), 1);
    let (mut cid, _) = rig.at(3).guest().await;
    let known = cid.asks("chat", "line-3").await;
    for text in ["line-1", "line-2"] {
        assert!(known.contains(text), "{known}");
    }
    rig.stop().await;
}

#[tokio::test]
async fn without_an_owner_a_speaker_is_told_and_can_still_read() {
    let rig = Rig::new(2).await;
    let (mut ann, _) = rig.at(1).guest().await;
    ann.asks("chat hello", "cannot be reached just now").await;
    rig.place_all(2);
    ann.asks("chat hello", "hello").await;
    rig.mesh.cut(NodeId(1), NodeId(2));
    ann.asks("chat again", "cannot be reached just now").await;
    ann.asks("chat", "hello").await;
    rig.stop().await;
}
