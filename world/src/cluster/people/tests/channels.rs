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

/// What this bot has seen of lines with this mark, in order, without what it typed to be refused.
fn order_of(bot: &Bot, who: &str) -> Vec<String> {
    let mark = format!("line-{who}.");
    let lines = bot.seen.lines().filter_map(|line| line.split(&mark).nth(1));
    lines
        .map(|number| number.trim_end_matches('"').trim().to_owned())
        .collect()
}

#[tokio::test]
async fn words_on_a_channel_without_an_owner_wait_and_are_said_in_order_once() {
    let mut rig = Rig::new(3).await;
    rig.place_all(3);
    let (mut ann, _) = rig.at(1).guest().await;
    let (mut bob, _) = rig.at(2).guest().await;
    ann.asks("chat line-a.0", "line-a.0").await;
    bob.sees("line-a.0").await;
    rig.kill(3).await;
    for number in 1..=3 {
        ann.type_line(&format!("chat line-a.{number}"));
    }
    ann.asks("score", "You are").await;
    rig.mesh.place(&shards::channel("chat"), NodeId(2));
    ann.asks("chat line-a.4", "line-a.4").await;
    bob.sees("line-a.4").await;
    for bot in [&ann, &bob] {
        assert_eq!(
            order_of(bot, "a"),
            ["0", "1", "2", "3", "4"],
            "{}",
            bot.seen
        );
    }
    rig.stop().await;
}

#[tokio::test]
async fn words_said_while_a_channel_moves_to_and_fro_are_told_once_and_in_order() {
    let rig = Rig::new(3).await;
    rig.place_all(1);
    let mut bots = Vec::new();
    for realm in &rig.worlds {
        bots.push(realm.guest().await.0);
    }
    let chat = shards::channel("chat");
    for number in 0..8_u16 {
        let to = NodeId(number % 3 + 1);
        let (tell, told) = tokio::sync::oneshot::channel();
        for (who, bot) in bots.iter().enumerate() {
            bot.type_line(&format!("chat line-{who}.{number}"));
        }
        rig.mesh
            .move_shard(&chat, to, move |done| drop(tell.send(done)));
        drop(tokio::time::timeout(PATIENCE, told).await.unwrap());
    }
    for bot in &mut bots {
        for who in 0..3 {
            while order_of(bot, &who.to_string()).len() < 8 {
                bot.sees("\n").await;
            }
        }
    }
    let all: Vec<String> = (0..8).map(|number| number.to_string()).collect();
    for bot in &bots {
        for who in 0..3 {
            assert_eq!(order_of(bot, &who.to_string()), all, "{}", bot.seen);
        }
        assert!(!bot.seen.contains("just now"), "{}", bot.seen);
    }
    rig.stop().await;
}

#[tokio::test]
async fn more_words_than_a_node_holds_are_refused_at_once_and_none_is_dropped() {
    let rig = Rig::new(1).await;
    let mut bots = Vec::new();
    for who in 0..21 {
        let (mut bot, _) = rig.at(1).guest().await;
        for number in 0..3 {
            bot.type_line(&format!("chat line-{who}.{number}"));
        }
        bot.asks("score", "You are").await;
        bots.push(bot);
    }
    let (mut last, _) = rig.at(1).guest().await;
    for number in 0..3 {
        last.type_line(&format!("chat line-last.{number}"));
    }
    for _ in 0..2 {
        last.sees("cannot be reached just now").await;
    }
    rig.place_all(1);
    last.sees("line-last.0").await;
    for (who, bot) in bots.iter_mut().enumerate() {
        bot.sees("line-last.0").await;
        assert_eq!(order_of(bot, &who.to_string()), ["0", "1", "2"]);
    }
    assert_eq!(order_of(&last, "last").len(), 1, "{}", last.seen);
    rig.stop().await;
}
